"""The folder of `epochal audit --out`: the page, JSON, SARIF, and a run for each way in which something is lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from epochal.checker.host.files import write_atomically, writing
from epochal.checker.trace.output_folder import OutputFolder, report_beside, slug
from epochal.render.audit_html import audit_page, run_key
from epochal.render.audit_json import audit_document
from epochal.render.audit_sarif import sarif_document

if TYPE_CHECKING:
    from epochal.audit.report import AuditReport


def write_audit(result: AuditReport, path: Path) -> list[str]:
    """Write everything; the paths of what was written. Each run is searched, and replayed in both readings."""
    folder = OutputFolder(path)
    written: list[str] = []
    pages: dict[str, str] = {}
    made: dict[tuple[str, str], str] = {}
    for finding in result.findings_left:
        for kind, answered in finding.runs:
            outcome = answered.worst
            known = (outcome.reference, str(sorted(outcome.bounds.items())))
            if known not in made:
                trace = result.audit.audited.decider.run_of(outcome, answered.fault)
                if trace is None:
                    continue
                file = folder.write_trace(slug(outcome.reference), f"{answered.fault.id}-{kind.copies}", trace)
                written.append(str(file))
                made[known] = report_beside(file).name
            pages[run_key(kind, answered)] = made[known]
    document = folder.write_document("audit.json", cast("dict[str, object]", audit_document(result)))
    sarif = folder.write_document("audit.sarif", sarif_document(result, Path()))
    page = folder.path / "index.html"
    with writing(page):
        write_atomically(page, audit_page(result, pages))
    return [str(page), str(document), str(sarif), *written]
