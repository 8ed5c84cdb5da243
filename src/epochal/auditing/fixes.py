"""What to change, each change decided again: the fewest that keep what is lost, and do not stop writes."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .cluster import MIN_ISR, UNCLEAN
from .decided import SHOWN, Decider, Word
from .finding import Fix
from .topic_class import Classified, Kind

USUAL_COPIES = 3
SAID: dict[Word, str] = {"acked lost": "LOST", "read lost": "READ LOST", "logs differ": "DIFFER", "open": "not decided"}
"""Words for outcomes, as the table has them."""


def changed_kinds(kind: Kind) -> Iterator[Kind]:
    """Other settings for a class, those with the fewest changes first."""
    copies = (kind.copies, USUAL_COPIES) if kind.copies < USUAL_COPIES else (kind.copies,)
    choices = itertools.product(
        dict.fromkeys((kind.acks, "all")), dict.fromkeys((kind.unclean, False)), copies, (kind.min_isr, 2)
    )
    found = (
        replace(kind, acks=acks, unclean=unclean, copies=many, min_isr=wanted, refuses=False, ephemeral=False)
        for acks, unclean, many, wanted in choices
        if wanted <= many and wanted >= kind.min_isr
    )
    yield from sorted(set(found) - {kind}, key=lambda one: (_changes(kind, one), one.copies, one.min_isr, one.acks))


def _changes(before: Kind, after: Kind) -> int:
    return sum(
        getattr(before, name) != getattr(after, name) for name in ("acks", "unclean", "copies", "min_isr", "ephemeral")
    )


def fix_of(decider: Decider, kind: Kind, topics: Sequence[Classified]) -> Fix | None:
    """The change that keeps what the settings of a class lose; None if none does, or nobody has decided it."""
    keeping = [one for one in changed_kinds(kind) if decider.keeps(one)]
    best = min(keeping, key=lambda one: not _writes(decider, one), default=None)
    if best is None:
        return None
    return Fix(tuple(_lines(kind, best, topics)), promised(decider, best))


def _writes(decider: Decider, kind: Kind) -> bool:
    return decider.writes(kind) is True


def promised(decider: Decider, kind: Kind) -> str:
    """What is decided of a class, in a line."""
    if not decider.releases:
        return "not decided, as long as the release is not known"
    words = []
    for fault, called in zip(SHOWN, ("a restart", "a crash", "two crashes", "a power loss"), strict=True):
        one = decider.under(kind, fault)
        newer = " (not with eligible leader replicas)" if one.by_design and not kind.elr else ""
        words.append(f"{called}: {SAID.get(one.designed.word, one.designed.word)}{newer}")
    goes_on = False if kind.copies == 1 else decider.writes(kind)
    writes = {True: "writes go on", False: "writes stop", None: "whether writes go on is not decided,"}[goes_on]
    broken = {id for fault in SHOWN for id in decider.under(kind, fault).holes}
    then = f"; as shipped, {' or '.join(sorted(broken))} breaks it" if broken else ""
    return f"{', '.join(words)}; {writes} while one broker is down{then}"


PERSISTENT = "storage that outlives a restart: a persistent-claim of Strimzi, or log.dirs on a disk"


def _lines(before: Kind, after: Kind, topics: Sequence[Classified]) -> Iterator[str]:
    names = [one.topic.name for one in topics]
    if after.ephemeral != before.ephemeral:
        yield PERSISTENT
    if after.acks != before.acks:
        files = sorted({str(said.place) for one in topics for said in one.acks if said.value.strip() == before.acks})
        yield f"acks={after.acks} in {', '.join(files) if files else 'every producer'}"
    if after.copies != before.copies:
        yield f"a replication factor of {after.copies} for {_named(names)}, by kafka-reassign-partitions"
    said = []
    unknown = any(one.min_isr.assumed for one in topics)
    if after.min_isr != before.min_isr or ((after.copies != before.copies or unknown) and after.min_isr > 1):
        said.append(f"{MIN_ISR}={after.min_isr}")
    if after.unclean != before.unclean:
        said.append(f"{UNCLEAN}=false")
    if said:
        yield from set_for(names, ",".join(said), after.elr)


def fewer_in_sync(decider: Decider, kind: Kind, names: Sequence[str]) -> Fix:
    """The change with which writes go on while one broker is down: then no replica without all records may lead."""
    after = replace(kind, min_isr=kind.copies - 1, unclean=False, acks_known=True, refuses=False)
    settings = f"{MIN_ISR}={after.min_isr}" + (f",{UNCLEAN}=false" if kind.unclean else "")
    return Fix(tuple(set_for(names, settings, kind.elr)), promised(decider, after))


def set_for(names: Sequence[str], settings: str, elr: bool) -> Iterator[str]:
    """The command that sets something for topics, and when not to run it."""
    yield alter(names[0], settings) + (f"   (and for {_named(names[1:])})" if len(names) > 1 else "")
    if elr and settings.startswith(MIN_ISR):
        yield "not while a replica is out of sync: a change of min.insync.replicas empties the ELR (KAFKA-16540)"


def alter(topic: str, settings: str) -> str:
    """The command that sets something for a topic."""
    return (
        "kafka-configs --bootstrap-server HOST:9092 --alter --entity-type topics "
        f"--entity-name {shlex.quote(topic)} --add-config {settings}"
    )


def _named(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
