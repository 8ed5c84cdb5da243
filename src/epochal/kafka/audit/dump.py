"""The files of a cluster: each is recognised by its content, and read by what knows its form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from javaproperties import KeyValue, parse

from ..evidence.files import EvidenceFile, Kind, evidence_files, refuse_utf_16
from ..evidence.place import EvidenceError, Place, escaped
from . import tool_output as tools
from .declared import (
    LARGEST as LARGEST_PLAN,
)
from .declared import (
    PLAN_BEGINS,
    DeclaredTopic,
    is_gitops,
    read_gitops,
    read_jikkou,
    read_plan,
)
from .resources import BEGINS, Resource, read_documents, read_resources
from .said import Said, quoted, refuse, trimmed
from .tool_output import ConfigBlock, Feature, TopicTable, Voter

# -- foreign ----------------------------------------------------------------------------------------------------------
# What people bring that describes a cluster, and is not read: what it is, and what to give instead.

CONFIGS = "'kafka-configs --describe --all --entity-type brokers' of the running cluster"


@dataclass(frozen=True)
class Foreign:
    """A form that is known and not read. `instead` is a sentence."""

    what: str
    instead: str


HELM_TEMPLATE = Foreign("a template of Helm", "Give the output of 'helm template'.")
OLD_CONFIGS = Foreign(
    "the output of a kafka-configs before 2.5, or with --zookeeper",
    "Ask with --bootstrap-server, and the kafka-configs of a newer release.",
)
KCAT = Foreign("the output of kcat, which has no settings", "Give the output of 'kafka-topics --describe'.")
RPK = Foreign(
    "the output of rpk",
    "Give the outputs of 'kafka-topics --describe' and 'kafka-configs --describe --all --entity-type topics'.",
)

TEMPLATE = re.compile(
    r"\{\{-?[ \t]*(?:[^}\n]{0,200}\.(?:Values|Release|Chart|Capabilities|Files)\b|include\b|define\b)"
)
"""What Helm alone fills in: alerts of Prometheus have braces, too."""

KUBERNETES = re.compile(r"^[ \t]*(?:- )?[\"']?apiVersion[\"']?:", re.MULTILINE)

KNOWN: tuple[tuple[re.Pattern[str], Foreign], ...] = (
    (TEMPLATE, HELM_TEMPLATE),
    (re.compile(r"^[ \t]*Configs for [a-z-]+ .{1,300} are[ :]", re.MULTILINE), OLD_CONFIGS),
    (
        re.compile(
            r"^[ \t]*(?:Default configs for [a-z-]+ in the cluster|(?:All|Dynamic) configs for [a-z-]+ .{1,300}"
            r"|(?:Quota|SCRAM credential) configs for .{1,600}) are\b",
            re.MULTILINE,
        ),
        Foreign(
            "kafka-configs of what is neither a topic nor a broker",
            "Give the output of 'kafka-configs --describe --all --entity-type topics'.",
        ),
    ),
    (
        re.compile(
            r"^[ \t]*[A-Za-z][A-Za-z0-9._-]*=.* sensitive=(?:true|false) synonyms=\{|^Completed updating config ",
            re.MULTILINE,
        ),
        Foreign(
            "kafka-configs without the line 'All configs for ...', which says whose settings these are",
            "Give the whole output of 'kafka-configs --describe --all'.",
        ),
    ),
    (re.compile(r"^Metadata for .{1,300} \(from broker |^[ \t]*partition \d+, leader -?\d+, replicas:", re.M), KCAT),
    (
        re.compile(r"^(?:PARTITION[ \t]+LEADER[ \t]+EPOCH|NAME[ \t]+PARTITIONS[ \t]+REPLICAS)\b|^SUMMARY\n=+$", re.M),
        RPK,
    ),
    (
        re.compile(
            r"^[ \t]*(?:- |export |ENV |-e )?[\"']?KAFKA_[A-Z0-9_]+[\"']?[ \t]*[=:]"
            r"|\bname[\"']?:[ \t]*[\"']?KAFKA_[A-Z0-9_]+",
            re.MULTILINE,
        ),
        Foreign(
            "environment variables of containers, whose image makes settings of them",
            f"Give the server.properties that is in the container, or {CONFIGS}.",
        ),
    ),
    (
        KUBERNETES,
        Foreign(
            "resources of Kubernetes, and none of Strimzi's", f"Give the server.properties of each pod, or {CONFIGS}."
        ),
    ),
    (
        re.compile(
            r"^[ \t]*(?:extraConfig|extraConfigYaml|overrideConfiguration|configurationOverrides|existingConfigmap"
            r"|replicaCount|brokerConfig)[ \t]*:",
            re.MULTILINE,
        ),
        Foreign("values of a Helm chart", f"Give the server.properties of each pod, or {CONFIGS}."),
    ),
)
"""Each form by a line that it has, those first that quote others."""


def foreign(head: str) -> Foreign | None:
    """What a text is that begins so, if that is known and not read."""
    return next((known for form, known in KNOWN if form.search(head)), None)


def is_template(head: str) -> bool:
    """Whether a text is a template of Helm: what it makes may be read, and it itself not."""
    return KUBERNETES.search(head) is not None and TEMPLATE.search(head) is not None


# -- pasted -----------------------------------------------------------------------------------------------------------
# What stands before each line where several programs write to one place: the name of a container or a pod, and a time.
#
# `docker compose` writes `kafka-1  | `, `kubectl --prefix` writes `[pod/kafka-0/kafka] `. What each of them has written
# is a text of its own, so that two nodes do not become one.

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[0-9.,]*(?:Z|[+-]\d\d:?\d\d)?[ \t]"
PREFIX = re.compile(
    rf"[ \t]{{0,100}}(?:{TIME})?"
    rf"(?:([\w.-]{{1,253}})[ \t]{{1,253}}\|(?: |(?=\t|$))|\[(pod/[^\]\s]{{1,600}})\] )(?:{TIME})?"
)
"""What Docker Compose and Kubernetes write before a line, with a time before or after if one was asked for."""

ONLY_TIME = re.compile(TIME.replace(r"[ \t]", r"(?:[ \t]|(?=\r?\n))"))
"""A time, and nothing behind it where the line was empty."""

BLANKS = str.maketrans({"\u00a0": " ", "\u2007": " ", "\u202f": " ", "\u200b": None, "\u2060": None})
"""What pages and chats make of blanks, and put between words: no tool of Kafka prints it."""

COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""What `grep --color` and terminals put around words."""

