"""A trace as a PlantUML sequence diagram (https://plantuml.com/sequence-diagram), which Confluence and IDEs draw."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..explain import claim, explain, property_of, protocol_name, shown_bounds
from ..for_ever import unrolled
from ..lanes import Arrow, Note, drawn, lanes_of
from ..run import Run


def plantuml(trace: Run, all_fields: bool = False, file: str = "") -> str:
    """The diagram: an arrow for each message that arrives, and notes with what is done and what changes.

    Views tell it, or with `all_fields` every field. Raises LanguageError for a view that fails.
    """
    steps = explain(unrolled(trace), all_fields)
    lanes = lanes_of(trace.protocol, steps)
    names = {lane: f"lane{number}" for number, lane in enumerate(lanes, start=1)}
    lines = [
        "@startuml",
        f"title {_text(f'{protocol_name(trace)}, {shown_bounds(trace.protocol)}: {claim(trace)}')}",
        *(f'participant "{_quoted(lane)}" as {name}' for lane, name in names.items()),
    ]
    for step in steps:
        if trace.closing is not None and step.number == (trace.loop or 0) + 1:
            lines.append("loop for ever")
        arrows, notes = drawn(step, lanes)
        lines += [_arrow(arrow, names) for arrow in arrows]
        lines += [_note(note, names) for note in notes]
    if trace.closing is not None:
        lines.append("end")
    elif trace.loop is not None:
        lines.append(_note(Note((), ("for ever: nothing changes any more",)), names))
    if trace.verdict != "run":
        member = property_of(trace)
        lines.append(_note(Note((), (claim(trace), *([member.sentence] if member and member.sentence else []))), names))
    return "\n".join([*lines, "@enduml"]) + "\n"


def _arrow(arrow: Arrow, names: dict[str, str]) -> str:
    return f"{names[arrow.sender]} {'-->' if arrow.answers else '->'} {names[arrow.receiver]} : {_text(arrow.text)}"


def _note(note: Note, names: dict[str, str]) -> str:
    if not note.lanes:
        return f"note across : {_joined(note.lines)}"
    return f"note over {', '.join(names[lane] for lane in note.lanes)} : {_joined(note.lines)}"


def _joined(lines: Sequence[str]) -> str:
    return r"\n".join(_text(line) for line in lines)


def _quoted(lane: str) -> str:
    return _text(lane).replace('"', "'")


def _text(text: str) -> str:
    """Text on one line in which nothing is read: tags, escapes, and the doubled signs of Creole are written by code."""
    return re.sub(r"[<~\\]|([*/_\"-])(?=\1)", lambda found: f"<U+{ord(found[0]):04X}>", text.replace("\n", " "))
