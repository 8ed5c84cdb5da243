"""What clients saw: a line of JSON for each record that was sent, acknowledged, refused, not answered, or read.

No client of Kafka writes such a file by itself; a test harness does. `tests/brokers` writes it so:

    {"what": "sent", "client": "p", "topic": "t", "partition": 0, "value": "r1", "acks": "all"}
    {"what": "acknowledged", "client": "p", "topic": "t", "partition": 0, "value": "r1", "offset": 0}
    {"what": "acknowledged", ..., "value": "r1", "offset": null}                it is written, nobody says where
    {"what": "refused", ..., "value": "r2", "error": "NOT_ENOUGH_REPLICAS"}     it is in no log
    {"what": "unknown", ..., "value": "r2", "error": "_MSG_TIMED_OUT"}          it may be in the log
    {"what": "reading", "client": "c", "topic": "t", "partition": 0, "start": 0, "high_watermark": 1}
    {"what": "read", "client": "c", ..., "value": "r1", "offset": 0, "leader_epoch": 0}
    {"what": "consumed", ..., "value": "r1", "offset": 0, "leader_epoch": 0}    by who goes on reading

The lines stand in the order in which the harness saw these; other fields, such as a time, are not used.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from .place import EvidenceError, OfNamed, Place


class OfClient(OfNamed, msgspec.Struct, frozen=True, tag_field="what", kw_only=True):
    """Something that a client did or saw, of a partition by the name of its topic."""

    topic: str
    number: int = msgspec.field(name="partition")
    client: str = ""


class RecordSent(OfClient, frozen=True, tag="sent", kw_only=True):
    """A producer has sent a record. `acks` is "all", "1" or "0"."""

    value: str
    acks: str


class Acknowledged(OfClient, frozen=True, tag="acknowledged", kw_only=True):
    """It was told that the record is written, and where; the offset is -1 if it asked for no answer (acks=0).

    It is None, or -1, too, where the broker had the record already and does not say where (DUPLICATE_SEQUENCE_NUMBER,
    which an idempotent producer takes for success).
    """

    value: str
    offset: int | None


class NotWritten(OfClient, frozen=True, tag="refused", kw_only=True):
    """It was told an error with which no leader appends the record."""

    value: str
    error: str = ""


class Unanswered(OfClient, frozen=True, tag="unknown", kw_only=True):
    """It does not know what became of the record: nobody answered, or with an error that may come after appending."""

    value: str
    error: str = ""


class Reading(OfClient, frozen=True, tag="reading", kw_only=True):
    """A consumer begins to read at an offset, and up to this high watermark."""

    start: int
    high_watermark: int


class WasRead(OfClient, frozen=True, tag="read", kw_only=True):
    """It has read a record. `leader_epoch` is None if the client does not say it."""

    value: str
    offset: int
    leader_epoch: int | None = None


class Consumed(WasRead, frozen=True, tag="consumed", kw_only=True):
    """The same of a consumer that goes on reading, from no offset that the test chose."""


ClientEvent = RecordSent | Acknowledged | NotWritten | Unanswered | Reading | WasRead | Consumed

_DECODER: msgspec.json.Decoder[ClientEvent] = msgspec.json.Decoder(ClientEvent)


@dataclass(frozen=True, slots=True)
class ClientLine:
    """What a client did or saw, and where it stands."""

    place: Place
    event: ClientEvent


@dataclass(frozen=True)
class ClientHistory:
    """A file of these, in its order."""

    name: str
    lines: tuple[ClientLine, ...]


def is_history(line: str) -> bool:
    """Whether a line, the first of a file, is one of a history."""
    try:
        _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):  # brackets in brackets, thousands of them
        return False
    return True


def history_of(lines: Iterable[str], name: str) -> ClientHistory:
    """A history of clients. Raises EvidenceError for a line that is none: without it the order would have a hole."""
    found: list[ClientLine] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = Place(name, line=number)
        try:
            found.append(ClientLine(place, _DECODER.decode(line)))
        except msgspec.DecodeError as error:
            raise EvidenceError(f"{place}: no line of a history of clients: {error}") from error
    return ClientHistory(name, tuple(found))
