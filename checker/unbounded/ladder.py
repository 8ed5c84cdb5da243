"""One question to Z3, asked in several ways, the cheap ones first, until one of them has the answer.

No way answers yes to what is not so: they differ in which hypotheses are given, and in how quantifiers are
instantiated. Effort is counted in Z3's resource units alone, so that the answer is the same on every machine.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import z3

from ..base.machine import children_cpu_seconds
from ..parametric.domains import END, LeafShape
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
    replaced,
    substitute,
    subterms,
    sure,
    variable,
)
from ..solver.answer import check, leave_interrupts_alone
from ..workers.pool import Interrupted
from .oracle import Hint, Oracle, OracleLost, can_be_told
from .witnesses import witnessed

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
# So does that a set with a majority in it is one, and that everything is one, and nothing is none.
#
# Each line is an instance of counting, and true of all finite sets; no more is known of sizes. Sets are conditions on
# an identifier, and may depend on other values, such as an epoch: their places. What is said of one set is said for
# all values in its places, what is said of two for the terms that a question is about.

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
    return one.symbol != other.symbol and [_as(t) for t in one.places] == [_as(t) for t in other.places]


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


# -- pools ------------------------------------------------------------------------------------------------------------
# The ground terms that hypotheses are instantiated with: what the question is about.

Tried = tuple[Term, str]
"""A term, and as what it is tried: its sort, or the kind of an integer."""


def members(facts: Sequence[Term]) -> list[Tried]:
    """The members of sets that there are because of their sizes, where these depend on nothing."""
    named = [one for one in subterms(facts) if one.op == "app" and one.value.name.startswith(MEMBERS) and not one.args]
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


def spoken_of(question: Question, minima: bool) -> list[Term]:
    """The leaves of a state at the constants of a question and at numbers at which rules look at them.

    With `minima` all functions that the question has. Who instantiates quantifiers by the terms that there are does not
    find what nothing speaks of: that two minima are the same, say, of which the goal has one.
    """
    facts = [*question.goal, *question.own]
    free: frozenset[Term] = frozenset().union(*(one.free for one in facts))
    shapes = {shape.path: shape for shape in question.leaves}
    constants = [*map(_as, (one for one in subterms(facts) if one in free)), *_looked_at(facts, shapes)[0]]
    functions: dict[Symbol, Term] = {}
    for one in subterms([*facts, *question.others]):
        head = one.op == "app" and bool(one.args) and all(arg.op == "var" for arg in one.args)
        if head and (minima or one.value.name in shapes):
            functions.setdefault(one.value, one)
    found: dict[Term, None] = {}
    for symbol, one in sorted(functions.items(), key=lambda item: item[0].name):
        places = [_as(arg)[1] for arg in one.args]
        fit = [[term for term, what in constants if what == place] for place in places]
        found |= dict.fromkeys(apply(symbol, terms, one.sort) for terms in itertools.product(*fit))
    return list(found)


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


# -- z3 terms ---------------------------------------------------------------------------------------------------------
# Terms as Z3 has them, in one context.
#
# With `tagged` every quantifier is instantiated by hand: it has the pattern of a tag for each of its variables, an
# uninterpreted predicate that is asserted of the ground terms which are to be tried. Whatever a tag means, a formula
# with it follows from the one without where the tag is true of everything, so what is refuted with tags is refuted.
#
# A specification calls variables, fields, actions and parameters what it likes, and the prover makes names of its own.
# To Z3 a constant is its name, and a quantifier binds whatever is called like its variable. So variables have names
# that no function has (`VARIABLE`), and each is called by all that tells it from others.
#
# In layers, what is known to exist by a hypothesis is tried in the inner quantifiers only, and not in the outermost
# ones of a hypothesis: otherwise each such thing would make more of them, without end.

Style = Literal["plain", "tagged", "layered"]
"""Whether quantifiers have Z3's patterns or tags, and whether these are in layers."""

FIRST = "first "
"""What the tags of the first layer are called."""

