"""The syntax trees of functions, found in the files they were read from."""

from __future__ import annotations

import ast
import linecache
from types import FunctionType

from spec.language import LanguageError
from spec.language.protocol import source_line


class Sources:
    """Parses each file once. A tree is given out once, because rewriting changes it."""

    def __init__(self) -> None:
        self._files: dict[str, dict[int, ast.AST]] = {}

    def tree(self, function: FunctionType) -> ast.FunctionDef:
        """The syntax tree of a function. Raises LanguageError if there is no source, or it is not a plain function."""
        code = function.__code__
        if code.co_filename not in self._files:
            self._files[code.co_filename] = _functions(code.co_filename)
        found = self._files[code.co_filename].get(code.co_firstlineno)
        if found is None:
            raise LanguageError(f"the source of {function.__name__} is not available", source_line(function))
        if not isinstance(found, ast.FunctionDef) or found.name != function.__name__:
            raise LanguageError(f"{function.__name__} is not a plain function", source_line(function))
        return found


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
