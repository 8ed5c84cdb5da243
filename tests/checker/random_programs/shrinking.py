"""Making a found program small: parts are dropped and expressions simplified as long as it stays found.

It works on the syntax tree of any specification file, whoever wrote it. A change that makes another program of it, one
that does not load or that no longer shows the defect, is taken back.
"""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Found = Callable[[str], bool]
SIMPLE = ("0", "1", "True", "False", "None", "Set()", "[]")


@dataclass(frozen=True)
class _Slot:
    """A place of a tree: a field of a node, or an element of the list in that field."""

    parent: ast.AST
    field: str
    index: int | None

    @property
    def node(self) -> ast.AST:
        """What stands there."""
        held = getattr(self.parent, self.field)
        found: ast.AST = held if self.index is None else held[self.index]
        return found

    def put(self, nodes: list[ast.AST]) -> None:
        """Put something else there."""
        if self.index is None:
            (node,) = nodes
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index : self.index + 1] = nodes


def _slots(tree: ast.AST) -> Iterator[_Slot]:
    """All places, from the outside to the inside."""
    todo = [tree]
    while todo:
        following = []
        for parent in todo:
            for field, held in ast.iter_fields(parent):
                if isinstance(held, ast.AST):
                    yield _Slot(parent, field, None)
                    following.append(held)
                elif isinstance(held, list):
                    for index, node in enumerate(held):
                        if isinstance(node, ast.AST):
                            yield _Slot(parent, field, index)
                            following.append(node)
        todo = following


def shrunk(text: str, found: Found, tries: int) -> str:
    """The smallest program that is still found, after so many tries at most."""
    return _Shrinking(text, found, tries).result()


class _Shrinking:
    """One program being made small."""

    def __init__(self, text: str, found: Found, tries: int) -> None:
        self.tree = ast.parse(text)
        self.found, self.tries = found, tries
        self.tried: set[str] = set()

    def result(self) -> str:
        """Shrink until nothing helps."""
        while self.tries > 0:
            before = ast.dump(self.tree)
            self._chunks()
            self._each(_dropped)
            self._each(_unwrapped)
            self._each(_simplified)
            if ast.dump(self.tree) == before:
                break
        return ast.unparse(self.tree) + "\n"

    def _keep(self, tree: ast.AST) -> bool:
        """Take a changed tree over if it is still found."""
        if self.tries <= 0:
            return False
        try:
            text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(text, "shrunk", "exec")
        except (SyntaxError, ValueError, AttributeError, TypeError):
            return False
        if text in self.tried:
            return False
        self.tried.add(text)
        self.tries -= 1
        if not self.found(text):
            return False
        self.tree = ast.parse(text)
        return True

    def _chunks(self) -> None:
        """Drop runs of statements, long ones first."""
        size = 8
        while size > 1:
            at = 0
            while True:
                tree = copy.deepcopy(self.tree)
                bodies = [body for node in ast.walk(tree) if isinstance(body := getattr(node, "body", None), list)]
                runs = [(body, i) for body in bodies for i in range(0, len(body), size) if len(body) > size // 2]
                if at >= len(runs):
                    break
                body, start = runs[at]
                del body[start : start + size]
                if not body:
                    body.append(ast.Pass())
                if not self._keep(tree):
                    at += 1
            size //= 2

    def _each(self, changes: Callable[[_Slot], list[list[ast.AST]]]) -> None:
        """Try the changes of every place."""
        at = 0
        while True:
            slots = list(_slots(self.tree))
            if at >= len(slots) or self.tries <= 0:
                return
            for number in range(len(changes(slots[at]))):
                tree = copy.deepcopy(self.tree)
                slot = next(s for i, s in enumerate(_slots(tree)) if i == at)
                slot.put(changes(slot)[number])
                if self._keep(tree):
                    break
            else:
                at += 1


def _dropped(slot: _Slot) -> list[list[ast.AST]]:
    node = slot.node
    if slot.index is None:
        return []
    if isinstance(node, ast.stmt):
        only = len(getattr(slot.parent, slot.field)) == 1 and slot.field == "body"
        return [] if isinstance(node, ast.Pass) and only else [[ast.Pass()] if only else []]
    held = getattr(slot.parent, slot.field)
    parts = isinstance(slot.parent, ast.BoolOp | ast.Set | ast.List) or slot.field in ("ifs", "decorator_list")
    if isinstance(node, ast.alias) or (parts and (len(held) > 1 or slot.field in ("ifs", "decorator_list"))):
        return [[]]
    return []


def _unwrapped(slot: _Slot) -> list[list[ast.AST]]:
    node = slot.node
    if slot.index is None or not isinstance(node, ast.If | ast.For | ast.While):
        return []
    bodies: list[list[ast.AST]] = [list(body) for body in (node.body, node.orelse) if body]
    return bodies


def _simplified(slot: _Slot) -> list[list[ast.AST]]:
    node = slot.node
    if not isinstance(node, ast.expr) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return []
    if isinstance(slot.parent, ast.FunctionDef | ast.arg | ast.AnnAssign | ast.ClassDef) or slot.field == "func":
        return []
    if slot.field == "value" and isinstance(slot.parent, ast.Attribute | ast.Subscript):
        return []
    simple: list[list[ast.AST]] = []
    if not isinstance(node, ast.Constant | ast.Name):
        parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        parts += [one.value for one in getattr(node, "keywords", [])]
        parts += [part for one in getattr(node, "generators", []) for part in (one.iter, *one.ifs)]
        parts = [
            part for part in parts if not (isinstance(part, ast.Name) and isinstance(node, ast.Attribute | ast.Call))
        ]
        simple += [[copy.deepcopy(part)] for part in parts if isinstance(getattr(part, "ctx", ast.Load()), ast.Load)]
        simple += [[ast.parse(text, mode="eval").body] for text in SIMPLE if text != ast.unparse(node)]
    elif isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value not in (0, 1):
        simple += [[ast.Constant(0)], [ast.Constant(1)]]
    return simple