TAG = "!tag "
"""How the names of tags begin, and those of no function: a variable may be called tag, and a hint names any kind."""

MARK = "!seen "
"""How a predicate is called that is asserted of terms so that Z3's own patterns find them; it means nothing."""

HYPOTHESIS = "!hypothesis "
"""How the names by which Z3 tells a core begin, and those of no function."""

VARIABLE = "?"
"""How the names of variables begin, and those of no function."""


class Z3Terms:
    """Makes Z3's terms of terms, each once."""

    def __init__(self, context: z3.Context, style: Style) -> None:
        self.context, self.tagged, self.layered = context, style != "plain", style == "layered"
        self._known: dict[Term, Any] = {}
        self._functions: dict[str, Symbol] = {}
        self._sorts: dict[str, Any] = {BOOL: z3.BoolSort(context), INT: z3.IntSort(context)}
        self._kinds: dict[str, dict[str, None]] = {}
        """By sort, the kinds of things that quantifiers so far range over."""

    def __call__(self, term: Term) -> Any:
        """The term for Z3."""
        found = self._known.get(term)
        if found is None:
            found = self._known[term] = self._made(term)
        return found

    def hypothesis(self, term: Term) -> Any:
        """The same, of what is given: in layers, its outermost quantifiers have tags of the first layer."""
        if not self.layered or term.op not in ("forall", "and") or term.value is not None:
            return self(term)
        if term.op == "and":
            return z3.And(*map(self.hypothesis, term.args))
        return self._quantified(term, layer=FIRST)

    def as_it_is(self, term: Term) -> list[Tried]:
        """A term as one of its own kind; a number that says no kind as one of each in the quantifiers so far."""
        return [_as(term)] if term.op != "const" else [(term, kind) for kind in self._kinds.get(term.sort, ())]

    def tried(self, term: Term, kind: str) -> Any:
        """That something is tried, in every layer."""
        tag = self.tag(term, kind)
        return z3.And(self.tag(term, kind, FIRST), tag) if self.layered else tag

    def seen(self, term: Term) -> Any:
        """That there is such a term."""
        return z3.Function(f"{MARK}{term.sort}", self.sort(term.sort), self.sort(BOOL))(self(term))

    def sort(self, name: str) -> Any:
        """A sort; those of identifiers have nothing in common."""
        if name not in self._sorts:
            self._sorts[name] = z3.DeclareSort(name, self.context)
        return self._sorts[name]

    def tag(self, term: Term, kind: str | None = None, layer: str = "") -> Any:
        """The tag of a term: one for each kind of things, and of a term's own if none is said."""
        if kind is None:
            kind = kind_of(term) if term.sort == INT else term.sort
            self._kinds.setdefault(term.sort, {})[kind] = None
        predicate = z3.Function(f"{TAG}{layer}{kind}", self.sort(term.sort), self.sort(BOOL))
        return predicate(self(term))

    def _made(self, term: Term) -> Any:
        if term.op in ("forall", "exists"):
            return self._quantified(term)
        if term.op == "const":
            return z3.BoolVal(term.value, self.context) if term.sort == BOOL else z3.IntVal(term.value, self.context)
        if term.op == "var":
            kind, name = term.value.kind, term.value.name  # no kind has a question mark in it
            return z3.Const(f"{VARIABLE}{kind}{VARIABLE}{name}", self.sort(term.sort))
        args = [self(arg) for arg in term.args]
        if term.op == "app":
            sorts, name = [self.sort(arg.sort) for arg in term.args], term.value.name
            alone = self._functions.setdefault(name, term.value) == term.value and not name.startswith(VARIABLE)
            sure(alone, f"two things are called {name}")
            return z3.Function(name, *sorts, self.sort(term.sort))(*args)
        if term.op == "not":
            return z3.Not(args[0])
        if term.op == "and":
            return z3.And(*args)
        if term.op == "or":
            return z3.Or(*args)
        if term.op == "ite":
            return z3.If(*args)
        if term.op == "eq":
            return args[0] == args[1]
        if term.op == "le":
            return args[0] <= args[1]
        if term.op == "add":
            return args[0] + args[1]
        sure(term.op == "scale", f"Z3 has no {term.op}")
        return term.value * args[0]

    def _quantified(self, term: Term, layer: str = "") -> Any:
        bounds, body = [bound_of(term)], term.args[3]
        while body.op == term.op:
            bounds.append(bound_of(body))
            body = body.args[3]
        inside = [self(bound.inside) for bound in bounds]
        variables = [self(bound.variable) for bound in bounds]
        if body.op == "pair":
            head, fact = body.args
            return z3.ForAll(variables, z3.Implies(z3.And(*inside), self(fact)), patterns=[self(head)])
        tags = [self.tag(bound.variable, None, layer) for bound in bounds] if self.tagged else []
        patterns = [z3.MultiPattern(*tags)] if len(tags) > 1 else tags
        if term.op == "forall":
            given = [*(tags if self.layered else ()), *inside]
            holds = z3.Implies(z3.And(*given), self(body))
            return z3.ForAll(variables, holds, patterns=patterns)
        return z3.Exists(variables, z3.And(*tags, *inside, self(body)), patterns=patterns)


