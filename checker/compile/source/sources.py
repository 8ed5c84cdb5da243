"""The syntax trees of functions, found in the files they were read from.

A function that was not read from a file, because it was made from a changed tree, carries that tree with it.
"""

from __future__ import annotations

import ast
import copy
import linecache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType

from epochal.spec.language import LanguageError
from epochal.spec.language.errors import source_line
from epochal.spec.language.fresh_source import FreshSource

SPECIFICATIONS = Path(__file__).resolve().parents[3] / "spec"

TREE = "__epochal_tree__"
"""The attribute under which a function carries its own syntax tree."""


class Sources:
    """Parses each file once. A tree is given out once, because rewriting changes it; the file is parsed again then."""

    def __init__(self) -> None:
        self._files: dict[str, dict[int, ast.AST]] = {}
        self._codes: dict[str, dict[tuple[str, int], list[CodeType]]] = {}

    def tree(self, function: FunctionType) -> ast.FunctionDef:
        """The syntax tree of a function. Raises LanguageError if there is no source, or it is not a plain function."""
        carried = getattr(function, TREE, None)
        if isinstance(carried, ast.FunctionDef):
            return copy.deepcopy(carried)
        found = self._taken(function.__code__)
        if found is None:
            raise LanguageError(
                f"the source of {function.__name__} is not available",
                source_line(function),
                "It must be a file that is UTF-8 from end to end, and unchanged since it was imported.",
            )
        if not isinstance(found, ast.FunctionDef) or found.name != function.__name__:
            raise LanguageError(
                f"{function.__name__} is not a plain function",
                source_line(function),
                "Write def, without a decorator that puts another function in its place.",
            )
        return found

    def confirm(self, function: FunctionType) -> None:
        """Raise LanguageError if a function does something else than what its source says."""
        code = function.__code__
        if hasattr(function, TREE):
            return
        if code.co_filename not in self._codes:
            self._codes[code.co_filename] = _codes(code.co_filename)
        written = self._codes[code.co_filename].get((code.co_qualname, code.co_firstlineno), [])
        if written and not any(_does_the_same(code, one) for one in written):
            raise LanguageError(
                f"{function.__name__} does something else than what its source says",
                source_line(function),
                "Nothing may put other code in its place.",
            )

    def _taken(self, code: CodeType) -> ast.AST | None:
        """The tree of a function, out of those that were not given out yet."""
        file, line = code.co_filename, code.co_firstlineno
        if line not in self._files.get(file, {}):
            self._files[file] = _functions(file)
        return self._files[file].pop(line, None)


def _codes(file: str) -> dict[tuple[str, int], list[CodeType]]:
    """The code of the functions of a file, by their names and first lines.

    Of Epochal's own specifications Python has kept it; what it has kept of others may be older than the file.
    """
    try:
        kept = Path(file).is_relative_to(SPECIFICATIONS)
        queue = [(SourceFileLoader if kept else FreshSource)("__main__", file).get_code("__main__")]
    except (OSError, ImportError, SyntaxError, ValueError):
        try:
            queue = [compile("".join(linecache.getlines(file)), file, "exec", dont_inherit=True)]
        except (SyntaxError, ValueError):
            queue = []
    found: dict[tuple[str, int], list[CodeType]] = {}
    for code in queue:
        if code is not None:
            found.setdefault((code.co_qualname, code.co_firstlineno), []).append(code)
            queue += [one for one in code.co_consts if isinstance(one, CodeType)]
    return found


def _does_the_same(one: CodeType, other: CodeType) -> bool:
    """Whether two codes of one function are the same but for line numbers."""
    names = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_flags", "co_exceptiontable")
    if any(getattr(one, name) != getattr(other, name) for name in names):
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    for a, b in zip(one.co_consts, other.co_consts, strict=True):
        both = isinstance(a, CodeType) and isinstance(b, CodeType)
        if not (_does_the_same(a, b) if both else _shape(a) == _shape(b)):
            return False
    return True


def _shape(constant: object) -> object:
    """What tells constants apart: True is not 1, and a set has no order."""
    return frozenset(map(_shape, constant)) if isinstance(constant, frozenset) else repr(constant)


def _functions(file: str) -> dict[int, ast.AST]:
    """The functions of a file by their first line, which is that of the first decorator."""
    try:
        module = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:  # the file was changed since it was imported
        return {}
    found: dict[int, ast.AST] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])] = node
        elif isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, node)
    return found
