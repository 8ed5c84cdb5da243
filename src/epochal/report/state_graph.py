"""A small state space, for people and as JSON."""

from __future__ import annotations

from epochal.checker.base.version import TOOL, tool_version
from epochal.checker.command_lines import bounds_as_options
from epochal.checker.state_graph.drawn import counts
from epochal.checker.state_graph.explored import StateGraph
from epochal.exit_codes import ExitCode
from epochal.spec.language.configurable import configuration_of
from epochal.spec.language.display import shown_leaves

from .documents import search
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


def graph_document(graph: StateGraph, reference: str, exit_code: ExitCode) -> search.Graph:
    """The graph as plain data."""
    protocol = graph.protocol
    return {
        "tool": TOOL,
        "version": tool_version(),
        "exit_code": exit_code,
        "protocol": str(protocol.name),
        "reference": reference,
        "configuration": configuration_of(protocol),
        "bounds": protocol.bounds.as_dict(),
        "states": [
            {
                "number": state.number,
                "parent": state.parent,
                "told": list(state.told),
                "fields": {path: str(text) for path, text in shown_leaves(protocol, state.codes).items()},
                "violated": list(state.violated),
            }
            for state in graph.states
        ],
        "steps": [
            {"from": step.before, "to": step.after, "action": step.label, "violated": list(step.violated)}
            for step in graph.steps
        ],
    }
