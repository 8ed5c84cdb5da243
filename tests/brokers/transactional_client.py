"""A transactional client with librdkafka, told line by line what to do: see `transactions`.

`python -m tests.brokers.transactional_client BOOTSTRAP TRANSACTIONAL-ID TIMEOUT`, where the time-out is in ms.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from tests.brokers.client import QUIET

SECONDS = 60.0
"""For one request to the coordinator, with all that the library repeats."""


class LibrdkafkaClient:
    """The words that it understands, a method each."""

    def __init__(self, bootstrap: str, transactional_id: str, timeout: int) -> None:
        from confluent_kafka import Producer

        self._to = {**QUIET, "bootstrap.servers": bootstrap}
        own = {"transactional.id": transactional_id, "transaction.timeout.ms": timeout, "acks": "all"}
        self._producer: Any = Producer({**self._to, **own})
        self._readers: dict[str, Any] = {}

    def init(self) -> None:
        """InitProducerId: what an older client with this id has left open is ended first."""
        self._producer.init_transactions(SECONDS)

    def begin(self) -> None:
        """Begin a transaction; no broker hears of it."""
        self._producer.begin_transaction()

    def send(self, topic: str, partition: str, value: str) -> int:
        """Send a record; its offset."""
        answers: list[tuple[Any, Any]] = []
        self._producer.produce(
            topic, value.encode(), partition=int(partition), on_delivery=lambda *both: answers.append(both)
        )
        if self._producer.flush(SECONDS) or not answers:
            raise TimeoutError(f"the record was not acknowledged within {SECONDS:g} s")
        ((error, message),) = answers
        if error is not None:
            raise RuntimeError(str(error))
        return int(message.offset())

    def take(self, group: str, topic: str) -> str:
        """Read the first record of partition 0 of a topic, as a member of a group without others; its value."""
        from confluent_kafka import Consumer, TopicPartition

        reader = self._readers[group] = Consumer({**self._to, "group.id": group, "enable.auto.commit": False})
        reader.assign([TopicPartition(topic, 0, 0)])
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            message = reader.poll(1)
            if message is not None and not message.error():
                return str(message.value().decode())
        raise TimeoutError(f"no record of {topic}-0 came within {SECONDS:g} s")

    def offset(self, group: str, topic: str, offset: str) -> None:
        """Make the group's offset of partition 0 a part of the transaction."""
        from confluent_kafka import TopicPartition

        of = self._readers[group].consumer_group_metadata()
        self._producer.send_offsets_to_transaction([TopicPartition(topic, 0, int(offset))], of, SECONDS)

    def commit(self) -> None:
        """EndTxn."""
        self._producer.commit_transaction(SECONDS)


def main() -> None:
    """Do what the lines of standard input say, and answer each."""
    from confluent_kafka import KafkaException

    client = LibrdkafkaClient(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    words = {
        "init": client.init,
        "begin": client.begin,
        "send": client.send,
        "take": client.take,
        "offset": client.offset,
        "commit": client.commit,
    }
    for line in sys.stdin:
        word, *arguments = line.split()
        try:
            says = words[word](*arguments)  # type: ignore[operator]
        except (KafkaException, RuntimeError, TimeoutError) as error:
            print("failed", " ".join(str(error).split()), flush=True)
        else:
            print("ok", "" if says is None else says, flush=True)


if __name__ == "__main__":
    main()
