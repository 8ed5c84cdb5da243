"""What a function names, and the functions that it may call by those names, found without running anything.

It may be too much: an attribute of something else may have the same name.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial, partialmethod
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from .errors import SourceLine, shown_path


def names_in(function: FunctionType) -> frozenset[str]:
    """The attributes and globals that a function names, those of functions and comprehensions inside it among them."""
    return frozenset(name for code in codes_of(function) for name in code.co_names)


def codes_of(function: FunctionType) -> Iterator[CodeType]:
    """The code of a function and of all functions and comprehensions inside it."""
    todo = [function.__code__]
    while todo:
        code = todo.pop()
        yield code
        todo += [constant for constant in reversed(code.co_consts) if isinstance(constant, CodeType)]


def functions_beside(function: FunctionType, named: Iterable[str]) -> Iterator[FunctionType]:
    """The functions that one has from elsewhere: of its module, of enclosing scopes, among its defaults.

    And what modules and classes that it knows have under a name that it uses. Functions of the language are no rules.
    """
    names = set(named)
    values = [function.__globals__[name] for name in names & function.__globals__.keys()]
    values += [cell.cell_contents for cell in function.__closure__ or () if cell != CellType()]
    values += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    seen: set[int] = set()
    while values:
        value = values.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        found = function_of(value)
        if found is not None:
            if not found.__module__.startswith(__package__):
                yield found
        elif isinstance(value, ModuleType | type):
            values += [vars(value)[name] for name in names & vars(value).keys()]
        elif isinstance(value, tuple | list | set | frozenset):
            values += value
        elif isinstance(value, dict):
            values += value.values()
        elif isinstance(value, partial | partialmethod):
            values += [value.func, *value.args, *value.keywords.values()]


def function_of(value: object) -> FunctionType | None:
    """The function that is written where a function, a method or a property is; None for anything else."""
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, staticmethod | classmethod | MethodType):
        value = value.__func__
    return value if isinstance(value, FunctionType) else None


# -- class lines ------------------------------------------------------------------------------------------------------
# Where classes and their annotations stand, for messages about them: Python remembers the lines of functions only.


def annotations_in(names: Mapping[str, Any]) -> Mapping[str, Any]:
    """The annotations that stand in the body of a class, by its names.

    From Python 3.14 on they are made when somebody asks; a name that is not known yet is left as it is.
    """
    found = names.get("__annotations__")
    if sys.version_info >= (3, 14) and found is None:
        import annotationlib

        annotate = annotationlib.get_annotate_from_class_namespace(names)
        if annotate is not None:
            return annotationlib.call_annotate_function(annotate, annotationlib.Format.FORWARDREF)
    return found if isinstance(found, dict) else {}


def own_annotations(kind: type) -> Mapping[str, Any]:
    """The annotations that stand in a class itself, not those of its bases."""
    if sys.version_info >= (3, 14) and "__annotations__" not in vars(kind):
        import annotationlib

        return annotationlib.get_annotations(kind, format=annotationlib.Format.FORWARDREF)
    return annotations_in(vars(kind))


def class_line(owner: type) -> SourceLine | None:
    """Where a class stands; None if it was not read from a file."""
    found = _source(owner)
    return SourceLine(found[0], found[1], owner.__name__) if found else None


def annotation_line(owner: type, name: str) -> SourceLine | None:
    """Where a class, or one that it is derived from, annotates a name; None if that is not known."""
    for base in owner.__mro__:
        if name in own_annotations(base) and (found := _source(base)) is not None:
            file, first, lines = found
            for number, line in enumerate(lines, first):
                if re.match(rf"\s+{re.escape(name)}\s*:", line):
                    return SourceLine(file, number, base.__name__)
    return None


def _source(owner: type) -> tuple[str, int, list[str]] | None:
    """The file of a class, its first line and its text."""
    try:
        lines, first = inspect.getsourcelines(owner)
        return shown_path(inspect.getfile(owner)), first, lines
    except (OSError, TypeError, SyntaxError):  # it was made while the program ran, or its file has changed since
        return None
