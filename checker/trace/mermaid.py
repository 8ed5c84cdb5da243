"""A trace as a Mermaid sequence diagram (https://mermaid.js.org/syntax/sequenceDiagram), which GitHub renders."""

from __future__ import annotations

import re

from .explain import ExplainedStep, claim, explain, property_of, protocol_name, shown_bounds
from .lanes import lanes_of
from .run import Run

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
KEYWORDS = frozenset(
    (
        *("activate", "actor", "alt", "and", "as", "autonumber", "box", "break", "create", "critical", "deactivate"),
        *("destroy", "details", "else", "end", "left", "link", "links", "loop", "note", "opt", "option", "over", "par"),
        *("participant", "properties", "rect", "right", "title"),
    )
)


def mermaid(trace: Run) -> str:
    """The diagram: a message or note for each step, and under it a note with the leaves that changed."""
    steps = explain(trace)
    lanes = lanes_of(trace.protocol, steps)
    names = _names(lanes)
    lines = [
        "sequenceDiagram",
        f"    %% {_text(protocol_name(trace))}, {shown_bounds(trace.protocol)}: {_text(claim(trace))}",
        *(
            f"    participant {name}" if name == lane else f"    participant {name} as {_text(lane)}"
            for lane, name in names.items()
        ),
    ]
    for step in steps:
        lines += [f"    {line}" for line in _step(step, names)]
    if trace.verdict != "run":
        member = property_of(trace)
        ending = [claim(trace), *([member.sentence] if member else [])]
        lines.append(f"    {_note_over_all(names)}: {_joined(ending)}")
    return "\n".join(lines) + "\n"


def _names(lanes: list[str]) -> dict[str, str]:
    """The name of each lane in the diagram: its own, or a number if some lane is not a plain word or is Mermaid's."""
    if all(PLAIN.fullmatch(lane) and lane.lower() not in KEYWORDS for lane in lanes):
        return {lane: lane for lane in lanes}
    return {lane: f"lane{number}" for number, lane in enumerate(lanes, start=1)}


def _step(step: ExplainedStep, names: dict[str, str]) -> list[str]:
    """An arrow from who acts to on whom; a note if there is nobody on the other side."""
    head = f"{step.number}. {step.label}"
    changes = [str(change) for change in step.changes]
    if not step.by:
        return [f"{_note_over_all(names)}: {_joined([head, *changes])}"]
    by, to = names[step.by], names[step.to] if step.to else ""
    if not to:
        return [f"Note over {by}: {_joined([head, *changes])}"]
    note = f"Note over {by}: " if by == to else f"Note over {by},{to}: "
    return [f"{by}->>{to}: {_text(head)}", *([note + _joined(changes)] if changes else [])]


def _note_over_all(names: dict[str, str]) -> str:
    ends = list(names.values())
    return f"Note over {ends[0]}" if len(ends) == 1 else f"Note over {ends[0]},{ends[-1]}"


def _joined(lines: list[str]) -> str:
    return "<br/>".join(_text(line) for line in lines)


def _text(text: str) -> str:
    """Text without what Mermaid reads: `;` ends a statement, `#` begins a character code, `<` a tag."""
    codes = {"#": "#35;", ";": "#59;", "<": "#lt;", "\n": " "}
    return "".join(codes.get(c, c) for c in text)
