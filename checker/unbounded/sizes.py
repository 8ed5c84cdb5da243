"""Sizes of sets: what counting says of any finite sets, said of those whose sizes a question speaks of.

Every set of identifiers lies in the set of all of them, which has as many as their bound says: n. For sets A and B

* |A| <= n, and |A| = n if everything is in A;
* |A| <= |B| if everything in A is in B;
* |A| + |B| <= n if nothing is in both: |A| + |B| = |A or B| + |A and B|, and |A or B| <= n.

That two majorities have a member in common follows by arithmetic: 2|A| > n and 2|B| > n contradict the last line.
So does that a set with a majority in it is one, and that everything is one, and nothing is none.

Each line is an instance of counting, and true of all finite sets; no more is known of sizes. Sets are conditions on
an identifier, and may depend on other values, such as an epoch: their places. What is said of one set is said for
all values in its places, what is said of two for the terms that a question is about.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..parametric.terms import (
    BOOL,
    INT,
    Bound,
    Symbol,
    Term,
    add,
    and_,
    apply,
    canonical,
    constant,
    eq,
    exists,
    forall,
    implies,
    kind_of,
    le,
    not_,
    or_,
    replaced,
    substitute,
    subterms,
    variable,
)

COUNT = "count of "
"""How sizes are called. A variable may be called count, and has then a name such as `count after add`."""


SINGLE = "leaf "
"""What a leaf without arguments is called, while the set that depends on it is named."""

MEMBERS = ("one of ", "another of ")
"""How the functions are called that are members of a set, if it has so many."""


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
    """The set that a term counts, and what stands in its places there: variables, and leaves without arguments.

    So the sets of one epoch and of the epoch of the last commit are one function at two places.
    """
    single = [
        t for t in subterms([count]) if t.op == "app" and not t.args and t.sort != BOOL and t.value.name[0] != "#"
    ]
    stands = {one: variable(f"{SINGLE}{one.value.name}", one.sort, kind_of(one)) for one in single}
    plain, places, here = canonical(replaced(count, stands))
    member = variable("a member", plain.args[0].sort)
    bound = Bound(member, plain.args[1], plain.args[2])
    condition = and_(bound.inside, substitute(plain.args[3], {plain.args[0]: member}))
    meant, symbol = {place: one for one, place in stands.items()}, Symbol(f"{COUNT}{plain.digest.hex()}")
    return Sized(symbol, tuple(places), bound, condition), [meant.get(one, one) for one in here]


@dataclass(frozen=True)
class About:
    """What a question is about: ground terms of its goal, and of all of it; `leaves` are those of its constants."""

    goal: Sequence[Term]
    ground: Sequence[Term]
    leaves: Sequence[Term]


def compared(
    sets: Sequence[Sized],
    about: About,
    spread: Collection[Term],
    known: Mapping[str, Term],
    alike: bool = False,
    near: bool = False,
) -> list[Term]:
    """What is said of pairs of these sets, of which one has its size in the goal, or else in another ground formula.

    The other one has its size there, too, or it is one of `spread`, which are under quantifiers: such are tried with
    ground terms in their places. If nothing has its size in a ground formula, both are, with constants of the goal.
    If `alike`, it is any other set, too, with the same terms in its places: one before a step, and one after it.
    If `near`, those of `spread` only that have their size in no ground formula, with what the one depends on.
    """
    here = {one.symbol.name: one for one in sets}
    first, second = ([here[t.value.name].at(t.args) for t in one if is_size(t)] for one in (about.goal, about.ground))
    placed = {one.symbol.name for one in second} if near else ()
    anywhere = [here[name] for name in sorted({term.value.name for term in spread}) if name not in placed]
    pairs = [(one, other) for one in first or second for other in (*second, *_tried(one, anywhere, about, near))]
    pairs += [(one, other.at(one.places)) for one in first for other in sets if alike and _alike(one, other)]
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


def _alike(one: Sized, other: Sized) -> bool:
    """Whether two sets depend on the same."""
    return one.symbol != other.symbol and [*one.places] == [*other.places]


def _tried(one: Sized, anywhere: Sequence[Sized], about: About, near: bool) -> Iterator[Sized]:
    """Other sets, with ground terms in their places; with leaves of what this one depends on where it has none such.

    If `near`, with constants of the goal and what this one depends on in all places but one.
    """
    own = {(term.sort, kind_of(term)) for term in one.places}
    leaves = [
        leaf for leaf in about.leaves if set(leaf.args) & set(one.places) and (leaf.sort, kind_of(leaf)) not in own
    ]
    ground = about.goal if near else about.ground
    here = dict.fromkeys([*one.places, *(term for term in ground if not is_size(term))])
    terms = [*here, *(leaf for leaf in leaves if leaf not in here)]
    for other in anywhere:
        if other.symbol != one.symbol:
            placed = _placed(other, terms)
            yield from (at for at in placed if not near or sum(term not in here for term in at.places) <= 1)


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
