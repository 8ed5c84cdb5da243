"""A trace as plain text: every step with its sentence and source line, and under it what changed."""

from __future__ import annotations

from epochal.spec.language import ActionInstance, EvaluationError
from epochal.spec.language.errors import printable
from epochal.spec.language.views import told_lines

from ..base.numbers import counted
from .explain import (
    ExplainedStep,
    changed_fields,
    claim,
    explain,
    property_of,
    protocol_name,
    sentence,
    shown_bounds,
    told_as,
)
from .for_ever import closing_lines, fair_lines, from_here_on, stuck_lines, waiting_from, why_it_waits
from .run import Codes, Run
from .why import why_false


def story(trace: Run, all_fields: bool = False) -> list[str]:
    """The lines of the story, without colour and without line ends. Views tell it, or with `all_fields` every field.

    Raises LanguageError for a view that fails.
    """
    steps = explain(trace, all_fields)
    failing = _failing_step(trace)
    width = len(str(len(steps) + (failing is not None)))
    count = counted(trace.length, "state")
    lines = [f"{protocol_name(trace)}: {claim(trace)} ({count}; {shown_bounds(trace.protocol)})", ""]
    lines.append(f"{0:>{width}}. {trace.first}")
    lines += _state(trace, trace.initial, width + 4, all_fields)
    since = waiting_from(trace)
    lines += from_here_on(trace, since, 0)
    for step in steps:
        lines.append(f"{step.number:>{width}}. {told_as(step.label, step.sentence)}  [{step.where}]")
        lines += _changes(step, width + 4)
        lines += from_here_on(trace, since, step.number)
    lines += closing_lines(trace, width)
    if failing is not None:
        instance, error = failing
        lines.append(f"{len(steps) + 1}. {told_as(instance.label, sentence(instance))}  [{instance.action.where}]")
        place = f"  [{error.where}]" if error.where is not None else ""
        lines.append(" " * (width + 4) + f"cannot be evaluated: {error.message}{place}")
    return [*lines, "", *_ending(trace, steps, all_fields)]


def _failing_step(trace: Run) -> tuple[ActionInstance, EvaluationError] | None:
    """The step that cannot be evaluated in the last state, and why, if that is what the story is about."""
    if trace.verdict != "error" or trace.property_id or not trace.note:
        return None
    for instance, after in trace.protocol.outcomes(trace.states[-1]):
        if isinstance(after, EvaluationError) and after.message == trace.note:
            return instance, after
    return None


def _state(trace: Run, codes: Codes, indent: int, all_fields: bool) -> list[str]:
    lines = told_lines(trace.protocol, codes, all_fields)
    return [" " * indent + f"{head}: {text}" for head, text in lines.items()]


def _changes(step: ExplainedStep, indent: int) -> list[str]:
    return [" " * indent + str(told) for told in step.told] or [" " * indent + "(nothing changes)"]


def because(trace: Run) -> str:
    """Which values make a violated property false, or a liveness property wait; "" if its source does not tell."""
    member = property_of(trace)
    if trace.loop is not None:
        return why_it_waits(trace)
    if trace.verdict != "violated" or member is None or member.mark.kind == "leads_to":
        return ""
    states = trace.states
    of_step = member.mark.kind == "action_property" and len(states) > 1
    reason = why_false(trace.protocol, member, *(states[-2:] if of_step else states[-1:]))
    return str(reason) if reason else ""


def _ending(trace: Run, steps: list[ExplainedStep], all_fields: bool) -> list[str]:
    """What the trace shows, and the values in the last state that show it."""
    lines: list[str] = []
    member = property_of(trace)
    if trace.verdict != "run":
        lines.append(claim(trace) + (f"  [{member.where}]" if member else ""))
    if member is not None:
        lines += [f"  {member.sentence}"] if member.sentence else []
        lines += [f"  because {reason}"] if (reason := because(trace)) else []
    lines += [f"  {printable(line)}" for line in trace.note.splitlines()]
    lines += [f"  {line}" for line in (*fair_lines(trace), *stuck_lines(trace))]
    if member is not None and member.mark.kind == "action_property" and steps:
        changes = steps[-1].changes if all_fields else changed_fields(trace.protocol, *trace.states[-2:])
        lines.append(f"In the last step, {steps[-1].label}:")
        lines += [f"  {change}" for change in changes] or ["  (nothing changes)"]
    lines.append(f"In state {len(steps)}, the last:")
    return lines + _state(trace, trace.states[-1], 2, all_fields)
