"""Questions of one's own: functions of a file, asked of a protocol as if they stood in its class."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import FunctionType
from typing import cast

from .language import LanguageError, Protocol, action_property, invariant
from .language.added import Brought, with_methods
from .language.marks import ASKED, mark_of
from .loading import load_function

PROPERTIES = ("invariant", "action_property", "reachable")


def is_question(text: str) -> bool:
    """Whether a text names a function of a file, and not a property of the protocol."""
    return ".py:" in text


def with_questions(kind: type[Protocol], references: Iterable[str]) -> type[Protocol]:
    """The same protocol with more properties: functions that references such as `mine.py:never_alone` name.

    A function of self is an invariant, one of self and new a property of steps; marked ones are what their mark says.
    The files are imported, and so run. Raises LoadError for a function that does not exist or has a name that stands
    for something already, LanguageError for one that is no property.
    """
    brought: list[Brought] = []
    for reference in references:
        function = cast(FunctionType, load_function(reference))
        name = function.__name__
        if not name.isidentifier():
            raise LanguageError(
                f"{reference} is a lambda, which has no name that a report could say",
                advice=f"Write def {reference.rpartition(':')[2]}(self) -> bool.",
            )
        brought.append(Brought(name, _marked(function, reference), reference))
    return with_methods(kind, brought)


def _marked(function: FunctionType, reference: str) -> FunctionType:
    mark = mark_of(function)
    if mark is None:
        taken = len(inspect.signature(function).parameters)
        if taken not in (1, 2):
            raise LanguageError(
                f"{reference} takes {taken} parameters, and no property does",
                advice=f"Write def {function.__name__}(self) -> bool, or (self, new) for a property of steps.",
            )
        function = (invariant if taken == 1 else action_property)(function)
    elif mark.kind not in PROPERTIES:
        raise LanguageError(f"{reference} is marked @{mark.kind}, which is no property", advice="Mark it @invariant.")
    function.__dict__[ASKED] = reference
    return function
