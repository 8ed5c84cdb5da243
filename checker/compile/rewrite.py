"""Rewriting a rule's syntax tree so that it can run on symbolic values.

Control flow that Python decides by truth (`if`, `and`, `in`, comprehensions, ...) becomes calls of `Operations`; the
rest of the function stays as it is. What cannot be rewritten is refused with its line and what to write instead.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from types import FunctionType
from typing import Any, NoReturn

from spec.language import LanguageError, SourceLine
from spec.language.errors import shown_path

from .sources import Sources
from .syntax import (
    ITEM,
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

REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("try", "Guard the value with if or require instead."),
    ast.With: ("with", "Write the rule without it."),
    ast.Raise: ("raise", "Use require(...) to disable an action."),
    ast.Assert: ("assert", "Use require(...) in actions and @invariant for what must hold."),
    ast.Global: ("global", "Keep everything in state variables."),
    ast.Nonlocal: ("nonlocal", "Keep everything in state variables."),
    ast.Import: ("import", "Import at the top of the file."),
    ast.ImportFrom: ("import", "Import at the top of the file."),
    ast.Delete: ("del", "Assign the value it should have."),
    ast.Match: ("match", "Write if and elif."),
    ast.FunctionDef: ("a function inside a rule", "Make it a method or a function of the module."),
    ast.AsyncFunctionDef: ("async", "Write a plain function."),
    ast.ClassDef: ("a class inside a rule", "Define it at the top of the file."),
    ast.Lambda: ("lambda", "Make it a method or a function of the module."),
    ast.NamedExpr: (":=", "Assign on a line of its own."),
    ast.Yield: ("yield", "Return a value."),
    ast.YieldFrom: ("yield", "Return a value."),
    ast.Await: ("await", "Write a plain function."),
    ast.JoinedStr: ("a formatted string", "Rules compute states, not texts."),
    ast.Slice: ("a slice", "Use a comprehension over a range."),
    ast.Starred: ("a starred expression", "Write the arguments out."),
    ast.DictComp: ("a dictionary comprehension", "Assign the map's entries in a for loop."),
    ast.Break: ("break", "Use next(...), min(...) or any(...) over a comprehension."),
    ast.Continue: ("continue", "Put the rest of the body under an if."),
}


def rewritten(function: FunctionType, operations: Any, lines: list[SourceLine], sources: Sources) -> FunctionType:
    """The symbolic form of a function. `lines` grows by the lines it has; tokens in the code are indexes into it.

    Raises LanguageError where the function leaves the language.
    """
    tree = sources.tree(function)
    code = function.__code__
    rewriter = _Rewriter(shown_path(code.co_filename), function.__name__, lines)
    made = rewriter.function(tree)
    module = ast.Module([made], [])
    locate(module)
    names = dict(function.__globals__)
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        names[SELF_CLASS if name == "__class__" else name] = cell.cell_contents
    names[OPERATIONS] = operations
    exec(compile(module, code.co_filename, "exec"), names)
    result = names[tree.name]
    assert isinstance(result, FunctionType)
    result.__defaults__ = function.__defaults__
    result.__kwdefaults__ = function.__kwdefaults__
    return result


class _Rewriter(ast.NodeTransformer):
    """Rewrites one function."""

    def __init__(self, file: str, name: str, lines: list[SourceLine]) -> None:
        self.file, self.name, self.lines = file, name, lines
        self.counter = 0
        self.first_parameter = ""

    # -- statements -----------------------------------------------------------------------------------------------

    def function(self, tree: ast.FunctionDef) -> ast.FunctionDef:
        """The whole function."""
        arguments = tree.args
        if arguments.vararg or arguments.kwarg:
            self.refuse(tree, "a rule with * or ** parameters", "Name every parameter.")
        parameters = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        self.first_parameter = parameters[0] if parameters else ""
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            argument.annotation = None
        arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
        arguments.kw_defaults = [d and ast.Constant(None) for d in arguments.kw_defaults]
        local = sorted(assigned_names(tree.body) - set(parameters))
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
            test = call("concrete", self.truth(statement.test))
            return [self.at(statement), ast.While(test, self.block(statement.body) or [ast.Pass()], [])]
        if isinstance(statement, ast.AnnAssign):
            if statement.value is None:
                return []
            statement = ast.copy_location(ast.Assign([statement.target], statement.value), statement)
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            old = call("augmented", name_of(statement.target.id))
            sum_ = ast.BinOp(old, statement.op, self.visit(statement.value))
            return [self.at(statement), ast.Assign([statement.target], sum_)]
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Tuple):
            parts = [call("taken", self.visit(part)) for part in statement.value.elts]
            targets = [self.visit(target) for target in statement.targets]
            if any(isinstance(t, ast.Tuple) and any(not isinstance(e, ast.Name) for e in t.elts) for t in targets):
                return [self.at(statement), ast.Assign(targets, ast.Tuple(parts, ast.Load()))]
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr | ast.Return):
            return [self.at(statement), self.generic_visit(statement)]  # type: ignore[list-item]
        if isinstance(statement, ast.Pass):
            return []
        self.unknown(statement)

    def branch(self, statement: ast.If, then: list[ast.stmt], orelse: list[ast.stmt], returns: bool) -> list[ast.stmt]:
        """An `if`: both branches become functions that share the locals they assign."""
        number = self.next_number()
        names = sorted(assigned_names([*then, *orelse]))
        test = self.truth(statement.test)
        made: list[ast.stmt] = [self.at(statement)]
        made.append(nested(f"_then_{number}", [], names, self.block(then)))
        made.append(nested(f"_else_{number}", [], names, self.block(orelse)))
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
        number = self.next_number()
        names = sorted(assigned_names([statement]))
        source = self.visit(statement.iter)
        take = ast.Assign([self.visit(statement.target)], name_of(f"_item_{number}"))
        body = nested(f"_body_{number}", [f"_item_{number}"], names, [take, *self.block(statement.body)])
        joined = call("loop", source, *locals_of(number, "body"))
        return [self.at(statement), body, *access(number, names), ast.Expr(joined)]

    # -- expressions ----------------------------------------------------------------------------------------------

    def visit(self, node: ast.AST) -> Any:
        """Rewrite an expression; what the language has no place for is refused."""
        if type(node) in REFUSED:
            self.refuse(node, *REFUSED[type(node)])
        return super().visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        first, *others = [self.visit(value) for value in node.values]
        name = "and_value" if isinstance(node.op, ast.And) else "or_value"
        return call(name, first, *(thunk(o) for o in others))

    def truth(self, node: ast.expr) -> ast.expr:
        """Rewrite an expression of which only the truth matters."""
        if not isinstance(node, ast.BoolOp):
            return self.visit(node)  # type: ignore[no-any-return]
        first, *others = [self.truth(value) for value in node.values]
        return call("and_" if isinstance(node.op, ast.And) else "or_", first, *(thunk(o) for o in others))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.Not):
            return call("not_", self.truth(node.operand))
        return ast.UnaryOp(node.op, self.visit(node.operand))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Attribute(self.assigned(node), node.attr, node.ctx)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return ast.Subscript(self.assigned(node), self.visit(node.slice), node.ctx)

    def assigned(self, node: ast.Attribute | ast.Subscript) -> ast.expr:
        """What a field or an entry belongs to; if it is assigned, that must be a part of the state."""
        owner: ast.expr = self.visit(node.value)
        known = isinstance(node.value, ast.Name) and node.value.id == self.first_parameter
        return owner if isinstance(node.ctx, ast.Load) or known else call("place", owner)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return call("choose", self.truth(node.test), thunk(self.visit(node.body)), thunk(self.visit(node.orelse)))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        left = self.visit(node.left)
        rights = [self.visit(c) for c in node.comparators]
        if len(rights) == 1:
            return self.comparison(left, node.ops[0], rights[0])
        pairs: list[ast.expr] = []
        for op, right in zip(node.ops, rights, strict=True):
            compare = function_of(["_a", "_b"], self.comparison(name_of("_a"), op, name_of("_b")))
            pairs.append(ast.Tuple([compare, thunk(right)], ast.Load()))
        return call("chain", left, *pairs)

    def comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
        """One comparison. Order is left to the values' own operators."""
        named = {ast.Eq: "eq", ast.NotEq: "ne", ast.In: "contains", ast.NotIn: "excludes", ast.Is: "is_"}
        if type(op) in named:
            return call(named[type(op)], left, right)
        if isinstance(op, ast.IsNot):
            return call("not_", call("is_", left, right))
        return ast.Compare(left, [op], [right])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            return call("super_", name_of(SELF_CLASS), name_of(self.first_parameter))
        if any(k.arg is None for k in node.keywords):
            self.refuse(node, "a ** argument", "Name the arguments.")
        keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        truths = isinstance(node.func, ast.Name) and node.func.id in ("require", "bool")
        arguments = [self.truth(a) if truths else self.visit(a) for a in node.args]
        return call("call", ast.Constant(self.token(node)), self.visit(node.func), *arguments, keywords=keywords)

    def visit_Set(self, node: ast.Set) -> ast.expr:
        return call("set_of", ast.List([self.visit(e) for e in node.elts], ast.Load()))

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return call("list_of", self.comprehension(node.generators, node.elt))

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        return call("set_of", self.comprehension(node.generators, node.elt))

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return self.comprehension(node.generators, node.elt)

    def comprehension(self, generators: list[ast.comprehension], element: ast.expr) -> ast.expr:
        """A comprehension, one source inside the other."""
        first, *others = generators
        source = self.visit(first.iter)
        conditions = [self.truth(c) for c in first.ifs]
        condition: ast.expr = ast.Constant(None)
        if conditions:
            both = conditions[0]
            if len(conditions) > 1:
                both = call("and_", both, *(thunk(c) for c in conditions[1:]))
            condition = self.binder(first.target, both)
        inner = self.comprehension(others, element) if others else self.visit(element)
        return call("comprehension", source, condition, self.binder(first.target, inner), ast.Constant(bool(others)))

    def binder(self, target: ast.expr, body: ast.expr) -> ast.expr:
        """A function of one element that binds the names of a comprehension's target."""
        if isinstance(target, ast.Name):
            return function_of([target.id], body)
        if isinstance(target, ast.Tuple) and all(isinstance(e, ast.Name) for e in target.elts):
            inner = function_of([e.id for e in target.elts if isinstance(e, ast.Name)], body)
            parts = call("parts", name_of(ITEM), ast.Constant(len(target.elts)))
            return function_of([ITEM], ast.Call(inner, [ast.Starred(parts, ast.Load())], []))
        self.refuse(target, "this target of a comprehension", "Use plain names.")

    # -- helpers --------------------------------------------------------------------------------------------------

    def next_number(self) -> int:
        """A fresh number for generated names."""
        self.counter += 1
        return self.counter

    def token(self, node: ast.AST) -> int:
        """The token of a node's line."""
        line = SourceLine(self.file, getattr(node, "lineno", 0), self.name)
        if not self.lines or self.lines[-1] != line:
            self.lines.append(line)
        return len(self.lines) - 1

    def at(self, statement: ast.stmt) -> ast.stmt:
        """The statement that records the line."""
        return ast.Expr(call("at", ast.Constant(self.token(statement))))

    def refuse(self, node: ast.AST, what: str, advice: str) -> NoReturn:
        """Refuse a piece of Python that the language does not have."""
        line = SourceLine(self.file, getattr(node, "lineno", 0), self.name)
        raise LanguageError(f"the specification language does not have {what}", line, advice)

    def unknown(self, node: ast.AST) -> NoReturn:
        """Refuse a statement."""
        what, advice = REFUSED.get(type(node), (type(node).__name__.lower(), "Write it with if, for and assignments."))
        self.refuse(node, what, advice)
