"""Why a property is false: the values in its `all` and `any` that make it so, read in Python from its own source.

`return all(self.holds_committed(r) for r in self.brokers if self.is_legitimate(r))` is false for some `r`; which one,
and what in `holds_committed` is false for it, is what a reader looks for first. The first such values are told, in the
order of the specification; nothing is told where the source cannot be followed.
"""

from __future__ import annotations

import ast
import enum
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any, Literal

from epochal.spec.language import Identifier, Log, Map, Member, Protocol, Set, SpecificationError, Struct

from ..base.numbers import counted
from ..compile.source.admitted import Sources
from .run import Codes

DEEPEST = 6
"""How many helper methods are followed, one within the other."""

COMPILED = "__epochal_code__"
"""The attribute under which an expression carries its code."""

ASSIGNED = "__assigned__"
"""The name under which the names of a function carry the expressions that they were given."""

Env = dict[str, Any]
"""What every name means: globals of the function, names of the functions around it, and its own."""


@dataclass(frozen=True)
class Reason:
    """Values of bound names, and what is so for them: `r is b2: end(r) is 0, len(committed) is 1`."""

    bound: tuple[str, ...]
    facts: tuple[str, ...]

    def __str__(self) -> str:
        return ": ".join(", ".join(part) for part in (self.bound, self.facts) if part)


def why_false(protocol: Protocol, member: Member, codes: Codes, after: Codes | None = None) -> Reason | None:
    """Why a property is false in a state, or of the step to the state `after`; None if its source does not tell."""
    arguments: list[Any] = [protocol.at(codes)]
    if after is not None:
        arguments.append(protocol.at(after))
    follower = _Follower()
    try:
        found = follower.of_call(member.function, arguments, False, 0)
    except NOT_FOLLOWED:
        return None
    return Reason(tuple(follower.bound), tuple(dict.fromkeys(found))) if found or follower.bound else None


def why_waiting(
    protocol: Protocol, member: Member, arguments: Sequence[Any], codes: Codes, part: Literal["premise", "goal"]
) -> Reason | None:
    """Why the premise of a liveness property is true in a state, or why its goal is false; None if its source does not
    tell."""
    follower = _Follower()
    try:
        ending, env = follower.ending(member.function, [protocol.at(codes), *arguments])
        if not isinstance(ending, ast.Tuple) or len(ending.elts) != 2:
            return None
        found = follower.reason(ending.elts[part == "goal"], env, part == "premise", 0)
    except NOT_FOLLOWED:
        return None
    return Reason(tuple(follower.bound), tuple(dict.fromkeys(found))) if found or follower.bound else None


def reasons(condition: ast.expr, names: Mapping[str, Any], truth: bool) -> tuple[str, ...]:
    """What makes a condition, whose names mean this, true or false; nothing where its source does not tell."""
    env: Env = dict(names)
    env["__self__"] = env.get("self")
    follower = _Follower()
    try:
        found = follower.reason(condition, env, truth, 0)
    except NOT_FOLLOWED:
        return ()
    return tuple(dict.fromkeys((*follower.bound, *found)))


class _CannotFollow(Exception):
    """A construct whose truth has no single reason."""


NOT_FOLLOWED = (_CannotFollow, SpecificationError, ArithmeticError, AttributeError, LookupError, NameError, TypeError)
"""What stops the following: of the specification's own expressions, some of which only a whole function can evaluate.

That the property is false has been established by others; only the reason is missing then.
"""


