"""What happens for ever in the run that breaks a promise, in words."""

from __future__ import annotations

from epochal.spec.language import ActionInstance, Disabled, OutOfBounds
from epochal.spec.language.members import title
from epochal.spec.language.protocol import evaluated

from ..fairness import Unit
from .explain import property_of, sentence
from .for_ever import Fair, begins, fairness
from .refusal import refusal
from .run import Codes, Run
from .verdicts import DEADLOCK


def waiting_from(run: Run) -> int | None:
    """From which state on the goal of a promise is missing; None if the run is about something else."""
    member = property_of(run)
    if run.loop is None or member is None:
        return None

    def promised(codes: Codes) -> tuple[bool, bool]:
        premise, goal = evaluated(member.function, run.protocol.at(codes), *run.arguments)
        return bool(premise), bool(goal)

    return begins(run, promised)


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
        return ["-- for ever: nothing changes any more"]
    closing = run.closing
    told = f"{run.length:>{width}}. {closing.label}  {sentence(closing)}  [{closing.action.where}]"
    return [told, " " * (width + 4) + f"and all is as in state {run.loop}"]


def fair_lines(run: Run) -> list[str]:
    """Why it is fair that the goal never comes: which steps are taken again and again, and what refuses the others."""
    member = property_of(run)
    if run.loop is None or member is None:
        return []
    found: dict[str, list[str]] = {}
    for fair in fairness(run, member, lambda codes, unit: _possible(run, codes, unit)):
        found.setdefault(_why(run, fair), []).append(fair.unit.label)
    if not found:
        return ["No step is assumed to be fair."]
    besides = f", with what was assumed ({run.assumed.sentence})" if run.assumed else ""
    return [f"This is fair{besides}:", *(f"  {', '.join(labels)}: {why}" for why, labels in found.items())]


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
    state = run.protocol.at(codes)
    try:
        evaluated(instance.action.function, state, *instance.arguments)
    except OutOfBounds:
        return True
    except Disabled:
        return False
    return state.codes() != codes


def _why(run: Run, fair: Fair) -> str:
    if fair.step is not None:
        return f"taken in step {fair.step}"
    if fair.state is None:
        return "never taken, though it could be"
    refused: dict[str, None] = {}
    for number in sorted(fair.unit.instances):
        refused[_refused(run, run.states[fair.state], run.protocol.instances[number])] = None
    return f"impossible in state {fair.state}: {next(iter(refused))}"