MOST = 100
"""So many programs write no description of one cluster: then these are no names of programs."""


def as_printed(text: str) -> str:
    """A text of a tool as it was before it was copied from a page or a terminal."""
    return (COLOUR.sub("", text) if "\x1b" in text else text).translate(BLANKS)


def by_writer(lines: Iterable[str]) -> list[Iterable[str]]:
    """The texts of each program, without names; where others have written are empty lines, so that numbers stay.

    None if no line has a name before it, or too many different ones. Where each line has a time and no name
    (`kubectl logs --timestamps`), one program has written all.
    """
    given = list(lines)
    if _all_timed(given):
        return [[ONLY_TIME.sub("", line) for line in given]]
    split = [_split(line) for line in given]
    writers = dict.fromkeys(writer for writer, _ in split)
    if len(writers) > MOST or set(writers) <= {""}:
        return []
    return [[own if name == writer else "\n" for name, own in split] for writer in writers]


def _all_timed(lines: list[str]) -> bool:
    """Whether a time alone stands before each line. The last one may be cut off: who asks may have the beginning."""
    whole = [line for line in lines if line.endswith("\n") and line.strip()]
    return bool(whole) and all(ONLY_TIME.match(line) and not PREFIX.match(line) for line in whole)


def _split(line: str) -> tuple[str, str]:
    """Who has written a line, "" if nobody says, and what. Of two names, one before the other, both count."""
    names, start = "", 0
    while (found := PREFIX.match(line, start)) is not None:
        names, start = f"{names} {found[1] or found[2]}", found.end()
    return names, line[start:]


# -- properties -------------------------------------------------------------------------------------------------------
# Files of properties: `server.properties` of a node, and what a producer is configured with.
#
# They are read as Java reads them: `=`, `:` or a space between, escapes, and lines that go on after a backslash. Lines
# of YAML, `acks: "1"`, are read as well.

OF_A_NODE = ("process.roles", "node.id", "broker.id")
"""Settings by which a file is that of one node."""

OF_NODES = (
    "auto.create.topics.enable",
    "controller.listener.names",
    "controller.quorum.bootstrap.servers",
    "controller.quorum.voters",
    "default.replication.factor",
    "inter.broker.protocol.version",
    "log.dir",
    "log.dirs",
    "num.io.threads",
    "num.network.threads",
    "num.partitions",
    "num.replica.fetchers",
    "offsets.topic.replication.factor",
    "replica.lag.time.max.ms",
    "transaction.state.log.min.isr",
    "transaction.state.log.replication.factor",
    "zookeeper.connect",
    "zookeeper.session.timeout.ms",
)
"""Settings that nodes have, and neither topics nor producers: what is set for all of them has no number of a node."""

SERVER = re.compile(rf"^[ \t]*(?:{'|'.join(map(re.escape, (*OF_A_NODE, *OF_NODES)))})[ \t]*[=:]", re.MULTILINE)
"""A setting that only a node has."""

