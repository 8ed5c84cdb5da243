"""KIP-320 with one rule changed: what a search breaks is not proved for every choice of the bounds."""

from __future__ import annotations

from functools import cache

import pytest

from epochal.checker.search import native
from epochal.checker.search.result import Options
from epochal.checker.unbounded.ladder import STEEPEST
from epochal.checker.unbounded.proof import GROUND_RLIMIT
from epochal.spec.classic.kip_320_proof import Kip320Proof
from epochal.spec.language import LanguageError
from tests.checker.unbounded.mutated import Mutant, mutants_of
from tests.checker.unbounded.test_attacks import open_cells
from tests.each import for_each

INVARIANTS = ("weak_isr", "strong_isr", "leader_in_isr")
WITHIN = {"replicas": 3, "log_size": 3, "records": 3, "max_epoch": 2}
SMALLER = {"replicas": 3, "log_size": 2, "records": 2, "max_epoch": 2}

MUTANTS = {str(one): one for one in mutants_of(Kip320Proof, "epochal.spec.classic")}

SOME = (
    "become_follower: without require(self.replicas[leader].epoch == epoch)",
    "leader_expands_isr: without require(self.hw_is_current(leader))",
    "elect_leader: without require(replica in self.quorum.isr)",
)


@cache
def is_broken(mutant: Mutant, **bounds: int) -> bool:
    """Whether a search breaks an invariant, or a rule cannot be evaluated."""
    kind = mutant.kind
    protocol = kind(kind.bounds_type()().with_values(bounds))
    found = native.check(protocol, Options(properties=INVARIANTS, symmetry=True))
    return found.error is not None or any(one.verdict == "violated" for one in found.properties)


def open_for(mutant: Mutant, effort: int) -> list[str]:
    """The cells that are open; that nothing can be asked is an answer as well."""
    try:
        return open_cells(mutant.kind, INVARIANTS, effort)
    except LanguageError as refused:
        return [str(refused)]


def test_there_are_many() -> None:
    assert len(MUTANTS) > 80 and set(SOME) <= MUTANTS.keys()


@for_each("name", SOME)
def test_a_search_breaks_some(name: str) -> None:
    assert is_broken(MUTANTS[name], **SMALLER)


@pytest.mark.long  # half a minute to three minutes for each
@for_each("name", MUTANTS)
def test_what_a_search_breaks_is_not_proved(name: str) -> None:
    """With the effort of a whole proof in the lower part of the ladder."""
    if is_broken(MUTANTS[name], **SMALLER) or is_broken(MUTANTS[name], **WITHIN):
        assert open_for(MUTANTS[name], GROUND_RLIMIT // STEEPEST), name