Plain = Literal["self", "patterns", "leaves", "layers", "ground", "wide", "seed", "models", "cases"]
Rung = Plain | Literal["own", "likely", "likely members", "likely wide", "layers wide", "core"]
"""A way: `core` is the one that a hint shows."""

LADDER: tuple[tuple[Rung, int], ...] = (
    ("self", 1),
    ("ground", 1),
    ("patterns", 1),
    ("leaves", 1),
    ("layers", 1),
    ("wide", 2),
    ("self", 4),
    ("ground", 4),
    ("wide", 8),
    ("patterns", 8),
    ("leaves", 8),
    ("layers", 8),
    ("cases", 8),
    ("wide", 32),
    ("seed", 32),
    ("cases", 32),
    ("patterns", 64),
    ("models", 32),
)
"""The ways, and how many parts of the unit of effort each may spend."""

OF_MANY: tuple[tuple[Rung, int], ...] = (
    ("self", 1),
    ("own", 1),
    ("likely", 4),
    ("likely wide", 8),
    ("likely members", 8),
    ("likely", 32),
    ("likely wide", 32),
    ("layers wide", 64),
)
"""The same, where there are many hypotheses, of which some are likely."""

STEEPEST = max(share for _, share in LADDER)
"""The parts that the steepest way may spend: the whole limit."""

LOWER = 8
"""What spends no more than this belongs to the lower part of the ladder. What is proved there, or is wrong and has a
counterexample within bounds, never comes to the upper part, which is steep."""

HARD_CASES, MOST_CONDITIONS = 4, 6
"""Cases may spend so many times what one may, and so many conditions are told apart, one after the other."""


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


Part = Literal["hint", "lower", "oracle", "steep"]
"""What a question is tried with: its hint, the lower part of the ladder, a hint that cvc5 gives, or the steep part."""

ORACLE = 2
"""How many of cvc5's resource units there are for each of the unit of effort: some six seconds in all."""


@dataclass(frozen=True)
class Answer:
    """Whether a question is answered with yes, in which way, and what that took.

    `resources` are the units of the way that had the answer, which are the same whatever was tried before; of all ways
    if none had it. `seconds` of processor are of all that were tried. `hint` is what suffices, where it is known.
    `lost` is an answer for which cvc5 was asked, and was ended before it had said all: another time it may be another.
    """

    proved: bool
    rung: str
    resources: int
    seconds: float
    hint: Hint | None = None
    lost: bool = False


@dataclass(frozen=True)
class Effort:
    """How hard questions are tried: in resource units, and with what. If `certified`, a proof comes with a hint."""

    unit: int
    part: Part
    certified: bool = False


