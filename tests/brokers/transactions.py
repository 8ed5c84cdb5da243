"""Transactional clients in processes of their own, which can be killed, and what consumers see of their transactions.

There are two that understand the same words, `transactional_client` with librdkafka and `TransactionalClient.java` with
the client of the release.
"""

from __future__ import annotations

import enum
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.brokers.client import QUIET
from tests.brokers.client_process import PATIENCE, ClientAnswer, ClientProcess
from tests.brokers.history import Journal
from tests.brokers.process import NotReady, java_command

if TYPE_CHECKING:
    from tests.brokers.cluster import Cluster

ID = "x"
"""The transactional id of every client here: a second one begins where the first has ended."""


class ClientKind(enum.Enum):
    """Whose code the client is: librdkafka ends transactions as before KIP-890, Java's as its release does."""

    LIBRDKAFKA = "librdkafka"
    JAVA = "java"


class TransactionalClient(ClientProcess):
    """Such a process. What it is asked and answers is written down, and each record that it sends also in history."""

    def __init__(
        self, cluster: Cluster, kind: ClientKind, name: str, timeout: int, journals: tuple[Journal, Journal]
    ) -> None:
        self.kind = kind
        self._history, journal = journals
        self._transaction = ""
        super().__init__(command(cluster, kind, timeout), name, cluster.folder, journal)

    def begin(self, transaction: str, seconds: float = PATIENCE) -> None:
        """Begin a transaction, which is called so in what is written down."""
        self._transaction = transaction
        self.ask("begin", seconds).needed()

    def send(self, topic: str, partition: int, value: str) -> int:
        """Send a record in the transaction; its offset, once it is acknowledged."""
        of = {"client": self.name, "topic": topic, "partition": partition, "value": value}
        self._history.write("sent", **of, acks="all")
        self._journal.write("sent", **of, transaction=self._transaction)
        offset = int(self.ask(f"send {topic} {partition} {value}").needed().says)
        self._history.write("acknowledged", **of, offset=offset)
        return offset

    def send_offset(self, group: str, topic: str, offset: int) -> None:
        """Make a group's offset of partition 0 of a topic a part of the transaction."""
        of = {"group": group, "topic": topic, "partition": 0, "offset": offset}
        self._journal.write("offset sent", client=self.name, **of, transaction=self._transaction)
        self.ask(f"offset {group} {topic} {offset}").needed()

    def tell_commit(self) -> None:
        """Ask to commit, and do not wait for the answer."""
        self._journal.write("commit", client=self.name, transaction=self._transaction)
        self.tell("commit")

    def committed(self, seconds: float = PATIENCE) -> ClientAnswer:
        """What became of `tell_commit`, as the client was told."""
        answer = self.answer(seconds)
        if answer.done:
            self._journal.write("told committed", client=self.name, transaction=self._transaction)
        return answer

    def is_silent(self, seconds: float) -> bool:
        """Whether it waits for so many seconds for what it was asked to do; NotReady if it ends meanwhile."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._popen.poll() is not None:
                raise NotReady(self._ended())
            if not self._answers.empty():
                return False
            time.sleep(0.1)
        self._journal.write("silent", client=self.name, line=self._waiting[0], seconds=seconds)
        return True


def command(cluster: Cluster, kind: ClientKind, timeout: int) -> list[str]:
    """How a client is started; it ends with the Python process."""
    words = [cluster.bootstrap, ID, str(timeout)]
    if kind is ClientKind.JAVA:
        source = Path(__file__).with_name("TransactionalClient.java")
        return java_command(cluster.release.class_path(), str(source), words)
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise NotReady("setpriv (of util-linux, on Linux) is not here, and clients are not started without it")
    return [setpriv, "--pdeathsig", "KILL", sys.executable, "-m", "tests.brokers.transactional_client", *words]


# -- what consumers see ---------------------------------------------------------------------------------------------


def read_uncommitted(bootstrap: str, journal: Journal, topic: str, partition: int, seconds: float = 30) -> list[str]:
    """The values of all records of a partition up to its high watermark, those of aborted transactions as well."""
    found, end = _read(bootstrap, "read_uncommitted", topic, partition, seconds)
    of = {"client": "reader", "topic": topic, "partition": partition}
    journal.write("reading", **of, start=0, high_watermark=end)
    for offset, leader_epoch, value in found:
        journal.write("read", **of, value=value, offset=offset, leader_epoch=leader_epoch)
    return [value for _, _, value in found]


def read_committed(bootstrap: str, journal: Journal, topic: str, partition: int, seconds: float = 30) -> list[str]:
    """The values of the records of a partition that consumers with isolation.level=read_committed get now."""
    found, end = _read(bootstrap, "read_committed", topic, partition, seconds)
    values = [value for _, _, value in found]
    journal.write("read committed", topic=topic, partition=partition, values=values, last_stable_offset=end)
    return values


def _read(
    bootstrap: str, isolation: str, topic: str, partition: int, seconds: float
) -> tuple[list[tuple[int, int | None, str]], int]:
    """Offset, leader epoch and value of each record from the beginning, and where the consumer was told that it ends.

    Markers are no records, so that the last offset is none that a consumer gets: the end is what librdkafka says it is.
    """
    from confluent_kafka import Consumer, KafkaError, TopicPartition

    settings = {"group.id": "reader", "enable.auto.commit": False, "enable.partition.eof": True}
    reader: Any = Consumer({**QUIET, "bootstrap.servers": bootstrap, "isolation.level": isolation, **settings})
    found: list[tuple[int, int | None, str]] = []
    end = time.monotonic() + seconds
    try:
        reader.assign([TopicPartition(topic, partition, 0)])
        while time.monotonic() < end:
            message = reader.poll(1)
            if message is None:
                continue
            error = message.error()
            if error is None:
                found.append((message.offset(), message.leader_epoch(), message.value().decode()))
            elif error.code() == KafkaError._PARTITION_EOF:
                return found, message.offset()
        raise NotReady(f"{topic}-{partition} was not read to its end within {seconds:g} s, with {isolation}")
    finally:
        reader.close()


def group_offset(bootstrap: str, journal: Journal, group: str, topic: str, seconds: float = 30) -> int | None:
    """The offset of partition 0 of a topic that a group has committed, as its members would be told; None if none."""
    from confluent_kafka import Consumer, TopicPartition

    asking: Any = Consumer({**QUIET, "bootstrap.servers": bootstrap, "group.id": group})
    try:
        (answer,) = asking.committed([TopicPartition(topic, 0)], timeout=seconds)
    finally:
        asking.close()
    offset = int(answer.offset) if answer.offset >= 0 else None
    journal.write("group's offset", group=group, topic=topic, partition=0, offset=offset)
    return offset


@dataclass(frozen=True)
class TransactionSeen:
    """A transaction as consumers see it at the end: whether each of its parts is there for read_committed.

    A part is a partition that it has written to, or an offset of a group. `told` is whether its producer was told that
    it is committed.
    """

    name: str
    told: bool
    visible: Mapping[str, bool]

    @property
    def torn(self) -> bool:
        """Whether one part is committed and another is not."""
        return len(set(self.visible.values())) > 1

    def __str__(self) -> str:
        parts = ", ".join(f"{'committed' if there else 'aborted'} at {part}" for part, there in self.visible.items())
        told = "told" if self.told else "not told"
        return f"transaction {self.name}: {parts}; its producer was {told} that it is committed"


def transactions_in(lines: Sequence[Mapping[str, Any]]) -> tuple[TransactionSeen, ...]:
    """The transactions of `transactions.jsonl`, by what was read last."""
    read = {(one["topic"], one["partition"]): set(one["values"]) for one in _of(lines, "read committed")}
    offsets = {(one["group"], one["topic"]): one["offset"] for one in _of(lines, "group's offset")}
    told = {one["transaction"] for one in _of(lines, "told committed")}
    visible: dict[str, dict[str, bool]] = {}
    for one in _of(lines, "sent"):
        if (of := (one["topic"], one["partition"])) in read:
            visible.setdefault(one["transaction"], {})[f"{of[0]}-{of[1]}"] = one["value"] in read[of]
    for one in _of(lines, "offset sent"):
        if (key := (one["group"], one["topic"])) in offsets:
            parts = visible.setdefault(one["transaction"], {})
            parts[f"the offset of group {key[0]} in {key[1]}-0"] = offsets[key] == one["offset"]
    return tuple(TransactionSeen(name, name in told, parts) for name, parts in visible.items())


def _of(lines: Iterable[Mapping[str, Any]], what: str) -> Iterable[Mapping[str, Any]]:
    return (line for line in lines if line["what"] == what)
