"""Decision trees: which of many conjunctions hold, testing the most common conjuncts first and once.

A clause is a conjunction with something to do where it holds. The tree shares a conjunct between all clauses that have
it, then goes on with the clauses that do not.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from ...ir.expression import Expression, Op
from .expressions import ExpressionWriter


@dataclass(frozen=True)
class Clause:
    """What to do (`then` writes it) where all the conjuncts hold."""

    conjuncts: tuple[Expression, ...]
    then: Callable[[], None]


def conjuncts_of(condition: Expression) -> tuple[Expression, ...]:
    """The members of a conjunction."""
    if condition.op is Op.AND:
        return condition.args
    return () if condition.is_const and condition.value else (condition,)


def disjuncts_of(condition: Expression) -> tuple[Expression, ...]:
    """The members of a disjunction."""
    if condition.op is Op.OR:
        return condition.args
    return () if condition.is_const and not condition.value else (condition,)


class Branches(Protocol):
    """How the blocks of a tree are written."""

    def where(self, condition: Expression) -> AbstractContextManager[None]:
        """What follows is done where a condition holds."""

    def otherwise(self, condition: Expression) -> AbstractContextManager[None]:
        """Directly after that: what follows is done where it does not hold."""

    def switch(self, subject: Expression, values: Sequence[int]) -> AbstractContextManager[Iterator[int]]:
        """One block for each value of a subject: iterate over them and write each block in turn."""

    def write_together(self, clauses: Sequence[Clause]) -> bool:
        """Write clauses that are left without a tree of their own; False if they are to have one."""


def write_tree(writer: ExpressionWriter, clauses: Sequence[Clause]) -> None:
    """Write the decision tree of the clauses. Ties go to the test that was made first, so the code is reproducible."""
    write_branches(_Single(writer), clauses)


def write_branches(branches: Branches, clauses: Sequence[Clause]) -> None:
    """Write the same tree with other branches."""
    _write_tree(branches, clauses, Estimates())


def in_order(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses in the order in which their tree comes to them."""
    order: list[Clause] = []
    write_branches(_Unwritten(), [Clause(one.conjuncts, partial(order.append, one)) for one in clauses])
    return order


@dataclass(frozen=True)
class _Single:
    """Branches on one state."""

    writer: ExpressionWriter

    def where(self, condition: Expression) -> AbstractContextManager[None]:
        return self.writer.function.where(self.writer.bit(condition))

    def otherwise(self, condition: Expression) -> AbstractContextManager[None]:
        return self.writer.function.otherwise()

    def switch(self, subject: Expression, values: Sequence[int]) -> AbstractContextManager[Iterator[int]]:
        return self.writer.function.switch(self.writer.word(subject), values)

    def write_together(self, clauses: Sequence[Clause]) -> bool:
        return False


class _Unwritten:
    """Branches of which nothing is written: only the order of what they lead to is wanted."""

    def where(self, condition: Expression) -> AbstractContextManager[None]:
        return nullcontext()

    def otherwise(self, condition: Expression) -> AbstractContextManager[None]:
        return nullcontext()

    def switch(self, subject: Expression, values: Sequence[int]) -> AbstractContextManager[Iterator[int]]:
        return nullcontext(iter(values))

    def write_together(self, clauses: Sequence[Clause]) -> bool:
        return False


def _write_tree(branches: Branches, clauses: Sequence[Clause], estimates: Estimates) -> None:
    pending = [clause for clause in clauses if not any(c.is_const and not c.value for c in clause.conjuncts)]
    while pending:
        for clause in pending:
            if not clause.conjuncts:
                clause.then()
        pending = [clause for clause in pending if clause.conjuncts]
        if pending and branches.write_together(pending):
            return
        if pending:
            pending = _write_test(branches, pending, _best_test(pending, estimates), estimates)


@dataclass(frozen=True)
class _Test:
    """A condition and its negation, or the value of an integer that several clauses compare with constants."""

    subject: Expression
    values: tuple[int, ...] = ()


