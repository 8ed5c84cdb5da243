"""A trace as a picture: a sequence diagram for Mermaid, PlantUML or https://sequencediagram.org, or a graph in DOT.

Views tell it, or with `all_fields` every field. A view that fails raises LanguageError.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from epochal.spec.language import EvaluationError, Protocol
from epochal.spec.language.domains import IdentifierDomain
from epochal.spec.language.errors import printable
from epochal.spec.language.views import told_lines

from ..semantics.semantics import PythonSemantics, Semantics
from .explain import (
    ExplainedStep,
    arriving,
    claim,
    explain,
    property_of,
    protocol_name,
    shown_bounds,
    speakers,
    told_between,
)
from .run import Codes, Run
from .why import unrolled

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
KEYWORDS = frozenset(
    (
        *("activate", "actor", "alt", "and", "as", "autonumber", "box", "break", "create", "critical", "deactivate"),
        *("destroy", "details", "else", "end", "left", "link", "links", "loop", "note", "opt", "option", "over", "par"),
        *("participant", "properties", "rect", "right", "title"),
    )
)
"""What Mermaid reads in the place of a name."""
_LINE_END = r"\n"

FIRST = "controller"
LAST = ("producer", "consumer")
WHOLE = "protocol"


@dataclass(frozen=True)
class Arrow:
    """A message from lane to lane; the answer to another one is drawn dashed."""

    sender: str
    receiver: str
    text: str
    answers: bool


@dataclass(frozen=True)
class Note:
    """Lines over one lane or from one lane to another; over all without lanes."""

    lanes: tuple[str, ...]
    lines: tuple[str, ...]


def lanes_of(protocol: Protocol, steps: list[ExplainedStep]) -> list[str]:
    """The lanes from left to right.

    Every identifier that some action of the protocol may act by or on has a lane, whether or not it acts in the trace,
    so that diagrams of one protocol look alike. Other lanes (`controller`, `producer`) are there if a step names them,
    or has words for them; so are those of whom there are several without identifiers (`controller 2`).
    """
    identifiers: dict[str, None] = {}
    sides: set[str] = set()
    for action in protocol.members("action"):
        sides |= {action.mark.by, action.mark.to}
        for parameter in protocol.parameters(action.function):
            if parameter.name in (action.mark.by, action.mark.to) and isinstance(parameter.domain, IdentifierDomain):
                identifiers |= dict.fromkeys(parameter.domain.show(value) for value in parameter.domain.values())
    several = [
        f"{name} {parameter.domain.show(value)}"
        for name, parameter in speakers(protocol).items()
        if name in sides
        for value in parameter.domain.values()
    ]
    acting = dict.fromkeys(lane for step in steps for lane in (step.by, step.to) if lane)
    sides.update(several)
    speaking = dict.fromkeys(told.lane for step in steps for told in step.told if told.lane and told.lane in sides)
    named = [lane for lane in acting | speaking if lane not in identifiers]
    before = [lane for lane in named if lane not in LAST]
    before.sort(key=lambda lane: (lane != FIRST, several.index(lane) if lane in several else len(several)))
    return [*before, *identifiers, *(lane for lane in LAST if lane in named)] or [WHOLE]


def drawn(step: ExplainedStep, lanes: list[str]) -> tuple[list[Arrow], list[Note]]:
    """A step in a diagram: its messages, or a note that says what is done, and notes with what it makes different.

    Words of a lane stand over that lane, fields over who acts and on whom, and words of nobody over all.
    """
    head = f"{step.number}. {step.label}"
    arrows = [
        Arrow(one.sender, one.receiver, f"{head}: {one.name}" if at == 0 else one.name, one.answers)
        for at, one in enumerate(arriving(step.messages))
    ]
    sides = tuple(dict.fromkeys(lane for lane in (step.by, step.to) if lane)) if step.by else ()
    sent = [f"sends {one.name}" for one in step.messages if not one.arrives]
    lines: dict[tuple[str, ...], list[str]] = {} if arrows else {sides: [head, *sent]}
    for told in step.told:
        if told.lane in lanes:
            lines.setdefault((told.lane,), []).extend(told.text.split("; "))
        else:
            lines.setdefault(() if told.lane else sides, []).append(str(told))
    return arrows, [Note(over, tuple(texts)) for over, texts in lines.items()]


def _title(trace: Run) -> str:
    return f"{protocol_name(trace)}, {shown_bounds(trace.protocol)}: {claim(trace)}"


def _told(
    trace: Run, steps: list[ExplainedStep], lanes: list[str], arrow: Callable[[Arrow], str], note: Callable[[Note], str]
) -> list[str]:
    """The steps as arrows and notes, what goes on for ever, and what the trace shows."""
    lines: list[str] = []
    for step in steps:
        if trace.closing is not None and step.number == (trace.loop or 0) + 1:
            lines.append("loop for ever")
        arrows, notes = drawn(step, lanes)
        lines += [*map(arrow, arrows), *map(note, notes)]
    if trace.closing is not None:
        lines.append("end")
    elif trace.loop is not None:
        lines.append(note(Note((), ("for ever: nothing changes any more",))))
    if trace.verdict != "run":
        member = property_of(trace)
        lines.append(note(Note((), (claim(trace), *([member.sentence] if member and member.sentence else [])))))
    return lines


def mermaid(trace: Run, all_fields: bool = False, file: str = "") -> str:
    """A Mermaid diagram (https://mermaid.js.org/syntax/sequenceDiagram), which GitHub renders.

    It has an arrow for each message that arrives, and notes with what is done and what changes.
    """
    steps = explain(unrolled(trace), all_fields)
    lanes = lanes_of(trace.protocol, steps)
    names = _mermaid_names(lanes)

    def arrow(one: Arrow) -> str:
        line = "-->>" if one.answers else "->>"
        return f"{names[one.sender]}{line}{names[one.receiver]}: {_mermaid_text(one.text)}"

    def note(one: Note) -> str:
        over = dict.fromkeys(names[lane] for lane in one.lanes or (lanes[0], lanes[-1]))
        return f"Note over {','.join(over)}: {'<br/>'.join(map(_mermaid_text, one.lines))}"

    lines = [
        f"%% {_mermaid_text(protocol_name(trace))}, {shown_bounds(trace.protocol)}: {_mermaid_text(claim(trace))}",
        *(
            f"participant {name}" if name == lane else f"participant {name} as {_mermaid_text(lane)}"
            for lane, name in names.items()
        ),
        *_told(trace, steps, lanes, arrow, note),
    ]
    return "\n    ".join(["sequenceDiagram", *lines]) + "\n"


def _mermaid_names(lanes: list[str]) -> dict[str, str]:
    """The name of each lane in the diagram: its own, or a number if some lane is not a plain word or is Mermaid's."""
    if all(PLAIN.fullmatch(lane) and lane.lower() not in KEYWORDS for lane in lanes):
        return {lane: lane for lane in lanes}
    return {lane: f"lane{number}" for number, lane in enumerate(lanes, start=1)}


def _mermaid_text(text: str) -> str:
    """Text without what Mermaid reads: `;` ends a statement, `#` begins a character code, `<` a tag."""
    return text.translate({ord("#"): "#35;", ord(";"): "#59;", ord("<"): "#lt;", ord("\n"): " "})


def plantuml(trace: Run, all_fields: bool = False, file: str = "") -> str:
    """A PlantUML diagram (https://plantuml.com/sequence-diagram), which Confluence and IDEs draw."""
    steps = explain(unrolled(trace), all_fields)
    lanes = lanes_of(trace.protocol, steps)
    names = {lane: f"lane{number}" for number, lane in enumerate(lanes, start=1)}

    def arrow(one: Arrow) -> str:
        line = "-->" if one.answers else "->"
        return f"{names[one.sender]} {line} {names[one.receiver]} : {_plantuml_text(one.text)}"

    def note(one: Note) -> str:
        over = f"over {', '.join(names[lane] for lane in one.lanes)}" if one.lanes else "across"
        return f"note {over} : {_LINE_END.join(map(_plantuml_text, one.lines))}"

    lines = [
        "@startuml",
        f"title {_plantuml_text(_title(trace))}",
        *(
            'participant "{}" as {}'.format(_plantuml_text(lane).replace('"', "'"), name)
            for lane, name in names.items()
        ),
        *_told(trace, steps, lanes, arrow, note),
        "@enduml",
    ]
    return "\n".join(lines) + "\n"


def _plantuml_text(text: str) -> str:
    """Text on one line in which nothing is read: tags, escapes, and the doubled signs of Creole are written by code."""
    return re.sub(r"[<~\\]|([*/_\"-])(?=\1)", lambda found: f"<U+{ord(found[0]):04X}>", text.replace("\n", " "))


def sequencediagram(trace: Run, all_fields: bool = False, file: str = "") -> str:
    """A diagram for https://sequencediagram.org."""
    steps = explain(unrolled(trace), all_fields)
    lanes = lanes_of(trace.protocol, steps)

    def arrow(one: Arrow) -> str:
        line = "-->" if one.answers else "->"
        return f"{_name(one.sender)}{line}{_name(one.receiver)}:{_sequencediagram_text(one.text)}"

    def note(one: Note) -> str:
        over = one.lanes or dict.fromkeys((lanes[0], lanes[-1]))
        return f"note over {','.join(map(_name, over))}:{_LINE_END.join(map(_sequencediagram_text, one.lines))}"

    lines = [
        f"title {_sequencediagram_text(_title(trace))}",
        "",
        *(f"participant {_name(lane)}" for lane in lanes),
        "",
        *_told(trace, steps, lanes, arrow, note),
    ]
    return "\n".join(lines) + "\n"


def _name(lane: str) -> str:
    """A participant's name; anything but a plain word stands in quotes."""
    return lane if PLAIN.fullmatch(lane) else '"' + lane.replace('"', "'") + '"'


def _sequencediagram_text(text: str) -> str:
    """Text on one line, with a backslash before what the site reads: doubled `*`, `/`, `-`, `+` and `~`, and tags."""
    text = text.replace("\\", "\\\\").replace("\n", " ").replace("<", "\\<")
    return re.sub(r"([*/+~-])(?=\1)", r"\\\1", text)


# -- dot --------------------------------------------------------------------------------------------------------------
# A trace as a graph in DOT: its states in a column, and beside each the steps that were possible there as well.
#
# A node for each state one step away would be more exact and could not be read: a run of ten states has hundreds of
# them. Text is quoted so that nothing in it is read, and folded so that a box is no wider than it must be.

WIDE: Final = 44
"""How many characters a line of a box has at most, unless one word is longer."""

LONGEST: Final = 2_000
"""How much of a text a box shows: a picture of more cannot be looked at, and graphviz cannot make one."""


def quoted(lines: Iterable[str], left: bool = True) -> str:
    """Lines as one quoted string, each flush left or in the middle."""
    end = r"\l" if left else r"\n"
    escaped = [printable(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + end.join(escaped) + (end if left and escaped else "") + '"'


def folded(lines: Iterable[str], wide: int = WIDE) -> list[str]:
    """The lines, each of them cut where it is longer than a box is wide, and what follows indented."""
    found = []
    for line in lines:
        text = line if len(line) <= LONGEST else f"{line[:LONGEST]}..., {len(line):,} characters"
        parts = textwrap.wrap(text, wide, subsequent_indent="  ", break_long_words=len(text) > LONGEST)
        found += parts or [""]
    return found


HEAD: Final = (
    "digraph run {",
    '  graph [labelloc=t, labeljust=l, fontname="Helvetica", fontsize=14, ranksep=0.3];',
    '  node [shape=box, fontname="Helvetica", fontsize=10, margin="0.08,0.05"];',
    '  edge [fontname="Helvetica", fontsize=10, arrowsize=0.7];',
)
TITLE: Final = 100
"""How many characters a line of the title has at most."""

STATE: Final = 'color="#a40000", penwidth=2'
TAKEN: Final = f'{STATE}, fontcolor="#a40000"'
BESIDE: Final = 'shape=note, color="#808080", fontcolor="#404040"'


@dataclass(frozen=True)
class Choices:
    """What is possible in a state of a trace besides the step that it takes.

    `within` are steps to states of the trace, by their index, `beside` the labels of those to others; `failed` says why
    the steps cannot be evaluated, "" if they can.
    """

    within: tuple[tuple[str, int], ...]
    beside: tuple[str, ...]
    failed: str = ""


def choices(trace: Run, at: int, reading: Semantics) -> Choices:
    """What is possible in the state with an index besides the step that the trace takes there."""
    places = {codes: index for index, codes in reversed(list(enumerate(trace.states)))}
    codes = trace.states[at]
    taken = {(step.instance.label, step.codes) for step in trace.steps[at : at + 1]}
    if trace.closing is not None and trace.loop is not None and at == len(trace.steps):
        taken.add((trace.closing.label, trace.states[trace.loop]))
    try:
        steps = reading.successors(codes) if reading.within_constraint(codes) else []
    except EvaluationError as error:
        return Choices((), (), error.message)
    others = [(instance.label, after) for instance, after in steps if (instance.label, after) not in taken]
    within = tuple((label, places[after]) for label, after in others if after in places)
    return Choices(within, tuple(label for label, after in others if after not in places))


def dot(trace: Run, all_fields: bool = False, file: str = "", *, reading: Semantics | None = None) -> str:
    """The graph as DOT text; the trace is red. The other steps are those of `reading`, by default of Python."""
    reading = reading or PythonSemantics(trace.protocol)
    lines = [*HEAD, f"  label={quoted(folded([_title(trace)], TITLE))};"]
    remarks = []
    for at, codes in enumerate(trace.states):
        text = folded([f"state {at}", *_told_of_state(trace, at, codes, all_fields)])
        lines.append(f"  s{at} [label={quoted(text)}, {STATE}];")
        found = choices(trace, at, reading)
        if found.failed:
            remarks.append(f"the steps from state {at} cannot be evaluated: {found.failed}")
        lines += _beside(at, found)
    remarks += _impossible(trace, reading)
    lines += [
        f"  s{at} -> s{at + 1} [label={quoted([' ' + step.instance.label])}, {TAKEN}];"
        for at, step in enumerate(trace.steps)
    ]
    return "\n".join([*(f"// {printable(remark)}" for remark in remarks), *lines, *_for_ever(trace), "}"]) + "\n"


def _beside(at: int, found: Choices) -> Iterator[str]:
    if found.beside:
        lines = ["also possible:", *folded([", ".join(found.beside)])]
        yield f"  o{at} [label={quoted(lines)}, {BESIDE}];"
        yield f"  s{at} -> o{at} [style=dotted, arrowhead=none];"
        yield f"  {{ rank=same; s{at}; o{at}; }}"
    for label, after in found.within:
        yield f"  s{at} -> s{after} [label={quoted([' ' + label])}];"


def _impossible(trace: Run, reading: Semantics) -> Iterator[str]:
    """What to say of steps of the trace that the semantics does not take."""
    for number, step in enumerate(trace.steps, start=1):
        try:
            possible = reading.taken(trace.states[number - 1], step.instance) == step.codes
        except EvaluationError:
            possible = False
        if not possible:
            yield f"step {number}, {step.instance.label}, is not possible in the {reading.name} semantics"


def _for_ever(trace: Run) -> Iterator[str]:
    if trace.loop is None:
        return
    last = len(trace.steps)
    if trace.closing is not None:
        yield f"  s{last} -> s{trace.loop} [label={quoted([' ' + trace.closing.label])}, {TAKEN}];"
    else:
        ever = quoted([" for ever: nothing changes any more"])
        yield f"  s{last} -> s{last} [label={ever}, {TAKEN}, style=dashed];"


def _told_of_state(trace: Run, at: int, codes: Codes, all_fields: bool) -> list[str]:
    """An initial state as a whole, of another what differs from the one before it."""
    if at == 0:
        return [f"{head}: {text}" for head, text in told_lines(trace.protocol, codes, all_fields).items()]
    changes = told_between(trace.protocol, trace.states[at - 1], codes, all_fields)
    return [str(told) for told in changes] or ["nothing changes"]
