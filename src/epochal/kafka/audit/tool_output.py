"""`kafka-topics --describe`: replicas, ISR and ELR of each partition, and what is set beside Kafka's defaults.

The line of a topic has, in `Configs:`, every setting that does not come from Kafka's defaults, whoever has set it; the
lines of its partitions follow. `Elr:` and `LastKnownElr:` stand in newer outputs, empty or `N/A` where there is no ELR.
Confluent adds `Offline:`, the replicas on brokers that are down, which the ISR tells as well; and `Observers:`,
replicas that copy and are kept out of the ISR.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..evidence.place import Place, escaped
from .said import FALSE, SHOWN, Said, ids_of, is_number, quoted, refuse, short, topic_name

# -- columns ----------------------------------------------------------------------------------------------------------
# The columns of a line that a tool prints as `Name: value`, with tabs between, or blanks after it was copied.
#
# Kafka's releases and its vendors print different columns: a line is cut wherever a name begins, known or not, so that
# no value takes in the column behind it.

TWO_WORDS = r"(?:(?:Adding|Removing) )?"
"""Some names of columns have a blank in them. A topic may be called like the first word of others."""

LONGEST_NAME = 60
NAME = re.compile(rf"[A-Z][A-Za-z]{{0,{LONGEST_NAME}}}(?: [A-Z][A-Za-z]{{0,{LONGEST_NAME}}}){{0,3}}\Z")
ESCAPED_TAB = "\\t"
"""A tab as JSON and programs that quote have it."""


def columns_of(line: str, known: Collection[str], place: Place) -> dict[str, str]:
    """The values of a line by the names of their columns. `known` are names that may stand right before their value.

    Raises EvidenceError if a name is there twice: then nobody knows which value it has.
    """
    text = line.strip().replace(ESCAPED_TAB, "\t").strip()
    said: dict[str, str] = {}
    for part in _parts(text, known):
        name, colon, value = part.partition(":")
        name = name.strip()
        if not colon or not (name in known or NAME.match(name)):
            continue  # what stands before the first column
        if name in said:
            raise refuse(place, f"two columns are called {name}", TWICE)
        said[name] = value.strip()
    return said


TWICE = "Lines have run into each other: ask the tool again, and write what it prints to a file."


def _parts(text: str, known: Collection[str]) -> list[str]:
    """The pieces of a line, each with the name of its column first."""
    names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    if "\t" not in text:
        word = rf"[A-Z][A-Za-z]{{0,{LONGEST_NAME}}}"
        name = rf"(?:{TWO_WORDS}{word}|(?<=  ){word}(?: {word}){{1,2}})"  # behind two blanks no value goes on
        return _cut(text, re.compile(rf"(?<![^ ])(?:(?:{names}):|{name}:(?= |$))"))
    found: list[str] = []
    for part in (one.strip() for one in text.split("\t")):
        name = part.partition(":")[0]
        if found and not (":" in part and (name in known or NAME.match(name))):
            found[-1] += f"\t{part}"  # a value with a tab in it
        else:
            found += _cut(part, re.compile(rf"(?<![^ ])(?:{names}):"))
    return found


def _cut(text: str, begins: re.Pattern[str]) -> list[str]:
    return [one[0] + rest for one, rest in _pieces(text, begins)] or [text]


def _pieces(text: str, begins: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str]]:
    """Each beginning in a text, and what follows up to the next: a value may have commas, but no name after them."""
    starts = list(begins.finditer(text))
    for one, following in itertools.zip_longest(starts, starts[1:]):
        yield one, text[one.end() : len(text) if following is None else following.start()]


TOPICS_BEGIN = re.compile(
    r"^[\t ]*(?:\\t)?Topic: ?\S{1,500}?(?:[\t ]|\\t)(?:.*?(?:[\t ]|\\t))?(?:PartitionCount|Partition): ?[0-9]",
    re.MULTILINE,
)
"""A line that only this output has."""

OBSERVERS = ("Observers", "LiveObservers")
"""What Confluent calls replicas that are no members of the ISR, and called them."""

TOPIC_COLUMNS = frozenset(
    {
        *("Topic", "TopicId", "PartitionCount", "ReplicationFactor", "Configs", "MarkedForDeletion"),
        *("Partition", "Leader", "Replicas", "Isr", "Adding Replicas", "Removing Replicas", "Elr", "LastKnownElr"),
        *("Offline", *OBSERVERS),
    }
)
"""The columns that are understood."""

SETTING = re.compile(r"(?:^|,)([a-z][a-z0-9.]*)=")
REST = re.compile(r"(?=[^A-Za-z0-9]*[A-Za-z0-9])(?:[a-z0-9._-]*[=,][A-Za-z0-9.,:=_-]*|true|false|[0-9]+)")
"""What may be left of settings where a line was broken to fit a page: none of it has a blank."""

NOT_KNOWN = "N/A"


@dataclass(frozen=True)
class Partition:
    """A partition as it was when somebody asked. `elr` is None where the output does not tell it."""

    number: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader: int | None
    place: Place
    elr: tuple[int, ...] | None = None
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
    last_known: tuple[int, ...] = ()
    observers: tuple[int, ...] = ()

    @property
    def members(self) -> tuple[int, ...]:
        """The replicas that may be in the ISR, when a reassignment is over."""
        return tuple(one for one in self.replicas if one not in (*self.removing, *self.observers))

    @property
    def copies(self) -> int:
        """How many replicas count, now or when a reassignment is over."""
        return len(self.members)


@dataclass
class TopicTable:
    """A topic of outputs. `shown` are its settings that are no defaults, by each line that it has of its own.

    `id` is its TopicId. `marked` is where it is said to be deleted, and `unknown` are columns that nobody knows here,
    with their values.
    """

    name: str
    place: Place
    shown: list[tuple[Place, dict[str, Said]]] = field(default_factory=list)
    count: Said | None = None
    id: Said | None = None
    partitions: dict[int, Partition] = field(default_factory=dict)
    marked: Place | None = None
    unknown: dict[str, Said] = field(default_factory=dict)

    def add(self, other: TopicTable) -> None:
        """Add what another output, or another line, has of it. Raises EvidenceError if it is in another state."""
        for column, one in other.unknown.items():
            self.unknown.setdefault(column, one)
        for name, before, said in (("TopicId", self.id, other.id), ("PartitionCount", self.count, other.count)):
            if before is not None and said is not None and before.value != said.value:
                told = f"{name} of {escaped(self.name)} is {quoted(said.value)}, and {quoted(before.value)}"
                raise refuse(said.place, f"{told} in {before.place}", ONE_MOMENT)
        if self.count is None and other.count is not None:
            self.count, self.place = other.count, other.place
        self.id, self.marked = self.id or other.id, self.marked or other.marked
        self.shown += other.shown
        for number, partition in other.partitions.items():
            before_it = self.partitions.setdefault(number, partition)
            if before_it is not partition:
                self.partitions[number] = _one_state(self.name, before_it, partition)


def _one_state(name: str, before: Partition, said: Partition) -> Partition:
    """A partition that is described twice. An output that has no column for the ELR does not say that it is empty."""
    same = replace(said, place=before.place)
    if before.elr is None or said.elr is None:
        elr, last = (said.elr, said.last_known) if before.elr is None else (before.elr, before.last_known)
        before, same = (replace(one, elr=elr, last_known=last) for one in (before, same))
    if before != same:
        told = f"partition {said.number} of {escaped(name)} is another one than in {before.place}"
        raise refuse(said.place, told, ONE_MOMENT)
    return before


ONE_MOMENT = "Name files of one cluster, and of one moment: `--diff` compares two."


def read_topics(lines: Iterable[str], file: str) -> dict[str, TopicTable]:
    """The topics of an output by their names.

    Raises EvidenceError if it is cut off, or a line of a topic cannot be read.
    """
    found: dict[str, TopicTable] = {}
    common: set[str] | None = None
    has_settings = False
    for number, line in enumerate(lines, start=1):
        place = Place(file, number)
        if not line.lstrip().removeprefix(ESCAPED_TAB).lstrip().startswith("Topic:"):
            if has_settings and REST.fullmatch(line.strip()):
                raise refuse(place, "a part of the settings of a topic, whose line is broken", TOPICS_CUT)
            has_settings = False
            continue
        fields = columns_of(line, TOPIC_COLUMNS, place)
        name = topic_name(fields.get("Topic", ""), place)
        topic = TopicTable(name, place)
        for column in fields.keys() - TOPIC_COLUMNS:
            topic.unknown.setdefault(column, Said(fields[column], place))
        if "PartitionCount" in fields:
            topic.count = Said(str(_count("PartitionCount", fields["PartitionCount"], place)), place)
            topic.id = Said(fields["TopicId"], place) if fields.get("TopicId") else None
            has_settings = bool(fields.get("Configs"))
            topic.shown = [(place, _settings(fields["Configs"], place))] if "Configs" in fields else []
            topic.marked = place if fields.get("MarkedForDeletion", FALSE) != FALSE else None
        elif "Partition" in fields:
            missing = (common or set()) - fields.keys()
            if missing and not line.endswith("\n"):
                raise refuse(place, f"a last line without {min(missing)}, which all others have", TOPICS_CUT)
            common = set(fields) if common is None else common & fields.keys()
            partition = _partition(fields, place)
            topic.partitions[partition.number] = partition
        else:
            raise refuse(place, "a line of a topic with neither PartitionCount nor Partition", TOPICS_CUT)
        if found.setdefault(name, topic) is not topic:
            found[name].add(topic)
    for topic in found.values():
        if topic.count is not None and len(topic.partitions) != int(topic.count.value):
            raise refuse(
                topic.place,
                f"{escaped(topic.name)} has {topic.count.value} partitions, and {len(topic.partitions)} are described",
                TOPICS_CUT,
            )
    return found


TOPICS_CUT = "The file is cut off, or lines are missing: ask again with 'kafka-topics --describe'."


def _count(name: str, text: str, place: Place) -> int:
    if not is_number(text, 7):
        raise refuse(place, f"{name} is {quoted(text)}, and not a number", TOPICS_CUT)
    return int(text)


def _settings(text: str, place: Place) -> dict[str, Said]:
    """Settings as `a=1,b=2,3`."""
    return {one[1]: Said(value, place, SHOWN) for one, value in _pieces(text, SETTING)}


def _partition(fields: dict[str, str], place: Place) -> Partition:
    for name in ("Leader", "Replicas", "Isr"):
        if name not in fields:
            raise refuse(place, f"a partition without {name}", TOPICS_CUT)
    replicas = ids_of(fields["Replicas"], place)
    if not replicas:
        raise refuse(place, "a partition without replicas", TOPICS_CUT)
    isr = ids_of(fields["Isr"], place)
    leader = () if fields["Leader"] in ("none", "-1") else ids_of(fields["Leader"], place)
    if leader and not isr:
        raise refuse(place, "a partition that is led, and has an empty ISR", TOPICS_CUT)
    elr, last = fields.get("Elr", NOT_KNOWN), fields.get("LastKnownElr", NOT_KNOWN)
    for name, ids in (("replicas", replicas), ("ISR", isr)):
        if len(set(ids)) < len(ids):
            raise refuse(place, f"a broker is twice among the {name} {short(','.join(map(str, ids)))}")
    adding, removing = (ids_of(fields.get(f"{word} Replicas", ""), place) for word in ("Adding", "Removing"))
    observers = tuple(one for name in OBSERVERS for one in ids_of(fields.get(name, ""), place))
    offline = ids_of(fields.get("Offline", ""), place)
    of_replicas = {"leader": leader, "ISR": isr, "Removing Replicas": removing, "Observers": observers}
    for name, ids in {**of_replicas, "Offline": offline}.items():
        if not set(ids) <= set(replicas):
            raise refuse(place, f"{name} {short(','.join(map(str, ids)))} is not among the replicas")
    if set(replicas) <= {*removing, *observers}:
        raise refuse(place, "a partition all of whose replicas are removed, or observers", TOPICS_CUT)
    return Partition(
        _count("Partition", fields["Partition"], place),
        replicas,
        isr,
        leader[0] if leader else None,
        place,
        None if elr == NOT_KNOWN else ids_of(elr, place),
        adding,
        removing,
        () if last == NOT_KNOWN else ids_of(last, place),
        observers,
    )


# -- configs ----------------------------------------------------------------------------------------------------------
# `kafka-configs --describe`, with and without `--all`: what is set, for what, and where the value comes from.
#
# Blocks begin with `Dynamic configs for topic X are:`, `All configs for broker 1 are:` or `Default configs for brokers
# in the cluster are:`; each line has `name=value sensitive=false synonyms={SOURCE:name=value, ...}`.

HEADER = re.compile(r"^[\t ]*(All|Dynamic) configs for ([a-z-]+) (.+) are:[\t ]*$")
DEFAULTS_OF = re.compile(r"^[\t ]*Default configs for ([a-z-]+) in the cluster are:[\t ]*$")
CONFIGS_BEGIN = re.compile(
    r"^[\t ]*(?:(?:All|Dynamic) configs for (?:topic|broker) .+"
    r"|Default configs for (?:brokers|topics) in the cluster) are:",
    re.MULTILINE,
)
"""A line that only this output has."""

SETTING_BEGUN = re.compile(r"[\t ]+[A-Za-z][A-Za-z0-9._-]*(?:=|$)|[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+=")
"""How a setting begins, or as much of it as is left. Without the blanks before it only what can be nothing else."""

LINE = re.compile(r"^[\t ]*([A-Za-z][A-Za-z0-9._-]*)=(.*) sensitive=(?:true|false) synonyms=\{(.*)\}[\t ]*$", re.DOTALL)
SYNONYM = re.compile(r"(?:^|, )([A-Z_]+_CONFIG):([A-Za-z][A-Za-z0-9._-]*)=")


@dataclass
class ConfigBlock:
    """The settings of one thing: a topic or a broker by its name, or all brokers (`name` is "").

    `whole` says whether all settings stand there, defaults as well, so that one which is not there does not exist.
    `synonyms` have, for each setting, every value and its source, the first of them in force.
    """

    kind: str
    name: str
    whole: bool
    place: Place
    values: dict[str, Said] = field(default_factory=dict)
    synonyms: dict[str, list[Said]] = field(default_factory=dict)


def read_configs(lines: Iterable[str], file: str) -> list[ConfigBlock]:
    """The blocks of an output. Raises EvidenceError if a line is cut off."""
    found: list[ConfigBlock] = []
    begun: list[str] = []
    place = Place(file, 1)
    for number, raw in enumerate(lines, start=1):
        line = raw.rstrip("\r\n")
        header, cluster = HEADER.match(line), DEFAULTS_OF.match(line)
        if begun and (header or cluster or len(begun) == MOST_LINES):
            raise refuse(place, "a setting without its end", CONFIGS_CUT)
        if header or cluster:
            kind, name = (header[2], header[3]) if header else (cluster[1] if cluster else "", "")
            whole = bool(header and header[1] == "All")
            found.append(ConfigBlock(kind.removesuffix("s"), name, whole, Place(file, number)))
        elif found and (begun or SETTING_BEGUN.match(line) or LINE.match(line)):
            place = place if begun else Place(file, number)
            begun.append(line)
            said = LINE.match("\n".join(begun))
            if said is not None:
                _take(found[-1], said, place)
                begun = []
    if begun:
        raise refuse(place, "a setting without its end", CONFIGS_CUT)
    return found


CONFIGS_CUT = "The file is cut off: ask again with 'kafka-configs --describe --all'."
MOST_LINES = 64
"""A value may have several lines, but not so many."""


def _take(block: ConfigBlock, said: re.Match[str], place: Place) -> None:
    name, value = said[1], said[2]
    several = [Said(synonym, place, one[1]) for one, synonym in _pieces(said[3], SYNONYM)]
    block.values[name] = Said(value, place, several[0].source if several else "")
    block.synonyms[name] = several


# -- features ---------------------------------------------------------------------------------------------------------
# `kafka-features describe`: which metadata version is final, what the node supports, and whether ELR is on.

FEATURES_BEGIN = re.compile(r"^[\t ]*Feature:\s*\S+\s.*SupportedMinVersion:", re.MULTILINE)
"""A line that only this output has."""

FEATURE_COLUMNS = ("Feature", "SupportedMinVersion", "SupportedMaxVersion", "FinalizedVersionLevel", "Epoch")
METADATA_VERSION, ELR = "metadata.version", "eligible.leader.replicas.version"
RELEASE = re.compile(r"(\d+\.\d+)-IV\d+")


@dataclass(frozen=True)
class Feature:
    """A feature: the highest version that the node which answered can have, and the one that is final."""

    name: str
    highest: str
    final: str
    place: Place

    @property
    def release(self) -> str:
        """The version of Kafka that the node runs, `4.1` of `4.1-IV1`; "" if it does not tell.

        A release supports the metadata versions up to its own.
        """
        found = RELEASE.fullmatch(self.highest) if self.name == METADATA_VERSION else None
        return found[1] if found else ""


def read_features(lines: Iterable[str], file: str) -> list[Feature]:
    """The features of an output. Raises EvidenceError for a line that is cut off."""
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.lstrip().startswith("Feature:"):
            continue
        place = Place(file, number)
        said = columns_of(line, FEATURE_COLUMNS, place)
        if not all(said.get(name) for name in FEATURE_COLUMNS[:-1]):
            advice = "The file is cut off: ask again with 'kafka-features describe'."
            raise refuse(place, "a feature without its versions", advice)
        found.append(Feature(said["Feature"], said["SupportedMaxVersion"], said["FinalizedVersionLevel"], place))
    return found


# -- quorum -----------------------------------------------------------------------------------------------------------
# `kafka-metadata-quorum describe`, with `--replication` or `--status`: who votes, and how far behind they are.

QUORUM_BEGINS = re.compile(
    r"^[\t ]*(?:NodeId[\t ].{0,200}LogEndOffset[\t ].{0,200}Lag\s|CurrentVoters:\s)", re.MULTILINE
)
"""A line that only this output has."""

NODE, END, LAG, STATUS = "NodeId", "LogEndOffset", "Lag", "Status"
ROW_BEGUN = re.compile(r"[0-9]{1,10}(?=[\t ]|$)")
"""How the row of a node begins: a time, which other programs put before their lines, does not."""

OFFSET = re.compile(r"-?[0-9]{1,19}")
FAR_BEHIND = 1000
"""A voter that is so many records of metadata behind does not keep up."""

CLUSTER_ID = "ClusterId:"
STATES = ("Leader", "Follower", "Observer")
VOTER = re.compile(r'"id":\s*([0-9]{1,10})(?![0-9])')


@dataclass(frozen=True)
class Voter:
    """A controller that votes. `lag` is how many records it is behind the leader; None if nobody tells.

    `heard` says whether the leader has heard of it since it was elected: of one that is down it tells offset -1.
    """

    node: int
    place: Place
    lag: int | None = None
    heard: bool = True

    @property
    def is_behind(self) -> bool:
        """Whether the quorum cannot count on it."""
        return not self.heard or (self.lag is not None and self.lag > FAR_BEHIND)

    @property
    def state(self) -> Said:
        """How far behind it is, as it is said."""
        told = "unknown" if self.lag is None else f"{self.lag:,} records behind"
        return Said(told if self.heard else "not heard of by the leader", self.place)


def read_quorum(lines: Iterable[str], file: str) -> list[Voter]:
    """The voters of an output. Raises EvidenceError for a row that is cut off."""
    found: list[Voter] = []
    header: list[str] = []
    for number, raw in enumerate(lines, start=1):
        line, place = raw.strip(), Place(file, number)
        if line.startswith("CurrentVoters:"):
            if line.count("[") > line.count("]"):
                raise refuse(place, "a list of voters without its end", STATUS_AGAIN)
            found += [Voter(int(node), place) for node in _voters(line.partition(":")[2])]
        elif line.startswith(NODE) and LAG in line:
            header = line.split()
        elif header and ROW_BEGUN.match(line):
            node, end, lag, status = (_cell(header, line, name) for name in (NODE, END, LAG, STATUS))
            if status not in STATES or not is_number(node) or not (OFFSET.fullmatch(end) and OFFSET.fullmatch(lag)):
                advice = "The file is cut off: ask again with 'kafka-metadata-quorum describe --replication'."
                raise refuse(place, "a replica of the quorum without its offset, lag and status", advice)
            if status != "Observer":
                found.append(Voter(int(node), place, int(lag), int(end) >= 0))
    return found


STATUS_AGAIN = "Its line is broken or cut off: ask again with 'kafka-metadata-quorum describe --status'."


def read_clusters(lines: Iterable[str], file: str) -> list[Said]:
    """The clusters that outputs with `--status` are of."""
    return [
        Said(line.partition(":")[2].strip(), Place(file, number))
        for number, line in enumerate((raw.strip() for raw in lines), start=1)
        if line.startswith(CLUSTER_ID)
    ]


def _cell(header: Sequence[str], row: str, name: str) -> str:
    """A value of a row; "" if it is not there. Where blanks stand for tabs a time may be several words ("5 ms ago").

    So those before the times are counted from the left then, and the status behind them from the right.
    """
    if name not in header:
        return ""
    at = header.index(name)
    if "\t" in row:
        cells = [one.strip() for one in row.split("\t")]
        return cells[at] if at < len(cells) else ""
    cells = row.split()
    if len(cells) < len(header):
        return ""
    return cells[at - len(header)] if name == STATUS else cells[at]


def _voters(text: str) -> list[str]:
    """`[1,2,3]` before 3.9, `[{"id": 1, ...}, ...]` since."""
    return VOTER.findall(text) or re.findall(r"(?<![0-9])[0-9]{1,10}(?![0-9])", text)
