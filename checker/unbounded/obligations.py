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

from ..parametric.domains import Numbers
from ..parametric.leaves import LeafShape
from ..parametric.rules import Action, ParametricReading, Predicate
from ..parametric.run import Failure
from ..parametric.terms import Term, not_
from .defined import Definitions
from .ladder import Question
from .pools import ground, of_constants
from .sizes import About
from .split import split

D = TypeVar("D")
Kind = Literal["initiation", "evaluation", "preservation", "implication", "vacuity"]
TYPES = "types"
"""The column of what says that numbers lie in their domains."""

Place = tuple[str, str]
"""A row and a column."""

EVALUATION = "evaluation"
INITIALLY, LEMMAS, IMPLICATION = "initially", "lemmas", "implication"
"""The rows that are of no action."""


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

    def __init__(self, protocol: type[Protocol], properties: Sequence[str]) -> None:
        _refuse_ambiguous(protocol)
        self.reading = reading = ParametricReading(protocol)
        self._define = Definitions(reading.domains.sizes)
        self._leaves = tuple(_portable(shape) for shape in reading.leaves.values())
        state = reading.state()
        self._base = (*reading.bounds.facts, *reading.typed(state).values())
        self.lemmas = [reading.predicate(member) for member in protocol.members("lemma")]
        self.properties = [reading.predicate(member) for member in _named(protocol, properties)]
        self.actions = [reading.action(member) for member in protocol.members("action")]
        self.initial = reading.initial()

    def obligations(self) -> Iterator[Obligation]:
        """All of them: initiation, lemmas that can be evaluated, actions, implication."""
        yield self._start()
        own = [*self.reading.bounds.facts, *_taken(self.initial), *_sound(self.initial.failures)]
        for lemma in self.lemmas:
            after = self.reading.predicate(lemma.member, self.initial.after)
            yield self._made("initiation", INITIALLY, lemma.member.name, own, [], [after.holds])
        for lemma in self.lemmas:
            own = [*self._base, lemma.holds]
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
        known = {one.member.name: one.holds for one in self.lemmas}
        hypotheses = [holds for name, holds in known.items() if name in others]
        return self._made("implication", IMPLICATION, lemma, self._base, hypotheses, [known[lemma]])

    def vacuity(self) -> Iterator[Obligation]:
        """That an action can never happen: what should not be provable."""
        for action in self.actions:
            own, others = [*self._base, *_taken(action)], self._others(None)
            yield Obligation("vacuity", action.name, "", (self._question(own, others, ()),))

    def _start(self) -> Obligation:
        """That `initial` does not fail, whatever it chooses, and that what it leaves is typed."""
        facts, typed = self.reading.bounds.facts, self.reading.typed(self.initial.after)
        return self._sound_and_typed("initiation", INITIALLY, TYPES, self.initial, facts, [], typed.values())

    def _evaluation(self, action: Action) -> Obligation:
        """That it does not fail, and that then what it writes is typed, as is checked wherever it writes."""
        before, after = self.reading.typed(self.reading.state()), self.reading.typed(action.after)
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
        parameters, sound = [bound.inside for bound in step.parameters], _sound(step.failures)
        first = self._made(kind, row, column, [*base, *parameters], others, sound)
        then = self._made(kind, row, column, [*base, *_taken(step), *sound], others, typed)
        return Obligation(kind, row, column, (*first.questions, *then.questions))

    def _preservation(self, action: Action, lemma: Predicate) -> Obligation:
        name = lemma.member.name
        if not lemma.reads & action.changed:
            return Obligation("preservation", action.name, name, (), untouched=True)
        after = self.reading.predicate(lemma.member, action.after)
        own = [*self._base, *_taken(action), lemma.holds]
        others = [*self._others(lemma), *_sound(action.failures)]  # a step that fails is none, and an open cell
        return self._made("preservation", action.name, name, own, others, [after.holds])

    def _others(self, lemma: Predicate | None) -> list[Term]:
        return [one.holds for one in self.lemmas if one is not lemma]

    def _made(
        self, kind: Kind, row: str, column: str, own: Sequence[Term], others: Sequence[Term], goals: Iterable[Term]
    ) -> Obligation:
        clauses = [clause for goal in goals for clause in split(self._define(goal))]
        return Obligation(kind, row, column, tuple(self._question(own, others, clause) for clause in clauses))

    def _question(self, own: Sequence[Term], others: Sequence[Term], clause: tuple[Term, ...]) -> Question:
        mine, theirs = [self._define(one) for one in own], [self._define(one) for one in others]
        facts = self._define.facts([*mine, *theirs, *clause])
        everything = [*clause, *mine, *theirs]
        about = About(ground(clause, ()), ground(everything, self._leaves), of_constants(everything))
        theirs += self._define.compared(everything, about)
        return Question((*mine, *facts), tuple(theirs), clause, self._leaves)


def _portable(shape: LeafShape) -> LeafShape:
    """The same without classes of the protocol, which other processes need not find."""
    arguments = tuple(replace(one, domain=_plain(one.domain)) for one in shape.arguments)
    return replace(shape, arguments=arguments, domain=_plain(shape.domain))


def _plain(domain: D) -> D:
    return replace(domain, members=None) if isinstance(domain, Numbers) else domain


def _taken(action: Action) -> list[Term]:
    """That a step can be taken, with these parameters."""
    return [*(bound.inside for bound in action.parameters), *(guard.condition for guard in action.guards)]


def _sound(failures: Iterable[Failure]) -> list[Term]:
    """That evaluation does not fail."""
    return [not_(failure.condition) for failure in failures]


def _refuse_ambiguous(protocol: type[Protocol]) -> None:
    """Refuse names that would make two cells of the table one: the answer of one would be taken for the other's."""
    rows = [one for one in protocol.members("action") if one.name in (INITIALLY, LEMMAS, IMPLICATION)]
    columns = [one for one in protocol.members("lemma") if one.name in (TYPES, EVALUATION)]
    for one in (*rows, *columns):
        raise LanguageError(f"a proof has a row or column called {one.name} already", one.where, "Rename the method.")


def _named(protocol: type[Protocol], names: Sequence[str]) -> list[Member]:
    known = {member.name: member for member in protocol.members("invariant")}
    for name in names:
        if name not in known:
            raise LanguageError(f"{name!r} is no invariant", advice=f"Invariants: {', '.join(known)}.")
    return [known[name] for name in names]
