"""Which lemmas a cell of a proof needs: found within bounds, where the solver can say so.

For every choice of the bounds a solver finds no proof among many lemmas, and is fast with the few that matter. Within
small bounds it decides which these are: for every instance of the action the lemmas that suffice before the step, and
those that may be used after it because the action is proved to preserve them already. What suffices within bounds need
not do so for every choice of them: it is tried, and proves nothing by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from epochal.spec.language import Protocol

from ..ir.model import CompiledInstance
from ..solver.answer import Query, Solver
from ..solver.induction import EVALUATION, RLIMIT, Plan, Questions, prepared


@dataclass(frozen=True)
class ProofOutline:
    """What suffices for a cell: lemmas in the state before the step, and lemmas in the state after it."""

    before: tuple[str, ...]
    after: tuple[str, ...]


class Premises:
    """Finds outlines at a few numbers of identifiers, the fewest first; each model is compiled when it is needed."""

    def __init__(self, protocols: Collection[Protocol], properties: tuple[str, ...], tell: Callable[[], None]) -> None:
        self._protocols, self._properties, self._tell = tuple(protocols), properties, tell
        self._models: list[_Within] = []

    def of(self, row: str, column: str, kept: Collection[str]) -> Iterator[ProofOutline]:
        """Outlines of a cell: rather with lemmas after the step, which are from `kept`, and rather with those before.

        There is none if a counterexample is found within these bounds.
        """
        for rather_after in (True, False):
            found: dict[tuple[str, bool], None] = {}
            for model in self._within():
                if not model.add(row, column, kept, found, rather_after):
                    return
                self._tell()
            names = sorted(found)
            before, after = ([name for name, later in names if later == which] for which in (False, True))
            yield ProofOutline(tuple(before), tuple(after))

    def _within(self) -> Iterator[_Within]:
        for number, protocol in enumerate(self._protocols):
            if number == len(self._models):
                self._models.append(_Within(prepared(protocol, self._properties)))
            yield self._models[number]


class _Within:
    """A model within bounds, whose solver is asked which lemmas suffice."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._questions = Questions(plan, RLIMIT)
        self._solver = Solver(self._questions.premises)
        self._names = [claim.member.name for claim in plan.lemmas]

    def add(
        self, row: str, column: str, kept: Collection[str], found: dict[tuple[str, bool], None], rather_after: bool
    ) -> bool:
        """Add to what was found what the instances of an action need besides. False if one has a counterexample."""
        return all(self._suffices(one, column, kept, found, rather_after) for one in self._instances(row, column))

    def _instances(self, row: str, column: str) -> Iterator[CompiledInstance]:
        for one in self._plan.model.instances:
            names = {claim.member.name for claim in self._plan.affected(one)}
            if one.instance.action.name == row and (column in names or column == EVALUATION):
                yield one

    def _suffices(
        self,
        one: CompiledInstance,
        column: str,
        kept: Collection[str],
        found: dict[tuple[str, bool], None],
        rather_after: bool,
    ) -> bool:
        question = self._asked(one)
        changed = {claim.member.name for claim in self._plan.affected(one)}
        after = tuple(n for n, name in enumerate(self._names) if name in kept and name in changed and name != column)
        known = {(self._names.index(name), later) for name, later in found}
        goal = None if column == EVALUATION else self._names.index(column)
        needed = self._solver.needed(question, goal, after if goal is not None else (), known, rather_after)
        if needed is None:
            return False
        found |= dict.fromkeys((self._names[n], later) for n, later in sorted(needed))
        return True

    def _asked(self, one: CompiledInstance) -> Query:
        return self._questions.of_instance(one, self._plan.lemmas, self._plan.lemmas)
