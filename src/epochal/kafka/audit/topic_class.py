"""Topics of the same settings are one class: what decides what is promised, and nothing else.

Where one thing may have several values, each is judged: a partition has as many replicas as it has, a value counts when
the node that has it leads, and each producer waits for what it waits for. None of these is weakest in every way: where
as many replicas are needed as there are some holes cannot happen, and writes stop with one broker.
"""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from epochal.spec.kraft.heeded import AT_MOST_COPIES, MIN_ISR, UNCLEAN, Mode, heeds

from .cluster import Cluster, Producer, Topic, loses_logs
from .precedence import InForce, min_isr, unclean
from .said import TRUE, Said, refuse, trimmed, yes

ACKS = {"0": "0", "1": "1", "all": "all", "-1": "all"}
WEAKEST_FIRST = ("0", "1", "all")


@dataclass(frozen=True, order=True)
class Kind:
    """The settings that determine the guarantees of a partition: its class.

    `min_isr` is the effective one, never more than there are copies. With `refuses` it is set to more, and a release
    runs that compares with what is set: every write with acks=all is refused. `unclean` says whether the controller
    elects so, `acks_known` is False if no producer says what it waits for. `ephemeral` says that a broker comes back
    from a restart without its log.
    """

    copies: int
    min_isr: int
    acks: str
    unclean: bool
    elr: bool
    acks_known: bool = True
    refuses: bool = False
    ephemeral: bool = False


@dataclass(frozen=True)
class Case:
    """The classes that partitions of a topic are of, or may come to be of while it is led by others.

    `supposed` is the value of `min.insync.replicas` in this case, if no file says it; None if one does.
    """

    supposed: int | None
    kinds: tuple[Kind, ...]