class _Follower:
    """Follows an expression that has a truth value down to what gives it that."""

    def __init__(self) -> None:
        self.bound: list[str] = []

    # -- functions ------------------------------------------------------------------------------------------------

    def of_call(self, function: Any, arguments: Sequence[Any], truth: bool, depth: int) -> list[str]:
        """Why a function that ends in one `return` gives what it does."""
        if depth > DEEPEST:
            raise _CannotFollow
        ending, env = self.ending(function, arguments)
        return self.reason(ending, env, truth, depth)

    def ending(self, function: Any, arguments: Sequence[Any]) -> tuple[ast.expr, Env]:
        """What a function returns, as it stands in its source, and what the names in it mean."""
        if not isinstance(function, FunctionType):
            raise _CannotFollow
        tree = _tree(function)
        names = [one.arg for one in tree.args.args]
        if len(names) != len(arguments):
            raise _CannotFollow
        env: Env = {**function.__globals__, **_cells(function), **dict(zip(names, arguments, strict=True))}
        env["__self__"] = arguments[0]
        env[ASSIGNED] = assigned = dict[str, ast.expr]()
        for statement in tree.body:
            if isinstance(statement, ast.Return) and statement.value is not None:
                return statement.value, env
            if isinstance(statement, ast.If) and not statement.orelse and isinstance(statement.body[-1], ast.Return):
                if value(statement.test, env):
                    chosen = statement.body[-1].value
                    if len(statement.body) > 1 or chosen is None:
                        raise _CannotFollow
                    return chosen, env
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name | ast.Tuple):
                _bind(statement.targets[0], value(statement.value, env), env)
                if isinstance(statement.targets[0], ast.Name):
                    assigned[statement.targets[0].id] = statement.value
            elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                raise _CannotFollow
        raise _CannotFollow

    # -- expressions ----------------------------------------------------------------------------------------------

    def reason(self, node: ast.expr, env: Env, truth: bool, depth: int) -> list[str]:
        """Why an expression is true, or false."""
        match node:
            case ast.BoolOp(op=operator, values=parts):
                one_decides = isinstance(operator, ast.And) != truth
                deciding = (part for part in parts if bool(value(part, env)) == truth)
                chosen = list(itertools.islice(deciding, 1)) if one_decides else parts
                return [fact for part in chosen for fact in self.reason(part, env, truth, depth)]
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.reason(operand, env, not truth, depth)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.reason(body if value(test, env) else orelse, env, truth, depth)
            case ast.Call(func=ast.Name(id="all" | "any" as name), args=[ast.GeneratorExp() as generator]):
                if (name == "any") != truth:
                    return [f"{_text(node, env)} is {str(truth).lower()}"]
                return self._of_generator(generator, env, truth, depth)
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=arguments, keywords=[]):
                return self._of_method(node, owner, name, arguments, env, truth, depth)
            case ast.Compare(left=left, ops=[_], comparators=[right]):
                return _sides(left, right, env)
            case ast.Name(id=name) if isinstance(env.get(name), bool) and name in env.get(ASSIGNED, {}):
                return self._of_name(name, env, truth, depth)
        return [] if isinstance(node, ast.Constant) else [f"{_text(node, env)} is {shown(value(node, env))}"]

    def _of_generator(self, node: ast.GeneratorExp, env: Env, truth: bool, depth: int) -> list[str]:
        for chosen in _chosen(node.generators, env):
            if bool(value(node.elt, {**env, **chosen})) == truth:
                among = _ranges(node.generators)
                names = [name for name in chosen if not name.startswith("_")]
                self.bound += [f"{name} is {shown(chosen[name])}{among.get(name, '')}" for name in names]
                kept = {name: one for name, one in env.get(ASSIGNED, {}).items() if name not in chosen}
                return self.reason(node.elt, {**env, **chosen, ASSIGNED: kept}, truth, depth)
        raise _CannotFollow

    def _of_name(self, name: str, env: Env, truth: bool, depth: int) -> list[str]:
        """A name that the function has given to a condition: that condition, where it has a single reason."""
        told = [f"{name} is {str(truth).lower()}"]
        match env[ASSIGNED][name]:
            case ast.Call(func=ast.Name(id="all" | "any" as word)) if (word == "any") != truth:
                return told
            case condition if bool(value(condition, env)) == truth:
                return self.reason(condition, env, truth, depth) or told
        return told

    def _of_method(
        self, node: ast.Call, owner: ast.expr, name: str, arguments: list[ast.expr], env: Env, truth: bool, depth: int
    ) -> list[str]:
        """A method of the protocol is looked into; of any other value it is told what it says."""
        method = getattr(value(owner, env), name, None)
        target = getattr(method, "__self__", None)
        if isinstance(target, Protocol) and not any(isinstance(one, ast.Starred) for one in arguments):
            bound_before = list(self.bound)
            try:
                given = [target, *(value(one, env) for one in arguments)]
                found = self.of_call(getattr(method, "__func__", None), given, truth, depth + 1)
                if found:
                    return found
            except NOT_FOLLOWED:
                self.bound = bound_before
            if _is_constant(getattr(method, "__func__", None)):
                return [f"{_text(node, env)} is always {str(truth).lower()}"]
        return [f"{_text(node, env)} is {str(truth).lower()}"]


