"""Minima, maxima and sizes of sets as functions of which only their definitions are known.

A minimum of finitely many numbers exists, so a function with its value exists, and everything that is said of it here
is true of that function at all arguments. Of a number of members no more is said than what it is for none, one and two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..parametric.definition import definition
from ..parametric.terms import (
    INT,
    NO_LIMIT,
    UNLIMITED,
    Bound,
    Symbol,
    Term,
    and_,
    apply,
    bound_of,
    candidates_of,
    constant,
    eq,
    exists,
    forall,
    implies,
    kind_of,
    le,
    not_,
    or_,
    rebuilt,
    subterms,
    variable,
)
from .pools import MEMBERS


class Definitions:
    """Puts functions in the place of minima and the like, one for each, and keeps what they are defined by."""

    def __init__(self, by_head: bool = True) -> None:
        self._by_head = by_head
        self._found: dict[Term, Term] = {}
        self._facts: dict[str, tuple[Term, ...]] = {}

    def __call__(self, term: Term) -> Term:
        """The term without minima, maxima and counts."""
        known = self._found.get(term)
        if known is None:
            known = term if not term.args else rebuilt(term, [self(arg) for arg in term.args])
            if known.op in ("extreme", "count"):
                known = self._defined(known)
            self._found[term] = known
        return known

    def facts(self, terms: Iterable[Term]) -> list[Term]:
        """What the functions in these terms are defined by, and those in that."""
        found: dict[str, tuple[Term, ...]] = {}
        todo = list(terms)
        while todo:
            names = {one.value.name for one in subterms(todo) if one.op == "app"} & self._facts.keys() - found.keys()
            todo = [fact for name in sorted(names) for fact in self._facts[name]]
            found |= {name: self._facts[name] for name in names}
        return [fact for name in sorted(found) for fact in found[name]]

    def _defined(self, term: Term) -> Term:
        names = _renaming(term) if self._by_head else _as_they_are(term)
        given = [one for one in names if one in term.free]
        term = _renamed(term, names)
        free = [names[one] for one in given]
        symbol = Symbol(f"{term.op} {term.digest.hex()}", kind_of(term) if term.op == "extreme" else "")
        if symbol.name not in self._facts:
            value = apply(symbol, free, INT)
            anywhere = [Bound(one, NO_LIMIT, UNLIMITED if one.sort == INT else NO_LIMIT) for one in free]
            facts = _extreme(term, value) if term.op == "extreme" else _count(term, value)
            self._facts[symbol.name] = tuple(
                definition(anywhere, value, fact) if self._by_head else forall(anywhere, fact) for fact in facts
            )
        return apply(symbol, given, INT)


def _as_they_are(term: Term) -> dict[Term, Term]:
    return {one: one for one in sorted(term.free, key=lambda one: one.value.name)}


def _renaming(term: Term) -> dict[Term, Term]:
    """Names for the variables of a term that depend on what it says alone, so that two rules have one function."""
    found: dict[Term, Term] = {}
    todo, seen = [term], set[Term]()
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.op == "var":
            found[one] = variable(f"v{len(found)}", one.sort, one.value.kind)
        todo += one.args[::-1]
    return found


def _renamed(term: Term, names: Mapping[Term, Term]) -> Term:
    known = dict(names)

    def of(one: Term) -> Term:
        found = known.get(one)
        if found is None:
            found = known[one] = rebuilt(one, [*map(of, one.args)]) if one.args else one
        return found

    return of(term)


def _extreme(term: Term, value: Term) -> list[Term]:
    """It is one of the numbers and none is beyond it; where there is none, it is the default."""
    candidates = candidates_of(term)
    beyond = le if not term.value else lambda a, b: le(b, a)
    some = or_(*(one.some for one in candidates))
    reached = or_(*(exists(one.bounds, and_(one.condition, eq(value, one.number))) for one in candidates))
    first = [forall(one.bounds, implies(one.condition, beyond(value, one.number))) for one in candidates]
    return [implies(some, reached), *first, implies(not_(some), eq(value, term.args[-1]))]


def _count(term: Term, value: Term) -> list[Term]:
    """Not negative; if not 0 there is one, and if not 1 another; who is a member is that one, or there are two."""
    bound, condition = bound_of(term), term.args[3]
    member, free = bound.variable, value.args
    one, other = (apply(Symbol(value.value.name + which), free, member.sort) for which in MEMBERS)
    several = le(constant(2), value)
    return [
        le(constant(0), value),
        implies(le(constant(1), value), exists([bound], and_(condition, eq(member, one)))),
        implies(several, exists([bound], and_(condition, eq(member, other), not_(eq(member, one))))),
        forall([bound], implies(condition, and_(le(constant(1), value), or_(several, eq(member, one))))),
    ]
