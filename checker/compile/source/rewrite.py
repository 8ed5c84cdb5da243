"""Rewriting a rule's syntax tree so that it can run on symbolic values.

Control flow that Python decides by truth (`if`, `and`, `in`, comprehensions, ...) becomes calls of `Operations`; the
rest of the function stays as it is. What cannot be rewritten is refused with its line and what to write instead.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from epochal.spec.language import LanguageError, SourceLine, bounded, require
from epochal.spec.language.errors import shown_path, source_line

from .admitted import unfit
from .refused import REFUSED
from .rewrite_expressions import ExpressionRewriter
from .sources import TREE, Sources
from .syntax import (
    OPERATIONS,
    SELF_CLASS,
    access,
    always_returns,
    assigned_names,
    assignment,
    call,
    function_of,
    locals_of,
    locate,
    name_of,
    nested,
    operation,
    returns,
    thunk,
)

OUTSIDE = "A rule depends on the state alone: keep what changes in state variables, and choose by parameters."
COPIES = 1_000
DEEPEST = 80
"""How deep statements may be nested in a rule."""
TOO_DEEP = "Use helper methods, or any, all and sum."


@dataclass(frozen=True)
class _Written:
    """What a function was rewritten to, and what that depends on.

    `code` defines its symbolic form under the name `defined`. `own` are the names that the function binds itself,
    `redefined` those that mean something else than they are rewritten for; `read` has the line where each name is first
    read.
    """

    source: CodeType
    file: str
    name: str
    own: frozenset[str]
    redefined: frozenset[str]
    read: Mapping[str, int]
    defined: str
    code: CodeType


_KEPT: WeakKeyDictionary[FunctionType, _Written] = WeakKeyDictionary()
"""What functions that stand in files were rewritten to: a protocol is compiled within one bounds after the other."""


def rewritten(function: FunctionType, operations: Any, sources: Sources) -> FunctionType:
    """The symbolic form of a function, in which lines are numbers of LINES.

    Raises LanguageError where the function leaves the language.
    """
    try:
        result = _compiled(function, operations, sources)
    except RecursionError as error:
        raise LanguageError("an expression is nested too deeply", source_line(function), TOO_DEEP) from error
    result.__defaults__ = function.__defaults__
    result.__kwdefaults__ = function.__kwdefaults__
    result.__name__ = function.__name__
    return result


def _compiled(function: FunctionType, operations: Any, sources: Sources) -> FunctionType:
    cells = _cells(function)
    scope = {**vars(builtins), **function.__globals__, **cells}
    written = _KEPT.get(function)
    if written is None or not _is_of(written, function, scope):
        written = _written(function, scope, sources)
        if not hasattr(function, TREE):
            _KEPT[function] = written
    else:
        _refuse_unfit(function, scope, written.file, written.read)
    names = dict(function.__globals__)
    for name, value in cells.items():
        names[SELF_CLASS if name == "__class__" else name] = value
    names[OPERATIONS] = operations
    exec(written.code, names)
    result = names.pop(written.defined)
    assert isinstance(result, FunctionType)
    return result


def _is_of(written: _Written, function: FunctionType, scope: Mapping[str, Any]) -> bool:
    """Whether a function is still what was rewritten, and its names mean the same."""
    return (
        written.source is function.__code__
        and written.name == function.__name__
        and written.file == shown_path(function.__code__.co_filename)
        and written.redefined == _redefined(written.own, scope)
    )


def _written(function: FunctionType, scope: Mapping[str, Any], sources: Sources) -> _Written:
    tree, code = sources.tree(function), function.__code__
    file, own = shown_path(code.co_filename), _own_names(tree)
    redefined = _redefined(own, scope)
    rewriter = _Rewriter(file, function.__name__, redefined)
    made = rewriter.function(tree)
    read = {name: node.lineno for name, node in rewriter.read.items()}
    _refuse_unfit(function, scope, file, read)
    made.name = f"rule {tree.name}"  # no name that the rule itself could mean
    module = ast.Module([made], [])
    locate(module)
    defines = compile(module, code.co_filename, "exec")
    return _Written(code, file, function.__name__, own, redefined, read, made.name, defines)


def _cells(function: FunctionType) -> dict[str, Any]:
    """What the names of the functions around mean in a function."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError as error:
            advice = "Assign it before the protocol is made."
            raise LanguageError(f"{name} has no value in {function.__name__}", source_line(function), advice) from error
    return found


