"""What is wrong with the body of a protocol's class: two members of one name, marks on what is no method, odd values.

Python keeps the last of two definitions with one name and says nothing; a guard or a property would be gone.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from .errors import LanguageError, SourceLine, shown_path, source_line
from .marks import mark_of


class Body(dict[str, Any]):
    """The names of a class body while it is run. Raises LanguageError where a method takes the name of another."""

    def __init__(self, owner: str) -> None:
        super().__init__()
        self.owner = owner

    def __setitem__(self, name: str, value: Any) -> None:
        before = self.get(name)
        if type(before) is FunctionType and before is not value and _replaces(before, value):
            first = source_line(before)
            where = source_line(value) if type(value) is FunctionType else being_run(2)
            raise LanguageError(
                f"{self.owner} has two members named {name!r}: the first, in line {first.line}, would vanish",
                where,
                "Give one of them another name, or remove it.",
            )
        super().__setitem__(name, value)


class ProtocolType(type):
    """The class of protocol classes: it watches their bodies."""

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **_: Any) -> Body:
        return Body(name)

    def __new__(cls, name: str, bases: tuple[type, ...], names: dict[str, Any], /, **arguments: Any) -> ProtocolType:
        where = being_run(2, name)
        _refuse_hidden_marks(name, names, where)
        _refuse_odd_values(name, names, where)
        if "__module__" not in names:  # made by a call of type, which takes it from its own caller: this module
            names = {**names, "__module__": sys._getframe(1).f_globals.get("__name__", __name__)}
        return super().__new__(cls, name, bases, names, **arguments)


def being_run(up: int, function: str = "") -> SourceLine:
    """The line that is being run, `up` calls above."""
    frame = sys._getframe(up)
    return SourceLine(shown_path(frame.f_code.co_filename), frame.f_lineno, function or frame.f_code.co_name)


def _replaces(before: FunctionType, value: Any) -> bool:
    """Whether a new value of a name takes away what stood there: another function does, and whatever loses a mark."""
    if type(value) is FunctionType:
        return value.__code__ is not before.__code__ and inspect.unwrap(value) is not before
    return mark_of(before) is not None


def _refuse_hidden_marks(owner: str, names: Mapping[str, Any], where: SourceLine) -> None:
    for name, value in names.items():
        inner = _inside(value)
        mark = mark_of(inner)
        if mark is not None and mark_of(value) is None:
            raise LanguageError(
                f"{owner}.{name} is marked @{mark.kind}, but {type(value).__name__} hides the mark",
                source_line(inner) if type(inner) is FunctionType else where,
                f"Write @{mark.kind} directly above a plain method: def {name}(self, ...).",
            )


def _inside(value: Any) -> Any:
    """The function inside one of the usual wrappers, without running any code of theirs; None if there is none."""
    if type(value) in (staticmethod, classmethod):
        return value.__func__
    if type(value) is property:
        return value.fget
    if type(value) in (functools.partial, functools.partialmethod, functools.cached_property):
        return value.func
    if type(value) is FunctionType or isinstance(value, type):
        return None
    return inspect.getattr_static(value, "__wrapped__", None)


def _refuse_odd_values(owner: str, names: Mapping[str, Any], where: SourceLine) -> None:
    """Raise LanguageError for a `name`, `initial` or `bounds` that is not what these words mean."""
    if "name" in names and type(names["name"]) is not str:
        raise LanguageError(f"the name of {owner} is no text", where, 'Write name = "my-protocol", or leave it out.')
    if "initial" in names:
        found = names["initial"]
        if type(found) is not FunctionType:
            raise LanguageError(
                f"{owner}.initial is no plain method", where, "Write def initial(self): and set the variables there."
            )
        if (
            inspect.isgeneratorfunction(found)
            or inspect.iscoroutinefunction(found)
            or inspect.isasyncgenfunction(found)
        ):
            raise LanguageError(
                f"{owner}.initial is a generator or asynchronous, so calling it sets nothing",
                source_line(found),
                "Write def initial(self): and set the variables there, without yield, async or await.",
            )
    if "bounds" in names and "bounds" not in names.get("__annotations__", {}):
        raise LanguageError(
            f"{owner}.bounds is a value",
            where,
            "Bounds are declared by their class, as an annotation: bounds: MyBounds.",
        )
