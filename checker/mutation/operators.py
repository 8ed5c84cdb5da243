"""What a mutant takes away from a rule. Every edit is written down as the nodes of the rule's syntax tree it concerns.

The operators, in the order in which they are tried on a function:

* `drop require #2`: the second `require` of the function is gone.
* `drop all requires`: every `require` of the function is gone, if there are several. Two guards that imply each other
  survive one by one, and not together.
* `drop require #2 conjunct #1`: an operand of an `and` anywhere inside that `require` is gone.
* `drop conjunct #3`: an operand of an `and` elsewhere: in what a helper returns, in the test of an `if`.
* `drop truncation #1`: a statement `....truncate(...)`, or one that writes a whole log at once, is gone.
* `epoch comparison #1 is true`: a comparison of something that is named after an epoch is replaced by true.

Two edits that leave the same text are one mutant, with the name of the first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from epochal.spec.language import bounded, require

NAMES = ("require", "bounded")
"""How guards are written."""


@dataclass(frozen=True)
class Edit:
    """One change of a function.

    Nodes are given by their place in `ast.walk` of the function: `made_true` are replaced by true (and what this leaves
    is simplified), `removed` are statements that are left out, and `renamed` are calls that go to another function.
    """

    label: str
    line: int
    text: str
    made_true: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    renamed: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class LogNames:
    """How a protocol calls its logs: variables and fields that are logs, and maps whose values are logs."""

    logs: frozenset[str]
    maps: frozenset[str]


def edited(tree: ast.FunctionDef, edit: Edit) -> ast.FunctionDef:
    """The function after an edit; the given tree is not changed."""
    made = _copied(tree)
    nodes = list(ast.walk(made))
    for index, name in edit.renamed.items():
        called = nodes[index]
        assert isinstance(called, ast.Call)
        if isinstance(called.func, ast.Attribute):
            called.func.attr = name
        else:
            called.func = ast.copy_location(ast.Name(name, ast.Load()), called.func)
    gone = {id(nodes[index]) for index in edit.removed}
    true = {id(nodes[index]) for index in edit.made_true}
    result = _Remover(gone, true).visit(made)
    assert isinstance(result, ast.FunctionDef)
    return ast.fix_missing_locations(result)


def _copied(node: Any) -> Any:
    """A copy of a tree with its places, for which `copy.deepcopy` takes five times as long."""
    if isinstance(node, list):
        return [_copied(one) for one in node]
    if not isinstance(node, ast.AST):
        return node
    made = type(node)()
    made.__dict__.update((name, _copied(value)) for name, value in node.__dict__.items())
    return made


class _Remover(ast.NodeTransformer):
    """Leaves out statements, makes expressions true, and simplifies the `and`s and `require`s around them."""

    def __init__(self, gone: set[int], true: set[int]) -> None:
        self.gone, self.true = gone, true

    def visit(self, node: ast.AST) -> ast.AST | None:
        if id(node) in self.gone:
            return None
        if id(node) in self.true:
            return ast.copy_location(ast.Constant(True), node)
        result: ast.AST | None = super().visit(node)
        body = getattr(result, "body", None)
        if isinstance(result, ast.stmt) and body == []:
            result.body = [ast.copy_location(ast.Pass(), result)]  # type: ignore[attr-defined]  # it has one
        return result

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.And):
            node.values = [value for value in node.values if not _is_true(value)]
            if len(node.values) < 2:
                return node.values[0] if node.values else ast.copy_location(ast.Constant(True), node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        self.generic_visit(node)
        call = node.value
        bare = isinstance(call, ast.Call) and _name(call.func) in NAMES and len(call.args) == 1
        return None if bare and isinstance(call, ast.Call) and _is_true(call.args[0]) else node


class _Reader:
    """Finds the edits of one function."""

    def __init__(
        self, function: FunctionType, tree: ast.FunctionDef, logs: LogNames, run: frozenset[int] | None = None
    ) -> None:
        self.function, self.tree, self.logs = function, tree, logs
        self.nodes = list(ast.walk(tree))
        self.place = {id(node): index for index, node in enumerate(self.nodes)}
        self.requires = requires_of(function, tree)
        self.together = [guard for guard in self.requires if run is None or self.place[id(guard.args[0])] in run]

    def weakenings(self) -> Iterator[Edit]:
        """The edits that take away a guard or a part of one."""
        for number, guard in enumerate(self.requires, start=1):
            yield self.true(f"drop require #{number}", guard.args[0])
        if len(self.together) > 1:
            parts = tuple(self.place[id(guard.args[0])] for guard in self.together)
            text = "; ".join(ast.unparse(guard.args[0]) for guard in self.together)
            yield Edit("drop all requires", self.together[0].lineno, text, made_true=parts)
        inside: set[int] = set()
        for number, guard in enumerate(self.requires, start=1):
            inside |= {id(node) for node in ast.walk(guard)}
            for part, conjunct in enumerate(conjuncts(guard), start=1):
                yield self.true(f"drop require #{number} conjunct #{part}", conjunct)
        others = [conjunct for conjunct in conjuncts(self.tree) if id(conjunct) not in inside]
        for number, conjunct in enumerate(others, start=1):
            yield self.true(f"drop conjunct #{number}", conjunct)
        compared = [node for node in in_order(self.tree) if isinstance(node, ast.Compare) and _of_epochs(node)]
        for number, comparison in enumerate(compared, start=1):
            yield self.true(f"epoch comparison #{number} is true", comparison)

    def truncations(self) -> Iterator[Edit]:
        """The edits that leave out a truncation."""
        found = [node for node in in_order(self.tree) if isinstance(node, ast.stmt) and self.truncates(node)]
        for number, statement in enumerate(found, start=1):
            place = self.place[id(statement)]
            text = ast.unparse(statement)
            yield Edit(f"drop truncation #{number}", statement.lineno, text, removed=(place,))

    def true(self, label: str, node: ast.expr) -> Edit:
        """The edit that makes an expression true."""
        return Edit(label, node.lineno, ast.unparse(node), made_true=(self.place[id(node)],))

    def truncates(self, statement: ast.stmt) -> bool:
        """Whether a statement shortens a log, or may: it writes a whole one."""
        if isinstance(statement, ast.Expr):
            call = statement.value
            return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "truncate"
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        return any(self.is_log(target) for target in targets)

    def is_log(self, target: ast.expr) -> bool:
        """Whether what is assigned is a whole log."""
        if isinstance(target, ast.Subscript):
            return isinstance(target.value, ast.Attribute) and target.value.attr in self.logs.maps
        return isinstance(target, ast.Attribute) and target.attr in self.logs.logs


def edits(
    function: FunctionType, tree: ast.FunctionDef, logs: LogNames, run: frozenset[int] | None = None
) -> list[Edit]:
    """Every edit of a function, in the order of the operators, each text once.

    `run` are the places of the nodes that are ever run, if that is known: all requires are all of those.
    """
    reader = _Reader(function, tree, logs, run)
    return distinct(tree, [*reader.weakenings(), *reader.truncations()])


def weakenings(function: FunctionType, tree: ast.FunctionDef) -> list[Edit]:
    """The edits of a function that take away a condition."""
    nothing = LogNames(frozenset(), frozenset())
    return distinct(tree, list(_Reader(function, tree, nothing).weakenings()))


def distinct(tree: ast.FunctionDef, found: list[Edit]) -> list[Edit]:
    """The edits that leave a text that no other one before them leaves."""
    seen = {ast.dump(edited(tree, Edit("", 0, "")))}
    kept = []
    for edit in found:
        text = ast.dump(edited(tree, edit))
        if text not in seen:
            seen.add(text)
            kept.append(edit)
    return kept


def is_guard(value: object) -> bool:
    """Whether a function is one by which guards are written."""
    return value is require or value is bounded


def requires_of(function: FunctionType, tree: ast.FunctionDef) -> list[ast.Call]:
    """The calls of `require` and `bounded` in a function, by whatever name its module knows them, in textual order."""
    found = []
    for node in in_order(tree):
        if isinstance(node, ast.Call) and len(node.args) == 1:
            by_name = isinstance(node.func, ast.Name) and is_guard(function.__globals__.get(node.func.id))
            if by_name or (isinstance(node.func, ast.Attribute) and node.func.attr in NAMES):
                found.append(node)
    return found


def in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below a node, in the order of the text (as far as statements and operands go)."""
    for child in ast.iter_child_nodes(node):
        yield child
        yield from in_order(child)


def conjuncts(node: ast.AST) -> Iterator[ast.expr]:
    """The operands of every `and` below a node."""
    for child in in_order(node):
        if isinstance(child, ast.BoolOp) and isinstance(child.op, ast.And):
            yield from child.values


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _name(node: ast.expr) -> str:
    """The last name in what a value is called by: `leader_epoch` of `self.view(r).leader_epoch`."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call):
        return _name(node.func)
    return _name(node.value) if isinstance(node, ast.Subscript) else ""


def _of_epochs(node: ast.Compare) -> bool:
    """Whether an epoch is compared: one side is named after one, or is a sum of something that is."""
    parts: list[ast.expr] = []
    for value in (node.left, *node.comparators):
        parts += [value.left, value.right] if isinstance(value, ast.BinOp) else [value]
    return any("epoch" in _name(part).lower() for part in parts)
