"""An audit as SARIF 2.1.0: each finding at the lines of its settings, for code scanning of a repository of topics.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from epochal.auditing.finding import RULES, Finding
from epochal.checker.gate.reports.sarif import INFORMATION, SCHEMA
from epochal.checker.version import TOOL, tool_version

if TYPE_CHECKING:
    from epochal.auditing.report import AuditReport
    from epochal.auditing.said import Place

LEVELS = {"error": "error", "warning": "warning", "note": "note"}
MOST_PLACES = 50
"""How many places of one finding are told: GitHub takes no more than a thousand of all."""


def sarif_document(result: AuditReport, folder: Path) -> dict[str, Any]:
    """The log. Files are named from `folder`; those outside of it by their whole path."""
    ids = list(RULES)
    paths = result.audit.audited.cluster.paths
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": TOOL,
                        "version": tool_version(),
                        "informationUri": INFORMATION,
                        "rules": [
                            {"id": rule, "shortDescription": {"text": title}, "help": {"text": f"{title}."}}
                            for rule, title in RULES.items()
                        ],
                    }
                },
                "automationDetails": {"id": f"epochal/audit/{quote(result.audit.audited.cluster.name)}/"},
                "columnKind": "unicodeCodePoints",
                "results": [_result(one, ids, paths, folder) for one in (*result.findings_left, *result.accepted)],
            }
        ],
    }


def _result(one: Finding, ids: list[str], paths: dict[str, str], folder: Path) -> dict[str, Any]:
    fix = "" if one.fix is None else f" Fix: {'; and: '.join(one.fix.commands)}."
    said = f"{', '.join(one.subjects)}: {one.title}. {' '.join(one.why)}{fix}".rstrip()
    places = [place for place in dict.fromkeys(one.places) if place.file in paths][:MOST_PLACES]
    made: dict[str, Any] = {
        "ruleId": one.rule,
        "ruleIndex": ids.index(one.rule),
        "level": LEVELS[one.severity],
        "message": {"text": said},
        "partialFingerprints": {"primaryLocationLineHash": _fingerprint(one)},
    }
    if places:
        first, *rest = places
        made["locations"] = [_location(first, paths, folder)]
        if rest:
            made["relatedLocations"] = [
                {"id": number, **_location(place, paths, folder)} for number, place in enumerate(rest, start=1)
            ]
    if one.reason:
        made["suppressions"] = [{"kind": "external", "justification": one.reason}]
    return made


def _location(place: Place, paths: dict[str, str], folder: Path) -> dict[str, Any]:
    whole = Path(paths[place.file])
    root = folder.absolute()
    uri = quote(whole.relative_to(root).as_posix()) if whole.is_relative_to(root) else whole.as_uri()
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if place.line is not None:
        physical["region"] = {"startLine": place.line}
    return {"physicalLocation": physical}


def _fingerprint(one: Finding) -> str:
    """The same for the same finding of the same topics, wherever its lines have moved."""
    return hashlib.blake2b("\n".join([one.rule, *one.subjects]).encode(), digest_size=8).hexdigest() + ":1"