def _is_constant(function: Any) -> bool:
    """Whether a function does nothing but return a constant, as a rule that is taken away does."""
    if not isinstance(function, FunctionType):
        return False
    match [one for one in _tree(function).body if not isinstance(one, ast.Expr)]:
        case [ast.Return(value=ast.Constant())]:
            return True
    return False


@lru_cache(maxsize=1024)
def _tree(function: FunctionType) -> ast.FunctionDef:
    """The syntax tree of a function, which nobody here changes."""
    return Sources().tree(function)


def value(node: ast.expr, env: Env) -> Any:
    """What an expression of the specification is in a state."""
    code = getattr(node, COMPILED, None)
    if code is None:  # trees are kept, so each expression is compiled once
        tree = ast.Expression(_Super().visit(ast.parse(ast.unparse(node), mode="eval").body))
        code = compile(ast.fix_missing_locations(tree), "<property>", "eval")
        setattr(node, COMPILED, code)
    return eval(code, env)


class _Super(ast.NodeTransformer):
    """`super()` needs its class and its object by name outside of a method."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            node.args = [ast.Name("__class__", ast.Load()), ast.Name("__self__", ast.Load())]
        return node


def _chosen(generators: list[ast.comprehension], env: Env) -> Iterator[Env]:
    """What the names of a comprehension mean, one choice after the other."""
    first, rest = generators[0], generators[1:]
    for one in value(first.iter, env):
        chosen: Env = {}
        _bind(first.target, one, chosen)
        inner = {**env, **chosen}
        if all(value(condition, inner) for condition in first.ifs):
            if not rest:
                yield chosen
            else:
                yield from ({**chosen, **later} for later in _chosen(rest, inner))


def _bind(target: ast.expr, one: Any, env: Env) -> None:
    if isinstance(target, ast.Name):
        env[target.id] = one
    elif isinstance(target, ast.Tuple):
        for part, item in zip(target.elts, one, strict=True):
            _bind(part, item, env)
    else:
        raise _CannotFollow


def _cells(function: FunctionType) -> Env:
    """What the names of the functions around mean; those without a value yet mean nothing here."""
    found: Env = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found


def _ranges(generators: list[ast.comprehension]) -> dict[str, str]:
    """Among what a comprehension looks for its names, where that is a variable of the state: ` (of brokers)`."""
    found = {}
    for one in generators:
        match one.target, one.iter:
            case ast.Name(id=name), ast.Attribute(value=ast.Name(id="self"), attr=of):
                found[name] = f" (of {of.replace('_', ' ')})"
    return found


def _sides(left: ast.expr, right: ast.expr, env: Env) -> list[str]:
    """Both sides of a comparison; a constant says itself."""
    return [_side(one, env) for one in (left, right) if not _is_plain(one, env)]


def _side(node: ast.expr, env: Env) -> str:
    """What an expression is, as a sentence."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[whole]):
            kind, count = type(value(whole, env)), value(node, env)
            if issubclass(kind, Log | Set):
                unit = "record" if issubclass(kind, Log) else "member"
                return f"{_text(whole, env)} {'is empty' if not count else f'has {counted(count, unit)}'}"
    return f"{_text(node, env)} is {shown(value(node, env))}"


