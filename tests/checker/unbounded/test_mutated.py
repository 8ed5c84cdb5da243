"""KIP-320 and its proof with one place changed: what a search breaks is not proved for every choice of the bounds.

The search finds the shortest run that breaks anything. Before its last step every lemma holds, so that the cell of this
step and of a lemma that is false after it has a counterexample, and the lemma does not follow from those that are true.
These are asked; a solver that answers with yes has proved something false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, partial

import pytest

from epochal.checker.solver.induction import EVALUATION, IMPLICATION, INITIALLY, LEMMAS
from epochal.checker.unbounded.ladder import STEEPEST, Climber
from epochal.checker.unbounded.obligations import Obligation, UnboundedPlan
from epochal.checker.unbounded.proof import GROUND_RLIMIT, Asking
from epochal.checker.workers.pool import one_by_one
from epochal.spec.classic.kip_320_proof import Kip320Proof
from epochal.spec.language import LanguageError
from tests.checker.mutated import Broken, Mutant, first_broken, mutants_of

INVARIANTS = ("weak_isr", "strong_isr", "leader_in_isr")
SMALLER = {"replicas": 3, "log_size": 2, "records": 2, "max_epoch": 2}
WITHIN = {"replicas": 3, "log_size": 3, "records": 3, "max_epoch": 2}

EFFORT = GROUND_RLIMIT // STEEPEST // 10
"""A tenth of what a proof tries with, in the lower part of the ladder: hypotheses that exclude each other show soon."""

SOME = ("truncation_offset: leader in place of follower", "quorum_isr_has_one_writer: all(")
"""How those begin that are asked in the ordinary suite."""


@cache
def mutants() -> dict[str, Mutant]:
    """All of them, by name."""
    bounds = Kip320Proof.bounds_type()().with_values(SMALLER)
    return {str(one): one for one in mutants_of(Kip320Proof(bounds))}


def broken(mutant: Mutant) -> Broken | None:
    """What a search finds, within small bounds and, where these show nothing, within those of the known mutants."""
    bounds = [mutant.kind.bounds_type()().with_values(values) for values in (SMALLER, WITHIN)]
    return next(filter(None, (first_broken(mutant.kind(one), INVARIANTS) for one in bounds)), None)


def refuted(plan: UnboundedPlan, found: Broken) -> Iterator[Obligation]:
    """The obligations that the end of the run refutes: each has a counterexample."""
    cells = {one.place: one for one in plan.obligations()}
    lemmas = {one.member.name for one in plan.lemmas}
    wrong = found.lemmas | (found.failing & lemmas)
    for lemma in sorted(found.lemmas):
        yield cells[found.step or INITIALLY, lemma]
        yield plan.implied(lemma, lemmas - wrong)
    if not found.lemmas and len(wrong) == 1:
        yield from (cells[LEMMAS, one] for one in wrong)
    if not wrong:
        yield from (cells[IMPLICATION, one] for one in sorted(found.invariants | (found.failing & set(INVARIANTS))))
        yield from (cells[one, EVALUATION] for one in sorted(found.failing - set(INVARIANTS)))


def proved(mutant: Mutant, found: Broken, effort: int) -> list[str]:
    """The refuted obligations that the solver answers with yes all the same. Raises LanguageError for a refusal."""
    plan = UnboundedPlan(mutant.kind, INVARIANTS)
    asking, asked = Asking(partial(one_by_one, Climber), False, effort), list(refuted(plan, found))
    assert asked, (str(mutant), found)
    return [one.label for one in asked if all(asking([question], "lower")[0].proved for question in one.questions)]


def attack(names: Iterable[str]) -> tuple[int, list[str]]:
    """How many of these mutants a search breaks and the solver was asked about, and what it has proved of them."""
    asked, wrong = 0, list[str]()
    for name in names:
        mutant = mutants()[name]
        try:
            found = broken(mutant)
            wrong += [f"{name}: {label}" for label in proved(mutant, found, EFFORT)] if found is not None else []
        except LanguageError:  # a change may leave what no solver reads; nothing is proved then
            continue
        asked += found is not None
    return asked, wrong


def test_there_are_many() -> None:
    assert len(mutants()) > 350


def test_no_mutant_of_a_sample_is_proved() -> None:
    asked, wrong = attack([next(name for name in mutants() if name.startswith(start)) for start in SOME])
    assert asked == len(SOME) and not wrong, wrong


@pytest.mark.long
def test_no_mutant_is_proved() -> None:
    asked, wrong = attack(sorted(mutants()))
    assert asked >= 200 and not wrong, wrong
