"""Candidate lemmas from a file or a module of the user, added to a protocol as if they stood in its class."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import FunctionType, ModuleType

from epochal.spec.former_names import former_names
from epochal.spec.language import LoadError, Protocol
from epochal.spec.language.added import Brought, with_methods
from epochal.spec.language.marks import mark_of
from epochal.spec.loading import import_error, imported_file

FORM = "Write functions marked with @lemma: @lemma / def name(self) -> bool."


def with_candidates(protocol: Protocol, reference: str) -> Protocol:
    """The same protocol at the same bounds, with the lemmas that `reference` names besides its own.

    `reference` is a Python file or a module, whose functions marked with @lemma are meant, or either with `:Class`,
    whose methods are. Raises LoadError, also for a name that stands for something else in the protocol.
    """
    where, separator, name = reference.rpartition(":")
    module = _module(where if separator else reference)
    found = _lemmas(_class(module, name, reference) if separator else vars(module), module if not separator else None)
    if not found:
        raise LoadError(f"{reference} has no candidate lemmas", advice=FORM)
    brought = (Brought(name, function, reference) for name, function in found.items())
    return with_methods(type(protocol), brought)(protocol.bounds)


def _module(reference: str) -> ModuleType:
    if reference.endswith(".py") or "/" in reference:
        return imported_file(reference)
    try:
        with former_names():
            return importlib.import_module(reference)
    except ImportError as error:
        raise LoadError(
            f"there is no module {reference}: {error}", advice="Name a Python file, such as candidates.py, or a module."
        ) from error
    except Exception as error:  # the module is the user's: it may raise anything while it is imported
        raise import_error(error, getattr(error, "filename", None) or reference) from error


def _class(module: ModuleType, name: str, reference: str) -> Mapping[str, object]:
    found = getattr(module, name, None)
    if not isinstance(found, type):
        raise LoadError(f"{reference}: there is no class {name}", advice=FORM)
    members: dict[str, object] = {}
    for owner in reversed(found.__mro__):
        members |= vars(owner)
    return members


def _lemmas(names: Mapping[str, object], module: ModuleType | None) -> dict[str, FunctionType]:
    """The functions among these that are marked as lemmas; of a module, those that it defines itself."""
    return {
        name: value
        for name, value in names.items()
        if isinstance(value, FunctionType)
        and (mark := mark_of(value)) is not None
        and mark.kind == "lemma"
        and (module is None or value.__module__ == module.__name__)
    }
