"""What people read of Kafka's states: the families say them in words, and their messages are Kafka's."""

from __future__ import annotations

import random
import re

from epochal.checker.trace.explain import explain
from epochal.spec.bugs.catalogue import KNOWN_BUGS
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.caught_up import CaughtUpReplicas
from epochal.spec.kraft.options.consumer import Consumer
from epochal.spec.kraft.options.needed import STEPS
from epochal.spec.kraft.rules import KraftBug
from epochal.spec.language import Protocol
from epochal.spec.language.marks import mark_of
from epochal.spec.language.views import told_lines, untold, words_of
from epochal.spec.registry import REGISTRY, registered
from tests.checker.trace.runs import walk
from tests.each import for_each

OPTIONS: tuple[type[Protocol], ...] = (*STEPS.values(), CaughtUpReplicas, Consumer)
KRAFT_OPTIONS = {part.__name__: part for part in OPTIONS}
NAMES = dict.fromkeys(
    (*REGISTRY, *KRAFT_OPTIONS, *(bug.without_rule for bug in KNOWN_BUGS if not isinstance(bug, KraftBug)))
)

MESSAGES = {
    *("AddPartitionsToTxn", "AddRaftVoter", "AlterIsr", "AlterPartition", "AssignReplicasToDirs", "BeginQuorumEpoch"),
    *("BrokerHeartbeat", "BrokerRegistration", "ConfigRecord", "DeleteRecords", "EndTxn", "Fetch", "FetchSnapshot"),
    *("InitProducerId", "LeaderAndIsr", "ListOffsets", "Metadata", "OffsetForLeaderEpoch", "PartitionChangeRecord"),
    *("Produce", "ReadShareGroupState", "RemoveRaftVoter", "ShareAcknowledge", "ShareFetch", "Vote"),
    *("DisklessCommitFile", "WriteShareGroupState", "WriteTxnMarkers"),
}
"""Kafka's requests, also a proposed one, without the ending, and records of the metadata log, which brokers fetch."""


def protocol_of(name: str) -> Protocol:
    """A registered protocol, or the modern one with an option."""
    if name in KRAFT_OPTIONS:
        kind: type[Protocol] = type(name, (KRAFT_OPTIONS[name], Kraft), {})
        return kind()
    return registered(name)()


@for_each("name", NAMES)
def test_every_state_of_a_protocol_is_told_in_words(name: str) -> None:
    protocol = protocol_of(name)
    assert not untold(protocol).variables.keys()
    chance = random.Random(name)
    for _ in range(8):  # any typed state: proofs show such that no run comes to
        codes = protocol.at([chance.randrange(leaf.domain.size) for leaf in protocol.leaves]).codes()
        told = {lane for lane, text in words_of(protocol, codes).items() if text}
        assert told <= told_lines(protocol, codes).keys()
        assert told == told_lines(protocol, codes).keys()


@for_each("name", NAMES)
def test_what_a_step_changes_is_told_in_words(name: str) -> None:
    protocol = protocol_of(name)
    for step in explain(walk(protocol, 8)):
        changed = {re.split(r"[.\[]", str(change.path))[0] for change in step.changes}
        if all(protocol.variables[name].bookkeeping for name in changed & protocol.variables.keys()):
            continue  # there is nothing else to tell
        assert all(told.lane for told in step.told), step.label
        assert bool(step.told) == bool(step.changes), step.label


@for_each("name", NAMES)
def test_messages_are_those_of_kafka(name: str) -> None:
    for action in protocol_of(name).members("action"):
        for message in filter(None, (action.mark.sends, action.mark.receives)):
            assert message.removesuffix(" response") in MESSAGES, action.name


@for_each("name", NAMES)
def test_a_step_that_is_told_anew_keeps_its_messages(name: str) -> None:
    """An override that says who acts on whom says which messages go between them, if there are any."""
    kind = type(protocol_of(name))
    for action in kind.members("action"):
        marks = [mark for owner in kind.__mro__ if (mark := mark_of(vars(owner).get(action.name))) is not None]
        messages = [bool(mark.sends or mark.receives) for mark in marks]
        assert messages == sorted(messages, reverse=True), action.name
