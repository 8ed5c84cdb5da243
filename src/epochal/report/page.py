"""A page of output: the same content as plain lines, or with colour and fitted columns on a terminal.

Plain output never depends on the width of anything: lines are not wrapped, so that two runs give the same bytes.
"""

from __future__ import annotations

import os
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


Style = Literal["", "title", "good", "bad", "warn", "faint"]
NARROW = 40
"""If the last column of a table would be narrower than this, its cells stand below the others."""

BELOW = 6
"""How far they are indented there."""

INDENT, GAP = 2, 2
"""How far tables are indented, and the room between columns."""

MANY = 8
"""With more columns than this a table is a matrix: one that does not fit is set closer, and stays in columns."""

TALL = 1.5
"""Rows stand one field below the other if columns would take so many times the lines, or break words."""
Row = Sequence[str | tuple[str, Style]]

KINDS = {
    "invariant": "invariant",
    "action_property": "on every step",
    "reachable": "must be reachable",
    "constraint": "state constraint",
    "lemma": "lemma",
}
"""What reports call the kinds of properties."""


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
    def verbatim(self, text: str, style: Style = "", indent: int = 2) -> None:
        """One line that people copy, such as a command or a path: never wrapped by us, however narrow a terminal is."""

    @abstractmethod
    def table(self, rows: Iterable[Row], header: Sequence[str] = (), right: Iterable[int] = ()) -> None:
        """Aligned columns, indented by two. `right` are the columns of numbers."""

    @abstractmethod
    def again(self, verdict: str) -> None:
        """Say the verdict once more at the end, where the first line has left the screen. Plain output does not: it
        is read from its beginning, and the same bytes wherever it goes."""

    def commands(self, lines: Iterable[str]) -> None:
        """What is worth typing next, as it works."""
        listed = list(lines)
        if listed:
            self.title("Next")
        for text in listed:
            self.verbatim(text)

    def written(self, files: Iterable[str]) -> None:
        """The files that were written, if there are any, and the report beside each trace."""
        from epochal.checker.trace.output_folder import report_beside  # the first line of `--help` comes before it

        listed = list(files)
        if listed:
            self.title("Written")
        for path in listed:
            self.verbatim(path)
            report = report_beside(Path(path))
            if report != Path(path) and report.exists():
                self.verbatim(str(report))

    def warnings(self, several: Iterable[str]) -> None:
        """Each warning as a paragraph of its own."""
        for one in several:
            self.line()
            self.line(f"Warning: {one}.", "warn")

    def title(self, text: str) -> None:
        """A heading, with an empty line above it."""
        self.line()
        self.line(text, "title")

    def facts(self, title: str, *rows: tuple[str, str]) -> None:
        """Names with what is known of each, below a heading. What has nothing to say is left out."""
        self.title(title)
        self.table([(name, said) for name, said in rows if said])

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

    def verbatim(self, text: str, style: Style = "", indent: int = 2) -> None:
        self.line(text, style, indent)

    def again(self, verdict: str) -> None:
        pass

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
        self._lines = 0

    def again(self, verdict: str) -> None:
        if self._lines >= self.console.height:
            self.line()
            self.line(verdict, "title")

    def line(self, text: str = "", style: Style = "", indent: int = 0) -> None:
        from rich.padding import Padding
        from rich.text import Text

        self._lines += 1
        if not text:
            self.console.print()
            return
        depth = indent + len(text) - len(text.lstrip())
        shown = Text(shown_text(text.lstrip()), style=self.STYLES[style])
        self.console.print(Padding(shown, (0, 0, 0, depth), expand=False))

    def verbatim(self, text: str, style: Style = "", indent: int = 2) -> None:
        from rich.text import Text

        shown = Text(" " * indent + shown_text(text), style=self.STYLES[style])
        self.console.print(shown, soft_wrap=True)

    def table(self, rows: Iterable[Row], header: Sequence[str] = (), right: Iterable[int] = ()) -> None:
        cells = [[Cell(*cell) if isinstance(cell, tuple) else Cell(cell) for cell in row] for row in rows]
        cells = [[Cell(shown_text(cell.text), cell.style) for cell in row] for row in cells]
        self._lines += len(cells)
        if not cells and not header:
            return
        heads = [Cell(text, "faint") for text in header]
        numbers = set(right)
        widths = [max(len(cell.text) for cell in column) for column in zip(*[heads] * bool(heads), *cells, strict=True)]
        indent = INDENT + sum(widths[:-1]) + GAP * (len(widths) - 1)
        room = self.console.width - indent
        if room < min(widths[-1], NARROW) and indent - GAP <= self.console.width and len(widths) - 1 not in numbers:
            for row in [heads] * bool(heads) + cells:
                self._above(row, widths, numbers)
            return
        gap = 1 if room < widths[-1] and len(widths) > MANY else GAP
        every = [heads] * bool(heads) + cells
        words = [
            max(len(word) for cell in column for word in cell.text.split() or [""])
            for column in zip(*every, strict=True)
        ]
        narrow = fitted(widths, words, self.console.width - INDENT - gap * (len(widths) - 1))
        broken = any(width < word for width, word in zip(narrow, words, strict=True))
        wordy = bool(heads) and len(widths) <= MANY
        if wordy and (broken or self._height(cells, narrow) > TALL * self._height_below(cells, heads)):
            self._records(heads, cells, widths)
            return
        self._columns(heads, cells, numbers, narrow, gap)

    def _height(self, rows: Sequence[Sequence[Cell]], widths: Sequence[int]) -> int:
        """How many lines the rows take in columns, about."""
        return sum(max(-(-len(cell.text) // width) for cell, width in zip(row, widths, strict=True)) for row in rows)

    def _height_below(self, rows: Sequence[Sequence[Cell]], heads: Sequence[Cell]) -> int:
        """How many lines they take one field below the other, about."""
        room = max(self.console.width - BELOW - GAP - max(len(head.text) for head in heads), 20)
        return sum(-(-len(cell.text) // room) for row in rows for cell in row)

    def _records(self, heads: Sequence[Cell], rows: Sequence[Sequence[Cell]], widths: Sequence[int]) -> None:
        """A table with too little room for its columns: in each row the first that fit, and below them the others with
        their heads. Empty ones are left out."""
        beside = 1
        while INDENT + sum(widths[: beside + 1]) + GAP * beside <= self.console.width // 2:
            beside += 1
        label = max(len(head.text) for head in heads[beside:])
        self._fields(heads[:beside], widths)
        for row in rows:
            self._fields(row[:beside], widths)
            for head, cell in zip(heads[beside:], row[beside:], strict=True):
                if cell.text:
                    self._field(f"{head.text:<{label}}", cell)

    def _fields(self, cells: Sequence[Cell], widths: Sequence[int]) -> None:
        from rich.text import Text

        line = Text(" " * INDENT)
        for cell, width in zip(cells, widths, strict=False):
            line.append(f"{cell.text:<{width}}", self.STYLES[cell.style]).append(" " * GAP)
        line.rstrip()
        self.console.print(line)

    def _field(self, label: str, cell: Cell) -> None:
        from rich.text import Text

        room = max(self.console.width - BELOW - len(label) - GAP, 20)
        for at, part in enumerate(self._text(cell).wrap(self.console, room)):
            head = label if at == 0 else " " * len(label)
            line = Text(" " * BELOW).append(head, self.STYLES["faint"]).append(" " * GAP).append(part)
            line.rstrip()
            self.console.print(line)

    def _columns(
        self, heads: Sequence[Cell], rows: Sequence[Sequence[Cell]], numbers: set[int], widths: Sequence[int], gap: int
    ) -> None:
        """A table by rich, which folds what does not fit a column."""
        from rich.padding import Padding
        from rich.table import Table

        table = Table(box=None, show_header=bool(heads), padding=(0, gap, 0, 0), pad_edge=False, header_style="")
        for at, width in enumerate(widths):
            head = self._text(heads[at]) if heads else ""
            table.add_column(head, width=width, justify="right" if at in numbers else "left", overflow="fold")
        for row in rows:
            table.add_row(*map(self._text, row))
        self.console.print(Padding(table, (0, 0, 0, INDENT), expand=False))

    def _above(self, row: Sequence[Cell], widths: Sequence[int], numbers: set[int]) -> None:
        """A row whose last cell stands below the others, where there is no room beside them."""
        from rich.text import Text

        line = Text(" " * INDENT)
        for at, cell in enumerate(row[:-1]):
            fitted = f"{cell.text:{'>' if at in numbers else '<'}{widths[at]}}"
            line.append(" " * GAP if at else "").append(fitted, self.STYLES[cell.style])
        line.rstrip()
        self.console.print(line)
        if not row[-1].text:
            return
        for part in self._text(row[-1]).wrap(self.console, max(self.console.width - BELOW, 20)):
            self.console.print(Text(" " * BELOW).append(part))

    def _text(self, cell: Cell) -> Text:
        from rich.text import Text

        return Text(cell.text, self.STYLES[cell.style])


def fitted(widths: Sequence[int], words: Sequence[int], room: int) -> list[int]:
    """Widths of columns that fit into the room: the widest give way, and words are broken only if nothing else helps.

    `words` are the lengths of the longest word in each column. No column is narrower than one character.
    """
    found = list(widths)
    for least in (words, [1] * len(found)):
        while sum(found) > room:
            wide = [at for at, width in enumerate(found) if width > least[at]]
            if not wide:
                break
            found[max(wide, key=found.__getitem__)] -= 1
    return found


def plain_wanted(stream: TextIO) -> bool:
    """Whether a stream gets plain lines: it is no terminal, a dumb one, or NO_COLOR is set."""
    return not stream.isatty() or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def open_page(stream: TextIO) -> Page:
    """The page that suits a stream."""
    if plain_wanted(stream):
        return PlainPage(stream)
    from rich.console import Console

    return TerminalPage(Console(file=stream, highlight=False))


COMMAND = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
"""What GitHub Actions takes for a command of a workflow: two colons at the beginning of a line, or after spaces."""


def shown_text(text: str) -> str:
    """The text without control characters, and in GitHub Actions without lines that it would take for a command.

    Only the gate's own annotations are such lines.
    """
    clean = text if text.replace("\n", "").isprintable() else _printable(text)
    return COMMAND.sub(r"\1: ", clean) if os.environ.get("GITHUB_ACTIONS") == "true" else clean


def _printable(text: str) -> str:
    from epochal.spec.language.errors import printable  # the language takes a while to import, and few texts need this

    return printable(text, lines=True)


def tell(text: str) -> None:
    """Tell something on stderr."""
    print(shown_text(text), file=sys.stderr, flush=True)
