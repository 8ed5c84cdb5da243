"""A state space in GraphML (http://graphml.graphdrawing.org), which yEd, Gephi and networkx read."""

from __future__ import annotations

from epochal.spec.language.errors import printable

from .explored import StateGraph
from .words import heading


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
