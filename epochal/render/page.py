"""A page of output: the same content as plain lines, or with colour and fitted columns on a terminal.

Plain output never depends on the width of anything: lines are not wrapped, so that two runs give the same bytes.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TextIO

from epochal.render.shown import shown_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Style = Literal["", "title", "good", "bad", "warn", "faint"]
NARROW = 40
BELOW = 6
Row = Sequence[str | tuple[str, Style]]


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    text: str
    style: Style = ""


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
        self.stream.write(shown_text(f"{'':{indent}}{text}").rstrip() + "\n")

    def table(self, rows: Iterable[Row], header: Sequence[str] = (), right: Iterable[int] = ()) -> None:
        cells = [[shown_text(cell[0] if isinstance(cell, tuple) else cell) for cell in row] for row in rows]
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

        if not text:
            self.console.print()
            return
        depth = indent + len(text) - len(text.lstrip())
        shown = Text(shown_text(text.lstrip()), style=self.STYLES[style])
        self.console.print(Padding(shown, (0, 0, 0, depth), expand=False))

    def table(self, rows: Iterable[Row], header: Sequence[str] = (), right: Iterable[int] = ()) -> None:
        from rich.text import Text

        cells = [[Cell(*cell) if isinstance(cell, tuple) else Cell(cell) for cell in row] for row in rows]
        cells = [[Cell(shown_text(cell.text), cell.style) for cell in row] for row in cells]
        if header:
            cells.insert(0, [Cell(text, "faint") for text in header])
        numbers = set(right)
        widths = [max(len(cell.text) for cell in column) for column in zip(*cells, strict=True)]
        indent = 2 + sum(widths[:-1]) + 2 * (len(widths) - 1)
        below = self.console.width - indent < min(widths[-1], NARROW)
        for row in cells:
            line = Text(" ")
            for i, cell in enumerate(row[:-1]):
                fitted = f"{cell.text:{'>' if i in numbers else '<'}{widths[i]}}"
                line.append(" " if i == 0 else "  ").append(fitted, self.STYLES[cell.style])
            last = f"{row[-1].text:>{widths[-1]}}" if len(row) - 1 in numbers else row[-1].text
            self._last(line, last, row[-1].style, BELOW if below else indent, below)

    def _last(self, line: Text, text: str, style: Style, indent: int, below: bool) -> None:
        """Print a row whose last cell may take several lines: beside the others, or below them if there is no room."""
        from rich.text import Text

        parts = Text(text, self.STYLES[style]).wrap(self.console, max(self.console.width - indent, 20))
        if below:
            self.console.print(line)
        else:
            line.append("  ").append(parts.pop(0) if parts else "")
            self.console.print(line)
        for part in parts:
            self.console.print(Text(" " * indent).append(part))


def plain_wanted(stream: TextIO) -> bool:
    """Whether a stream gets plain lines: it is no terminal, a dumb one, or NO_COLOR is set."""
    return not stream.isatty() or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def open_page(stream: TextIO) -> Page:
    """The page that suits a stream."""
    if plain_wanted(stream):
        return PlainPage(stream)
    from rich.console import Console

    return TerminalPage(Console(file=stream, highlight=False))
