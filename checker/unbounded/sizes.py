"""Sizes of sets: what counting says of any finite sets, said of those whose sizes a question speaks of.

Every set of identifiers lies in the set of all of them, which has as many as their bound says: n. For sets A and B

* |A| <= n, and |A| = n if everything is in A;
* |A| <= |B| if everything in A is in B;
* |A| + |B| <= n if nothing is in both: |A| + |B| = |A or B| + |A and B|, and |A or B| <= n.

That two majorities have a member in common follows by arithmetic: 2|A| > n and 2|B| > n contradict the last line. So
does that a set with a majority in it is one, and that everything is one, and nothing is none.

Each line is an instance of counting, and true of all finite sets. Together with `defined` they say nothing else, so a
proof knows less than what is true. Sets are conditions on an identifier, and may depend on other variables, such as an
epoch: then each line is said for all values of these, which are different ones for A and B.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ..parametric.terms import (
    BINDING,
    INT,
    NO_LIMIT,
    UNLIMITED,
    Bound,
    Symbol,
    Term,
    add,
    and_,
    apply,
    constant,
    eq,
    exists,
    forall,
    le,
    not_,
    or_,
    rebuilt,
    substitute,
    subterms,
    variable,
)


@dataclass(frozen=True)
class Sized:
    """A set whose size is a function of some variables, its `places`."""

    symbol: Symbol
    places: tuple[Term, ...]
    bound: Bound
    condition: Term

    @property
    def size(self) -> Term:
        """How many members it has, for these places."""
        return apply(self.symbol, self.places, INT)

    def has(self, member: Term) -> Term:
        """That an identifier is a member."""
        return substitute(self.condition, {self.bound.variable: member})

    def elsewhere(self) -> Sized:
        """The same set for other places."""
        renamed = {one: variable(f"{one.value.name}'", one.sort, one.value.kind) for one in self.places}
        return Sized(self.symbol, tuple(renamed.values()), self.bound, substitute(self.condition, renamed))


def sized(count: Term) -> tuple[Sized, list[Term]]:
    """The set that a term counts, and what stands in its places there. Sets that are the same but for names are one."""
    canonical = _renamed(count, {})
    free = _in_order(canonical)
    places = {one: variable(f"place {n}", one.sort, one.value.kind) for n, one in enumerate(free)}
    plain = substitute(canonical, places)
    member = variable("member", plain.args[0].sort)
    condition = substitute(plain.args[3], {plain.args[0]: member})
    return Sized(Symbol(f"count {plain.digest.hex()}"), tuple(places.values()), Bound(member), condition), free


def _renamed(term: Term, known: dict[Term, Term]) -> Term:
    """The term with bound variables that are called by how many others are bound in what they range over."""
    found = known.get(term)
    if found is None:
        found = rebuilt(term, [_renamed(arg, known) for arg in term.args]) if term.args else term
        if term.op in BINDING:
            bound, low, high, body = found.args
            name = variable(f"bound {_depth(body)}", bound.sort, bound.value.kind)
            found = rebuilt(found, [name, low, high, substitute(body, {bound: name})])
        known[term] = found
    return found


@cache
def _depth(term: Term) -> int:
    """How many variables are bound within each other in a term."""
    return max(map(_depth, term.args), default=0) + (term.op in BINDING)


def _in_order(term: Term) -> list[Term]:
    """The free variables, always in the same order."""
    return [one for one in subterms([term]) if one in term.free]


def sizes(sets: Sequence[Sized], known: Mapping[str, Term]) -> list[Term]:
    """What is said of the sizes of these sets. `known` has how many identifiers of a sort there are."""
    found: list[Term] = []
    for number, one in enumerate(sets):
        sort = one.bound.variable.sort
        alike = [other for other in sets if other.bound.variable.sort == sort]
        found += [_within(one, other.elsewhere()) for other in alike]
        if sort in known:
            found += _of_all(one, known[sort])
            found += [_apart(one, b.elsewhere(), known[sort]) for b in sets[number:] if b in alike]
    return found


def _anywhere(*sets: Sized) -> list[Bound]:
    places = [place for one in sets for place in one.places]
    return [Bound(one, NO_LIMIT, UNLIMITED if one.sort == INT else NO_LIMIT) for one in places]


def _within(one: Sized, other: Sized) -> Term:
    """Either something of the one is not in the other, or it has no more members."""
    member = one.bound.variable
    outside = exists([one.bound], and_(one.has(member), not_(other.has(member))))
    return forall(_anywhere(one, other), or_(outside, le(one.size, other.size)))


def _apart(one: Sized, other: Sized, everything: Term) -> Term:
    """Either something is in both, or together they have no more members than there are."""
    member = one.bound.variable
    both = exists([one.bound], and_(one.has(member), other.has(member)))
    return forall(_anywhere(one, other), or_(both, le(add(one.size, other.size), everything)))


def _of_all(one: Sized, everything: Term) -> list[Term]:
    """It has no more members than there are, and as many if it has all."""
    missing = exists([one.bound], not_(one.condition))
    return [
        forall(_anywhere(one), le(one.size, everything)),
        forall(_anywhere(one), or_(missing, eq(one.size, everything))),
    ]


def least_sizes(one: Sized) -> list[Term]:
    """A size is not negative; it is 0 for no member, and at least 2 if there are two."""
    first, second = one.bound.variable, variable(one.bound.variable.value.name + "'", one.bound.variable.sort)
    both = and_(one.condition, one.has(second), not_(eq(first, second)))
    two = exists([one.bound, Bound(second)], both)
    none = not_(exists([one.bound], one.condition))
    said = [
        le(constant(0), one.size),
        or_(and_(none, eq(one.size, constant(0))), and_(not_(none), le(constant(1), one.size))),
        or_(and_(two, le(constant(2), one.size)), and_(not_(two), le(one.size, constant(1)))),
    ]
    return [forall(_anywhere(one), fact) for fact in said]
