"""Runs of the quorum: what a rule is for, told by a shortest run without it, and by hand what its steps do."""

from __future__ import annotations

from itertools import combinations

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.spec.language import Identifier, Set
from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.reconfiguration import QuorumReconfiguration
from epochal.spec.quorum.reconfiguration_snapshots import QuorumReconfigurationSnapshots
from epochal.spec.quorum.reconfiguration_switches import QuorumVotersWhenCommitted
from epochal.spec.quorum.snapshots import QuorumSnapshots
from epochal.spec.quorum.state import QuorumBounds, Role
from epochal.spec.quorum.voters_in_memory import QuorumVotersNotReadAgain
from epochal.spec.registry import registered
from tests.spec.searches import judged, named, shortest_run, violated, witnesses


def test_figure_8_of_the_raft_paper() -> None:
    """KAFKA-12619: a record of epoch 1 is committed in epoch 3, and a leader with a record of epoch 2 overwrites it."""
    trace = shortest_run(registered("quorum-hw-any-epoch")(), "leader_completeness")
    last = trace.protocol.at(trace.steps[-1].codes)
    assert isinstance(last, Quorum)
    assert [r.epoch for r in last.committed] == [1]
    assert last.commit_epoch == 3
    leaders = {last.voters[v].epoch: last.voters[v].log for v in last.voters if last.voters[v].role == Role.LEADER}
    assert {epoch: [r.epoch for r in log] for epoch, log in leaders.items()} == {3: [1, 3], 4: [2, 4]}


def test_a_returning_voter_disturbs_the_quorum_unless_it_asks_first() -> None:
    """KIP-996: the disturber is neither the leader nor the one that fetches from it."""
    trace = shortest_run(registered("quorum-no-pre-vote")(), "leader_is_not_disturbed")
    steps = [step.instance for step in trace.steps]
    (fetch,) = (step for step in steps if step.action.name == "fetch")
    assert steps[-1].action.name == "election_timeout"
    assert steps[-1].arguments[0] not in fetch.arguments


def test_a_leader_that_resigned_must_not_lose_a_pre_vote_in_its_own_epoch() -> None:
    """KAFKA-17642: the leader that it would go back to is itself, and KafkaRaftClient would throw."""
    trace = shortest_run(registered("quorum-resigned-stays")(), "nobody_follows_itself")
    assert [step.instance.action.name for step in trace.steps[-3:]] == ["restart", "election_timeout", "lose_pre_vote"]


def test_whoever_resigned_votes_again_in_a_later_epoch_only() -> None:
    """Its own epoch is over for it: the step out of RESIGNED that it takes by itself ends it."""
    protocol = Quorum(QuorumBounds(voters=2, observers=1, log_size=1, max_epoch=2))
    seen = frontier = set(protocol.initial_states())
    left = 0
    while frontier:
        steps = [(before, taken) for before in frontier for taken in protocol.successors(before)]
        for before, (instance, after) in steps:
            old, new = protocol.at(before).voters, protocol.at(after).voters
            for v in old:
                if old[v].role == Role.RESIGNED != new[v].role:
                    assert new[v].epoch > old[v].epoch, instance.label
                    left += instance.action.name == "leave_resigned"
        frontier = {after for _, (_, after) in steps} - seen
        seen = seen | frontier
    assert left > 0


# Voters that change (KIP-853).

LOSSES = (
    pytest.param("quorum-change-any-epoch", (4, 1, 3, 3), 9, id="quorum-change-any-epoch"),
    pytest.param("quorum-voters-when-committed", (3, 1, 4, 2), 13, id="quorum-voters-when-committed"),
    pytest.param("quorum-voters-not-read-again", (3, 1, 3, 3), 13, id="quorum-voters-not-read-again"),
)
"""Two sets of voters without a majority in common lose what is committed, where there is room for it."""


@pytest.mark.long
@pytest.mark.parametrize(("name", "bounds", "length"), LOSSES)
def test_what_is_committed_is_lost(name: str, bounds: tuple[int, ...], length: int) -> None:
    result = breadth_first.check(named(name, bounds), Options(properties=("leader_completeness",)))
    assert violated(result) == {"leader_completeness": length}


