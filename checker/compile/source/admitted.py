"""What a rule may use of the Python around it: values that never change, and functions that depend on nothing else.

A rule is run once for every state by Python, and once for all of them by the compiler. So whatever has a memory, chance
or operators of its own would mean two things, and is refused.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import enum
import functools
import inspect
import itertools
import math
import operator
import sys
import types
from types import FunctionType
from typing import Any

from epochal.spec.language import Bounds, Identifier, LanguageError, Log, Map, Protocol, Set, Struct
from epochal.spec.language.errors import source_line
from epochal.spec.language.functions import function_of, functions_beside, names_in
from epochal.spec.language.source_text import FileText, present_text, source_text
from epochal.spec.language.values import GENERATED, METACLASSES, overridden

# -- sources ----------------------------------------------------------------------------------------------------------
# The syntax trees of functions, found in the files they were read from. A function that was not read from a file,
# because it was made from a changed tree, carries that tree with it.

TREE = "__epochal_tree__"
"""The attribute under which a function carries its own syntax tree."""


class Sources:
    """Parses each text once. A tree is given out once, because rewriting changes it; the text is parsed again then."""

    def __init__(self) -> None:
        self._trees: dict[FileText, dict[int, ast.AST]] = {}

    def tree(self, function: FunctionType) -> ast.FunctionDef:
        """The syntax tree of the text that a function was compiled from.

        Raises LanguageError if no text is that of its code, or it is not a plain function.
        """
        carried = getattr(function, TREE, None)
        if isinstance(carried, ast.FunctionDef):
            return copy.deepcopy(carried)
        text = source_text(function.__code__)
        found = None if text is None else self._taken(text, function.__code__.co_firstlineno)
        if found is None:
            raise _without_source(function)
        if not isinstance(found, ast.FunctionDef) or found.name != function.__name__:
            raise LanguageError(
                f"{function.__name__} is not a plain function",
                source_line(function),
                "Write def, without a decorator that puts another function in its place.",
            )
        return found

    def _taken(self, text: FileText, line: int) -> ast.AST | None:
        """The tree of a function, out of those that were not given out yet."""
        if line not in self._trees.get(text, {}):
            self._trees[text] = _functions(text)
        return self._trees[text].pop(line, None)


def _without_source(function: FunctionType) -> LanguageError:
    """No text is that of a function: other code was put in its place, its file was edited, or it has no file."""
    now = present_text(function.__code__.co_filename)
    if now is not None and now.at(function.__code__):
        return LanguageError(
            f"{function.__name__} does something else than what its source says",
            source_line(function),
            "Nothing may put other code in its place. If the file was edited since it was imported, import it again.",
        )
    return LanguageError(
        f"the source of {function.__name__} is not available",
        source_line(function),
        "It must be a file that is UTF-8 from end to end. If it was edited since it was imported, import it again.",
    )


def _functions(text: FileText) -> dict[int, ast.AST]:
    """The functions of a text by their first line, which is that of the first decorator."""
    found: dict[int, ast.AST] = {}
    for node in ast.walk(ast.parse(text.text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])] = node
        elif isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, node)
    return found


# -- reached ----------------------------------------------------------------------------------------------------------
# What a rule names: every attribute and global name that it uses, also through helper methods and functions.


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


SCALARS = (bool, int, float, complex, str, bytes, range, type(None), type(...), Identifier)
CONTAINERS = (tuple, list, set, frozenset, Set)
PURE_MODULES = frozenset(
    [
        *("abc", "builtins", "collections", "dataclasses", "enum", "functools", "itertools", "math", "operator"),
        *("types", "typing"),
    ]
)
PURE_BUILTINS = (sorted, divmod, pow, isinstance, issubclass, callable, round)
PURE_OPERATORS = frozenset(
    [
        *("add", "sub", "mul", "floordiv", "mod", "neg", "pos", "abs", "eq", "ne", "lt", "le", "gt", "ge", "not_"),
        *("truth", "and_", "or_", "xor", "is_", "is_not", "contains", "getitem", "index", "indexOf", "countOf"),
    ]
)
ITERATORS = (
    itertools.product,
    itertools.combinations,
    itertools.combinations_with_replacement,
    itertools.permutations,
    itertools.chain,
    itertools.pairwise,
    itertools.zip_longest,
    itertools.islice,
)
READING = frozenset(
    [
        *("keys", "values", "items", "get", "copy", "count", "index", "union", "intersection", "difference"),
        *("symmetric_difference", "issubset", "issuperset", "isdisjoint", "bit_length", "bit_count", "last"),
        *("field_values", "first"),
    ]
)
"""Methods of plain values that change nothing. Those of texts are not among them: rules compute states."""

DEEPEST = 8


def unfit(value: Any, depth: int = 0) -> str:
    """Why a rule cannot use a value that was made outside of it; "" if it can."""
    kind = type(value)
    if kind in SCALARS:
        return ""
    if depth > DEEPEST:
        return f"it is nested more than {DEEPEST} deep"
    if kind in CONTAINERS:
        return _first(value, depth)
    if kind is dict:
        return _first((*value.keys(), *value.values()), depth)
    if isinstance(value, Struct):
        return overridden(kind, Struct) or _first(value.field_values(), depth)
    if isinstance(value, type):
        known = type(value) in METACLASSES or _is_ours(type(value)) or type(value).__module__ in ("typing", "abc")
        return "" if known else "it has a metaclass"
    if isinstance(value, types.ModuleType):
        return impure_module(value.__name__)
    if isinstance(value, types.FunctionType):
        return impure_module(value.__module__)
    if isinstance(value, types.MethodType):
        return unfit(value.__func__, depth + 1) or unfit(value.__self__, depth + 1)
    if isinstance(value, types.BuiltinFunctionType):
        return _unfit_function(value)
    if isinstance(value, functools._lru_cache_wrapper):
        return "it keeps what it has computed, and gives it again"
    return _unfit_object(value, kind, depth)


def _first(values: Any, depth: int) -> str:
    return next((why for value in values if (why := unfit(value, depth + 1))), "")


def impure_module(name: str | None) -> str:
    """Why nothing of a module can be used; "" if it can be. Modules beside the standard library are the user's own."""
    base = (name or "").partition(".")[0]
    harmful = base in sys.stdlib_module_names and base not in PURE_MODULES and base != "__main__"
    return f"the module {base} is not part of the language" if harmful else ""


