"""The formats to which a trace can be exported. A new format takes a function and a line here.

The functions are named as text, so that a list of the formats imports none of them. Each takes a run, and `file`: what
the trace's own file is called in the text. `all_fields` tells every field of a state instead of the protocol's views.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from .run import Run

FORMATS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "html": "epochal.checker.trace.report.html:to_html",
        "mermaid": "epochal.checker.trace.diagrams:mermaid",
        "plantuml": "epochal.checker.trace.diagrams:plantuml",
        "sequencediagram": "epochal.checker.trace.diagrams:sequencediagram",
        "markdown": "epochal.checker.trace.text:markdown",
        "jira": "epochal.checker.trace.text:jira",
        "dot": "epochal.checker.trace.diagrams:dot",
    }
)
"""The module and the function of each format, by its name."""


def exported(run: Run, name: str, *, file: str = "", all_fields: bool = False) -> str:
    """Return a run in a format: the text of a whole file, which ends with a line end. Raises KeyError for no format."""
    module, _, function = FORMATS[name].partition(":")
    write: Callable[..., str] = getattr(importlib.import_module(module), function)
    return write(run, file=file, all_fields=all_fields)
