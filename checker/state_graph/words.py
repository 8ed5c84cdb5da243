"""What is written at the states and steps of a graph, the same in every format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..host.numbers import counted
from ..trace.explain import shown_bounds
from .explored import State, StateGraph, Step


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
    """`37 states, 54 steps, 3 dead ends`."""
    ends = counted(len(graph.dead_ends), "dead end")
    return f"{counted(len(graph.states), 'state')}, {counted(len(graph.steps), 'step')}, {ends}"


def heading(state: State, graph: StateGraph) -> str:
    """The number of a state, and what it is besides."""
    marks = [
        *(["initial"] if state.parent is None else []),
        *(["dead end"] if state.number in graph.dead_ends else []),
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
