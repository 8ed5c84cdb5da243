"""What every rule of an audit looks at; and what it finds: how serious that is, why, and what to change."""

from __future__ import annotations

import copy
import fnmatch
import itertools
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from epochal.errors import UsageError
from epochal.sentences import LONGEST
from epochal.spec.kraft.generations import NEWEST
from epochal.spec.kraft.heeded import MIN_ISR, UNCLEAN

from ..audit_rules import ERRORS, NOTES
from ..evidence.place import Place
from .assembled import too_old_for_elr
from .cluster import Cluster, ProducerFile, Topic
from .decided import SHOWN, Answered, Decider, Word
from .said import Said, number_of, short, some_of
from .topic_class import Classified, Kind, Supposition

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True)
class Fix:
    """A change: the lines that make it, and what is decided of the topics with it."""

    commands: tuple[str, ...]
    decided: str = ""


@dataclass(frozen=True)
class Finding:
    """Something that somebody should know. `subjects` are topics or nodes: it is known by `rule/subject` for each.

    Its rule says how serious it is, unless it is `otherwise`. `why` are sentences. `runs` are the searches whose runs
    show it.
    `broken` are the ids of faults: an acceptance covers those that were there when somebody accepted it.
    """

    rule: str
    subjects: tuple[str, ...]
    title: str
    why: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    fix: Fix | None = None
    runs: tuple[tuple[Kind, Answered], ...] = field(default=(), repr=False)
    broken: tuple[str, ...] = ()
    reason: str = ""
    otherwise: Severity | None = None

    @property
    def severity(self) -> Severity:
        """How serious it is."""
        return self.otherwise or ("error" if self.rule in ERRORS else "note" if self.rule in NOTES else "warning")

    @property
    def keys(self) -> list[str]:
        """What somebody accepts it by: `acks-one/clicks`."""
        return [f"{self.rule}/{subject}" for subject in self.subjects]

    def about(self, subjects: Sequence[str], reason: str = "") -> Finding:
        """The same of some of its subjects."""
        return replace(self, subjects=tuple(subjects), reason=reason)


# -- fixes ------------------------------------------------------------------------------------------------------------
# What to change, each change decided again: the fewest that keep what is lost, and do not stop writes.

USUAL_COPIES = 3
MOST_IN_A_LINE = 3
OUTCOME_WORDS: dict[Word, str] = {
    "acked lost": "LOST",
    "read lost": "READ LOST",
    "logs differ": "DIFFER",
    "open": "not decided",
}
"""Words for outcomes, as the table has them."""


def changed_kinds(kind: Kind) -> Iterator[Kind]:
    """Other settings for a class, those with the fewest changes first."""
    copies = (kind.copies, USUAL_COPIES) if kind.copies < USUAL_COPIES else (kind.copies,)
    choices = itertools.product(
        dict.fromkeys((kind.acks, "all")), dict.fromkeys((kind.unclean, False)), copies, (kind.min_isr, 2)
    )
    found = (
        replace(kind, acks=acks, unclean=unclean, copies=many, min_isr=wanted, refuses=False, ephemeral=False)
        for acks, unclean, many, wanted in choices
        if wanted <= many and wanted >= kind.min_isr
    )
    yield from sorted(set(found) - {kind}, key=lambda one: (_changes(kind, one), one.copies, one.min_isr, one.acks))


def _changes(before: Kind, after: Kind) -> int:
    return sum(
        getattr(before, name) != getattr(after, name) for name in ("acks", "unclean", "copies", "min_isr", "ephemeral")
    )


def fix_of(decider: Decider, kind: Kind, topics: Sequence[Classified]) -> Fix | None:
    """The change that keeps what the settings of a class lose; None if none does, or nobody has decided it."""
    keeping = [one for one in changed_kinds(kind) if decider.keeps(one)]
    best = min(keeping, key=lambda one: not _writes(decider, one), default=None)
    if best is None:
        return None
    return Fix(tuple(_lines(kind, best, topics)), promised(decider, best))


def _writes(decider: Decider, kind: Kind) -> bool:
    return decider.writes(kind) is True


