"""What is set and not heeded, or heeded otherwise than newer releases do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from epochal.checker.host.numbers import counted
from epochal.spec.kraft.heeded import AT_MOST_COPIES, MIN_ISR, UNCLEAN, heeds, since

from .asked import Audited
from .finding import Finding, Fix
from .fixes import set_for
from .rules_promises import LOST, places_of
from .said import yes
from .topic_class import Classified, partitions_with


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
        "warning",
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
            "warning",
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
            "note",
            tuple(one.topic.name for one in topics),
            f"{MIN_ISR}={value} with {counted(copies, 'replica')}: {copies} counts (Partition.effectiveMinIsr)",
            (*parts, *(() if known else (before,))),
        )
