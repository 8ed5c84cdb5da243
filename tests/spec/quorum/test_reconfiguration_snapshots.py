"""Voters that change, and a VotersRecord that is in a snapshot only: with both nothing is lost."""

from __future__ import annotations

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.quorum.reconfiguration_snapshots import QuorumReconfigurationSnapshots
from tests.spec.quorum.searches import assert_both_engines_agree, judged, named, shortest_run, violated, witnesses

BOTH = "quorum-reconfiguration-snapshots"
WITHOUT_VOTERS = "quorum-snapshot-without-voters"
TWO = (2, 1, 3, 2)
"""Replicas, observers, log size, greatest epoch; three replicas have sixteen million states."""


def of_three(name: str) -> CheckResult:
    """A complete search of three replicas: one state of all that differ in their names only."""
    result = breadth_first.check(named(name, (3, 1, 3, 2)), Options(all_violations=True, symmetry=True))
    assert result.exhaustive
    return result


def test_two_replicas_lose_nothing() -> None:
    result = judged(named(BOTH, TWO))
    assert result.never_taken == ("elect",)
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (41_681, 19)


def test_a_snapshot_has_to_name_the_voters() -> None:
    assert violated(judged(named(WITHOUT_VOTERS, TWO))) == {
        "leader_completeness": 11,
        "below_hw_is_committed": 11,
        "truncation_spares_hw": 12,
        "who_may_win_holds_committed": 10,
        "majorities_intersect": 10,
        "snapshots_are_committed": 12,
        "log_start_only_grows": 16,
    }


@pytest.mark.long
def test_three_replicas_lose_nothing() -> None:
    """With an action that two replicas never take: one of three is absent from an election."""
    result = of_three(BOTH)
    assert result.exit_code == 0
    assert result.never_taken == ()
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (2_693_344, 29)
    assert witnesses(result) == {
        "record_committed": 4,
        "committed_after_failover": 6,
        "two_presume_leadership": 3,
        "leader_resigns": 3,
        "voter_added": 10,
        "leader_removed": 9,
        "removed_leader_leads": 5,
        "change_taken_back": 8,
        "truncates_without_a_snapshot": 5,
        "log_is_empty_after_a_snapshot": 6,
        "voters_in_a_snapshot_only": 9,
        "voters_learned_from_a_snapshot": 10,
    }


@pytest.mark.long
def test_three_replicas_have_to_be_told_the_voters_too() -> None:
    assert violated(of_three(WITHOUT_VOTERS)) == {
        "leader_completeness": 11,
        "below_hw_is_committed": 14,
        "truncation_spares_hw": 12,
        "who_may_win_holds_committed": 10,
        "majorities_intersect": 10,
        "snapshots_are_committed": 15,
        "log_start_only_grows": 16,
    }


def test_who_has_a_snapshot_without_voters_counts_those_of_the_start() -> None:
    """On the way to two majorities that do not meet somebody forgets the voters, and goes by those of the start."""
    trace = shortest_run(named(WITHOUT_VOTERS, TWO), "majorities_intersect")
    wrong = 0
    for step in trace.steps:
        state = trace.protocol.at(step.codes)
        assert isinstance(state, QuorumReconfigurationSnapshots)
        for v in state.voters:
            if state.voters_of(v) != state.last_voters(v):
                wrong += 1
                assert state.voters[v].start > 0
                assert state.voters_of(v) == state.voters_before(v, 0)
    assert wrong > 0


def test_both_engines_agree() -> None:
    assert_both_engines_agree(named(BOTH, (2, 1, 2, 1)))
