"""What clients saw: every record that was sent, acknowledged, refused or read, as a line of JSON with its time."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from tests.brokers.client import QUIET
from tests.brokers.process import NotReady


def now() -> str:
    """The time of this machine as the lines of the brokers' logs tell it, in UTC, to the millisecond."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]


class Journal:
    """A file of JSON lines, each with its time, in the order in which they were written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def write(self, what: str, **facts: object) -> None:
        """Add a line."""
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"at": now(), "what": what, **facts}, ensure_ascii=False) + "\n")

    def read(self) -> list[dict[str, Any]]:
        """All lines so far."""
        if not self.path.exists():
            return []
        return [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()]


BEFORE_APPENDING = {"NOT_ENOUGH_REPLICAS", "MSG_SIZE_TOO_LARGE", "INVALID_MSG"}
"""Errors that a leader answers before it appends; librdkafka's names."""


def became(error: str) -> str:
    """What is known of a record that was answered with an error: `refused`, so it is in no log, or `unknown`.

    A leader may answer NOT_ENOUGH_REPLICAS_AFTER_APPEND, REQUEST_TIMED_OUT or NOT_LEADER_FOR_PARTITION for a record
    that it has appended (DelayedProduce), and whoever sees a connection break or time out knows nothing.
    """
    return "refused" if error in BEFORE_APPENDING else "unknown"


class Producer:
    """A producer that sends a record once, without idempotence, and waits for what becomes of it.

    What is not known to be in no log is `unknown` (`became`), also after an error. `patience` are the seconds for
    which a request is waited for.
    """

    def __init__(
        self, bootstrap: str, journal: Journal, acks: str = "all", name: str = "producer", patience: float = 5
    ) -> None:
        from confluent_kafka import Producer as Library

        self.acks, self.name, self._journal = acks, name, journal
        self._library: Any = Library(
            {
                **QUIET,
                "bootstrap.servers": bootstrap,
                # the smaller of the two ends a request; the leader is told the second
                "socket.timeout.ms": int(1000 * patience),
                "request.timeout.ms": int(1000 * max(patience, 30)),
                "acks": acks,
                "retries": 0,
                "linger.ms": 0,
                "enable.idempotence": False,
                "topic.metadata.refresh.interval.ms": 1000,
            }
        )

    def send(self, topic: str, value: str, partition: int = 0, seconds: float = 10) -> int | None:
        """Send one record; its offset if it was acknowledged, else None. Without acks the offset is not known: -1."""
        return self.send_all(topic, [value], partition, seconds)[0]

    def send_all(self, topic: str, values: Sequence[str], partition: int = 0, seconds: float = 10) -> list[int | None]:
        """Send records one behind the other without waiting between them; the offset of each, or None."""
        found: dict[str, int | None] = {}
        for value in values:
            self._journal.write("sent", client=self.name, topic=topic, partition=partition, value=value, acks=self.acks)

            def done(error: Any, message: Any, value: str = value) -> None:
                found[value] = self._answered(error, message, topic, partition, value)

            self._library.produce(topic, value=value.encode(), partition=partition, on_delivery=done)
        if self._library.flush(seconds):
            self._library.purge()
            self._library.flush(1)
        return [found[value] for value in values]

    def _answered(self, error: Any, message: Any, topic: str, partition: int, value: str) -> int | None:
        facts: dict[str, object] = {"client": self.name, "topic": topic, "partition": partition, "value": value}
        if error is None:
            offset = int(message.offset()) if self.acks != "0" else -1
            self._journal.write("acknowledged", **facts, offset=offset)
            return offset
        self._journal.write(became(str(error.name())), **facts, error=str(error.name()))
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give up what nobody answered."""
        self._library.purge()
        self._library.flush(1)


def read_all(
    bootstrap: str, journal: Journal, topic: str, partition: int = 0, start: int | None = None, seconds: float = 20
) -> dict[int, str]:
    """Read a partition from `start`, or from its log start offset, up to the high watermark; values by offset."""
    from confluent_kafka import Consumer, TopicPartition

    consumer: Any = Consumer(
        {**QUIET, "bootstrap.servers": bootstrap, "group.id": "reader", "enable.auto.commit": False}
    )
    found: dict[int, str] = {}
    try:
        low, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=seconds)
        position = low if start is None else start
        journal.write("reading", client="reader", topic=topic, partition=partition, start=position, high_watermark=high)
        consumer.assign([TopicPartition(topic, partition, position)])
        while position < high:
            message = consumer.poll(seconds)
            if message is None or message.error():
                why = message.error().str() if message else f"nothing came within {seconds:g} s"
                raise NotReady(f"{topic}-{partition} was read up to {position} of {high}: {why}")
            position = message.offset() + 1
            found[message.offset()] = message.value().decode()
            facts = {"topic": topic, "partition": partition, "value": found[message.offset()]}
            epoch = message.leader_epoch()
            journal.write("read", client="reader", **facts, offset=message.offset(), leader_epoch=epoch)
    finally:
        consumer.close()
    return found


def read_while_there(
    bootstrap: str, journal: Journal, topic: str, partition: int = 0, seconds: float = 20
) -> tuple[dict[int, str], str]:
    """Read a partition from its log start offset as far as that is answered; values by offset, and the error if any."""
    from confluent_kafka import Consumer, TopicPartition

    settings = {"group.id": "reader", "enable.auto.commit": False, "auto.offset.reset": "error"}
    consumer: Any = Consumer({**QUIET, **settings, "bootstrap.servers": bootstrap})
    found: dict[int, str] = {}
    try:
        position, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=seconds)
        where = {"client": "reader", "topic": topic, "partition": partition}
        journal.write("reading", **where, start=position, high_watermark=high)
        consumer.assign([TopicPartition(topic, partition, position)])
        while position < high:
            message = consumer.poll(seconds)
            if message is None or message.error():
                error = str(message.error().str()) if message else f"nothing came within {seconds:g} s"
                return found, error
            position = message.offset() + 1
            found[message.offset()] = message.value().decode()
            facts = {"value": found[message.offset()], "offset": message.offset()}
            journal.write("read", **where, **facts, leader_epoch=message.leader_epoch())
    finally:
        consumer.close()
    return found, ""
