"""`kafka-topics --describe`: replicas, ISR and ELR of each partition, and what is set beside Kafka's defaults.

The line of a topic has, in `Configs:`, every setting that does not come from Kafka's defaults, whoever has set it; the
lines of its partitions follow. `Elr:` and `LastKnownElr:` are there since 4.0, `N/A` where the broker does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from epochal.evidence.place import escaped

from ..said import Place, Said, ids_of, is_number, refuse, topic_name

BEGINS = re.compile(r"^\s*Topic: \S+[\t ](?:.*[\t ])?(?:PartitionCount|Partition): ?[0-9]", re.MULTILINE)
"""A line that only this output has."""

BETWEEN = re.compile(
    r"[\t ](?=(?:Topic|TopicId|PartitionCount|ReplicationFactor|Configs|Partition|Leader|Replicas|Isr|Elr|LastKnownElr"
    r"|Adding Replicas|Removing Replicas):)"
)
"""What stands between two fields: a tab, or spaces where somebody has copied it from a terminal."""

SETTING = re.compile(r"(?:^|,)([a-z][a-z0-9.]*)=")
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

    @property
    def copies(self) -> int:
        """How many replicas it has, or will have when a reassignment is over."""
        return len(self.replicas) - len(self.removing)


@dataclass
class TopicTable:
    """A topic of the output. `shown` are its settings that are no defaults; None if its own line is not there."""

    name: str
    place: Place
    shown: dict[str, Said] | None = None
    count: int | None = None
    partitions: dict[int, Partition] = field(default_factory=dict)


def read_topics(lines: Iterable[str], file: str) -> dict[str, TopicTable]:
    """The topics of an output by their names.

    Raises EvidenceError if it is cut off, or a line of a topic cannot be read.
    """
    found: dict[str, TopicTable] = {}
    for number, line in enumerate(lines, start=1):
        if not line.lstrip().startswith("Topic:"):
            continue
        place = Place(file, number)
        fields = _fields(line)
        name = topic_name(fields["Topic"], place)
        topic = found.setdefault(name, TopicTable(name, place))
        if "PartitionCount" in fields:
            topic.count, topic.place = _count("PartitionCount", fields["PartitionCount"], place), place
            topic.shown = _settings(fields.get("Configs", ""), place)
        elif "Partition" in fields:
            partition = _partition(fields, place)
            before = topic.partitions.setdefault(partition.number, partition)
            if replace(before, place=place) != partition:
                told = f"partition {partition.number} of {escaped(topic.name)} is another one than in {before.place}"
                raise refuse(place, told, "Name files of one cluster, and of one moment.")
        else:
            raise refuse(place, "a line of a topic with neither PartitionCount nor Partition", CUT)
    for topic in found.values():
        if topic.count is not None and len(topic.partitions) != topic.count:
            raise refuse(
                topic.place,
                f"{escaped(topic.name)} has {topic.count} partitions, and {len(topic.partitions)} are described",
                CUT,
            )
    return found


CUT = "The file is cut off, or lines are missing: ask again with 'kafka-topics --describe'."


def _fields(line: str) -> dict[str, str]:
    """`Partition: 0`, `Adding Replicas: 4` and so on, by what stands before the colon."""
    said: dict[str, str] = {}
    for part in BETWEEN.split(line.strip("\r\n")):
        name, colon, value = part.partition(":")
        if colon:
            said[name.strip()] = value.strip()
    return said


def _count(name: str, text: str, place: Place) -> int:
    if not is_number(text, 7):
        raise refuse(place, f"{name} is {escaped(text[:60])!r}, and not a number", CUT)
    return int(text)


def _settings(text: str, place: Place) -> dict[str, Said]:
    """Settings as `a=1,b=2,3`: a value may have commas, but no name of a setting after them."""
    starts = list(SETTING.finditer(text))
    ends = [one.start() for one in starts[1:]] + [len(text)] * bool(starts)
    return {one.group(1): Said(text[one.end() : end], place, "SHOWN") for one, end in zip(starts, ends, strict=True)}


def _partition(fields: dict[str, str], place: Place) -> Partition:
    for name in ("Leader", "Replicas", "Isr"):
        if name not in fields:
            raise refuse(place, f"a partition without {name}", CUT)
    replicas = ids_of(fields["Replicas"], place)
    if not replicas:
        raise refuse(place, "a partition without replicas", CUT)
    isr = ids_of(fields["Isr"], place)
    leader = () if fields["Leader"] in ("none", "-1") else ids_of(fields["Leader"], place)
    elr, last = fields.get("Elr", NOT_KNOWN), fields.get("LastKnownElr", NOT_KNOWN)
    if len(set(replicas)) < len(replicas):
        raise refuse(place, f"a broker is twice among the replicas {escaped(fields['Replicas'][:60])}")
    for name, ids in (("leader", leader), ("ISR", isr)):
        if not set(ids) <= set(replicas):
            raise refuse(place, f"{name} {escaped(fields[name.capitalize()][:60])} is not among the replicas")
    return Partition(
        _count("Partition", fields["Partition"], place),
        replicas,
        isr,
        leader[0] if leader else None,
        place,
        None if elr == NOT_KNOWN else ids_of(elr, place),
        ids_of(fields.get("Adding Replicas", ""), place),
        ids_of(fields.get("Removing Replicas", ""), place),
        () if last == NOT_KNOWN else ids_of(last, place),
    )
