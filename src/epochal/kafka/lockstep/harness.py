"""A JVM with Kafka's classes and a Java main class of this package, which answers lines.

The main class is compiled against the classes that it is to run with: once for each class path, and kept in the cache.
Where Kafka has moved a class, the import is written anew (`MOVED`). Where a constructor or a method has changed, there
are several folders of sources, and the first that compiles is taken.
"""

from __future__ import annotations

import io
import itertools
import os
import re
import select
import shutil
import subprocess
import tempfile
import time
import zipfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from epochal.checker.base.cache import Cache, Key
from epochal.checker.base.processes import deaf_to_interrupts
from epochal.checker.identity.engine import key_of
from epochal.errors import EngineError

from .changed import changed_classes
from .class_path import KafkaClasses
from .jdk import Jdk, found_jdk

# -- programs ---------------------------------------------------------------------------------------------------------
# What is compiled: a main class, and the folders of its sources.


class JavaProgram(NamedTuple):
    """A Java main class of this package.

    `folders` are those below `java/` with its sources. Where there are several in place of one, each is a variant for
    some releases, and the first that compiles is taken.
    """

    main: str
    folders: tuple[str | tuple[str, ...], ...]
    flags: tuple[str, ...] = ()

    def variants(self) -> Iterator[tuple[str, ...]]:
        """The folders that may be compiled together, in the order in which they are tried."""
        yield from itertools.product(*((one,) if isinstance(one, str) else one for one in self.folders))


SOURCES = Path(__file__).resolve().parent / "java"

MOVED: Mapping[str, tuple[str, ...]] = {
    f"{now}.{name}": (f"{before}.{name}",)
    for now, before, names in (
        (
            "org.apache.kafka.common.record.internal",
            "org.apache.kafka.common.record",
            "BaseRecords FileRecords MemoryRecords Record RecordBatch",
        ),
        (
            "org.apache.kafka.common.record.internal",
            "org.apache.kafka.common.record",
            "ControlRecordType ControlRecordUtils EndTransactionMarker Records SimpleRecord UnalignedMemoryRecords",
        ),
        ("org.apache.kafka.common.utils.internals", "org.apache.kafka.common.utils", "LogContext"),
        (
            "org.apache.kafka.coordinator.common.runtime",
            "org.apache.kafka.coordinator.group.runtime",
            "PartitionWriter",
        ),
        (
            "org.apache.kafka.coordinator.transaction",
            "kafka.coordinator.transaction",
            "ProducerIdManager TransactionConfig TransactionMetadata TxnTransitMetadata",
        ),
        ("org.apache.kafka.metadata", "kafka.api", "LeaderAndIsr"),
        ("org.apache.kafka.metadata", "kafka.server.metadata", "KRaftMetadataCache"),
        ("org.apache.kafka.server", "kafka.server", "LeaderEndPoint"),
        ("org.apache.kafka.server.log.remote.storage", "kafka.log.remote", "RemoteLogManager"),
        ("org.apache.kafka.server.network", "kafka.cluster", "BrokerEndPoint"),
        ("org.apache.kafka.server.partition", "kafka.server", "AlterPartitionManager"),
        ("org.apache.kafka.server.quota", "kafka.server", "QuotaFactory ReplicaQuota ReplicationQuotaManager"),
        ("org.apache.kafka.server.storage.log", "org.apache.kafka.storage.internals.log", "FetchIsolation FetchParams"),
        ("org.apache.kafka.server.storage.log", "org.apache.kafka.storage.internals.log", "FetchPartitionData"),
        ("org.apache.kafka.storage.log.metrics", "kafka.server", "BrokerTopicStats"),
    )
    for name in names.split()
}
"""Classes that have moved: where the newest release has one, as sources import it, and where releases before had it."""

IMPORT = re.compile(r"^import (?P<name>[\w.]+);$", re.MULTILINE)

SHORT = ("-XX:TieredStopAtLevel=1",)
"""The flag for programs that run for seconds: the second compiler would not pay."""

CONTROLLER = JavaProgram("org.apache.kafka.controller.LockstepController", ("common", "controller"))
QUEUED_CONTROLLER = JavaProgram(
    "org.apache.kafka.controller.LockstepQuorumController", ("common", "controller", "queued"), SHORT
)
CLUSTER = JavaProgram(
    "epochal.lockstep.LockstepCluster",
    (
        "common",
        "controller",
        "cluster",
        ("since-4.1", "until-4.0"),
        ("fetcher-manager-4.2", "fetcher-manager-3.9"),
    ),
    SHORT,
)
SHARE_GROUPS = JavaProgram(
    "epochal.lockstep.LockstepShareGroups",
    ("common", "controller", "cluster", *CLUSTER.folders[3:], "share"),
    SHORT,
)
QUORUM = JavaProgram("org.apache.kafka.raft.LockstepQuorum", ("common", "quorum"), SHORT)

