"""Who is told what: leaders of their proposals, producers of their records. Each run was played on Kafka's classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from epochal.spec.kraft.configuration import ConfigurableKraft, configured, with_settings
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import KraftBounds

RESTARTS = KraftBounds(
    replication_factor=3, records=2, max_epoch=3, metadata_lag=2, crashes=1, lossy_crashes=0, fencings=2, shrinks=1
)


def after(protocol: Any, *labels: str) -> Any:
    """The state after steps, from the first broker's leadership. Fails where a step cannot happen."""
    by_label = {one.label: one for one in protocol.instances}
    codes = next(iter(protocol.initial_states()))
    for label in labels:
        codes = protocol.step(protocol.at(codes), by_label[label])
        assert codes is not None, f"{label} cannot happen"
    return protocol.at(codes)


@pytest.fixture(scope="module")
def answering() -> Any:
    """The newest rules, with a leader that learns from answers."""
    rules = replace(Settings(), known_partition_epoch_ignored=False)
    return with_settings(ConfigurableKraft, rules)(RESTARTS)


SHRINKS = (
    "Produce(b1)",
    "ShutDown(b1, b2)",
    "ReplayMetadata(b2, 1)",
    "Restart(b1, -)",
    "Produce(b2)",
    "ProposeShrink(b2, {b3})",
)
"""Broker 1 hands over to broker 2, which asks to drop broker 3 from the ISR."""


def test_a_leader_is_told_of_the_change_that_was_made_for_it(answering: Any) -> None:
    state = after(answering, *SHRINKS, "HandleAlterPartition(b2)", "ReceiveAnswer(b2)")
    leader = state.metadata[0].leader
    assert not state.brokers[leader].proposed and state.brokers[leader].behind == 0


def test_a_leader_is_not_told_of_the_same_change_that_another_request_made(answering: Any) -> None:
    """Broker 3 shuts down meanwhile: the ISR is as proposed, and the proposal is refused (INVALID_UPDATE_VERSION)."""
    state = after(answering, *SHRINKS, "ShutDown(b3, b2)")
    leader = state.metadata[0].leader
    assert state.metadata[0].isr == state.brokers[leader].proposed and state.request.leader is None
    told = next(one for one in answering.instances if one.label == "ReceiveAnswer(b2)")
    assert answering.step(state, told) is None


@pytest.mark.parametrize(("kafka", "told"), [("3.9.2", 0), ("4.4", 1)])
def test_a_process_answers_for_what_it_has_appended_itself(kafka: str, told: int) -> None:
    """Before 4.0 a leader that starts again leads on in its epoch (KAFKA-18106), and the old requests are gone.

    Since 4.0 a leader never starts in its own epoch; there the run without the crash has the producer told.
    """
    protocol: Any = configured(kafka=kafka, elr=False, min_insync_replicas=2)(
        KraftBounds(replication_factor=2, records=1, max_epoch=2, metadata_lag=2, crashes=1, lossy_crashes=0)
    )
    crash = ("Crash(b1, 1)", "Restart(b1, -)") if not told else ()
    fetches = ("Fetch(b2, b1)", "Fetch(b2, b1)")
    state = after(protocol, "Produce(b1)", *crash, *fetches)
    assert len(state.committed) == 1 and len(state.acknowledged) == told


def test_a_process_that_started_in_its_epoch_answers_for_what_it_appends_then() -> None:
    protocol: Any = configured(kafka="3.9.2", min_insync_replicas=2)(
        KraftBounds(replication_factor=2, records=2, max_epoch=2, metadata_lag=2, crashes=1, lossy_crashes=0)
    )
    steps = ("Produce(b1)", "Crash(b1, 1)", "Restart(b1, -)", "Produce(b1)")
    state = after(protocol, *steps, "Fetch(b2, b1)", "Fetch(b2, b1)", "Fetch(b2, b1)")
    assert len(state.committed) == 2 and sorted(state.acknowledged) == [1]


# -- the broker epochs of members that AlterPartition names -----------------------------------------------------------

KNOWN = ("Produce(b1)", "Fetch(b2, b1)", "Fetch(b2, b1)")
BACK = ("Crash(b2, 1)", "Restart(b2, -)", "Unfence(b2, -)")
"""Broker 2 starts again without being fenced before, and stays in the ISR (KAFKA-18106)."""
SHRINK = ("ProposeShrink(b1, {b3})",)
REFUSED = "HandleAlterPartition(-)"


def of_release(kafka: str) -> Any:
    """The protocol of a release, with three brokers."""
    bounds = KraftBounds(
        replication_factor=3, records=1, max_epoch=2, metadata_lag=2, crashes=1, lossy_crashes=0, fencings=1, shrinks=2
    )
    return configured(kafka=kafka, min_insync_replicas=2)(bounds)


def isr_of(state: Any) -> list[str]:
    """The names of the members of the ISR."""
    return sorted(map(str, state.metadata[0].isr))


@pytest.mark.parametrize("steps", [(*KNOWN, *BACK, *SHRINK), (*KNOWN, *SHRINK, *BACK)])
def test_an_old_broker_epoch_of_a_member_refuses_the_request(steps: tuple[str, ...]) -> None:
    """3.9.2, INELIGIBLE_REPLICA: the member starts again before the request is sent, or while it is on its way."""
    state = after(of_release("3.9.2"), *steps, REFUSED)
    leader = state.metadata[0].leader
    assert isr_of(state) == ["b1", "b2", "b3"]
    assert state.request.leader is None and not state.brokers[leader].proposed


def test_a_member_that_has_fetched_again_is_named_under_its_new_broker_epoch() -> None:
    """3.9.2, after the same refusal."""
    again = ("Fetch(b2, b1)", *SHRINK, "HandleAlterPartition(b1)")
    state = after(of_release("3.9.2"), *KNOWN, *BACK, *SHRINK, REFUSED, *again)
    assert isr_of(state) == ["b1", "b2"]


def test_a_member_that_never_fetched_is_named_without_a_broker_epoch() -> None:
    """3.9.2: -1, which the controller does not compare. So it takes a member that has started again."""
    drop = ("Produce(b1)", "Fetch(b2, b1)", "Fetch(b2, b1)", *SHRINK, "HandleAlterPartition(b1)")
    over = ("ElectPreferredLeader(b2)", "ReplayMetadata(b1, 2)", "ReplayMetadata(b3, 1)", "ReplayMetadata(b2, 1)")
    back = ("Crash(b1, 1)", "Restart(b1, -)", "Unfence(b1, -)")
    joins = ("Fetch(b3, b2)", "Fetch(b3, b2)", "HandleAlterPartition(b2)")
    state = after(of_release("3.9.2"), *drop, *over, *back, *joins)
    assert isr_of(state) == ["b1", "b2", "b3"]


def test_before_kafka_3_5_no_member_is_named_with_a_broker_epoch() -> None:
    """KIP-903 brought it; the same run as the one that 3.9.2 refuses."""
    state = after(of_release("3.4.1"), *KNOWN, *BACK, *SHRINK, "HandleAlterPartition(b1)")
    assert isr_of(state) == ["b1", "b2"]
