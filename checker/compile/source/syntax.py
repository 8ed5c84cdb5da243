"""Pieces of syntax trees: what rewritten code is made of, and questions about what is rewritten."""

from __future__ import annotations

import ast
from collections.abc import Sequence

OPERATIONS = "__epochal__"
SELF_CLASS = "__epochal_super__"
ITEM = "__epochal_item__"
VALUES = "__epochal_values__"


def name_of(name: str) -> ast.expr:
    """A name that is read."""
    return ast.Name(name, ast.Load())


def operation(name: str) -> ast.expr:
    """A method of the operations of the compilation."""
    return ast.Attribute(name_of(OPERATIONS), name, ast.Load())


def call(name: str, *arguments: ast.expr, keywords: Sequence[ast.keyword] = ()) -> ast.expr:
    """A call of an operation."""
    return ast.Call(operation(name), list(arguments), list(keywords))


def arguments_of(names: Sequence[str]) -> ast.arguments:
    """The parameters of a generated function."""
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


def function_of(names: Sequence[str], body: ast.expr) -> ast.expr:
    """A lambda."""
    return ast.Lambda(arguments_of(names), body)


def thunk(body: ast.expr) -> ast.expr:
    """A lambda without parameters, so that its body is evaluated only where it is wanted."""
    return function_of([], body)


def assignment(name: str, value: ast.expr) -> ast.stmt:
    """An assignment to a name."""
    return ast.Assign([ast.Name(name, ast.Store())], value)


def nested(name: str, parameters: Sequence[str], shared: Sequence[str], body: list[ast.stmt]) -> ast.stmt:
    """A function inside the rule that shares some of its locals."""
    head: list[ast.stmt] = [ast.Nonlocal(list(shared))] if shared else []
    return ast.FunctionDef(name, arguments_of(parameters), [*head, *(body or [ast.Pass()])], [], None, None)


def access(number: int, names: Sequence[str]) -> list[ast.stmt]:
    """Functions that read and write the shared locals as a tuple."""
    read: ast.stmt = ast.Return(ast.Tuple([name_of(n) for n in names], ast.Load()))
    target = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
    write: list[ast.stmt] = [ast.Assign([target], name_of(VALUES))]
    return [
        nested(f"get {number}", [], [], [read]),
        nested(f"put {number}", [VALUES], names, write),
    ]


def locals_of(number: int, *functions: str) -> list[ast.expr]:
    """The names of generated functions, with those that read and write the shared locals."""
    return [name_of(f"{part} {number}") for part in (*functions, "get", "put")]


def assigned_names(statements: Sequence[ast.stmt]) -> set[str]:
    """The names that statements assign, outside comprehensions."""
    names: set[str] = set()
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
    return names - comprehension_targets(statements)


def comprehension_targets(statements: Sequence[ast.stmt]) -> set[str]:
    """The names that only comprehensions bind, which are not locals of the rule."""
    bound: set[str] = set()
    elsewhere: set[str] = set()
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.comprehension):
                bound |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
            elif isinstance(node, ast.Assign):
                elsewhere |= {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
            elif isinstance(node, ast.For | ast.AugAssign | ast.AnnAssign):
                elsewhere |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
    return bound - elsewhere


def free_names(node: ast.AST) -> dict[str, ast.AST]:
    """The names that an expression reads and does not bind itself, each with the first place where it does."""
    if isinstance(node, ast.Name):
        return {node.id: node}
    if not isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        parts = [free_names(part) for part in ast.iter_child_nodes(node)]
        return {name: place for part in reversed(parts) for name, place in part.items()}
    first, *others = node.generators
    within = [node.elt, *first.ifs, *(part for one in others for part in (one.iter, *one.ifs))]
    inside = {name: place for part in reversed(within) for name, place in free_names(part).items()}
    bound = {name for one in node.generators for name in free_names(one.target)}
    return {name: place for name, place in inside.items() if name not in bound} | free_names(first.iter)


def read_too_early(generators: Sequence[ast.comprehension]) -> ast.AST | None:
    """Where a comprehension reads a name that only a later `for` of it binds: there the name has no value in Python.

    Another variable of that name outside is not meant, except in the first source, which is evaluated outside.
    """
    targets = [set(free_names(one.target)) for one in generators]
    for number, one in enumerate(generators):
        before, now = set[str]().union(*targets[:number]), set[str]().union(*targets[: number + 1])
        later = set[str]().union(*targets[number + 1 :]) - now
        found = [(free_names(part), later) for part in one.ifs]
        if number:
            found.append((free_names(one.iter), (later | targets[number]) - before))
        for names, unbound in found:
            for name, place in names.items():
                if name in unbound:
                    return place
    return None


def returns(statement: ast.stmt) -> bool:
    """Whether a statement may return from the rule."""
    return any(isinstance(node, ast.Return) for node in ast.walk(statement))


def always_returns(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements return whatever happens."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, ast.If):
        return always_returns(last.body) and always_returns(last.orelse)
    return isinstance(last, ast.Return)


def locate(module: ast.Module) -> None:
    """Give every node a line: its own, or that of what it stands in."""
    pending: list[tuple[ast.AST, int]] = [(module, 1)]
    while pending:
        node, line = pending.pop()
        if node._attributes:
            line = getattr(node, "lineno", line)
            # only some classes of nodes have a place, and `_attributes` says of which kind this one is
            node.lineno = node.end_lineno = line  # type: ignore[attr-defined]  # see above
            node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]  # see above
        for name in node._fields:
            child = getattr(node, name, None)
            if isinstance(child, ast.AST):
                pending.append((child, line))
            elif isinstance(child, list):
                pending.extend((item, line) for item in child if isinstance(item, ast.AST))
