"""The run that breaks a promise and goes on for ever: from where the goal is missing, and what is fair about the rest.

In the state where it begins the premise holds, and from there on the goal never does. Then comes a round of states, or
one where nothing more happens. The round is fair to a unit that is taken on it, and to one that is impossible: to a
weak one somewhere on it, to a strong one everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from epochal.spec.language import ActionInstance, Member

from ..fairness import Unit, units_of
from .run import Codes, Run, Step

Promised = Callable[[Codes], tuple[bool, bool]]
"""Premise and goal of a promise in a state."""
Possible = Callable[[Codes, Unit], bool]
"""Whether a unit can be taken in a state, or could if no bound stopped it."""


@dataclass(frozen=True)
class Fair:
    """Why a round is fair to a unit: a step by which it is taken, or a state in which it is impossible."""

    unit: Unit
    step: int | None = None
    state: int | None = None

    @property
    def excused(self) -> bool:
        """Whether there is such a step or state."""
        return self.step is not None or self.state is not None


def begins(run: Run, promised: Promised, once: bool) -> int | None:
    """Return the index of the first state where the premise holds and after which the goal never does, or None.

    The premise of a property with `once` is evaluated in the first state only.
    """
    first, found = run.length, None
    for number in reversed(range(run.length)):
        premise, goal = promised(run.states[number])
        if goal:
            break
        first, found = number, number if premise and not (once and number) else found
    return found if run.loop is not None and first <= run.loop else None


def unrolled(run: Run) -> Run:
    """The same run, with the step that closes the round as its last one."""
    if run.loop is None or run.closing is None:
        return run
    return replace(run, steps=(*run.steps, Step(run.closing, run.states[run.loop])))


def around(run: Run) -> list[int]:
    """The numbers of the states of the round."""
    return [] if run.loop is None else list(range(run.loop, run.length))


def steps_around(run: Run) -> list[tuple[int, ActionInstance]]:
    """The steps of the round, with their numbers; the last of them closes it."""
    found = [(number, run.steps[number - 1].instance) for number in around(run)[1:]]
    return [*found, (run.length, run.closing)] if run.closing is not None else found


def fairness(run: Run, member: Member, possible: Possible) -> list[Fair]:
    """What the round has to say of each unit of which the promise assumes fairness."""
    return fairness_to(run, units_of(run.protocol, run.assumed(member)), possible)


def fairness_to(run: Run, units: Iterable[Unit], possible: Possible) -> list[Fair]:
    """What the round has to say of some units."""
    found = []
    for unit in units:
        step = next((number for number, one in steps_around(run) if one.number in unit.instances), None)
        where = [number for number in around(run) if not possible(run.states[number], unit)]
        enough = len(where) == len(around(run)) if unit.strong else bool(where)
        found.append(Fair(unit, step, where[0] if step is None and enough else None))
    return found
