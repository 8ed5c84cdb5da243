"""The cells of an audit's table: what is kept under which fault, in a word or two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from epochal.kafka.audit.audited import Audit
from epochal.kafka.audit.decided import SHOWN, Answered
from epochal.kafka.audit.finding import Audited
from epochal.kafka.audit.topic_class import WEAKEST_FIRST, Classified, Kind, Supposition
from epochal.report.page import Style
from epochal.spec.kraft.heeded import UNCLEAN

HEADER = (
    "TOPIC",
    "RF",
    "MIN.ISR",
    "ACKS",
    "UNCLEAN",
    "1 RESTARTS",
    "1 CRASHES",
    "2 CRASH",
    "POWER LOSS",
    "WRITES, 1 DOWN",
)
ABSENT = (("-",) * (len(HEADER) - 1),)
"""The row of a topic that is not there."""

MOST = 3
"""How many topics of a class stand in a row by their names."""

Cell = tuple[str, Style]
WORDS = {"acked lost": "LOST", "read lost": "READ LOST", "logs differ": "DIFFER", "no promise": "no guarantee"}


def rows(audited: Audited) -> Iterator[tuple[Cell, ...]]:
    """A row for each class of topics, or one for each value that `min.insync.replicas` may have."""
    for cases, topics in audited.rows.items():
        for number, case in enumerate(cases):
            yield row(audited, case, topics, first=number == 0)


def row(audited: Audited, case: Supposition, topics: Sequence[Classified], first: bool = True) -> tuple[Cell, ...]:
    """One class: its topics, its settings, and what each fault does to the worst of their partitions."""
    names = [one.topic.name for one in topics] if first else []
    more = f" +{len(names) - MOST}" if len(names) > MOST else ""
    kinds = case.kinds
    copies = sorted({kind.copies for kind in kinds})
    return (
        (f"{', '.join(names[:MOST])}{more}", ""),
        (", ".join(map(str, copies)), "bad" if 1 in copies else ""),
        _waited_for(case, topics),
        _acks(kinds),
        _unclean(kinds, topics),
        *(cell(audited, worst_of(audited, kinds, fault)[1]) for fault in SHOWN),
        min((writes(audited, kind) for kind in kinds), key=lambda one: WRITES.index(one[0])),
    )


def _waited_for(case: Supposition, topics: Sequence[Classified]) -> Cell:
    """`2`, `1 cluster`, `2 (1 counts)`, `1, 2 file`; `? if 2` where no file says it.

    Of partitions with several numbers of replicas `2 (RF if less)`.
    """
    if case.supposed is not None:
        return f"? if {case.supposed}", "warn"
    asked = sorted({int(value) for one in topics for value in one.min_isr.values})
    counted = sorted({kind.min_isr for kind in case.kinds})
    shown = ", ".join(map(str, counted))
    if any(kind.refuses for kind in case.kinds):
        shown = ", ".join(map(str, asked))
    elif len(asked) == 1 and asked != counted:
        shown = f"{asked[0]} ({'RF if less' if len(counted) > 1 else f'{shown} counts'})"
    levels = ", ".join(dict.fromkeys(one.min_isr.level for one in topics))
    return shown if levels == "topic" else f"{shown} {levels}", ""


def _acks(kinds: Sequence[Kind]) -> Cell:
    said = [acks for acks in WEAKEST_FIRST if any(kind.acks == acks for kind in kinds)]
    unknown = "" if all(kind.acks_known for kind in kinds) else " ?"
    return ", ".join(said) + unknown, "" if said == ["all"] else "bad"


def _unclean(kinds: Sequence[Kind], topics: Sequence[Classified]) -> Cell:
    if any(kind.unclean for kind in kinds):
        return "YES ?" if any(UNCLEAN in one.topic.unknown for one in topics) else "YES", "bad"
    if any(said.value.strip().lower() == "true" for one in topics for said in one.unclean.told):
        return "not heeded", "warn"
    return "no ?" if any(one.unclean.assumed for one in topics) else "no", ""


def worst_of(audited: Audited, kinds: Sequence[Kind], fault: str) -> tuple[Kind, Answered]:
    """Of several classes the one that a fault does the worst to, as the table tells it, and what that is."""

    def how_bad(pair: tuple[Kind, Answered]) -> tuple[int, int]:
        text, _ = cell(audited, pair[1])
        return next(n for n, word in enumerate(WORST_FIRST) if text.startswith(word)), pair[1].designed.length or 0

    return min(((kind, audited.decider.under(kind, fault)) for kind in kinds), key=how_bad)


WORST_FIRST = ("LOST", "READ LOST", "DIFFER", "no guarantee", "not decided", "kept*", "kept")
WRITES = ("NO, refused", "NO, offline", "NO", "not decided", "yes")


def cell(audited: Audited, one: Answered) -> Cell:
    """What a fault does by design; with a star if the release breaks what its design keeps."""
    found = one.designed
    if found.is_lost:
        return f"{WORDS[found.word]} {found.length}", "bad"
    if found.word == "no promise":
        return WORDS[found.word], "bad"
    if not audited.decides or found.word == "open" or one.shipped.word == "open":
        return "not decided", "warn"
    return ("kept*", "warn") if one.shipped.is_lost else ("kept", "good")


def writes(audited: Audited, kind: Kind) -> Cell:
    """Whether a write can succeed while one broker is down."""
    if kind.refuses:
        return "NO, refused", "bad"
    if kind.copies == 1:
        return "NO, offline", "bad"
    found = audited.decider.writes(kind)
    if found is None:
        return "not decided", "warn"
    return ("yes", "good") if found else ("NO", "bad")


def guarantees_of(audit: Audit) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """What the table would say of each topic alone, by its name: its row, or several."""
    return {
        one.topic.name: tuple(tuple(text for text, _ in row(audit.audited, case, [one])[1:]) for case in one.cases)
        for one in audit.audited.topics
    }


def run_key(kind: Kind, answered: Answered) -> str:
    """What a run is known by: the class that it is about, and the fault."""
    return f"{kind} {answered.fault.id}"