def _unfit_function(function: Any) -> str:
    """Why a function that is not written in Python cannot be used."""
    owner = function.__self__
    if isinstance(owner, types.ModuleType) or owner is None:
        pure = owner is math or function in PURE_BUILTINS or function in LANGUAGE
        if pure or (function.__module__ == "_operator" and function.__name__ in PURE_OPERATORS):
            return ""
        return f"{function.__name__} is not part of the language: a rule depends on the state alone"
    if isinstance(owner, type) or function.__name__ not in READING:
        return f"{function.__name__} is not part of the language"
    return unfit(owner)


LANGUAGE = frozenset({all, any, min, max, abs, sum, len, next})
"""The built-in functions that the language has itself."""


def _unfit_object(value: Any, kind: type, depth: int) -> str:
    """Why an object of some class cannot be used."""
    if isinstance(value, enum.Enum):
        return unfit_enum(kind)
    if isinstance(value, Log | Map | Protocol) or _is_ours(kind):
        return ""
    if kind.__module__ in ("typing", "types") or isinstance(value, property | staticmethod | classmethod):
        return ""
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return overridden(kind, tuple) or _first(value, depth)
    if any(base in kind.__mro__ for base in (*SCALARS[:6], *CONTAINERS, dict)):
        return f"{kind.__name__} is a {kind.__mro__[1].__name__} with changes of its own"
    if kind.__module__.partition(".")[0] in sys.stdlib_module_names and kind.__module__ != "__main__":
        return f"objects of {kind.__qualname__} have a memory, or are not data"
    return overridden(kind, object)


def unfit_enum(kind: type[enum.Enum]) -> str:
    """Why the members of an enumeration cannot be used."""
    if not all(base in (enum.Enum, object) or issubclass(base, enum.Enum) for base in kind.__mro__):
        return f"{kind.__name__} mixes an enumeration with another type"
    if issubclass(kind, enum.Flag):
        return f"{kind.__name__} has members that are made of others"
    return overridden(kind, enum.Enum)


def _is_ours(kind: type) -> bool:
    """Whether a class belongs to the specification language."""
    return kind.__module__.startswith("epochal.spec.language.")


def constructible(kind: type) -> bool:
    """Whether objects of a class can be made in a rule: nothing but their fields is computed."""
    if issubclass(kind, enum.Enum):
        return not unfit_enum(kind) and not any("_missing_" in vars(owner) for owner in kind.__mro__[:-2])
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        new = getattr(kind.__new__, "__code__", None)
        generated = new is not None and new.co_filename == GENERATED
        return not overridden(kind, tuple) and kind.__init__ is object.__init__ and generated
    if not dataclasses.is_dataclass(kind) or overridden(kind, object) or hasattr(kind, "__post_init__"):
        return False
    made = getattr(kind.__init__, "__code__", None)
    factories = [field.default_factory for field in dataclasses.fields(kind)]
    plain = all(factory in (dataclasses.MISSING, list, dict, set, tuple, frozenset) for factory in factories)
    plain = plain and (
        issubclass(kind, Bounds) or not any(_is_computed(kind, field.name) for field in dataclasses.fields(kind))
    )
    return plain and kind.__new__ is object.__new__ and made is not None and made.co_filename == GENERATED


def _is_computed(kind: type, name: str) -> bool:
    """Whether storing a field calls something."""
    found = inspect.getattr_static(kind, name, None)
    return hasattr(type(found), "__set__") and not inspect.ismemberdescriptor(found)


PURE_FUNCTIONS = frozenset(
    {*PURE_BUILTINS, *(vars(operator)[name] for name in PURE_OPERATORS)}
    | {f for f in vars(math).values() if isinstance(f, types.BuiltinFunctionType)}
)
