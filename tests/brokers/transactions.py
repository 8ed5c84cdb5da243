"""Transactional clients in processes of their own, which can be killed, and what consumers see of their transactions.

A client is told what to do line by line, and answers each line: `ok` with what it has to tell, or `failed` with why.
There are two that understand the same words, `transactional_client` with librdkafka and `TransactionalClient.java` with
the client of the release.
"""

from __future__ import annotations

import enum
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tests.brokers.client import QUIET
from tests.brokers.history import Journal
from tests.brokers.process import NotReady, java_command, last_lines

if TYPE_CHECKING:
    from tests.brokers.cluster import Cluster

ID = "x"
"""The transactional id of every client here: a second one begins where the first has ended."""

PATIENCE = 90.0
"""Seconds for one answer of a client; its own time-outs are 60 s."""


class ClientKind(enum.Enum):
    """Whose code the client is: librdkafka ends transactions as before KIP-890, Java's as its release does."""

    LIBRDKAFKA = "librdkafka"
    JAVA = "java"


@dataclass(frozen=True)
class ClientAnswer:
    """What a client answered to a line: whether it was done, and an offset, or why not."""

    asked: str
    done: bool
    says: str

    def needed(self) -> ClientAnswer:
        """The same; NotReady if the client has failed."""
        if not self.done:
            raise NotReady(f"the client was asked to {self.asked}, and failed: {self.says}")
        return self


class TransactionalClient:
    """Such a process. What it is asked and answers is written down, and each record that it sends also in history."""

    def __init__(
        self, cluster: Cluster, kind: ClientKind, name: str, timeout: int, journals: tuple[Journal, Journal]
    ) -> None:
        self.name, self.kind = name, kind
        self._history, self._journal = journals
        self._transaction = ""
        self._errors = cluster.folder / f"client-{name}.txt"
        self._waiting: list[str] = []
        self._answers: queue.Queue[str | None] = queue.Queue()
        with self._errors.open("wb") as errors:
            self._popen = subprocess.Popen(
                command(cluster, kind, timeout),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self._popen.stdin is not None and self._popen.stdout is not None
        self._stdin: IO[str] = self._popen.stdin
        reader = threading.Thread(target=self._listen, args=(self._popen.stdout,), name=f"client-{name}", daemon=True)
        reader.start()

    def _listen(self, stdout: IO[str]) -> None:
        for line in stdout:
            if line.startswith(("ok ", "failed ")):  # a client may print what nobody asked for
                self._answers.put(line.rstrip("\n"))
        self._answers.put(None)

    def tell(self, line: str) -> None:
        """Ask for something, and do not wait for the answer."""
        self._journal.write("asked", client=self.name, line=line)
        self._waiting.append(line)
        try:
            print(line, file=self._stdin, flush=True)
        except BrokenPipeError as error:
            raise NotReady(self._ended()) from error

    def answer(self, seconds: float = PATIENCE) -> ClientAnswer:
        """The answer to the line that waits longest. NotReady if it does not come in time."""
        line = self._waiting.pop(0)
        try:
            found = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise NotReady(f"client {self.name} did not answer to {line!r} within {seconds:g} s") from None
        if found is None:
            raise NotReady(self._ended())
        word, _, says = found.partition(" ")
        answer = ClientAnswer(line, word == "ok", says.strip())
        self._journal.write("answered", client=self.name, line=line, done=answer.done, says=answer.says)
        return answer

    def ask(self, line: str, seconds: float = PATIENCE) -> ClientAnswer:
        """Ask for something, and wait for the answer."""
        self.tell(line)
        return self.answer(seconds)

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

    def kill(self) -> None:
        """End it at once (SIGKILL) and wait until it has; nothing if it has ended."""
        self._popen.kill()
        self._popen.wait(30)
        self._stdin.close()

    def _ended(self) -> str:
        return f"client {self.name} ended with {self._popen.wait(30)}:\n{last_lines(self._errors)}"


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
