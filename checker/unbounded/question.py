"""A question: whether one of some claims follows from hypotheses. A goal is split into such questions.

Each part of a goal is about constants: what is to be shown of all values is shown of any.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..parametric.domains import LeafShape
from ..parametric.terms import (
    BOOL,
    FALSE,
    TRUE,
    Bound,
    Term,
    and_,
    bound_of,
    forall,
    implies,
    not_,
    or_,
    substitute,
    subterms,
    variable,
)
from .oracle import Hint

Clause = tuple[Term, ...]
"""Of these one must be true."""


MOST_PARTS, MOST_CASES = 24, 200
"""A goal of more parts than the first is split no further than quantifiers make necessary, and one that would then have
more than the second only into those of its outermost conjunction: the solver tells the other cases apart."""

FINELY, QUANTIFIED, COARSELY = range(3)


def split(goal: Term, few: bool = False) -> list[Clause]:
    """Clauses that together mean the goal; `few`: as few as can be, if they are many."""
    for how, most in ((FINELY, MOST_PARTS), (QUANTIFIED, 0 if few else MOST_CASES)):
        found = list(itertools.islice(_Splitter(how).clauses(goal), most + 1))
        if len(found) <= most:
            return found
    return list(_Splitter(COARSELY).clauses(goal))


class _Splitter:
    """Splits one goal. The constants that it makes are called by the goal's own variables and a number."""

    def __init__(self, how: int) -> None:
        self._how, self._number = how, 0

    def clauses(self, goal: Term) -> Iterator[Clause]:
        """Clauses that together mean the goal."""
        return self._clauses((), [goal])

    def _clauses(self, done: Clause, left: Sequence[Term]) -> Iterator[Clause]:
        """Clauses of the disjunction of what is done and what is left."""
        if not left:
            yield done
            return
        one, *others = left
        alone = not done and not others
        if self._how == QUANTIFIED and not alone and one.op != "or" and not is_quantified(one):
            yield from self._clauses((*done, one), others)
            return
        inside = _outside(one)
        if inside is TRUE:
            return
        if inside is FALSE:
            yield from self._clauses(done, others)
        elif inside.op == "or":
            yield from self._clauses(done, [*inside.args, *others])
        elif inside.op == "forall":
            yield from self._clauses(done, [self._of_any(bound_of(inside), inside.args[3]), *others])
        elif inside.op == "and" and (self._how != COARSELY or alone):
            for part in inside.args:
                yield from self._clauses(done, [part, *others])
        elif inside.op == "ite" and inside.sort == BOOL and (self._how != COARSELY or alone):
            condition, then, orelse = inside.args
            both = and_(implies(condition, then), or_(condition, orelse))
            yield from self._clauses(done, [both, *others])
        else:
            yield from self._clauses((*done, one), others)

    def _of_any(self, bound: Bound, body: Term) -> Term:
        self._number += 1
        name = bound.variable.value
        any_one = variable(f"{self._number} {name.name}", bound.variable.sort, name.kind)
        return substitute(implies(bound.inside, body), {bound.variable: any_one})


def is_quantified(term: Term) -> bool:
    """Whether there is a quantifier in a term."""
    return any(one.op in ("forall", "exists") for one in subterms([term]))


def _outside(term: Term) -> Term:
    """The same, with a negation moved inward by one step, where something can be split then."""
    if term.op != "not":
        return term
    inner = term.args[0]
    if inner.op == "and":
        return or_(*map(not_, inner.args))
    if inner.op == "or":
        return and_(*map(not_, inner.args))
    if inner.op == "exists":
        return forall([bound_of(inner)], not_(inner.args[3]))
    if inner.op == "ite":
        condition, then, orelse = inner.args
        return and_(implies(condition, not_(then)), or_(condition, not_(orelse)))
    return term


@dataclass(frozen=True)
class Question:
    """Whether one of `goal` follows from `own` and `others`; of the latter a first attempt knows nothing.

    `leaves` are those of the state, whose values hypotheses are tried with. `likely` are those of the others that a
    proof within bounds has used: they are tried alone first; `many` says that there are many hypotheses. `hint` is what
    has sufficed before.
    """

    own: tuple[Term, ...]
    others: tuple[Term, ...]
    goal: Clause
    leaves: tuple[LeafShape, ...]
    likely: tuple[Term, ...] = ()
    many: bool = False
    hint: Hint | None = None

    @property
    def digest(self) -> str:
        """A digest of what is asked, whatever is known of how to answer it."""
        parts = [*(t.digest for t in self.own), b"others", *(t.digest for t in self.others), b"goal"]
        parts += [t.digest for t in self.goal]
        return hashlib.blake2b(b"".join(parts) + repr(self.leaves).encode(), digest_size=20).hexdigest()

    @property
    def ways(self) -> str:
        """A digest of what is known of how to answer it."""
        hint = self.hint and (self.hint.core, self.hint.witnesses, self.hint.terms and [*map(_told, self.hint.terms)])
        known = repr(([t.digest for t in self.likely], self.many, hint))
        return hashlib.blake2b(known.encode(), digest_size=20).hexdigest()


def _told(tried: tuple[Term, str | None]) -> tuple[bytes, str | None]:
    return tried[0].digest, tried[1]
