"""An audit as one page for the browser: no request leaves it, no script runs in it, and every text in it is a text."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from epochal.checker.base.files import write_atomically, writing
from epochal.checker.base.installed import TOOL, tool_version
from epochal.checker.base.numbers import counted
from epochal.checker.command_lines import bounds_as_options
from epochal.checker.gate.reports import INFORMATION, SCHEMA
from epochal.checker.trace.output_folder import OutputFolder, report_beside, slug, trace_name
from epochal.kafka.audit.decided import SHOWN, Answered
from epochal.kafka.audit.finding import RULES, Finding
from epochal.kafka.audit.topic_class import Kind
from epochal.kafka.evidence.place import escaped
from epochal.spec.kraft.guarantees import BOUNDS

from .audit import (
    ACKS_UNKNOWN,
    DESIGNED,
    EMPTIED,
    HEADER,
    LEGEND,
    NO_GUARANTEE,
    NOT_COVERED,
    SUPPOSED,
    TITLES,
    UNCLEAN_UNKNOWN,
    audit_document,
    not_read,
    row,
    title,
    worst_of,
)

if TYPE_CHECKING:
    from jinja2 import Template

    from epochal.kafka.audit.audited import AuditReport
    from epochal.kafka.audit.finding import Audited
    from epochal.kafka.evidence.place import Place


SIGNS = {"good": "✓ ", "bad": "✗ ", "warn": "! ", "": "", "title": "", "faint": ""}


def run_key(kind: Kind, answered: Answered) -> str:
    """What a run is known by: the class that it is about, and the fault."""
    return f"{kind} {answered.fault.id}"


def audit_page(result: AuditReport, runs: Mapping[str, str]) -> str:
    """The page. `runs` are the pages of runs beside it."""
    from markupsafe import Markup

    audited = result.audit.audited
    style = _file("audit.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    shared = {name: value for name, value in BOUNDS.items() if name != "replication_factor"}
    sections = [
        (heading, [one for one in result.findings_left if one.severity == severity])
        for severity, (heading, _) in TITLES.items()
    ]

    def runs_of(one: Finding) -> dict[str, str]:
        """The pages of a finding's runs, each once, by what they show."""
        found: dict[str, str] = {}
        for kind, answered in one.runs:
            file = runs.get(run_key(kind, answered), "")
            if file and file not in found.values():
                states = counted(answered.worst.length or 0, "state")
                found[f"{_first(audited, kind)}, {answered.fault.title}, {states}"] = file
        return found

    return _template().render(
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        style=Markup(style),  # our own file
        headline=result.headline,
        title=title(audited),
        asked=result.asked_otherwise,
        header=HEADER,
        rows=list(_linked(audited, runs)),
        signs=SIGNS,
        legend=(
            *LEGEND,
            DESIGNED.format(audited.release_shown),
            *(ACKS_UNKNOWN, UNCLEAN_UNKNOWN, SUPPOSED, NO_GUARANTEE),
            *([EMPTIED] if any(kind.ephemeral for kind in audited.classes) else []),
        ),
        sections=[*sections, ("Accepted", list(result.accepted))],
        runs=runs_of,
        bounds=(
            *not_read(audited),
            f"Decided within {bounds_as_options(shared)}. Larger bounds were not checked.",
            NOT_COVERED,
        ),
        version=tool_version(),
    )


def _first(audited: Audited, kind: Kind) -> str:
    return audited.classes[kind][0].topic.name


def _linked(audited: Audited, runs: Mapping[str, str]) -> Iterator[list[tuple[str, str, str]]]:
    """The table: what stands in each cell, how it is meant, and the page of the run behind it, if there is one."""
    for cases, topics in audited.rows.items():
        for number, case in enumerate(cases):
            cells = row(audited, case, topics, first=number == 0)
            pages = [""] * (len(cells) - len(SHOWN) - 1)
            pages += [runs.get(run_key(*worst_of(audited, case.kinds, fault)), "") for fault in SHOWN]
            yield [(text, tone, page) for (text, tone), page in zip(cells, (*pages, ""), strict=True)]


def _file(name: str) -> str:
    return resources.files("epochal.report").joinpath("pages", name).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    made = Environment(autoescape=True, undefined=StrictUndefined, finalize=_printable)
    return made.from_string(_file("audit.html.j2"))


def _printable(said: object) -> object:
    """A text of a file without what would not be seen, or turn the line around; what is ours stays."""
    return escaped(said) if isinstance(said, str) and not hasattr(said, "__html__") else said


# -- audit sarif ------------------------------------------------------------------------------------------------------
# An audit as SARIF 2.1.0: each finding at the lines of its settings, for code scanning of a repository of topics.
#
# https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html

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


# -- audit folder -----------------------------------------------------------------------------------------------------
# The folder of `epochal audit --out`: the page, JSON, SARIF, and a run for each way in which something is lost.

RUNS = "runs"
LONGEST_NAME = 60


def write_audit(result: AuditReport, path: Path) -> list[str]:
    """Write everything; the paths of what was written. Each run is searched, and replayed in both semantics.

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
