"""A trace as text for https://sequencediagram.org."""

from __future__ import annotations

import re

from epochal.checker.trace.explain import ExplainedStep, claim, explain, property_of, protocol_name, shown_bounds
from epochal.checker.trace.run import Run

from ..lanes import lanes_of


def sequencediagram(trace: Run) -> str:
    """The diagram: a message or note for each step, and under it a note with the leaves that changed."""
    steps = explain(trace)
    lanes = lanes_of(trace.protocol, steps)
    lines = [
        f"title {_text(f'{protocol_name(trace)}, {shown_bounds(trace.protocol)}: {claim(trace)}')}",
        "",
        *(f"participant {_name(lane)}" for lane in lanes),
        "",
    ]
    over_all = f"note over {_name(lanes[0])}" + (f",{_name(lanes[-1])}" if len(lanes) > 1 else "")
    for step in steps:
        lines += _step(step, over_all)
    if trace.verdict != "run":
        member = property_of(trace)
        lines.append(f"{over_all}:{_joined([claim(trace), *([member.sentence] if member else [])])}")
    return "\n".join(lines) + "\n"


def _step(step: ExplainedStep, over_all: str) -> list[str]:
    """An arrow from who acts to on whom; a note if there is nobody on the other side."""
    head = f"{step.number}. {step.label}"
    changes = [str(change) for change in step.changes]
    if not step.by:
        return [f"{over_all}:{_joined([head, *changes])}"]
    by, to = _name(step.by), _name(step.to)
    if not step.to:
        return [f"note over {by}:{_joined([head, *changes])}"]
    note = f"note over {by}:" if by == to else f"note over {by},{to}:"
    return [f"{by}->{to}:{_text(head)}", *([note + _joined(changes)] if changes else [])]


def _name(lane: str) -> str:
    """A participant's name; anything but a plain word stands in quotes."""
    return lane if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", lane) else '"' + lane.replace('"', "'") + '"'


def _joined(lines: list[str]) -> str:
    return r"\n".join(_text(line) for line in lines)


def _text(text: str) -> str:
    """Text on one line, with a backslash before what the site reads: doubled `*`, `/`, `-`, `+` and `~`, and tags."""
    text = text.replace("\\", "\\\\").replace("\n", " ").replace("<", "\\<")
    return re.sub(r"([*/+~-])(?=\1)", r"\\\1", text)
