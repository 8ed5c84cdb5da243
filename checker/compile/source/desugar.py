"""Writing a rule with fewer statements: jumps out of loops, `else` after loops and `match` become flags and `if`.

Python's own trees go in and come out, and mean the same. What is left has no `return` inside a loop, no `else` after
one, and no `match`: so the rewriting and everything behind it know none of them. Names that are made here contain a
space, so no name of the rule can be meant.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

Refuse = Callable[[ast.AST, str, str], NoReturn]
Part = Callable[[], ast.expr]
"""Makes the expression of a value or a part of it, anew each time: a tree has no node twice."""
LOOPS = (ast.For, ast.While)
FUNCTIONS = (ast.FunctionDef, ast.Lambda, ast.AsyncFunctionDef, ast.ClassDef)
JUMPS = (ast.Return, ast.Break, ast.Continue)

UNRETURNED = "not returned yet"
"""A name that is read for what a loop has returned before it did: it never reaches a value that is used."""


# -- walks ------------------------------------------------------------------------------------------------------------
# What stands in statements, without what stands in functions that are defined there.


def parts_of(node: ast.AST, but: tuple[type[ast.AST], ...] = FUNCTIONS) -> Iterator[ast.AST]:
    """A node and what stands in it, without the insides of nodes of some classes."""
    pending = [node]
    while pending:
        one = pending.pop()
        yield one
        if not isinstance(one, but):
            pending.extend(ast.iter_child_nodes(one))


def has(statements: Sequence[ast.stmt], kind: type[ast.stmt], but: tuple[type[ast.AST], ...] = FUNCTIONS) -> bool:
    """Whether there is a statement of a class in these."""
    return any(isinstance(one, kind) for statement in statements for one in parts_of(statement, but))


def breaks(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements in the body of a loop may break out of it."""
    inside = [part for one in statements for part in (one.orelse if isinstance(one, LOOPS) else [one])]
    return any(_breaks(one) for one in inside)


def _breaks(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Break):
        return True
    if isinstance(statement, FUNCTIONS):
        return False
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    blocks += [case.body for case in getattr(statement, "cases", [])]
    return any(breaks(block) for block in blocks)


def ends(statement: ast.stmt) -> bool:
    """Whether a statement may return, or jump out of the loop's body that it stands in."""
    return any(isinstance(one, JUMPS) for one in parts_of(statement, (*FUNCTIONS, *LOOPS)))


