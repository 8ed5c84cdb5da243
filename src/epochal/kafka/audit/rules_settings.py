"""Settings that mean something else than they seem to, or differ where they should not."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from epochal.checker.base.numbers import counted
from epochal.spec.kraft.heeded import AT_MOST_COPIES, MIN_ISR, UNCLEAN, heeds, since

from ..evidence.place import Place
from .cluster import Node, alternatives
from .decided import may_have_elr
from .finding import Audited, Finding, Fix, promised, set_for
from .rules_loss import LOST, places_of
from .said import Said, number_of, short, some_of, yes
from .tool_output import Partition
from .topic_class import MOST_NUMBERS, Classified, Supposition, partitions_with

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
            tuple(topics),
            f"{name} is {' or '.join(values)}, by who leads: each is checked, and each column shows the worst",
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
            (one.about,),
            f"{short(one.setting)} is {short(one.left.value)} ({one.left.place}) "
            f"and {short(one.right.value)} ({one.right.place})",
            (one.why,),
            (one.left.place, one.right.place),
        )


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
                (planned.topic,),
                f"it is not there yet, and will have {counted(copies, 'copy', 'copies')}: {planned.what} "
                + ("are gone with one disk" if copies == 1 else "stop with one broker"),
                (),
                tuple(one.place for one in few),
                Fix((f"{planned.setting}=3 in {', '.join(dict.fromkeys(_where(audited, one) for one in few))}",)),
                otherwise="error" if copies == 1 else None,
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
        if name in node.static and node.may_lead:
            yield from node.static[name].each
    for values in (cluster.everywhere, cluster.planned):
        if name in values:
            yield from values[name].each


def auto_created(audited: Audited) -> Iterator[Finding]:
    """Warnings: whoever writes to a topic that is not there makes one with a single copy."""
    brokers = [node for node in _nodes(audited) if node.static and node.may_lead]
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
                (producer.file,),
                "enable.idempotence=false: a write that is sent again may be there twice, or out of order (KIP-98)",
                places=(said.place,),
            )


def assumed(audited: Audited) -> Iterator[Finding]:
    """Notes: what no file says, and was taken."""
    if audited.decides and not audited.elr_known and any(may_have_elr(one) for one in audited.releases):
        yield Finding(
            "elr-unknown",
            ("cluster",),
            "eligible leader replicas are taken for off, as in a cluster that comes from a version before 4.1",
            ("The output of 'kafka-features describe' tells; new clusters have them on since 4.1.",),
        )
    if audited.decides and not audited.point_known:
        yield Finding(
            "release-unknown",
            ("cluster",),
            f"which point release runs is not known: the first is taken, {audited.releases[0]}.0, which has all holes",
            (f"Later ones have other rules: --kafka {audited.releases[0]}.1, for example.",),
            otherwise="note",
        )
    for file in audited.cluster.producers:
        if not file.topics and "acks" in file.settings:
            yield Finding(
                "acks-unknown",
                (file.file,),
                f"it may write to every topic: say which, --producer {shlex.quote(f'PATTERN={file.file}')}",
                places=(file.settings["acks"].place,),
            )


# -- rules heeded -----------------------------------------------------------------------------------------------------
# What is set and not heeded, or heeded otherwise than newer releases do.


def not_heeded(audited: Audited) -> Iterator[Finding]:
    """Warnings: unclean election is on, and the release elects nobody by it."""
    if not audited.decides or any(heeds(one, UNCLEAN) for one in audited.releases):
        return
    topics = [one for one in audited.topics if any(yes(said, UNCLEAN) for said in one.unclean.told)]
    if not topics:
        return
    first = since(UNCLEAN)
    kinds = [kind for one in topics for kind in one.kinds if kind.copies > 1]
    after = [audited.decider.by_design(replace(kind, unclean=True), "two-clean") for kind in kinds]
    lost = [one for one in after if one.is_lost]
    words = f": {LOST[lost[0].word]} when two brokers crash, {counted(lost[0].length or 0, 'state')}" if lost else ""
    yield Finding(
        "not-heeded",
        tuple(one.topic.name for one in topics),
        f"{UNCLEAN}=true elects nobody: KRaft heeds it since Kafka {first.release} (KAFKA-12670)",
        (
            "A partition whose ISR is gone has no leader until one of it is back, or an operator elects: "
            "kafka-leader-election --election-type unclean.",
            f"With Kafka {first.release} or newer it elects{words}.",
            f"Source: {first.source}.",
        ),
        tuple(places_of(topics)),
    )


def writes_refused(audited: Audited) -> Iterator[Finding]:
    """Warnings: every write with acks=all is refused, although all brokers are up."""
    first = since(MIN_ISR, AT_MOST_COPIES)
    for kind, topics in audited.certain(lambda one: one.refuses).items():
        values = " or ".join(dict.fromkeys(value for one in topics for value in one.min_isr.values))
        names = tuple(one.topic.name for one in topics)
        yield Finding(
            "no-writes",
            names,
            "every write with acks=all is refused (NOT_ENOUGH_REPLICAS), although all brokers are up: "
            f"{MIN_ISR}={values} with {counted(kind.copies, 'replica')}",
            (
                f"Since Kafka {first.release}.0 the smaller number counts (KAFKA-15583; KAFKA-21110 is about it).",
                *audited.limits([kind], topics),
            ),
            tuple(places_of(topics)),
            Fix(tuple(set_for(names, f"{MIN_ISR}={kind.copies}", kind.elr))),
            broken=("writes",),
        )


def more_than_copies(audited: Audited) -> Iterator[Finding]:
    """Notes: what is asked for is more than there is, and Kafka takes as many as there are."""
    if audited.releases and not any(heeds(one, MIN_ISR, AT_MOST_COPIES) for one in audited.releases):
        return
    groups: dict[tuple[int, str], list[Classified]] = {}
    for one in audited.topics:
        for copies in one.topic.numbers or {kind.copies for kind in one.kinds}:
            for value in () if one.min_isr.assumed else one.min_isr.values:
                if int(value) > copies:
                    groups.setdefault((copies, value), []).append(one)
    known = bool(audited.releases)
    for (copies, value), topics in groups.items():
        parts = [
            f"Of {one.topic.name} only {partitions_with(one.topic, [copies])}."
            for one in topics
            if len(one.topic.numbers) > 1
        ]
        before = f"Before Kafka {since(MIN_ISR, AT_MOST_COPIES).release} every write with acks=all is refused there."
        yield Finding(
            "min-isr-above-copies",
            tuple(one.topic.name for one in topics),
            f"{MIN_ISR}={value} with {counted(copies, 'replica')}: {copies} counts (Partition.effectiveMinIsr)",
            (*parts, *(() if known else (before,))),
        )


# -- rules files ------------------------------------------------------------------------------------------------------
# What stands in the files and decides nothing here: nothing is left out in silence.


def not_read(audited: Audited) -> Iterator[Finding]:
    """Notes: columns that nobody knows here, topics that are to go, what a resource leaves to others."""
    racks_known = bool(audited.cluster.racks)
    for one in audited.cluster.remarks:
        if one.about == RACKS and racks_known:
            continue
        yield Finding("not-read", (one.about,), f"{short(one.said)}: {one.why}", places=(one.place,))


def nodes_unknown(audited: Audited) -> Iterator[Finding]:
    """Notes: brokers with replicas, of which no file says how they are configured, beside others."""
    nodes = audited.cluster.nodes
    left = sorted(audited.cluster.brokers - nodes.keys())
    if nodes and left:
        yield Finding(
            "nodes-unknown",
            tuple(f"node {number}" for number in left),
            "no file says how it is configured: what it sets otherwise than the others is not known",
            ("Add its server.properties, or the output of 'kafka-configs --describe --all --entity-type brokers'.",),
        )


RACKS = "racks"
"""What a remark is about that says that racks are there, and not which."""


# -- rules layout -----------------------------------------------------------------------------------------------------
# Where replicas are, who votes, and what is wrong at this moment.

FEW_VOTERS = 3
MOST_FAULTS = 2


def rack_losses(audited: Audited) -> Iterator[Finding]:
    """Warnings: a rack with several replicas of one partition is several faults at once."""
    racks = audited.cluster.racks
    groups: dict[tuple[str, int, int], list[Classified]] = {}
    for one in audited.topics:
        worst = _worst_rack(one, racks)
        if worst is not None and worst[2] > 1:
            groups.setdefault(worst, []).append(one)
    for (rack, lost, copies), topics in groups.items():
        left = copies - lost
        kinds = [kind for one in topics for kind in one.kinds if kind.copies == copies]
        stops = [one.topic.name for one in topics if all(_stops(case, copies, left) for case in one.cases)]
        why = [f"{left} of {copies} replicas are elsewhere." if left else "All replicas are there."]
        if stops:
            why.append(f"Writes with acks=all stop for {audited.named(stops)}.")
        if lost > MOST_FAULTS:
            why.append("Three faults at once are not searched.")
        else:
            clean = [audited.decider.under(kind, "two-clean").designed.word for kind in kinds]
            if all(word == "kept" for word in clean) and not any(kind.ephemeral for kind in kinds):
                why.append("If they come back with all their data, nothing is lost, as designed.")
        both = [audited.decider.under(kind, "two-lossy") for kind in kinds if kind.copies < 4]
        lossy = [one for one in both if one.worst.is_lost]
        if lossy and lost > 1:
            states = min(one.worst.length or 0 for one in lossy)
            why.append(f"If the rack loses power, two replicas lose data at once: lost in {counted(states, 'state')}.")
        yield Finding(
            "rack",
            tuple(one.topic.name for one in topics),
            f"rack {short(rack)} has {lost} of {copies} replicas of a partition: losing it is {lost} faults at once",
            tuple(why),
            tuple(dict.fromkeys(one.topic.place for one in topics)),
            Fix((_spread(len({each for several in racks.values() for each in several}), copies),)),
            broken=("rack", *(["writes"] if stops else [])),
        )


def _stops(case: Supposition, copies: int, left: int) -> bool:
    """Whether some partition with so many replicas takes no write with acks=all while so many are left."""
    return any(kind.copies == copies and left < kind.min_isr for kind in case.kinds)


def _spread(racks: int, copies: int) -> str:
    if racks < copies:
        return f"brokers in {copies} racks or more ({racks} are there), and kafka-reassign-partitions to use them"
    return "a reassignment that has each replica in a rack of its own (kafka-reassign-partitions)"


def _worst_rack(one: Classified, racks: Mapping[int, Sequence[str]]) -> tuple[str, int, int] | None:
    """The rack that leaves the fewest replicas of one partition, if it takes several with it: its name, how many it
    takes, and how many there are.
    """
    worst: tuple[str, int, int] | None = None
    for partition in one.topic.partitions.values():
        known = sorted(rack for number in partition.members for rack in racks.get(number, ()))
        for rack, same in itertools.groupby(known):
            count = len(list(same))
            left = partition.copies - count
            if count > 1 and (worst is None or (left, -count) < (worst[2] - worst[1], -worst[1])):
                worst = (rack, count, partition.copies)
    return worst


def copies_differ(audited: Audited) -> Iterator[Finding]:
    """Warnings: partitions of a topic have different numbers of replicas, and are guaranteed different things."""
    for one in audited.topics:
        several = one.topic.numbers
        if len(several) > 1 and one.topic.partitions:  # two files that differ are told as that
            few = [partition for partition in one.topic.partitions.values() if partition.copies == several[0]]
            fewest = partitions_with(one.topic, several[:1]).replace(", which", "")
            yield Finding(
                "copies-differ",
                (one.topic.name,),
                f"{fewest}, others have {' or '.join(map(str, several[1:]))}: each number is checked, and each column "
                "shows the worst",
                tuple(_by_copies(audited, one)),
                tuple(partition.place for partition in few),
            )


def reassigning(audited: Audited) -> Iterator[Finding]:
    """Notes: a reassignment adds replicas that do not have everything yet, and what is guaranteed counts them."""
    for one in audited.topics:
        some = [each for each in one.topic.partitions.values() if set(each.adding) - set(each.isr)]
        if some:
            numbers = some_of([str(each.number) for each in some], MOST_NUMBERS)
            least = min(len(each.isr) for each in some)
            yield Finding(
                "reassigning",
                (one.topic.name,),
                "replicas are added that are not in the ISR yet: the guarantees hold from when that is over",
                (
                    f"Partition{'s' if len(some) > 1 else ''} {numbers}: until then the ISR has "
                    f"{least}{' or more' if len(some) > 1 else ''}.",
                ),
                tuple(each.place for each in some),
            )


def _by_copies(audited: Audited, one: Classified) -> Iterator[str]:
    """What is guaranteed to the partitions with each number of replicas."""
    for copies in one.topic.numbers:
        kinds = [kind for kind in one.kinds if kind.copies == copies]
        if len(one.cases) == 1 and len(kinds) == 1:
            which = partitions_with(one.topic, [copies])
            yield f"{which[0].upper()}{which[1:]}: {promised(audited.decider, kinds[0])}."


def quorum(audited: Audited) -> Iterator[Finding]:
    """Warnings: controllers that stop with one of them, and those that are behind."""
    voters = audited.cluster.voters
    controllers = {node.id: node.place for node in audited.cluster.nodes.values() if node.is_controller}
    pools = {one.place: one.count for one in audited.cluster.pools if "controller" in one.roles}
    count = len(voters) or len(controllers) or sum(pools.values())
    places = [voter.place for voter in voters.values()] or list(controllers.values()) or list(pools)
    if 0 < count < FEW_VOTERS:
        yield Finding(
            "quorum",
            ("controllers",),
            f"{counted(count, 'controller')}: no leader is elected, and no ISR changes, while one of them is down",
            places=tuple(dict.fromkeys(places)),
            fix=Fix(("three controllers, or five",)),
        )
    for voter in voters.values():
        if not voter.heard:
            yield Finding(
                "quorum-behind",
                (f"node {voter.node}",),
                f"controller {voter.node} has not asked the leader for anything: the quorum has one spare less",
                ("It is down, or cannot reach the leader.",),
                places=(voter.place,),
            )
        elif voter.is_behind:
            yield Finding(
                "quorum-behind",
                (f"node {voter.node}",),
                f"controller {voter.node} is {voter.lag:,} records behind: the quorum has one spare less than it seems",
                places=(voter.place,),
            )


def at_this_moment(audited: Audited) -> Iterator[Finding]:
    """What is wrong when the files were written: no leader, too small an ISR, a replica that is behind."""
    offline, below, behind, empty, left_over, without = {}, {}, {}, {}, {}, {}
    for one in audited.topics:
        for partition in one.topic.partitions.values():
            where = f"{one.topic.name}-{partition.number}"
            eligible = partition.elr
            least = min(kind.min_isr for kind in one.kinds if kind.copies == partition.copies)
            if audited.elr and eligible is not None and len({*partition.isr, *eligible}) < least:
                empty[where] = partition
            if audited.elr_known and not audited.elr and eligible:
                left_over[where] = partition
            if not set(partition.replicas).issuperset(partition.last_known):
                without[where] = partition
            if partition.leader is None:
                offline[where] = partition
            elif len(partition.isr) < least:
                below[where] = partition
            elif len(partition.isr) < partition.copies:
                behind[where] = partition
    for found, rule, title in (
        (offline, "now-offline", "no leader when the files were written: nothing is read or written"),
        (below, "now-below-min-isr", "fewer replicas in sync than min.insync.replicas: writes with acks=all fail"),
        (behind, "now-under-replicated", "a replica was not in sync: one fault has happened already"),
        (empty, "elr-empty", "fewer replicas in sync or eligible than min.insync.replicas: the ELR was emptied"),
        (left_over, "elr-left-over", "ELR is off, and who is left in the ELR may be elected all the same (H14)"),
        (without, "last-known-leader", "the last known leader has no replica, and may stop the controllers (H15)"),
    ):
        if found:
            yield Finding(
                rule,
                tuple(found),
                title,
                (
                    *_who_may_lead(rule, found),
                    *(_if_more(audited, found) if rule == "now-under-replicated" else ()),
                    *(_keep_up(audited, found) if rule in ("now-below-min-isr", "now-under-replicated") else ()),
                ),
                tuple(partition.place for partition in found.values()),
            )


def _who_may_lead(rule: str, found: Mapping[str, Partition]) -> Iterator[str]:
    """What can be done: who may lead where nobody does, and what an ELR means that is empty, or left over."""
    if rule == "elr-empty":
        yield "A change of min.insync.replicas empties it (KAFKA-16540), and so does a broker that lost its data."
        yield "Those in sync may be the only ones that have every acknowledged record: keep them up until others are."
    if rule == "elr-left-over":
        yield "The next change of the partition empties it, and may elect one of them, whatever that one has lost."
        yield "Keep the leader up until all replicas are in sync, and leave min.insync.replicas as it is until then."
    if rule == "last-known-leader":
        yield "A replica that registers after an unclean shutdown makes the controller resign, again and again."
        for where, one in found.items():
            yield f"Stop {_brokers(one.last_known)} until a replica of {where} leads."
    if rule != "now-offline":
        return
    for where, one in found.items():
        if one.elr:
            yield f"{where} is led again once {_brokers(one.elr)} of its ELR is back: nothing is lost by that."
        elif one.last_known:
            yield f"{where} waits for its last known leader, {_brokers(one.last_known)}; its log decides what is left."
        elif one.isr:
            yield f"{where} is led again once {_brokers(one.isr)} of its ISR is back."


def _keep_up(audited: Audited, found: Mapping[str, Partition]) -> Iterator[str]:
    """Which brokers not to stop now: those without which a partition has no replica in sync."""
    alone: dict[int, list[str]] = {}
    for where, one in found.items():
        if len(one.isr) == 1:
            alone.setdefault(one.isr[0], []).append(where)
    for broker, partitions in sorted(alone.items()):
        yield f"Do not stop broker {broker}: no other replica is in sync of {audited.named(partitions)}."


def _if_more(audited: Audited, found: Mapping[str, Partition]) -> Iterator[str]:
    """Where writes fail by now if `min.insync.replicas` is more than the ISR, which nobody says."""
    unknown = {one.topic.name for one in audited.topics if one.min_isr.assumed}
    where = [name for name in found if name.rpartition("-")[0] in unknown]
    least = min((len(found[name].isr) for name in where), default=0)
    if where:
        yield f"With {MIN_ISR}={least + 1} or more writes with acks=all fail: {audited.named(where)}."


def _brokers(ids: Sequence[int]) -> str:
    return f"broker {' or '.join(map(str, ids))}"
