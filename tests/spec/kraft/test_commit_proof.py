"""The proof that Kafka with eligible leader replicas loses nothing committed: where it goes through, and where it must not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest

from epochal.checker.same_steps import difference
from epochal.checker.search import breadth_first
from epochal.checker.search.result import Options
from epochal.checker.solver.dispatch import QueryRunner, in_this_process
from epochal.checker.solver.induction import RLIMIT, Induction, ObligationResult, prepared
from epochal.spec.kraft.commit_proof import KraftProof
from epochal.spec.kraft.configuration import ConfigurableKraft, with_settings
from epochal.spec.kraft.settings import CountedIsr, FollowersForgotten
from epochal.spec.registry import proof_of, registered

SMALL = {"replication_factor": 2, "records": 1, "max_epoch": 1, "metadata_lag": 1}
QUICK = {"replication_factor": 3, "records": 1, "max_epoch": 2, "metadata_lag": 1}

Open = dict[str, set[str]]
"""What is not proved: of each action, or of "implication", the lemmas or properties."""


def left_open(protocol: KraftProof) -> Open:
    """Prove every invariant, and say what is open. Counterexamples need not be the least."""
    induction = Induction(prepared(protocol, None), RLIMIT, QueryRunner(in_this_process, cached=False), least=False)
    found: Open = defaultdict(set)
    for answer in induction.answers():
        if answer.verdict != "proved":
            assert answer.verdict == "counterexample", answer.reason
            found[_row(answer)].add(answer.obligation.column)
    assert found or induction.vacuous() == () or not all_faults(protocol)
    return dict(found)


def all_faults(protocol: KraftProof) -> bool:
    """Whether something of each kind may go wrong; else some action never happens."""
    used = protocol.bounds
    return min(used.fencings, used.shrinks, used.elections, used.crashes + used.lossy_crashes) > 0


def _row(answer: ObligationResult) -> str:
    instance = answer.obligation.instance
    return answer.obligation.kind if instance is None else instance.action.name


def without(**rules: Any) -> type[KraftProof]:
    """The protocol with other rules, and the lemmas."""
    return with_settings(KraftProof, replace(KraftProof.settings, **rules), "kraft-proof-without")


def test_the_smallest_edition_is_proved() -> None:
    """Every invariant of the modern protocol, after any number of steps: two brokers, of which one may lose data."""
    protocol = KraftProof(**SMALL)
    names = {member.name for member in protocol.members("invariant")}
    assert names >= {"leader_candidate_completeness", "committed_never_lost", "acknowledged_durable"}
    assert left_open(protocol) == {}


def test_one_crash_more_and_the_last_known_leader_is_elected() -> None:
    """N2: with ISR and ELR empty, who lost data is elected when it is unfenced; nothing else breaks these lemmas."""
    found = left_open(KraftProof(**SMALL, crashes=1))
    assert found["unfence"] >= {"lost_data_may_not_be_elected", "electable_hold_what_is_committed"}
    assert found.keys() == {"unfence", "restart", "fetch", "implication"}
    assert "committed_never_lost" in found["implication"]


def test_the_lemmas_hold_in_every_reachable_state() -> None:
    """They are no more than what is true: a search says the same of each."""
    protocol = KraftProof(**SMALL)
    names = tuple(member.name for member in protocol.members("lemma"))
    result = breadth_first.check(protocol, Options(properties=names, lemmas=True, all_violations=True, workers=1))
    assert result.exhaustive and result.distinct_states == 14_242
    assert {one.verdict for one in result.properties} == {"holds"} and len(result.properties) == len(names)


def test_history_changes_no_step() -> None:
    """What is remembered is only remembered; and settings lead to the proof of the protocol that they make."""
    bounds = {**SMALL, "shrinks": 0, "elections": 0, "lossy_crashes": 0}
    wrong, states = difference(ConfigurableKraft(**bounds), KraftProof(**bounds), 400)
    assert wrong == "" and states == 400
    shipped = ConfigurableKraft.configured({"kafka": "4.4"})
    shipped.configured_from = ConfigurableKraft
    found = proof_of(shipped)
    assert found is not None and issubclass(found, KraftProof) and found.settings == shipped.settings
    assert proof_of(ConfigurableKraft) is registered("kraft-proof") is KraftProof


@pytest.mark.long
@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"records": 2, "fencings": 2},
        {**QUICK, "records": 3, "max_epoch": 3, "fencings": 2},
        {**QUICK, "replication_factor": 4},
        {**QUICK, "crashes": 1, "lossy_crashes": 0},
        {**QUICK, "records": 2, "max_epoch": 3, "fencings": 2, "shrinks": 2, "elections": 2},
    ],
    ids=str,
)
def test_it_is_proved_at_larger_bounds(bounds: dict[str, int]) -> None:
    """At the default bounds, and at others: lemmas that suffice for one record may not for two."""
    assert left_open(KraftProof(**bounds)) == {}
