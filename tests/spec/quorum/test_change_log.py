"""The quorum implements the change log that the data plane trusts; without one of its rules it does not."""

from __future__ import annotations

from typing import ClassVar

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.language import Protocol
from epochal.spec.quorum.change_log import ChangeLog, OneFailover, QuorumChangeLog
from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.switches import (
    QuorumHwAnyEpoch,
    QuorumUncommittedReplay,
    QuorumVoteAnyLog,
    QuorumVoteNotPersisted,
)
from tests.spec.searches import EVERYTHING, shortest_run

REFINES = "refines_change_log"
JOINT = (REFINES, "decided_in_view_of_the_log", "controllers_take_turns")
WITNESSES = ("failover_between_changes", "decision_is_lost")


class HwAnyEpoch(ChangeLog, QuorumHwAnyEpoch):
    """The high watermark may stop at the start of the leader's epoch."""

    name: ClassVar[str] = "change-log-hw-any-epoch"


class UncommittedReplay(ChangeLog, QuorumUncommittedReplay):
    """Brokers apply what is not committed."""

    name: ClassVar[str] = "change-log-uncommitted-replay"


class VoteAnyLog(ChangeLog, QuorumVoteAnyLog):
    """A vote goes to whoever asks first."""

    name: ClassVar[str] = "change-log-vote-any-log"


class VoteNotPersisted(ChangeLog, QuorumVoteNotPersisted):
    """A restarted voter may vote again."""

    name: ClassVar[str] = "change-log-vote-not-persisted"


def violated(protocol: Protocol, symmetry: bool = False) -> dict[str, int | None]:
    """Which judgements of the joint fail, with the number of states of the shortest run."""
    result = breadth_first.check(protocol, Options(all_violations=True, properties=JOINT, symmetry=symmetry))
    assert result.exhaustive
    return {p.member.name: p.length for p in result.properties if p.verdict == "violated"}


@pytest.fixture(scope="module")
def one_failover() -> CheckResult:
    """Three voters, one failover, and room for a change of either leader: a complete search."""
    return breadth_first.check(QuorumChangeLog(), EVERYTHING)


@pytest.mark.xdist_group("one failover")
def test_the_quorum_refines_the_change_log(one_failover: CheckResult) -> None:
    assert QuorumChangeLog().bounds == OneFailover(voters=3, observers=1, log_size=4, max_epoch=2)
    assert one_failover.exhaustive and one_failover.exit_code == 0
    assert one_failover.never_taken == ()
    assert {p.member.name: p.verdict for p in one_failover.properties if p.member.name in JOINT} == dict.fromkeys(
        JOINT, "holds"
    )
    assert (one_failover.distinct_states, one_failover.depth) == (1_810_919, 32)


@pytest.mark.xdist_group("one failover")
def test_a_failover_between_two_changes_is_among_the_runs(one_failover: CheckResult) -> None:
    """Two leaders make a change each, and a record that the first wrote in vain is not in the change log."""
    lengths = {p.member.name: p.length for p in one_failover.properties if p.member.name in WITNESSES}
    assert lengths == {"failover_between_changes": 16, "decision_is_lost": 10}


def test_a_log_without_room_for_it_has_no_such_run() -> None:
    """The witness counts changes, not LeaderChange records: two leaders need four offsets."""
    result = breadth_first.check(QuorumChangeLog(OneFailover(log_size=3)), Options(properties=WITNESSES[:1]))
    assert [p.verdict for p in result.properties] == ["violated"]
    assert result.exit_code == 21


def test_the_initial_state_is_that_of_the_change_log() -> None:
    """The log is empty, and every position 0."""
    protocol = QuorumChangeLog(OneFailover(observers=2))
    (initial,) = (protocol.at(codes) for codes in protocol.initial_states())
    assert len(initial.change_log) == 0
    assert [initial.position(b) for b in initial.applied] == [0, 0]


def test_history_changes_no_step() -> None:
    """The quorum with the change log takes exactly the steps of the quorum: forgetting the history gives its states."""
    bounds = {"voters": 2, "observers": 1, "log_size": 2, "max_epoch": 2}
    history, plain = QuorumChangeLog(OneFailover(**bounds)), Quorum(OneFailover(**bounds))
    frontier = [(a, b) for a, b in zip(history.initial_states(), plain.initial_states(), strict=True)]
    width, seen = len(frontier[0][1]), {frontier[0][0]}
    while frontier:
        with_history, without = frontier.pop()
        assert with_history[:width] == without
        steps = {instance.label: after for instance, after in plain.successors(without)}
        taken = {instance.label: after for instance, after in history.successors(with_history)}
        assert set(taken) == set(steps)
        for label, after in taken.items():
            if after not in seen:
                seen.add(after)
                frontier.append((after, steps[label]))
    assert len(seen) > 1_000


# -- without one of its rules -------------------------------------------------------------------------------------


def test_figure_8_replaces_a_change() -> None:
    """KAFKA-12619: the change of epoch 1 was in the log, and that of epoch 2 takes its place."""
    protocol = HwAnyEpoch()
    trace = shortest_run(protocol, REFINES)
    before, after = (protocol.at(step.codes) for step in trace.steps[-2:])
    assert trace.length == 22
    assert [r.epoch for r in before.change_log] == [1]
    assert [r.epoch for r in after.change_log] == [2]
    assert [r.epoch for r in after.committed] == [1]


def test_a_broker_that_does_not_wait_leaves_the_change_log() -> None:
    protocol = UncommittedReplay()
    trace = shortest_run(protocol, REFINES)
    last = protocol.at(trace.steps[-1].codes)
    assert trace.length == 5
    assert trace.steps[-1].instance.action.name == "observer_applies"
    assert len(last.change_log) == 0
    assert [last.position(b) for b in last.applied] == [1]


@pytest.mark.parametrize(
    ("protocol", "found"),
    [
        (VoteAnyLog(), {REFINES: 14, "decided_in_view_of_the_log": 17, "controllers_take_turns": 17}),
        (VoteNotPersisted(), {REFINES: 13, "decided_in_view_of_the_log": 10, "controllers_take_turns": 16}),
    ],
    ids=lambda value: value.name if isinstance(value, ChangeLog) else "",
)
def test_each_judgement_can_fail(protocol: ChangeLog, found: dict[str, int]) -> None:
    assert violated(protocol) == found


@pytest.mark.parametrize("bounds", [(3, 2, 2, 2), (3, 1, 2, 4)], ids=lambda b: "/".join(map(str, b)))
def test_with_its_rules_it_holds_where_they_fail(bounds: tuple[int, ...]) -> None:
    """Voters, observers, log size, greatest epoch; of two observers one stays while the other replays."""
    assert violated(QuorumChangeLog(OneFailover(*bounds)), symmetry=True) == {}
