"""The files of a cluster: each is recognised by its content, and read by what knows its form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

import yaml
from javaproperties import KeyValue, parse

from ..evidence.files import EvidenceFile, Kind, evidence_files, refuse_utf_16
from ..evidence.place import EvidenceError, Place, escaped
from . import tool_output as tools
from .said import Said, quoted, refuse, trimmed
from .tool_output import ConfigBlock, Feature, TopicTable, Voter

# -- strimzi ----------------------------------------------------------------------------------------------------------
# Strimzi's custom resources: Kafka, KafkaNodePool and KafkaTopic, as in a repository or from `kubectl get -o yaml`.


BEGINS = re.compile(
    r"(?:^\s*(?:- )?|\A\s*\{(?:.{0,2000}?[{,]\s*)?)\"?apiVersion\"?:\s*[\"']?kafka\.strimzi\.io/", re.MULTILINE
)
"""A line that every one of these resources has, or the beginning of one in JSON on one line."""

LONGEST_NAME = 253
TIMES_DEEP = 40
"""No resource is nested so deeply."""

MOST_AGAIN = 10_000
"""How many values may stand there once more by an alias. A few lines of aliases of aliases make billions."""

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The same reader, in C where the library has it: several times as fast."""


@dataclass
class Resource:
    """A resource: its kind and name, the cluster that it belongs to, and every value in it by its path.

    The path of `min.insync.replicas` of a cluster is `spec/kafka/config/min.insync.replicas`.
    """

    kind: str
    name: str
    cluster: str
    place: Place
    values: dict[str, Said] = field(default_factory=dict)

    def below(self, path: str) -> dict[str, Said]:
        """The values below a path, by what follows it."""
        start = f"{path}/"
        return {name.removeprefix(start): said for name, said in self.values.items() if name.startswith(start)}


def read_resources(lines: Iterable[str], file: str) -> list[Resource]:
    """The resources of a file that are Strimzi's; others are left out.

    Raises EvidenceError for what is no YAML.
    """
    try:
        text = dedent("".join(lines))  # a paste may be indented as a whole
        _not_too_deep(text, file)
        documents = [one for one in yaml.compose_all(text, Loader=LOADER) if one is not None]
    except yaml.MarkedYAMLError as wrong:
        line = wrong.problem_mark.line + 1 if wrong.problem_mark is not None else 1
        raise refuse(Place(file, line), f"no YAML: {escaped(str(wrong.problem))}") from wrong
    except (yaml.YAMLError, RecursionError, ValueError) as wrong:
        raise refuse(Place(file), f"no YAML: {escaped(str(wrong)[:200])}") from wrong
    return [found for one in documents for part in _parts(one) if (found := _resource(part, file)) is not None]


def _not_too_deep(text: str, file: str) -> None:
    """Refuse what is nested deeply before it is composed: that calls itself for every level."""
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > TIMES_DEEP:
            raise _too_deep(file, _line(event))


def _line(event: yaml.Event) -> int:
    return 1 if event.start_mark is None else event.start_mark.line + 1


def _too_deep(file: str, line: int) -> EvidenceError:
    return refuse(Place(file, line), "resources are not nested so deeply")


def _parts(node: yaml.Node) -> Iterator[yaml.Node]:
    """The documents of a list of resources, or the one that it is."""
    items = _child(node, "items")
    if isinstance(items, yaml.SequenceNode):
        yield from items.value
    else:
        yield node


def _child(node: yaml.Node | None, name: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for key, value in node.value if key.value == name), None)


def _resource(node: yaml.Node, file: str) -> Resource | None:
    values = _Values(file).below(node)
    api = values.get("apiVersion")
    if api is None or not api.value.startswith("kafka.strimzi.io/") or "kind" not in values:
        return None
    place = Place(file, node.start_mark.line + 1)
    name = values.get("metadata/name")
    if name is None:
        raise refuse(place, f"a {escaped(values['kind'].value[:60])} without metadata.name")
    if len(name.value) > LONGEST_NAME:
        raise refuse(place, f"metadata.name has {len(name.value):,} characters; Kubernetes allows {LONGEST_NAME}")
    kind = values["kind"].value
    owner = values.get("metadata/labels/strimzi.io/cluster")
    cluster = name.value if kind == "Kafka" else owner.value if owner is not None else ""
    return Resource(kind, name.value, cluster, place, values)


MERGE = "tag:yaml.org,2002:merge"


def _merged_first(node: yaml.MappingNode) -> list[tuple[yaml.Node, yaml.Node]]:
    """The pairs of a mapping, what it takes over from others (`<<`) before what it has itself, which counts."""
    return sorted(node.value, key=lambda pair: pair[0].tag != MERGE)


@dataclass
class _Values:
    """Every scalar below a node, by its path; those of a list by their number."""

    file: str
    found: dict[str, Said] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    again: int = 0

    def below(self, node: yaml.Node) -> dict[str, Said]:
        """All of them. Raises EvidenceError for what is nested too deeply, or repeated too often."""
        self._add(node, "", 0)
        return self.found

    def _add(self, node: yaml.Node, path: str, depth: int) -> None:
        line = node.start_mark.line + 1
        self.again += id(node) in self.seen
        self.seen.add(id(node))
        if self.again > MOST_AGAIN:
            raise refuse(Place(self.file, line), f"aliases repeat more than {MOST_AGAIN:,} values")
        if depth > TIMES_DEEP:  # an alias of what it stands in
            raise _too_deep(self.file, line)
        if isinstance(node, yaml.ScalarNode):
            self.found[path] = Said(node.value, Place(self.file, line))
        elif isinstance(node, yaml.MappingNode):
            for key, value in _merged_first(node):
                if not isinstance(key, yaml.ScalarNode):
                    raise refuse(Place(self.file, line), "a name that is no text")
                if key.tag == MERGE:
                    for part in value.value if isinstance(value, yaml.SequenceNode) else (value,):
                        self._add(part, path, depth + 1)
                    continue
                if not path and key.value not in ("apiVersion", "kind", "metadata", "spec", "status"):
                    continue
                if path == "status" and key.value != "nodeIds":
                    continue  # the rest of a status is what the operator has seen
                self._add(value, f"{path}/{key.value}" if path else key.value, depth + 1)
        elif isinstance(node, yaml.SequenceNode):
            for number, value in enumerate(node.value):
                self._add(value, f"{path}/{number}", depth + 1)


# -- files ------------------------------------------------------------------------------------------------------------


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
    dump.resources += read_resources(lines, file)


def _properties(dump: Dump, lines: Iterable[str], file: str) -> None:
    repeated: dict[str, Said] = {}
    settings = read_properties(lines, file, repeated)
    one = PropertiesFile(file, Path(file).name.removesuffix(".properties"), settings, repeated)
    if is_node(settings):
        dump.nodes.append(one)
    else:
        (dump.everywhere if is_of_nodes(settings) else dump.producers).append(one)
