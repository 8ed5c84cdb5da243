"""Promises of Kafka's models, kept and broken: the figures are those of an independent prototype."""

from __future__ import annotations

import pytest

import epochal
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.liveness.result import Liveness, LivenessResult
from epochal.spec.balancing.policies import KraftBalancing, ZooKeeperBalancing
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.language import Member
from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.state import QuorumBounds
from epochal.spec.quorum.switches import OneOffset, QuorumSameCadence
from tests.checker.liveness.judged import by_machine, by_python
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


def of_election(protocol: Quorum) -> LivenessResult:
    """What is judged of the promise that a leader is elected."""
    return next(one for one in by_machine(protocol).promises if one.member.name == "leader_is_elected")


def test_a_quorum_elects_a_leader_if_votes_are_strongly_fair() -> None:
    """Weak fairness does not do: all time out and restart, for ever, and nobody's vote is always possible."""
    least = QuorumBounds(log_size=1, max_epoch=1)
    weak = of_election(QuorumSameCadence(OneOffset()))
    assert weak.trace is not None
    assert shape(weak.trace) == (1, 6)
    for bounds in (least, QuorumBounds(log_size=1, max_epoch=2)):
        strong = of_election(Quorum(bounds))
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


WITHOUT = {
    "restart": {"fenced_broker_starts": 3},
    "unfence": {"running_broker_is_unfenced": 3, "leader_is_elected": 7, "follower_joins_isr": 4},
    "handle_alter_partition": {"proposal_is_resolved": 2, "follower_joins_isr": 5},
    "fetch": {
        "follower_joins_isr": 4,
        "high_watermark_catches_up": 2,
        "acknowledged_is_fully_replicated": 9,
        "logs_converge": 2,
    },
    "replay_metadata": {
        "metadata_converges": 2,
        "proposal_is_resolved": 3,
        "follower_joins_isr": 4,
        "high_watermark_catches_up": 4,
        "logs_converge": 4,
    },
}
"""What two brokers no longer promise without the fairness of an action: the states of the shortest run, after which
nothing changes any more."""


@pytest.mark.parametrize("left_out", WITHOUT)
def test_every_promise_of_kraft_takes_its_fairness(left_out: str) -> None:
    def assumed(member: Member) -> set[str]:
        return set(member.mark.needs) - {left_out}

    found = by_machine(epochal.load("kraft", replication_factor=2, max_epoch=1, records=1), assumed)
    shapes = {one.member.name: shape(one.trace) for one in found.promises if one.trace is not None}
    assert shapes == {name: (length, 0) for name, length in WITHOUT[left_out].items()}


def counted(found: Liveness) -> list[object]:
    """What judges say of each case, but for the way to the doomed state: only engines keep the same one."""
    return [
        (one.member.name, case.arguments, case.waiting, case.stopped, case.doomed, case.trace and shape(case.trace))
        for one in found.promises
        for case in one.cases
    ]


@pytest.mark.long
def test_both_judges_say_what_kraft_takes() -> None:
    """The Python reading has 18,758 states to go through, and judges each assumption by itself."""
    protocol = epochal.load("kraft", replication_factor=2, max_epoch=1, records=1)
    model = compile_protocol(protocol)
    for left_out in WITHOUT:

        def assumed(member: Member, left_out: str = left_out) -> set[str]:
            return set(member.mark.needs) - {left_out}

        assert counted(by_machine(protocol, assumed)) == counted(by_python(model, assumed)), left_out


def test_two_workers_say_the_same_of_kraft() -> None:
    alone, together = (by_machine(Kraft(), workers=workers) for workers in (1, 2))
    assert told(together) == told(alone)


def test_with_room_for_four_epochs_no_bound_decides() -> None:
    found = by_machine(Kraft(max_epoch=4))
    assert not found.broken
    assert not found.stopped
