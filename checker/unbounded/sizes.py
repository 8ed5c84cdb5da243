"""Sizes of sets: what counting says of any finite sets, said of those whose sizes a question speaks of.

Every set of identifiers lies in the set of all of them, which has as many as their bound says: n. For sets A and B

* |A| <= n, and |A| = n if everything is in A;
* |A| <= |B| if everything in A is in B;
* |A| + |B| <= n if nothing is in both: |A| + |B| = |A or B| + |A and B|, and |A or B| <= n.

That two majorities have a member in common follows by arithmetic: 2|A| > n and 2|B| > n contradict the last line. So
does that a set with a majority in it is one, and that everything is one, and nothing is none.

Each line is an instance of counting, and true of all finite sets; no more is known of sizes. Sets are conditions on an
identifier, and may depend on other values, such as an epoch: their places. What is said of one set is said for all
values in its places, what is said of two for the terms that a question is about.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..parametric.canonical import canonical
from ..parametric.terms import (
    INT,
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
    implies,
    kind_of,
    le,
    not_,
    or_,
    substitute,
    variable,
)

COUNT = "count of "
"""How sizes are called. A variable may be called count, and has then a name such as `count after add`."""


MEMBERS = ("one of ", "another of ")
"""How the functions are called that are members of a set, if it has so many."""


def is_member(term: Term) -> bool:
    """Whether a term is a member that a set has because of its size."""
    return term.op == "app" and bool(term.value.name.startswith(MEMBERS))


def is_size(term: Term) -> bool:
    """Whether a term is the size of a set."""
    return term.op == "app" and bool(term.value.name.startswith(COUNT))


@dataclass(frozen=True)
class Sized:
    """A set whose size is a function of some variables, its `places`.

    Of numbers `bound` has the limits, which are a part of the condition, too: another set has other ones.
    """

    symbol: Symbol
    places: tuple[Term, ...]
    bound: Bound
    condition: Term

    @property
    def size(self) -> Term:
        """How many members it has, for these places."""
        return apply(self.symbol, self.places, INT)

    @property
    def sort(self) -> str:
        """The sort of its members."""
        return self.bound.variable.sort

    def at(self, terms: Sequence[Term]) -> Sized:
        """The set with these terms in its places."""
        inside = dict(zip(self.places, terms, strict=True))
        low, high, condition = (substitute(one, inside) for one in (self.bound.low, self.bound.high, self.condition))
        return Sized(self.symbol, tuple(terms), Bound(self.bound.variable, low, high), condition)


def sized(count: Term) -> tuple[Sized, list[Term]]:
    """The set that a term counts, and what stands in its places there."""
    plain, places, here = canonical(count)
    member = variable("a member", plain.args[0].sort)
    bound = Bound(member, plain.args[1], plain.args[2])
    condition = and_(bound.inside, substitute(plain.args[3], {plain.args[0]: member}))
    return Sized(Symbol(f"{COUNT}{plain.digest.hex()}"), tuple(places), bound, condition), here


@dataclass(frozen=True)
class About:
    """What a question is about: ground terms of its goal, and of all of it; `leaves` are those of its constants."""

    goal: Sequence[Term]
    ground: Sequence[Term]
    leaves: Sequence[Term]

    def with_sizes(self, sizes: Sequence[Term]) -> About:
        """The same with more sizes among its ground terms, but not what they depend on."""
        return About(self.goal, [*self.ground, *sizes], self.leaves)


def compared(sets: Sequence[Sized], about: About, spread: Collection[Term], known: Mapping[str, Term]) -> list[Term]:
    """What is said of pairs of these sets, of which one has its size in the goal, or else in another ground formula.

    The other one has its size there, too, or it is one of `spread`, which are under quantifiers: such are tried with
    ground terms in their places. If nothing has its size in a ground formula, both are, with constants of the goal.
    """
    here = {one.symbol.name: one for one in sets}
    first, second = ([here[t.value.name].at(t.args) for t in one if is_size(t)] for one in (about.goal, about.ground))
    anywhere = [here[name] for name in sorted({term.value.name for term in spread})]
    pairs = [(one, other) for one in first or second for other in (*second, *_tried(one, anywhere, about))]
    if not pairs:
        constants = [term for term in about.goal if term.op == "var"]
        pairs = list(itertools.combinations([two for one in anywhere for two in _placed(one, constants)], 2))
    told: dict[frozenset[Term], tuple[Sized, Sized]] = {}
    for one, other in pairs:
        if one.sort == other.sort and one.size is not other.size:
            told.setdefault(frozenset((one.size, other.size)), (one, other))
    found: dict[Term, None] = {}
    for one, other in told.values():
        found |= dict.fromkeys((_within(one, other), _within(other, one)))
        if one.sort in known:
            found[_apart(one, other, known[one.sort])] = None
    return list(found)


def _tried(one: Sized, anywhere: Sequence[Sized], about: About) -> Iterator[Sized]:
    """Other sets, with ground terms in their places; with leaves of what this one depends on where it has none such."""
    own = {(term.sort, kind_of(term)) for term in one.places}
    leaves = [
        leaf for leaf in about.leaves if set(leaf.args) & set(one.places) and (leaf.sort, kind_of(leaf)) not in own
    ]
    terms = dict.fromkeys([*one.places, *(term for term in about.ground if not is_size(term)), *leaves])
    for other in anywhere:
        if other.symbol != one.symbol:
            yield from _placed(other, list(terms))


def _placed(one: Sized, ground: Sequence[Term]) -> Iterator[Sized]:
    """The set with ground terms in its places, each of the sort that belongs there, and of numbers that count alike."""
    fit = [
        [term for term in ground if term.sort == place.sort and kind_of(term) == place.value.kind]
        for place in one.places
    ]
    for terms in itertools.product(*fit):
        yield one.at(terms)


def _within(one: Sized, other: Sized) -> Term:
    """Either something of the one is not in the other, or it has no more members."""
    outside = exists([one.bound], and_(one.condition, not_(other.condition)))
    return or_(outside, le(one.size, other.size))


def _apart(one: Sized, other: Sized, everything: Term) -> Term:
    """Either something is in both, or together they have no more members than there are."""
    both = exists([one.bound], and_(one.condition, other.condition))
    return or_(both, le(add(one.size, other.size), everything))


def alone(one: Sized, known: Mapping[str, Term]) -> list[Term]:
    """What is said of one size, for these places.

    It is not negative. If it is not 0 there is a member, and if it is not 1 another: both have names. Who is a member
    is the first of them, or there are two. And it is no more than there are, and as many if nothing is missing.
    """
    member, two = one.bound.variable, le(constant(2), one.size)
    first, second = (apply(Symbol(f"{which}{one.symbol.name}"), one.places, member.sort) for which in MEMBERS)
    said = [
        le(constant(0), one.size),
        implies(le(constant(1), one.size), exists([one.bound], and_(one.condition, eq(member, first)))),
        implies(two, exists([one.bound], and_(one.condition, eq(member, second), not_(eq(member, first))))),
        forall([one.bound], implies(one.condition, and_(le(constant(1), one.size), or_(two, eq(member, first))))),
    ]
    if one.sort in known:
        missing = exists([one.bound], not_(one.condition))
        said += [le(one.size, known[one.sort]), or_(missing, eq(one.size, known[one.sort]))]
    return said