SPECIAL: dict[str, Any] = {"super": super, "bool": bool, "require": require, "bounded": bounded}
"""The names that are rewritten in ways of their own, if they mean this."""


def _own_names(tree: ast.FunctionDef) -> frozenset[str]:
    """The names that a function binds itself."""
    nodes = list(ast.walk(tree))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return frozenset(stored | {node.arg for node in nodes if isinstance(node, ast.arg)})


def _redefined(own: frozenset[str], scope: Mapping[str, Any]) -> frozenset[str]:
    """The names of SPECIAL that mean something else in a function."""
    return frozenset(name for name, meant in SPECIAL.items() if name in own or scope.get(name) is not meant)


def _refuse_unfit(function: FunctionType, scope: Mapping[str, Any], file: str, read: Mapping[str, int]) -> None:
    """Refuse names of things outside the rule that have a memory, chance or operators of their own."""
    code, name_of_rule = function.__code__, function.__name__
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for name, number in read.items():
        inside = name in (*code.co_varnames, *code.co_cellvars)
        if not inside and name in scope and (why := unfit(scope[name])):
            line = SourceLine(file, number, name_of_rule)
            raise LanguageError(f"{name} cannot be used in a rule: {why}", line, OUTSIDE)
    if why := next((why for value in defaults if (why := unfit(value))), ""):
        line = SourceLine(file, code.co_firstlineno, name_of_rule)
        raise LanguageError(f"a default value of {name_of_rule} cannot be used: {why}", line, OUTSIDE)


