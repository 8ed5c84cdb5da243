"""What has to be proved so that invariants hold after any number of steps, for every choice of the bounds.

Initiation: the initial state is typed, and every lemma holds in it. Evaluation: where the state is typed and all lemmas
hold, no action, lemma or invariant fails, and what an action writes lies in its domains. Preservation: an action leads
to a state where each lemma holds. Implication: so does each invariant. These are the obligations of a proof within
bounds, one for each action instead of one for each choice of its parameters.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from epochal.spec.language import LanguageError, Member, Protocol

from ..parametric.domains import Leaf, LeafShape, Numbers, View
from ..parametric.rules import Action, ParametricSemantics, Predicate
from ..parametric.terms import (
    BOOL,
    INT,
    Bound,
    Symbol,
    Term,
    and_,
    anything,
    applied,
    apply,
    bound_of,
    candidates_of,
    canonical,
    definition,
    eq,
    exists,
    forall,
    implies,
    kind_of,
    le,
    not_,
    or_,
    rebuilt,
    substitute,
    subterms,
    variable,
)
from ..parametric.values import Failure
from ..solver.induction import EVALUATION, IMPLICATION, INITIALLY, LEMMAS, TYPES
from .oracle import AFTER, Hint
from .pools import ground, kind, of_constants
from .premises import ProofOutline
from .question import Question, split
from .sizes import About, Sized, alone, compared, is_size, sized

# -- defined ----------------------------------------------------------------------------------------------------------
# Minima, maxima and sizes of sets as functions of which only their definitions are known.
#
# A minimum of finitely many numbers exists, so a function with its value exists, and everything that is said of it here
# is true of that function at all arguments. What is said of a number of members is in `sizes`.


class Definitions:
    """Puts functions in the place of minima and the like, one for each, and keeps what they are defined by.

    `known` has how many identifiers of a sort there are. With `heads` a definition is of use where its function comes
    up (`definition`), and not wherever something is tried.
    """

    def __init__(self, known: Mapping[str, Term] | None = None, heads: bool = False) -> None:
        self._known, self._heads = known if known is not None else {}, heads
        self._found: dict[Term, Term] = {}
        self._facts: dict[str, tuple[Term, ...]] = {}
        self._sets: dict[str, Sized] = {}
        self._counted: dict[str, tuple[tuple[Term, ...], list[Term]]] = {}
        """Of each minimum, the sizes that decide that it is one of the numbers."""

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
        return [fact for name, facts in sorted(self._used(terms).items()) for fact in facts]

    def compared(self, terms: Sequence[Term], about: About, few: bool = False) -> list[Term]:
        """What sizes in these terms are to each other, for a question about such terms.

        With `heads` those only that the question has outside of quantifiers, and if it has `few` lemmas, others of what
        these depend on: the others make thousands.
        """
        used = self._used(terms)
        sets = [self._sets[name] for name in sorted(self._sets.keys() & used.keys())]
        if not sets:
            return []
        others = [fact for name, facts in used.items() if name not in self._sets for fact in facts]
        spread = {one for one in subterms([*terms, *others]) if is_size(one)} - set(about.ground)
        about = replace(about, ground=[*about.ground, *self._of_minima(about.leaves)])
        return compared(sets, about, () if self._heads else spread, self._known, few or not self._heads, few)

    def _of_minima(self, terms: Iterable[Term]) -> list[Term]:
        """The sizes on which minima among these terms depend."""
        found: dict[Term, None] = {}
        for term in terms:
            places, counted = self._counted.get(term.value.name, ((), [])) if term.op == "app" else ((), [])
            found |= dict.fromkeys(substitute(one, dict(zip(places, term.args, strict=True))) for one in counted)
        return [term for term in found if not any(arg.op == "var" and "bound " in arg.value.name for arg in term.args)]

    def _used(self, terms: Iterable[Term]) -> dict[str, tuple[Term, ...]]:
        """The functions in these terms, and those by which they are defined, with their definitions."""
        found: dict[str, tuple[Term, ...]] = {}
        todo = list(terms)
        while todo:
            names = applied(todo) & self._facts.keys() - found.keys()
            todo = [fact for name in sorted(names) for fact in self._facts[name]]
            found |= {name: self._facts[name] for name in names}
        return found

    def _defined(self, term: Term) -> Term:
        if term.op == "count":
            one, places = sized(term)
            self._sets[one.symbol.name] = one
            self._facts[one.symbol.name] = self._anywhere(one.places, one.size, alone(one, self._known))
            return apply(one.symbol, places, INT)
        plain, free, here = canonical(term)
        symbol = Symbol(f"{term.op} {plain.digest.hex()}", kind_of(term))
        value = apply(symbol, free, INT)
        facts = _extreme(plain, value)
        self._counted[symbol.name] = (tuple(free), [one for one in subterms(_reached(plain, value)) if is_size(one)])
        self._facts[symbol.name] = self._anywhere(free, value, facts)
        return apply(symbol, here, INT)

    def _anywhere(self, free: Sequence[Term], value: Term, facts: Iterable[Term]) -> tuple[Term, ...]:
        """What is so of a function at these variables, for all their values."""
        bounds = [anything(one) for one in free]
        return tuple(definition(bounds, value, fact) if self._heads else forall(bounds, fact) for fact in facts)


def _extreme(term: Term, value: Term) -> list[Term]:
    """It is one of the numbers and none is beyond it; where there is none, it is the default."""
    candidates = candidates_of(term)
    beyond = le if not term.value else lambda a, b: le(b, a)
    some = or_(*(one.some for one in candidates))
    reached = or_(*_reached(term, value))
    first = [forall(one.bounds, implies(one.condition, beyond(value, one.number))) for one in candidates]
    return [implies(some, reached), *first, implies(not_(some), eq(value, term.args[-1]))]


def _reached(term: Term, value: Term) -> list[Term]:
    """For each kind of candidates, that it is one of them; of numbers themselves, that it is such a number."""
    found = []
    for one in candidates_of(term):
        if len(one.bounds) == 1 and one.bounds[0].variable is one.number:
            itself = {one.number: value}
            found.append(and_(substitute(one.bounds[0].inside, itself), substitute(one.condition, itself)))
        else:
            found.append(exists(one.bounds, and_(one.condition, eq(value, one.number))))
    return found


# -- named ------------------------------------------------------------------------------------------------------------
# Names for what a step computes: the leaves after it, and the quantified conditions by which it decides.
#
# A goal that speaks of the state after a step has the same form as one of the state before, however much the step does.
# What the names mean are facts of their own, which the solver unfolds where it comes to a name.

CONDITION = "if "
"""How the names of conditions begin."""

KEPT = ("extreme", "count")
"""What binds its variables in a way of its own. It gets a name from `defined`."""


class Names:
    """Gives names, one for each condition, and keeps what they mean."""

    def __init__(self, narrow: Callable[[Term], Term], on: bool = True) -> None:
        self._narrow, self._on = narrow, on
        self._outside: dict[Term, Term] = {}
        self._conditions: dict[Term, Term] = {}
        self._meant: dict[str, tuple[Term, Term]] = {}
        """By name, the function at variables, and what it is there."""

    def __call__(self, term: Term) -> Term:
        """The term with a name for each quantified condition by which a value in it is chosen."""
        return self._named_in(self._narrow(term)) if self._on else term

    def _named_in(self, term: Term) -> Term:
        known = self._outside.get(term)
        if known is None:
            inside = self._named_in if term.op in ("and", "or", "not", "forall", "exists") else self._chosen
            kept = not term.args or term.op in KEPT
            known = self._outside[term] = term if kept else rebuilt(term, [*map(inside, term.args)])
        return known

    def _chosen(self, term: Term) -> Term:
        known = self._conditions.get(term)
        if known is None:
            kept = not term.args or term.op in KEPT
            known = term if kept else rebuilt(term, [*map(self._chosen, term.args)])
            if known.op in ("forall", "exists"):
                known = self._named(known)
            self._conditions[term] = known
        return known

    def _named(self, condition: Term) -> Term:
        free = sorted(condition.free, key=lambda one: one.value.name)
        name = apply(Symbol(f"{CONDITION}{condition.digest.hex()}"), free, BOOL)
        self._meant[name.value.name] = name, condition
        return name

    def after(self, action: str, view: View, changed: Iterable[str], shapes: Mapping[str, LeafShape]) -> View:
        """A state after a step whose leaves have names."""
        leaves = dict(view.leaves)
        for path in sorted(changed):
            shape = shapes[path]
            symbol = Symbol(f"{path}{AFTER}{action}", shape.symbol.kind)
            names = [
                variable(f"{path}:{number}'", argument.sort, kind(argument.domain))
                for number, argument in enumerate(shape.arguments)
            ]
            head = apply(symbol, names, shape.sort)
            self._meant[symbol.name] = head, self._chosen(self._narrow(view.leaves[path](names)))
            leaves[path] = _called(symbol, shape.sort)
        return View(leaves, writable=False)

    def facts(self, terms: Iterable[Term]) -> list[Term]:
        """What the names in these terms mean, and those in that."""
        found: set[str] = set()
        todo = list(terms)
        while todo:
            names = applied(todo) & self._meant.keys() - found
            todo = [self._meant[name][1] for name in sorted(names)]
            found |= names
        return [fact for name in sorted(found) for fact in _said(*self._meant[name])]


def _said(name: Term, value: Term) -> Iterator[Term]:
    """That a name means something, for all values of the variables."""
    bounds = [anything(one) for one in name.args]
    if name.value.name.startswith(CONDITION):
        yield definition(bounds, name, implies(name, value))
        yield definition(bounds, name, implies(not_(name), not_(value)))
    else:
        yield definition(bounds, name, eq(name, value))


def _called(symbol: Symbol, sort: str) -> Leaf:
    return lambda arguments: apply(symbol, tuple(arguments), sort)


# -- narrowed ---------------------------------------------------------------------------------------------------------
# Quantifiers over what can be one thing only: `all r with r == leader` is about the leader, and needs no quantifier.
#
# forall x: x != t or P(x)        is        t is no value of x, or P(t)
# exists x: x == t and P(x)       is        t is a value of x, and P(t)


class Narrowed:
    """Does away with such quantifiers, wherever they are in a term."""

    def __init__(self, on: bool = True) -> None:
        self._on = on
        self._known: dict[Term, Term] = {}

    def __call__(self, term: Term) -> Term:
        """A term that means the same."""
        found = self._known.get(term) if self._on else term
        if found is None:
            found = term if not term.args else rebuilt(term, [*map(self, term.args)])
            if found.op in ("forall", "exists") and found.value is None:
                found = _without(found)
            self._known[term] = found
        return found


def _without(term: Term) -> Term:
    """The term without those of its outermost quantifiers that can be done without."""
    bounds, body = [bound_of(term)], term.args[3]
    while body.op == term.op and body.value is None:
        bounds.append(bound_of(body))
        body = body.args[3]
    universal, kept = term.op == "forall", list[Bound]()
    while bounds:
        bound, *later = bounds
        value = _only(bound, [one.variable for one in later], not_(body) if universal else body)
        if value is None:
            kept.append(bound)
            bounds = later
            continue
        put = {bound.variable: value}
        inside = substitute(bound.inside, put)
        body = substitute(body, put)
        body = or_(not_(inside), body) if universal else and_(inside, body)
        bounds = [Bound(one.variable, substitute(one.low, put), substitute(one.high, put)) for one in later]
    return (forall if universal else exists)(kept, body)


def _only(bound: Bound, later: Sequence[Term], condition: Term) -> Term | None:
    """What a variable must be for a condition to be true, in terms of what is bound before it."""
    for part in _parts(condition):
        if part.op == "eq" and bound.variable in part.args:
            a, b = part.args
            other = b if a is bound.variable else a
            if bound.variable not in other.free and other.free.isdisjoint(later):
                return other
    return None


def _parts(condition: Term) -> Iterator[Term]:
    """The parts that must all be true for it to be true."""
    if condition.op == "and":
        for one in condition.args:
            yield from _parts(one)
    elif condition.op == "not" and condition.args[0].op == "or":
        for one in condition.args[0].args:
            yield from _parts(not_(one))
    else:
        yield condition


# -- relevant ---------------------------------------------------------------------------------------------------------
# Of many lemmas the few that an obligation is likely to need.

OFTEN, SMALL = 5, 4
"""So many of the lemmas that most obligations use are always likely, and those that read no more leaves than this."""

Used = Mapping[str, frozenset[str]]
"""By row and column, the lemmas that were used (`likely`)."""


def place(row: str, column: str) -> str:
    """A cell."""
    return f"{row} {column}"


def always(used: Used, lemmas: Sequence[Predicate]) -> frozenset[str]:
    """The lemmas that are likely everywhere; none if nothing is known."""
    if not used:
        return frozenset()
    count = Counter(name for at, names in sorted(used.items()) for name in names if not at.endswith(" " + name))
    often = sorted(count, key=lambda name: (-count[name], name))[:OFTEN]
    return frozenset(often) | {one.member.name for one in lemmas if len(one.reads) <= SMALL}


D = TypeVar("D")
Kind = Literal["initiation", "evaluation", "preservation", "implication", "vacuity"]
Place = tuple[str, str]
"""A row and a column."""


@dataclass(frozen=True)
class Obligation:
    """One cell of a proof: a row (an action, or `initially` and the like), a column, and what has to be shown.

    `questions` are all to be answered with yes; there are none where the action writes nothing that the lemma reads
    (`untouched`).
    """

    kind: Kind
    row: str
    column: str
    questions: tuple[Question, ...]
    untouched: bool = False

    @property
    def place(self) -> Place:
        """Its row and column."""
        return self.row, self.column

    @property
    def label(self) -> str:
        """As reports name it."""
        if self.kind == "initiation":
            return f"{self.column} hold initially" if self.column == TYPES else f"{self.column} holds initially"
        if self.kind == "implication":
            return f"the lemmas imply {self.column}"
        if self.kind == "vacuity":
            return f"{self.row} can happen"
        if self.kind == "evaluation":
            return f"{self.column if self.row == LEMMAS else self.row} can be evaluated"
        return f"{self.row} preserves {self.column}"


MANY = 1_100
"""Lemmas are many if so many different terms are in them. Of fewer all are tried at once."""


class UnboundedPlan:
    """The obligations of a proof of some invariants. Raises Untranslatable for a protocol without them.

    `many` is for a proof of many lemmas (None: whether they are, `MANY`), `hints` are by the digest of a question.
    """

    def __init__(
        self,
        protocol: type[Protocol],
        properties: Sequence[str],
        many: bool | None = None,
        hints: Mapping[str, Hint] | None = None,
    ) -> None:
        self.reading = reading = ParametricSemantics(protocol)
        self._used: Used = {}
        self.lemmas = [reading.predicate(member) for member in protocol.members("lemma")]
        said = sum(1 for _ in subterms([one.holds for one in self.lemmas]))
        self.many = said >= MANY if many is None else many
        self._hints = hints or {}
        self._define, self._narrow = Definitions(reading.domains.sizes, self.many), Narrowed(self.many)
        self._names = Names(self._narrow, self.many)
        self._views: dict[str, View] = {}
        self._leaves = tuple(_portable(shape) for shape in reading.leaves.values())
        self.properties = [reading.predicate(member) for member in _named(protocol, properties)]
        self.actions = [reading.action(member) for member in protocol.members("action")]
        self.initial = reading.initial()
        self._facts = reading.facts if self.many else reading.of_bounds  # when every rule has said what it names
        self._base = (*self._facts, *map(self._typed, reading.typed(reading.state()).items()))
        self._always = frozenset[str]()

    def learn(self, used: Used) -> None:
        """Of many lemmas, those that are likely in the obligations from now on."""
        self._used, self._always = used, always(used, self.lemmas)

    @functools.cached_property
    def readings(self) -> tuple[UnboundedPlan, ...]:
        """This plan, and if it is of many lemmas, the same as one of few: what few lemmas imply is tried as both."""
        if not self.many:
            return (self,)
        properties = [one.member.name for one in self.properties]
        return self, UnboundedPlan(self.reading.protocol, properties, many=False, hints=self._hints)

    @property
    def counting(self) -> tuple[str, ...]:
        """The bounds that say how many identifiers there are, also of those that only rules name."""
        named = set(subterms(self.reading.domains.sizes.values()))
        return tuple(name for name, number in self.reading.bounds.numbers.items() if number in named)

    def obligations(self) -> Iterator[Obligation]:
        """All of them: initiation, lemmas that can be evaluated, actions, implication.

        The first is that `initial` does not fail, whatever it chooses, and that what it leaves is typed.
        """
        typed = self.reading.typed(self.initial.after).values()
        yield self._sound_and_typed("initiation", INITIALLY, TYPES, self.initial, self._facts, [], typed)
        own = [*self._facts, *self._taken(self.initial), *self._sound(self.initial)]
        for lemma in self.lemmas:
            after = self.reading.predicate(lemma.member, self.initial.after)
            yield self._made("initiation", INITIALLY, lemma.member.name, own, [], [after.holds])
        for lemma in self.lemmas:
            own = [*self._base, self._narrow(lemma.holds)]
            yield self._made("evaluation", LEMMAS, lemma.member.name, own, self._others(lemma), _sound(lemma.failures))
        for action in self.actions:
            yield self._evaluation(action)
            for lemma in self.lemmas:
                yield self._preservation(action, lemma)
        for one in self.properties:
            yield self._made("implication", IMPLICATION, one.member.name, self._base, self._others(None), _judged(one))

    def outlined(self, row: str, column: str, outline: ProofOutline) -> Obligation:
        """A cell again, with a few lemmas before the step and after it; of an invariant, with a few lemmas.

        Those after it must be ones that the action is proved to preserve without this cell.
        """
        lemmas = {one.member.name: one for one in self.lemmas}
        own = [*self._base, *(self._narrow(lemmas[name].holds) for name in outline.before)]
        if row == IMPLICATION:
            (invariant,) = (one for one in self.properties if one.member.name == column)
            return self._made("implication", row, column, own, [], _judged(invariant), few=True)
        (action,) = (one for one in self.actions if one.name == row)
        if column == EVALUATION:
            return self._evaluated(action, own, [])
        after = self._after(action)
        own += [*self._taken(action), *self._sound(action)]
        own += [self._narrow(self.reading.predicate(lemmas[name].member, after).holds) for name in outline.after]
        goal = self.reading.predicate(lemmas[column].member, after).holds
        return self._made("preservation", row, column, own, [], [goal], few=True)

    def implied(self, lemma: str, others: Collection[str], few: bool = False) -> Obligation:
        """That a lemma follows from others, in any typed state; with `few` of them, what is said of these is more."""
        known = {one.member.name: self._narrow(one.holds) for one in self.lemmas}
        hypotheses = [holds for name, holds in known.items() if name in others]
        return self._made("implication", IMPLICATION, lemma, self._base, hypotheses, [known[lemma]], few=few)

    def trivial(self, name: str) -> Obligation:
        """That an invariant holds in every typed state, lemmas or not: what makes it worth nothing."""
        (one,) = (one for one in self.properties if one.member.name == name)
        return self._made("implication", IMPLICATION, name, self._base, [], _judged(one))

    def vacuity(self) -> Iterator[Obligation]:
        """That an action can never happen: what should not be provable."""
        for action in self.actions:
            own, others = [*self._base, *self._taken(action)], self._others(None)
            yield Obligation("vacuity", action.name, "", (self._question(own, others, (), (), not self.many),))

    def _evaluation(self, action: Action) -> Obligation:
        return self._evaluated(action, self._base, self._others(None))

    def _evaluated(self, action: Action, base: Sequence[Term], others: Sequence[Term]) -> Obligation:
        """That it does not fail, and that then what it writes is typed, as is checked wherever it writes."""
        before, after = self.reading.typed(self.reading.state()), self.reading.typed(self._after(action))
        goals = [typed for path, typed in after.items() if typed is not before[path]]
        return self._sound_and_typed("evaluation", action.name, EVALUATION, action, base, others, goals)

    def _sound_and_typed(
        self,
        kind: Kind,
        row: str,
        column: str,
        step: Action,
        base: Sequence[Term],
        others: Sequence[Term],
        typed: Iterable[Term],
    ) -> Obligation:
        """A failure says itself which guards come before it; those that come after it do not prevent it."""
        sound = self._sound(step)
        first = self._made(kind, row, column, [*base, *step.typed], others, sound)
        then = self._made(kind, row, column, [*base, *self._taken(step), *sound], others, typed)
        return Obligation(kind, row, column, (*first.questions, *then.questions))

    def _preservation(self, action: Action, lemma: Predicate) -> Obligation:
        name = lemma.member.name
        if not lemma.reads & action.changed:
            return Obligation("preservation", action.name, name, (), untouched=True)
        after = self.reading.predicate(lemma.member, self._after(action))
        own = [*self._base, *self._taken(action), self._narrow(lemma.holds)]
        others = [*self._others(lemma), *self._sound(action)]  # a step that fails is none, and an open cell
        return self._made("preservation", action.name, name, own, others, [after.holds])

    def _after(self, action: Action) -> View:
        """The state after an action, in which what it computes has names."""
        found = self._views.get(action.name, None if self.many else action.after)
        if found is None:
            found = self._names.after(action.name, action.after, action.changed, self.reading.leaves)
            self._views[action.name] = found
        return found

    def _taken(self, action: Action) -> list[Term]:
        """That a step can be taken, with these parameters."""
        return [*action.typed, *(self._names(guard.condition) for guard in action.guards)]

    def _sound(self, action: Action) -> list[Term]:
        """That it does not fail."""
        return [*map(self._names, _sound(action.failures))]

    def _typed(self, one: tuple[str, Term]) -> Term:
        """That the numbers of a leaf are typed, of use wherever there is one."""
        path, typed = one
        if not self.many:
            return typed
        shape, bounds = self.reading.leaves[path], list[Bound]()
        while len(bounds) < len(shape.arguments) and typed.op == "forall":
            bounds.append(bound_of(typed))
            typed = typed.args[3]
        if len(bounds) < len(shape.arguments):
            return one[1]
        return definition(bounds, apply(shape.symbol, [b.variable for b in bounds], shape.sort), typed)

    def _others(self, lemma: Predicate | None) -> list[Term]:
        return [self._narrow(one.holds) for one in self.lemmas if one is not lemma]

    def _made(
        self,
        kind: Kind,
        row: str,
        column: str,
        own: Sequence[Term],
        others: Sequence[Term],
        goals: Iterable[Term],
        few: bool = False,
    ) -> Obligation:
        clauses = [clause for goal in goals for clause in split(self._define(self._narrow(goal)), self.many)]
        likely = [] if few else self._likely(row, column, others)  # of few all matter
        questions = tuple(self._question(own, others, likely, clause, few) for clause in clauses)
        return Obligation(kind, row, column, questions)

    def _likely(self, row: str, column: str, others: Sequence[Term]) -> list[Term]:
        """Those of the other hypotheses that are tried first: some lemmas, and what else is known of the step."""
        if not self.many:
            return []
        names = self._used.get(place(row, column), frozenset()) | self._always
        lemmas = {self._narrow(one.holds): one.member.name for one in self.lemmas}
        return [one for one in others if lemmas.get(one, "") in {"", *names}]

    def _question(
        self,
        own: Sequence[Term],
        others: Sequence[Term],
        likely: Sequence[Term],
        clause: tuple[Term, ...],
        few: bool,
    ) -> Question:
        mine, theirs = [self._define(one) for one in own], [self._define(one) for one in others]
        facts = self._unfolded([*mine, *theirs, *clause])
        everything = [*clause, *mine, *theirs, *facts] if self.many else [*clause, *mine, *theirs]
        about = About(ground(clause, ()), ground(everything, self._leaves), of_constants(everything))
        compared = self._define.compared(everything, about, few)
        first = [*map(self._define, likely), *compared] if likely else []
        asked = Question((*mine, *facts), (*theirs, *compared), clause, self._leaves, tuple(first), bool(likely))
        return replace(asked, hint=self._hints.get(asked.digest)) if self._hints else asked

    def _unfolded(self, terms: Sequence[Term]) -> list[Term]:
        """What the names in these terms mean, and those in that, and what functions in all of it are defined by."""
        facts = list[Term]()
        while True:
            known = [*terms, *facts]
            more = [*map(self._define, self._names.facts(known)), *self._define.facts(known)]
            if len(more) == len(facts):
                return facts
            facts = more


def _portable(shape: LeafShape) -> LeafShape:
    """The same without classes of the protocol, which other processes need not find."""
    arguments = tuple(replace(one, domain=_plain(one.domain)) for one in shape.arguments)
    return replace(shape, arguments=arguments, domain=_plain(shape.domain))


def _plain(domain: D) -> D:
    return replace(domain, members=None) if isinstance(domain, Numbers) else domain


def _sound(failures: Iterable[Failure]) -> list[Term]:
    """That evaluation does not fail."""
    return [not_(failure.condition) for failure in failures]


def _judged(invariant: Predicate) -> list[Term]:
    """That an invariant holds, and can be evaluated."""
    return [invariant.holds, *_sound(invariant.failures)]


def _named(protocol: type[Protocol], names: Sequence[str]) -> list[Member]:
    known = {member.name: member for member in protocol.members("invariant")}
    for name in names:
        if name not in known:
            raise LanguageError(f"{name!r} is no invariant", advice=f"Invariants: {', '.join(known)}.")
    return [known[name] for name in names]
