"""Snapshots of the metadata log: with the rules of KIP-630 nothing is lost, and without one of them something is."""

from __future__ import annotations

import pytest

from epochal.spec.quorum.snapshots import QuorumSnapshots
from tests.spec.quorum.searches import assert_both_engines_agree, judged, named, shortest_run, violated

COUNTS = (
    pytest.param((3, 1, 2, 1), 64_369, 21, id="3/1/2/1"),
    pytest.param((3, 1, 2, 2), 647_167, 22, id="3/1/2/2", marks=pytest.mark.long),
)
"""Voters, observers, log size, greatest epoch; distinct states; depth. These figures are this specification's own."""

SWITCHES = (
    pytest.param(
        "quorum-snapshot-any-offset",
        (3, 1, 2, 1),
        {"below_hw_is_committed": 4, "snapshots_are_committed": 3},
        id="quorum-snapshot-any-offset",
    ),
    pytest.param(
        "quorum-snapshot-by-offset",
        (3, 1, 2, 2),
        {
            "log_matching": 10,
            "committed_is_on_a_majority": 11,
            "below_hw_is_committed": 9,
            "snapshots_are_committed": 10,
        },
        id="quorum-snapshot-by-offset",
        marks=pytest.mark.long,
    ),
    pytest.param(
        "quorum-delete-below-hw",
        (3, 1, 2, 1),
        {"truncation_spares_hw": 9, "snapshot_helps_who_needs_it": 6, "log_start_only_grows": 11},
        id="quorum-delete-below-hw",
    ),
)
"""What each switch breaks, at which bounds, with the number of states of the shortest run."""


@pytest.mark.parametrize(("bounds", "states", "depth"), COUNTS)
def test_snapshots_lose_nothing(bounds: tuple[int, ...], states: int, depth: int) -> None:
    result = judged(named("quorum-snapshots", bounds))
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (states, depth)


@pytest.mark.long
def test_at_its_default_bounds_everything_that_must_be_possible_is() -> None:
    result = judged(QuorumSnapshots())
    assert result.exit_code == 0
    assert result.never_taken == ()
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (1_885_669, 24)


@pytest.mark.parametrize(("name", "bounds", "found"), SWITCHES)
def test_each_rule_is_needed(name: str, bounds: tuple[int, ...], found: dict[str, int]) -> None:
    """Within the same bounds all of it holds with the rule: see COUNTS."""
    assert violated(judged(named(name, bounds))) == found


@pytest.mark.long
def test_a_snapshot_that_is_not_ahead_stops_a_follower() -> None:
    """As Kafka 4.4 has it; two epochs are too few, since the follower's is between the snapshot's and the leader's."""
    assert violated(judged(named("quorum-snapshot-must-be-ahead", (3, 1, 2, 3)))) == {"snapshot_helps_who_needs_it": 11}
    assert violated(judged(named("quorum-snapshot-must-be-ahead", (3, 1, 2, 2)))) == {}


def test_the_follower_is_between_two_epochs_of_its_leader() -> None:
    """Its record is of epoch 2, the snapshot's of epoch 1, committed by a leader of epoch 3."""
    trace = shortest_run(named("quorum-snapshot-must-be-ahead", (3, 1, 2, 3)), "snapshot_helps_who_needs_it")
    last = trace.protocol.at(trace.steps[-1].codes)
    assert isinstance(last, QuorumSnapshots)
    (follower,) = (v for v in last.voters if last.last_epoch(v) == 2)
    leader = last.voters[follower].leader
    assert leader is not None and last.needs_snapshot(follower, leader)
    assert [r.epoch for r in last.voters[leader].log] == [1, 3]
    assert (last.voters[leader].start, last.voters[leader].snapshot, last.end(follower)) == (1, 1, 1)


@pytest.mark.long
def test_a_record_of_a_later_epoch_is_given_up_for_a_snapshot() -> None:
    """The same run with the rule: the follower ends up with the snapshot, and its epoch and vote are what they were."""
    trace = shortest_run(named("quorum-snapshots", (3, 1, 2, 3)), "later_epoch_given_up")
    before, after = (trace.protocol.at(step.codes) for step in trace.steps[-2:])
    assert trace.steps[-1].instance.action.name == "fetch_snapshot"
    assert isinstance(before, QuorumSnapshots) and isinstance(after, QuorumSnapshots)
    (follower,) = (v for v in after.voters if after.voters[v].start > before.voters[v].start)
    assert (before.last_epoch(follower), after.last_epoch(follower)) == (2, 1)
    for name in ("epoch", "voted_for", "leader", "role"):
        assert getattr(after.voters[follower], name) == getattr(before.voters[follower], name)


@pytest.mark.long
def test_both_engines_agree() -> None:
    assert_both_engines_agree(named("quorum-snapshots", (3, 1, 1, 1)))
