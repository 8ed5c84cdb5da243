"""The report of an audit for people: a table of the topics, what is wrong, and what to change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from epochal.auditing.finding import Finding, Severity
from epochal.checker.command_lines import bounds_as_options
from epochal.checker.host.numbers import counted
from epochal.render.audit_cells import HEADER, row, rows
from epochal.render.page import Page, Style
from epochal.spec.kraft.guarantees import BOUNDS

if TYPE_CHECKING:
    from epochal.auditing.asked import Audited
    from epochal.auditing.audited import Audit
    from epochal.auditing.report import AuditReport

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
SUPPOSED = "? if n: no file says min.insync.replicas; what is promised if it is n (min-isr-unknown, below)"
NO_PROMISE = "no promise: no producer is told of success: acks=0, or every write is refused"
NOT_COVERED = (
    "Not covered: transactions, tiered storage, log directories, elections by hand, settings of consumers, "
    "more than two faults."
)


def render_audit(page: Page, result: AuditReport, files: Sequence[str]) -> None:
    """The whole report."""
    audited = result.audit.audited
    page.line(title(audited), "title")
    if result.asked_otherwise and result.before is not None:
        page.line(f"Asked: {'; '.join(result.asked_otherwise)}", indent=2)
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
    if "no promise" in cells:
        page.line(NO_PROMISE, indent=2)


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


def promises_of(audit: Audit) -> Mapping[str, tuple[tuple[str, ...], ...]]:
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
    old, new = promises_of(before), promises_of(result.audit)
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
