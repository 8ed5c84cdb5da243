"""The files of a cluster: each is recognised by its content, and read by what knows its form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from epochal.evidence.files import EvidenceFile, evidence_files, refuse_utf_16
from epochal.evidence.kinds import Kind
from epochal.evidence.place import EvidenceError, escaped

from .formats import configs, features, properties, quorum, strimzi, topics
from .formats.configs import ConfigBlock
from .formats.features import Feature
from .formats.foreign import foreign, is_template
from .formats.pasted import as_printed, by_writer
from .formats.quorum import Voter
from .formats.strimzi import Resource
from .formats.topics import TopicTable
from .said import Place, Said, quoted, refuse

FORMS = (
    "kafka-topics --describe",
    "kafka-configs --describe --all, of topics and of brokers",
    "kafka-features describe",
    "kafka-metadata-quorum describe",
    "server.properties of brokers and controllers, or what is set for all of them",
    "properties of producers",
    "resources of Strimzi (Kafka, KafkaNodePool, KafkaTopic)",
)
"""What is understood, as people call it."""

LARGEST = 1 << 28
"""A file with more bytes than this is no description of a cluster."""


@dataclass(frozen=True)
class NotRead:
    """A file of a folder that was left out: what it is, and what to give instead, as far as that is known."""

    file: str
    what: str = "no known form"
    instead: str = ""


@dataclass(frozen=True)
class PropertiesFile:
    """A file of properties: its settings, and its name without ending, which may be that of a topic. `repeated` is
    what it has again further below with another value, which counts.
    """

    file: str
    stem: str
    settings: dict[str, Said]
    repeated: dict[str, Said] = field(default_factory=dict)


@dataclass
class Dump:
    """What all files say, one after the other. `unread` are files of no form that is read, in a folder that was given.

    `everywhere` are files of properties for all nodes, `cluster` is the id of the cluster. `paths` are the whole paths
    of what was read, by the names that reports have.
    """

    topics: dict[str, TopicTable] = field(default_factory=dict)
    configs: list[ConfigBlock] = field(default_factory=list)
    features: list[Feature] = field(default_factory=list)
    voters: list[Voter] = field(default_factory=list)
    nodes: list[PropertiesFile] = field(default_factory=list)
    everywhere: list[PropertiesFile] = field(default_factory=list)
    producers: list[PropertiesFile] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)
    cluster: Said | None = None
    unread: list[NotRead] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)


def read_dump(paths: Sequence[Path]) -> Dump:
    """Read every file that was named, and every one below the folders that were.

    Raises EvidenceError for a path where nothing is, a file of no known form, and one that is damaged.
    """
    found = Dump()
    for path in paths:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise EvidenceError(f"{escaped(str(path))} is neither a file nor a folder", "Write it to a file first.")
    named = {str(path.absolute()) for path in paths if path.is_file()}
    for file in evidence_files(sorted(set(paths), key=str)):
        head = file.head()
        refuse_utf_16(file.name, head)
        found.paths[file.name] = file.path
        begun = _text(head)
        if not is_template(begun) and _read(found, file, begun):
            continue
        other = _not_read(file, begun)
        if file.path in named:
            raise EvidenceError(f"{escaped(file.name)} {_is(other)}", other.instead or f"Known: {'; '.join(FORMS)}.")
        found.unread.append(other)
    return found


def _not_read(file: EvidenceFile, begun: str) -> NotRead:
    """What a file is that is not read, and what to give instead."""
    if "\0" not in begun and (known := foreign(begun)) is not None:
        return NotRead(file.name, known.what, known.instead)
    if file.kind is not None and file.kind is not Kind.PROPERTIES:
        return NotRead(file.name, file.kind.value, "'epochal conform' reads it.")
    return NotRead(file.name)


def _is(other: NotRead) -> str:
    return f"is {other.what}, and not read" if other.instead else "has no form that is understood"


def _read(dump: Dump, file: EvidenceFile, begun: str) -> bool:
    """Read a file, what each program has written to it for itself; and each output, if it has several.

    Whether there was anything that is understood.
    """
    beginnings = ["".join(text) for text in by_writer(begun.splitlines(keepends=True))]
    if not any(_readers_of(text) for text in beginnings or [begun]):
        return False
    of_java = _properties in (read for text in beginnings or [begun] for read in _readers_of(text))
    given = _lines(file) if of_java else map(as_printed, _lines(file))
    for text in by_writer(given) if beginnings else [given]:
        readers = _readers_of("".join(text) if beginnings else begun)
        lines = text if len(readers) == 1 else list(text)
        for read in readers:
            read(dump, lines, file.name)
    return True


def _text(head: bytes) -> str:
    """How a file begins, without a byte order mark, and as it was before somebody copied it."""
    return as_printed(head.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n"))


def _lines(file: EvidenceFile) -> Iterable[str]:
    """The lines of a file, which must be a text of reasonable size."""
    size = 0
    for number, line in enumerate(file.lines(), start=1):
        size += len(line)
        if size > LARGEST:
            raise refuse(Place(file.name, number), "the file is too large to describe a cluster")
        yield line.removeprefix("\ufeff") if number == 1 else line


Reader = Callable[[Dump, Iterable[str], str], None]


def _readers_of(text: str) -> list[Reader]:
    """What reads a text: every output of a tool that it has, or else the one form that a file has as a whole."""
    outputs: tuple[tuple[re.Pattern[str], Reader], ...] = (
        (topics.BEGINS, _topics),
        (configs.BEGINS, _configs),
        (features.BEGINS, _features),
        (quorum.BEGINS, _quorum),
    )
    if "\0" in text:
        return []
    found = [read for form, read in outputs if form.search(text)]
    if not found and strimzi.BEGINS.search(text):
        return [_resources]
    if not found and foreign(text) is None:
        of_nodes = properties.SERVER.search(text) or properties.PRODUCER.search(text)
        return [_properties] if of_nodes else []
    return found


def _topics(dump: Dump, lines: Iterable[str], file: str) -> None:
    for name, topic in topics.read_topics(lines, file).items():
        if name in dump.topics:
            dump.topics[name].add(topic)
        else:
            dump.topics[name] = topic


def _configs(dump: Dump, lines: Iterable[str], file: str) -> None:
    dump.configs += configs.read_configs(lines, file)


def _features(dump: Dump, lines: Iterable[str], file: str) -> None:
    dump.features += features.read_features(lines, file)


def _quorum(dump: Dump, lines: Iterable[str], file: str) -> None:
    text = list(lines)
    dump.voters += quorum.read_quorum(text, file)
    for one in quorum.read_clusters(text, file):
        first = dump.cluster = dump.cluster or one
        if one.value != first.value:
            told = f"the cluster {quoted(one.value)}, beside {quoted(first.value)} in {first.place}"
            raise refuse(one.place, told, ONE_CLUSTER)


ONE_CLUSTER = "Name the files of one cluster."


def _resources(dump: Dump, lines: Iterable[str], file: str) -> None:
    dump.resources += strimzi.read_resources(lines, file)


def _properties(dump: Dump, lines: Iterable[str], file: str) -> None:
    repeated: dict[str, Said] = {}
    settings = properties.read_properties(lines, file, repeated)
    one = PropertiesFile(file, Path(file).name.removesuffix(".properties"), settings, repeated)
    if properties.is_node(settings):
        dump.nodes.append(one)
    else:
        (dump.everywhere if properties.is_of_nodes(settings) else dump.producers).append(one)
