"""What a change really changed: for each action the steps that one protocol takes and another does not.

The two must have the same states. Actions are matched by name. It is asked of Z3 in any typed state, and in any that
satisfies the lemmas which both have; and of the native search in every state that the protocol with the step reaches.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import z3

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol
from epochal.spec.language.bounds import BoundField

from ..base.installed import found_solver
from ..base.machine import Stopwatch, without_collection
from ..compile.compiler import compile_protocol
from ..ir.expression import Expression, evaluate
from ..ir.graph import refuted
from ..ir.model import Model, Rebase, first_difference, refuse_other_shape
from ..search.budget import COMPILING, Deadline
from ..search.result import Options, Progress
from ..semantics.properties import KINDS
from ..solver.answer import check, why_unknown
from ..solver.bounded import unfailing
from ..solver.cross_check import confirm_step
from ..solver.static_checks import TypedStates
from ..trace.run import Step
from ..trace.trace import Trace
from .difference import (
    ActionDifference,
    Answer,
    Difference,
    Example,
    Rules,
    Scope,
    ScopeAnswer,
    Unreached,
    rules_of,
    state_after,
    why_refused,
)
from .reached import SAME, OneWay, Reached, difference, initial_only, reached

# -- unreached --------------------------------------------------------------------------------------------------------
# What two specifications with the same reachable steps still differ in: rules, in states that no run has come to.
#
# Their steps were compared state by state within bounds. That says nothing of the states beyond: there the rules may
# say something else, and larger bounds may reach them. Whether they do in any typed state is asked of Z3; at which
# larger bounds it shows, of short searches.


ACTION_RLIMIT = 20_000_000
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
    steps = [_not_refuted({name: [s.rule.enabled for s in own] for name, own in way.own.items()}) for way in ways]
    failures = [_not_refuted({name: [one] for name, one in way.failures.items()}) for way in ways]
    within = forth.own_constraint() if gained else forth.other_constraint()
    if not any((*steps, *failures)) and refuted(within):
        return None
    differ, fail = _answers(ways, steps), _answers(ways, failures)
    fail = {name: answer for name, answer in fail.items() if differ.get(name, "same") == "same"}
    if found_solver().problem:
        constraint: Answer = "same" if refuted(within) else "unknown"
    else:
        constraint = satisfied(forth, within, ACTION_RLIMIT)
    found = Unreached(
        tuple(name for name, answer in differ.items() if answer == "differs"),
        tuple(name for name, answer in {**differ, **fail}.items() if answer == "unknown"),
        tuple(name for name, answer in fail.items() if answer == "differs"),
        "" if constraint == "same" else "the state constraint",
        gained,
    )
    return found if found.actions or found.open or found.failing or found.other else None


_Conditions = Mapping[str, list[Expression]]
"""For each action, the conditions under which one specification alone does something."""


def _not_refuted(conditions: _Conditions) -> _Conditions:
    """Those that may be true of a typed state, as far as intervals tell."""
    possible = {name: [one for one in each if not refuted(one)] for name, each in conditions.items()}
    return {name: each for name, each in possible.items() if each}


def _answers(ways: Sequence[OneWay], asked: Sequence[_Conditions]) -> dict[str, Answer]:
    """What Z3 says of the conditions of each way, by action; that nobody knows, if it is not installed."""
    answers: dict[str, Answer] = {}
    for way, conditions in zip(ways, asked, strict=True):
        if found_solver().problem:
            answers |= dict.fromkeys(conditions, "unknown")
            continue
        for action, answer in possible(way, conditions, ACTION_RLIMIT).items():
            if answers.get(action) != "differs":
                answers[action] = answer if answer != "same" else answers.get(action, "same")
    return answers


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
            short, tried = replace(options, max_states=MOST_STATES, workers=1), tried + 1
            differs = difference(*both, short)
            if differs.interrupted:
                break
            if _shows(differs, found) or (found.failing and _fails(*both, short, found.gained)):
                return replace(found, shown_at=larger, tried=tried)
    return replace(found, tried=tried)


def _shows(differs: Difference, found: Unreached) -> bool:
    """Whether a search has come to what was asked."""
    if found.gained:
        return differs.widens or (bool(found.other) and differs.constraint == "differs")
    return differs.narrows or differs.widens or differs.constraint == "differs"


def _fails(left: Rules, right: Rules, options: Options, gained: bool) -> bool:
    """Whether a search comes to a state in which a rule of one specification alone cannot be evaluated."""
    ways = (OneWay(right, left, {}), OneWay(left, right, {}))
    conditions = [way.left.graph.any_of(list(way.failures.values())) for way in ways[: 1 if gained else 2]]
    found = Reached()
    for way, condition in zip(ways, conditions, strict=False):
        found = reached(way.left, {}, options, condition, before=found)
        if found.condition_met:
            return True
    return False


@contextlib.contextmanager
def where_available() -> Iterator[None]:
    """Bounds that nobody asked for, which a protocol need not have: whatever it refuses of them is no answer.

    They may be refused together, a value may be outside its domain there, a rule may fail. Semantics that disagree are
    a bug of this tool at any bounds, and are told.
    """
    try:
        yield
    except EpochalError as error:
        if error.exit_code == ExitCode.READINGS_DISAGREE:
            raise


def larger_bounds(bounds: Bounds, declared: Mapping[str, BoundField]) -> Iterator[dict[str, int]]:
    """One bound larger by one, then two bounds: first those that are 0, of which nothing was seen at all."""
    free = [name for name, field in declared.items() if bounds[name] < field.most]
    free.sort(key=lambda name: bounds[name] > declared[name].least)
    for names in (*((name,) for name in free), *itertools.combinations(free, 2)):
        yield {**bounds, **{name: bounds[name] + 1 for name in names}}


# -- typed ------------------------------------------------------------------------------------------------------------
# The questions to Z3: whether a typed state, or one in which common lemmas hold, has a step that only one takes.
#
# They are asked of the same conditions that the search of the reachable states looks for.

ANSWERS: dict[str, Answer] = {"sat": "differs", "unsat": "same"}


def satisfied(way: OneWay, condition: Expression, rlimit: int) -> Answer:
    """Whether some typed state meets a condition, in which the specifications of a way then differ."""
    if condition is way.left.graph.false:
        return "same"
    return ANSWERS.get(str(check(_typed(way, condition, rlimit).solver)), "unknown")


def possible(way: OneWay, conditions: Mapping[str, Sequence[Expression]], rlimit: int) -> dict[str, Answer]:
    """Whether some typed state within the constraint of a way's left specification meets one of an action's conditions.

    They are that it takes a step which the right one does not, or that it fails where the right one does not.
    """
    typed = _typed(way, way.left.within, rlimit)
    return {action: ANSWERS.get(typed.possible(any_of)[0], "unknown") for action, any_of in conditions.items()}


def _typed(way: OneWay, condition: Expression, rlimit: int) -> TypedStates:
    """A typed state of a way's left specification of which a condition is true."""
    found = TypedStates(way.left.graph, way.left.protocol, 1, rlimit)
    found.solver.add(found.terms(condition))
    return found


