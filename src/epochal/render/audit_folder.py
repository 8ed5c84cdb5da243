"""The folder of `epochal audit --out`: the page, JSON, SARIF, and a run for each way in which something is lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from epochal.checker.host.files import write_atomically, writing
from epochal.checker.trace.output_folder import OutputFolder, report_beside, slug, trace_name
from epochal.render.audit_html import audit_page, run_key
from epochal.render.audit_json import audit_document
from epochal.render.audit_sarif import sarif_document

if TYPE_CHECKING:
    from epochal.auditing.report import AuditReport
    from epochal.auditing.topic_class import Kind

RUNS = "runs"
LONGEST_NAME = 60


def write_audit(result: AuditReport, path: Path) -> list[str]:
    """Write everything; the paths of what was written. Each run is searched, and replayed in both readings.

    Runs are named after the first topic that they are about, and the fault: `runs/orders-clean.html`.
    """
    folder = OutputFolder(path)
    document = folder.write_document("audit.json", cast("dict[str, object]", audit_document(result)))
    sarif = folder.write_document("audit.sarif", sarif_document(result, Path()))
    pages = _write_runs(result, path / RUNS)
    page = folder.path / "index.html"
    with writing(page):
        write_atomically(page, audit_page(result, pages))
    return [str(page), str(document), str(sarif), *([str(path / RUNS)] if pages else [])]


def _write_runs(result: AuditReport, path: Path) -> dict[str, str]:
    """Write one run for each thing that is lost; the pages, as the page of the audit links to them, by their keys."""
    pages: dict[str, str] = {}
    made: dict[tuple[str, str], str] = {}
    names: set[str] = set()
    for finding in result.findings_left:
        for kind, answered in finding.runs:
            outcome = answered.worst
            known = (outcome.reference, str(sorted(outcome.bounds.items())))
            if known not in made:
                trace = result.audit.audited.decider.run_of(outcome, answered.fault)
                if trace is None:
                    continue
                topic = _new_name(_first_topic(result, kind), answered.fault.id, names)
                file = OutputFolder(path).write_trace(topic, answered.fault.id, trace)
                made[known] = f"{RUNS}/{report_beside(file).name}"
            pages[run_key(kind, answered)] = made[known]
    return pages


def _first_topic(result: AuditReport, kind: Kind) -> str:
    return next(one.topic.name for one in result.audit.audited.topics if kind in one.kinds)


def _new_name(topic: str, fault: str, names: set[str]) -> str:
    """The name of a topic as part of a file name that no other run has: `a.b` and `a_b` would have the same."""
    short = base = slug(topic)[:LONGEST_NAME]
    number = 2
    while trace_name(short, fault) in names:
        short = f"{base}-{number}"
        number += 1
    names.add(trace_name(short, fault))
    return short