PRODUCER = re.compile(
    r"^[ \t]*(?:(?:request\.required\.)?acks|enable\.idempotence|transactional\.id|delivery\.timeout\.ms|linger\.ms)"
    r"[ \t]*[=:]",
    re.MULTILINE,
)
"""A setting that only a producer has."""

OF_LIBRDKAFKA = {"request.required.acks": "acks"}
"""What librdkafka calls something else, which it knows by Kafka's name as well."""

LOOKS_BLANK = re.compile(r"[^\S \t\f\r\n]|[\u200b\u2060\ufeff]")
"""What looks like a blank, or like nothing, and is a part of a name for Java."""

OF_YAML = re.compile(r"[^=:]{1,250}: ")
QUOTED = re.compile(r"([\"'])([^\"'\\]*)\1(?:[ \t]+#.*)?")
"""A value as YAML quotes it. Behind `=` Kafka takes the quotation marks for a part of it, and refuses that."""

LOGGED = re.compile(r"\b(?:Kafka|Producer)Config values:[ \t]*$", re.MULTILINE)
"""What nodes and producers log before all their settings: lists in brackets, and null where nothing is set."""

MOST_LINES = 1000
"""A setting that goes on over more lines is refused: the library reads such a one in quadratic time."""


def _read_properties(lines: Iterable[str], file: str) -> str:
    """The text of a file. Raises EvidenceError for a setting that goes on and on."""
    read, going_on = list[str](), 0
    for number, line in enumerate(lines, start=1):
        content = line.rstrip("\r\n")
        goes_on = (len(content) - len(content.rstrip("\\"))) % 2 == 1
        going_on = going_on + 1 if goes_on else 0
        if going_on > MOST_LINES:
            raise refuse(Place(file, number), f"a setting that goes on over more than {MOST_LINES} lines")
        read.append(line)
    return "".join(read)


def read_properties(lines: Iterable[str], file: str, repeated: dict[str, Said] | None = None) -> dict[str, Said]:
    """The settings of a file by name; of one that stands there twice the last, as in Java. `repeated` gets what stood
    there before it, and was something else.

    Raises EvidenceError for an escape that Java does not read, a name that looks like another one, and a setting that
    goes on and on.
    """
    found: dict[str, Said] = {}
    number = 1
    text = _read_properties(lines, file)
    logged = LOGGED.search(text) is not None
    try:
        for element in parse(text):
            if isinstance(element, KeyValue) and not (logged and trimmed(element.value) == "null"):
                name, value = element.key, trimmed(element.value)
                value = value[1:-1] if logged and value[:1] == "[" and value[-1:] == "]" else value
                if LOOKS_BLANK.search(name):
                    raise refuse(Place(file, number), f"{quoted(name)} has what only looks like a blank", WRITE_ANEW)
                in_quotes = QUOTED.fullmatch(value) if OF_YAML.match(element.source) else None
                said = Said(value if in_quotes is None else in_quotes[2], Place(file, number))
                before = found.get(OF_LIBRDKAFKA.get(name, name))
                if before is not None and repeated is not None and before.value != said.value:
                    repeated[name] = before
                found[OF_LIBRDKAFKA.get(name, name)] = said
            number += len(element.source.splitlines())
    except ValueError as wrong:  # an escape such as \uXYZW
        raise refuse(Place(file, number), f"a line of properties that Java does not read: {wrong}") from wrong
    return found


WRITE_ANEW = "Kafka takes it for another setting, and leaves it out: write the line anew, with blanks or without."


def is_node(settings: dict[str, Said]) -> bool:
    """Whether these are the settings of one broker or controller."""
    return any(name in settings for name in OF_A_NODE)


def is_of_nodes(settings: dict[str, Said]) -> bool:
    """Whether these are what is set for all brokers and controllers, as a configuration of MSK is."""
    return not is_node(settings) and any(name in settings for name in OF_NODES)


