"""What comes back by itself after each fault: a leader, writes with acks=all, the whole ISR."""

from __future__ import annotations

from collections.abc import Sequence

from epochal.checker.host.numbers import counted
from epochal.kafka.comes_back import Recovery
from epochal.kafka.guarantee_tables import Table
from epochal.render.guarantees_cells import Cell
from epochal.render.page import Page, Row

HEADS = {"leader": "A LEADER", "writes": "WRITES, ACKS=ALL", "whole_isr": "THE WHOLE ISR"}
LEGEND = (
    "yes: in every fair run, whether or not a broker that is down is ever started again",
    "after a restart (n): if every broker that is down is started again; n states lead to where it waits for that",
    "NO, n states: it may stay away for ever, even so",
    "writes, acks=all: the ISR is as large as min.insync.replicas. Nothing fails besides the fault, a broker that is",
    "down is fenced some time, and what runs goes on: metadata are replayed, followers fetch, proposals are answered.",
)


def render_recovery(page: Page, tables: Sequence[Table]) -> None:
    """A table for each protocol; nothing if nobody has asked."""
    asked = [table for table in tables if any(one.back for one in table.decided)]
    if not asked:
        return
    for table in asked:
        page.title(f"What comes back by itself: {table.column.title}")
        rows: list[Row] = [
            (one.fault.title, *(_cell(one.back[name]) for name in HEADS)) for one in table.decided if one.back
        ]
        page.table(rows, header=("FAULT", *HEADS.values()))
    page.line()
    page.lines(LEGEND, indent=2)
    for table in asked:
        for one in table.decided:
            for why in {found.why: None for found in one.back.values() if found.why}:
                page.line(f"Open: {one.fault.title}: {why}.", "warn")


def _cell(found: Recovery) -> Cell:
    if found.verdict == "after a restart":
        return f"after a restart ({found.length})", "warn"
    if found.verdict == "never":
        return f"NO, {counted(found.length or 0, 'state')}", "bad"
    return ("yes", "good") if found.verdict == "alone" else ("open", "warn")
