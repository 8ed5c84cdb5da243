"""All that a specification's rules may mean once a condition is taken away, or settings are others."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Final

from epochal.spec.language import Protocol

from .engine import Untold
from .telling import as_text, code_alone, functions_of

LANGUAGE: Final = "epochal.spec.language."


def reached(protocol: Protocol) -> list[str] | None:
    """All code that the rules of any protocol may reach by its names, and the plain values that it names, as text.

    That is more than a specification was compiled to: what stands behind a condition that is false, and is brought back
    by a mutant or by other settings. No path is in it. None if a value is named of which nobody can tell what it is.
    """
    kind = type(protocol)
    waiting: list[object] = [
        function
        for owner in kind.__mro__[:-1]
        if not f"{owner.__module__}.".startswith(LANGUAGE)
        for value in vars(owner).values()
        for function in functions_of(value)
    ]
    seen: dict[int, object] = {}
    told: list[str] = []
    try:
        while waiting:
            one = waiting.pop()
            if id(one) in seen:
                continue
            seen[id(one)] = one
            if _is_engine(one):
                continue
            if isinstance(one, FunctionType):
                named = dict(_names(one, kind))
                told.append(f"{one.__qualname__} {code_alone(one.__code__)} {_plain(one.__defaults__)}")
                told += [f"{one.__qualname__} {name} {_plain(value)}" for name, value in sorted(named.items())]
                waiting += named.values()
            elif isinstance(one, type):
                waiting += [function for value in vars(one).values() for function in functions_of(value)]
            else:
                waiting += functions_of(one)
        return sorted(told)
    except Untold:
        return None


def _is_engine(one: object) -> bool:
    """Whether a function or class is of the language or of Python, whose versions are told with the engine."""
    home = getattr(one, "__module__", None) or ""
    return f"{home}.".startswith(LANGUAGE) or home.partition(".")[0] in sys.stdlib_module_names


def _names(function: FunctionType, kind: type) -> Iterator[tuple[str, object]]:
    """What the names of a function mean: globals, what stands in modules and around it, attributes of `kind`."""
    for cell, name in zip(function.__closure__ or (), function.__code__.co_freevars, strict=True):
        with contextlib.suppress(ValueError):
            yield name, cell.cell_contents
    codes = [function.__code__]
    names: list[str] = []
    while codes:
        code = codes.pop()
        codes += [one for one in code.co_consts if isinstance(one, CodeType)]
        names += code.co_names
    modules = [value for name in names if isinstance(value := function.__globals__.get(name), ModuleType)]
    for name in names:
        for number, place in enumerate((function.__globals__, *map(vars, modules))):
            if name in place:
                yield f"{name} {number}", place[name]
        for number, owner in enumerate(kind.__mro__):
            if name in vars(owner):
                yield f"{name} of {number}", vars(owner)[name]


def _plain(value: object) -> str:
    """A value as text without a path; of functions, classes and modules the name, since they are told apart."""
    if functions_of(value) or isinstance(value, type | ModuleType | BuiltinFunctionType):
        return str(getattr(value, "__qualname__", getattr(value, "__name__", type(value).__name__)))
    found = as_text(value)
    if found is None and type(value).__module__.partition(".")[0] in ("typing", "epochal", "types", "builtins"):
        found = repr(value)
    if found is None or " at 0x" in found:
        raise Untold(f"nobody can tell what {value!r} is")
    return found
