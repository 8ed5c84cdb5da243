"""A trace as text for https://sequencediagram.org."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..explain import claim, explain, property_of, protocol_name, shown_bounds
from ..for_ever import unrolled
from ..lanes import Arrow, Note, drawn, lanes_of
from ..run import Run


def sequencediagram(trace: Run, all_fields: bool = False, file: str = "") -> str:
    """The diagram: an arrow for each message that arrives, and notes with what is done and what changes.

    Views tell it, or with `all_fields` every field. Raises LanguageError for a view that fails.
    """
    steps = explain(unrolled(trace), all_fields)
    lanes = lanes_of(trace.protocol, steps)
    lines = [
        f"title {_text(f'{protocol_name(trace)}, {shown_bounds(trace.protocol)}: {claim(trace)}')}",
        "",
        *(f"participant {_name(lane)}" for lane in lanes),
        "",
    ]
    for step in steps:
        if trace.closing is not None and step.number == (trace.loop or 0) + 1:
            lines.append("loop for ever")
        arrows, notes = drawn(step, lanes)
        lines += [_arrow(arrow) for arrow in arrows]
        lines += [_note(note, lanes) for note in notes]
    if trace.closing is not None:
        lines.append("end")
    elif trace.loop is not None:
        lines.append(_note(Note((), ("for ever: nothing changes any more",)), lanes))
    if trace.verdict != "run":
        member = property_of(trace)
        lines.append(_note(Note((), (claim(trace), *([member.sentence] if member and member.sentence else []))), lanes))
    return "\n".join(lines) + "\n"


def _arrow(arrow: Arrow) -> str:
    return f"{_name(arrow.sender)}{'-->' if arrow.answers else '->'}{_name(arrow.receiver)}:{_text(arrow.text)}"


def _note(note: Note, lanes: list[str]) -> str:
    over = note.lanes or tuple(dict.fromkeys((lanes[0], lanes[-1])))
    return f"note over {','.join(map(_name, over))}:{_joined(note.lines)}"


def _name(lane: str) -> str:
    """A participant's name; anything but a plain word stands in quotes."""
    return lane if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", lane) else '"' + lane.replace('"', "'") + '"'


def _joined(lines: Sequence[str]) -> str:
    return r"\n".join(_text(line) for line in lines)


def _text(text: str) -> str:
    """Text on one line, with a backslash before what the site reads: doubled `*`, `/`, `-`, `+` and `~`, and tags."""
    text = text.replace("\\", "\\\\").replace("\n", " ").replace("<", "\\<")
    return re.sub(r"([*/+~-])(?=\1)", r"\\\1", text)
