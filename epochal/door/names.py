"""How the protocol of a question is called: by its registered name, or by where its class stands; and its settings."""

from __future__ import annotations

import sys

from epochal.spec.language import Protocol
from epochal.spec.language.configurable import without_settings
from epochal.spec.language.errors import shown_path
from epochal.spec.language.reference import reference_to
from epochal.spec.registry import is_registered, registered


def reference_of(protocol: Protocol) -> str:
    """The name of a protocol as the command line takes it: `kip-320`, `mine.py:Variant`, `kraft --kafka 3.5`.

    Of a class that no name leads to, such as one of a function or a notebook, it is the name it has for people.
    """
    kind = type(protocol)
    return reference_to(_name_of(without_settings(kind)), kind)


def _name_of(kind: type[Protocol]) -> str:
    if ".py:" in kind.name or (is_registered(kind.name) and registered(kind.name) is kind):
        return kind.name
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if file and getattr(module, kind.__name__, None) is kind:
        return f"{shown_path(file)}:{kind.__name__}"
    return kind.name or kind.__qualname__
