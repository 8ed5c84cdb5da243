"""Traces in formats that people look at: sequence diagrams, a Markdown story, a graph of the neighbourhood."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from epochal.checker.trace.run import Run

from ..markdown import markdown
from ..mermaid import mermaid
from .dot import dot
from .sequencediagram import sequencediagram

FORMATS: Mapping[str, Callable[[Run], str]] = MappingProxyType(
    {"mermaid": mermaid, "sequencediagram": sequencediagram, "markdown": markdown, "dot": dot}
)
"""By name: each makes the whole text of a file, which ends with a line end."""

__all__ = ["FORMATS", "dot", "markdown", "mermaid", "sequencediagram"]