@dataclass(frozen=True)
class Classified:
    """A topic with its classes, and where each value comes from.

    There is one case, or one for each value of `min.insync.replicas` that may be in force. `acks` are what its
    producers say, the weakest first.
    """

    topic: Topic
    cases: tuple[Case, ...]
    min_isr: InForce
    unclean: InForce
    acks: tuple[Said, ...]
    writers: tuple[Producer, ...] = field(default=(), repr=False)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Every class that it is, or may be, of."""
        return tuple(dict.fromkeys(kind for case in self.cases for kind in case.kinds))

    def only(self, kinds: Iterable[Kind]) -> Iterator[str]:
        """To what it is limited that is true of some of its classes: some partitions, or a value that it may have."""
        some = set(kinds)
        supposed = [case.supposed for case in self.cases if not some.isdisjoint(case.kinds)]
        copies = {kind.copies for kind in self.kinds if kind in some}
        if copies and self.topic.partitions and copies != set(self.topic.numbers):
            yield f"only {partitions_with(self.topic, copies)}"
        if len(supposed) < len(self.cases):
            yield f"only if {MIN_ISR} is {' or '.join(map(str, supposed))}"


def partitions_with(topic: Topic, copies: Iterable[int]) -> str:
    """The partitions that have so many replicas: `partition 2, which has 2 replicas`."""
    wanted = sorted(copies)
    numbers = [str(one.number) for one in topic.partitions.values() if one.copies in wanted]
    replicas = f"{' or '.join(map(str, wanted))} replica{'s' if wanted != [1] else ''}"
    if not numbers:
        return f"the topic, if it has {replicas}"
    if len(numbers) == 1:
        return f"partition {numbers[0]}, which has {replicas}"
    shown = ", ".join(numbers[:MOST_NUMBERS]) + (
        f" and {len(numbers) - MOST_NUMBERS} more" if len(numbers) > MOST_NUMBERS else ""
    )
    return f"partitions {shown}, which have {replicas}"


MOST_NUMBERS = 8


def classified(
    cluster: Cluster, elr: bool, releases: Sequence[str], most_copies: int, default_copies: int | None = None
) -> tuple[list[Classified], list[Topic]]:
    """The topics with their classes in the order of their names, and those whose replication factor nobody says.

    `releases` are those that run; none: nobody says which. With more than `most_copies` nothing is searched. Raises
    EvidenceError for a value that Kafka would refuse.
    """
    found, unknown = [], []
    for _, topic in sorted(cluster.topics.items()):
        copies = topic.numbers or ((default_copies,) if default_copies else ())
        if not copies:
            unknown.append(topic)
            continue
        wanted, election = min_isr(cluster, topic, elr), unclean(cluster, topic, elr)
        said, writers = _acks(cluster.producers, topic)
        known = topic.is_internal or bool(said)
        acks = ["all"] if topic.is_internal or not said else [ACKS[trimmed(one.value)] for one in said]
        unclean_by = _elects(election, releases, cluster.zookeeper is not None)
        emptied = loses_logs(cluster, topic) is not None
        cases = []
        for supposed in _supposed(max(copies), most_copies) if wanted.assumed else (None,):
            values = [int(one) for one in wanted.values] if supposed is None else [supposed]
            kinds = (
                kind
                for many, value, waits, by in itertools.product(copies, values, acks, unclean_by)
                for kind in _kinds(Kind(many, value, waits, by, elr, known, ephemeral=emptied), releases)
            )
            cases.append(Case(supposed, tuple(dict.fromkeys(kinds))))
        found.append(Classified(topic, tuple(cases), wanted, election, () if topic.is_internal else said, writers))
    return found, unknown


def _supposed(copies: int, most_copies: int) -> range:
    """The values that `min.insync.replicas` may have where no file says it: more than there are replicas mean no more.

    Of a topic that nobody searches two stand for all.
    """
    return range(1, (copies if copies <= most_copies else 2) + 1)


def _elects(said: InForce, releases: Sequence[str], zookeeper: bool) -> list[bool]:
    """Whether controllers elect uncleanly: as each value says that may count, and as each release heeds it."""
    mode: Mode = "zookeeper" if zookeeper else "kraft"
    heeded = {heeds(one, UNCLEAN, mode=mode) for one in releases} or {True}  # who does not know expects the worse
    on = {value.strip().lower() == TRUE for value in said.values}
    return sorted({value and heed for value in on for heed in heeded})


def _kinds(wanted: Kind, releases: Sequence[str]) -> Iterator[Kind]:
    """The class with as many replicas waited for as there are, at most; and one whose writes are refused for that."""
    above = wanted.min_isr > wanted.copies and wanted.acks == "all"
    effective = replace(wanted, min_isr=min(wanted.min_isr, wanted.copies))
    for heeded in sorted({heeds(one, MIN_ISR, AT_MOST_COPIES) for one in releases} or {True}) if above else [True]:
        yield effective if heeded else replace(effective, refuses=True)


def _acks(producers: Iterable[Producer], topic: Topic) -> tuple[tuple[Said, ...], tuple[Producer, ...]]:
    """The `acks` of the producers that write to a topic, or may, each value once, the weakest first."""
    writers = tuple(
        one for one in producers if not one.topics or any(fnmatch.fnmatchcase(topic.name, p) for p in one.topics)
    )
    said: dict[str, Said] = {}
    for one in writers:
        if (found := _acks_of(one)) is not None:
            said.setdefault(ACKS[trimmed(found.value)], found)
    return tuple(said[value] for value in WEAKEST_FIRST if value in said), writers


def _acks_of(producer: Producer) -> Said | None:
    """What a producer waits for, if it says so. One that is idempotent, as one with transactions is, waits for all."""
    said, idempotence = producer.settings.get("acks"), producer.settings.get("enable.idempotence")
    if said is None and idempotence is None and "transactional.id" in producer.settings:
        return replace(producer.settings["transactional.id"], value="all")
    idempotent = idempotence is not None and yes(idempotence, "enable.idempotence")
    if said is None:
        return Said("all", idempotence.place) if idempotence is not None and idempotent else None
    value = ACKS.get(trimmed(said.value))
    if value is None:
        raise refuse(said.place, f"acks is {said.value[:60]!r}", "Kafka knows 0, 1, all and -1, which is all.")
    if idempotence is not None and idempotent and value != "all":
        advice = "The producer does not start so: write acks=all, or enable.idempotence=false."
        raise refuse(said.place, f"acks is {value}, beside enable.idempotence=true ({idempotence.place})", advice)
    return said


def by_kind(topics: Sequence[Classified]) -> dict[Kind, list[Classified]]:
    """The topics by each class that they are, or may be, of, in the order in which they come."""
    found: dict[Kind, list[Classified]] = {}
    for one in topics:
        for kind in one.kinds:
            found.setdefault(kind, []).append(one)
    return found


def by_cases(topics: Sequence[Classified]) -> dict[tuple[Case, ...], list[Classified]]:
    """The topics that are of the same classes in every case: a row of the table each."""
    found: dict[tuple[Case, ...], list[Classified]] = {}
    for one in topics:
        found.setdefault(one.cases, []).append(one)
    return found


def with_acks(kind: Kind, acks: str) -> Kind:
    """The same class with other producers."""
    return replace(kind, acks=acks, acks_known=True, refuses=False)
