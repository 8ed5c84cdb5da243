"""Promises of Kafka's models, kept and broken: the figures are those of an independent prototype."""

from __future__ import annotations

from typing import ClassVar

import pytest

from epochal.spec.balancing.policies import KraftBalancing, ZooKeeperBalancing
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.language import Member, action, leads_to
from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.state import QuorumBounds, Role, Voter
from tests.checker.liveness.judged import by_machine
from tests.checker.liveness.test_known_answers import shape, told

NEEDED = {
    "begin_round": (7, 0),
    "elect_preferred": (8, 0),
    "elect_online": (3, 4),
    "come_back": (3, 2),
    "rejoin": (4, 2),
}
"""Without the fairness of an action of balancing: the states before the round, and its steps. Both policies alike."""


@pytest.mark.parametrize("kind", [KraftBalancing, ZooKeeperBalancing])
def test_balancing_needs_all_its_fairness(kind: type[KraftBalancing | ZooKeeperBalancing]) -> None:
    protocol = kind()
    assert not by_machine(protocol).broken
    for left_out, answer in NEEDED.items():

        def assumed(member: Member, left_out: str = left_out) -> set[str]:
            return set(member.mark.needs) - {left_out}

        (one,) = by_machine(protocol, assumed).promises
        assert one.trace is not None
        assert shape(one.trace) == answer, left_out


class WeakQuorum(Quorum):
    """Timeouts, pre-votes and votes are taken fairly. Nothing is assumed of restarts, resignations and lost answers."""

    name: ClassVar[str] = "quorum-weak"

    @action(by="voter", says="{voter} times out", fair="weak")
    def election_timeout(self, voter: Voter) -> None:
        super().election_timeout(voter)

    @action(by="voter", to="prospective", says="{voter} grants {prospective} its pre-vote", fair="weak")
    def pre_vote(self, voter: Voter, prospective: Voter) -> None:
        super().pre_vote(voter, prospective)

    @action(by="voter", to="candidate", says="{voter} votes for {candidate}", fair="weak")
    def vote(self, voter: Voter, candidate: Voter) -> None:
        super().vote(voter, candidate)

    @action(by="voter", to="other", says="{voter} learns from {other} of a later epoch", fair="weak")
    def learn_epoch(self, voter: Voter, other: Voter) -> None:
        super().learn_epoch(voter, other)

    @leads_to(fair=("election_timeout", "pre_vote", "vote", "learn_epoch"))
    def leader_is_elected(self) -> tuple[bool, bool]:
        """A quorum without a leader gets one."""
        led = any(self.voters[v].role == Role.LEADER for v in self.voters)
        return not led, led


class StrongQuorum(WeakQuorum):
    """Whoever could be voted for again and again is."""

    name: ClassVar[str] = "quorum-strong"

    @action(by="voter", to="prospective", says="{voter} grants {prospective} its pre-vote", fair="strong")
    def pre_vote(self, voter: Voter, prospective: Voter) -> None:
        super().pre_vote(voter, prospective)

    @action(by="voter", to="candidate", says="{voter} votes for {candidate}", fair="strong")
    def vote(self, voter: Voter, candidate: Voter) -> None:
        super().vote(voter, candidate)


def test_a_quorum_elects_a_leader_if_votes_are_strongly_fair() -> None:
    """Weak fairness does not do: all time out and restart, for ever, and nobody's vote is always possible."""
    least = QuorumBounds(log_size=1, max_epoch=1)
    (weak,) = by_machine(WeakQuorum(least)).promises
    assert weak.trace is not None
    assert shape(weak.trace) == (1, 6)
    for bounds in (least, QuorumBounds(log_size=1, max_epoch=2)):
        (strong,) = by_machine(StrongQuorum(bounds)).promises
        assert strong.verdict == "holds"
        assert strong.stopped > 0, "the epochs of the model are used up, and the promise is not broken by that"


def test_kraft_keeps_its_promises_at_its_defaults() -> None:
    """The bound of epochs ends runs in which a broker waits to be unfenced, or the partition for a leader."""
    found = by_machine(Kraft())
    assert not found.broken
    assert (len(found.promises), found.cases) == (9, 31)
    assert {one.member.name: one.stopped for one in found.stopped} == {
        "running_broker_is_unfenced": 2_172,
        "leader_is_elected": 1_440,
    }
    assert {one.member.name: one.waiting for one in found.promises} == {
        "fenced_broker_starts": 757_128,
        "running_broker_is_unfenced": 2_568_156,
        "metadata_converges": 6_507_240,
        "leader_is_elected": 53_070,
        "proposal_is_resolved": 3_024_891,
        "follower_joins_isr": 4_975_188,
        "high_watermark_catches_up": 699_996,
        "acknowledged_is_fully_replicated": 367_962,
        "logs_converge": 1_068_942,
    }


def test_two_workers_say_the_same_of_kraft() -> None:
    alone, together = (by_machine(Kraft(), workers=workers) for workers in (1, 2))
    assert told(together) == told(alone)


def test_with_room_for_four_epochs_no_bound_decides() -> None:
    found = by_machine(Kraft(max_epoch=4))
    assert not found.broken
    assert not found.stopped