FORMAT = 1
"""Of a jar in the cache."""


def sources_for(folders: Sequence[str], kafka: KafkaClasses) -> dict[str, str]:
    """The sources of some folders by their paths, with imports from where these classes of Kafka are."""

    def placed(found: re.Match[str]) -> str:
        name = found["name"]
        return f"import {next((one for one in (name, *MOVED.get(name, ())) if kafka.has(one)), name)};"

    files = ((folder, path) for folder in folders for path in sorted((SOURCES / folder).rglob("*.java")))
    return {
        path.relative_to(SOURCES / folder).as_posix(): IMPORT.sub(placed, path.read_text(encoding="utf-8"))
        for folder, path in files
    }


# -- compiled ---------------------------------------------------------------------------------------------------------
# The jar of a program for some classes of Kafka.

JARS = Cache("lockstep", "jar", most=40)
COMPILES_IN = 300.0
"""Seconds that the compiler may take."""

COMPLAINT = re.compile(r"^(?P<file>\S+\.java):(?P<line>\d+): error: (?P<what>.*)$")
SYMBOL = re.compile(r"^\s+symbol:\s+(?P<symbol>.*)$")
MOST_COMPLAINTS = 3


def harness_jar(program: JavaProgram, kafka: KafkaClasses, jdk: Jdk, scratch: Path) -> bytes:
    """The classes of a program as a jar: as the cache has them, else compiled now in the folder `scratch`.

    Raises EngineError with what the compiler complains of if no variant compiles.
    """
    variants = [sources_for(folders, kafka) for folders in program.variants()]
    key: Key = key_of(f"{jdk.version} {FORMAT}", kafka.version, kafka.digest, program.main, variants)
    kept = JARS.read(key)
    if kept is not None:
        return kept
    complaints = list[str]()
    for number, sources in enumerate(variants):
        jar, said = _compiled(sources, kafka, jdk, scratch / f"variant-{number}")
        if jar is not None:
            if JARS.write(key, jar):
                JARS.forget_oldest()
            return jar
        complaints.append(said)
    fewest = min(complaints, key=lambda said: said.count("error:"))
    raise EngineError(
        f"the harness does not compile with {kafka}, whose classes are laid out in another way than in the releases "
        f"it knows: {_shown_complaints(fewest)}",
        "Other releases compile; for this one, src/epochal/kafka/lockstep/java needs a variant, or MOVED a place.",
    )


def _compiled(sources: Mapping[str, str], kafka: KafkaClasses, jdk: Jdk, folder: Path) -> tuple[bytes | None, str]:
    """The jar of the sources, or None and what the compiler said."""
    classes = folder / "classes"
    classes.mkdir(parents=True)
    for name, text in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    command: list[str | Path] = [
        jdk.javac,
        "-nowarn",
        "-proc:none",
        "-Xlint:none",
        "-encoding",
        "UTF-8",
        "-J-XX:TieredStopAtLevel=1",
    ]
    command += ["-cp", _joined(kafka.entries), "-d", classes, *sources]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=COMPILES_IN)
    except subprocess.TimeoutExpired:
        raise EngineError(
            f"{jdk.javac} took more than {COMPILES_IN:.0f} s", "Try again when the machine has less to do."
        ) from None
    if done.returncode:
        return None, done.stderr
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as jar:
        for path in sorted(classes.rglob("*.class")):
            jar.writestr(zipfile.ZipInfo(path.relative_to(classes).as_posix()), path.read_bytes())
    return packed.getvalue(), ""


def _joined(entries: Sequence[Path]) -> str:
    for path in entries:
        if os.pathsep in str(path):
            raise EngineError(f"{path} has a {os.pathsep} in its name, which separates the entries of a class path")
    return os.pathsep.join(map(str, entries))


def _shown_complaints(said: str) -> str:
    """The first complaints of a compiler: `Host.java:12: cannot find symbol: class Foo`."""
    found = list[str]()
    for line in said.splitlines():
        if complaint := COMPLAINT.match(line):
            found.append(f"{Path(complaint['file']).name}:{complaint['line']}: {complaint['what']}")
        elif found and (symbol := SYMBOL.match(line)):
            found[-1] += f": {symbol['symbol']}"
    more = len(found) - MOST_COMPLAINTS
    shown = "; ".join(found[:MOST_COMPLAINTS]) or said.strip()[-300:]
    return shown + (f"; and {more} more" if more > 0 else "")


# -- running ----------------------------------------------------------------------------------------------------------
# The process. It is ended by its id, whatever happens; its folder goes with it.

FLAGS = ("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx1g")
PATIENCE = 600.0
"""Seconds without an answer, or without taking a request, after which the process counts as stuck."""