class Climber:
    """Answers questions from hints, or by going up a part of the ladder.

    Another thread may interrupt it, and then it is of no use any more.
    """

    def __init__(self, effort: Effort) -> None:
        self._effort = effort
        self._oracle = Oracle()
        self._asked: _Asked | None = None
        self._interrupted = self._lost = False

    def answer(self, question: Question) -> Answer:
        """The answer to a question. Raises Interrupted."""
        started, spent, self._lost = _used(), 0, False
        for rung, share, hint in self._ways(question):
            proved, resources = self._tried(question, rung, share * self._effort.unit, hint)
            spent += resources
            if proved:
                if hint is None and self._effort.certified:
                    hint = self._certified(question, rung, share * self._effort.unit)
                return Answer(True, told((rung, share)), resources, _used() - started, hint, self._lost and not hint)
        return Answer(False, "", spent, _used() - started, lost=self._lost)

    def interrupt(self) -> None:
        """Let no question be answered any more: `answer` raises Interrupted. To be repeated until it has."""
        self._interrupted = True
        self._oracle.interrupt()
        if self._asked is not None:
            self._asked.context.interrupt()

    def _ways(self, question: Question) -> Iterator[tuple[Rung, int, Hint | None]]:
        """The ways to try, how many parts of the unit of effort each may spend, and the hint of the first kind."""
        part = self._effort.part
        if part == "hint":
            yield "core", STEEPEST, question.hint
        elif part == "oracle":
            yield from (("core", STEEPEST, hint) for hint in self._foretold(question))
        else:
            ways = OF_MANY if question.many else LADDER
            yield from ((rung, share, None) for rung, share in ways if (share > LOWER) == (part == "steep"))

    def _foretold(self, question: Question) -> Iterator[Hint]:
        """What cvc5 says of the likely hypotheses, if some are, and then of all, if it says nothing of those."""
        own, likely = len(question.own), set(question.likely)
        everything = range(own + len(question.others))
        first = [n for n in everything if n < own or question.others[n - own] in likely]
        for places in (first, everything) if 0 < len(likely) < len(question.others) else (everything,):
            told = False
            for hint in self._of_oracle(question, places):
                told = True
                yield hint
            if told:
                return

    def _of_oracle(self, question: Question, places: Sequence[int]) -> Iterator[Hint]:
        """What cvc5 says of some hypotheses: as it is, and with the constants of the question and their leaves as well.

        cvc5 does away with variables that have one value only, and names no terms for them.
        """
        everything = [*question.own, *question.others]
        given, goal = witnessed([everything[n] for n in places], question.goal)
        for minima in (False, True):
            seen = spoken_of(question, minima)
            try:
                found = self._oracle.refutation(given, goal, seen, self._effort.unit * ORACLE)
            except OracleLost:
                self._lost = True
                continue
            if self._interrupted:
                raise Interrupted
            if found is None:
                continue
            used, terms = found
            core, tried = tuple(places[n] for n in used), tuple((term, None) for term in terms)
            yield Hint(core, tried, witnesses=True)
            more = pool([*question.goal, *question.own], question.leaves, True, question.many)
            yield Hint(core, (*tried, *_told_of(more)), witnesses=True)

    def _tried(self, question: Question, rung: Rung, rlimit: int, hint: Hint | None) -> tuple[bool, int]:
        asked = self._asked = _Asked(question)
        found = (False, 0) if self._interrupted else asked.way(rung, rlimit, hint)
        if self._interrupted:
            raise Interrupted
        return found

    def _certified(self, question: Question, rung: Rung, rlimit: int) -> Hint | None:
        """A hint that suffices for what was proved in another way, the cheapest that is found; None if none is."""
        asked = self._asked = _Asked(question)
        core, tried = asked.used(rung, rlimit)
        for hint in (Hint(core, None), Hint(core, _told_of(tried))):
            if self._tried(question, "core", self._effort.unit, hint)[0]:
                return hint
        for hint in self._of_oracle(question, core):
            if self._tried(question, "core", self._effort.unit * LOWER * 2, hint)[0]:
                return hint
        return None


