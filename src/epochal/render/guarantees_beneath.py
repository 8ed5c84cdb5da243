"""What breaks a promise next: the same fault again, once what was behind the shortest run is closed."""

from __future__ import annotations

from collections.abc import Sequence

from epochal.kafka.guarantee_tables import Table
from epochal.render.guarantees_cells import called, kept
from epochal.render.page import Page, Row


def render_beneath(page: Page, tables: Sequence[Table], logs: bool) -> None:
    """A row for every search that closed something; nothing if none was made."""
    rows: list[Row] = [
        (f"{table.column.title}: {one.fault.title}", ", ".join(called(id) for id in deeper.closed), kept(deeper, logs))
        for table in tables
        for one in table.decided
        for deeper in one.beneath
    ]
    if not rows:
        return
    page.line()
    page.line("Beneath each NO: the same fault, with what was behind it closed, until nothing known is behind it:")
    page.table(rows, header=("FAULT", "CLOSED", "THEN"))
