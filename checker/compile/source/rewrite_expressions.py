"""Rewriting expressions: what Python decides by truth or looks up by name becomes a call of `Operations`."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from epochal.spec.language import LanguageError, SourceLine

from .lines import LINES
from .refused import REFUSED
from .syntax import ITEM, SELF_CLASS, call, function_of, name_of, read_too_early, thunk


class ExpressionRewriter(ast.NodeTransformer):
    """Rewrites the expressions of one function.

    `read` has the names that it reads, `bound` those that comprehensions bind where the rewriting stands, `locals`
    those that it assigns, and `known` those that are certainly assigned there. `redefined` are built-in names that mean
    something else in it.
    """

    def __init__(self, file: str, name: str, redefined: frozenset[str]) -> None:
        self.file, self.name, self.redefined = file, name, redefined
        self.comprehensions = 0
        self.first_parameter = ""
        self.read: dict[str, ast.Name] = {}
        self.bound: set[str] = set()
        self.locals: set[str] = set()
        self.known: set[str] = set()

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
            rewritten: ast.expr = self.visit(node)
            return rewritten
        first, *others = [self.truth(value) for value in node.values]
        return call("and_" if isinstance(node.op, ast.And) else "or_", first, *(thunk(o) for o in others))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.Not):
            return call("not_", self.truth(node.operand))
        return ast.UnaryOp(node.op, self.visit(node.operand))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        self.refuse_private(node, node.id)
        if isinstance(node.ctx, ast.Load):
            if node.id not in self.bound:
                self.read.setdefault(node.id, node)
            if node.id in self.locals - self.known:
                return call("local", node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.refuse_private(node, node.attr)
        owner: ast.expr = self.visit(node.value)
        if isinstance(node.ctx, ast.Load):
            return call("attribute", owner, ast.Constant(node.attr))
        return ast.Attribute(call("with_fields", owner), node.attr, node.ctx)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        owner: ast.expr = self.visit(node.value)
        if not isinstance(node.ctx, ast.Load):
            owner = call("with_entries", owner)
        return ast.Subscript(owner, self.visit(node.slice), node.ctx)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        return self.operator(self.visit(node.left), node.op, self.visit(node.right))

    def operator(self, left: ast.expr, op: ast.operator, right: ast.expr) -> ast.expr:
        """A binary operator. Some are Python's own only within limits."""
        named = {ast.Mod: "modulo", ast.Mult: "product", ast.Pow: "power", ast.LShift: "shifted"}
        if type(op) in named:
            return call(named[type(op)], left, right)
        return ast.BinOp(left, op, right)

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
        named = node.func.id if isinstance(node.func, ast.Name) and node.func.id not in self.redefined else ""
        if named == "super" and not node.args:
            if self.comprehensions:
                self.refuse(node, "super() inside a comprehension, as Python 3.11 has not", "Write a for loop.")
            return call("super_", name_of(SELF_CLASS), name_of(self.first_parameter))
        if any(k.arg is None for k in node.keywords):
            self.refuse(node, "a ** argument", "Name the arguments.")
        keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        arguments = [self.truth(a) if named in ("require", "bounded", "bool") else self.visit(a) for a in node.args]
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
        if (early := read_too_early(generators)) is not None:
            self.refuse(early, "a name that a later for of the same comprehension binds", "Use another name.")
        first, *others = generators
        source, before, outside = self.visit(first.iter), set(self.known), set(self.bound)
        names = {name.id for name in ast.walk(first.target) if isinstance(name, ast.Name)}
        self.known |= names
        self.bound |= names
        self.comprehensions += 1
        conditions = [self.truth(c) for c in first.ifs]
        condition: ast.expr = ast.Constant(None)
        if conditions:
            both = conditions[0]
            if len(conditions) > 1:
                both = call("and_", both, *(thunk(c) for c in conditions[1:]))
            condition = self.binder(first.target, both)
        inner = self.comprehension(others, element) if others else self.visit(element)
        self.known, self.bound = before, outside
        self.comprehensions -= 1
        return call("comprehension", source, condition, self.binder(first.target, inner), ast.Constant(bool(others)))

    def binder(self, target: ast.expr, body: ast.expr) -> ast.expr:
        """A function of one element that binds the names of a comprehension's target."""
        if isinstance(target, ast.Name):
            return function_of([target.id], body)
        names = [element.id for element in getattr(target, "elts", ()) if isinstance(element, ast.Name)]
        if isinstance(target, ast.Tuple) and len(set(names)) == len(target.elts):
            inner = function_of(names, body)
            parts = call("parts", name_of(ITEM), ast.Constant(len(target.elts)))
            return function_of([ITEM], ast.Call(inner, [ast.Starred(parts, ast.Load())], []))
        self.refuse(target, "this target of a comprehension", "Use plain names, each once.")

    def token(self, node: ast.AST) -> int:
        """The token of a node's line."""
        return LINES.number(SourceLine(self.file, getattr(node, "lineno", 0), self.name))

    def at(self, statement: ast.stmt) -> ast.stmt:
        """The statement that records the line."""
        return ast.Expr(call("at", ast.Constant(self.token(statement))))

    def refuse_private(self, node: ast.AST, name: str) -> None:
        """Refuse names that begin with two underscores: Python changes them within a class, or has them for itself."""
        if name.startswith("__"):
            self.refuse(node, f"the name {name}", "Use a name that does not begin with two underscores.")

    def refuse(self, node: ast.AST, what: str, advice: str) -> NoReturn:
        """Refuse a piece of Python that the language does not have."""
        line = SourceLine(self.file, getattr(node, "lineno", 0), self.name)
        raise LanguageError(f"the specification language does not have {what}", line, advice)
