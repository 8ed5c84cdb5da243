"""The quorum's rules: with each of them the properties hold, and without it a shortest run shows what it is for."""

from __future__ import annotations

import pytest

from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.state import QuorumBounds, Role
from epochal.spec.registry import registered
from tests.spec.quorum.searches import assert_both_engines_agree, judged, shortest_run, violated

COUNTS = (
    ((2, 1, 2, 2), 1_242, 17),
    ((2, 1, 2, 4), 10_132, 22),
    ((3, 1, 1, 1), 1_169, 13),
    ((3, 1, 2, 2), 100_754, 22),
    ((3, 1, 3, 2), 452_399, 26),
    ((3, 1, 2, 3), 688_697, 26),
    ((3, 1, 2, 4), 2_681_690, 28),
)
"""Voters, observers, log size, greatest epoch; distinct states; depth. These figures are this specification's own."""

SWITCHES: dict[str, dict[str, int]] = {
    "quorum-hw-any-epoch": {
        "leader_completeness": 18,
        "committed_is_on_a_majority": 20,
        "below_hw_is_committed": 22,
        "truncation_spares_hw": 20,
        "observers_see_a_prefix": 23,
    },
    "quorum-vote-any-log": {
        "leader_completeness": 10,
        "committed_is_on_a_majority": 12,
        "below_hw_is_committed": 14,
        "truncation_spares_hw": 11,
        "observers_see_a_prefix": 15,
    },
    "quorum-vote-not-persisted": {
        "one_leader_per_epoch": 8,
        "log_matching": 8,
        "leader_completeness": 11,
        "committed_is_on_a_majority": 10,
        "below_hw_is_committed": 10,
        "truncation_spares_hw": 14,
        "observers_see_a_prefix": 14,
    },
    "quorum-no-pre-vote": {"leader_is_not_disturbed": 6},
    "quorum-resigned-stays": {"nobody_follows_itself": 7},
    "quorum-lost-disk": {
        "one_leader_per_epoch": 8,
        "log_matching": 8,
        "leader_completeness": 11,
        "committed_is_on_a_majority": 8,
        "below_hw_is_committed": 10,
        "observers_see_a_prefix": 14,
    },
    "quorum-uncommitted-replay": {"observers_see_a_prefix": 5},
}
"""What each switch breaks at its default bounds, with the number of states of the shortest run."""


@pytest.mark.parametrize(
    ("bounds", "states", "depth"), COUNTS, ids=lambda v: "/".join(map(str, v)) if isinstance(v, tuple) else ""
)
def test_the_sound_quorum_holds(bounds: tuple[int, ...], states: int, depth: int) -> None:
    result = judged(Quorum(QuorumBounds(*bounds)))
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (states, depth)


def test_at_its_default_bounds_everything_that_must_be_possible_is() -> None:
    result = judged(Quorum())
    assert result.exit_code == 0
    assert result.never_taken == ()
    assert all(p.verdict == "holds" for p in result.properties)


@pytest.mark.parametrize("name", SWITCHES)
def test_each_rule_is_needed(name: str) -> None:
    """Without the rule these properties fail; with it none does, within the same bounds."""
    faulty = registered(name)()
    assert violated(judged(faulty)) == SWITCHES[name]
    bounds = QuorumBounds(**faulty.bounds.as_dict())
    assert violated(judged(Quorum(bounds))) == {}


@pytest.mark.parametrize("bounds", [(2, 1, 1, 2), (2, 1, 2, 2)])
def test_both_engines_agree(bounds: tuple[int, ...]) -> None:
    assert_both_engines_agree(Quorum(QuorumBounds(*bounds)))


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
