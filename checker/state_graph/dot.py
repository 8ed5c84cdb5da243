"""A state space in DOT, the language of Graphviz (https://graphviz.org/doc/info/lang.html)."""

from __future__ import annotations

from typing import Final

from ..trace.export.dot_text import folded, quoted
from .explored import State, StateGraph
from .words import Arrow, arrows, heading, title

HEAD: Final = (
    "digraph states {",
    '  graph [labelloc=t, labeljust=l, fontname="Helvetica", fontsize=14, ranksep=0.4, nodesep=0.25];',
    '  node [shape=box, fontname="Helvetica", fontsize=10, margin="0.08,0.05"];',
    '  edge [fontname="Helvetica", fontsize=9, arrowsize=0.7];',
)
TITLE: Final = 100
"""How many characters a line of the title has at most."""

BAD: Final = 'color="#a40000", fontcolor="#a40000", penwidth=2'


def dot(graph: StateGraph, name: str) -> str:
    """The graph as DOT text. Initial states have a double border, and what breaks a property is red and says so.

    Steps between the same two states are one arrow. `name` is how the protocol is called.
    """
    lines = [*HEAD, f"  label={quoted(folded(title(graph, name), TITLE))};"]
    lines += [_node(state, graph) for state in graph.states]
    lines += [_edge(arrow) for arrow in arrows(graph.steps)]
    return "\n".join([*lines, "}"]) + "\n"


def _node(state: State, graph: StateGraph) -> str:
    marks = ", peripheries=2" if state.parent is None else ""
    marks += f', {BAD}, style=filled, fillcolor="#fbe9e7"' if state.violated else ""
    return f"  s{state.number} [label={quoted(folded([heading(state, graph), *state.told]))}{marks}];"


def _edge(arrow: Arrow) -> str:
    broken = [f"violates {', '.join(arrow.violated)}"] if arrow.violated else []
    label = quoted([" " + line for line in folded([*arrow.labels, *broken])])
    return f"  s{arrow.before} -> s{arrow.after} [label={label}{f', {BAD}' if broken else ''}];"
