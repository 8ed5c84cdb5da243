"""The files of a cluster: each is recognised by its content, and read by what knows its form."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from epochal.evidence.files import EvidenceFile, evidence_files
from epochal.evidence.place import EvidenceError, escaped

from .formats import configs, features, properties, quorum, strimzi, topics
from .formats.configs import ConfigBlock
from .formats.features import Feature
from .formats.quorum import Voter
from .formats.strimzi import Resource
from .formats.topics import TopicTable
from .said import Place, Said, refuse

FORMS = (
    "kafka-topics --describe",
    "kafka-configs --describe --all, of topics and of brokers",
    "kafka-features describe",
    "kafka-metadata-quorum describe",
    "server.properties of brokers and controllers",
    "properties of producers",
    "resources of Strimzi (Kafka, KafkaNodePool, KafkaTopic)",
)
"""What is understood, as people call it."""

LARGEST = 1 << 28
"""A file with more bytes than this is no description of a cluster."""


@dataclass(frozen=True)
class PropertiesFile:
    """A file of properties: its settings, and its name without ending, which may be that of a topic."""

    file: str
    stem: str
    settings: dict[str, Said]


@dataclass
class Dump:
    """What all files say, one after the other. `unread` are files of no known form, in a folder that was given.

    `paths` are the whole paths of what was read, by the names that reports have.
    """

    topics: dict[str, TopicTable] = field(default_factory=dict)
    configs: list[ConfigBlock] = field(default_factory=list)
    features: list[Feature] = field(default_factory=list)
    voters: list[Voter] = field(default_factory=list)
    nodes: list[PropertiesFile] = field(default_factory=list)
    producers: list[PropertiesFile] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
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
        if head.startswith(UTF_16):
            raise EvidenceError(f"{escaped(file.name)} is UTF-16, as PowerShell writes it", AS_UTF_8)
        read = _reader_of(_text(head))
        found.paths[file.name] = file.path
        if read is None and file.path in named:
            raise EvidenceError(f"{escaped(file.name)} has no form that is understood", f"Known: {'; '.join(FORMS)}.")
        if read is None:
            found.unread.append(file.name)
        else:
            read(found, _lines(file), file.name)
    return found


UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
AS_UTF_8 = "Write it as UTF-8: COMMAND | Out-File -Encoding utf8 FILE."


def _text(head: bytes) -> str:
    """How a file begins, without a byte order mark."""
    return head.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")


def _lines(file: EvidenceFile) -> Iterable[str]:
    """The lines of a file, which must be a text of reasonable size."""
    size = 0
    for number, line in enumerate(file.lines(), start=1):
        size += len(line)
        if size > LARGEST:
            raise refuse(Place(file.name, number), "the file is too large to describe a cluster")
        yield line.removeprefix("\ufeff") if number == 1 else line


Reader = Callable[[Dump, Iterable[str], str], None]


def _reader_of(head: str) -> Reader | None:
    """What reads a file that begins so; None if nothing does."""
    known = (
        (topics.BEGINS, _topics),
        (configs.BEGINS, _configs),
        (features.BEGINS, _features),
        (quorum.BEGINS, _quorum),
        (strimzi.BEGINS, _resources),
        (properties.SERVER, _properties),
        (properties.PRODUCER, _properties),
    )
    if "\0" in head:
        return None
    return next((read for form, read in known if form.search(head)), None)


def _topics(dump: Dump, lines: Iterable[str], file: str) -> None:
    for name, topic in topics.read_topics(lines, file).items():
        before = dump.topics.setdefault(name, topic)
        if before is not topic and _replicas(before) != _replicas(topic):
            raise refuse(topic.place, f"{escaped(name)} has other replicas than in {before.place}", ONE_MOMENT)


ONE_MOMENT = "Name files of one cluster, and of one moment: `--diff` compares two."


def _replicas(topic: TopicTable) -> list[tuple[int, tuple[int, ...]]]:
    return sorted((number, one.replicas) for number, one in topic.partitions.items())


def _configs(dump: Dump, lines: Iterable[str], file: str) -> None:
    dump.configs += configs.read_configs(lines, file)


def _features(dump: Dump, lines: Iterable[str], file: str) -> None:
    dump.features += features.read_features(lines, file)


def _quorum(dump: Dump, lines: Iterable[str], file: str) -> None:
    dump.voters += quorum.read_quorum(lines, file)


def _resources(dump: Dump, lines: Iterable[str], file: str) -> None:
    dump.resources += strimzi.read_resources(lines, file)


def _properties(dump: Dump, lines: Iterable[str], file: str) -> None:
    settings = properties.read_properties(lines, file)
    one = PropertiesFile(file, Path(file).name.removesuffix(".properties"), settings)
    (dump.nodes if properties.is_node(settings) else dump.producers).append(one)
