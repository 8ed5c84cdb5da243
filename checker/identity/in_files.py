"""Whether what runs in this process is what the files of Epochal's specifications say.

Answers that come with the package are found by the text of rules in files. They are of no use in a process in which
other rules run.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Final

from epochal.spec.language.source_text import FileText, present_text

from .engine import folder_of
from .telling import PLAIN, functions_of

MADE_BY_PYTHON: Final = frozenset(("<string>", dataclasses.__file__, enum.__file__))
"""Where the functions stand that data classes and enumerations are given."""


@dataclass(frozen=True)
class _AsFound:
    """Modules that were what their files say: how many names each and each of its classes had, and what it meant by
    those that count; the code and the defaults of each function."""

    sizes: list[tuple[Mapping[str, object], int]]
    values: list[tuple[Mapping[str, object], str, object]]
    functions: list[tuple[FunctionType, CodeType, object]]

    def is_so(self) -> bool:
        """Whether they still are: asked before each answer that is believed, so it is cheap."""
        return (
            all(len(names) == size for names, size in self.sizes)
            and all(names.get(name) is value for names, name, value in self.values)
            and all(one.__code__ is code and one.__defaults__ is given for one, code, given in self.functions)
        )


_as_found: dict[tuple[str, int], _AsFound] = {}


def as_in_files(package: str) -> bool:
    """Whether all loaded modules of a package, whose name ends in a dot, are what their files say.

    A module may have been edited and not reloaded, a function put in another's place, a default or a constant replaced.
    Of constants and defaults the plain ones are looked at.
    """
    names = [name for name in list(sys.modules) if f"{name}.".startswith(package)]
    known = _as_found.get((package, len(names)))
    if known is not None and known.is_so():
        return True
    sizes: list[tuple[Mapping[str, object], int]] = []
    values: list[tuple[Mapping[str, object], str, object]] = []
    functions: list[tuple[FunctionType, CodeType, object]] = []
    for module in (sys.modules[name] for name in names):
        sizes.append((vars(module), len(vars(module))))
        for name, value in _constants(module):
            if not _is_written(module, name, value):
                return False
            values.append((vars(module), name, value))
        if not all(_has_all(node, module) for node in _classes(module)):
            return False
        for owner, place, name, value, parts in _named_functions(module):
            if owner:
                sizes.append((place, len(place)))
            values.append((place, name, value))
            for one in parts:
                if not (_is_pythons(one) or _is_in_file(f"{owner}{name}", one)):
                    return False
                functions.append((one, one.__code__, one.__defaults__))
    _as_found[package, len(names)] = _AsFound(sizes, values, functions)
    return True


def _classes(module: ModuleType) -> list[ast.ClassDef]:
    """The classes that stand in the file of a module."""
    text = present_text(module.__file__ or "")
    return [] if text is None else [node for node in _tree(text).body if isinstance(node, ast.ClassDef)]


def _has_all(node: ast.ClassDef, module: ModuleType) -> bool:
    """Whether a class still has each function that stands in it."""
    found = vars(module).get(node.name)
    names = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    return isinstance(found, type) and names <= vars(found).keys()


def _constants(module: ModuleType) -> list[tuple[str, object]]:
    """The constants of a module that are plain values, and those that it imports."""
    return [(name, value) for name, value in list(vars(module).items()) if name.isupper() and type(value) in PLAIN]


def _is_written(module: ModuleType, name: str, value: object) -> bool:
    """Whether a constant has the value that stands in the file, or that of the module that it was imported from."""
    text = present_text(module.__file__ or "")
    for node in () if text is None else _tree(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return _is_literal(getattr(node, "value", None), value)
        if any(name in _names_in(target) for target in targets):  # of several at once: what is computed is believed
            return True
        if isinstance(node, ast.ImportFrom) and any(one.name == name for one in node.names):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), module.__package__)
            return getattr(sys.modules.get(base), name, None) is value
    return False


def _names_in(target: ast.expr | None) -> set[str]:
    found = ast.walk(target) if isinstance(target, ast.Tuple | ast.List) else ()
    return {one.id for one in found if isinstance(one, ast.Name)}


def _is_literal(node: ast.expr | None, value: object) -> bool:
    """Whether a value is what an expression says; what is computed is taken for what it was computed to."""
    try:
        said = None if node is None else ast.literal_eval(node)
    except ValueError:
        return True
    return type(said) is type(value) and said == value


def _is_pythons(function: FunctionType) -> bool:
    """Whether Python has made a function, or it is one of the standard library's under its own name."""
    if function.__code__.co_filename in MADE_BY_PYTHON:
        return True
    home = function.__module__ or ""
    standard = home.partition(".")[0] in sys.stdlib_module_names
    return standard and getattr(sys.modules.get(home), function.__name__, None) is function


def _is_in_file(name: str, function: FunctionType) -> bool:
    """Whether a function stands under its own name in its file, which is one of Epochal's specifications."""
    code = function.__code__
    text = present_text(code.co_filename) if folder_of("spec") in Path(code.co_filename).resolve().parents else None
    if text is None or not text.has(code) or (code.co_qualname != name and code.co_name != "<lambda>"):
        return False
    given = function.__defaults__ or ()
    said = _defaults(text).get((code.co_name, code.co_firstlineno), ())
    return len(said) == len(given) and all(map(_is_literal, said, given))


@functools.lru_cache(maxsize=512)
def _tree(text: FileText) -> ast.Module:
    return ast.parse(text.text)


@functools.lru_cache(maxsize=512)
def _defaults(text: FileText) -> dict[tuple[str, int], Sequence[ast.expr]]:
    """The defaults of functions that have any, by name and first line."""
    found: dict[tuple[str, int], Sequence[ast.expr]] = {}
    for node in ast.walk(_tree(text)):
        if isinstance(node, ast.FunctionDef | ast.Lambda) and node.args.defaults:
            above = [] if isinstance(node, ast.Lambda) else [one.lineno for one in node.decorator_list]
            found[getattr(node, "name", "<lambda>"), min([node.lineno, *above])] = node.args.defaults
    return found


def _named_functions(
    module: ModuleType,
) -> Iterator[tuple[str, Mapping[str, object], str, object, list[FunctionType]]]:
    """What a module knows of functions: its own, imported ones, and methods of its classes.

    The name of the class with a dot, where each is known, by which name, what it is there, and the functions of that.
    """
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            place = vars(value)
            for key in list(place):
                if found := functions_of(place[key]):
                    yield f"{value.__qualname__}.", place, key, place[key], found
        elif found := functions_of(value):
            yield "", vars(module), name, value, found
        if isinstance(value, type):
            yield "", vars(module), name, value, []
