"""Replaying a trace: whether every step is still possible, with exactly that result, in every semantics.

A counterexample is worth what its replay says: the specification may have changed since it was written, or an engine
may be wrong. Where a step is refused, the replay names the `require` that refuses it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from epochal.spec.language import ActionInstance, EvaluationError, Member, Protocol
from epochal.spec.language.protocol import evaluated

from ..semantics.properties import Unit
from ..semantics.semantics import Semantics
from .explain import Change, Refusal, differences, property_of, refusal
from .run import DEADLOCK, NOT_INDUCTIVE, Codes, Run, Step
from .trace import Trace
from .why import begins, fairness

# -- replay for ever --------------------------------------------------------------------------------------------------
# Replaying what follows the last step of a run that breaks a liveness property: the round, and that it is fair.


def why_no_deadlock(run: Run, reading: Semantics) -> str:
    """Why a run does not end where nothing more happens and should; "" if it does. Raises EvaluationError.

    Whether a liveness property waits is for a search to say: a run that ends may wait since before its beginning.
    """
    last = run.states[-1]
    going_on = [one.label for one, after in reading.successors(last) if after != last]
    if going_on:
        return f"something more can happen: {going_on[0]}"
    if reading.stopped(last, range(len(run.protocol.instances))):
        return "only a bound of the model stops what could happen"
    state = run.protocol.at(last)
    declared = [member.name for member in run.protocol.members("ends") if evaluated(member.function, state)]
    return f"here a run may end, as {declared[0]} says" if declared else ""


def why_kept(run: Run, member: Member, reading: Semantics) -> str:
    """Why a run does not break a liveness property, in a semantics; "" if it does. Raises EvaluationError."""
    if run.loop is None or not 0 <= run.loop < run.length:
        return f"{member.name} is about what happens for ever, and the trace does not say what does"
    last, back = run.states[-1], run.states[run.loop]
    if run.closing is None and run.loop != run.length - 1:
        return f"the trace does not say by which step it comes back to state {run.loop}"
    if run.closing is not None and (not reading.within_constraint(last) or reading.taken(last, run.closing) != back):
        return f"{run.closing.label} does not lead back from the last state to state {run.loop}"
    if begins(run, lambda codes: reading.promised(member, run.arguments, codes), member.mark.once) is None:
        return f"{member.name} is kept: its goal holds again, or its premise never does"

    def possible(codes: Codes, unit: Unit) -> bool:
        taken = any(one.number in unit.instances and after != codes for one, after in reading.successors(codes))
        return taken or reading.stopped(codes, unit.instances)

    for fair in fairness(run, member, possible):
        if not fair.excused:
            return f"it is not fair: {fair.unit.label} could be taken, and never is"
    return ""


@dataclass(frozen=True)
class Outcome:
    """What one semantics says of a trace.

    If it disagrees, `step` is the number of the first step that is not possible (0: the initial state), or None if only
    the verdict at the end is another; `reason` says why, `refusal` names the guard, `changes` lists the leaves that
    differ, from what the trace says to what the semantics finds.
    """

    reading: str
    ok: bool
    step: int | None = None
    reason: str = ""
    refusal: Refusal | None = None
    changes: tuple[Change, ...] = ()

    def lines(self) -> list[str]:
        """The result as text."""
        if self.ok:
            return [f"{self.reading}: every step is possible, with the result that the trace says"]
        found = [f"{self.reading}: {self.reason}"]
        if self.refusal is not None:
            found.append(f"  {self.refusal.where}: {self.refusal.text}")
        return [*found, *(f"  {c.path}: {c.before} in the trace, {c.after} now" for c in self.changes)]


@dataclass(frozen=True)
class Replay:
    """What every semantics says of a trace."""

    trace: Trace
    outcomes: tuple[Outcome, ...]

    @property
    def ok(self) -> bool:
        """Whether every semantics confirms every step and the verdict."""
        return all(outcome.ok for outcome in self.outcomes)

    def lines(self) -> list[str]:
        """The result as text, one semantics after the other."""
        return [line for outcome in self.outcomes for line in outcome.lines()]


def replay(trace: Trace, readings: Sequence[Semantics]) -> Replay:
    """Re-run a trace in every semantics. The semantics must be of the trace's protocol and bounds."""
    return Replay(trace, tuple(_outcome(trace, reading) for reading in readings))