FORMS = (
    "kafka-topics --describe",
    "kafka-configs --describe --all, of topics and of brokers",
    "kafka-features describe",
    "kafka-metadata-quorum describe",
    "server.properties of brokers and controllers, or what is set for all of them",
    "properties of producers",
    "resources of Strimzi (Kafka, KafkaNodePool, KafkaTopic)",
    "plans of Terraform ('terraform show -json')",
    "resources of Jikkou (KafkaTopic, KafkaTopicList)",
    "the state of kafka-gitops",
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

    `declared` are topics of Terraform, Jikkou and kafka-gitops, `maps` the settings that several of them share, `plans`
    the files of plans, which say what was before as well, and `releases` what resources say besides.
    `everywhere` are files of properties for all nodes, `cluster` is the id of the cluster. `deferred` are topics that a
    plan leaves to a later one. `paths` are the whole paths of what was read, by the names that reports have.
    """

    topics: dict[str, TopicTable] = field(default_factory=dict)
    configs: list[ConfigBlock] = field(default_factory=list)
    features: list[Feature] = field(default_factory=list)
    voters: list[Voter] = field(default_factory=list)
    nodes: list[PropertiesFile] = field(default_factory=list)
    everywhere: list[PropertiesFile] = field(default_factory=list)
    producers: list[PropertiesFile] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)
    declared: list[DeclaredTopic] = field(default_factory=list)
    maps: dict[str, dict[str, Said]] = field(default_factory=dict)
    releases: list[Said] = field(default_factory=list)
    plans: list[Path] = field(default_factory=list)
    cluster: Said | None = None
    unread: list[NotRead] = field(default_factory=list)
    deferred: list[Said] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)


def read_dump(paths: Sequence[Path], plans_before: Sequence[Path] = ()) -> Dump:
    """Read every file that was named, and every one below the folders that were; of `plans_before` what was there
    before they are applied.

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
    for path in plans_before:
        for file in evidence_files([path]):
            _plan(found, file, before=True)
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
    if PLAN_BEGINS.match(begun):
        _plan(dump, file)
        return True
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
        (tools.TOPICS_BEGIN, _topics),
        (tools.CONFIGS_BEGIN, _configs),
        (tools.FEATURES_BEGIN, _features),
        (tools.QUORUM_BEGINS, _quorum),
    )
    if "\0" in text:
        return []
    found = [read for form, read in outputs if form.search(text)]
    if not found and BEGINS.search(text):
        return [_resources]
    if not found and is_gitops(text):
        return [_gitops]
    if not found and foreign(text) is None:
        of_nodes = SERVER.search(text) or PRODUCER.search(text)
        return [_properties] if of_nodes else []
    return found


def _topics(dump: Dump, lines: Iterable[str], file: str) -> None:
    for name, topic in tools.read_topics(lines, file).items():
        if dump.topics.setdefault(name, topic) is not topic:
            dump.topics[name].add(topic)


def _configs(dump: Dump, lines: Iterable[str], file: str) -> None:
    dump.configs += tools.read_configs(lines, file)


def _features(dump: Dump, lines: Iterable[str], file: str) -> None:
    dump.features += tools.read_features(lines, file)


def _quorum(dump: Dump, lines: Iterable[str], file: str) -> None:
    text = list(lines)
    dump.voters += tools.read_quorum(text, file)
    for one in tools.read_clusters(text, file):
        first = dump.cluster = dump.cluster or one
        if one.value != first.value:
            told = f"the cluster {quoted(one.value)}, beside {quoted(first.value)} in {first.place}"
            raise refuse(one.place, told, ONE_CLUSTER)


ONE_CLUSTER = "Name the files of one cluster."


def _resources(dump: Dump, lines: Iterable[str], file: str) -> None:
    documents = read_documents(lines, file)
    dump.resources += read_resources(documents, file)
    topics, maps = read_jikkou(documents, file)
    dump.declared += topics
    for name, settings in maps.items():
        before = dump.maps.setdefault(name, settings)
        if {key: said.value for key, said in before.items()} != {key: said.value for key, said in settings.items()}:
            raise EvidenceError(f"{escaped(file)}: a second ConfigMap {quoted(name)}, with other settings", ONE_CLUSTER)


def _gitops(dump: Dump, lines: Iterable[str], file: str) -> None:
    dump.declared += read_gitops(read_documents(lines, file), file)


def _plan(dump: Dump, file: EvidenceFile, before: bool = False) -> None:
    """A plan is one line, which may be longer than those of other files."""
    text = file.stream.read(LARGEST_PLAN + 1).decode("utf-8", "replace").removeprefix("\ufeff")
    plan = read_plan(text, file.name, before)
    dump.declared += plan.topics
    dump.releases += plan.releases
    dump.deferred += plan.deferred
    for content, place in plan.properties:
        settings = read_properties(content.splitlines(keepends=True), file.name)
        at = {name: Said(said.value, place) for name, said in settings.items()}
        dump.everywhere.append(PropertiesFile(file.name, Path(file.name).name, at))
    if not before and Path(file.path).is_file():
        dump.plans.append(Path(file.path))


def _properties(dump: Dump, lines: Iterable[str], file: str) -> None:
    repeated: dict[str, Said] = {}
    settings = read_properties(lines, file, repeated)
    one = PropertiesFile(file, Path(file).name.removesuffix(".properties"), settings, repeated)
    if is_node(settings):
        dump.nodes.append(one)
    else:
        (dump.everywhere if is_of_nodes(settings) else dump.producers).append(one)
