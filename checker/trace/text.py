"""A trace as a story, in plain text, Markdown and the markup of JIRA: every step, and under it what changed.

Views tell it, or with `all_fields` every field. A view that fails raises LanguageError.
"""

from __future__ import annotations

import re
import shlex

from epochal.spec.language import ActionInstance, EvaluationError
from epochal.spec.language.configurable import as_options, quoted
from epochal.spec.language.errors import printable
from epochal.spec.language.views import told_lines

from ..base.numbers import counted
from .diagrams import mermaid
from .explain import (
    ExplainedStep,
    changed_fields,
    claim,
    explain,
    property_of,
    protocol_name,
    protocol_option,
    sentence,
    shown_bounds,
    told_as,
)
from .run import NOT_INDUCTIVE, Codes, Run
from .why import closing_lines, fair_lines, from_here_on, stuck_lines, waiting_from, why_false, why_it_waits


def story(trace: Run, all_fields: bool = False) -> list[str]:
    """The lines of the story, without colour and without line ends."""
    steps = explain(trace, all_fields)
    failing = _failing_step(trace)
    width = len(str(len(steps) + (failing is not None)))
    count = counted(trace.length, "state")
    lines = [f"{protocol_name(trace)}: {claim(trace)} ({count}; {shown_bounds(trace.protocol)})", ""]
    lines.append(f"{0:>{width}}. {trace.first}")
    lines += _state_lines(trace, trace.initial, width + 4, all_fields)
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


def _state_lines(trace: Run, codes: Codes, indent: int, all_fields: bool) -> list[str]:
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
    return lines + _state_lines(trace, trace.states[-1], 2, all_fields)


def markdown(trace: Run, file: str = "TRACE.itf.json", all_fields: bool = False) -> str:
    """The story in Markdown, with a diagram. `file` names the trace as an ITF file, for the command that replays it."""
    steps = explain(trace, all_fields)
    parts = [f"# {_markdown_text(protocol_name(trace))}: {_markdown_text(claim(trace))}", ""]
    member = property_of(trace)
    if member is not None:
        parts += [f"> {_markdown_text(member.sentence)}", ""] if member.sentence else []
        parts += [f"Property `{member.name}`, {member.where}.", ""]
    if trace.note:
        parts += [_markdown_text(printable(trace.note, lines=True)), ""]
    parts += [_within(trace), ""]
    parts += [f"## {trace.first}", "", *_markdown_state(trace, trace.initial, all_fields), "", "## Steps", ""]
    for step in steps:
        parts += [*_step(step), ""]
    parts += ["## Last state", "", *_markdown_state(trace, trace.states[-1], all_fields), ""]
    parts += ["## Sequence diagram", "", "```mermaid", mermaid(trace, all_fields).rstrip("\n"), "```", ""]
    parts += ["## See it again", "", "```sh", *_commands(trace, file), "```"]
    return "\n".join(parts) + "\n"


def _within(trace: Run) -> str:
    shortest = ", the shortest there is" if trace.facts.get("shortest") is True else ""
    count = counted(trace.length, "state")
    facts = "".join(f"; {name} `{trace.facts[name]}`" for name in ("engine", "seed", "digest") if name in trace.facts)
    return f"Within {shown_bounds(trace.protocol)}: {count}{shortest}{facts}."


def _markdown_state(trace: Run, codes: Codes, all_fields: bool) -> list[str]:
    return [f"* `{head}`: {_code(text)}" for head, text in told_lines(trace.protocol, codes, all_fields).items()]


def _step(step: ExplainedStep) -> list[str]:
    indent = " " * (len(str(step.number)) + 2)
    changes = [f"{indent}* {_code(str(told))}" for told in step.told] or [f"{indent}* nothing changes"]
    sentence = "" if step.sentence == step.label else f" {_markdown_text(step.sentence)}."
    return [f"{step.number}. **{_code(step.label)}**{sentence} ({step.where})", "", *changes]


def _commands(trace: Run, file: str) -> list[str]:
    """The commands that find the trace again and replay it, with every bound written out."""
    bounds = "".join(f" {part}" for part in as_options(trace.protocol.bounds.as_dict()))
    replay = f"epochal replay {shlex.quote(file)}{protocol_option(protocol_name(trace))}"
    if trace.verdict == NOT_INDUCTIVE:
        return [f"epochal prove {quoted(protocol_name(trace))}{bounds}", replay]
    if trace.verdict not in ("violated", "reached"):
        return [replay]
    return [f"epochal check {quoted(protocol_name(trace))}{bounds} --property {trace.property_id}", replay]


def _code(text: str) -> str:
    """Text as code, also if it has backquotes in it."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _markdown_text(text: str) -> str:
    """Text on one line in which nothing is read as a tag."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\n", " ")


def jira(trace: Run, all_fields: bool = False, file: str = "") -> str:
    """A trace for a ticket in JIRA: what it shows, a table of its steps, and the story in a box of fixed width."""
    member = property_of(trace)
    lines = [f"h3. {_jira_text(protocol_name(trace))}: {_jira_text(claim(trace))}", ""]
    if member is not None:
        lines += [f"bq. {_jira_text(member.sentence)}", ""] if member.sentence else []
    if reason := because(trace):
        lines += [f"*Because* {_jira_text(reason)}", ""]
    lines += [f"{counted(trace.length, 'state')}, within {_jira_text(shown_bounds(trace.protocol))}.", ""]
    lines.append("||#||step||what is different||")
    for step in explain(trace, all_fields):
        told = r" \\ ".join(_jira_text(str(one)) for one in step.told) or "nothing"
        lines.append(f"|{step.number}|{_jira_text(step.sentence)}|{told}|")
    text = "\n".join(story(trace, all_fields)).replace("{noformat}", "{ noformat }")
    return "\n".join([*lines, "", "{noformat:title=The complete run}", text, "{noformat}"]) + "\n"


def _jira_text(text: str) -> str:
    """Text on one line in which nothing is markup: a backslash stands before every sign that could be."""
    return re.sub(r"([\\{}\[\]|*_\-+^~!?#])", r"\\\1", text.replace("\n", " "))
