"""Decision trees: which of many conjunctions hold, testing the most common conjuncts first and once.

A clause is a conjunction with something to do where it holds. The tree shares a conjunct between all clauses that have
it, then goes on with the clauses that do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from checker.compile.expression import Expression, Op

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


def write_tree(writer: ExpressionWriter, clauses: Sequence[Clause]) -> None:
    """Write the decision tree of the clauses. Ties go to the conjunct that was made first, so the code is reproducible."""
    pending = [clause for clause in clauses if not any(c.is_const and not c.value for c in clause.conjuncts)]
    while pending:
        for clause in pending:
            if not clause.conjuncts:
                clause.then()
        pending = [clause for clause in pending if clause.conjuncts]
        if not pending:
            return
        common = Counter(conjunct for clause in pending for conjunct in clause.conjuncts)
        chosen = min(common, key=lambda conjunct: (-common[conjunct], _cost(conjunct), conjunct.id))
        inside = [
            Clause(tuple(c for c in clause.conjuncts if c is not chosen), clause.then)
            for clause in pending
            if chosen in clause.conjuncts
        ]
        with writer.function.where(writer.write(chosen)):
            write_tree(writer, inside)
        pending = [clause for clause in pending if chosen not in clause.conjuncts]


def _cost(node: Expression) -> int:
    """A rough cost of testing a condition."""
    return 1 if node.op in (Op.FIELD, Op.CONST) else 1 + sum(_cost(arg) for arg in node.args)