def test_majorities_overlap_as_they_are_counted() -> None:
    """Every majority of one set of voters meets every one of the other, found by listing them all."""
    protocol = named("quorum-reconfiguration", (4, 1, 1, 1))
    assert isinstance(protocol, QuorumReconfiguration)
    state = protocol.at(protocol.initial_states()[0])
    everybody = tuple(state.voters)
    sets = [frozenset(some) for size in range(1, 5) for some in combinations(everybody, size)]

    def majorities(voters: frozenset[Identifier]) -> list[frozenset[Identifier]]:
        return [frozenset(some) for some in combinations(voters, len(voters) // 2 + 1)]

    for a in sets:
        for b in sets:
            meet = all(one & other for one in majorities(a) for other in majorities(b))
            assert state.majorities_overlap(Set(a), Set(b)) == meet, (a, b)


def test_the_bug_of_single_server_changes_is_told_by_two_leaders() -> None:
    """The second, elected by the voters that know nothing of the first change, makes another of the same voters."""
    trace = shortest_run(named("quorum-change-any-epoch", (4, 1, 2, 2)), "majorities_intersect")
    assert [step.instance.action.name for step in trace.steps] == ["elect", "remove_voter", "elect", "remove_voter"]
    last = trace.protocol.at(trace.steps[-1].codes)
    assert isinstance(last, QuorumReconfiguration)
    assert sorted(len(last.voters_of(v)) for v in last.voters) == [3, 3, 4, 4]


def test_who_truncates_does_not_read_the_voters_that_come_instead() -> None:
    """Q9: the VotersRecord is in the log and not in memory, until the process starts anew."""
    trace = shortest_run(named("quorum-voters-not-read-again", (3, 1, 3, 2)), "majorities_intersect")
    last = trace.protocol.at(trace.steps[-1].codes)
    assert isinstance(last, QuorumVotersNotReadAgain)
    (wrong,) = (v for v in last.voters if last.voters_of(v) != last.last_voters(v))
    assert len(last.voters_of(wrong)) == 3 and len(last.last_voters(wrong)) == 2
    assert "truncate" in [step.instance.action.name for step in trace.steps if wrong in step.instance.arguments]
    restarted = next(
        trace.protocol.at(after)
        for instance, after in trace.protocol.successors(trace.steps[-1].codes)
        if instance.action.name == "restart" and instance.arguments == (wrong,)
    )
    assert isinstance(restarted, QuorumVotersNotReadAgain)
    assert restarted.voters_of(wrong) == restarted.last_voters(wrong)


def test_voters_are_interchangeable_where_they_count_when_committed() -> None:
    """`epochal catalogue` searches one state of those that differ in names only: nothing may depend on their order."""
    protocol = QuorumVotersWhenCommitted()
    result = breadth_first.check(protocol, Options(properties=("majorities_intersect",), symmetry=True, max_states=10))
    assert result.error is None and result.distinct_states >= 10


# Snapshots of the metadata log (KIP-630), and a VotersRecord that is in a snapshot only.


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


def test_two_replicas_lose_nothing() -> None:
    result = judged(named("quorum-reconfiguration-snapshots", (2, 1, 3, 2)))
    assert result.never_taken == ("elect",)
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (45_347, 19)


@pytest.mark.long
def test_three_replicas_lose_nothing() -> None:
    """With an action that two replicas never take: one of three is absent from an election."""
    result = judged(named("quorum-reconfiguration-snapshots", (3, 1, 3, 2)), symmetry=True)
    assert result.exit_code == 0
    assert result.never_taken == ()
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (3_040_474, 31)
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
    assert violated(judged(named("quorum-snapshot-without-voters", (3, 1, 3, 2)), symmetry=True)) == {
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
    trace = shortest_run(named("quorum-snapshot-without-voters", (2, 1, 3, 2)), "majorities_intersect")
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
