"""Rewriting a rule's syntax tree so that it can run on symbolic values.

Control flow that Python decides by truth (`if`, `and`, `in`, comprehensions, ...) becomes calls of `Operations`; the
rest of the function stays as it is. What cannot be rewritten is refused with its line and what to write instead.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from types import CodeType, FunctionType
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from epochal.spec.language import LanguageError, SourceLine, bounded, require
from epochal.spec.language.errors import shown_path, source_line

from .admitted import TREE, Sources, unfit
from .desugar import UNRETURNED, Desugarer, PatternQuestion, always_ends, ends, parts_of

# -- refused ----------------------------------------------------------------------------------------------------------
# The pieces of Python that the language does not have, each with what to write instead.

REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("try", "Guard the value with if or require instead."),
    ast.With: ("with", "Write the rule without it."),
    ast.Raise: ("raise", "Use require(...) to disable an action."),
    ast.Assert: ("assert", "Use require(...) in actions and @invariant for what must hold."),
    ast.Global: ("global", "Keep everything in state variables."),
    ast.Nonlocal: ("nonlocal", "Keep everything in state variables."),
    ast.Import: ("import", "Import at the top of the file."),
    ast.ImportFrom: ("import", "Import at the top of the file."),
    ast.Delete: ("del", "Assign the value it should have: log = log[:i] + log[i + 1:]."),
    ast.AsyncFunctionDef: ("async", "Write a plain function."),
    ast.ClassDef: ("a class inside a rule", "Define it at the top of the file."),
    ast.Yield: ("yield", "Return a value."),
    ast.YieldFrom: ("yield", "Return a value."),
    ast.Await: ("await", "Write a plain function."),
}


# -- lines ------------------------------------------------------------------------------------------------------------
# The lines that rewritten rules stand on, each with a number: in the code of a rule a line is its number.


class Lines:
    """Lines by their numbers. A line keeps its number as long as the process lives."""

    def __init__(self) -> None:
        self._lines: list[SourceLine] = []
        self._numbers: dict[SourceLine, int] = {}
        self._lock = Lock()

    def __getitem__(self, number: int) -> SourceLine:
        return self._lines[number]

    def number(self, line: SourceLine) -> int:
        """The number of a line."""
        found = self._numbers.get(line)
        if found is None:
            with self._lock:
                found = self._numbers.setdefault(line, len(self._lines))
                if found == len(self._lines):
                    self._lines.append(line)
        return found


LINES = Lines()
"""Those of every rule that this process has rewritten."""


# -- syntax -----------------------------------------------------------------------------------------------------------
# Pieces of syntax trees: what rewritten code is made of, and questions about what is rewritten.

OPERATIONS = "__epochal__"
SELF_CLASS = "__epochal_super__"
ITEM = "__epochal_item__"
VALUES = "__epochal_values__"
DEPTH = "depth of the path"
INNER = "__epochal_inner__"
"""The attribute that marks a function which is defined inside a rule: it is rewritten together with the rule."""


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
    """The names that statements assign, outside comprehensions and the functions that they define."""
    names: set[str] = set()
    for statement in statements:
        for node in parts_of(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.FunctionDef):
                names.add(node.name)
    return names - comprehension_targets(statements)


def comprehension_targets(statements: Sequence[ast.stmt]) -> set[str]:
    """The names that only comprehensions bind, which are not locals of the rule."""
    bound: set[str] = set()
    elsewhere: set[str] = set()
    for statement in statements:
        for node in parts_of(statement):
            if isinstance(node, ast.comprehension):
                bound |= names_in(node.target)
            elif isinstance(node, ast.Assign):
                elsewhere |= {name for target in node.targets for name in names_in(target)}
            elif isinstance(node, ast.For | ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
                elsewhere |= names_in(node.target)
            elif isinstance(node, ast.FunctionDef):
                elsewhere.add(node.name)
    return bound - elsewhere


def names_in(node: ast.AST) -> set[str]:
    """The names in a target."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def parameters_of(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters of a function, in their order."""
    starred = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred]


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def free_names(node: ast.AST) -> dict[str, ast.AST]:
    """The names that an expression reads and does not bind itself, each with the first place where it does."""
    if isinstance(node, ast.Name):
        return {node.id: node}
    if isinstance(node, ast.Lambda):
        own = {parameter.arg for parameter in parameters_of(node.args)}
        return {name: place for name, place in free_names(node.body).items() if name not in own} | free_names(node.args)
    if not isinstance(node, COMPREHENSIONS):
        parts = [free_names(part) for part in ast.iter_child_nodes(node)]
        return {name: place for part in reversed(parts) for name, place in part.items()}
    first, *others = node.generators
    made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    within = [*made, *first.ifs, *(part for one in others for part in (one.iter, *one.ifs))]
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


