"""What a rule names: every attribute and global name that it uses, also through helper methods and functions."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType

from epochal.spec.language import Protocol


def names_reached(kind: type[Protocol], function: FunctionType) -> frozenset[str]:
    """Every attribute and global name that a rule of a protocol uses, also through helper methods and functions.

    It may name too much (an attribute of something else), never too little.
    """
    found: set[str] = set()
    todo = [function]
    while todo:
        now = todo.pop()
        names = {name for code in codes_of(now) for name in code.co_names} - found
        found |= names
        for name in sorted(names):
            methods = [vars(owner).get(name) for owner in kind.__mro__]
            todo += [f for f in map(_function_of, (*methods, now.__globals__.get(name))) if f is not None]
    return frozenset(found)


def codes_of(function: FunctionType) -> Iterator[CodeType]:
    """The code of a function and of all functions and comprehensions inside it."""
    todo = [function.__code__]
    while todo:
        code = todo.pop()
        yield code
        todo += [constant for constant in reversed(code.co_consts) if isinstance(constant, CodeType)]


def _function_of(value: object) -> FunctionType | None:
    """The function behind a method, a static method or a property."""
    for attribute in ("__func__", "fget"):
        value = getattr(value, attribute, value)
    return value if isinstance(value, FunctionType) else None
