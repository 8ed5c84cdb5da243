"""What people read of Kafka's states: every protocol says them in words, and its messages are Kafka's."""

from __future__ import annotations

import random

import pytest

from epochal.checker.trace.explain import explain
from epochal.spec.bugs.catalogue import KNOWN_BUGS
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.caught_up import CaughtUpReplicas
from epochal.spec.kraft.options.consumer import Consumer
from epochal.spec.kraft.options.needed import STEPS
from epochal.spec.language import Protocol
from epochal.spec.language.views import told_lines, untold, words_of
from epochal.spec.registry import REGISTRY, registered
from tests.checker.trace.trace_zoo import walk

OPTIONS: tuple[type[Protocol], ...] = (*STEPS.values(), CaughtUpReplicas, Consumer)
KRAFT_OPTIONS = {part.__name__: part for part in OPTIONS}
NAMES = dict.fromkeys((*REGISTRY, *KRAFT_OPTIONS, *(bug.without_rule for bug in KNOWN_BUGS)))

MESSAGES = {
    *("AlterIsr", "AlterPartition", "AssignReplicasToDirs", "BeginQuorumEpoch", "BrokerHeartbeat"),
    *("BrokerRegistration", "ConfigRecord", "Fetch", "LeaderAndIsr", "ListOffsets", "Metadata"),
    *("OffsetForLeaderEpoch", "PartitionChangeRecord", "Produce", "Vote"),
}
"""Kafka's requests, without the ending, and the records of the metadata log, which brokers fetch."""


def protocol_of(name: str) -> Protocol:
    """A registered protocol, or the modern one with an option."""
    if name in KRAFT_OPTIONS:
        kind: type[Protocol] = type(name, (KRAFT_OPTIONS[name], Kraft), {})
        return kind()
    return registered(name)()


@pytest.mark.parametrize("name", NAMES)
def test_every_state_of_a_protocol_is_told_in_words(name: str) -> None:
    protocol = protocol_of(name)
    assert list(untold(protocol).variables) == []
    chance = random.Random(name)
    for _ in range(12):  # any typed state: proofs show such that no run comes to
        codes = protocol.at([chance.randrange(leaf.domain.size) for leaf in protocol.leaves]).codes()
        assert list(told_lines(protocol, codes)) == [lane for lane, text in words_of(protocol, codes).items() if text]


@pytest.mark.parametrize("name", NAMES)
def test_what_a_step_changes_is_told_in_words(name: str) -> None:
    protocol = protocol_of(name)
    for step in explain(walk(protocol, 12)):
        assert [told for told in step.told if not told.lane] == [], step.label
        assert bool(step.told) == bool(step.changes), step.label


@pytest.mark.parametrize("name", NAMES)
def test_messages_are_those_of_kafka(name: str) -> None:
    for action in protocol_of(name).members("action"):
        for message in filter(None, (action.mark.sends, action.mark.receives)):
            assert message.removesuffix(" response") in MESSAGES, action.name