ENDS_IN = 10.0
CHUNK = 1 << 16
IN_MEMORY = Path("/dev/shm")
ROOM = 1 << 28
"""The bytes that a folder in memory must have left."""


class RunningKafka:
    """A process of a program with Kafka's classes."""

    def __init__(
        self, command: Sequence[str | Path], folder: Path, errors: BinaryIO, told: str, patience: float
    ) -> None:
        self._errors, self._told, self._patience = Path(errors.name), told, patience
        self._rest = b""
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=errors, bufsize=0)
        assert self._process.stdin is not None  # it is a pipe
        os.set_blocking(self._process.stdin.fileno(), False)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def ask(self, lines: Sequence[str]) -> list[str]:
        """The answers to some lines, in their order. Raises EngineError if the process ends, or is stuck."""
        waiting = memoryview("".join(f"{line}\n" for line in (*lines, "flush")).encode())
        answers = deque[str]()
        requests, answering = self._process.stdin, self._process.stdout
        assert requests is not None and answering is not None  # both are pipes
        heard = time.monotonic()
        while len(answers) < len(lines) or waiting:
            writes = [requests] if waiting else []
            readable, writable, _ = select.select([answering], writes, [], 1.0)
            if writable:
                try:
                    waiting = waiting[os.write(requests.fileno(), waiting[:CHUNK]) :]
                except BrokenPipeError:
                    raise self._ended() from None
            if readable:
                read = os.read(answering.fileno(), CHUNK)
                if not read:
                    raise self._ended()
                *whole, self._rest = (self._rest + read).split(b"\n")
                answers += (line.decode() for line in whole)
            if readable or writable:
                heard = time.monotonic()
            elif time.monotonic() - heard > self._patience:
                raise EngineError(
                    f"the JVM with {self._told} has not answered for {self._patience:.0f} s", self._last_words()
                )
        return list(answers)

    def end(self) -> None:
        """End the process: it ends by itself when its input does, and is killed if it does not."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not read by a process that is gone
                    pipe.close()
        try:
            self._process.wait(ENDS_IN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ended(self) -> EngineError:
        try:
            code = self._process.wait(ENDS_IN)
        except subprocess.TimeoutExpired:
            return EngineError(f"the JVM with {self._told} has closed its output", self._last_words())
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return EngineError(f"the JVM with {self._told} {how}", self._last_words())

    def _last_words(self) -> str:
        """The first line of stderr that tells of an exception, else the last one."""
        said = [line for line in self._errors.read_text(errors="replace").splitlines() if line.strip()]
        raised = [line for line in said if re.match(r"(Exception|Error|Caused by|[\w.$]+(Error|Exception)\b)", line)]
        shown = (raised or said[-1:])[:1]
        return f"Its stderr says: {shown[0].strip()[:400]}" if shown else "It said nothing on stderr."


@contextmanager
def running(program: JavaProgram, kafka: KafkaClasses, patience: float = PATIENCE) -> Iterator[RunningKafka]:
    """Run a program with these classes of Kafka as long as this lasts; nothing of it stays.

    Raises EngineError without a JDK, if the program does not compile, or if its process cannot be started.
    """
    with ExitStack() as held:
        try:
            jdk = found_jdk()
            folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="epochal-lockstep-", dir=_scratch())))
            jar, errors, temporary = folder / "harness.jar", folder / "stderr", folder / "tmp"
            jar.write_bytes(harness_jar(program, kafka, jdk, folder))
            temporary.mkdir()
            path = _joined((jar, *_fixed(kafka, jdk, folder), *kafka.entries))
            command: list[str | Path] = [jdk.java, *FLAGS, *program.flags, f"-Djava.io.tmpdir={temporary}"]
            command += ["-cp", path, program.main]
            with errors.open("wb") as stderr, deaf_to_interrupts():
                run = RunningKafka(command, folder, stderr, str(kafka), patience)
                held.callback(run.end)
        except OSError as error:
            raise EngineError(
                f"the harness for {kafka} cannot be run: {error.strerror or error}",
                f"See that {error.filename or 'the temporary folder'} is there and has room.",
            ) from error
        yield run


def _fixed(kafka: KafkaClasses, jdk: Jdk, folder: Path) -> Iterator[Path]:
    """The folder with the fixes, if some were asked for. No signature changes: the harness is compiled without them."""
    if kafka.fixes:
        told = f"the fix of {' and '.join(one.id for one in kafka.fixes)}"
        yield changed_classes(kafka, [patch for one in kafka.fixes for patch in one.patches], told, jdk, folder)


def _scratch() -> str | None:
    """A folder in memory if there is one with room: Kafka writes many small files. Else that for temporary files."""
    if "TMPDIR" in os.environ:
        return None
    try:
        has_room = os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free >= ROOM
    except OSError:
        return None
    return str(IN_MEMORY) if has_room else None
