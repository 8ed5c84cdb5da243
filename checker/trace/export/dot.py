"""A trace as a graph in DOT: its states in a column, and beside each the steps that were possible there as well.

A node for each state one step away would be more exact and could not be read: a run of ten states has hundreds of them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from epochal.spec.language import EvaluationError
from epochal.spec.language.errors import printable
from epochal.spec.language.views import told_lines

from ...semantics.semantics import PythonSemantics, Semantics
from ..explain import claim, protocol_name, shown_bounds, told_between
from ..run import Codes, Run

# -- dot text ---------------------------------------------------------------------------------------------------------
# Text within DOT: quoted so that nothing in it is read, and folded so that a box is no wider than it must be.

WIDE: Final = 44
"""How many characters a line of a box has at most, unless one word is longer."""

LONGEST: Final = 2_000
"""How much of a text a box shows: a picture of more cannot be looked at, and graphviz cannot make one."""


def quoted(lines: Iterable[str], left: bool = True) -> str:
    """Lines as one quoted string, each flush left or in the middle."""
    end = r"\l" if left else r"\n"
    escaped = [_escaped(line) for line in lines]
    return '"' + end.join(escaped) + (end if left and escaped else "") + '"'


def folded(lines: Iterable[str], wide: int = WIDE) -> list[str]:
    """The lines, each of them cut where it is longer than a box is wide, and what follows indented."""
    found = []
    for line in lines:
        text = line if len(line) <= LONGEST else f"{line[:LONGEST]}..., {len(line):,} characters"
        parts = textwrap.wrap(text, wide, subsequent_indent="  ", break_long_words=len(text) > LONGEST)
        found += parts or [""]
    return found


def _escaped(line: str) -> str:
    shown = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in line)
    return shown.replace("\\", "\\\\").replace('"', '\\"')


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
    """The graph as DOT text; the trace is red. The other steps are those of `reading`, by default of Python.

    Views tell the states, or with `all_fields` every field. Raises LanguageError for a view that fails.
    """
    reading = reading or PythonSemantics(trace.protocol)
    lines = [*HEAD, f"  label={quoted(folded([_title(trace)], TITLE))};"]
    remarks = []
    for at, codes in enumerate(trace.states):
        text = folded([f"state {at}", *_told(trace, at, codes, all_fields)])
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


def _title(trace: Run) -> str:
    return f"{protocol_name(trace)}, {shown_bounds(trace.protocol)}: {claim(trace)}"


def _told(trace: Run, at: int, codes: Codes, all_fields: bool) -> list[str]:
    """An initial state as a whole, of another what differs from the one before it."""
    if at == 0:
        return [f"{head}: {text}" for head, text in told_lines(trace.protocol, codes, all_fields).items()]
    changes = told_between(trace.protocol, trace.states[at - 1], codes, all_fields)
    return [str(told) for told in changes] or ["nothing changes"]
