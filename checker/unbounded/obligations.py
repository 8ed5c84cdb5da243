"""What has to be proved so that invariants hold after any number of steps, for every choice of the bounds.

Initiation: the initial state is typed, and every lemma holds in it. Evaluation: where the state is typed and all lemmas
hold, no action, lemma or invariant fails, and what an action writes lies in its domains. Preservation: an action leads
to a state where each lemma holds. Implication: so does each invariant. These are the obligations of a proof within
bounds, one for each action instead of one for each choice of its parameters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from epochal.spec.language import LanguageError, Member, Protocol

from ..parametric.definition import definition
from ..parametric.domains import Numbers
from ..parametric.leaves import LeafShape, View
from ..parametric.rules import Action, ParametricReading, Predicate
from ..parametric.run import Failure
from ..parametric.terms import Bound, Term, apply, bound_of, not_, subterms
from ..solver.obligations import EVALUATION, IMPLICATION, INITIALLY, LEMMAS, TYPES
from .defined import Definitions
from .ladder import Question
from .named import Names
from .narrowed import Narrowed
from .pools import ground, of_constants
from .relevant import Used, always, place
from .sizes import About
from .split import split

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


class Plan:
    """The obligations of a proof of some invariants. Raises NoReading where the protocol has no parametric reading."""

    def __init__(self, protocol: type[Protocol], properties: Sequence[str], used: Used | None = None) -> None:
        self.reading = reading = ParametricReading(protocol)
        self._used = used or {}
        self._large = bool(self._used)
        self._define, self._narrow = Definitions(reading.domains.sizes, self._large), Narrowed(self._large)
        self._names = Names(self._narrow, self._large)
        self._views: dict[str, View] = {}
        self._leaves = tuple(_portable(shape) for shape in reading.leaves.values())
        self.lemmas = [reading.predicate(member) for member in protocol.members("lemma")]
        self.properties = [reading.predicate(member) for member in _named(protocol, properties)]
        self.actions = [reading.action(member) for member in protocol.members("action")]
        self.initial = reading.initial()
        self._facts = reading.facts if self._large else reading.of_bounds  # when every rule has said what it names
        self._base = (*self._facts, *map(self._typed, reading.typed(reading.state()).items()))
        self._always = always(self._used, self.lemmas)

    @property
    def counting(self) -> tuple[str, ...]:
        """The bounds that say how many identifiers there are, also of those that only rules name."""
        named = set(subterms(self.reading.domains.sizes.values()))
        return tuple(name for name, number in self.reading.bounds.numbers.items() if number in named)

    def obligations(self) -> Iterator[Obligation]:
        """All of them: initiation, lemmas that can be evaluated, actions, implication."""
        yield self._start()
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
            goals = [one.holds, *_sound(one.failures)]
            name = one.member.name
            yield self._made("implication", IMPLICATION, name, self._base, self._others(None), goals)

    def implied(self, lemma: str, others: Collection[str]) -> Obligation:
        """That a lemma follows from others, in any typed state."""
        known = {one.member.name: self._narrow(one.holds) for one in self.lemmas}
        hypotheses = [holds for name, holds in known.items() if name in others]
        return self._made("implication", IMPLICATION, lemma, self._base, hypotheses, [known[lemma]])

    def trivial(self, name: str) -> Obligation:
        """That an invariant holds in every typed state, lemmas or not: what makes it worth nothing."""
        (one,) = (one for one in self.properties if one.member.name == name)
        return self._made("implication", IMPLICATION, name, self._base, [], [one.holds, *_sound(one.failures)])

    def vacuity(self) -> Iterator[Obligation]:
        """That an action can never happen: what should not be provable."""
        for action in self.actions:
            own, others = [*self._base, *self._taken(action)], self._others(None)
            yield Obligation("vacuity", action.name, "", (self._question(own, others, (), ()),))

    def _start(self) -> Obligation:
        """That `initial` does not fail, whatever it chooses, and that what it leaves is typed."""
        typed = self.reading.typed(self.initial.after)
        return self._sound_and_typed("initiation", INITIALLY, TYPES, self.initial, self._facts, [], typed.values())

    def _evaluation(self, action: Action) -> Obligation:
        """That it does not fail, and that then what it writes is typed, as is checked wherever it writes."""
        before, after = self.reading.typed(self.reading.state()), self.reading.typed(self._after(action))
        goals = [typed for path, typed in after.items() if typed is not before[path]]
        others = self._others(None)
        return self._sound_and_typed("evaluation", action.name, EVALUATION, action, self._base, others, goals)

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
        found = self._views.get(action.name, None if self._large else action.after)
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
        if not self._large:
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
        self, kind: Kind, row: str, column: str, own: Sequence[Term], others: Sequence[Term], goals: Iterable[Term]
    ) -> Obligation:
        clauses = [clause for goal in goals for clause in split(self._define(self._narrow(goal)), self._large)]
        likely = self._likely(row, column, others)
        return Obligation(kind, row, column, tuple(self._question(own, others, likely, clause) for clause in clauses))

    def _likely(self, row: str, column: str, others: Sequence[Term]) -> list[Term]:
        """Those of the other hypotheses that are tried first: some lemmas, and what else is known of the step."""
        if not self._large:
            return []
        names = self._used.get(place(row, column), frozenset()) | self._always
        lemmas = {self._narrow(one.holds): one.member.name for one in self.lemmas}
        return [one for one in others if lemmas.get(one, "") in {"", *names}]

    def _question(
        self, own: Sequence[Term], others: Sequence[Term], likely: Sequence[Term], clause: tuple[Term, ...]
    ) -> Question:
        mine, theirs = [self._define(one) for one in own], [self._define(one) for one in others]
        facts = self._unfolded([*mine, *theirs, *clause])
        everything = [*clause, *mine, *theirs, *facts] if self._large else [*clause, *mine, *theirs]
        about = About(ground(clause, ()), ground(everything, self._leaves), of_constants(everything))
        compared = self._define.compared(everything, about)
        first = [*map(self._define, likely), *compared] if likely else []
        return Question((*mine, *facts), (*theirs, *compared), clause, self._leaves, tuple(first))

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


def _named(protocol: type[Protocol], names: Sequence[str]) -> list[Member]:
    known = {member.name: member for member in protocol.members("invariant")}
    for name in names:
        if name not in known:
            raise LanguageError(f"{name!r} is no invariant", advice=f"Invariants: {', '.join(known)}.")
    return [known[name] for name in names]
