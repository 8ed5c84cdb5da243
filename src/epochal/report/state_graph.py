"""A small state space, for people and as JSON."""

from __future__ import annotations

from epochal.checker.command_lines import bounds_as_options
from epochal.checker.state_graph.explored import StateGraph, counts

from .page import Page, Row


def headline(graph: StateGraph, name: str) -> str:
    """How large it is, and what is violated in it."""
    violated = f"; {', '.join(graph.violated)} violated" if graph.violated else ""
    return f"{name}: {counts(graph)}{violated}"


def render_graph(page: Page, graph: StateGraph, said: str) -> None:
    """How large it is, and the first place where each property is false."""
    page.line(said, "bad" if graph.violated else "good")
    page.line(f"bounds: {bounds_as_options(graph.protocol.bounds.as_dict()) or 'none'}", indent=2)
    rows: list[Row] = []
    for name, number in graph.violated.items():
        states = [f"state {one.number}" for one in graph.states if name in one.violated]
        steps = [f"{one.label} from state {one.before}" for one in graph.steps if name in one.violated]
        rows.append((("VIOLATED", "bad"), name, f"{number:,}", (states + steps)[0]))
    if rows:
        page.title("Properties")
        page.table(rows, ("", "PROPERTY", "PLACES", "FIRST"), right=(2,))
