"""Houdini: of many candidate lemmas, the largest set that is inductive.

All candidates are assumed, and those that some step breaks are dropped, until none is broken. Whatever the order, the
same set is left: a candidate that belongs to any inductive set of candidates is never dropped (Flanagan and Leino,
FME 2001). What has been proved from lemmas that are all still there is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from epochal.spec.language import Member

from .induction import Induction, ObligationResult, ProofResult, Stopwatch, result_of
from .obligations import Claim, Obligation

Place = tuple[int, str]
"""An obligation: the number of the instance, and the lemma ("" for evaluation)."""


@dataclass(frozen=True)
class Fallen:
    """A candidate that was dropped: in which round, and the first obligation about it that is not met."""

    member: Member
    round: int
    answer: ObligationResult

    @property
    def action(self) -> str:
        """The action instance that breaks it, "initially", or ""."""
        instance = self.answer.obligation.instance
        return "initially" if instance is None else instance.label


class Houdini:
    """The largest inductive set of the lemmas of a plan, or of some of them. What it has proved it remembers."""

    def __init__(self, induction: Induction) -> None:
        self.induction = induction
        self._proved: dict[Place, list[ObligationResult]] = {}
        self._open: dict[Place, ObligationResult] = {}

    def reduce(self, names: frozenset[str], enough: Callable[[], bool] = lambda: True) -> list[Fallen]:
        """Keep the largest inductive set among the lemmas with these names; those that fell, in the order of falling.

        After each round `enough` is asked whether it is worth going on; if not, the set need not be inductive.
        """
        self.induction.keep(names)
        fallen = [_fallen(0, answer) for answer in self.induction.initiations() if answer.verdict != "proved"]
        self._drop(fallen)
        round = 0
        while enough():
            round += 1
            last = self._round(round)
            if not last:
                break
            fallen += last
            self._drop(last)
        return fallen

    def answers(self) -> list[ObligationResult]:
        """The answers to all obligations of the set that was kept, in the order of a proof."""
        induction = self.induction
        found = list(induction.initiations())
        for compiled in induction.model.instances:
            affected = {claim.member.name for claim in induction.plan.affected(compiled)}
            for claim in (None, *induction.claims):
                if claim is not None and claim.member.name not in affected:
                    obligation = Obligation("preservation", compiled.instance, claim.member)
                    found.append(ObligationResult(obligation, "proved", asked=False))
                    continue
                place = (compiled.instance.number, "" if claim is None else claim.member.name)
                found.append(self._known(place) or self._open[place])
        return [*found, *induction.implications()]

    # -- rounds ---------------------------------------------------------------------------------------------------

    def _round(self, number: int) -> list[Fallen]:
        """Ask what is not known; the lemmas that fell, each at its first instance."""
        induction = self.induction
        wanted: dict[int, list[Claim]] = {}
        for compiled in induction.model.instances:
            at = compiled.instance.number
            affected = {claim.member.name for claim in induction.plan.affected(compiled)}
            open = [
                claim
                for claim in induction.claims
                if claim.member.name in affected and self._known((at, claim.member.name)) is None
            ]
            if open or self._known((at, "")) is None:
                wanted[at] = open
        self._open.clear()
        fallen: dict[str, Fallen] = {}
        for answer in induction.steps(wanted):
            instance, member = answer.obligation.instance, answer.obligation.member
            assert instance is not None
            place = (instance.number, "" if member is None else member.name)
            if answer.verdict == "proved":
                self._proved.setdefault(place, []).append(answer)
            elif member is None:
                self._open[place] = answer
            else:
                fallen.setdefault(member.name, _fallen(number, answer))
        return list(fallen.values())

    def _known(self, place: Place) -> ObligationResult | None:
        """The proof of an obligation from lemmas that are all still there."""
        names = self.induction.names
        return next((answer for answer in self._proved.get(place, ()) if names.issuperset(answer.core)), None)

    def _drop(self, fallen: Iterable[Fallen]) -> None:
        self.induction.keep(self.induction.names - {one.member.name for one in fallen})


def _fallen(round: int, answer: ObligationResult) -> Fallen:
    member = answer.obligation.member
    assert member is not None
    return Fallen(member, round, answer)


@dataclass(frozen=True)
class Reduced:
    """A proof from the lemmas that are left, and those that fell (`--houdini`) or are not needed (`--minimize`)."""

    proof: ProofResult
    fallen: tuple[Fallen, ...] = ()
    needless: tuple[Member, ...] = ()

    def with_proof(self, proof: ProofResult) -> Reduced:
        """The same with another account of the proof."""
        return replace(self, proof=proof)


def houdini(induction: Induction, watch: Stopwatch) -> Reduced:
    """Drop the lemmas of a plan that no proof can use, and prove from the rest."""
    search = Houdini(induction)
    fallen = search.reduce(induction.names)
    return Reduced(result_of(induction, search.answers(), watch), tuple(fallen))


# -- minimize ---------------------------------------------------------------------------------------------------------
# Which lemmas a proof does not need.
#
# First those are set aside that no proof of an obligation used, directly or through others. Then each lemma that is
# left is taken away in turn, with whatever cannot be proved without it: if the properties still follow, it stays away.
# Of what remains, none can be missed; another smallest set may exist.


def minimize(induction: Induction, watch: Stopwatch) -> Reduced:
    """Prove from as few lemmas as possible. If the whole proof fails, nothing is taken away."""
    search = Houdini(induction)
    everything = induction.names
    fallen = search.reduce(everything)
    answers = search.answers()
    if fallen or not proved(answers):
        induction.keep(everything)
        return Reduced(result_of(induction, list(induction.answers()), watch))
    kept = used(answers)
    order = [claim.member.name for claim in induction.plan.lemmas]
    for name in reversed(order):
        if name in kept:
            search.reduce(kept - {name}, enough=lambda: proved(induction.implications()))
            if proved(induction.implications()) and proved(search.answers()):
                kept = induction.names
    search.reduce(kept)
    needless = tuple(claim.member for claim in induction.plan.lemmas if claim.member.name not in kept)
    return Reduced(result_of(induction, search.answers(), watch), needless=needless)


def proved(answers: Iterable[ObligationResult]) -> bool:
    """Whether all obligations are met."""
    return all(answer.verdict == "proved" for answer in answers)


def used(answers: Sequence[ObligationResult]) -> frozenset[str]:
    """The lemmas that the proofs of the properties used, directly or through other lemmas."""
    needs: dict[str, set[str]] = {}
    wanted: set[str] = set()
    for answer in answers:
        if answer.obligation.kind == "preservation":
            needs.setdefault(answer.obligation.column, set()).update(answer.core)
        else:
            wanted.update(answer.core)
    todo = list(wanted)
    while todo:
        for name in needs.get(todo.pop(), ()):
            if name not in wanted:
                wanted.add(name)
                todo.append(name)
    return frozenset(wanted)
