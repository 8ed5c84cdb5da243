"""Where replicas are, who votes, and what is wrong at this moment."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from epochal.checker.host.numbers import counted

from .asked import Audited
from .cluster import MIN_ISR
from .finding import Finding, Fix
from .fixes import promised
from .formats.topics import Partition
from .said import short
from .topic_class import MOST_NUMBERS, Case, Classified, partitions_with

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
            "warning",
            tuple(one.topic.name for one in topics),
            f"rack {short(rack)} has {lost} of {copies} replicas of a partition: losing it is {lost} faults at once",
            tuple(why),
            tuple(dict.fromkeys(one.topic.place for one in topics)),
            Fix((_spread(len({each for several in racks.values() for each in several}), copies),)),
            broken=("rack", *(["writes"] if stops else [])),
        )


def _stops(case: Case, copies: int, left: int) -> bool:
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
    """Warnings: partitions of a topic have different numbers of replicas, and are promised different things."""
    for one in audited.topics:
        several = one.topic.numbers
        if len(several) > 1 and one.topic.partitions:  # two files that differ are told as that
            few = [partition for partition in one.topic.partitions.values() if partition.copies == several[0]]
            fewest = partitions_with(one.topic, several[:1]).replace(", which", "")
            yield Finding(
                "copies-differ",
                "warning",
                (one.topic.name,),
                f"{fewest}, others have {' or '.join(map(str, several[1:]))}: each number is judged, and the worst of "
                "each column is told",
                tuple(_by_copies(audited, one)),
                tuple(partition.place for partition in few),
            )


def reassigning(audited: Audited) -> Iterator[Finding]:
    """Notes: a reassignment adds replicas that do not have everything yet, and what is promised counts them."""
    for one in audited.topics:
        some = [each for each in one.topic.partitions.values() if set(each.adding) - set(each.isr)]
        if some:
            numbers = ", ".join(str(each.number) for each in some[:MOST_NUMBERS])
            more = f" and {len(some) - MOST_NUMBERS} more" if len(some) > MOST_NUMBERS else ""
            least = min(len(each.isr) for each in some)
            yield Finding(
                "reassigning",
                "note",
                (one.topic.name,),
                "replicas are added that are not in the ISR yet: what is promised is of the time when that is over",
                (
                    f"Partition{'s' if len(some) > 1 else ''} {numbers}{more}: until then the ISR has "
                    f"{least}{' or more' if len(some) > 1 else ''}.",
                ),
                tuple(each.place for each in some),
            )


def _by_copies(audited: Audited, one: Classified) -> Iterator[str]:
    """What is promised to the partitions with each number of replicas."""
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
            "warning",
            ("controllers",),
            f"{counted(count, 'controller')}: no leader is elected, and no ISR changes, while one of them is down",
            places=tuple(dict.fromkeys(places)),
            fix=Fix(("three controllers, or five",)),
        )
    for voter in voters.values():
        if not voter.heard:
            yield Finding(
                "quorum-behind",
                "warning",
                (f"node {voter.node}",),
                f"controller {voter.node} has not asked the leader for anything: the quorum has one spare less",
                ("It is down, or cannot reach the leader.",),
                places=(voter.place,),
            )
        elif voter.is_behind:
            yield Finding(
                "quorum-behind",
                "warning",
                (f"node {voter.node}",),
                f"controller {voter.node} is {voter.lag:,} records behind: the quorum has one spare less than it seems",
                places=(voter.place,),
            )


def at_this_moment(audited: Audited) -> Iterator[Finding]:
    """What is wrong when the files were written: no leader, too small an ISR, a replica that is behind."""
    offline, below, behind, empty = {}, {}, {}, {}
    for one in audited.topics:
        for partition in one.topic.partitions.values():
            where = f"{one.topic.name}-{partition.number}"
            eligible = partition.elr
            least = min(kind.min_isr for kind in one.kinds if kind.copies == partition.copies)
            if audited.elr and eligible is not None and len({*partition.isr, *eligible}) < least:
                empty[where] = partition
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
    ):
        if found:
            yield Finding(
                rule,
                "warning",
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
    """What can be done: who may lead where nobody does, and what an empty ELR means."""
    if rule == "elr-empty":
        yield "A change of min.insync.replicas empties it (KAFKA-16540), and so does a broker that lost its data."
        yield "Those in sync may be the only ones that have every acknowledged record: keep them up until others are."
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
