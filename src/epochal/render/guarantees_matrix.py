"""Many choices of settings, a line each: what stays of what was acknowledged and read."""

from __future__ import annotations

from collections.abc import Sequence

from epochal.checker.command_lines import bounds_as_options
from epochal.checker.host.numbers import counted
from epochal.kafka.guarantee_tables import Table
from epochal.kafka.guarantees import Decided
from epochal.render.guarantees_cells import NOT_ASKED, Cell
from epochal.render.page import Page, Row
from epochal.spec.kraft.guarantees import Fault
from epochal.spec.language.reference import SEPARATOR


def render_matrix(
    page: Page,
    tables: Sequence[Table],
    bounds: dict[str, int],
    faults: Sequence[Fault],
    files: Sequence[str],
    missing: int,
) -> None:
    """One line a choice of settings, one column a fault. `missing` cells are not known because of Ctrl-C."""
    page.line(f"What is kept under which faults, within {bounds_as_options(bounds)}", "title")
    page.line()
    rows: list[Row] = []
    for table in tables:
        cells = (NOT_ASKED if (one := table.under(fault)) is None else _kept(one) for fault in faults)
        rows.append((_settings(table.column.reference), *cells))
    page.table(rows, header=("SETTINGS", *(fault.id.upper() for fault in faults)))
    page.line()
    page.lines((f"{fault.id}: {fault.title}" for fault in faults), indent=2)
    page.line(
        "kept: acknowledged records stay, and so does what a consumer could read; lost N: the shortest run has N",
        indent=2,
    )
    page.line("states. An empty cell is the same as one to its left: unclean election is on already, say.", indent=2)
    if missing:
        page.line(f"Open: {counted(missing, 'cell')} not searched: interrupted. They are empty, too.", "warn")
    page.written(files)


def _settings(reference: str) -> str:
    """The settings of a reference alone."""
    _, separator, settings = reference.partition(SEPARATOR)
    return f"{separator}{settings}".strip()


def _kept(one: Decided) -> Cell:
    acknowledged, read = one.answers["acknowledged"], one.answers["read"]
    if "open" in (acknowledged.verdict, read.verdict):
        return "open", "warn"
    if acknowledged.verdict == "nothing" and read.verdict == "holds":
        return "nothing acked", "warn"
    if acknowledged.verdict != "violated" and read.verdict != "violated":
        return "kept", "good"
    if acknowledged.verdict == read.verdict:
        return f"lost {min(acknowledged.length or 0, read.length or 0)}", "bad"
    what, answer = ("acked", acknowledged) if acknowledged.verdict == "violated" else ("read", read)
    return f"{what} lost {answer.length}", "bad"
