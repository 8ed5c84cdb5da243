"""An audit as one page for the browser: no request leaves it, no script runs in it, and every text in it is a text."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from epochal.auditing.decided import SHOWN, Answered
from epochal.auditing.finding import Finding
from epochal.auditing.topic_class import Kind
from epochal.checker.command_lines import bounds_as_options
from epochal.checker.host.numbers import counted
from epochal.checker.version import tool_version
from epochal.evidence.place import escaped
from epochal.render.audit_cells import HEADER, row, worst_of
from epochal.render.audit_text import (
    ACKS_UNKNOWN,
    DESIGNED,
    EMPTIED,
    LEGEND,
    NO_PROMISE,
    NOT_COVERED,
    SUPPOSED,
    TITLES,
    UNCLEAN_UNKNOWN,
    not_read,
    title,
)
from epochal.spec.kraft.guarantees import BOUNDS

if TYPE_CHECKING:
    from jinja2 import Template

    from epochal.auditing.asked import Audited
    from epochal.auditing.report import AuditReport

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
            *(ACKS_UNKNOWN, UNCLEAN_UNKNOWN, SUPPOSED, NO_PROMISE),
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
    return resources.files("epochal.render").joinpath("pages", name).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    made = Environment(autoescape=True, undefined=StrictUndefined, finalize=_printable)
    return made.from_string(_file("audit.html.j2"))


def _printable(said: object) -> object:
    """A text of a file without what would not be seen, or turn the line around; what is ours stays."""
    return escaped(said) if isinstance(said, str) and not hasattr(said, "__html__") else said
