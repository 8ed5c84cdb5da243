"""What `epochal export` has written, as text and as JSON, and how far it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epochal.checker.base.numbers import counted, sized, timed

from .page import Page
from .progress import Counted

if TYPE_CHECKING:
    from epochal.checker.tables.tables import Export, Written


class ExportTelling:
    """The progress of `epochal export`."""

    def in_words(self, now: Written) -> str:
        """The progress on one line."""
        return f"{now.rows:,} of {counted(now.of, 'state')} written, {timed(now.seconds)}"

    def document(self, now: Written) -> dict[str, Any]:
        """The progress as an object."""
        return {"states": now.rows, "of": now.of, "seconds": round(now.seconds, 3)}

    def far(self, now: Written) -> Counted:
        """The states written and to be written."""
        return Counted(now.rows, now.of)


def headline(export: Export) -> str:
    """How many states were written, and whether these are all."""
    of = "all within the bounds" if export.exhaustive else "of a search that has not seen all"
    return f"{export.protocol}: {counted(export.states, 'state')} on {counted(export.levels, 'level')}, {of}"


def render_export(page: Page, export: Export) -> None:
    """Which tables there are, and where."""
    page.line(headline(export), "good" if export.exhaustive else "warn")
    page.line(", ".join(f"{name} {value}" for name, value in export.bounds.items()), indent=2)
    page.title(f"Written to {export.folder}")
    page.table(
        [(one.name, f"{one.rows:,}", counted(len(one.files), "file"), sized(one.size)) for one in export.tables],
        header=("TABLE", "ROWS", "FILES", "SIZE"),
        right=(1,),
    )
