"""The report of an audit for people: a table of the topics, what is wrong, and what to change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from epochal.checker.base.numbers import counted
from epochal.checker.command_lines import bounds_as_options
from epochal.kafka.audit.decided import SHOWN, Answered
from epochal.kafka.audit.finding import Audited, Finding, Severity
from epochal.kafka.audit.topic_class import WEAKEST_FIRST, Classified, Kind, Supposition
from epochal.spec.kraft.guarantees import BOUNDS

from .documents import audit as documents
from .documents.made import document
from .page import Page, Style

if TYPE_CHECKING:
    from epochal.kafka.audit.audited import Audit, AuditReport


# -- audit cells ------------------------------------------------------------------------------------------------------
# The cells of an audit's table: what is kept under which fault, in a word or two.

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
        return "YES", "bad"
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


TITLES: dict[Severity, tuple[str, Style]] = {
    "error": ("Errors", "bad"),
    "warning": ("Warnings", "warn"),
    "note": ("Notes", ""),
}
ABSENT = (("-",) * (len(HEADER) - 1),)
"""The row of a topic that is not there."""

MOST_NAMED = 8
MOST_PLACES = 4

LEGEND = (
    "kept: whoever leads has every acknowledged record, and every one that was read, in every run within the bounds",
    "LOST n: an acknowledged record is lost; a shortest run has n states",
)
DESIGNED = "*: as designed; a hole of {} breaks it"
EMPTIED = "RESTARTS, CRASHES: as crashes that lose data, since storage is ephemeral (below)"
ACKS_UNKNOWN = "?: no file of a producer says; acks=all is assumed (acks-unknown, below)"
UNCLEAN_UNKNOWN = "no ?: no file says; unclean.leader.election.enable=false is assumed (unclean-unknown, below)"
SUPPOSED = "? if n: no file says min.insync.replicas; what is guaranteed if it is n (min-isr-unknown, below)"
NO_GUARANTEE = "no guarantee: no producer gets a success response: acks=0, or every write is refused"
NOT_COVERED = (
    "Not covered: transactions, tiered storage, log directories, elections by hand, settings of consumers, "
    "more than two faults."
)


def render_audit(page: Page, result: AuditReport, files: Sequence[str]) -> None:
    """The whole report."""
    audited = result.audit.audited
    page.line(title(audited), "title")
    if result.asked_otherwise and result.before is not None:
        page.line(f"Query: {'; '.join(result.asked_otherwise)}", indent=2)
    page.line()
    if audited.classes:
        page.table(list(rows(audited)), header=HEADER, right=(1,))
        _legend(page, audited)
    if result.before is not None:
        _changes(page, result.before, result)
    for severity, (heading, style) in TITLES.items():
        found = [one for one in result.findings_left if one.severity == severity]
        if found:
            page.title(heading)
        for one in found:
            _finding(page, one, style)
    if result.accepted:
        page.title("Accepted")
        for one in result.accepted:
            page.line(f"{one.rule}  {_named(one.subjects)}: {one.reason}  ({result.lock})", "faint", indent=2)
    _end(page, result)
    page.written(files)
    page.commands(_next(result, bool(files)))


def title(audited: Audited) -> str:
    """`prod-eu: Kafka 4.1, KRaft, 3 brokers in 2 racks, eligible leader replicas on, 6 topics in 6 classes`."""
    cluster = audited.cluster
    racks = {rack for several in audited.cluster.racks.values() for rack in several}
    assumed = "" if cluster.kraft is not None else " (assumed)"
    parts = [audited.release_shown, "ZooKeeper" if cluster.zookeeper is not None else f"KRaft{assumed}"]
    brokers = len(cluster.brokers) or sum(one.count for one in cluster.pools if "broker" in one.roles)
    if brokers:
        where = f" in {counted(len(racks), 'rack')}" if racks else ""
        parts.append(counted(brokers, "broker") + where)
    elr = f" ({cluster.elr.place})" if cluster.elr is not None else " (assumed)"
    parts.append(f"eligible leader replicas {'on' if audited.elr else 'off'}{elr}")
    parts.append(
        f"{counted(len(audited.topics) + len(audited.unknown), 'topic')} "
        f"in {counted(len(audited.rows), 'class', 'classes')}"
    )
    return f"{cluster.name}: {', '.join(parts)}"


def _legend(page: Page, audited: Audited) -> None:
    page.line()
    page.lines(LEGEND, indent=2)
    cells = [text for row in rows(audited) for text, _ in row]
    if "kept*" in cells:
        page.line(f"{DESIGNED.format(audited.release_shown)} (release-hole, below)", indent=2)
    if any(kind.ephemeral for kind in audited.classes):
        page.line(EMPTIED, indent=2)
    if "no ?" in cells:
        page.line(UNCLEAN_UNKNOWN, indent=2)
    if any(text.endswith(" ?") and text != "no ?" for text in cells):
        page.line(ACKS_UNKNOWN, indent=2)
    if any(text.startswith("? if") for text in cells):
        page.line(SUPPOSED, indent=2)
    if "no guarantee" in cells:
        page.line(NO_GUARANTEE, indent=2)


def _finding(page: Page, one: Finding, style: Style) -> None:
    page.line(f"{one.rule}  {_named(one.subjects)}: {one.title}", style, indent=2)
    page.lines(one.why, indent=6)
    if one.fix is not None:
        first, *rest = one.fix.commands
        page.verbatim(f"Fix: {first}", indent=6)
        for line in rest:
            page.verbatim(f"and: {line}", indent=6)
        if one.fix.decided:
            page.line(f"With it, as designed: {one.fix.decided}.", indent=6)
    if one.places:
        listed = list(dict.fromkeys(str(place) for place in one.places if place.file))
        more = f" and {len(listed) - MOST_PLACES} more" if len(listed) > MOST_PLACES else ""
        if listed:
            page.line(f"{', '.join(listed[:MOST_PLACES])}{more}", "faint", indent=6)


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def guarantees_of(audit: Audit) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """What the table would say of each topic alone, by its name: its row, or several."""
    return {
        one.topic.name: tuple(tuple(text for text, _ in row(audit.audited, case, [one])[1:]) for case in one.cases)
        for one in audit.audited.topics
    }


def keys_of(findings: Sequence[Finding]) -> dict[str, Finding]:
    """Findings by what somebody would accept them by; notes are left out."""
    return {key: one for one in findings if one.severity != "note" for key in one.keys}


def _changes(page: Page, before: Audit, result: AuditReport) -> None:
    """The topics whose row is another one, and the findings that are new or gone."""
    page.title("What changes")
    old, new = guarantees_of(before), guarantees_of(result.audit)
    found = []
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            for said, several in (("before", old.get(name, ABSENT)), ("after", new.get(name, ABSENT))):
                for number, cells in enumerate(several):
                    first = number == 0
                    found.append((name if said == "before" and first else "", said if first else "", *cells))
    if found:
        page.table(found, header=("TOPIC", "", *HEADER[1:]))
    old_keys, new_keys = keys_of(before.findings), keys_of(result.audit.findings)
    for word, keys, style in (
        ("gone", [key for key in old_keys if key not in new_keys], "good"),
        ("new", [key for key in new_keys if key not in old_keys], "bad"),
    ):
        if keys:
            page.line(f"{word}: {_named(keys)}", style, indent=2)  # type: ignore[arg-type]  # both are styles
    if not found and list(old_keys) == list(new_keys):
        page.line("Nothing.", indent=2)


def not_read(audited: Audited) -> Iterator[str]:
    """The files that were left out: what each is, and what to give instead."""
    for one in audited.cluster.unread:
        yield f"Not read, {one.what}: {one.file}{f'. {one.instead}' if one.instead else ''}"


def _end(page: Page, result: AuditReport) -> None:
    audited = result.audit.audited
    page.line()
    for line in not_read(audited):
        page.line(line, "warn", indent=2)
    if audited.classes:
        shared = {name: value for name, value in BOUNDS.items() if name != "replication_factor"}
        page.line(
            f"Decided within {bounds_as_options(shared)}, replication factors as they are, up to the names of brokers. "
            "Larger bounds were not checked.",
            indent=2,
        )
        page.line(NOT_COVERED, indent=2)
    tone: Style = "good" if not result.errors else "bad"
    page.line(f"{result.headline}: exit code {result.exit_code} ({result.outcome}).", tone)


def _next(result: AuditReport, written: bool) -> list[str]:
    """The run behind the first loss, and the folder with all of them."""
    found = []
    for one in result.findings_left:
        for _, answered in one.runs[:1]:
            outcome = answered.worst
            if outcome.reference:
                copies = outcome.bounds["replication_factor"]
                words = outcome.reference.removeprefix("kraft").strip()
                found.append(
                    f"epochal guarantees {words} --replication-factor {copies} --fault {answered.fault.id} --story"
                )
    shown = list(dict.fromkeys(found))[:2]
    return shown if written else [*shown, "the same with --out audit-report: a page, SARIF, and the run of each loss"]


# -- audit json -------------------------------------------------------------------------------------------------------
# An audit as one JSON object.


def audit_document(result: AuditReport) -> documents.Audit:
    """The document."""
    audited = result.audit.audited
    return document(
        documents.Audit,
        audited,
        result,
        classes=[
            _class(audited, case, kind, topics)
            for cases, topics in audited.rows.items()
            for case in cases
            for kind in case.kinds
        ],
        changed=_changed(result),
        bounds={name: value for name, value in BOUNDS.items() if name != "replication_factor"},
    )


def _class(audited: Audited, case: Supposition, kind: Kind, topics: Sequence[Classified]) -> documents.AuditClass:
    return document(
        documents.AuditClass,
        kind,
        topics=[one.topic.name for one in topics],
        partitions={
            one.topic.name: [part.number for part in one.topic.partitions.values() if part.copies == kind.copies]
            for one in topics
            if len(one.topic.numbers) > 1
        },
        min_insync_replicas_supposed=case.supposed is not None,
        min_insync_replicas=topics[0].min_isr,
        unclean_leader_election_enable=topics[0].unclean,
        faults=audited.decider.all_of(kind),
    )


def _changed(result: AuditReport) -> documents.AuditChanged | None:
    if result.before is None:
        return None
    old, new = guarantees_of(result.before), guarantees_of(result.audit)
    old_keys, new_keys = keys_of(result.before.findings), keys_of(result.audit.findings)
    return {
        "asked": list(result.asked_otherwise),
        "topics": [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)],
        "gone": [key for key in old_keys if key not in new_keys],
        "new": [key for key in new_keys if key not in old_keys],
    }
