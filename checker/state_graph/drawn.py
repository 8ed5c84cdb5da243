"""A state space in DOT, the language of Graphviz (https://graphviz.org/doc/info/lang.html)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from epochal.spec.language.errors import printable

from ..base.numbers import counted
from ..trace.explain import shown_bounds
from ..trace.export.dot import folded, quoted
from .explored import State, StateGraph, Step

# -- words ------------------------------------------------------------------------------------------------------------
# What is written at the states and steps of a graph, the same in every format.


@dataclass(frozen=True)
class Arrow:
    """All steps from one state to another, drawn as one: their labels, and what some of them break."""

    before: int
    after: int
    labels: tuple[str, ...]
    violated: tuple[str, ...]


def title(graph: StateGraph, name: str) -> list[str]:
    """What the graph is, and how to read it."""
    parts = [f"{name}: every state within {shown_bounds(graph.protocol)}", counts(graph)]
    parts += [f"{what} is false in {counted(number, 'place')}" for what, number in graph.violated.items()]
    return [*parts, "a box says what differs from the state from which it was reached first"]


def counts(graph: StateGraph) -> str:
    """`37 states, 54 transitions, 3 terminal states`."""
    ends = counted(len(graph.terminal_states), "terminal state")
    return f"{counted(len(graph.states), 'state')}, {counted(len(graph.steps), 'transition')}, {ends}"


def heading(state: State, graph: StateGraph) -> str:
    """The number of a state, and what it is besides."""
    marks = [
        *(["initial"] if state.parent is None else []),
        *(["terminal state"] if state.number in graph.terminal_states else []),
        *([f"violates {', '.join(state.violated)}"] if state.violated else []),
    ]
    return ", ".join([str(state.number), *marks])


def arrows(steps: Iterable[Step]) -> list[Arrow]:
    """The steps, those between the same two states as one."""
    found: dict[tuple[int, int], list[Step]] = {}
    for step in steps:
        found.setdefault((step.before, step.after), []).append(step)
    return [
        Arrow(
            *ends,
            tuple(dict.fromkeys(step.label for step in taken)),
            tuple(dict.fromkeys(name for step in taken for name in step.violated)),
        )
        for ends, taken in found.items()
    ]


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


# -- graphml ----------------------------------------------------------------------------------------------------------
# A state space in GraphML (http://graphml.graphdrawing.org), which yEd, Gephi and networkx read.


def graphml(graph: StateGraph, name: str) -> str:
    """The graph as GraphML: each step is an edge, and what is said of states and steps is data of them."""
    import networkx

    made = networkx.MultiDiGraph(name=printable(name))
    for state in graph.states:
        made.add_node(
            f"s{state.number}",
            label=printable(heading(state, graph)),
            told=printable("\n".join(state.told), lines=True),
            initial=state.parent is None,
            violated=", ".join(state.violated),
        )
    for number, step in enumerate(graph.steps):
        made.add_edge(
            f"s{step.before}",
            f"s{step.after}",
            key=f"e{number}",
            label=printable(step.label),
            violated=", ".join(step.violated),
        )
    return "\n".join(networkx.generate_graphml(made, named_key_ids=True)) + "\n"