def promised(decider: Decider, kind: Kind) -> str:
    """What is decided of a class, in a line."""
    if not decider.releases:
        return "not decided, as long as the release is not known"
    words = []
    for fault, called in zip(SHOWN, ("a restart", "a crash", "two crashes", "a power loss"), strict=True):
        one = decider.under(kind, fault)
        newer = " (not with eligible leader replicas)" if one.by_design and not kind.elr else ""
        words.append(f"{called}: {OUTCOME_WORDS.get(one.designed.word, one.designed.word)}{newer}")
    goes_on = False if kind.copies == 1 else decider.writes(kind)
    writes = {True: "writes go on", False: "writes stop", None: "whether writes go on is not decided,"}[goes_on]
    broken = {id for fault in SHOWN for id in decider.under(kind, fault).holes}
    then = f"; as shipped, {' or '.join(sorted(broken))} breaks it" if broken else ""
    return f"{', '.join(words)}; {writes} while one broker is down{then}"


PERSISTENT = "storage that outlives a restart: a persistent-claim of Strimzi, or log.dirs on a disk"


def _lines(before: Kind, after: Kind, topics: Sequence[Classified]) -> Iterator[str]:
    names = [one.topic.name for one in topics]
    if after.ephemeral != before.ephemeral:
        yield PERSISTENT
    if after.acks != before.acks:
        files = sorted({str(said.place) for one in topics for said in one.acks if said.value.strip() == before.acks})
        yield f"acks={after.acks} in {', '.join(files) if files else 'every producer'}"
    if after.copies != before.copies:
        named = some_of(names, MOST_IN_A_LINE)
        yield f"a replication factor of {after.copies} for {named}, by kafka-reassign-partitions"
    said = []
    unknown = any(one.min_isr.assumed for one in topics)
    if after.min_isr != before.min_isr or ((after.copies != before.copies or unknown) and after.min_isr > 1):
        said.append(f"{MIN_ISR}={after.min_isr}")
    if after.unclean != before.unclean:
        said.append(f"{UNCLEAN}=false")
    if said:
        yield from set_for(names, ",".join(said), after.elr)


def fewer_in_sync(decider: Decider, kind: Kind, names: Sequence[str]) -> Fix:
    """The change with which writes go on while one broker is down: then no replica without all records may lead."""
    after = replace(kind, min_isr=kind.copies - 1, unclean=False, acks_known=True, refuses=False)
    settings = f"{MIN_ISR}={after.min_isr}" + (f",{UNCLEAN}=false" if kind.unclean else "")
    return Fix(tuple(set_for(names, settings, kind.elr)), promised(decider, after))


def set_for(names: Sequence[str], settings: str, elr: bool) -> Iterator[str]:
    """The command that sets something for topics, and when not to run it."""
    yield alter(names[0], settings) + (f"   (and for {some_of(names[1:], MOST_IN_A_LINE)})" if len(names) > 1 else "")
    if elr and settings.startswith(MIN_ISR):
        yield "not while a replica is out of sync: a change of min.insync.replicas empties the ELR (KAFKA-16540)"


def alter(topic: str, settings: str) -> str:
    """The command that sets something for a topic."""
    return (
        "kafka-configs --bootstrap-server HOST:9092 --alter --entity-type topics "
        f"--entity-name {shlex.quote(topic)} --add-config {settings}"
    )


# -- what if ----------------------------------------------------------------------------------------------------------
# What would be decided if something were set otherwise: `topic:orders:min.insync.replicas=2`.

HOW = (
    "Write topic:NAME:SETTING=VALUE, topic:NAME:replication.factor=3, producer:FILE:acks=all, "
    "or cluster:SETTING=VALUE, cluster:elr=on, cluster:kafka=VERSION."
)
BY_OPTION = Place("--what-if")


def changed(cluster: Cluster, changes: Sequence[str]) -> tuple[Cluster, str]:
    """A cluster in which some things are set otherwise, and the release, if that is one of them.

    Raises UsageError for what is no change, or of nothing that is there.
    """
    found, kafka = copy.deepcopy(cluster), ""
    for change in changes:
        kind, _, rest = change.partition(":")
        where, _, what = rest.rpartition(":") if kind in ("topic", "producer") else ("", "", rest)
        name, equals, value = what.partition("=")
        name, value = name.strip(), value.strip()
        if kind not in ("topic", "producer", "cluster") or not equals or not name or not value:
            raise UsageError(f"{change[:LONGEST]!r} is no change", HOW)
        if kind == "cluster" and name == "kafka":
            kafka, found.releases = value, []
            if too_old_for_elr([Said(value, BY_OPTION)]) is not None:
                found.elr = None  # such a release knows none
        elif kind == "cluster":
            _cluster(found, name, value)
        elif kind == "topic":
            _topics(found, where, name, Said(value, BY_OPTION))
        else:
            _producers(found, where, name, Said(value, BY_OPTION))
    return found, kafka


