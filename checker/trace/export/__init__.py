"""Traces as people look at them: a page for the browser, sequence diagrams, a Markdown story, a graph."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from epochal.checker.trace.run import Run

from ..markdown import markdown
from ..mermaid import mermaid
from ..report.html import to_html
from .dot import dot
from .jira import jira
from .plantuml import plantuml
from .sequencediagram import sequencediagram


class Export(Protocol):
    """Makes the whole text of a file, which ends with a line end, of a run."""

    def __call__(self, trace: Run, *, all_fields: bool = False) -> str:
        """The text. Views tell it, or with `all_fields` every field."""


FORMATS: Mapping[str, Export] = MappingProxyType(
    {
        "html": to_html,
        "mermaid": mermaid,
        "plantuml": plantuml,
        "sequencediagram": sequencediagram,
        "markdown": markdown,
        "jira": jira,
        "dot": dot,
    }
)
"""By name."""

__all__ = ["FORMATS", "dot", "jira", "markdown", "mermaid", "plantuml", "sequencediagram", "to_html"]
