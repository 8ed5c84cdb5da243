"""The syntax trees of functions, found in the files they were read from.

A function that was not read from a file, because it was made from a changed tree, carries that tree with it.
"""

from __future__ import annotations

import ast
import copy
from types import FunctionType

from epochal.spec.language import LanguageError, Protocol
from epochal.spec.language.errors import source_line
from epochal.spec.language.functions import function_of, functions_beside, names_in
from epochal.spec.language.source_text import FileText, present_text, source_text

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
