"""One of Epochal's own specifications as it stands in this process: what it is known by without compiling it.

That is everything that compiling reads of it: the code of its classes and of the modules of `epochal.spec` that they
stand in or use, as it is in this process, and how the paths of their files are shown, its settings and bounds. The
sources themselves are in the digest of the engine. The working folder decides nothing of that. Of anybody else's
specification nothing is told: what its module computes when it is imported, of a file or of the clock, is in no source
file. It is compiled, and known by its meaning.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import CellType, CodeType, FunctionType, GetSetDescriptorType, ModuleType
from typing import Any, Final
from weakref import WeakKeyDictionary

from epochal.spec.language import Protocol
from epochal.spec.language.bounds import Size
from epochal.spec.language.errors import shown_path
from epochal.spec.language.source_text import present_text

from .engine import Untold, folder_of

OWN: Final = "epochal.spec."
MADE_BY_PYTHON: Final = frozenset(("<string>", dataclasses.__file__, enum.__file__))
"""Where the functions stand that data classes and enumerations are given."""
PLAIN = frozenset((type(None), bool, int, float, str))
"""Types of values that say in words all that they are, and never change."""


def written(protocol: Protocol) -> list[str] | None:
    """A protocol within its bounds as text; None if it is not Epochal's own, or not all of it can be told."""
    try:
        told = [repr(protocol.bounds)]
        for kind in type(protocol).__mro__[:-1]:
            told += _class_told(kind)
        for module in _modules(type(protocol)):
            told += module_told(module)
        return told
    except (Untold, RecursionError, OSError):
        return None


_as_in_files: dict[str, tuple[CodeType, ...]] = {}
"""The codes of the modules of a package that were found to be those of its files."""


def as_in_files(package: str) -> bool:
    """Whether the functions of all loaded modules of a package, whose name ends in a dot, do what its files say.

    A module may have been edited and not reloaded, and a function put in another's place.
    """
    modules = [module for name, module in list(sys.modules.items()) if f"{name}.".startswith(package)]
    found = [named for module in modules for named in _named_functions(module)]
    codes = tuple(function.__code__ for _, function in found)
    known = _as_in_files.get(package, ())
    if len(codes) == len(known) and all(one is other for one, other in zip(codes, known, strict=True)):
        return True
    if not all(_is_pythons(function) or _is_in_file(name, function.__code__) for name, function in found):
        return False
    _as_in_files[package] = codes
    return True


def _is_pythons(function: FunctionType) -> bool:
    """Whether Python has made a function, or it is one of the standard library's under its own name."""
    if function.__code__.co_filename in MADE_BY_PYTHON:
        return True
    home = function.__module__ or ""
    standard = home.partition(".")[0] in sys.stdlib_module_names
    return standard and getattr(sys.modules.get(home), function.__name__, None) is function


def _is_in_file(name: str, code: CodeType) -> bool:
    """Whether a function stands under its own name in its file, which is one of Epochal's specifications."""
    text = present_text(code.co_filename) if folder_of("spec") in Path(code.co_filename).resolve().parents else None
    return text is not None and code.co_name in (name, "<lambda>") and text.has(code)


def _named_functions(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    """The functions that a module knows, with their names there: its own, imported ones, and methods of its classes."""
    for name, value in list(vars(module).items()):
        parts = vars(value) if isinstance(value, type) and value.__module__ == module.__name__ else {name: value}
        for key, part in list(parts.items()):
            yield from ((key, function) for function in _functions_of(part))


def _modules(kind: type[Protocol]) -> list[ModuleType]:
    """The modules of `epochal.spec` that the classes of a protocol stand in, or use, by their names."""
    waiting = [one.__module__ for one in kind.__mro__[:-1]]
    found: dict[str, ModuleType] = {}
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if name in found or module is None or not f"{name}.".startswith(OWN):
            continue
        found[name] = module
        for value in vars(module).values():
            used = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(used, str):
                waiting.append(used)
    return [module for _, module in sorted(found.items())]


def _class_told(kind: type) -> Iterator[str]:
    """A class of a protocol and what stands in it. Raises Untold unless it is Epochal's own.

    Settings make classes that no module has: in these stand plain values alone.
    """
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if not kind.__module__.startswith(OWN) or file is None or folder_of("spec") not in Path(file).resolve().parents:
        raise Untold(f"{kind.__qualname__} is not Epochal's")
    written = vars(module).get(kind.__qualname__) is kind
    yield f"{kind.__module__} {kind.__qualname__} {written} {shown_path(file)}"
    for name, value in vars(kind).items():
        text = _told(value)
        if not written and (text is None or _functions_of(value)):
            raise Untold(f"{name} of {kind.__qualname__} is in no source file")
        yield f"{name} {text}"


def module_told(module: ModuleType) -> Iterator[str]:
    """The functions of a module, those of its classes, and its constants as far as they can be told."""
    for name, value in vars(module).items():
        if getattr(value, "__module__", None) == module.__name__ and isinstance(value, type):
            yield name
            for key, part in vars(value).items():
                if functions := _functions_of(part):
                    yield f"{key} {_functions_told(part, functions)}"
        elif isinstance(value, FunctionType):
            yield f"{name} {_told(value)}"
        elif name.isupper() and (text := _told(value)) is not None:
            yield f"{name} {text}"


def _functions_of(value: Any) -> list[FunctionType]:
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


def _told(value: Any) -> str | None:
    """A value as text; None for what only its source tells."""
    if type(value) in PLAIN:
        return repr(value)
    if functions := _functions_of(value):
        return _functions_told(value, functions)
    if isinstance(value, enum.Enum):
        return f"{type(value).__module__}.{type(value).__qualname__}.{value.name}"
    if isinstance(value, int | float | str | Size | GetSetDescriptorType):
        return repr(value)
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, tuple | set | frozenset | dict):
        parts = [_told(part) for part in (value.items() if isinstance(value, dict) else value)]
        known = [part for part in parts if part is not None]
        ordered = known if isinstance(value, tuple) else sorted(known)
        return f"{type(value).__name__}({', '.join(ordered)})" if len(known) == len(parts) else None
    return repr(value) if dataclasses.is_dataclass(value) else None


def _functions_told(value: object, functions: list[FunctionType]) -> str:
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
    given = [_told(defaults), _told(named)]
    if None in given:
        raise Untold(f"a default of {function.__qualname__} is not a plain value")
    text = f"{module} {given} {held} {_code_told(code)}"
    if not held and not named and all(type(value) in PLAIN for value in defaults or ()):
        _functions[function] = code, defaults, module, text
    return text


def _held(cell: CellType) -> str:
    """What a function knows of the function around it. Raises Untold if that is more than other code."""
    try:
        held = cell.cell_contents
    except ValueError as error:
        raise Untold("a function has a name without a value") from error
    text = _told(held)
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
            constants.append(str(sorted(map(repr, constant))) if isinstance(constant, frozenset) else repr(constant))
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return f"{code.co_filename}:{code.co_firstlineno} {code.co_code.hex()} {names} [{'; '.join(constants)}]"
