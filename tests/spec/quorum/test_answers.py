"""What voters make of answers and restarts, as Kafka's own do it (`epochal lockstep runs --protocol quorum`)."""

from __future__ import annotations

from epochal.spec.language import Set
from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.reconfiguration import QuorumReconfiguration
from epochal.spec.quorum.reconfiguration_snapshots import QuorumReconfigurationSnapshots
from epochal.spec.quorum.snapshots import QuorumSnapshots
from epochal.spec.quorum.state import QuorumState, Role, VoterState
from epochal.spec.quorum.switches import QuorumCandidateAgain
from tests.spec.searches import shortest_run

LEADS_1 = ("election_timeout v1", "pre_vote v2 v1", "vote v2 v1", "begin_quorum_epoch v1 v2")


def taken(protocol: QuorumState, *steps: str) -> QuorumState:
    """The state after some steps, each an action and its arguments, from the initial state on."""
    (codes,) = protocol.initial_states()
    for step in steps:
        (codes,) = (
            after
            for instance, after in protocol.successors(codes)
            if " ".join((instance.action.name, *map(str, instance.arguments))) == step
        )
    return protocol.at(codes)


def is_possible(protocol: QuorumState, state: QuorumState, step: str) -> bool:
    """Whether a step can be taken in a state."""
    possible = protocol.successors(state.codes())
    return any(" ".join((one.action.name, *map(str, one.arguments))) == step for one, _ in possible)


def voter(state: QuorumState, name: str) -> VoterState:
    return next(state.voters[one] for one in state.voters if str(one) == name)


def test_a_new_leader_does_not_tell_what_it_knew_of_the_high_watermark() -> None:
    """It knows 1 from the leader before it; a follower hears of none until a record of the new epoch is committed."""
    protocol = Quorum(voters=3, log_size=3, max_epoch=2)
    copied = ("begin_quorum_epoch v1 v3", "fetch v2 v1", "fetch v3 v1", "fetch v2 v1")
    leads_2 = ("restart v3", "election_timeout v2", "pre_vote v3 v2", "vote v3 v2", "begin_quorum_epoch v2 v3")
    steps = (*LEADS_1, *copied, *leads_2, "fetch v3 v2")
    state = taken(protocol, *steps)
    assert voter(state, "v2").role == Role.LEADER and voter(state, "v2").hw == 1
    assert len(voter(state, "v3").log) == 2 and voter(state, "v3").hw == 0
    assert [voter(taken(protocol, *steps, "fetch v3 v2"), name).hw for name in ("v2", "v3")] == [2, 2]


def test_an_answer_to_a_pre_vote_names_the_leader() -> None:
    """v3 would vote for v1, and says that v2 leads: v1 follows v2, and counts no vote."""
    election = ("election_timeout v2", "pre_vote v1 v2", "vote v1 v2", "begin_quorum_epoch v2 v3")
    state = taken(Quorum(voters=3, max_epoch=3), *election, "election_timeout v1", "pre_vote v3 v1")
    own = voter(state, "v1")
    assert (own.role, own.epoch, str(own.leader), own.votes) == (Role.FOLLOWER, 1, "v2", Set())


def test_who_asks_for_pre_votes_goes_on_when_it_votes() -> None:
    """v2 votes for v1, which is elected by that; until v2 hears of it, it asks for pre-votes."""
    asks = ("election_timeout v1", "pre_vote v3 v1", "learn_epoch v2 v1", "election_timeout v2", "vote v2 v1")
    state = taken(Quorum(voters=3, max_epoch=3), *asks)
    own = voter(state, "v2")
    assert voter(state, "v1").role == Role.LEADER
    assert (own.role, str(own.voted_for), [str(one) for one in own.votes]) == (Role.PROSPECTIVE, "v1", ["v2"])


def test_who_lost_an_election_follows_the_leader_after_a_restart_or_is_a_candidate_again() -> None:
    """Q11: the same steps with and without Kafka's memory of the vote."""
    again = QuorumCandidateAgain()
    trace = shortest_run(again, "candidates_are_answered")
    steps = [" ".join((s.instance.action.name, *map(str, s.instance.arguments))) for s in trace.steps]
    action, restarted = steps[-1].split()
    assert action == "restart" and voter(again.at(trace.steps[-1].codes), restarted).role == Role.CANDIDATE
    sound = taken(Quorum(again.bounds), *steps)
    assert voter(sound, restarted).role == Role.FOLLOWER
    before = taken(Quorum(again.bounds), *steps[:-1])
    assert voter(before, restarted).role == Role.FOLLOWER


COMMITTED = ("elect v1 v3", "fetch v2 v1", "fetch v2 v1")


def test_records_are_deleted_once_the_high_watermark_is_known() -> None:
    """Kafka throws OffsetOutOfRangeException before."""
    protocol = QuorumSnapshots(log_size=3)
    steps = (*COMMITTED, "make_snapshot v2 1", "restart v2")
    deletes = "delete_before_snapshot v2"
    assert not is_possible(protocol, taken(protocol, *steps), deletes)
    assert is_possible(protocol, taken(protocol, *steps, "fetch v2 v1"), deletes)


def test_who_is_in_the_epoch_of_the_earliest_snapshot_gets_records() -> None:
    """v3 ends in epoch 1, as v2's first snapshot does; once only the second is there, v3 has to load that."""
    protocol = QuorumSnapshots(log_size=3)
    begun = ("begin_quorum_epoch v1 v3", "fetch v3 v1", "make_snapshot v2 1")
    leads_2 = ("elect v2 v3", "fetch v1 v2", "fetch v1 v2", "begin_quorum_epoch v2 v3")
    steps = (*COMMITTED, *begun, *leads_2)
    for more in ((), ("delete_before_snapshot v2",)):
        state = taken(protocol, *steps, "make_snapshot v2 2", *more)
        assert is_possible(protocol, state, "fetch_snapshot v3 v2") == bool(more)
        assert is_possible(protocol, state, "fetch v3 v2") != bool(more)


def test_the_snapshot_that_a_cluster_is_formatted_with_is_the_earliest() -> None:
    """Until records are deleted, a follower whose last epoch is older than the latest snapshot gets records."""
    protocol = QuorumReconfigurationSnapshots(log_size=3)
    begun = ("begin_quorum_epoch v1 v3", "fetch v3 v1", "elect v2 v3", "fetch v1 v2", "fetch v1 v2")
    steps = (*COMMITTED, *begun, "begin_quorum_epoch v2 v3", "make_snapshot v2 2")
    for more in ((), ("delete_before_snapshot v2",)):
        state = taken(protocol, *steps, *more)
        assert is_possible(protocol, state, "fetch_snapshot v3 v2") == bool(more)


def test_the_follower_of_a_leader_that_is_no_voter_is_unattached_after_a_restart() -> None:
    """It knows who leads, and no voter's address is that of the leader."""
    protocol = QuorumReconfiguration(log_size=3)
    removed = (*COMMITTED, "remove_voter v1 v1", "fetch v2 v1")
    before, after = taken(protocol, *removed), taken(protocol, *removed, "restart v2")
    assert (voter(before, "v2").role, str(voter(before, "v2").leader)) == (Role.FOLLOWER, "v1")
    assert (voter(after, "v2").role, str(voter(after, "v2").leader)) == (Role.UNATTACHED, "v1")
    told = taken(protocol, *removed, "restart v2", "begin_quorum_epoch v1 v2")
    assert voter(told, "v2").role == Role.FOLLOWER