class OfTypedStates:
    """What Z3 says of the typed states of a direction's left specification, whose rules and lemmas `model` has."""

    def __init__(self, model: Model, way: OneWay, rlimit: int) -> None:
        self.way, self.seconds = way, 0.0
        self._model, self._protocol = model, way.left.protocol
        typed = _typed(way, way.left.within, rlimit)
        self._terms, self._solver = typed.terms, typed.solver

    def answers(self, other: Model) -> dict[str, dict[Scope, ScopeAnswer]]:
        """For each action, whether some state enables a step of its own: a typed one, and one where the lemmas hold.

        These are the lemmas of both models, if there are any. They are asked of what differs in typed states only.
        """
        typed = {action: self._answer(action, "Any typed state") for action in self.way.own}
        lemmas = dict.fromkeys(typed, ScopeAnswer("not asked"))
        if self._assume_lemmas(other):
            text = "Any typed state in which the common lemmas hold"
            for action, found in typed.items():
                lemmas[action] = found if found.answer == "same" else self._answer(action, text)
        return {action: {"typed": found, "lemmas": lemmas[action]} for action, found in typed.items()}

    def _assume_lemmas(self, other: Model) -> bool:
        """From now on ask about states in which the lemmas of both models hold; whether there are any."""
        rebase, found = Rebase(self._model.graph), False
        for model in (self._model, other):
            for one in (one for one in model.properties if one.member.mark.kind == "lemma"):
                holds = [one.holds, *(model.graph.not_(failure.condition) for failure in one.failures)]
                self._solver.add(*(self._terms(each if model is self._model else rebase(each)) for each in holds))
                found = True
        return found

    def _answer(self, action: str, start: str) -> ScopeAnswer:
        """Whether some state enables one of an action's own steps, and which; `start` says which states are asked of.

        An example is one in which every rule can be evaluated, so that it replays in every semantics; there may be
        none.
        """
        own = self.way.own[action]
        if not own:
            return SAME
        solver, started = self._solver, time.process_time()
        solver.push()
        solver.add(z3.Or(*(self._terms(step.rule.enabled) for step in own)))
        answer = check(solver)
        reason = why_unknown(solver) if answer == z3.unknown else ""
        codes = None
        if answer == z3.sat:
            solver.add(self._terms(unfailing(self._model)))
            codes = self._terms.codes(solver.model()) if check(solver) == z3.sat else None
        solver.pop()
        self.seconds += time.process_time() - started
        if answer != z3.sat:
            return ScopeAnswer("unknown", reason=reason) if answer == z3.unknown else SAME
        if codes is None:
            return ScopeAnswer("differs", reason="only where another rule cannot be evaluated")
        step = next(step for step in own if evaluate([step.rule.enabled], codes) == [1])
        after = confirm_step(self._protocol, codes, step.rule.instance, state_after(step.rule, codes))
        trace = Trace(self._protocol, codes, (Step(step.rule.instance, after),), start=start)
        choices = self.way.right.partners(step, self.way.matched[action])
        return ScopeAnswer("differs", example=Example(trace, why_refused(self.way.right, choices, codes)))


