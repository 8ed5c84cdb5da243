"""What no file says and a promise depends on: each value that it may have is judged, and told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from epochal.checker.host.numbers import counted
from epochal.spec.kraft.heeded import UNCLEAN, heeds

from .asked import Audited
from .cluster import MIN_ISR
from .decided import FAULT, SHOWN
from .finding import Finding
from .fixes import promised
from .precedence import elects_nobody
from .rules_promises import LOST
from .topic_class import Case, Classified, Kind, with_acks

TELLS = "The whole output of 'kafka-topics --describe', or of 'kafka-configs --describe --all --entity-type topics'"

CONTROLLERS_TELL = "The server.properties of the controllers tells: with KRaft these decide it, and no broker's file."


def acks_unknown(audited: Audited) -> Iterator[Finding]:
    """A note with both answers, where no producer says what it waits for."""
    topics = [one for one in audited.topics if any(not kind.acks_known and kind.copies > 1 for kind in one.kinds)]
    if topics:
        yield Finding(
            "acks-unknown",
            "note",
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
            "note",
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
            "note",
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


def _of(audited: Audited, case: Case) -> str:
    """What is promised in a case; of partitions with several numbers of replicas, each."""
    several = len(case.kinds) > 1
    return "; ".join(
        (f"of {counted(kind.copies, 'replica')}: " if several else "") + promised(audited.decider, kind)
        for kind in case.kinds
    )
