"""`kafka-topics --describe`: replicas, ISR and ELR of each partition, and what is set beside Kafka's defaults.

The line of a topic has, in `Configs:`, every setting that does not come from Kafka's defaults, whoever has set it; the
lines of its partitions follow. `Elr:` and `LastKnownElr:` stand in newer outputs, empty or `N/A` where there is no ELR.
Confluent adds `Offline:`, the replicas on brokers that are down, which the ISR tells as well; and `Observers:`,
replicas that copy and are kept out of the ISR.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from epochal.evidence.place import escaped

from ..said import FALSE, SHOWN, Place, Said, ids_of, is_number, quoted, refuse, short, topic_name
from .columns import ESCAPED_TAB, columns_of

BEGINS = re.compile(
    r"^[\t ]*(?:\\t)?Topic: ?\S{1,500}?(?:[\t ]|\\t)(?:.*?(?:[\t ]|\\t))?(?:PartitionCount|Partition): ?[0-9]",
    re.MULTILINE,
)
"""A line that only this output has."""

OBSERVERS = ("Observers", "LiveObservers")
"""What Confluent calls replicas that are no members of the ISR, and called them."""

COLUMNS = frozenset(
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
                raise refuse(place, "a part of the settings of a topic, whose line is broken", CUT)
            has_settings = False
            continue
        fields = columns_of(line, COLUMNS, place)
        name = topic_name(fields.get("Topic", ""), place)
        topic = TopicTable(name, place)
        for column in fields.keys() - COLUMNS:
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
                raise refuse(place, f"a last line without {min(missing)}, which all others have", CUT)
            common = set(fields) if common is None else common & fields.keys()
            partition = _partition(fields, place)
            topic.partitions[partition.number] = partition
        else:
            raise refuse(place, "a line of a topic with neither PartitionCount nor Partition", CUT)
        if name in found:
            found[name].add(topic)
        else:
            found[name] = topic
    for topic in found.values():
        if topic.count is not None and len(topic.partitions) != int(topic.count.value):
            raise refuse(
                topic.place,
                f"{escaped(topic.name)} has {topic.count.value} partitions, and {len(topic.partitions)} are described",
                CUT,
            )
    return found


CUT = "The file is cut off, or lines are missing: ask again with 'kafka-topics --describe'."


def _count(name: str, text: str, place: Place) -> int:
    if not is_number(text, 7):
        raise refuse(place, f"{name} is {quoted(text)}, and not a number", CUT)
    return int(text)


def _settings(text: str, place: Place) -> dict[str, Said]:
    """Settings as `a=1,b=2,3`: a value may have commas, but no name of a setting after them."""
    starts = list(SETTING.finditer(text))
    ends = [one.start() for one in starts[1:]] + [len(text)] * bool(starts)
    return {one.group(1): Said(text[one.end() : end], place, SHOWN) for one, end in zip(starts, ends, strict=True)}


def _partition(fields: dict[str, str], place: Place) -> Partition:
    for name in ("Leader", "Replicas", "Isr"):
        if name not in fields:
            raise refuse(place, f"a partition without {name}", CUT)
    replicas = ids_of(fields["Replicas"], place)
    if not replicas:
        raise refuse(place, "a partition without replicas", CUT)
    isr = ids_of(fields["Isr"], place)
    leader = () if fields["Leader"] in ("none", "-1") else ids_of(fields["Leader"], place)
    if leader and not isr:
        raise refuse(place, "a partition that is led, and has an empty ISR", CUT)
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
        raise refuse(place, "a partition all of whose replicas are removed, or observers", CUT)
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
