"""Settings that mean something else than they seem to, or differ where they should not."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import NamedTuple

from epochal.checker.host.numbers import counted

from .agreeing import alternatives
from .asked import Audited
from .cluster import MIN_ISR, UNCLEAN, Contradiction, Node
from .decided import may_have_elr
from .finding import Finding, Fix
from .said import Place, Said, number_of, short, yes

AUTO_CREATE, DEFAULT_COPIES = "auto.create.topics.enable", "default.replication.factor"


class Planned(NamedTuple):
    """A topic that Kafka creates for itself: what says how many copies it gets, and what Kafka does without."""

    topic: str
    setting: str
    default: int
    what: str


PLANNED = (
    Planned("__consumer_offsets", "offsets.topic.replication.factor", 3, "the offsets that consumers have committed"),
    Planned("__transaction_state", "transaction.state.log.replication.factor", 3, "what transactions have decided"),
    Planned(
        "__share_group_state", "share.coordinator.state.topic.replication.factor", 3, "what share groups have read"
    ),
)


def values_differ(audited: Audited) -> Iterator[Finding]:
    """Warnings: nodes disagree, so that what counts depends on who leads."""
    groups: dict[tuple[str, str, tuple[Said, ...]], list[str]] = {}
    for one in audited.topics:
        for name, found in ((MIN_ISR, one.min_isr), (UNCLEAN, one.unclean)):
            if found.others:
                default = f"{found.value} (by default)" if found.said is None else ""
                groups.setdefault((name, default, found.told), []).append(one.topic.name)
    for (name, default, said), topics in groups.items():
        values = dict.fromkeys((*([default] if default else []), *(f"{one.value} ({one.place})" for one in said)))
        yield Finding(
            "min-isr-differs",
            "warning",
            tuple(topics),
            f"{name} is {' or '.join(values)}, by who leads: each is judged, and the worst of each column is told",
            (
                "Runs in which leaders with different values follow each other are not searched.",
                "A value of the topic itself, or of the whole cluster, ends this.",
            ),
            tuple(dict.fromkeys(one.place for one in said)),
            Fix(
                (
                    f"kafka-configs --bootstrap-server HOST:9092 --alter --entity-type brokers --entity-default "
                    f"--add-config {name}=VALUE, and without it in the files of the nodes",
                )
            ),
        )


def brokers_do_not_count(audited: Audited) -> Iterator[Finding]:
    """Warnings: with eligible leader replicas on, what a broker's file says does not count."""
    if not audited.elr:
        return
    everywhere = audited.cluster.everywhere.get(MIN_ISR)
    yield from _planned_may_not_count(audited)
    said = [(node, node.static[MIN_ISR]) for node in _nodes(audited) if MIN_ISR in node.static]
    other = [(node, one) for node, one in said if everywhere is None or one.value != everywhere.value]
    if not other:
        return
    counts = "the value of the cluster does" if everywhere is None else f"{everywhere.value} does ({everywhere.place})"
    inherit = [one.topic.name for one in audited.topics if one.min_isr.level not in ("topic", "topic or broker")]
    yield Finding(
        "min-isr-of-brokers",
        "warning",
        tuple(f"node {node.id}" for node, _ in other),
        f"min.insync.replicas={other[0][1].value} of a node does not count while eligible leader replicas are on: "
        f"{counts}",
        (
            f"It is in force for {audited.named(inherit)}." if inherit else "Every topic has a value of its own.",
            "Changing the cluster's value empties every ELR (ClearElrRecord): do it while all replicas are in sync.",
        ),
        tuple(one.place for _, one in other),
    )


def _planned_may_not_count(audited: Audited) -> Iterator[Finding]:
    """The operator writes what a resource says to every node, and the controller has read it once: KIP-966."""
    planned = audited.cluster.planned.get(MIN_ISR)
    if planned is None or MIN_ISR in audited.cluster.everywhere:
        return
    yield Finding(
        "min-isr-of-brokers",
        "warning",
        ("cluster",),
        f"min.insync.replicas={planned.value} of the files of all nodes ({planned.place.file}) is taken, as it was "
        "when eligible leader replicas were turned on: what it was changed to since does not count",
        (
            "kafka-configs --describe --entity-type brokers --entity-default tells what is in force: add its output.",
            "A change there empties every ELR (ClearElrRecord): make it while all replicas are in sync.",
        ),
        (planned.place,),
    )


def _nodes(audited: Audited) -> list[Node]:
    return [node for _, node in sorted(audited.cluster.nodes.items())]


def contradictions(audited: Audited) -> Iterator[Finding]:
    """Warnings: two files of one cluster that cannot both be true."""
    for one in audited.cluster.contradictions:
        yield Finding(
            "contradiction",
            "warning",
            (one.about,),
            f"{short(one.setting)} is {short(one.left.value)} ({one.left.place}) "
            f"and {short(one.right.value)} ({one.right.place})",
            (one.why or _why_contradicted(one),),
            (one.left.place, one.right.place),
        )


def _why_contradicted(one: Contradiction) -> str:
    if one.about.startswith("node"):
        return "The broker has not been started with its file since, or the files are of two moments."
    if one.left.place.file == "--kafka":
        return "What is given is taken: leave --kafka out, or mend it."
    return "The files are of two moments, or of two clusters."


