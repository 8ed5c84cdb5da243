"""Values and functions as text that tells them from all others, for keys of what is kept."""

from __future__ import annotations

import dataclasses
import enum
import hashlib
from collections.abc import Iterable
from functools import cached_property
from types import CellType, CodeType, FunctionType, GetSetDescriptorType
from typing import Any
from weakref import WeakKeyDictionary

from epochal.spec.language.bounds import Size

from .engine import Untold

PLAIN = frozenset((type(None), bool, int, float, str))
"""Types of values that say in words all that they are, and never change."""


def code_alone(code: CodeType) -> str:
    """What a code does, wherever it stands."""
    constants = [code_alone(one) if isinstance(one, CodeType) else _constant(one) for one in code.co_consts]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return f"{code.co_code.hex()} {names} {counts} [{'; '.join(constants)}]"


def _constant(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant, value))})"
    return str(sorted(map(_constant, value))) if isinstance(value, frozenset) else repr(value)


def functions_of(value: Any) -> list[FunctionType]:
    """The functions of a method, property, or whatever else a class has of functions."""
    if type(value) is FunctionType:
        return [value]
    if type(value) in PLAIN:
        return []
    parts: list[object]
    if isinstance(value, staticmethod | classmethod):
        parts = [value.__func__]
    elif isinstance(value, property):
        parts = [value.fget, value.fset, value.fdel]
    elif isinstance(value, cached_property):
        parts = [value.func]
    else:
        parts = [value]
    return [part for part in parts if isinstance(part, FunctionType)]


def as_text(value: Any) -> str | None:
    """A value as text; None for what only its source tells."""
    if type(value) in PLAIN:
        return repr(value)
    if functions := functions_of(value):
        return functions_told(value, functions)
    if isinstance(value, enum.Enum):
        return f"{type(value).__module__}.{type(value).__qualname__}.{value.name}"
    if isinstance(value, int | float | str | Size | GetSetDescriptorType):
        return repr(value)
    if type(value).__module__ == "dataclasses":  # what stands for a default that a factory makes
        return type(value).__qualname__
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, tuple | set | frozenset | dict):
        parts = [as_text(part) for part in (value.items() if isinstance(value, dict) else value)]
        known = [part for part in parts if part is not None]
        ordered = known if isinstance(value, tuple) else sorted(known)
        return f"{type(value).__name__}({', '.join(ordered)})" if len(known) == len(parts) else None
    return repr(value) if dataclasses.is_dataclass(value) else None


def functions_told(value: object, functions: list[FunctionType]) -> str:
    """What the functions of a value do, and what kind of method or property it is."""
    return " ".join([type(value).__name__, *map(_function_told, functions)])


_functions: WeakKeyDictionary[FunctionType, tuple[CodeType, object, str, str]] = WeakKeyDictionary()
"""Of functions that have been told before: the code, defaults and module that they had, and what they are told as."""


def _function_told(function: FunctionType) -> str:
    """What a function does. It is remembered of one that depends on nothing but its code and plain defaults."""
    code, defaults, module = function.__code__, function.__defaults__, function.__module__
    named = function.__kwdefaults__
    known = None if named else _functions.get(function)
    if known is not None and known[0] is code and known[1] is defaults and known[2] == module:
        return known[3]
    held = [_held(cell) for cell in function.__closure__ or ()]
    given = [as_text(defaults), as_text(named)]
    if None in given:
        given = [
            _defaults_named(function, function.__defaults__ or ()),
            _defaults_named(function, (named or {}).values()),
        ]
    text = f"{module} {given} {held} {_code_told(code)}"
    if not held and not named and all(type(value) in PLAIN for value in defaults or ()):
        _functions[function] = code, defaults, module, text
    return text


def _defaults_named(function: FunctionType, defaults: Iterable[object]) -> str:
    """Defaults of which some are constants of the module, known by their names there, as a mark for "not said" is."""
    told = []
    for value in defaults:
        names = [name for name, known in function.__globals__.items() if known is value]
        text = as_text(value) or (f"{function.__module__}.{min(names)}" if names else None)
        if text is None:
            raise Untold(f"a default of {function.__qualname__} is not a plain value")
        told.append(text)
    return ", ".join(told)


def _held(cell: CellType) -> str:
    """What a function knows of the function around it. Raises Untold if that is more than other code."""
    try:
        held = cell.cell_contents
    except ValueError as error:
        raise Untold("a function has a name without a value") from error
    text = as_text(held)
    if text is None:
        raise Untold(f"a function holds {held!r}")
    return text


_codes: dict[int, tuple[CodeType, str]] = {}
"""Of codes that have been told before, by their identity: the code itself, which so stays, and what it is told as."""


def _code_told(code: CodeType) -> str:
    """The digest of what a function does, and where it stands. A code never changes."""
    known = _codes.get(id(code))
    if known is None:
        text = _code_written(code)
        known = _codes[id(code)] = (
            code,
            hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest(),
        )
    return known[1]


def _code_written(code: CodeType) -> str:
    constants = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            constants.append(_code_told(constant))
        else:
            constants.append(_constant(constant))
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return f"{code.co_filename}:{code.co_firstlineno} {code.co_code.hex()} {names} [{'; '.join(constants)}]"
