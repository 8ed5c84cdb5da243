"""Protocols by name: what `epochal.load` and `epochal.protocols` give."""

from __future__ import annotations

import dataclasses
from typing import Any

from .language import BoundsError, Protocol
from .language.configurable import settings_of, with_configuration
from .language.suggestions import advice
from .loading import load_protocol
from .registry import REGISTRY


def protocols() -> tuple[str, ...]:
    """The names under which `load` finds protocols, in the order of the documentation."""
    return tuple(REGISTRY)


def load(reference: str, **given: object) -> Protocol:
    """A protocol within bounds: `load("kip-320", replicas=3)`, `load("kraft", kafka="4.1")`, `load("mine.py:Mine")`.

    `reference` is a registered name or a class in a file, which is imported and so runs. `given` are bounds and, of a
    protocol that has them, settings; what is not named has its default. Raises LoadError for what cannot be found,
    BoundsError for what it does not have or allow, LanguageError for what is outside the language, TypeError
    for a reference that is no text.
    """
    if not isinstance(reference, str):
        raise TypeError(f"load takes a name such as 'kip-320' or 'mine.py:Mine', not {reference!r}")
    kind = load_protocol(reference)
    settings = {name: value for name, value in given.items() if name in settings_of(kind)}
    kind = with_configuration(kind, settings)
    known = [field.name for field in dataclasses.fields(kind.bounds_type())]
    bounds: dict[str, Any] = {name: value for name, value in given.items() if name not in settings}
    for name in bounds:
        if name not in known:
            told = advice(name, [*known, *settings_of(kind)], "bounds and settings")
            raise BoundsError(f"{name} is no bound and no setting of {reference}", advice=told)
    return kind(**bounds)
