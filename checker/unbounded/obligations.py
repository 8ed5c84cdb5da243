"""What has to be proved so that invariants hold after any number of steps, for every choice of the bounds.

Initiation: the initial state is typed, and every lemma holds in it. Evaluation: where the state is typed and all lemmas
hold, no action, lemma or invariant fails, and what an action writes lies in its domains. Preservation: an action leads
to a state where each lemma holds. Implication: so does each invariant. These are the obligations of a proof within
bounds, one for each action instead of one for each choice of its parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from epochal.spec.language import LanguageError, Member, Protocol

from ..parametric.definition import definition
from ..parametric.leaves import View
from ..parametric.rules import Action, ParametricReading, Predicate
from ..parametric.run import Failure
from ..parametric.terms import Bound, Term, apply, bound_of, not_
from .defined import Definitions
from .ladder import Question
from .named import Names
from .narrowed import Narrowed
from .relevant import Used, always, place
from .split import split

Kind = Literal["initiation", "evaluation", "preservation", "implication", "vacuity"]
TYPES = "types"
"""The column of what says that numbers lie in their domains."""

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
        self._large = bool(used)
        self._define, self._narrow = Definitions(self._large), Narrowed(self._large)
        self._names = Names(self._narrow, self._large)
        self._views: dict[str, View] = {}
        self._leaves = tuple(reading.leaves.values())
        state = reading.state()
        self._facts = reading.facts if self._large else reading.bounds.facts
        self._base = (*self._facts, *map(self._typed, reading.typed(state).items()))
        self.lemmas = [reading.predicate(member) for member in protocol.members("lemma")]
        self.properties = [reading.predicate(member) for member in _named(protocol, properties)]
        self.actions = [reading.action(member) for member in protocol.members("action")]
        self.initial = reading.initial()
        self._used = used or {}
        self._always = always(self._used, self.lemmas)

    def obligations(self) -> Iterator[Obligation]:
        """All of them: initiation, lemmas that can be evaluated, actions, implication."""
        typed = self.reading.typed(self.initial.after).values()
        yield self._initiation(TYPES, [*typed, *_sound(self.initial.failures)])
        for lemma in self.lemmas:
            after = self.reading.predicate(lemma.member, self.initial.after)
            yield self._initiation(lemma.member.name, [after.holds])
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

    def vacuity(self) -> Iterator[Obligation]:
        """That an action can never happen: what should not be provable."""
        for action in self.actions:
            own, others = [*self._base, *self._taken(action)], self._others(None)
            yield Obligation("vacuity", action.name, "", (self._question(own, others, (), ()),))

    def _initiation(self, column: str, goals: Iterable[Term]) -> Obligation:
        own = [*self._facts, *self._taken(self.initial)]
        return self._made("initiation", INITIALLY, column, own, [], goals)

    def _evaluation(self, action: Action) -> Obligation:
        """That it does not fail, and that then what it writes is typed, as is checked wherever it writes."""
        parameters = [bound.inside for bound in action.parameters]
        sound, others = [*map(self._names, _sound(action.failures))], self._others(None)
        found = self._made("evaluation", action.name, EVALUATION, [*self._base, *parameters], others, sound)
        before, after = self.reading.typed(self.reading.state()), self.reading.typed(self._after(action))
        goals = [typed for path, typed in after.items() if typed is not before[path]]
        own = [*self._base, *self._taken(action), *sound]
        typed = self._made("evaluation", action.name, EVALUATION, own, others, goals)
        return Obligation(found.kind, found.row, found.column, (*found.questions, *typed.questions))

    def _preservation(self, action: Action, lemma: Predicate) -> Obligation:
        name = lemma.member.name
        if not lemma.reads & action.changed:
            return Obligation("preservation", action.name, name, (), untouched=True)
        after = self.reading.predicate(lemma.member, self._after(action))
        own = [*self._base, *self._taken(action), self._narrow(lemma.holds)]
        others = [
            *self._others(lemma),
            *map(self._names, _sound(action.failures)),
        ]  # a step that fails is none, and an open cell
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
        parameters = [bound.inside for bound in action.parameters]
        return [*parameters, *(self._names(guard.condition) for guard in action.guards)]

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
        if not self._used:
            return []
        names = self._used.get(place(row, column), frozenset()) | self._always
        lemmas = {self._narrow(one.holds): one.member.name for one in self.lemmas}
        return [one for one in others if lemmas.get(one, "") in {"", *names}]

    def _question(
        self, own: Sequence[Term], others: Sequence[Term], likely: Sequence[Term], clause: tuple[Term, ...]
    ) -> Question:
        mine, theirs = [self._define(one) for one in own], [self._define(one) for one in others]
        facts = list[Term]()
        while True:
            known = [*mine, *theirs, *clause, *facts]
            more = [*map(self._define, self._names.facts(known)), *self._define.facts(known)]
            if len(more) == len(facts):
                break
            facts = more
        return Question((*mine, *facts), tuple(theirs), clause, self._leaves, tuple(map(self._define, likely)))


def _sound(failures: Iterable[Failure]) -> list[Term]:
    """That evaluation does not fail."""
    return [not_(failure.condition) for failure in failures]


def _named(protocol: type[Protocol], names: Sequence[str]) -> list[Member]:
    known = {member.name: member for member in protocol.members("invariant")}
    for name in names:
        if name not in known:
            raise LanguageError(f"{name!r} is no invariant", advice=f"Invariants: {', '.join(known)}.")
    return [known[name] for name in names]
