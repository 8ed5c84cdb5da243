"""A trace as a story in Markdown: what it shows, every step with what it changed, a diagram, how to see it again."""

from __future__ import annotations

import shlex

from epochal.spec.language.errors import printable
from epochal.spec.language.reference import as_options, quoted
from epochal.spec.language.views import told_lines

from ..base.numbers import counted
from .explain import ExplainedStep, claim, explain, property_of, protocol_name, protocol_option, shown_bounds
from .mermaid import mermaid
from .run import NOT_INDUCTIVE, Codes, Run


def markdown(trace: Run, file: str = "TRACE.itf.json", all_fields: bool = False) -> str:
    """The story. `file` is the name of the trace as an ITF file, for the command that replays it.

    Views tell it, or with `all_fields` every field. Raises LanguageError for a view that fails.
    """
    steps = explain(trace, all_fields)
    parts = [f"# {_text(protocol_name(trace))}: {_text(claim(trace))}", ""]
    member = property_of(trace)
    if member is not None:
        parts += [f"> {_text(member.sentence)}", ""] if member.sentence else []
        parts += [f"Property `{member.name}`, {member.where}.", ""]
    if trace.note:
        parts += [_text(printable(trace.note, lines=True)), ""]
    parts += [_within(trace), ""]
    parts += [f"## {trace.first}", "", *_state(trace, trace.initial, all_fields), "", "## Steps", ""]
    for step in steps:
        parts += [*_step(step), ""]
    parts += ["## Last state", "", *_state(trace, trace.states[-1], all_fields), ""]
    parts += ["## Sequence diagram", "", "```mermaid", mermaid(trace, all_fields).rstrip("\n"), "```", ""]
    parts += ["## See it again", "", "```sh", *_commands(trace, file), "```"]
    return "\n".join(parts) + "\n"


def _within(trace: Run) -> str:
    shortest = ", the shortest there is" if trace.facts.get("shortest") is True else ""
    count = counted(trace.length, "state")
    facts = "".join(f"; {name} `{trace.facts[name]}`" for name in ("engine", "seed", "digest") if name in trace.facts)
    return f"Within {shown_bounds(trace.protocol)}: {count}{shortest}{facts}."


def _state(trace: Run, codes: Codes, all_fields: bool) -> list[str]:
    return [f"* `{head}`: {_code(text)}" for head, text in told_lines(trace.protocol, codes, all_fields).items()]


def _step(step: ExplainedStep) -> list[str]:
    indent = " " * (len(str(step.number)) + 2)
    changes = [f"{indent}* {_code(str(told))}" for told in step.told] or [f"{indent}* nothing changes"]
    sentence = "" if step.sentence == step.label else f" {_text(step.sentence)}."
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


def _text(text: str) -> str:
    """Text on one line in which nothing is read as a tag."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\n", " ")