class _Rewriter(ExpressionRewriter):
    """Rewrites one function."""

    def __init__(self, file: str, name: str, redefined: frozenset[str]) -> None:
        super().__init__(file, name, redefined)
        self.counter = self.copies = self.depth = 0

    def function(self, tree: ast.FunctionDef) -> ast.FunctionDef:
        """The whole function."""
        arguments = tree.args
        if arguments.vararg or arguments.kwarg:
            self.refuse(tree, "a rule with * or ** parameters", "Name every parameter.")
        parameters = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        self.first_parameter = parameters[0] if parameters else ""
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            self.refuse_private(argument, argument.arg)
            argument.annotation = None
        arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
        arguments.kw_defaults = [d and ast.Constant(None) for d in arguments.kw_defaults]
        self.locals, self.known = assigned_names(tree.body), set(parameters)
        local = sorted(self.locals - self.known)
        unset: list[ast.stmt] = [assignment(name, operation("unset")) for name in local]
        body = self.block(tree.body)
        return ast.FunctionDef(
            tree.name, arguments, [*unset, *body] or [ast.Pass()], [], None, None, lineno=tree.lineno
        )

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """A sequence of statements. What follows an `if` that may return moves into its branches."""
        made: list[ast.stmt] = []
        for i, statement in enumerate(statements):
            if isinstance(statement, ast.If) and returns(statement):
                rest = list(statements[i + 1 :])
                self.copies += 1
                if self.copies > COPIES:
                    self.refuse(
                        statement,
                        f"room for this rule: what follows an if that may return is written out for each way to get "
                        f"there, which is more than {COPIES:,} times here",
                        "Return at the end only, or write the rest under else.",
                    )
                then = statement.body + ([] if always_returns(statement.body) else copy.deepcopy(rest))
                orelse = statement.orelse + ([] if always_returns(statement.orelse) else rest)
                made += self.branch(statement, then, orelse, returns=True)
                return made
            made += self.statement(statement)
        return made

    def statement(self, statement: ast.stmt) -> list[ast.stmt]:
        """One statement."""
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return []
        if isinstance(statement, ast.If):
            return self.branch(statement, statement.body, statement.orelse, returns=False)
        if isinstance(statement, ast.For):
            return self.loop(statement)
        if isinstance(statement, ast.While):
            if statement.orelse or returns(statement):
                self.refuse(statement, "return or else in a while", "Assign a variable and return it after the loop.")
            test, before = call("concrete", self.truth(statement.test)), set(self.known)
            body = self.block(statement.body) or [ast.Pass()]
            self.known = before
            return [self.at(statement), ast.While(test, body, [])]
        if isinstance(statement, ast.AnnAssign):
            if statement.value is None:
                return []
            statement = ast.copy_location(ast.Assign([statement.target], statement.value), statement)
        if isinstance(statement, ast.AugAssign):
            return [self.at(statement), self.update(statement)]
        if isinstance(statement, ast.Assign):
            value = self.assigned(statement)
            made: list[ast.stmt] = [self.at(statement), ast.Assign([self.visit(t) for t in statement.targets], value)]
            self.known |= assigned_names([statement])
            return made
        if isinstance(statement, ast.Expr | ast.Return):
            self.generic_visit(statement)  # in place
            return [self.at(statement), statement]
        if isinstance(statement, ast.Pass):
            return []
        self.unknown(statement)

    def branch(self, statement: ast.If, then: list[ast.stmt], orelse: list[ast.stmt], returns: bool) -> list[ast.stmt]:
        """An `if`: both branches become functions that share the locals they assign."""
        number = self.deeper(statement)
        names = sorted(assigned_names([*then, *orelse]))
        test = self.truth(statement.test)
        made: list[ast.stmt] = [self.at(statement)]
        before = set(self.known)
        made.append(nested(f"then {number}", [], names, self.block(then)))
        after, self.known = self.known, before
        made.append(nested(f"else {number}", [], names, self.block(orelse)))
        self.known &= after
        self.depth -= 1
        made += access(number, names)
        joined = call("branch", test, *locals_of(number, "then", "else"))
        made.append(ast.Return(joined) if returns else ast.Expr(joined))
        return made

    def loop(self, statement: ast.For) -> list[ast.stmt]:
        """A `for`: the body becomes a function that is run for every element."""
        if statement.orelse:
            self.refuse(statement, "else after for", "Write the statements after the loop.")
        if returns(statement):
            self.refuse(
                statement, "return inside a for loop", "Use next(...), any(...) or min(...) over a comprehension."
            )
        number = self.deeper(statement)
        names = sorted(assigned_names([statement]))
        source = self.visit(statement.iter)
        item = name_of(f"item {number}")
        if not isinstance(statement.target, ast.Name):
            item = call("unpacked", item)
        take = ast.Assign([self.visit(statement.target)], item)
        before = set(self.known)
        self.known |= assigned_names([ast.Assign([statement.target], ast.Constant(None))])
        body = nested(f"body {number}", [f"item {number}"], names, [take, *self.block(statement.body)])
        self.known = before
        self.depth -= 1
        joined = call("loop", source, *locals_of(number, "body"))
        return [self.at(statement), body, *access(number, names), ast.Expr(joined)]

    def update(self, statement: ast.AugAssign) -> ast.stmt:
        """An augmented assignment: the target is evaluated once, and read before the value is."""
        target, value = statement.target, self.visit(statement.value)
        if isinstance(target, ast.Name):
            self.refuse_private(target, target.id)
            old = call("augmented", name_of(target.id))
            return ast.Assign([target], self.operator(old, statement.op, value))
        both = function_of(["_a", "_b"], self.operator(name_of("_a"), statement.op, name_of("_b")))
        if isinstance(target, ast.Attribute):
            self.refuse_private(target, target.attr)
            name = ast.Constant(target.attr)
            return ast.Expr(call("update_field", self.visit(target.value), name, both, thunk(value)))
        return ast.Expr(call("update_entry", self.visit(target.value), self.visit(target.slice), both, thunk(value)))

    def assigned(self, statement: ast.Assign) -> ast.expr:
        """The value of an assignment. What is taken apart is taken before the first of the targets changes."""
        apart = [t for t in statement.targets if isinstance(t, ast.Tuple | ast.List)]
        stored = any(not isinstance(element, ast.Name) for target in apart for element in target.elts)
        if isinstance(statement.value, ast.Tuple) and stored:
            return ast.Tuple([call("taken", self.visit(part)) for part in statement.value.elts], ast.Load())
        value: ast.expr = self.visit(statement.value)
        return call("unpacked", value) if apart else value

    def deeper(self, statement: ast.stmt) -> int:
        """A fresh number for the names of a statement that has others in it."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.refuse(statement, f"statements that are nested more than {DEEPEST} deep", TOO_DEEP)
        self.counter += 1
        return self.counter

    def unknown(self, node: ast.AST) -> NoReturn:
        """Refuse a statement."""
        what, advice = REFUSED.get(type(node), (type(node).__name__.lower(), "Write it with if, for and assignments."))
        self.refuse(node, what, advice)