def _outcome(trace: Trace, reading: Semantics) -> Outcome:
    if trace.verdict == NOT_INDUCTIVE:
        found = _assumed_state(trace, reading)
    else:
        found = None if trace.start else _initial_state(trace, reading)
    if found is not None:
        return found
    before = trace.initial
    for number, step in enumerate(trace.steps, start=1):
        found = _step(trace.protocol, reading, number, before, step.instance, step.codes)
        if found is not None:
            return found
        before = step.codes
    reason = not_shown(trace, reading)
    return Outcome(reading.name, not reason, reason=reason)


def _initial_state(trace: Trace, reading: Semantics) -> Outcome | None:
    """Why a trace cannot begin as written; None if it can."""
    try:
        initial = trace.protocol.initial_states()
    except EvaluationError as error:
        return Outcome(reading.name, False, 0, f"the initial states cannot be evaluated: {error}")
    if trace.initial in initial:
        return None
    nearest = min((differences(trace.protocol, trace.initial, codes) for codes in initial), key=len, default=())
    return Outcome(reading.name, False, 0, "state 0 is not an initial state", changes=nearest)


def _assumed_state(trace: Trace, reading: Semantics) -> Outcome | None:
    """Why the first state of a counterexample to induction is none that the lemmas allow; None if it is one."""
    for member in trace.protocol.members("lemma"):
        try:
            holds = bool(evaluated(member.function, trace.protocol.at(trace.initial)))
        except EvaluationError as error:
            return Outcome(reading.name, False, 0, f"the lemma {member.name} cannot be evaluated in state 0: {error}")
        if not holds:
            return Outcome(reading.name, False, 0, f"the lemma {member.name} is false in state 0, so it shows nothing")
    return None


def _step(
    protocol: Protocol, reading: Semantics, number: int, before: Codes, instance: ActionInstance, after: Codes
) -> Outcome | None:
    """Why a step is not possible as written; None if it is."""
    head = f"step {number}, {instance.label},"
    try:
        if not reading.within_constraint(before):
            reason = f"state {number - 1} is outside the constraint of the specification, which is not explored further"
            return Outcome(reading.name, False, number, reason)
        found = reading.taken(before, instance)
    except EvaluationError as error:
        return Outcome(reading.name, False, number, f"{head} cannot be taken in state {number - 1}: {error}")
    if found is None:
        guard, says = _why_not(protocol, before, instance)
        return Outcome(reading.name, False, number, f"{head} is not possible in state {number - 1}{says}", guard)
    if found == after:
        return None
    changes = differences(protocol, after, found)
    return Outcome(reading.name, False, number, f"{head} leads to another state", changes=changes)


def _why_not(protocol: Protocol, before: Codes, instance: ActionInstance) -> tuple[Refusal | None, str]:
    """The guard that refuses a step which a semantics does not take, or else that Python has none."""
    try:
        guard = refusal(protocol, before, instance)
    except EvaluationError as error:
        return None, f"; the Python semantics cannot evaluate it ({error}), so the semantics disagree"
    return guard, "" if guard else "; in the Python semantics it is, so the semantics disagree"


def not_shown(trace: Trace, reading: Semantics) -> str:
    """Why the trace does not show what it claims; "" if it does. A trace with verdict "run" claims nothing."""
    last = trace.states[-1]
    before = trace.states[-2] if trace.steps else None
    member = property_of(trace)
    try:
        if trace.verdict == "error" or (trace.verdict == NOT_INDUCTIVE and not trace.property_id):
            evaluate_the_end(trace, reading)
            return "every rule can be evaluated at the end, although the trace says that one cannot"
        if trace.verdict == "run":
            return ""
        if trace.verdict == DEADLOCK:
            return why_no_deadlock(trace, reading)
        if member is None:
            return f"the specification has no property {trace.property_id!r}"
        if member.mark.kind == "lemma":
            holds = bool(evaluated(member.function, trace.protocol.at(last)))
            return f"{member.name} holds at the end, although the trace says that it does not" if holds else ""
        if member.mark.kind == "leads_to":
            return why_kept(trace, member, reading)
        if trace.verdict == "reached":
            return "" if _witnessed(trace, member, before, last) else f"{member.name} is not reached at the end"
        if member.mark.kind == "action_property":
            if before is None:
                return f"{member.name} is about a step, and the trace has none"
            broken = reading.step_violates(member, before, trace.steps[-1].instance, last)
        else:
            broken = reading.violates(member, last)
    except EvaluationError as error:
        expected = trace.verdict in ("error", NOT_INDUCTIVE)
        return "" if expected else f"the last state cannot be evaluated: {error}"
    return "" if broken else f"{member.name} holds at the end, although the trace says that it does not"


