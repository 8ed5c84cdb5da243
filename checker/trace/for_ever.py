"""The run that breaks a liveness property and goes on for ever: from where the goal is missing, and what is fair about
the rest.

In the state where it begins the premise holds, and from there on the goal never does. Then comes a round of states, or
one where nothing more happens. The round is fair to a unit that is taken on it, and to one that is impossible: to a
weak one somewhere on it, to a strong one everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from epochal.spec.language import ActionInstance, Disabled, EvaluationError, Member, OutOfBounds, Protocol
from epochal.spec.language.members import title
from epochal.spec.language.protocol import evaluated

from ..semantics.properties import Unit, units_of
from .explain import property_of, refusal, sentence
from .run import DEADLOCK, Codes, Run, Step
from .why import why_waiting

PremiseAndGoal = Callable[[Codes], tuple[bool, bool]]
"""Premise and goal of a liveness property in a state."""
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


def begins(run: Run, promised: PremiseAndGoal, once: bool) -> int | None:
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
    """What the round has to say of each unit of which the liveness property assumes fairness."""
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


# -- for ever text ----------------------------------------------------------------------------------------------------
# What happens for ever in the run that breaks a liveness property, in words.

MOST_NAMED = 6
"""So many steps are named that may be left undone for ever."""


def waiting_from(run: Run) -> int | None:
    """From which state on the goal of a liveness property is missing; None if the run is about something else."""
    member = property_of(run)
    if run.loop is None or member is None:
        return None

    def promised(codes: Codes) -> tuple[bool, bool]:
        premise, goal = evaluated(member.function, run.protocol.at(codes), *run.arguments)
        return bool(premise), bool(goal)

    return begins(run, promised, member.mark.once)


def from_here_on(run: Run, since: int | None, number: int) -> list[str]:
    """What is said after a state: that the goal is missing from here on, and that what follows is repeated."""
    lines = []
    if number == since:
        lines.append("-- from here on the goal does not hold")
    if number == run.loop and run.closing is not None:
        lines.append("-- for ever:")
    return lines


def closing_lines(run: Run, width: int) -> list[str]:
    """What follows the last state."""
    if run.loop is None:
        return []
    if run.closing is None:
        return [f"-- for ever: nothing changes any more{_if_nobody(run)}"]
    closing = run.closing
    told = f"{run.length:>{width}}. {closing.label}  {sentence(closing)}  [{closing.action.where}]"
    return [told, " " * (width + 4) + f"and all is as in state {run.loop}"]


def _if_nobody(run: Run) -> str:
    """What could still be done where nothing more happens, and need not be: no fairness is assumed of it."""
    last = run.states[-1]
    open_still = [one.label for one in run.protocol.instances if _changes(run, last, one)]
    if not open_still:
        return ""
    more = f" and {len(open_still) - MOST_NAMED} more" if len(open_still) > MOST_NAMED else ""
    return f", if nobody ever takes one of these, and nobody has to: {', '.join(open_still[:MOST_NAMED])}{more}"


def why_it_waits(run: Run) -> str:
    """Which values make the premise of a broken liveness property true, and its goal false for ever; "" if its source
    does not
    tell."""
    member, since = property_of(run), waiting_from(run)
    if member is None or since is None:
        return ""
    states, last = run.states, run.length - 1
    premise = why_waiting(run.protocol, member, run.arguments, states[since], "premise")
    goal = why_waiting(run.protocol, member, run.arguments, states[last], "goal")
    if premise is None or goal is None:
        return ""
    if str(premise) == str(goal):
        return f"it waits from state {since} on, in state {last} as before: {goal}"
    return f"it waits from state {since} on: {premise}; and in state {last} the goal is still missing: {goal}"


def fair_lines(run: Run) -> list[str]:
    """Why it is fair that the goal never comes: which steps are taken again and again, and what refuses the others."""
    member = property_of(run)
    if run.loop is None or member is None:
        return []
    units = fairness(run, member, partial(_possible, run))
    found: dict[str, list[str]] = {}
    for fair in units:
        found.setdefault(_why(run, fair), []).append(fair.unit.label)
    if not found:
        return ["No step is assumed to be fair, so a run may stop anywhere.", *_advice(run, member)]
    besides = f", with what was assumed ({run.assumed.sentence})" if run.assumed else ""
    lines = [f"{_fair(units)}{besides}:", *(f"  {', '.join(labels)}: {why}" for why, labels in found.items())]
    return lines + _advice(run, member)


def _advice(run: Run, member: Member) -> list[str]:
    names = forgotten(run)
    return [f"{how_to_assume(names, [member.name])}."] if names else []


def forgotten(run: Run) -> list[str]:
    """The actions that are marked fair, and that a broken liveness property does not assume, because it was made before
    them.

    Each could be taken where its run stays for ever, and never is: with it that run would not be fair. What the class
    of the liveness property knows and does not name it leaves out on purpose.
    """
    member = property_of(run)
    if run.loop is None or member is None:
        return []
    home, assumed = _home(run.protocol, member), run.assumed(member)
    added = [
        action.name
        for action in run.protocol.members("action")
        if action.mark.fair and action.name not in (*assumed, *run.assumed.unfair) and not hasattr(home, action.name)
    ]
    found = fairness_to(run, units_of(run.protocol, added), partial(_possible, run))
    return list(dict.fromkeys(fair.unit.action.name for fair in found if not fair.excused))


def _home(protocol: Protocol, member: Member) -> type:
    """The first of the classes of a protocol that have a liveness property as it is, and all actions that it names."""
    for owner in reversed(type(protocol).__mro__):
        here = getattr(owner, member.name, None) is member.function
        if here and all(hasattr(owner, name) for name in member.mark.needs):
            return owner
    return type(protocol)


def how_to_assume(names: Sequence[str], promises: Sequence[str]) -> str:
    """What to do about actions that broken liveness properties do not assume."""
    options = " ".join(f"--fair {name}" for name in names)
    listed = ", ".join(f'"{name}"' for name in names)
    are, it = ("is", "it") if len(names) == 1 else ("are", "them")
    do = "does" if len(promises) == 1 else "do"
    said = f"{', '.join(names)} {are} marked fair, and {', '.join(promises)} {do} not assume {it}"
    python = f"(in Python: fair=[{listed}])"
    return f"{said}; to assume {it}: {options} {python}, or override the property with @leads_to(fair=(..., {listed}))"


def _fair(units: Sequence[Fair]) -> str:
    """Return a sentence: whether the run is fair."""
    if not all(fair.excused for fair in units):
        return "This run is not fair: a fair step is possible and never taken"
    if all(fair.step is None for fair in units):
        return "This run is fair: none of the fair steps is possible"
    return "This run is fair: each fair step is taken again and again, or impossible again and again"


def stuck_lines(run: Run) -> list[str]:
    """What refuses each action in the last state of a run to a deadlock."""
    if run.verdict != DEADLOCK:
        return []
    found: dict[str, dict[str, None]] = {}
    for instance in run.protocol.instances:
        found.setdefault(_refused(run, run.states[-1], instance), {})[title(instance.action.name)] = None
    return ["No step is possible:", *(f"  {', '.join(names)}: {why}" for why, names in found.items())]


def _refused(run: Run, codes: Codes, instance: ActionInstance) -> str:
    guard = refusal(run.protocol, codes, instance)
    return "it would change nothing" if guard is None else f"{guard.text}  [{guard.where}]"


def _possible(run: Run, codes: Codes, unit: Unit) -> bool:
    return any(_can(run, codes, run.protocol.instances[number]) for number in unit.instances)


def _can(run: Run, codes: Codes, instance: ActionInstance) -> bool:
    """Whether a step changes something in a state, or only a bound stops it."""
    try:
        return _taken(run, codes, instance) != codes
    except OutOfBounds:
        return True
    except Disabled:
        return False


def _changes(run: Run, codes: Codes, instance: ActionInstance) -> bool:
    """Whether a step is possible in a state and changes something. What cannot be evaluated changes nothing."""
    try:
        return _taken(run, codes, instance) != codes
    except (Disabled, EvaluationError):
        return False


def _taken(run: Run, codes: Codes, instance: ActionInstance) -> Codes:
    state = run.protocol.at(codes)
    evaluated(instance.action.function, state, *instance.arguments)
    return state.codes()


def _why(run: Run, fair: Fair) -> str:
    if fair.step is not None:
        return f"taken in step {fair.step}"
    if fair.state is None:
        return "never taken, though it could be"
    refused: dict[str, None] = {}
    for number in sorted(fair.unit.instances):
        refused[_refused(run, run.states[fair.state], run.protocol.instances[number])] = None
    return f"impossible in state {fair.state}: {next(iter(refused))}"