def internal_topics(audited: Audited) -> Iterator[Finding]:
    """Errors: a topic of Kafka's own will be created with fewer than three copies."""
    for planned in PLANNED:
        if planned.topic in audited.cluster.topics:
            continue
        said = [*_settings_of(audited, planned.setting)]
        few = [one for one in said if number_of(one, planned.setting) < planned.default]
        if few:
            copies = min(number_of(one, planned.setting) for one in few)
            yield Finding(
                "internal-topics",
                "error" if copies == 1 else "warning",
                (planned.topic,),
                f"it is not there yet, and will have {counted(copies, 'copy', 'copies')}: {planned.what} "
                + ("are gone with one disk" if copies == 1 else "stop with one broker"),
                (),
                tuple(one.place for one in few),
                Fix((f"{planned.setting}=3 in {', '.join(dict.fromkeys(_where(audited, one) for one in few))}",)),
            )


def _where(audited: Audited, said: Said) -> str:
    """The file in which a value is to be set: an output of a broker is none."""
    if not said.source:
        return said.place.file
    nodes = [f"node {node.id}" for node in _nodes(audited) if said in node.static.values()]
    return f"server.properties of {nodes[0] if nodes else 'every broker'}"


def _settings_of(audited: Audited, name: str) -> Iterator[Said]:
    """What nodes and resources say of a setting, wherever they do."""
    cluster = audited.cluster
    for node in _nodes(audited):
        if name in node.static and (not node.roles or "broker" in node.roles):
            yield from node.static[name].each
    for values in (cluster.everywhere, cluster.planned):
        if name in values:
            yield from values[name].each


def auto_created(audited: Audited) -> Iterator[Finding]:
    """Warnings: whoever writes to a topic that is not there makes one with a single copy."""
    brokers = [node for node in _nodes(audited) if node.static and (not node.roles or "broker" in node.roles)]
    open_to = [
        node
        for node in brokers
        if AUTO_CREATE not in node.static or any(yes(one, AUTO_CREATE) for one in node.static[AUTO_CREATE].each)
    ]
    few = [
        node
        for node in open_to
        if DEFAULT_COPIES not in node.static
        or any(number_of(one, DEFAULT_COPIES) == 1 for one in node.static[DEFAULT_COPIES].each)
    ]
    few = [node for node in few if DEFAULT_COPIES not in audited.cluster.everywhere]
    planned = audited.cluster.planned
    if planned and not brokers:
        off = all(one is not None and not yes(one, AUTO_CREATE) for one in alternatives(planned, AUTO_CREATE))
        several = alternatives(planned, DEFAULT_COPIES)
        enough = all(one is not None and number_of(one, DEFAULT_COPIES) > 1 for one in several)
        if not off and not enough:
            yield _auto_created(("cluster",), tuple(one.place for one in planned.values())[:1])
    elif few:
        places = [(node.static.get(DEFAULT_COPIES) or node.static.get(AUTO_CREATE)) for node in few]
        yield _auto_created(
            tuple(f"node {node.id}" for node in few),
            tuple(node.place if said is None else said.place for node, said in zip(few, places, strict=True)),
        )


def _auto_created(subjects: tuple[str, ...], places: tuple[Place, ...]) -> Finding:
    return Finding(
        "auto-created",
        "warning",
        subjects,
        f"{AUTO_CREATE} is on and {DEFAULT_COPIES} is 1: a topic that nobody creates gets one copy",
        (),
        places,
        Fix((f"{AUTO_CREATE}=false, or {DEFAULT_COPIES}=3",)),
    )


def idempotence_off(audited: Audited) -> Iterator[Finding]:
    """Notes: a producer that retries without idempotence."""
    for producer in audited.cluster.producers:
        said = producer.settings.get("enable.idempotence")
        if said is not None and not yes(said, "enable.idempotence"):
            yield Finding(
                "idempotence",
                "note",
                (producer.file,),
                "enable.idempotence=false: a write that is sent again may be there twice, or out of order (KIP-98)",
                places=(said.place,),
            )


def assumed(audited: Audited) -> Iterator[Finding]:
    """Notes: what no file says, and was taken."""
    if audited.decides and not audited.elr_known and any(may_have_elr(one) for one in audited.releases):
        yield Finding(
            "elr-unknown",
            "note",
            ("cluster",),
            "eligible leader replicas are taken for off, as in a cluster that comes from a version before 4.1",
            ("The output of 'kafka-features describe' tells; new clusters have them on since 4.1.",),
        )
    if audited.decides and not audited.point_known:
        yield Finding(
            "release-unknown",
            "note",
            ("cluster",),
            f"which point release runs is not known: the first is taken, {audited.releases[0]}.0, which has all holes",
            (f"Later ones have other rules: --kafka {audited.releases[0]}.1, for example.",),
        )
    for file in audited.cluster.producers:
        if not file.topics and "acks" in file.settings:
            yield Finding(
                "acks-unknown",
                "note",
                (file.file,),
                f"it may write to every topic: say which, --producer {shlex.quote(f'PATTERN={file.file}')}",
                places=(file.settings["acks"].place,),
            )