def _cluster(found: Cluster, name: str, value: str) -> None:
    if name == "elr":
        if value not in ("on", "off"):
            raise UsageError(f"elr is on or off, not {value[:LONGEST]!r}", HOW)
        found.elr = Said("true" if value == "on" else "false", BY_OPTION)
        return
    found.everywhere[name] = Said(value, BY_OPTION)
    for node in found.nodes.values():
        node.dynamic.pop(name, None)
    for topic in found.topics.values():
        if topic.seen is not None and name not in topic.own:
            topic.seen = {**topic.seen, name: Said(value, BY_OPTION, "DYNAMIC_DEFAULT_BROKER_CONFIG")}


def _topics(found: Cluster, pattern: str, name: str, said: Said) -> None:
    topics = [topic for topic in found.topics.values() if fnmatch.fnmatchcase(topic.name, pattern)]
    if not topics:
        raise UsageError(f"no topic is called {pattern[:LONGEST]!r}", "The table of the report has their names.")
    for topic in topics:
        if name == "replication.factor":
            topic.copies, topic.partitions = (number_of(said, name),), {}
        else:
            topic.own[name] = said


def _producers(found: Cluster, file: str, name: str, said: Said) -> None:
    known = [one for one in found.producers if one.file == file]
    if not known and file != "*":
        names = ", ".join(one.file for one in found.producers) or "none was read"
        raise UsageError(f"no file of a producer is called {file[:LONGEST]!r}: {names}", HOW)
    found.producers = [
        replace(one, settings={**one.settings, name: said}) if file in (one.file, "*") else one
        for one in found.producers
    ] or [ProducerFile("--what-if", {name: said})]


# -- asked ------------------------------------------------------------------------------------------------------------
# What every rule of an audit looks at: the cluster, its topics by class, and what is decided of them.

MOST_NAMED = 6


@dataclass(frozen=True)
class Audited:
    """A cluster whose topics are classified. `elr` is what was taken; `elr_known` whether somebody said so.

    `classes` are the topics by each class that some of their partitions are, or may be, of; `rows` those that are alike
    in all.

    `releases` are those that are checked, `refused` those whose rules nobody knows here. `unknown` are topics without a
    replication factor.
    """

    cluster: Cluster
    topics: tuple[Classified, ...]
    classes: dict[Kind, list[Classified]]
    rows: dict[tuple[Supposition, ...], list[Classified]]
    unknown: tuple[Topic, ...]
    decider: Decider
    elr: bool
    elr_known: bool
    releases: tuple[str, ...]
    refused: tuple[Said, ...]
    point_known: bool

    @property
    def decides(self) -> bool:
        """Whether the release is one that is decided: known, and with KRaft."""
        return bool(self.releases) and not self.refused and self.cluster.zookeeper is None

    @property
    def release_shown(self) -> str:
        """The release or releases, for people."""
        if self.refused:
            return f"Kafka {' and '.join(short(one.value) for one in self.refused)}, whose rules are not known"
        return f"Kafka {' and '.join(self.releases)}" if self.releases else "Kafka of an unknown release"

    @property
    def newest(self) -> str:
        """The newest release whose rules are known."""
        return NEWEST

    def named(self, names: Sequence[str]) -> str:
        """Some names, and how many more."""
        return some_of(names, MOST_NAMED)

    def certain(
        self, holds: Callable[[Kind], bool], among: Callable[[list[Kind]], Iterable[Kind]] = iter
    ) -> dict[Kind, list[Classified]]:
        """The topics of which something is true whatever the values are that no file says, by the classes of which it
        is: where several values may be in force, those of the largest. `among` chooses some of a topic's classes.
        """
        found: dict[Kind, list[Classified]] = {}
        for one in self.topics:
            true = [[kind for kind in case.kinds if holds(kind)] for case in one.cases]
            for kind in among(true[-1]) if all(true) else ():
                found.setdefault(kind, []).append(one)
        return found

    def limits(self, kinds: Iterable[Kind], topics: Sequence[Classified]) -> Iterator[str]:
        """Sentences that say of which partitions of a topic alone something is true, or with which value."""
        some = tuple(kinds)
        found: dict[str, list[str]] = {}
        for one in topics:
            for limit in one.only(some):
                found.setdefault(limit, []).append(one.topic.name)
        for limit, names in found.items():
            yield f"Of {self.named(names)} {limit}."

    def promised(self, kind: Kind, min_isr: int, copies: int | None = None) -> str:
        """What is decided of a class with another `min.insync.replicas`, or more replicas."""
        return promised(
            self.decider, replace(kind, min_isr=min_isr, copies=copies or kind.copies, acks_known=True, refuses=False)
        )
