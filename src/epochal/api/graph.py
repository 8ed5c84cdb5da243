"""`epochal.graph`: every reachable state of a small protocol, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.static import diagnose
from epochal.checker.state_graph.explored import LIMIT, StateGraph, explored
from epochal.exit_codes import ExitCode

from .options import reference_of, required
from .result import Result, question

if TYPE_CHECKING:
    from epochal.report.documents import search as documents
    from epochal.report.page import Page
    from epochal.spec.language import Protocol


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
        """What is violated."""
        return sorted(self.violated)

    @property
    def exit_code(self) -> ExitCode:
        """12 if a property is violated."""
        return ExitCode.VIOLATED if self.graph.violated else ExitCode.HOLDS

    @property
    def headline(self) -> str:
        """How large it is, and what is violated in it."""
        from epochal.report.state_graph import headline

        return headline(self.graph, self.reference)

    def to_dot(self) -> str:
        """The graph in DOT, for Graphviz."""
        from epochal.checker.state_graph.explored import dot

        return dot(self.graph, self.reference)

    def to_graphml(self) -> str:
        """The graph in GraphML, for yEd, Gephi and networkx."""
        from epochal.checker.state_graph.explored import graphml

        return graphml(self.graph, self.reference)

    def to_dict(self) -> documents.Graph:
        """The graph as plain data: every state with its fields, every step."""
        from epochal.checker.documents import document
        from epochal.report.documents import search

        return document(search.Graph, self.graph, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write how large it is, and where something is violated."""
        from epochal.report.state_graph import render_graph

        render_graph(page, self.graph, self.headline)
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
