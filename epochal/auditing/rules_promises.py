"""What is lost: by the settings of a topic, by the design of a release, or by its holes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epochal.checker.host.numbers import counted
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.kraft.generations import FIRST_WITH_ELR, numbered

from .asked import Audited
from .decided import FAULT, SHOWN, Answered, Outcome, known_release, most_copies
from .finding import Finding, Fix
from .fixes import fewer_in_sync, fix_of
from .said import Place, short
from .topic_class import Classified, Kind, with_acks

LOST = {
    "acked lost": "acknowledged records are lost",
    "read lost": "records that were read are lost",
    "logs differ": "logs differ below the high watermark",
}
AT_ONCE = ("fencing", "clean", "two-clean", "lossy")
"""Faults that a good configuration survives: one broker, or two that lose nothing."""


def lost_by_settings(audited: Audited) -> Iterator[Finding]:
    """Errors: what others settings of the same topic would keep."""
    for kind, topics in audited.classes.items():
        if kind.copies == 1:
            yield _one_copy(audited, kind, topics)
            continue
        if kind.acks == "0":
            yield _no_promise(topics)
            continue
        lost = [one for one in audited.decider.all_of(kind) if one.fault.id in AT_ONCE and one.by_settings]
        if lost:
            yield Finding(
                "acked-lost",
                "error",
                _names(topics),
                f"{_causes(kind)}: {LOST[lost[0].designed.word]} {_when(audited, kind, lost)}",
                tuple(_why(kind, lost)),
                tuple(_places(topics)),
                fix_of(audited.decider, kind, topics),
                tuple((kind, one) for one in lost),
                tuple(one.fault.id for one in lost),
            )


def _one_copy(audited: Audited, kind: Kind, topics: Sequence[Classified]) -> Finding:
    lossy = audited.decider.under(kind, "lossy")
    states = f" ({counted(lossy.worst.length, 'state')})" if lossy.worst.length else ""
    return Finding(
        "one-copy",
        "error",
        _names(topics),
        f"one copy: what is not on its disk when the power fails is gone{states}, and a restart stops reads and writes",
        (),
        tuple(_places(topics)),
        fix_of(audited.decider, kind, topics),
        ((kind, lossy),) if lossy.worst.is_lost else (),
        ("lossy",),
    )


def _no_promise(topics: Sequence[Classified]) -> Finding:
    return Finding(
        "acked-lost",
        "error",
        _names(topics),
        "acks=0: no producer is told whether a record was written, so nothing is promised",
        (),
        tuple(_places(topics)),
        Fix(("acks=all in " + ", ".join(sorted({str(one.acks.place) for one in topics if one.acks is not None})),)),
        broken=AT_ONCE,
    )


def _names(topics: Sequence[Classified]) -> tuple[str, ...]:
    return tuple(one.topic.name for one in topics)


def _places(topics: Sequence[Classified]) -> Iterator[Place]:
    """Where the settings of topics are said, each place once."""
    seen: dict[Place, None] = {}
    for one in topics:
        for said in (one.acks, one.min_isr.said, one.unclean.said):
            if said is not None and not (said is one.unclean.said and not one.kind.unclean):
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
        topics = [one.topic.name for one in audited.topics if one.kind in kinds]
        yield Finding(
            rule,
            "warning",
            tuple(topics),
            _title(behind, audited),
            tuple(_told(behind, runs, audited, topics)),
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
    for kind, topics in audited.classes.items():
        if kind.acks != "all" or kind.copies == 1 or audited.decider.writes(kind) is not False:
            continue
        inherited = "" if topics[0].min_isr.level == "topic" else f", which comes from {topics[0].min_isr.place}"
        why = [f"min.insync.replicas={kind.min_isr}{inherited} asks for every one of {kind.copies} replicas."]
        fix = None
        if kind.copies >= 3:
            fix = fewer_in_sync(audited.decider, kind, _names(topics))
        elif kind.copies == 2:
            fix = Fix((f"a replication factor of 3 for {audited.named(_names(topics))}",), audited.promised(kind, 2, 3))
        yield Finding(
            "no-writes",
            "warning",
            _names(topics),
            "no write with acks=all succeeds while any one broker is down or restarts",
            tuple(why),
            tuple(_places(topics)),
            fix,
            broken=("writes",),
        )


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
    for kind, topics in audited.classes.items():
        shown = {audited.decider.under(kind, fault).fault.id for fault in SHOWN}
        every = audited.decider.all_of(kind)
        faults = [one for one in every if one.fault.id in shown and one.is_open]
        if not faults or not audited.decides:
            continue
        reason = (
            f"{kind.copies} replicas are more than the {most_copies()} that are searched"
            if kind.copies > most_copies()
            else "the search was left out, or ended early"
        )
        yield Finding(
            "not-decided",
            "warning",
            _names(topics),
            f"not decided: {', '.join(one.fault.title for one in faults)}",
            (f"{reason[0].upper()}{reason[1:]}.",),
            broken=tuple(one.fault.id for one in faults),
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


def acks_unknown(audited: Audited) -> Iterator[Finding]:
    """A note with both answers, where no producer says what it waits for."""
    unknown = [kind for kind in audited.classes if not kind.acks_known and kind.copies > 1]
    topics = [one.topic.name for one in audited.topics if one.kind in unknown]
    lost: dict[str, list[str]] = {}
    for kind in unknown:
        weaker = with_acks(kind, "1")
        answers = {fault: audited.decider.by_design(weaker, fault) for fault in ("none", *SHOWN)}
        weak = next((fault for fault, one in answers.items() if one.is_lost), None)
        then = "not decided" if any(one.word == "open" for one in answers.values()) else "the same"
        if weak is not None:
            one = answers[weak]
            then = f"{LOST[one.word]}, {counted(one.length or 0, 'state')}: {FAULT[weak].title}"
        lost.setdefault(then, []).extend(one.topic.name for one in audited.classes[kind])
    if topics:
        yield Finding(
            "acks-unknown",
            "note",
            tuple(topics),
            "acks=all is assumed, the default of producers since 3.0",
            (
                *(f"With acks=1: {then} ({audited.named(names)})." for then, names in lost.items()),
                "Give the files of producers, and which topics they are for: --producer 'PATTERN=app.properties'.",
            ),
        )


__all__ = ["known_release", "lost_by_release", "lost_by_settings", "not_decided", "writes_stop"]