def _witnessed(trace: Trace, member: Member, before: Codes | None, last: Codes) -> bool:
    """Whether a `reachable` property is true of the last state, or of the last step if it takes the new state."""
    if member.function.__code__.co_argcount == 1:
        return bool(evaluated(member.function, trace.protocol.at(last)))
    if before is None:
        return False
    return bool(evaluated(member.function, trace.protocol.at(before), trace.protocol.at(last)))


def evaluate_the_end(trace: Trace, reading: Semantics) -> None:
    """Evaluate every rule at the end of a trace. Raises EvaluationError if one fails."""
    protocol, last = trace.protocol, trace.states[-1]
    if reading.within_constraint(last):
        reading.successors(last)
    reading.violated(last)
    if trace.steps:
        reading.violated_by_step(trace.states[-2], trace.steps[-1].instance, last)
    for member in protocol.members("reachable"):
        _witnessed(trace, member, trace.states[-2] if trace.steps else None, last)
    for member in (*protocol.members("lemma"), *protocol.members("ends")):
        evaluated(member.function, protocol.at(last))
    for member in protocol.members("leads_to"):
        for arguments in itertools.product(*(p.domain.values() for p in protocol.parameters(member.function))):
            reading.promised(member, arguments, last)


# -- shortened --------------------------------------------------------------------------------------------------------
# A run made shorter: steps are left out for as long as what is left is a run and shows the same.
#
# This is delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002) over steps:
# halves are left out, then quarters, down to single steps. At the end none can be left out alone. Another run, of other
# steps, may be shorter still: only a search that goes through all states of a depth can say that none is.

Shows = Callable[[Trace], bool]


def shortened(trace: Trace, reading: Semantics) -> Trace:
    """The trace without steps that it does not need; the fact `shortened_from` is how many states it had.

    What is left begins in the same state, can be taken step by step, and shows at its end what the trace shows: the
    same property violated or reached, or the same rule that fails for the same reason. A run of one state is the
    shortest there is.
    """
    shows = _fails_alike(trace, reading) if trace.verdict == "error" else lambda found: not not_shown(found, reading)
    steps = _fewest(trace, reading, shows) if shows(trace) else trace.steps
    facts = {**trace.facts, "shortest": not steps}
    if len(steps) < len(trace.steps):
        facts["shortened_from"] = trace.length
    return replace(trace, steps=steps, facts=facts)


def _fewest(trace: Trace, reading: Semantics, shows: Shows) -> tuple[Step, ...]:
    """The steps that are left when no part of any size can be left out."""
    steps, size = trace.steps, max(len(trace.steps) // 2, 1)
    while True:
        before, at = len(steps), 0
        while at < len(steps):
            rest = _taken(trace, reading, (*steps[:at], *steps[at + size :]))
            if rest is not None and shows(replace(trace, steps=rest)):
                steps = rest
            else:
                at += size
        if size == 1 and len(steps) == before:
            return steps
        size = max(size // 2, 1)


def _taken(trace: Trace, reading: Semantics, steps: Sequence[Step]) -> tuple[Step, ...] | None:
    """The run that the same steps make from the first state; None if one is impossible, or would be taken outside the
    constraint."""
    now, taken = trace.initial, []
    try:
        for step in steps:
            after = reading.taken(now, step.instance) if reading.within_constraint(now) else None
            if after is None:
                return None
            now = after
            taken.append(Step(step.instance, now))
    except EvaluationError:
        return None
    return tuple(taken)


def _fails_alike(trace: Trace, reading: Semantics) -> Shows:
    """Whether what fails first at the end of a run is what fails first at the end of the trace."""

    def failure(found: Trace) -> tuple[str, str] | None:
        try:
            evaluate_the_end(found, reading)
        except EvaluationError as error:
            return error.message, str(error.where)
        return None

    wanted = failure(trace)
    return lambda found: wanted is not None and failure(found) == wanted