def always_ends(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements return or jump whatever happens."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, ast.If):
        return always_ends(last.body) and always_ends(last.orelse)
    return isinstance(last, JUMPS)


# -- pieces -----------------------------------------------------------------------------------------------------------


def _read(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _set(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _located(statements: list[ast.stmt], like: ast.AST) -> list[ast.stmt]:
    """Statements that stand where another one does."""
    for statement in statements:
        for node in ast.walk(statement):
            if node._attributes and not hasattr(node, "lineno"):
                ast.copy_location(node, like)
    return statements


@dataclass(frozen=True)
class _Loop:
    """The loop around a statement: its number, and whether it is to be known that it was broken out of."""

    number: int
    flagged: bool


class Desugarer:
    """Desugars one function. `refuse` refuses a node, with what it is and what to write instead."""

    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse
        self._count = 0

    def function(self, tree: ast.FunctionDef) -> None:
        """A whole function, in place; those that are defined in it as well."""
        self._tree = tree
        tree.body = self._block(tree.body, None)

    def _number(self) -> int:
        self._count += 1
        return self._count

    def _block(self, statements: Sequence[ast.stmt], loop: _Loop | None) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in statements:
            made += self._statement(statement, loop)
        return made

    def _statement(self, statement: ast.stmt, loop: _Loop | None) -> list[ast.stmt]:
        if isinstance(statement, ast.If):
            statement.body, statement.orelse = self._block(statement.body, loop), self._block(statement.orelse, loop)
        elif isinstance(statement, ast.For | ast.While):
            return self._loop(statement, loop)
        elif isinstance(statement, ast.Match):
            return self._block(_located(self._match(statement), statement), loop)
        elif isinstance(statement, ast.FunctionDef):
            statement.body = self._block(statement.body, None)
        elif isinstance(statement, ast.Return) and loop is not None:
            value = statement.value or ast.Constant(None)
            jump = [_set(f"result {loop.number}", value), _set(f"returned {loop.number}", ast.Constant(True))]
            return _located([*jump, ast.Break()], statement)
        elif isinstance(statement, ast.Break) and loop is not None and loop.flagged:
            return _located([_set(f"broken {loop.number}", ast.Constant(True)), statement], statement)
        return [statement]

    # -- loops ----------------------------------------------------------------------------------------------------

    def _loop(self, statement: ast.For | ast.While, around: _Loop | None) -> list[ast.stmt]:
        """A loop that may return or has an `else`: flags say how it ended, and an `if` after it asks them."""
        number, orelse = self._number(), statement.orelse
        returns, flagged = has(statement.body, ast.Return), bool(orelse) and breaks(statement.body)
        statement.body = self._block(statement.body, _Loop(number, flagged))
        statement.orelse = []
        before: list[ast.stmt] = []
        after: list[ast.stmt] = []
        if returns:
            before.append(_set(f"returned {number}", ast.Constant(False)))
            before.append(_set(f"result {number}", _read(UNRETURNED)))
            leave = ast.Return(_read(f"result {number}"))
            after += self._block([ast.If(_read(f"returned {number}"), [leave], [])], around)
        rest = self._block(orelse, around)
        if flagged:
            before.append(_set(f"broken {number}", ast.Constant(False)))
            rest = _located([ast.If(ast.UnaryOp(ast.Not(), _read(f"broken {number}")), rest, [])], statement)
        return [*_located(before, statement), statement, *_located(after, statement), *rest]

    # -- match ----------------------------------------------------------------------------------------------------

    def _match(self, statement: ast.Match) -> list[ast.stmt]:
        """A `match`: its subject gets a name, and each case is an `if`."""
        subject = f"subject {self._number()}"
        made: list[ast.stmt] = []
        for case in reversed(statement.cases):
            pattern = _Pattern(self._refuse)
            test = pattern.test(case.pattern, lambda: _read(subject))
            if case.guard is not None:
                self._refuse_shared(statement, case, pattern.names)
                guard = _Renamed(pattern.names).visit(case.guard)
                test = guard if test is None else ast.BoolOp(ast.And(), [test, guard])
            body = [*(_set(name, part()) for name, part in pattern.names.items()), *case.body]
            made = _located(body if test is None else [ast.If(test, body, made)], case.pattern)
        return [_set(subject, statement.subject), *made]

    def _refuse_shared(self, statement: ast.Match, case: ast.match_case, names: Mapping[str, Part]) -> None:
        """A name that a case binds before its guard is asked would stay bound where the guard is false."""
        assert case.guard is not None
        everywhere = _named(self._tree)
        for name in names:
            binding = [one for one in statement.cases if name in _bound(one.pattern)]
            inside = sum(_named(part).count(name) for one in binding for part in (*one.body, one.guard or one.pattern))
            again = any(
                (isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Load))
                or (isinstance(one, ast.arg) and one.arg == name)
                for one in ast.walk(case.guard)
            )
            if again or everywhere.count(name) > inside:
                self._refuse(
                    case.pattern,
                    f"a case with a guard that binds {name}, which is used elsewhere in the rule",
                    "Use another name in the case.",
                )


def _named(node: ast.AST) -> list[str]:
    """Every name that is read or assigned in a piece of code, as often as it is."""
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]


def _bound(pattern: ast.pattern) -> set[str]:
    """The names that a pattern binds."""
    found = {one.name for one in ast.walk(pattern) if isinstance(one, ast.MatchAs | ast.MatchStar)}
    return {name for name in found if name is not None}


class _Renamed(ast.NodeTransformer):
    """Puts what names stand for in their place."""

    def __init__(self, names: Mapping[str, Part]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        found = self._names.get(node.id)
        return node if found is None else found()


TAKEN_APART = "Write tuples and records in a pattern, or if and elif."


class _Pattern:
    """A pattern as a condition; `names` are what it binds, each with the part of the subject that it gets."""

    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse
        self.names: dict[str, Part] = {}

    def test(self, pattern: ast.pattern, subject: Part) -> ast.expr | None:
        """The condition under which a subject matches; None if it always does."""
        if isinstance(pattern, ast.MatchValue):
            return ast.Compare(subject(), [ast.Eq()], [pattern.value])
        if isinstance(pattern, ast.MatchSingleton):
            return ast.Compare(subject(), [ast.Is()], [ast.Constant(pattern.value)])
        if isinstance(pattern, ast.MatchAs):
            found = None if pattern.pattern is None else self.test(pattern.pattern, subject)
            if pattern.name is not None:
                self.names[pattern.name] = subject
            return found
        if isinstance(pattern, ast.MatchOr):
            return self._any(pattern, subject)
        if isinstance(pattern, ast.MatchSequence):
            return self._sequence(pattern, subject)
        if isinstance(pattern, ast.MatchClass):
            return self._record(pattern, subject)
        self._refuse(pattern, "a mapping in a pattern", TAKEN_APART)

    def _any(self, pattern: ast.MatchOr, subject: Part) -> ast.expr | None:
        tests = []
        for one in pattern.patterns:
            if _bound(one):
                self._refuse(one, "a name that one of several patterns binds", "Write a case for each.")
            tests.append(self.test(one, subject))
        known = [test for test in tests if test is not None]
        return ast.BoolOp(ast.Or(), known) if len(known) == len(tests) else None

    def _all(self, tests: Sequence[ast.expr | None]) -> ast.expr:
        known = [test for test in tests if test is not None]
        return known[0] if len(known) == 1 else ast.BoolOp(ast.And(), known)

    def _sequence(self, pattern: ast.MatchSequence, subject: Part) -> ast.expr:
        parts = pattern.patterns
        star = next((at for at, one in enumerate(parts) if isinstance(one, ast.MatchStar)), None)
        least = len(parts) - (star is not None)
        tests: list[ast.expr | None] = [
            _asked("is_sequence", subject(), ast.Constant(least), ast.Constant(star is not None))
        ]
        for at, one in enumerate(parts):
            if isinstance(one, ast.MatchStar):
                if one.name is not None:
                    self.names[one.name] = _listed(subject, at, at + 1 - len(parts))
            else:
                tests.append(self.test(one, _entry(subject, at if star is None or at < star else at - len(parts))))
        return self._all(tests)

    def _record(self, pattern: ast.MatchClass, subject: Part) -> ast.expr:
        tests: list[ast.expr | None] = [_asked("is_a", subject(), pattern.cls)]
        for at, one in enumerate(pattern.patterns):
            tests.append(self.test(one, _positional(subject, pattern.cls, at)))
        for name, one in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            tests.append(self.test(one, _field(subject, name)))
        return self._all(tests)


class PatternQuestion(ast.Call):
    """A question to the operations: what Python does for a pattern, and has no expression for."""


def _asked(name: str, *arguments: ast.expr) -> ast.expr:
    return PatternQuestion(_read(name), list(arguments), [])


def _entry(subject: Part, at: int) -> Part:
    return lambda: ast.Subscript(subject(), ast.Constant(at), ast.Load())


def _field(subject: Part, name: str) -> Part:
    return lambda: ast.Attribute(subject(), name, ast.Load())


def _positional(subject: Part, kind: ast.expr, at: int) -> Part:
    return lambda: _asked("positional", subject(), copy.deepcopy(kind), ast.Constant(at))


def _listed(subject: Part, first: int, end: int) -> Part:
    """The list of what stands between two places; `end` is counted from behind."""

    def piece() -> ast.expr:
        part = ast.Subscript(subject(), ast.Slice(ast.Constant(first), ast.Constant(end) if end else None), ast.Load())
        return ast.List([ast.Starred(part, ast.Load())], ast.Load())

    return piece
