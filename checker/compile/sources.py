"""The syntax trees of functions, found in the files they were read from.

A function that was not read from a file, because it was made from a changed tree, carries that tree with it.
"""

from __future__ import annotations

import ast
import copy
import linecache
from types import CodeType, FunctionType

from spec.language import LanguageError
from spec.language.errors import source_line

TREE = "__epochal_tree__"
"""The attribute under which a function carries its own syntax tree."""


class Sources:
    """Parses each file once. A tree is given out once, because rewriting changes it; the file is parsed again then."""

    def __init__(self) -> None:
        self._files: dict[str, dict[int, ast.AST]] = {}

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
            raise LanguageError(f"{function.__name__} is not a plain function", source_line(function))
        return found

    def _taken(self, code: CodeType) -> ast.AST | None:
        """The tree of a function, out of those that were not given out yet."""
        file, line = code.co_filename, code.co_firstlineno
        if line not in self._files.get(file, {}):
            self._files[file] = _functions(file)
        return self._files[file].pop(line, None)


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
