"""Request logs of brokers and controllers (`kafka.request.logger` at DEBUG): AlterPartition, and fetches of followers.

A line has the request and its answer as JSON (RequestConvertToJson), and is written when that was sent. Of
AlterPartition the controller writes it, of a fetch the leader; neither says who it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from .place import OfNamed, Place

COMPLETED = "Completed request:"
NO_ERROR = 0
PROPOSES, FETCHES = '"requestApiKeyName":"ALTER_PARTITION"', '"requestApiKeyName":"FETCH"'
END_OF_OBJECT = "}"

METADATA = ("__cluster_metadata", "AAAAAAAAAAAAAAAAAAAAAQ")
"""The topic of the metadata log, and its id: Raft replicates it, by fetches of its own rules."""


@dataclass(frozen=True, slots=True)
class Request(OfNamed):
    """A request of a broker about a partition. `topic` is its id, or its name in versions that have no ids."""

    place: Place
    topic: str
    number: int
    error: int
    sender: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The partition as the controller answers it is."""

    leader: int
    leader_epoch: int
    isr: frozenset[int]
    partition_epoch: int


@dataclass(frozen=True, slots=True)
class Proposed(Request):
    """AlterPartition: a leader asks for an ISR, at the partition epoch that it knows. No answer beside an error."""

    leader_epoch: int
    partition_epoch: int
    isr: frozenset[int]
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Fetched(Request):
    """A fetch of a follower. `high_watermark` is None where the answer has none: an error, or logs that diverge."""

    leader_epoch: int
    offset: int
    high_watermark: int | None


class Cut(Exception):
    """A line that does not end, or lacks a field."""


def requests_in(message: str, place: Place) -> Iterator[Request]:
    """The requests of which a line tells. Raises Cut."""
    begins = message.find(COMPLETED)
    if begins < 0 or not (PROPOSES in message or FETCHES in message):
        return
    text = message[begins + len(COMPLETED) : message.rfind(END_OF_OBJECT) + 1]
    try:
        said = msgspec.json.decode(text)
        yield from _proposed(said, place) if PROPOSES in message else _fetched(said, place)
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise Cut from error


def _proposed(said: dict[str, Any], place: Place) -> Iterator[Proposed]:
    request, answers = said["request"], _answers(said["response"]["topics"])
    for topic, one in _partitions(request["topics"]):
        number = int(one["partitionIndex"])
        answered = answers.get((topic, number))
        if answered is None:  # the whole request is refused
            continue
        members = one["newIsr"] if "newIsr" in one else [of["brokerId"] for of in one["newIsrWithEpochs"]]
        error = int(answered["errorCode"])
        answer = Answer(
            int(answered["leaderId"]),
            int(answered["leaderEpoch"]),
            frozenset(map(int, answered["isr"])),
            int(answered["partitionEpoch"]),
        )
        yield Proposed(
            place,
            topic,
            number,
            error,
            sender=int(request["brokerId"]),
            leader_epoch=int(one["leaderEpoch"]),
            partition_epoch=int(one["partitionEpoch"]),
            isr=frozenset(map(int, members)),
            answer=answer if error == NO_ERROR else None,
        )


def _fetched(said: dict[str, Any], place: Place) -> Iterator[Fetched]:
    request = said["request"]
    if "replicaId" not in request and "replicaState" not in request:  # since version 15 nobody but a replica says it
        return
    follower = int(request["replicaState"]["replicaId"] if "replicaState" in request else request["replicaId"])
    if follower < 0:  # a consumer
        return
    answers = _answers(said["response"]["responses"])
    for topic, one in _partitions(request["topics"]):
        number = int(one["partition"])
        answered = answers.get((topic, number))
        if answered is None:  # a session of fetches answers what has changed only
            continue
        hw = int(answered["highWatermark"])
        yield Fetched(
            place,
            topic,
            number,
            int(answered["errorCode"]),
            sender=follower,
            leader_epoch=int(one["currentLeaderEpoch"]),
            offset=int(one["fetchOffset"]),
            high_watermark=hw if hw >= 0 and int(answered["errorCode"]) == NO_ERROR else None,
        )


def _partitions(topics: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for topic in topics:
        of = topic.get("topicId") or topic.get("topicName") or topic["topic"]
        if of in METADATA:
            continue
        for one in topic["partitions"]:
            yield str(of), one


def _answers(topics: list[dict[str, Any]]) -> dict[tuple[str, int], dict[str, Any]]:
    return {(topic, int(one["partitionIndex"])): one for topic, one in _partitions(topics)}
