"""A page of output: the same content as plain lines, or with colour and fitted columns on a terminal.

Plain output never depends on the width of anything: lines are not wrapped, so that two runs give the same bytes.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, TextIO

if TYPE_CHECKING:
    from rich.console import Console

Style = Literal["", "title", "good", "bad", "warn", "faint"]
Row = Sequence[str | tuple[str, Style]]


class Page(ABC):
    """Where a renderer writes. A cell of a table is a text, or a text with its style."""

    @abstractmethod
    def line(self, text: str = "", style: Style = "", indent: int = 0) -> None:
        """One line; on a terminal long ones are wrapped below their own indentation."""

    @abstractmethod
    def table(self, rows: Iterable[Row], header: Sequence[str] = (), right: Iterable[int] = ()) -> None:
        """Aligned columns, indented by two. `right` are the columns of numbers."""

    def title(self, text: str) -> None:
        """A heading, with an empty line above it."""
        self.line()
        self.line(text, "title")

    def lines(self, lines: Iterable[str], indent: int = 0) -> None:
        """Several lines as they are."""
        for text in lines:
            self.line(text, indent=indent)


class PlainPage(Page):
    """Lines of text to a stream."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def line(self, text: str = "", style: Style = "", indent: int = 0) -> None:
        self.stream.write(f"{'':{indent}}{text}".rstrip() + "\n")

    def table(self, rows: Iterable[Row], header: Sequence[str] = (), right: Iterable[int] = ()) -> None:
        cells = [[cell if isinstance(cell, str) else cell[0] for cell in row] for row in rows]
        if header:
            cells.insert(0, list(header))
        numbers = set(right)
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            fitted = (f"{text:{'>' if i in numbers else '<'}{widths[i]}}" for i, text in enumerate(row))
            self.line("  ".join(fitted), indent=2)


class TerminalPage(Page):
    """The same on a terminal, through rich."""

    STYLES: ClassVar[dict[Style, str]] = {
        "": "",
        "title": "bold",
        "good": "bold green",
        "bad": "bold red",
        "warn": "yellow",
        "faint": "dim",
    }

    def __init__(self, console: Console) -> None:
        self.console = console

    def line(self, text: str = "", style: Style = "", indent: int = 0) -> None:
        from rich.padding import Padding
        from rich.text import Text

        depth = indent + len(text) - len(text.lstrip())
        self.console.print(Padding(Text(text.lstrip(), style=self.STYLES[style]), (0, 0, 0, depth)))

    def table(self, rows: Iterable[Row], header: Sequence[str] = (), right: Iterable[int] = ()) -> None:
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        listed = [[(cell, "") if isinstance(cell, str) else cell for cell in row] for row in rows]
        columns = len(listed[0]) if listed else len(header)
        numbers = set(right)
        table = Table(box=None, show_header=bool(header), padding=(0, 2, 0, 0), header_style="dim")
        for i in range(columns):
            table.add_column(
                header[i] if header else "",
                justify="right" if i in numbers else "left",
                overflow="fold",
                no_wrap=i < columns - 1,
            )
        for row in listed:
            table.add_row(*(Text(text, style=self.STYLES[style]) for text, style in row))
        self.console.print(Padding(table, (0, 0, 0, 2)))


def plain_wanted(stream: TextIO) -> bool:
    """Whether a stream gets plain lines: it is no terminal, a dumb one, or NO_COLOR is set."""
    return not stream.isatty() or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def open_page(stream: TextIO) -> Page:
    """The page that suits a stream."""
    if plain_wanted(stream):
        return PlainPage(stream)
    from rich.console import Console

    return TerminalPage(Console(file=stream, highlight=False))