def _is_plain(node: ast.expr, env: Env) -> bool:
    """Whether an expression says its own value: a constant, a name that stands among the bound ones, a member."""
    if isinstance(node, ast.Name):
        return _says_itself(env.get(node.id))
    return all(name.id[:1].isupper() for name in ast.walk(node) if isinstance(name, ast.Name))


def _says_itself(one: Any) -> bool:
    """Whether a value stands in the place of its name. A truth value does not: it says nothing without the name."""
    return isinstance(one, Identifier | int) and not isinstance(one, bool)


def _text(node: ast.expr, env: Env) -> str:
    """An expression as it stands in the source, with identifiers and numbers in place of their names."""
    told = _Told({name: one for name, one in env.items() if _says_itself(one)}, env.get(ASSIGNED, {}))
    return ast.unparse(told.visit(ast.parse(ast.unparse(node), mode="eval"))).replace("self.", "")


class _Told(ast.NodeTransformer):
    """Names that mean an identifier or a number are that; what a comprehension names itself stays.

    A name that the function gave to a part of the state is that part: `brokers[b3].log`, and not `log`.
    """

    def __init__(self, meaning: Env, assigned: Mapping[str, ast.expr]) -> None:
        self._meaning = meaning
        self._assigned = {name: one for name, one in assigned.items() if _is_part(one)}

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        own = {one.id for part in node.generators for one in ast.walk(part.target) if isinstance(one, ast.Name)}
        meaning, assigned = (
            {name: one for name, one in each.items() if name not in own} for each in (self._meaning, self._assigned)
        )
        inner = _Told(meaning, assigned)
        return ast.GeneratorExp(inner.visit(node.elt), [inner.visit(part) for part in node.generators])

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._meaning:
            return ast.Name(shown(self._meaning[node.id]), ast.Load())
        if node.id not in self._assigned:
            return node
        others = {name: one for name, one in self._assigned.items() if name != node.id}
        told: ast.AST = _Told(self._meaning, others).visit(_copy(self._assigned[node.id]))
        return told


def _is_part(node: ast.expr) -> bool:
    """Whether an expression is a part of the state: `self.brokers[r].log`."""
    match node:
        case ast.Attribute(value=inner):
            return (isinstance(inner, ast.Name) and inner.id == "self") or _is_part(inner)
        case ast.Subscript(value=inner, slice=ast.Name()):
            return _is_part(inner)
    return False


def _copy(node: ast.expr) -> ast.expr:
    """An expression of its own, because trees are kept."""
    return ast.parse(ast.unparse(node), mode="eval").body


def shown(one: Any) -> str:
    """A value as a story shows it."""
    if one is None:
        return "none"
    if isinstance(one, bool):
        return str(one).lower()
    if isinstance(one, enum.Enum):
        return one.name.lower().replace("_", "-")
    if isinstance(one, Struct):
        fields = {name: shown(getattr(one, name)) for name in type(one).fields}
        form = type(one).text_format
        return form.format(**fields) if form else "(" + ", ".join(f"{n} {text}" for n, text in fields.items()) + ")"
    if isinstance(one, Log | list | tuple):
        return "[" + ", ".join(map(shown, one)) + "]"
    if isinstance(one, set | frozenset):  # in the order of the texts: that of a plain set is by chance
        texts = map(shown, one)
        return "{" + ", ".join(texts if isinstance(one, Set) else sorted(texts)) + "}"
    if isinstance(one, Map | dict):
        return "[" + ", ".join(f"{shown(key)}: {shown(one[key])}" for key in one) + "]"
    return str(one)