RLIMIT, MAX_STATES = 100_000_000, 2_000_000


@dataclass(frozen=True, kw_only=True)
class Comparison(Difference):
    """The difference of two protocols, the first on the left, with what Z3 says besides.

    `constraint` is about typed states. `lemmas` are those which both have.
    """

    first: Protocol
    second: Protocol
    lemmas: tuple[str, ...]
    rlimit: int
    max_states: int
    solver_seconds: float
    wall_seconds: float
    cpu_seconds: float

    def answers(self, scope: Scope) -> set[Answer]:
        """The answers of all actions in one scope, both ways."""
        return {one.answers[scope].answer for one in (*self.lost, *self.gained)}

    @property
    def solver_gave_up(self) -> bool:
        """Whether Z3 left a question open that no search has settled."""
        open_actions = [one for one in (*self.lost, *self.gained) if one.reachable.answer == "unknown"]
        return self.constraint == "unknown" or any(one.answers["typed"].answer == "unknown" for one in open_actions)

    @property
    def verdict(self) -> Answer:
        """Whether the two protocols behave the same, from their initial states on."""
        if self.narrows or self.widens:
            return "differs"
        return "unknown" if self.constraint != "same" or "unknown" in self.answers("reachable") else "same"


def compare(
    first: Protocol,
    second: Protocol,
    renames: Mapping[str, str] | None = None,
    *,
    rlimit: int = RLIMIT,
    max_states: int = MAX_STATES,
    budget: float | None = None,
    begun: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Comparison:
    """Compare two protocols with the same states; `renames` gives actions of the first their names in the second.

    `budget` is in seconds since `begun`, a moment of time.monotonic (None: now), for both searches together.

    Raises LanguageError, naming the first difference, if their states are not of one shape.
    """
    watch, cpu = Stopwatch(), time.process_time()
    begun = time.monotonic() if begun is None else begun
    refuse_other_shape(first, second, second.name)
    lemmas = tuple(m.name for m in first.members("lemma") if m.name in {o.name for o in second.members("lemma")})
    with Deadline(budget, progress=progress, begun=begun).watching(COMPILING), without_collection():
        models = [compile_protocol(_without_properties(one, lemmas), bool(lemmas)) for one in (first, second)]
        left, right = (rules_of(model, protocol) for model, protocol in zip(models, (first, second), strict=True))
        forth = OneWay(left, right, renames or {})
        back = OneWay(right, left, {new: old for old, new in (renames or {}).items()})
        typed = [OfTypedStates(model, way, rlimit) for model, way in zip(models, (forth, back), strict=True)]
    options = Options(max_states=max_states, budget=budget, progress=progress, begun=begun)
    found = [Reached()]
    own: list[tuple[ActionDifference, ...]] = []
    for states, other in zip(typed, reversed(models), strict=True):
        way, asked = states.way, states.answers(other)
        differing = {action: steps for action, steps in way.own.items() if asked[action]["typed"] != SAME}
        found.append(reached(way.left, differing, options, before=found[-1]))
        own.append(way.differences(found[-1], asked))
    return Comparison(
        own[0],
        own[1],
        initial_only(left, right),
        satisfied(forth, forth.other_constraint(), rlimit),
        (found[1].explored, found[2].explored),
        first=first,
        second=second,
        lemmas=lemmas,
        rlimit=rlimit,
        max_states=max_states,
        solver_seconds=sum(states.seconds for states in typed),
        wall_seconds=watch.wall_seconds(),
        cpu_seconds=time.process_time() - cpu,
    )


def _without_properties(protocol: Protocol, lemmas: Sequence[str]) -> Protocol:
    """The protocol without its properties; only these lemmas stay."""
    members: dict[str, Any] = {m.name: None for kind in KINDS for m in protocol.members(kind)}
    members |= {m.name: None for m in protocol.members("lemma") if m.name not in lemmas}
    own = type(protocol)
    bare: type[Protocol] = type(own.__name__, (own,), {**members, "__module__": own.__module__})
    return bare(protocol.bounds)
