"""What is lost: by the settings of a topic, by the design of a release, or by its holes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from epochal.checker.host.numbers import counted
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.kraft.generations import FIRST_WITH_ELR, numbered

from .asked import Audited
from .decided import FAULT, SHOWN, Answered, Decider, Outcome, known_release, most_copies
from .finding import Finding, Fix
from .fixes import fewer_in_sync, fix_of
from .said import Place, short
from .topic_class import Classified, Kind

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
            "error",
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
        "error",
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
        "error",
        _names(topics),
        "acks=0: no producer is told whether a record was written, so nothing is promised",
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
            "warning",
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
                "and min.insync.replicas for the whole cluster first: values of single brokers do not count then",
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
            "warning",
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
            "warning",
            ("cluster",),
            f"no file says which release of Kafka {audited.cluster.name} runs: what its holes break is not decided",
            ("Give --kafka VERSION, or the output of 'kafka-features describe'.",),
        )
    for release in audited.refused:
        yield Finding(
            "release-unknown",
            "warning",
            ("cluster",),
            f"the rules of Kafka {short(release.value)} are not known here: what it keeps is not decided",
            (f"Known: Kafka with KRaft, up to {audited.newest}.",),
            (release.place,) if release.place.file else (),
        )
    if audited.cluster.zookeeper is not None:
        yield Finding(
            "release-unknown",
            "warning",
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
            "warning",
            _names(topics),
            f"not decided: {', '.join(one.title for one in faults)}",
            (f"{reason[0].upper()}{reason[1:]}.",),
            broken=tuple(one.id for one in faults),
        )
    if audited.unknown:
        names = [topic.name for topic in audited.unknown]
        yield Finding(
            "not-decided",
            "warning",
            tuple(names),
            "no file says how many replicas they have",
            ("Add the output of 'kafka-topics --describe'.",),
            tuple(topic.place for topic in audited.unknown),
        )


__all__ = ["known_release", "lost_by_release", "lost_by_settings", "not_decided", "places_of", "writes_stop"]
