"""What a rule names: every attribute and global name that it uses, also through helper methods and functions."""

from __future__ import annotations

from types import FunctionType

from epochal.spec.language import Protocol
from epochal.spec.language.functions import function_of, functions_beside, names_in


def names_reached(kind: type[Protocol], function: FunctionType) -> frozenset[str]:
    """Every attribute and global name that a rule of a protocol uses, also through helper methods and functions.

    It may name too much (an attribute of something else), never too little. A name may mean one function here and
    another there, so functions are what is gone through once.
    """
    found: set[str] = set()
    visited: set[FunctionType] = set()
    todo = [function]
    while todo:
        now = todo.pop()
        if now in visited:
            continue
        visited.add(now)
        names = names_in(now)
        found |= names
        methods = (function_of(vars(owner).get(name)) for name in names for owner in kind.__mro__)
        todo += [method for method in methods if method is not None]
        todo += functions_beside(now, names)
    return frozenset(found)