def _best_test(clauses: Sequence[Clause], estimates: Estimates) -> _Test:
    """The test that is likely to save the most for what it costs."""
    saved: dict[Expression, float] = defaultdict(float)
    compared: dict[Expression, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for clause in clauses:
        for conjunct in clause.conjuncts:
            gain = 1 - estimates.likelihood(conjunct)
            saved[_base(conjunct)] += gain
            if conjunct.op is Op.EQ and conjunct.args[1].is_const and conjunct.args[0].sort == "int":
                compared[conjunct.args[0]][conjunct.args[1].value] += gain
    tests = {_Test(base): gain / (estimates.cost(base) + 3) for base, gain in saved.items()}
    for subject, gains in compared.items():
        if len(gains) > 1:
            tests[_Test(subject, tuple(sorted(gains)))] = sum(gains.values()) / (estimates.cost(subject) + 9)
    return min(tests, key=lambda test: (-tests[test], test.subject.id, len(test.values)))


def _write_test(branches: Branches, pending: list[Clause], test: _Test, estimates: Estimates) -> list[Clause]:
    """Write a test with the clauses that depend on it; the clauses that are left."""
    if test.values:
        matching: dict[int, list[Clause]] = {value: [] for value in test.values}
        for clause in pending:
            for value in {e.args[1].value for e in clause.conjuncts if _compares(e, test.subject)}:
                matching[value].append(clause)
        with branches.switch(test.subject, test.values) as blocks:
            for value in blocks:
                _write_tree(
                    branches, [_without(c, _comparison(test.subject, value)) for c in matching[value]], estimates
                )
        done = {id(clause) for clauses in matching.values() for clause in clauses}
        return [clause for clause in pending if id(clause) not in done]
    positive = [c for c in pending if test.subject in c.conjuncts]
    negative = [c for c in pending if any(e.op is Op.NOT and e.args[0] is test.subject for e in c.conjuncts)]
    with branches.where(test.subject):
        _write_tree(branches, [_without(c, lambda e: e is test.subject) for c in positive], estimates)
    if negative:
        with branches.otherwise(test.subject):
            _write_tree(branches, [_without(c, lambda e: _base(e) is test.subject) for c in negative], estimates)
    done = {id(clause) for clause in (*positive, *negative)}
    return [clause for clause in pending if id(clause) not in done]


def _comparison(subject: Expression, value: int) -> Callable[[Expression], bool]:
    """Whether a conjunct compares the subject with this value."""
    return lambda conjunct: _compares(conjunct, subject) and conjunct.args[1].value == value


def _compares(conjunct: Expression, subject: Expression) -> bool:
    """Whether a conjunct compares the subject with a constant."""
    return conjunct.op is Op.EQ and conjunct.args[0] is subject and conjunct.args[1].is_const


def _base(conjunct: Expression) -> Expression:
    return conjunct.args[0] if conjunct.op is Op.NOT else conjunct


def _without(clause: Clause, known: Callable[[Expression], bool]) -> Clause:
    return Clause(tuple(c for c in clause.conjuncts if not known(c)), clause.then)


class Estimates:
    """Rough estimates of conditions, each made once: a graph shares nodes, so that its tree can be huge."""

    def __init__(self) -> None:
        self._likelihoods: dict[int, float] = {}
        self._costs: dict[int, float] = {}

    def likelihood(self, condition: Expression) -> float:
        """How often a condition is true, estimated from the ranges of what it compares."""
        found = self._likelihoods.get(condition.id)
        if found is None:
            found = self._likelihoods[condition.id] = self._likelihood(condition)
        return found

    def _likelihood(self, condition: Expression) -> float:
        if condition.is_const:
            return float(condition.value)
        if condition.op is Op.NOT:
            return 1 - self.likelihood(condition.args[0])
        if condition.op is Op.AND:
            return math.prod(self.likelihood(arg) for arg in condition.args)
        if condition.op is Op.OR:
            return 1 - math.prod(1 - self.likelihood(arg) for arg in condition.args)
        if condition.op is Op.EQ:
            sizes = [min(arg.high - arg.low, 7) for arg in condition.args]
            return 1 / (1 + max(sizes))
        return 0.5

    def cost(self, node: Expression) -> float:
        """How much there is to compute for an expression."""
        if node.op in (Op.FIELD, Op.CONST):
            return 1.0
        found = self._costs.get(node.id)
        if found is None:
            found = self._costs[node.id] = 1.0 + sum(self.cost(arg) for arg in node.args if not arg.is_const)
        return found
