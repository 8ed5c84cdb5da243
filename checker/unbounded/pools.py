"""The ground terms that hypotheses are instantiated with: what the question is about."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..parametric.leaves import END, LeafShape
from ..parametric.terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Bound,
    Symbol,
    Term,
    add,
    and_,
    apply,
    bound_of,
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
    substitute,
    subterms,
    variable,
)

# -- sizes ------------------------------------------------------------------------------------------------------------
# Sizes of sets: what counting says of any finite sets, said of those whose sizes a question speaks of.
#
# Every set of identifiers lies in the set of all of them, which has as many as their bound says: n. For sets A and B
#
# * |A| <= n, and |A| = n if everything is in A;
# * |A| <= |B| if everything in A is in B;
# * |A| + |B| <= n if nothing is in both: |A| + |B| = |A or B| + |A and B|, and |A or B| <= n.
#
# That two majorities have a member in common follows by arithmetic: 2|A| > n and 2|B| > n contradict the last line.
# So
# does that a set with a majority in it is one, and that everything is one, and nothing is none.
#
# Each line is an instance of counting, and true of all finite sets; no more is known of sizes. Sets are conditions on
# an
# identifier, and may depend on other values, such as an epoch: their places. What is said of one set is said for all
# values in its places, what is said of two for the terms that a question is about.

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


Tried = tuple[Term, str]
"""A term, and as what it is tried: its sort, or the kind of an integer."""


def members(facts: Sequence[Term]) -> list[Tried]:
    """The members of sets that there are because of their sizes, where these depend on nothing."""
    named = [one for one in subterms(facts) if is_member(one) and not one.args]
    return [_as(one) for one in sorted(named, key=lambda one: str(one.value.name))]


def pool(facts: Sequence[Term], leaves: Iterable[LeafShape], wide: bool, looked_at: bool) -> list[Tried]:
    """The constants of a question and the leaves without arguments; if `wide`, leaves of one constant and other terms.

    With the end of each log goes the offset before it. If `looked_at`, numbers at which leaves are looked at go with
    them, and with a constant what is as far from it as rules look: the entry before, say.
    """
    shapes = {shape.path: shape for shape in leaves}
    found: dict[Tried, None] = {}
    constants: dict[Term, None] = {}
    for term in _ground(facts):
        if looked_at and term.op == "app" and term.value.name.startswith("#"):
            continue  # a bound of the model: what lies at the very end matters to no lemma
        if term.op == "var" or (term.op == "app" and not term.args):
            constants[term] = None
            found[_as(term)] = None
        elif wide and term.op in ("app", "add", "scale"):
            found[_as(term)] = None
    for shape in shapes.values():
        if shape.sort == BOOL or len(shape.arguments) > (1 if wide else 0):
            continue
        if not shape.arguments:
            found[_as(apply(shape.symbol, (), shape.sort))] = None
            continue
        (argument,) = shape.arguments
        for one in constants:
            if one.sort == argument.sort and (one.sort != INT or kind_of(one) == kind(argument.domain)):
                found[_as(apply(shape.symbol, (one,), shape.sort))] = None
    for term, what in list(found):
        if term.op == "app" and term.value.name.endswith(END):
            found[add(term, constant(-1)), what] = None
    if not looked_at:
        return list(found)
    numbers, distances = _looked_at(facts, shapes)
    for one in constants:
        for distance in distances.get(kind_of(one), ()) if one.sort == INT else ():
            found[add(one, constant(distance)), kind_of(one)] = None
    return [*found, *numbers]


def _as(term: Term) -> Tried:
    return term, kind_of(term) if term.sort == INT else term.sort


def _looked_at(
    facts: Sequence[Term], shapes: Mapping[str, LeafShape]
) -> tuple[dict[Tried, None], dict[str, dict[int, None]]]:
    """The known numbers at which leaves are looked at, and how far from a variable, by what they count."""
    numbers: dict[Tried, None] = {}
    distances: dict[str, dict[int, None]] = {}
    for term in sorted(
        (one for one in subterms(facts) if one.op == "app" and one.value.name in shapes), key=lambda one: one.digest
    ):
        for argument, position in zip(term.args, shapes[term.value.name].arguments, strict=True):
            what = kind(position.domain)
            if argument.op == "const" and argument.sort == INT and not position.log:
                numbers[argument, what] = None
            elif argument.op == "add" and argument.args[0].op == "var" and argument.args[1].op == "const":
                distances.setdefault(kind_of(argument), {})[argument.args[1].value] = None
    return numbers, distances


def ground(facts: Sequence[Term], leaves: Iterable[LeafShape]) -> list[Term]:
    """The constants of a question, the sizes of sets that it speaks of, what these depend on, and single leaves."""
    found: dict[Term, None] = {}
    for term in _ground(facts):
        if is_size(term):
            found |= dict.fromkeys((term, *term.args))
        elif term.op == "var":
            found[term] = None
    single = (apply(shape.symbol, (), shape.sort) for shape in leaves if not shape.arguments and shape.sort != BOOL)
    return list(found | dict.fromkeys(single))


def of_constants(facts: Sequence[Term]) -> list[Term]:
    """The leaves and minima that a question speaks of, and that depend on nothing but its constants."""
    return [term for term in _ground(facts) if term.op == "app" and all(arg.op == "var" for arg in term.args)]


def kind(domain: object) -> str:
    """What the numbers of a domain count."""
    high = getattr(domain, "high", None)
    return kind_of(high) if isinstance(high, Term) else ""


def _ground(facts: Iterable[Term]) -> list[Term]:
    """The terms in facts that have a value of their own, in the order in which they come."""
    found: dict[Term, None] = {}
    todo = [fact for fact in facts if fact.op not in ("forall", "exists")][::-1]
    while todo:
        term = todo.pop()
        if term in found or term.op in ("forall", "exists"):
            continue
        found[term] = None
        todo += term.args[::-1]
    return [term for term in found if term.sort != BOOL and term.op not in ("ite", "const", "unlimited")]


# -- split ------------------------------------------------------------------------------------------------------------
# A goal as the parts that it is made of, each about constants: what is to be shown of all values is shown of any.

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
