"""A trace as a Mermaid sequence diagram (https://mermaid.js.org/syntax/sequenceDiagram), which GitHub renders."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .explain import claim, explain, property_of, protocol_name, shown_bounds
from .for_ever import unrolled
from .lanes import Arrow, Note, drawn, lanes_of
from .run import Run

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
KEYWORDS = frozenset(
    (
        *("activate", "actor", "alt", "and", "as", "autonumber", "box", "break", "create", "critical", "deactivate"),
        *("destroy", "details", "else", "end", "left", "link", "links", "loop", "note", "opt", "option", "over", "par"),
        *("participant", "properties", "rect", "right", "title"),
    )
)


def mermaid(trace: Run, all_fields: bool = False, file: str = "") -> str:
    """The diagram: an arrow for each message that arrives, and notes with what is done and what changes.

    Views tell it, or with `all_fields` every field. Raises LanguageError for a view that fails.
    """
    steps = explain(unrolled(trace), all_fields)
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
        if trace.closing is not None and step.number == (trace.loop or 0) + 1:
            lines.append("    loop for ever")
        arrows, notes = drawn(step, lanes)
        lines += [f"    {_arrow(arrow, names)}" for arrow in arrows]
        lines += [f"    {_note(note, names)}" for note in notes]
    if trace.closing is not None:
        lines.append("    end")
    elif trace.loop is not None:
        lines.append(f"    {_note(Note((), ('for ever: nothing changes any more',)), names)}")
    if trace.verdict != "run":
        member = property_of(trace)
        ending = [claim(trace), *([member.sentence] if member and member.sentence else [])]
        lines.append(f"    {_note(Note((), tuple(ending)), names)}")
    return "\n".join(lines) + "\n"


def _names(lanes: list[str]) -> dict[str, str]:
    """The name of each lane in the diagram: its own, or a number if some lane is not a plain word or is Mermaid's."""
    if all(PLAIN.fullmatch(lane) and lane.lower() not in KEYWORDS for lane in lanes):
        return {lane: lane for lane in lanes}
    return {lane: f"lane{number}" for number, lane in enumerate(lanes, start=1)}


def _arrow(arrow: Arrow, names: dict[str, str]) -> str:
    return f"{names[arrow.sender]}{'-->>' if arrow.answers else '->>'}{names[arrow.receiver]}: {_text(arrow.text)}"


def _note(note: Note, names: dict[str, str]) -> str:
    every = list(names.values())
    over = [names[lane] for lane in note.lanes] or list(dict.fromkeys((every[0], every[-1])))
    return f"Note over {','.join(over)}: {_joined(note.lines)}"


def _joined(lines: Sequence[str]) -> str:
    return "<br/>".join(_text(line) for line in lines)


def _text(text: str) -> str:
    """Text without what Mermaid reads: `;` ends a statement, `#` begins a character code, `<` a tag."""
    codes = {"#": "#35;", ";": "#59;", "<": "#lt;", "\n": " "}
    return "".join(codes.get(c, c) for c in text)
