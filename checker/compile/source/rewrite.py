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
from threading import Lock
from types import CodeType, FunctionType
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from epochal.spec.language import LanguageError, SourceLine, bounded, require
from epochal.spec.language.errors import shown_path, source_line

from .admitted import TREE, Sources, unfit

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


# -- rewrite expressions ----------------------------------------------------------------------------------------------
# Rewriting expressions: what Python decides by truth or looks up by name becomes a call of `Operations`.


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
