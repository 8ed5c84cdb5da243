"""`epochal.graph`: every reachable state of a small protocol, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from epochal.checker.command_lines import bounds_as_options
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.static import diagnose
from epochal.checker.documents import document
from epochal.checker.state_graph.explored import LIMIT, StateGraph, counts, dot, explored, graphml
from epochal.exit_codes import ExitCode
from epochal.report import documents
from epochal.report.page import Page, Row
from epochal.spec.language import Protocol

from .options import reference_of, required
from .result import Result, question


@dataclass(frozen=True, repr=False)
class GraphResult(Result):
    """A whole state space. `graph` has its states and steps."""

    graph: StateGraph
    reference: str

    @property
    def violated(self) -> AbstractSet[str]:
        """The ids of the properties that are false in a state or for a step."""
        return frozenset(self.graph.violated)

    @property
    def findings(self) -> list[str]:
        return sorted(self.violated)

    @property
    def exit_code(self) -> ExitCode:
        """12 if a property is violated."""
        return ExitCode.VIOLATED if self.graph.violated else ExitCode.HOLDS

    @property
    def headline(self) -> str:
        """How large it is, and what is violated in it."""
        violated = f"; {', '.join(self.graph.violated)} violated" if self.graph.violated else ""
        return f"{self.reference}: {counts(self.graph)}{violated}"

    def to_dot(self) -> str:
        """The graph in DOT, for Graphviz."""
        return dot(self.graph, self.reference)

    def to_graphml(self) -> str:
        """The graph in GraphML, for yEd, Gephi and networkx."""
        return graphml(self.graph, self.reference)

    def to_dict(self) -> documents.Graph:
        """The graph as plain data: every state with its fields, every step."""
        return document(documents.Graph, self.graph, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write how large it is, and where something is violated."""
        page.line(self.headline, "bad" if self.graph.violated else "good")
        page.line(f"bounds: {bounds_as_options(self.graph.protocol.bounds.as_dict()) or 'none'}", indent=2)
        rows: list[Row] = []
        for name, number in self.graph.violated.items():
            states = [f"state {one.number}" for one in self.graph.states if name in one.violated]
            steps = [f"{one.label} from state {one.before}" for one in self.graph.steps if name in one.violated]
            rows.append((("VIOLATED", "bad"), name, f"{number:,}", (states + steps)[0]))
        if rows:
            page.title("Properties")
            page.table(rows, ("", "PROPERTY", "PLACES", "FIRST"), right=(2,))
        page.written(files)


@question
def graph(
    protocol: Protocol, *, limit: int = LIMIT, all_fields: bool = False, reference: str | None = None
) -> GraphResult:
    """Every reachable state of a protocol within its bounds with every step, for a picture: `graph(p).to_dot()`.

    Each state says what differs from the one from which it was reached first, in the words of views, or with
    `all_fields` in every field.

    Raises UsageError for what is no protocol, or has more than `limit` states: nobody reads a picture of many.
    Raises LanguageError for rules outside the language, which need not end, or that fail a static check.
    """
    protocol = required(protocol, "graph")
    diagnose(compile_protocol(protocol))
    return GraphResult(explored(protocol, limit, all_fields), reference or reference_of(protocol))
