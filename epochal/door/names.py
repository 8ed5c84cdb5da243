"""How the protocol of a question is called: by its registered name, or by where its class stands."""

from __future__ import annotations

import sys

from epochal.spec.language import Protocol
from epochal.spec.language.errors import shown_path


def reference_of(protocol: Protocol) -> str:
    """The name of a protocol as the command line takes it: `kip-320`, or `mine.py:Variant`."""
    kind = type(protocol)
    if kind.name:
        return kind.name
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return f"{shown_path(file)}:{kind.__qualname__}" if file else kind.__qualname__
