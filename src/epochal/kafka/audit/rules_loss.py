"""What is lost: by the settings of a topic, by the design of a release, or by its holes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from epochal.checker.base.numbers import counted
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.kraft.generations import FIRST_WITH_ELR, Version, numbered
from epochal.spec.kraft.heeded import MIN_ISR, UNCLEAN, heeds
from epochal.spec.kraft.rules import KraftBug

from ..evidence.place import Place
from .cluster import Topic, forgetful_controllers, loses_logs
from .decided import DEEPER, FAULT, SHOWN, Answered, Decider, Outcome, most_copies
from .finding import PERSISTENT, Audited, Finding, Fix, fewer_in_sync, fix_of, promised, set_for
from .said import Said, is_number, short, yes
from .topic_class import Classified, Kind, Supposition, elects_nobody, with_acks

LOST = {
    "acked lost": "acknowledged records are lost",
    "read lost": "records that were read are lost",
    "logs differ": "logs differ below the high watermark",
}
AT_ONCE = ("fencing", "clean", "two-clean", "lossy")
"""Faults that a good configuration survives: one broker, or two that lose nothing."""


def lost_by_settings(audited: Audited) -> Iterator[Finding]:
    """Errors: what others settings of the same topic would keep, whatever the values are that no file says."""

    def lost_of(kind: Kind) -> list[Answered]:
        return [one for one in audited.decider.all_of(kind) if one.fault.id in AT_ONCE and one.by_settings]

    def is_wrong(kind: Kind) -> bool:
        return kind.copies == 1 or kind.acks == "0" or bool(lost_of(kind))

    def how_soon(kind: Kind) -> tuple[int, int]:
        lost = lost_of(kind)
        return (AT_ONCE.index(lost[0].fault.id), lost[0].designed.length or 0) if lost else (0, 0)

    def worst_of_each(kinds: list[Kind]) -> Iterator[Kind]:
        for _, alike in itertools.groupby(kinds, key=lambda kind: (kind.copies, kind.acks)):
            yield min(alike, key=how_soon)

    for kind, topics in audited.certain(is_wrong, worst_of_each).items():
        if kind.copies == 1:
            yield _one_copy(audited, kind, topics)
            continue
        if kind.acks == "0":
            yield _no_promise(audited, kind, topics)
            continue
        lost = lost_of(kind)
        yield Finding(
            "acked-lost",
            _names(topics),
            f"{_causes(kind)}: {LOST[lost[0].designed.word]} {_when(audited, kind, lost)}",
            (*_why(kind, lost), *_where(audited, kind, topics)),
            tuple(places_of(topics)),
            fix_of(audited.decider, kind, topics),
            tuple((kind, one) for one in lost),
            tuple(one.fault.id for one in lost),
        )


def _where(audited: Audited, kind: Kind, topics: Sequence[Classified]) -> Iterator[str]:
    """Of which partitions alone something is true. It is so whatever is not known: no value is named."""
    return (one for one in audited.limits([kind], topics) if "only if" not in one)


def _one_copy(audited: Audited, kind: Kind, topics: Sequence[Classified]) -> Finding:
    lossy = audited.decider.under(kind, "lossy")
    states = f" ({counted(lossy.worst.length, 'state')})" if lossy.worst.length else ""
    return Finding(
        "one-copy",
        _names(topics),
        f"one copy: what is not on its disk when the power fails is gone{states}, and a restart stops reads and writes",
        tuple(_where(audited, kind, topics)),
        tuple(places_of(topics)),
        fix_of(audited.decider, kind, topics),
        ((kind, lossy),) if lossy.worst.is_lost else (),
        ("lossy",),
    )


def _no_promise(audited: Audited, kind: Kind, topics: Sequence[Classified]) -> Finding:
    files = sorted({str(said.place) for one in topics for said in one.acks if said.value.strip() == kind.acks})
    return Finding(
        "acked-lost",
        _names(topics),
        "acks=0: no producer learns whether a record was written, so nothing is guaranteed",
        tuple(_where(audited, kind, topics)),
        tuple(places_of(topics)),
        Fix(("acks=all in " + ", ".join(files),)),
        broken=AT_ONCE,
    )


def _names(topics: Sequence[Classified]) -> tuple[str, ...]:
    return tuple(one.topic.name for one in topics)


def places_of(topics: Sequence[Classified]) -> Iterator[Place]:
    """Where the settings of topics are said, each place once."""
    seen: dict[Place, None] = {}
    for one in topics:
        unclean = any(kind.unclean for kind in one.kinds)
        for said in (*one.acks, *one.min_isr.told, *(one.unclean.told if unclean else ())):
            seen.setdefault(said.place)
        seen.setdefault(one.topic.place)
    return iter(seen)


def _causes(kind: Kind) -> str:
    said = []
    if kind.acks == "1":
        said.append("acks=1")
    if kind.unclean:
        said.append("unclean.leader.election.enable=true")
    if kind.min_isr == 1:
        said.append("min.insync.replicas=1")
    return " and ".join(said) or f"replication factor {kind.copies}"


def _when(audited: Audited, kind: Kind, lost: Sequence[Answered]) -> str:
    """When it happens first: already without a fault, or with the smallest."""
    if any(one.fault.id == "none" and one.by_settings for one in audited.decider.all_of(kind)):
        return "although no broker fails: it is enough that the leader is moved"
    if kind.ephemeral:
        return "when one broker is restarted, as its storage is ephemeral"
    first = {
        "fencing": "when a broker is restarted or fenced",
        "clean": "when one broker crashes, and nothing that it wrote is lost",
        "two-clean": "when two brokers crash, although both come back with all their data",
        "lossy": "when one broker loses power",
    }
    return first[lost[0].fault.id]


def _why(kind: Kind, lost: Sequence[Answered]) -> Iterator[str]:
    if kind.acks == "1":
        yield "The leader tells the producer of success before any follower has the record."
    if kind.unclean:
        yield "A replica that lacks records may lead; the others cut off what it does not have."
    if kind.min_isr == 1:
        yield "The leader may be alone in the ISR, and then acknowledges what nobody else has."
    runs = (f"{one.fault.title}: {counted(one.designed.length or 0, 'state')}" for one in lost)
    yield f"Shortest runs: {'; '.join(runs)}."


def lost_by_release(audited: Audited) -> Iterator[Finding]:
    """Warnings: what the release breaks whatever is set, by bug; the topics that it reaches, and those it does not."""
    reached: dict[tuple[str, tuple[str, ...]], list[tuple[Kind, Answered, Outcome]]] = {}
    for kind in audited.classes:
        for one in audited.decider.all_of(kind):
            if one.by_release:
                reached.setdefault(("release-hole", one.shipped.behind), []).append((kind, one, one.shipped))
            elif one.by_design:
                reached.setdefault(("design-hole", one.designed.behind), []).append((kind, one, one.designed))
    for (rule, behind), runs in sorted(reached.items(), key=lambda item: (item[0][0] != "release-hole", item[0][1])):
        kinds = list(dict.fromkeys(kind for kind, _, _ in runs))
        reached_by = [one for one in audited.topics if not set(kinds).isdisjoint(one.kinds)]
        topics = [one.topic.name for one in reached_by]
        yield Finding(
            rule,
            tuple(topics),
            _title(behind, audited),
            (*_told(behind, runs, audited, topics), *audited.limits(kinds, reached_by)),
            fix=_upgrade(rule, audited),
            runs=tuple((kind, one) for kind, one, _ in runs),
            broken=tuple(dict.fromkeys(one.fault.id for _, one, _ in runs)),
        )


BY_ID = {bug.id: bug for bug in BUGS}


def _title(behind: Sequence[str], audited: Audited) -> str:
    names = [f"{BY_ID[id].name}: {BY_ID[id].title}" for id in behind if id in BY_ID]
    return "; or ".join(names) or f"{audited.release_shown} loses what its design keeps, by no known bug"


def _told(
    behind: Sequence[str], runs: Sequence[tuple[Kind, Answered, Outcome]], audited: Audited, topics: Sequence[str]
) -> Iterator[str]:
    lengths: dict[str, int] = {}
    for _, answered, outcome in runs:
        length = outcome.length or 0
        lengths[answered.fault.title] = min(length, lengths.get(answered.fault.title, length))
    listed = "; ".join(f"{fault}: {counted(length, 'state')}" for fault, length in lengths.items())
    words = dict.fromkeys(LOST[outcome.word] for _, _, outcome in runs)
    yield f"{' or '.join(words).capitalize()}: {listed}."
    for id in behind:
        bug = BY_ID.get(id)
        if bug is not None:
            yield f"{bug.name}: {bug.seen_in()}{'' if bug.shown else '; in the model, no broker has shown it'}."
    others = [one.topic.name for one in audited.topics if one.topic.name not in topics]
    if others:
        yield f"Not reached by these runs: {audited.named(others)}."


def _upgrade(rule: str, audited: Audited) -> Fix | None:
    if rule != "design-hole" or audited.elr:
        return None
    if audited.releases and all(numbered(one) >= FIRST_WITH_ELR for one in audited.releases):
        return Fix(
            (
                "kafka-features --bootstrap-server HOST:9092 upgrade --feature eligible.leader.replicas.version=1",
                "min.insync.replicas for the whole cluster first: values of single brokers do not count then",
            ),
            "eligible leader replicas (KIP-966) close it, in the model",
        )
    return Fix(("Kafka 4.0 or newer, with eligible leader replicas on (KIP-966)",), "they close it, in the model")


def writes_stop(audited: Audited) -> Iterator[Finding]:
    """Warnings: no write while one broker is down."""

    def stop(kind: Kind) -> bool:
        writes = audited.decider.writes(kind)
        return kind.acks == "all" and kind.copies > 1 and not kind.refuses and writes is False

    for kind, topics in audited.certain(stop).items():
        least = topics[0].min_isr
        place = next((str(one.place) for one in least.told if one.value == str(kind.min_isr)), least.place)
        inherited = f", which comes from {place}" if place and least.level != "topic" else ""
        why = [f"min.insync.replicas={kind.min_isr}{inherited} asks for every one of {kind.copies} replicas."]
        fix = None
        if kind.copies >= 3:
            fix = fewer_in_sync(audited.decider, kind, _names(topics))
        elif kind.copies == 2:
            fix = Fix((f"a replication factor of 3 for {audited.named(_names(topics))}",), audited.promised(kind, 2, 3))
        parts = all({kind.copies} != set(one.topic.numbers) for one in topics)
        yield Finding(
            "no-writes",
            _names(topics),
            f"no write with acks=all{' to some partitions' * parts} succeeds while any one {'of their ' * parts}"
            f"{'brokers' if parts else 'broker'} is down or restarts",
            (*why, *_where(audited, kind, topics)),
            tuple(places_of(topics)),
            fix,
            broken=("writes",),
        )


SHOWN_BY_NAME = tuple(id for id in FAULT if id in SHOWN)
"""The faults of the table, in the order in which all are told."""


def _is_open(decider: Decider, kinds: Sequence[Kind], fault: str) -> bool:
    """Whether a fault may do worse to some partitions than is known: nothing is worse than a loss by design."""
    answers = [decider.under(kind, fault) for kind in kinds]
    return any(one.is_open for one in answers) and not any(one.designed.is_lost for one in answers)


def not_decided(audited: Audited) -> Iterator[Finding]:
    """What nobody has decided, and why."""
    if not audited.releases and not audited.refused:
        yield Finding(
            "release-unknown",
            ("cluster",),
            f"no file says which release of Kafka {audited.cluster.name} runs: what its holes break is not decided",
            ("Give --kafka VERSION, or the output of 'kafka-features describe'.",),
        )
    for release in audited.refused:
        yield Finding(
            "release-unknown",
            ("cluster",),
            f"the rules of Kafka {short(release.value)} are not known here: what it keeps is not decided",
            (f"Known: Kafka with KRaft, up to {audited.newest}.",),
            (release.place,) if release.place.file else (),
        )
    if audited.cluster.zookeeper is not None:
        yield Finding(
            "release-unknown",
            ("cluster",),
            "the cluster is run by ZooKeeper: what is decided here is of KRaft",
            ("Kafka 3.9 is the last release with ZooKeeper, and the way to KRaft.",),
            (audited.cluster.zookeeper.place,),
        )
    for cases, topics in audited.rows.items() if audited.decides else ():
        kinds = [kind for case in cases for kind in case.kinds]
        faults = [FAULT[id] for id in SHOWN_BY_NAME if any(_is_open(audited.decider, case.kinds, id) for case in cases)]
        if not faults:
            continue
        most = max(kind.copies for kind in kinds)
        reason = (
            f"{most} replicas are more than the {most_copies()} that are searched"
            if most > most_copies()
            else "the search was left out, or ended early"
        )
        yield Finding(
            "not-decided",
            _names(topics),
            f"not decided: {', '.join(one.title for one in faults)}",
            (f"{reason[0].upper()}{reason[1:]}.",),
            broken=tuple(one.id for one in faults),
        )
    if audited.unknown:
        names = [topic.name for topic in audited.unknown]
        yield Finding(
            "not-decided",
            tuple(names),
            "no file says how many replicas they have",
            ("Add the output of 'kafka-topics --describe'.",),
            tuple(topic.place for topic in audited.unknown),
        )


# -- rules beyond -----------------------------------------------------------------------------------------------------
# What the table does not say: faults that come together, and known bugs that its searches do not reach.

ONLY_WITH_ELR = "with ELR"
MOST_TOLD = 6
BY_SETTINGS = frozenset({"acks", "min_insync_replicas", "unclean_leader_election"})
"""What a topic is configured with: the table answers that."""


def two_faults(audited: Audited) -> Iterator[Finding]:
    """Notes: what is kept under each fault alone, and lost when two come together."""
    groups: dict[tuple[tuple[str, str], ...], dict[Kind, list[Classified]]] = {}
    for kind, topics in audited.classes.items():
        answers = {one.fault.id: one for one in audited.decider.all_of(kind)}
        alone = all(audited.decider.under(kind, fault).designed.word == "kept" for fault in SHOWN)
        lost = [answers[fault] for fault in DEEPER if fault in answers and answers[fault].designed.is_lost]
        if audited.decides and kind.copies > 1 and alone and lost:
            runs = ((one.fault.id, f"{one.fault.title}: {counted(one.designed.length or 0, 'state')}") for one in lost)
            groups.setdefault(tuple(runs), {})[kind] = topics
    for told, kinds in groups.items():
        among = {one.topic.name: one for topics in kinds.values() for one in topics}
        yield Finding(
            "two-faults",
            tuple(among),
            "kept under each fault of the table, and lost when two come together",
            (f"Shortest runs: {'; '.join(run for _, run in told)}.", *audited.limits(kinds, list(among.values()))),
            broken=tuple(fault for fault, _ in told),
        )


def known_bugs(audited: Audited) -> Iterator[Finding]:
    """Notes: bugs of the release that no run here needs. They take more than is searched, or something else."""
    if not audited.decides:
        return
    answers = [one for kind in audited.classes for one in audited.decider.all_of(kind)]
    reached = {id for one in answers for id in (*one.shipped.behind, *one.designed.behind)}
    left = [bug for bug in BUGS if bug.id not in reached and _is_in(audited, bug)]
    left.sort(key=lambda bug: not bug.shown)
    if left:
        more = [f"And {len(left) - MOST_TOLD} more."] if len(left) > MOST_TOLD else []
        yield Finding(
            "known-bugs",
            ("cluster",),
            f"{counted(len(left), 'known bug')} of {audited.release_shown} not reached by these searches: "
            "a guarantee above says nothing of them",
            (
                *(f"{bug.name}: {bug.title}{f'; {bug.shown}' if bug.shown else ''}." for bug in left[:MOST_TOLD]),
                *more,
                f"epochal catalogue {audited.releases[-1]} --list tells what each is.",
            ),
        )


def _is_in(audited: Audited, bug: KraftBug) -> bool:
    """Whether a release that runs has a bug, as the cluster is configured."""
    rule = bug.rule
    if not BY_SETTINGS.isdisjoint(rule) or (audited.elr and rule.get("elr") is False):
        return False
    if not audited.elr and ONLY_WITH_ELR in bug.versions:
        return False
    return any(bug.was_in(release) for release in audited.releases)


# -- rules unknown ----------------------------------------------------------------------------------------------------
# What no file says and a guarantee depends on: each value that it may have is checked, and told.

TELLS = "The whole output of 'kafka-topics --describe', or of 'kafka-configs --describe --all --entity-type topics'"

CONTROLLERS_TELL = "The server.properties of the controllers tells: with KRaft these decide it, and no broker's file."


def acks_unknown(audited: Audited) -> Iterator[Finding]:
    """A note with both answers, where no producer says what it waits for."""
    topics = [one for one in audited.topics if any(not kind.acks_known and kind.copies > 1 for kind in one.kinds)]
    if topics:
        yield Finding(
            "acks-unknown",
            tuple(one.topic.name for one in topics),
            "acks=all is assumed, the default of producers since 3.0",
            (
                *_otherwise(audited, topics, "acks=1", lambda kind: with_acks(kind, "1")),
                "Give the files of producers, and which topics they are for: --producer 'PATTERN=app.properties'.",
            ),
        )


def unclean_unknown(audited: Audited) -> Iterator[Finding]:
    """A note with both answers, where no file says whether an unclean election is allowed, and a release heeds it."""
    if audited.releases and not any(heeds(one, UNCLEAN) for one in audited.releases):
        return
    topics = [one for one in audited.topics if one.unclean.assumed and any(kind.copies > 1 for kind in one.kinds)]
    if topics:
        yield Finding(
            "unclean-unknown",
            tuple(one.topic.name for one in topics),
            f"{UNCLEAN}=false is assumed, Kafka's default",
            (
                *_otherwise(audited, topics, "true", lambda kind: replace(kind, unclean=True)),
                CONTROLLERS_TELL if elects_nobody(audited.cluster) else f"{TELLS}, tells.",
            ),
        )


def _otherwise(
    audited: Audited, topics: list[Classified], value: str, changed: Callable[[Kind], Kind]
) -> Iterator[str]:
    """What would be lost with another value, by what that is: of each topic the worst."""
    lost: dict[str, list[str]] = {}
    for one in topics:
        answers = dict(_least(audited, changed(kind)) for kind in one.kinds if kind.copies > 1)
        lost.setdefault(answers[min(answers)], []).append(one.topic.name)
    for then, names in lost.items():
        yield f"With {value}: {then} ({audited.named(names)})."


def _least(audited: Audited, kind: Kind) -> tuple[tuple[int, int], str]:
    """The least fault by which a class loses something, and how soon: how bad that is, and in words."""
    faults = ("none", *SHOWN)
    answers = [audited.decider.by_design(kind, fault) for fault in faults]
    for place, one in enumerate(answers):
        if one.is_lost:
            length = one.length or 0
            return (place, length), f"{LOST[one.word]}, {counted(length, 'state')}: {FAULT[faults[place]].title}"
    if any(one.word == "open" for one in answers):
        return (len(faults), 0), "not decided"
    return (len(faults), 1), "the same"


def min_isr_unknown(audited: Audited) -> Iterator[Finding]:
    """Notes with an answer for each value, where no file says how many replicas a write waits for."""
    for cases, topics in audited.rows.items():
        if not topics[0].min_isr.assumed:
            continue
        said = {case.supposed: _of(audited, case) for case in cases}
        alike = len(set(said.values())) == 1
        yield Finding(
            "min-isr-unknown",
            tuple(one.topic.name for one in topics),
            f"{MIN_ISR} is not known: no file says what is in force",
            (
                *(
                    (f"Whatever it is: {said[1]}.",)
                    if alike
                    else (f"If it is {one}: {then}." for one, then in said.items())
                ),
                f"{TELLS}, tells.",
            ),
        )


def _of(audited: Audited, case: Supposition) -> str:
    """What is guaranteed in a case; of partitions with several numbers of replicas, each."""
    several = len({kind.copies for kind in case.kinds}) > 1
    either = len({kind.unclean for kind in case.kinds}) > 1
    return "; ".join(
        (f"of {counted(kind.copies, 'replica')}: " if several else "")
        + (f"with {UNCLEAN}={'true' if kind.unclean else 'false'}: " if either else "")
        + promised(audited.decider, kind)
        for kind in case.kinds
    )


# -- rules storage ----------------------------------------------------------------------------------------------------
# Storage that a restart empties: what it costs topics, and the quorum.

ONE, TWO = "clean", "two-clean"
"""The faults that disks would survive."""


def ephemeral(audited: Audited) -> Iterator[Finding]:
    """Errors: brokers that come back without their logs, and controllers without their vote."""
    groups: dict[Said, list[str]] = {}
    for one in audited.topics:
        said = loses_logs(audited.cluster, one.topic)
        if said is not None:
            groups.setdefault(said, []).append(one.topic.name)
    for said, names in groups.items():
        yield Finding(
            "ephemeral",
            tuple(names),
            f"the storage of brokers is ephemeral ({said.place}): who restarts or crashes comes back without its log",
            (
                "RESTARTS and CRASHES are therefore decided as crashes that lose data.",
                *_runs(audited, names),
                "If all brokers restart at once, nothing is left.",
            ),
            (said.place,),
            Fix((PERSISTENT,)),
            broken=(ONE, TWO),
        )
    for name, said in forgetful_controllers(audited.cluster):
        yield Finding(
            "ephemeral",
            (name,),
            f"the storage of controllers is ephemeral ({said.place}): who restarts has lost its vote and its log",
            (
                "It may vote twice in an epoch, so that two lead, and lacks metadata that a majority has committed: "
                "epochal check quorum-lost-disk shows it.",
            ),
            (said.place,),
            Fix((PERSISTENT,)),
            broken=("quorum",),
        )


def _runs(audited: Audited, names: list[str]) -> Iterator[str]:
    """The shortest run that loses something after one restart or crash, and after two."""
    kinds = {kind for one in audited.topics if one.topic.name in names for kind in one.kinds}
    for fault, called in ((ONE, "one restart or crash"), (TWO, "two of them")):
        lost = [one.worst for one in (audited.decider.under(kind, fault) for kind in kinds) if one.worst.is_lost]
        if lost:
            states = min(one.length or 0 for one in lost)
            yield f"Lost by {called}: {counted(states, 'state')}."


# -- rules tiered -----------------------------------------------------------------------------------------------------
# Known losses of tiered storage and of transactional ids: nothing of them is searched here.

TIERED, KEPT_BYTES = "remote.storage.enable", "retention.bytes"
KEPT_BY_DEFAULT = {"ms": str(7 * 24 * 60 * 60 * 1000), "bytes": ""}
"""`log.retention.hours`; of the size there is no limit."""
TRANSACTIONS, REMOTE_LOG_METADATA = "__transaction_state", "__remote_log_metadata"

FROM_THE_TICKET = "From the ticket and Kafka's sources; nothing of it was executed here."


class Hole(NamedTuple):
    """A bug that is known from its ticket: the first release that had it, and those that have its fix.

    `fixed` has the first release of each version that is fixed; every later version is.
    """

    tickets: str
    since: Version
    fixed: tuple[Version, ...]

    def is_in(self, release: str) -> bool:
        """Whether a release has it."""
        version = numbered(release)
        if version < self.since or version >= max(self.fixed):
            return False
        return not any(version[:2] == one[:2] and version >= one for one in self.fixed)

    @property
    def in_releases(self) -> str:
        """Who had it, for people."""
        first = ".".join(map(str, self.since[:2]))
        return f"Kafka {first} on, until {' and '.join('.'.join(map(str, one)) for one in sorted(self.fixed))}"


RETENTION = Hole("KAFKA-20732, apache/kafka#22661", (3, 9, 0), ((4, 3, 2), (4, 4, 0)))
"""Up to 3.8 one task copies, and so looks up, before it expires. The fix is on the branches 4.3, after 4.3.1, and 4.4;
of 3.9 to 4.2 requests are open (apache/kafka#22735 to #22738)."""

METADATA = Hole("KAFKA-19858, KIP-1235, apache/kafka#20811", (3, 6, 0), ((4, 3, 0),))
"""Since 4.3 the topic is made with min.insync.replicas=2; one that is there already stays as it is."""

IDS = Hole("KAFKA-20090, apache/kafka#21469 and #21506; KAFKA-20310, apache/kafka#21828", (4, 0, 0), ((4, 3, 0),))
"""Transactions of version 2 (KIP-890, 4.0) bump the epoch each time, so that it runs out."""


def _had(audited: Audited, hole: Hole) -> bool:
    return audited.decides and any(hole.is_in(one) for one in audited.releases)


def _said(topic: Topic, name: str) -> Said | None:
    """What is in force for a topic alone, or as a broker told it."""
    return topic.own.get(name) or (topic.seen or {}).get(name)


def _tiered(audited: Audited) -> list[Classified]:
    return [
        one
        for one in audited.topics
        if (said := _said(one.topic, TIERED)) is not None and any(yes(each, TIERED) for each in said.each)
    ]


def _in_force(audited: Audited, one: Classified, name: str) -> list[Said]:
    """A topic's own value, or those of the brokers where it has none. One that is derived is no number (-1, -2)."""
    said = _said(one.topic, name)
    cluster, of_brokers = audited.cluster, f"log.{name}"
    others = (
        [said]
        if said is not None
        else [
            *(node.static.get(of_brokers) for node in cluster.nodes.values()),
            cluster.everywhere.get(of_brokers),
            cluster.planned.get(of_brokers),
        ]
    )
    return [one for said in others if said is not None for one in said.each if is_number(one.value, 19)]


def retained_too_little(audited: Audited) -> Iterator[Finding]:
    """Warnings: a tiered topic with a limit of its size, in a release in which a new leader counts segments twice."""
    if not _had(audited, RETENTION):
        return
    limited = [(one, said[0]) for one in _tiered(audited) if (said := _in_force(audited, one, KEPT_BYTES))]
    if limited:
        yield Finding(
            "tiered-retention",
            tuple(one.topic.name for one, _ in limited),
            f"a new leader may count segments of both tiers twice, and delete from all of them what {KEPT_BYTES} keeps "
            "(KAFKA-20732)",
            (
                "Expiration runs before the leader knows what it has uploaded (highestOffsetInRemoteStorage is -1).",
                f"{RETENTION.in_releases}; {RETENTION.tickets}. Kafka's own classes of 3.9 to 4.3 have shown it: "
                "epochal catalogue KAFKA-20732.",
            ),
            tuple(said.place for _, said in limited),
            Fix((f"Kafka 4.4.0 or newer, or {KEPT_BYTES}=-1 with retention.ms as the limit until then",)),
        )


LINEAGE = tuple(bug for bug in BUGS if bug.id in ("T1", "T5"))
"""What tiered storage deletes after a truncation below what was uploaded."""

AFTER_ELECTION = (
    "after such an election restart the brokers that had these replicas, within local.retention.ms (T1), and compare "
    "the earliest offsets before one of them leads again (T5)"
)


def lineage_not_asked(audited: Audited) -> Iterator[Finding]:
    """Warnings: a tiered topic whose settings let an election lose what was uploaded. More goes after that (T1, T5).

    Only where a disk keeps less than the log does, which is not the default (LogConfig.localRetentionMs).
    """
    if audited.decides and any(bug.was_in(release) for bug in LINEAGE for release in audited.releases):
        yield from _deleted_after(audited, f"{UNCLEAN}=true", f"{UNCLEAN}=false", _is_unclean)
        yield from _deleted_after(audited, f"{MIN_ISR}=1", f"{MIN_ISR}=2", _acknowledges_alone)


def _is_unclean(kind: Kind) -> bool:
    return kind.copies > 1 and kind.unclean


def _acknowledges_alone(kind: Kind) -> bool:
    return kind.copies > 1 and kind.min_isr == 1


def _leaves_disks_first(audited: Audited, one: Classified) -> bool:
    """Whether local retention is shorter: Kafka takes no longer one (LogConfig.validateRemoteStorageRetentionTime)."""
    return any(
        local.value not in ({said.value for said in _in_force(audited, one, f"retention.{of}")} or {by_default})
        for of, by_default in KEPT_BY_DEFAULT.items()
        for local in _in_force(audited, one, f"local.retention.{of}")
    )


def _deleted_after(audited: Audited, why: str, wanted: str, holds: Callable[[Kind], bool]) -> Iterator[Finding]:
    found = [one for topics in audited.certain(holds).values() for one in topics]
    topics = [one for one in _tiered(audited) if one in found and _leaves_disks_first(audited, one)]
    if topics:
        names = tuple(one.topic.name for one in topics)
        yield Finding(
            "tiered-lineage",
            names,
            f"{why}: after an election that loses uploaded records, brokers may delete from every tier what was "
            "acknowledged later (T1), or what that election had kept (T5)",
            (
                "A truncation does not take back what a broker takes for uploaded, and a log that is cut to before its "
                "disk begins forgets what the remote tier has of it.",
                f"Kafka {LINEAGE[0].versions}; no ticket known. Brokers have shown T1, Kafka's own classes both. They "
                "are searched at bounds of their own: epochal catalogue T1 T5.",
            ),
            tuple(one.topic.place for one in topics),
            Fix((*set_for(names, wanted, audited.elr), AFTER_ELECTION)),
        )


def metadata_on_one(audited: Audited) -> Iterator[Finding]:
    """Warnings: what is uploaded is known from a topic whose writes one replica acknowledges."""
    one = next((one for one in audited.topics if one.topic.name == REMOTE_LOG_METADATA), None)
    if one is not None and not one.min_isr.assumed and "1" in one.min_isr.values:
        yield _metadata(
            (REMOTE_LOG_METADATA,),
            f"{MIN_ISR}=1: what is uploaded may be forgotten with one broker, and with it every record that is there "
            "alone (KAFKA-19858)",
            [one.topic],
            audited.elr,
        )
    elif one is None and _had(audited, METADATA) and (tiered := _tiered(audited)):
        yield _metadata(
            (REMOTE_LOG_METADATA,),
            f"topics are tiered, and before Kafka 4.3 this topic is made with the cluster's {MIN_ISR}: with 1, what is "
            "uploaded may be forgotten with one broker (KAFKA-19858)",
            [each.topic for each in tiered],
            audited.elr,
        )


def _metadata(subjects: tuple[str, ...], title: str, topics: Sequence[Topic], elr: bool) -> Finding:
    return Finding(
        "tiered-metadata",
        subjects,
        title,
        (f"Since 4.3 it is made with 2, one that is there stays as it is; {METADATA.tickets}. {FROM_THE_TICKET}",),
        tuple(one.place for one in topics),
        Fix(tuple(set_for(subjects, f"{MIN_ISR}=2", elr))),
    )


def ids_not_kept(audited: Audited) -> Iterator[Finding]:
    """Notes: a transactional producer whose producer id is used up just before the coordinator fails over."""
    topic = audited.cluster.topics.get(TRANSACTIONS)
    if topic is not None and _had(audited, IDS):
        yield Finding(
            "producer-ids",
            (TRANSACTIONS,),
            "a transaction may stay open, or its producer be refused for good, where the epochs of a producer id are "
            "used up while the coordinator fails over (KAFKA-20090, KAFKA-20310)",
            (
                "With transaction.version=2 every transaction takes an epoch, and an id has 32,767; the next id was "
                "not in the log.",
                f"{IDS.in_releases}; {IDS.tickets}. {FROM_THE_TICKET}",
            ),
            (topic.place,),
        )
