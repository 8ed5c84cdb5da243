"""The proof that an epoch has one leader, and what it says without the rule that it leans on."""

from __future__ import annotations

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.solver.induction import ProofResult, prove
from epochal.spec.quorum.election_history import QuorumProof, QuorumVoteNotPersistedProof
from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.state import QuorumBounds
from epochal.spec.quorum.switches import OneEpoch

ONE_LEADER = ("one_leader_per_epoch",)


def unproved(result: ProofResult) -> set[tuple[str, str]]:
    """The action and the lemma of every obligation that is not proved."""
    return {
        (a.obligation.instance.action.name if a.obligation.instance else "", a.obligation.column)
        for a in result.answers
        if a.verdict != "proved"
    }


@pytest.mark.parametrize("bounds", [QuorumBounds(), QuorumBounds(voters=3, log_size=3, max_epoch=6)])
def test_election_safety_is_proved(bounds: QuorumBounds) -> None:
    result = prove(QuorumProof(bounds), properties=ONE_LEADER)
    assert unproved(result) == set()
    assert result.exit_code == 0


def test_without_a_vote_on_disk_the_proof_fails_where_a_voter_restarts() -> None:
    result = prove(QuorumVoteNotPersistedProof(OneEpoch()), properties=ONE_LEADER)
    assert unproved(result) == {("restart", "vote_is_remembered")}
    assert result.exit_code == 32


def test_the_lemmas_hold_in_every_reachable_state_and_change_nothing() -> None:
    bounds = QuorumBounds(voters=3, log_size=1, max_epoch=2)
    everything = Options(all_violations=True, lemmas=True)
    result = breadth_first.check(QuorumProof(bounds), everything)
    judged = [p for p in result.properties if p.member.mark.kind != "reachable"]
    assert sum(p.member.mark.kind == "lemma" for p in judged) == 7
    assert all(p.verdict == "holds" for p in judged)
    plain = breadth_first.check(Quorum(bounds), Options(all_violations=True))
    assert [a.name for a in QuorumProof.members("action")] == [a.name for a in Quorum.members("action")]
    assert result.distinct_states >= plain.distinct_states


def test_without_a_vote_on_disk_the_lemma_is_false_in_a_reachable_state() -> None:
    result = breadth_first.check(
        QuorumVoteNotPersistedProof(OneEpoch(log_size=1)), Options(all_violations=True, lemmas=True)
    )
    assert "vote_is_remembered" in {p.member.name for p in result.properties if p.verdict == "violated"}
