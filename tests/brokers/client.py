"""What a cluster is asked by the Admin API, through confluent-kafka (librdkafka), an optional extra of this project.

It is imported when it is used, so that this package can be read and tested without it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.brokers.process import NotReady, wait_until

ASK = 3.0
"""Seconds for one question, which is asked again."""
CHANGE = 20.0
"""Seconds for one change, which is not made again."""

QUIET: Mapping[str, str | int] = {"log_level": 0, "socket.timeout.ms": 5000, "reconnect.backoff.max.ms": 500}
"""What all clients are told: to keep silent about brokers that are down, for scenarios take them down."""


def installed() -> bool:
    """Whether confluent-kafka is here."""
    return importlib.util.find_spec("confluent_kafka") is not None


@dataclass(frozen=True)
class Partition:
    """What a broker says of a partition; no leader is -1."""

    leader: int
    replicas: tuple[int, ...]
    isr: frozenset[int]


class Admin:
    """Questions and changes by the Admin API.

    librdkafka asks any broker that it knows. `of_one` asks the one at the address alone: each question has a client of
    its own, which knows no other yet.
    """

    def __init__(self, bootstrap: str, of_one: bool = False) -> None:
        self._bootstrap, self._of_one = bootstrap, of_one
        self._client: Any = self._new()

    def _new(self) -> Any:
        from confluent_kafka.admin import AdminClient

        return AdminClient({**QUIET, "bootstrap.servers": self._bootstrap})

    def _metadata(self, topic: str | None = None) -> Any:
        """One Metadata answer, or None if nobody answered in time."""
        from confluent_kafka import KafkaException

        client = self._new() if self._of_one else self._client
        try:
            return client.list_topics(topic, timeout=ASK) if topic else client.list_topics(timeout=ASK)
        except KafkaException:
            return None

    def brokers_known(self) -> set[int]:
        """The brokers that are registered and unfenced; empty if nobody answered in time."""
        answer = self._metadata()
        return set(answer.brokers) if answer else set()

    def partition(self, topic: str, partition: int = 0) -> Partition | None:
        """What is known of a partition; None if nobody answered in time or it is not known yet."""
        answer = self._metadata(topic)
        found = answer.topics[topic].partitions.get(partition) if answer and topic in answer.topics else None
        return Partition(found.leader, tuple(found.replicas), frozenset(found.isrs)) if found else None

    def wait_for(
        self,
        topic: str,
        partition: int = 0,
        *,
        leader: int | None = None,
        isr: Sequence[int] | None = None,
        replicas: Sequence[int] | None = None,
        seconds: float = 30,
    ) -> Partition:
        """Wait until a partition has this leader, this ISR and these replicas; what is None is not asked."""
        seen: Partition | None = None

        def there() -> bool:
            nonlocal seen
            seen = self.partition(topic, partition)
            return (
                seen is not None
                and (leader is None or seen.leader == leader)
                and (isr is None or seen.isr == frozenset(isr))
                and (replicas is None or seen.replicas == tuple(replicas))
            )

        wanted = f"leader {leader}, ISR {isr}, replicas {replicas}"
        try:
            wait_until(f"{topic}-{partition} has {wanted}", there, seconds, 0.2)
        except NotReady as error:
            raise NotReady(f"{error}; it was last seen as {seen}") from None
        assert seen is not None
        return seen

    def create_topic(self, topic: str, assignment: Sequence[Sequence[int]], **settings: str) -> None:
        """Create a topic, with the replicas of each partition, preferred leader first, and wait until it has leaders.

        Names of settings have underscores here for Kafka's dots.
        """
        from confluent_kafka.admin import NewTopic

        config = {name.replace("_", "."): value for name, value in settings.items()}
        wanted = [list(replicas) for replicas in assignment]
        new = NewTopic(topic, num_partitions=len(wanted), replica_assignment=wanted, config=config)
        for future in self._client.create_topics([new], operation_timeout=CHANGE, request_timeout=CHANGE).values():
            future.result(CHANGE)
        for number, replicas in enumerate(wanted):
            self.wait_for(topic, number, leader=replicas[0], isr=replicas)

    def configure_topic(self, topic: str, **settings: str) -> None:
        """Change settings of a topic."""
        self._configure("TOPIC", topic, settings)

    def configure_broker(self, broker: int, **settings: str) -> None:
        """Change dynamic settings of a broker."""
        self._configure("BROKER", str(broker), settings)

    def _configure(self, kind: str, name: str, settings: Mapping[str, str]) -> None:
        from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

        entries = [
            ConfigEntry(key.replace("_", "."), value, incremental_operation=AlterConfigOpType.SET)
            for key, value in settings.items()
        ]
        resource = ConfigResource(getattr(ResourceType, kind), name, incremental_configs=entries)
        for future in self._client.incremental_alter_configs([resource], request_timeout=CHANGE).values():
            future.result(CHANGE)

    def elect(self, kind: str, topic: str, partition: int = 0, not_through: Collection[int] = ()) -> str | None:
        """Ask for an election, `preferred` or `unclean`; None if it was held, else Kafka's name of the error.

        With KRaft every broker names one at random as the controller, and that one forwards the request (KIP-590):
        `not_through` are brokers that cannot, because their way to the controller is held.
        """
        from confluent_kafka import ElectionType, TopicPartition

        def through_another() -> bool:
            answer = self._metadata()
            return answer is not None and answer.controller_id not in {-1, *not_through}

        if not_through:
            wait_until(f"a broker other than {sorted(not_through)} forwards", through_another, CHANGE)
        asked = TopicPartition(topic, partition)
        # 2.16.1 refuses every time-out here: "more argument specifiers than keyword list entries"
        answer = self._client.elect_leaders(ElectionType[kind.upper()], [asked]).result(CHANGE)
        error = next(iter(answer.values()))
        return str(error.name()) if error else None
