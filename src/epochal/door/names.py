"""How the protocol of a question is called: by its registered name, or by where its class stands; and its settings."""

from __future__ import annotations

import sys

from epochal.spec.language import Protocol
from epochal.spec.language.configurable import without_settings
from epochal.spec.language.errors import shown_path
from epochal.spec.language.reference import reference_to
from epochal.spec.registry import is_registered, registered

LOCAL = "<locals>"
"""In the qualified name of a class that a function has made."""


def reference_of(protocol: Protocol) -> str:
    """The name of a protocol as the command line takes it: `kip-320`, `mine.py:Variant`, `kraft --kafka 3.5`.

    Of a class that no name leads to, such as one of a function or a notebook, it is the name it has for people.
    """
    kind = type(protocol)
    return reference_to(name_of(protocol), kind)


def name_of(protocol: Protocol) -> str:
    """The same without its settings: `kip-320`, `mine.py:Variant`, `kraft`."""
    return _name_of(without_settings(type(protocol)))


def can_be_loaded(protocol: Protocol) -> bool:
    """Whether another process would find the same class by the name of this one, and run no script of the user's again.

    A class of the main module it would find by running that script, which asks what this process asks just now.
    """
    if without_settings(type(protocol)).__module__ == "__main__":
        return False
    name = name_of(protocol)
    return is_registered(name) or ".py:" in name


def name_for_people(kind: type[Protocol]) -> None:
    """Let a class have a name: what reports, files and messages call it by.

    One that says no `name` itself gets the one that leads to it, as a class that the command line loads does. Without,
    it would have none, or that of the protocol that it is a variant of.
    """
    own = without_settings(kind)
    before, name = own.name, vars(own).get("name") or _name_of(own)
    for one in (own, kind):
        if one.name == before:
            one.name = name


def _name_of(kind: type[Protocol]) -> str:
    if is_registered(kind.name) and registered(kind.name) is kind:
        return kind.name
    given: str = vars(kind).get("name", "")
    if ".py:" in given:
        return given
    module = sys.modules.get(kind.__module__)
    stands_there = getattr(module, kind.__name__, None) is kind
    file = getattr(module, "__file__", None)
    if file and stands_there:
        return f"{shown_path(file)}:{kind.__name__}"
    if given or not (stands_there or LOCAL in kind.__qualname__):  # made of a class, by a question about it
        return kind.name or kind.__name__
    return kind.__name__
