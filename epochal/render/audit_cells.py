"""The cells of an audit's table: what is kept under which fault, in a word or two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epochal.auditing.asked import Audited
from epochal.auditing.decided import SHOWN, Answered
from epochal.auditing.topic_class import Classified, Kind
from epochal.render.page import Style

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
MOST = 3
"""How many topics of a class stand in a row by their names."""

Cell = tuple[str, Style]
WORDS = {"acked lost": "LOST", "read lost": "READ LOST", "logs differ": "DIFFER", "no promise": "no promise"}


def rows(audited: Audited) -> Iterator[tuple[Cell, ...]]:
    """A row for each class of topics."""
    for kind, topics in audited.classes.items():
        yield row(audited, kind, topics)


def row(audited: Audited, kind: Kind, topics: Sequence[Classified]) -> tuple[Cell, ...]:
    """One class: its topics, its settings, and what each fault does."""
    names = [one.topic.name for one in topics]
    more = f" +{len(names) - MOST}" if len(names) > MOST else ""
    asked = {one.min_isr.value for one in topics}
    above = len(asked) == 1 and int(min(asked)) > kind.copies
    wanted = f"{min(asked)} ({kind.min_isr} counts)" if above else str(kind.min_isr)
    levels = ", ".join(dict.fromkeys(one.min_isr.level for one in topics))
    return (
        (f"{', '.join(names[:MOST])}{more}", ""),
        (str(kind.copies), "bad" if kind.copies == 1 else ""),
        (wanted if levels == "topic" else f"{wanted} {levels}", ""),
        (kind.acks + ("" if kind.acks_known else " ?"), "" if kind.acks == "all" else "bad"),
        ("YES" if kind.unclean else "no", "bad" if kind.unclean else ""),
        *(cell(audited, audited.decider.under(kind, fault)) for fault in SHOWN),
        writes(audited, kind),
    )


def cell(audited: Audited, one: Answered) -> Cell:
    """What a fault does by design; with a star if the release breaks what its design keeps."""
    found = one.designed
    if found.is_lost:
        return f"{WORDS[found.word]} {found.length}", "bad"
    if found.word == "no promise":
        return "no promise", "bad"
    if not audited.decides or found.word == "open" or one.shipped.word == "open":
        return "not decided", "warn"
    return ("kept*", "warn") if one.shipped.is_lost else ("kept", "good")


def writes(audited: Audited, kind: Kind) -> Cell:
    """Whether a write can succeed while one broker is down."""
    if kind.copies == 1:
        return "NO, offline", "bad"
    found = audited.decider.writes(kind)
    if found is None:
        return "not decided", "warn"
    return ("yes", "good") if found else ("NO", "bad")