def _told_of(tried: Iterable[Tried]) -> tuple[Tried, ...]:
    """Those terms that a hint may have."""
    return tuple(one for one in tried if can_be_told(one[0]))


def _used() -> float:
    """Processor seconds of this process and of those that asked cvc5 for it."""
    return time.process_time() + children_cpu_seconds()


def told(rung: tuple[Rung, int]) -> str:
    """A way and its share of effort, as reports name it."""
    return rung[0] if rung[0] == "core" else f"{rung[0]} {rung[1]}"


@dataclass(frozen=True)
class _Way:
    """What a way gives to Z3: hypotheses, terms to try them at, and how quantifiers have patterns.

    `seen` are terms that Z3 is to know of where it finds terms by its own patterns.
    """

    style: Style
    hypotheses: tuple[Term, ...]
    tags: tuple[Tried, ...] = ()
    seen: tuple[Term, ...] = ()


class _Asked:
    """A question to be asked in one way, in a context of its own: nothing asked before has a part in the answer."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.context = z3.Context()

    def way(self, rung: Rung, rlimit: int, hint: Hint | None = None) -> tuple[bool, int]:
        """Whether the question is answered in one way, and the resources that took."""
        if rung == "core":
            return (False, 0) if hint is None else self._from(hint, rlimit)
        if rung == "cases":
            return self._by_cases(rlimit)
        return self._refuted(self._given(rung), self.question.goal, rlimit, rung)

    def used(self, rung: Rung, rlimit: int) -> tuple[tuple[int, ...], tuple[Tried, ...]]:
        """The places of the hypotheses that Z3 used in a way that has the answer, and the terms that it tried them at.

        All hypotheses, where it does not say.
        """
        asked = self.question
        everything = [*asked.own, *asked.others]
        way = self._given("wide" if rung == "cases" else rung)
        core = dict[Term, None]()
        self._refuted(way, asked.goal, rlimit, rung, core)
        places = [n for n, one in enumerate(everything) if not core or one in core]
        return tuple(places), way.tags or tuple(self._pool(asked.goal, wide=True))

    def _given(self, rung: Rung) -> _Way:
        asked = self.question
        everything = (*asked.own, *asked.others)
        if rung == "self":
            return _Way("plain", asked.own)
        if rung in ("patterns", "seed", "models"):
            return _Way("plain", everything)
        if rung == "leaves":
            return _Way("plain", everything, seen=tuple(spoken_of(asked, minima=False)))
        if rung in ("ground", "wide"):
            return _Way("tagged", everything, tuple(self._pool(asked.goal, rung == "wide")))
        if rung == "layers":
            single = [shape for shape in asked.leaves if not shape.arguments]
            return _Way("layered", everything, tuple(pool(asked.goal, single, True, asked.many)))
        tried = self._pool(asked.goal, rung == "own" or rung.endswith("wide"))
        tried += members([*asked.own, *asked.goal]) if rung == "likely members" else []
        others = () if rung == "own" else asked.likely if rung.startswith("likely") else asked.others
        return _Way("layered", (*asked.own, *others), tuple(tried))

    def _from(self, hint: Hint, rlimit: int) -> tuple[bool, int]:
        """Z3 alone, with some hypotheses: with its own patterns, or at the terms of a hint, whatever these may be."""
        everything = [*self.question.own, *self.question.others]
        if not all(0 <= n < len(everything) for n in hint.core):
            return False, 0  # it is of another question
        given, goal = tuple(everything[n] for n in hint.core), self.question.goal
        if hint.terms is None:
            return self._refuted(_Way("plain", given), goal, rlimit, "core")
        if hint.witnesses:
            given, goal = witnessed(given, goal)
        functions = {one.value for one in subterms([*given, *goal]) if one.op == "app"}
        functions |= {shape.symbol for shape in self.question.leaves}
        terms = [
            (term, kind)
            for term, kind in hint.terms
            if all(one.op != "app" or one.value in functions for one in subterms([term]))
        ]
        tags = tuple((term, kind) for term, kind in terms if kind is not None)
        own = [term for term, kind in terms if kind is None and term.sort != BOOL]
        return self._refuted(_Way("tagged", given, tags), goal, rlimit, "core", as_they_are=own)

    def _pool(self, goal: Clause, wide: bool) -> list[Tried]:
        return pool([*goal, *self.question.own], self.question.leaves, wide, self.question.many)

    def _by_cases(self, rlimit: int) -> tuple[bool, int]:
        """Every way in which the step decides is a question of its own."""
        asked, spent = self.question, 0
        if not any(_decided(asked.goal)):
            return False, 0
        seen = tuple(spoken_of(asked, minima=False))
        for case, goal in _cases(asked.goal):
            hypotheses = (*asked.own, *asked.others, *case)
            ways = (_Way("tagged", hypotheses, tuple(self._pool(goal, wide))) for wide in (False, True))
            for way in (_Way("plain", hypotheses, seen=seen), *ways):
                proved, resources = self._refuted(way, goal, rlimit, "cases")
                spent += resources
                if proved:
                    break
            if not proved or spent > rlimit * HARD_CASES:
                return False, spent
        return True, spent

    def _refuted(
        self,
        way: _Way,
        goal: Clause,
        rlimit: int,
        rung: Rung,
        core: dict[Term, None] | None = None,
        as_they_are: Iterable[Term] = (),
    ) -> tuple[bool, int]:
        """Whether the hypotheses are incompatible with every part of the goal being false.

        `core` takes up which of them were used. Terms `as_they_are` are tried as what they are.
        """
        terms = Z3Terms(self.context, way.style)
        solver = z3.SimpleSolver(ctx=self.context)
        leave_interrupts_alone(solver)
        solver.set("rlimit", rlimit)
        solver.set("mbqi", rung == "models")
        solver.set("random_seed", 7 if rung == "seed" else 0)
        names: dict[str, Term] = {}
        for number, one in enumerate(way.hypotheses):
            if core is None:
                solver.add(terms.hypothesis(one))
            else:
                solver.assert_and_track(terms.hypothesis(one), f"{HYPOTHESIS}{number}")
                names[f"{HYPOTHESIS}{number}"] = one
        for part in goal:
            solver.add(terms(not_(part)))
        for term, kind in (*way.tags, *(tried for one in as_they_are for tried in terms.as_it_is(one))):
            solver.add(terms.tried(term, kind))
        for term in way.seen:
            solver.add(terms.seen(term))
        before = _resources(solver)
        proved = check(solver) == z3.unsat
        if proved and core is not None:
            core |= dict.fromkeys(names[str(one)] for one in solver.unsat_core())
        return proved, _resources(solver) - before


def _resources(solver: z3.Solver) -> int:
    return next((int(value) for key, value in solver.statistics() if key == "rlimit count"), 0)


def _cases(goal: Clause, known: tuple[Term, ...] = ()) -> Iterator[tuple[tuple[Term, ...], Clause]]:
    """The ways in which conditions decide what a goal is, as far as it does not become true, and what it is then."""
    condition = next(_decided(goal), None) if len(known) < MOST_CONDITIONS else None
    if TRUE in goal:
        return
    if condition is None:
        yield known, goal
        return
    for case, value in ((condition, TRUE), (not_(condition), FALSE)):
        yield from _cases(tuple(replaced(part, {condition: value}) for part in goal), (*known, case))


def _decided(goal: Clause) -> Iterator[Term]:
    """The conditions by which the values in a goal are chosen, part by part."""
    seen: dict[Term, None] = {}
    constants: frozenset[Term] = frozenset().union(*(one.free for one in goal))
    for term in subterms(goal):
        if term.op == "ite" and all(one.op not in ("forall", "exists") for one in subterms([term.args[0]])):
            for part in term.args[0].args if term.args[0].op == "and" else (term.args[0],):
                if part.sort == BOOL and part.free <= constants:
                    seen[part] = None
    yield from seen
