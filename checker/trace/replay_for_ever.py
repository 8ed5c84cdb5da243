"""Replaying what follows the last step of a run that breaks a promise: the round, and that it is fair."""

from __future__ import annotations

from epochal.spec.language import Member
from epochal.spec.language.protocol import evaluated

from ..fairness import Unit
from ..reading import Reading
from .for_ever import begins, fairness
from .run import Codes, Run


def why_no_deadlock(run: Run, reading: Reading) -> str:
    """Why a run does not end where nothing more happens and should; "" if it does. Raises EvaluationError.

    Whether a promise waits is for a search to say: a run that ends may wait since before its beginning.
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


def why_kept(run: Run, member: Member, reading: Reading) -> str:
    """Why a run does not break a promise, in a reading; "" if it does. Raises EvaluationError."""
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