# -- rewrite expressions ----------------------------------------------------------------------------------------------
# Rewriting expressions: what Python decides by truth or looks up by name becomes a call of `Operations`.


class ExpressionRewriter(ast.NodeTransformer):
    """Rewrites the expressions of one function.

    `read` has the names that it reads, `bound` those that comprehensions bind where the rewriting stands, `locals`
    those that it assigns, and `known` those that are certainly assigned there. `redefined` are built-in names that mean
    something else in it. `inside` counts the generated functions around an expression, in which it cannot assign a name
    by itself; `setters` are the names that expressions assign there, and `binds` says that this statement does.
    """

    def __init__(self, file: str, name: str, redefined: frozenset[str]) -> None:
        self.file, self.name, self.redefined = file, name, redefined
        self.comprehensions = 0
        self.inside = 0
        self.binds = False
        self.setters: set[str] = set()
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
        first, *others = node.values
        name = "and_value" if isinstance(node.op, ast.And) else "or_value"
        return call(name, self.visit(first), *(self.later(self.visit, other) for other in others))

    def later(self, visit: Callable[[ast.expr], ast.expr], node: ast.expr) -> ast.expr:
        """Rewrite an expression into a thunk."""
        self.inside += 1
        body = visit(node)
        self.inside -= 1
        return thunk(body)

    def truth(self, node: ast.expr) -> ast.expr:
        """Rewrite an expression of which only the truth matters."""
        if not isinstance(node, ast.BoolOp):
            rewritten: ast.expr = self.visit(node)
            return rewritten
        first, *others = node.values
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return call(name, self.truth(first), *(self.later(self.truth, other) for other in others))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.Not):
            return call("not_", self.truth(node.operand))
        return ast.UnaryOp(node.op, self.visit(node.operand))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        self.refuse_private(node, node.id)
        if node.id == UNRETURNED:
            return operation("unreturned")
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
        if isinstance(node.ctx, ast.Load):
            return call("item", owner, self.visit(node.slice))
        if isinstance(node.slice, ast.Slice):
            self.refuse(node, "an assignment to a slice", "Assign a new list.")
        return ast.Subscript(call("with_entries", owner), self.visit(node.slice), node.ctx)

    def visit_Slice(self, node: ast.Slice) -> ast.expr:
        parts = (node.lower, node.upper, node.step)
        return call("piece", *(ast.Constant(None) if part is None else self.visit(part) for part in parts))

    def display(self, elements: Sequence[ast.expr]) -> ast.expr:
        """The elements of a display as a list: some may stand for many."""
        if not any(isinstance(one, ast.Starred) for one in elements):
            return ast.List([self.visit(one) for one in elements], ast.Load())
        parts: list[ast.expr] = []
        for one in elements:
            many = isinstance(one, ast.Starred)
            value = self.visit(one.value if isinstance(one, ast.Starred) else one)
            parts.append(ast.Tuple([ast.Constant(many), value], ast.Load()))
        return call("listed", *parts)

    def visit_List(self, node: ast.List) -> ast.expr:
        if isinstance(node.ctx, ast.Load):
            return self.display(node.elts)
        return ast.List([self.visit(one) for one in node.elts], node.ctx)

    def visit_Tuple(self, node: ast.Tuple) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and any(isinstance(one, ast.Starred) for one in node.elts):
            return call("fixed", self.display(node.elts))
        return ast.Tuple([self.visit(one) for one in node.elts], node.ctx)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        return ast.JoinedStr([self.visit(part) for part in node.values])

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        format_of = None if node.format_spec is None else self.visit(node.format_spec)
        return ast.FormattedValue(call("worded", self.visit(node.value)), node.conversion, format_of)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        value, name = self.visit(node.value), node.target.id
        self.refuse_private(node, name)
        if self.comprehensions:
            self.refuse(node, ":= inside a comprehension or a lambda", "Assign on a line of its own.")
        if not self.inside:
            self.known.add(name)
            return ast.NamedExpr(ast.Name(name, ast.Store()), value)
        self.binds = True
        self.setters.add(name)
        return call("bind", name_of(DEPTH), thunk(name_of(name)), name_of(f"set {name}"), value)

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        arguments = self.parameters(node.args)
        names = {parameter.arg for parameter in parameters_of(arguments)}
        before, outside = set(self.known), set(self.bound)
        self.known |= names
        self.bound |= names
        self.comprehensions += 1
        body = self.visit(node.body)
        self.comprehensions -= 1
        self.known, self.bound = before, outside
        return call("function", ast.Lambda(arguments, body), ast.Constant("<lambda>"))

    def parameters(self, arguments: ast.arguments) -> ast.arguments:
        """The parameters of a function inside a rule. Their defaults are evaluated where it is defined."""
        for one in parameters_of(arguments):
            self.refuse_private(one, one.arg)
            one.annotation = None
        self.comprehensions += 1
        arguments.defaults = [self.visit(one) for one in arguments.defaults]
        arguments.kw_defaults = [one and self.visit(one) for one in arguments.kw_defaults]
        self.comprehensions -= 1
        return arguments

    def visit_PatternQuestion(self, node: PatternQuestion) -> ast.expr:
        assert isinstance(node.func, ast.Name)
        return call(node.func.id, *(self.visit(argument) for argument in node.args))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        return self.operator(self.visit(node.left), node.op, self.visit(node.right))

    def operator(self, left: ast.expr, op: ast.operator, right: ast.expr) -> ast.expr:
        """A binary operator. Some are Python's own only within limits."""
        named = {ast.Mod: "modulo", ast.Mult: "product", ast.Pow: "power", ast.LShift: "shifted"}
        if type(op) in named:
            return call(named[type(op)], left, right)
        return ast.BinOp(left, op, right)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return call(
            "choose", self.truth(node.test), self.later(self.visit, node.body), self.later(self.visit, node.orelse)
        )

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        left = self.visit(node.left)
        if len(node.comparators) == 1:
            return self.comparison(left, node.ops[0], self.visit(node.comparators[0]))
        pairs: list[ast.expr] = []
        for op, right in zip(node.ops, node.comparators, strict=True):
            compare = function_of(["_a", "_b"], self.comparison(name_of("_a"), op, name_of("_b")))
            pairs.append(ast.Tuple([compare, self.later(self.visit, right)], ast.Load()))
        return call("chain", left, *pairs)

    def comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
        """One comparison."""
        named = {ast.Eq: "eq", ast.NotEq: "ne", ast.In: "contains", ast.NotIn: "excludes", ast.Is: "is_"}
        named |= {ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater", ast.GtE: "greater_equal"}
        if type(op) in named:
            return call(named[type(op)], left, right)
        return call("not_", call("is_", left, right))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        named = node.func.id if isinstance(node.func, ast.Name) and node.func.id not in self.redefined else ""
        if named == "super" and not node.args:
            if self.comprehensions or not self.first_parameter:
                self.refuse(
                    node,
                    "super() inside a comprehension, as Python 3.11 has not, or inside a function of a rule",
                    "Call it in the rule itself, in a for loop.",
                )
            return call("super_", name_of(SELF_CLASS), name_of(self.first_parameter))
        function: ast.expr = self.visit(node.func)
        truths = named in ("require", "bounded", "bool")
        arguments = [
            self.spread(one) if isinstance(one, ast.Starred) else self.truth(one) if truths else self.visit(one)
            for one in node.args
        ]
        keywords = [self.keyword(one) for one in node.keywords]
        return call("call", ast.Constant(self.token(node)), function, *arguments, keywords=keywords)

    def spread(self, node: ast.Starred) -> ast.expr:
        """A starred argument."""
        return ast.Starred(call("fixed", self.visit(node.value)), ast.Load())

    def keyword(self, node: ast.keyword) -> ast.keyword:
        """A named argument, or a dictionary of such."""
        value: ast.expr = self.visit(node.value)
        return ast.keyword(node.arg, value if node.arg is not None else call("named", value))

    def visit_Set(self, node: ast.Set) -> ast.expr:
        return call("set_of", self.display(node.elts))

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return call("dictionary_of", self.comprehension(node.generators, pair))

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
        Desugarer(self.refuse).function(tree)
        arguments = tree.args
        for argument in parameters_of(arguments):
            self.refuse_private(argument, argument.arg)
            argument.annotation = None
        positional = [*arguments.posonlyargs, *arguments.args]
        self.first_parameter = positional[0].arg if positional else ""
        arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
        arguments.kw_defaults = [d and ast.Constant(None) for d in arguments.kw_defaults]
        return self.defined(tree, tree.name, arguments)

    def defined(self, tree: ast.FunctionDef, name: str, arguments: ast.arguments) -> ast.FunctionDef:
        """A function with its own locals."""
        parameters = {parameter.arg for parameter in parameters_of(arguments)}
        own = assigned_names(tree.body)
        self.locals, self.known = self.locals - parameters | own, self.known - own | parameters
        unset: list[ast.stmt] = [assignment(local, operation("unset")) for local in sorted(own - parameters)]
        body = self.block(tree.body)
        set_: list[ast.stmt] = [
            nested(f"set {local}", [VALUES], [local], [assignment(local, name_of(VALUES))])
            for local in sorted(self.setters)
        ]
        whole = [*unset, *set_, *body] or [ast.Pass()]
        return ast.FunctionDef(name, arguments, whole, [], None, None, lineno=tree.lineno)

    def inner(self, statement: ast.FunctionDef) -> list[ast.stmt]:
        """A function inside the rule: it has locals of its own, and sees those of the rule."""
        if statement.decorator_list:
            self.refuse(statement, "a decorator inside a rule", "Write the function without it.")
        self.refuse_private(statement, statement.name)
        number = self.deeper(statement)
        arguments = self.parameters(statement.args)
        kept = self.locals, self.known, self.bound, self.setters, self.first_parameter
        own = assigned_names(statement.body) | {parameter.arg for parameter in parameters_of(arguments)}
        before = self.binds, self.inside, self.comprehensions
        self.bound, self.setters, self.first_parameter = self.bound | own, set(), ""
        self.inside = self.comprehensions = 0
        made = self.defined(statement, f"function {number}", arguments)
        self.locals, self.known, self.bound, self.setters, self.first_parameter = kept
        self.binds, self.inside, self.comprehensions = before
        self.depth -= 1
        self.known = self.known | {statement.name}
        marked = call("function", name_of(made.name), ast.Constant(statement.name))
        return [self.at(statement), made, assignment(statement.name, marked)]

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """A sequence of statements. What follows an `if` that may return or jump moves into its branches."""
        made: list[ast.stmt] = []
        for i, statement in enumerate(statements):
            outside, self.binds = self.binds, False
            moves = isinstance(statement, ast.If) and ends(statement)
            one = self._moved(statement, statements[i + 1 :]) if moves else self.statement(statement)
            if self.binds:
                made.append(assignment(DEPTH, call("depth")))
            self.binds = outside
            made += one
            if moves or isinstance(statement, ast.Return | ast.Break | ast.Continue):
                break
        return made

    def _moved(self, statement: ast.stmt, rest: Sequence[ast.stmt]) -> list[ast.stmt]:
        """An `if` that may return or jump, with what follows it."""
        assert isinstance(statement, ast.If)
        self.copies += 1
        if self.copies > COPIES:
            self.refuse(
                statement,
                f"room for this rule: what follows an if that may return is written out for each way to get "
                f"there, which is more than {COPIES:,} times here",
                "Return at the end only, or write the rest under else.",
            )
        then = statement.body + ([] if always_ends(statement.body) else copy.deepcopy(list(rest)))
        orelse = statement.orelse + ([] if always_ends(statement.orelse) else list(rest))
        return self.branch(statement, then, orelse, returns=True)

    def statement(self, statement: ast.stmt) -> list[ast.stmt]:
        """One statement."""
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return []
        if isinstance(statement, ast.If):
            return self.branch(statement, statement.body, statement.orelse, returns=False)
        if isinstance(statement, ast.For):
            return self.loop(statement)
        if isinstance(statement, ast.While):
            return self.repeated(statement)
        if isinstance(statement, ast.FunctionDef):
            return self.inner(statement)
        if isinstance(statement, ast.Break | ast.Continue):
            return [ast.Return(ast.Constant(isinstance(statement, ast.Continue)))]
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
        """A `for`: the body becomes a function that is run for every element. If it jumps, it says whether to go on."""
        number = self.deeper(statement)
        names = sorted(assigned_names([statement]))
        source = self.visit(statement.iter)
        item = name_of(f"item {number}")
        if not isinstance(statement.target, ast.Name):
            item = call("unpacked", item)
        take = ast.Assign([self.visit(statement.target)], item)
        before = set(self.known)
        self.known |= assigned_names([ast.Assign([statement.target], ast.Constant(None))])
        jumps = any(map(ends, statement.body))
        body = nested(f"body {number}", [f"item {number}"], names, [take, *self.round(statement.body, jumps)])
        self.known = before
        self.depth -= 1
        joined = call("loop_until" if jumps else "loop", source, *locals_of(number, "body"))
        return [self.at(statement), body, *access(number, names), ast.Expr(joined)]

    def round(self, body: list[ast.stmt], jumps: bool) -> list[ast.stmt]:
        """The body of a loop. If it jumps, what it gives at its end says that the loop goes on."""
        return self.block([*body, ast.Continue()] if jumps and not always_ends(body) else body)

    def repeated(self, statement: ast.While) -> list[ast.stmt]:
        """A `while`: condition and body become functions, of which each round is run where the condition is true."""
        number = self.deeper(statement)
        names = sorted(assigned_names([statement]))
        outside, self.binds = self.binds, False
        condition: list[ast.stmt] = [self.at(statement), ast.Return(self.truth(statement.test))]
        if self.binds:
            condition.insert(0, assignment(DEPTH, call("depth")))
        self.binds, before = outside, set(self.known)
        test = nested(f"test {number}", [], names, condition)
        body = nested(f"body {number}", [], names, self.round(statement.body, jumps=True))
        self.known = before
        self.depth -= 1
        joined = call("while_", *locals_of(number, "test", "body"))
        return [self.at(statement), test, body, *access(number, names), ast.Expr(joined)]

    def update(self, statement: ast.AugAssign) -> ast.stmt:
        """An augmented assignment: the target is evaluated once, and read before the value is."""
        target = statement.target
        if isinstance(target, ast.Name):
            value = self.visit(statement.value)
            self.refuse_private(target, target.id)
            old = call("augmented", name_of(target.id))
            return ast.Assign([target], self.operator(old, statement.op, value))
        value = self.later(self.visit, statement.value)
        both = function_of(["_a", "_b"], self.operator(name_of("_a"), statement.op, name_of("_b")))
        if isinstance(target, ast.Attribute):
            self.refuse_private(target, target.attr)
            name = ast.Constant(target.attr)
            return ast.Expr(call("update_field", self.visit(target.value), name, both, value))
        return ast.Expr(call("update_entry", self.visit(target.value), self.visit(target.slice), both, value))

    def assigned(self, statement: ast.Assign) -> ast.expr:
        """The value of an assignment. What is taken apart is taken before the first of the targets changes."""
        apart = [t for t in statement.targets if isinstance(t, ast.Tuple | ast.List)]
        places = [one.value if isinstance(one, ast.Starred) else one for target in apart for one in target.elts]
        stored = any(not isinstance(place, ast.Name) for place in places)
        if isinstance(statement.value, ast.Tuple) and stored:
            parts = statement.value.elts
            if any(isinstance(part, ast.Starred) for part in parts):
                self.refuse(
                    statement, "starred values that are assigned to parts of the state", "Name the tuple before."
                )
            return ast.Tuple([call("taken", self.visit(part)) for part in parts], ast.Load())
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
