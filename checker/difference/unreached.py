"""What two specifications with the same reachable steps still differ in: rules, in states that no run has come to.

Their steps were compared state by state within bounds. That says nothing of the states beyond: there the rules may say
something else, and larger bounds may reach them. Whether they do in any typed state is asked of Z3; at which larger
bounds it shows, of short searches.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from epochal.errors import EpochalError
from epochal.spec.language.bounds import BoundField

from ..disagreement import ReadingsDisagree
from ..host.z3_solver import found_solver
from ..ir.ranges import refuted
from ..ir.shape import first_difference
from ..search.result import Options
from .between import OneWay, difference
from .difference import Answer, Difference, Unreached
from .rules import Rules

RLIMIT = 20_000_000
"""Z3's resource units for each action: a second or two."""

MOST_STATES = 300_000
"""How many states one search at larger bounds sees at most: a second or two, and the same ones on any machine."""

ALL_SECONDS = 90.0
"""After how long no other search is begun; compiling takes most of it."""

Bounds = Mapping[str, int]
RulesAt = Callable[[dict[str, int]], tuple[Rules, Rules] | None]
"""The rules of both specifications within other bounds; None where one of them cannot be had there."""


def unreached(left: Rules, right: Rules, gained: bool = False) -> Unreached | None:
    """How the rules of two specifications differ in typed states; None if they do not, whatever is reached.

    With `gained` only what the right one allows there and the left one does not is a difference.
    """
    problem = first_difference(left.shape, right.shape)
    if problem:
        return Unreached(other=f"the state itself: {problem}", gained=gained)
    forth = OneWay(right, left, {})
    ways = (forth,) if gained else (forth, OneWay(left, right, {}))
    possible = [
        {action for action, steps in way.own.items() if any(not refuted(step.rule.enabled) for step in steps)}
        for way in ways
    ]
    within = forth.own_constraint() if gained else forth.other_constraint()
    constraint = not refuted(within)
    if not any(possible) and not constraint:
        return None
    if found_solver().problem:
        answers: dict[str, Answer] = dict.fromkeys(itertools.chain(*possible), "unknown")
        return _found(answers, "unknown" if constraint else "same", gained)
    from .typed import differing, satisfied

    answers = {}
    for way, actions in zip(ways, possible, strict=True):
        for action, answer in differing(way, actions, RLIMIT).items():
            if answers.get(action) != "differs":
                answers[action] = answer if answer != "same" else answers.get(action, "same")
    return _found(answers, satisfied(forth, within, RLIMIT), gained)


def _found(answers: Mapping[str, Answer], constraint: Answer, gained: bool) -> Unreached | None:
    differ = tuple(action for action, answer in answers.items() if answer == "differs")
    open_ = tuple(action for action, answer in answers.items() if answer == "unknown")
    other = "" if constraint == "same" else "the state constraint"
    return Unreached(differ, open_, other, gained) if differ or open_ or other else None


def shown_at_larger_bounds(
    found: Unreached, bounds: Bounds, declared: Mapping[str, BoundField], rules_at: RulesAt, options: Options
) -> Unreached:
    """The same with the smallest larger bounds at which a search of a few seconds comes to a difference, if any does.

    `options` has the budget of the whole command.
    """
    begun, tried = time.monotonic(), 0
    for larger in larger_bounds(bounds, declared):
        left = ALL_SECONDS - (time.monotonic() - begun)
        if options.budget is not None and options.begun is not None:
            left = min(left, options.budget - (time.monotonic() - options.begun))
        if left <= 0:
            break
        with where_available():
            both = rules_at(larger)
            if both is None:
                continue
            differs, tried = difference(*both, replace(options, max_states=MOST_STATES, workers=1)), tried + 1
            if differs.interrupted:
                break
            if _shows(differs, found):
                return replace(found, shown_at=larger, tried=tried)
    return replace(found, tried=tried)


def _shows(differs: Difference, found: Unreached) -> bool:
    """Whether a search has come to what was asked."""
    if found.gained:
        return differs.widens or (bool(found.other) and differs.constraint == "differs")
    return differs.narrows or differs.widens or differs.constraint == "differs"


@contextlib.contextmanager
def where_available() -> Iterator[None]:
    """Bounds that nobody asked for, which a protocol need not have: whatever it refuses of them is no answer.

    They may be refused together, a value may be outside its domain there, a rule may fail. Readings that disagree are a
    bug of this tool at any bounds, and are told.
    """
    try:
        yield
    except ReadingsDisagree:
        raise
    except EpochalError:
        pass


def larger_bounds(bounds: Bounds, declared: Mapping[str, BoundField]) -> Iterator[dict[str, int]]:
    """One bound larger by one, then two bounds: first those that are 0, of which nothing was seen at all."""
    free = [name for name, field in declared.items() if bounds[name] < field.most]
    free.sort(key=lambda name: bounds[name] > declared[name].least)
    for names in (*((name,) for name in free), *itertools.combinations(free, 2)):
        yield {**bounds, **{name: bounds[name] + 1 for name in names}}
