"""Mutants of a protocol with its proof: one rule of it is another, in one place of its text."""

from __future__ import annotations

import ast
import copy
import inspect
import linecache
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType, ModuleType

from epochal.spec.language import Protocol

OTHER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
"""What a comparison becomes."""

Change = Callable[[ast.AST], str]
"""Changes a node in place, and says what it has done; "" if it has done nothing."""


@dataclass(frozen=True)
class Mutant:
    """A protocol with another rule: the method, and what is changed in it."""

    kind: type[Protocol]
    method: str
    change: str

    def __str__(self) -> str:
        """`leader_expands_isr: without require(self.hw_is_current(leader))`."""
        return f"{self.method}: {self.change}"


def mutants_of(kind: type[Protocol], package: str) -> Iterator[Mutant]:
    """All mutants of the rules of a protocol that are written in a package: its steps, and what they call.

    A method that calls what it replaces is left out: in a class of its own it would call itself.
    """
    for name in sorted(dir(kind)):
        function = inspect.getattr_static(kind, name)
        if not isinstance(function, FunctionType) or not function.__module__.startswith(package):
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        (method,) = tree.body
        assert isinstance(method, ast.FunctionDef)
        marks = {ast.unparse(one).partition("(")[0] for one in method.decorator_list}
        if marks - {"action"} or "super" in ast.unparse(method) or name == "initial":
            continue
        for number in range(len(list(ast.walk(method)))):
            changed = copy.deepcopy(method)
            if said := _change(list(ast.walk(changed))[number]):
                changed.decorator_list = []  # a rule that replaces one is marked like it
                yield Mutant(_made(kind, function, changed, f"{name}_{number}"), name, said)


def _change(node: ast.AST) -> str:
    if isinstance(node, ast.FunctionDef | ast.For | ast.If):
        return ""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OTHER:
        before = ast.unparse(node)
        node.ops[0] = OTHER[type(node.ops[0])]()
        return f"{ast.unparse(node)} in place of {before}"
    if isinstance(node, ast.BoolOp):
        before = ast.unparse(node)
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return f"{ast.unparse(node)} in place of {before}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("min", "max", "all", "any"):
            before = node.func.id
            node.func.id = {"min": "max", "max": "min", "all": "any", "any": "all"}[before]
            return f"{ast.unparse(node)} in place of {before}"
        if node.func.id == "require" and not (isinstance(node.args[0], ast.Constant)):
            before = ast.unparse(node)
            node.args[0] = ast.Constant(True)
            return f"without {before}"
    if isinstance(node, ast.Constant) and type(node.value) is int:
        node.value += 1
        return f"{node.value} in place of {node.value - 1}"
    return ""


def _made(kind: type[Protocol], function: FunctionType, method: ast.FunctionDef, label: str) -> type[Protocol]:
    """The protocol with this method, in a module of its own whose text can be read."""
    name = f"mutated_{kind.__name__}_{label}"
    method.body = [*method.body]
    text = (
        f"from __future__ import annotations\n\n\nclass Mutant(Base):\n{textwrap.indent(ast.unparse(method), '    ')}\n"
    )
    module = ModuleType(name)
    vars(module).update({**function.__globals__, "Base": kind, "__name__": name, "__file__": f"<{name}>"})
    linecache.cache[f"<{name}>"] = (len(text), None, text.splitlines(keepends=True), f"<{name}>")
    sys.modules[name] = module
    exec(compile(text, f"<{name}>", "exec"), vars(module))
    made: type[Protocol] = module.Mutant
    made.name = f"mutant-{label}"
    return made
