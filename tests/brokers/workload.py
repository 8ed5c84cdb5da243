"""Clients that go on whatever happens to brokers: two producers and a consumer, each a thread.

Records are sent one after the other, each with a value of its own: `a1` is the first with acks=all, `o1` with acks=1.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Self

from tests.brokers.client import QUIET
from tests.brokers.history import Journal, Producer

PATIENCE = 4.0
"""Seconds for which a producer waits for the answer to a record, before it sends the next one."""


class Workload:
    """Produces and consumes until the `with` block is left."""

    def __init__(self, bootstrap: str, journal: Journal, topic: str, every: float = 0.3) -> None:
        self._bootstrap, self._journal, self._topic, self._every = bootstrap, journal, topic, every
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._produce, args=("all", "a"), name="producer-acks-all"),
            threading.Thread(target=self._produce, args=("1", "o"), name="producer-acks-1"),
            threading.Thread(target=self._consume, name="consumer"),
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(30)

    def _produce(self, acks: str, letter: str) -> None:
        name, sent = f"producer-acks-{acks}", 0
        with Producer(self._bootstrap, self._journal, acks, name, PATIENCE) as producer:
            while not self._ended.wait(self._every):
                sent += 1
                producer.send(self._topic, f"{letter}{sent}", seconds=PATIENCE + 1)

    def _consume(self) -> None:
        """Read what is below the high watermark; a value that is read again at its offset is no news."""
        from confluent_kafka import Consumer, TopicPartition

        settings = {"group.id": "reader", "enable.auto.commit": False, "auto.offset.reset": "earliest"}
        consumer: Any = Consumer({**QUIET, "bootstrap.servers": self._bootstrap, **settings})
        seen: dict[int, str] = {}
        consumer.assign([TopicPartition(self._topic, 0, 0)])
        while not self._ended.is_set():
            message = consumer.poll(0.5)
            if message is None:
                continue
            if message.error():
                self._journal.write("not read", client="consumer", error=str(message.error().name()))
            elif seen.get(message.offset()) != (value := message.value().decode()):
                seen[message.offset()] = value
                facts = {"topic": self._topic, "partition": 0, "value": value, "offset": message.offset()}
                self._journal.write("consumed", client="consumer", **facts, leader_epoch=message.leader_epoch())
        consumer.close()
