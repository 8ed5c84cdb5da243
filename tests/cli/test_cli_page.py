"""Plain output never depends on the terminal; colour only on one, and NO_COLOR is honoured."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from epochal.checker.base.numbers import counted, rated, sized, timed
from epochal.report.page import Page, PlainPage, Row, Style, TerminalPage, fitted, open_page
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "epochal", "explain", "12")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_a_terminal_gets_colour_and_a_pipe_does_not() -> None:
    assert isinstance(open_page(Terminal()), TerminalPage)
    assert isinstance(open_page(io.StringIO()), PlainPage)


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_can_be_refused(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert isinstance(open_page(Terminal()), PlainPage)


def on_a_terminal(env: dict[str, str]) -> str:
    """What a command writes when its stdout is a real terminal."""
    parent, child = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    with subprocess.Popen(COMMAND, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        text = b""
        try:
            while chunk := os.read(parent, 4096):
                text += chunk
        except OSError:  # the terminal is gone when its last writer is
            pass
    os.close(parent)
    assert process.returncode == 0
    return text.decode()


def test_a_real_terminal_is_coloured_unless_no_color_is_set() -> None:
    assert "\x1b[1m12: violated\x1b[0m" in on_a_terminal({})
    assert "\x1b[" not in on_a_terminal({"NO_COLOR": "1"})


def test_piped_output_does_not_depend_on_the_width_of_the_terminal() -> None:
    def shown(columns: str) -> bytes:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": columns}
        command = (sys.executable, "-m", "epochal", "show", "kip-320")
        return subprocess.run(command, env=environment, capture_output=True, check=True).stdout

    assert shown("40") == shown("300")
    assert b"\x1b[" not in shown("80")


def test_tables_are_aligned_and_numbers_stand_right() -> None:
    stream = io.StringIO()
    PlainPage(stream).table([("a", "1"), (("long", "bad"), "20")], header=("NAME", "N"), right=(1,))
    assert stream.getvalue() == "  NAME   N\n  a      1\n  long  20\n"


def test_on_a_narrow_terminal_the_last_cell_goes_below(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    def shown(width: int) -> list[str]:
        stream = io.StringIO()
        page = TerminalPage(Console(file=stream, width=width, color_system=None))
        page.table([("violated", "strong_isr", "A sentence that is long enough to need more room than there is.")])
        return stream.getvalue().splitlines()

    assert shown(120) == ["  violated  strong_isr  A sentence that is long enough to need more room than there is."]
    assert [line.rstrip() for line in shown(50)] == [
        "  violated  strong_isr",
        "      A sentence that is long enough to need more",
        "      room than there is.",
    ]


class Recorder(PlainPage):
    """Keeps what is written to it, so that the same report can be shown on several pages."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.calls: list[tuple[str, tuple[object, ...]]] = []

    def line(self, text: str = "", style: Style = "", indent: int = 0) -> None:
        self.calls.append(("line", (text, style, indent)))

    def verbatim(self, text: str, style: Style = "", indent: int = 2) -> None:
        self.calls.append(("verbatim", (text, style, indent)))

    def table(self, rows: Iterable[Row], header: Sequence[str] = (), right: Iterable[int] = ()) -> None:
        self.calls.append(("table", (list(rows), header, tuple(right))))

    def shown_on(self, page: Page, stream: io.StringIO, *kinds: str) -> list[str]:
        """The lines of these kinds of calls, on a page that writes to a stream."""
        for kind, given in self.calls:
            if kind in kinds:
                getattr(page, kind)(*given)
        return stream.getvalue().splitlines()


@pytest.mark.parametrize(
    "command",
    [
        "guarantees --replication-factor 1 --records 1 --fault clean --fault lossy-and-clean",
        "prove kip-320-proof --replicas 2 --log-size 1 --records 1 --max-epoch 1 --property strong_isr",
        "catalogue --list",
        "list",
        "check truncate-to-hw --replicas 2 --log-size 1 --records 1 --max-epoch 1",
        "check kraft --property expansion_safe --max-states 50",
        "show kraft",
    ],
)
def test_reports_fit_terminals_and_lose_nothing(command: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """On 60 to 200 columns no line is wider than the terminal, and every character of every cell is there. Heads may be
    repeated, and those of empty columns left out."""
    from rich.console import Console

    recorder = Recorder()
    monkeypatch.setattr("epochal.report.page.open_page", lambda _: recorder)
    assert run(*command.split()).exit_code in (0, 12, 30)
    without_heads = Recorder()
    without_heads.calls = [
        (kind, (given[0], (), given[2]) if kind == "table" else given) for kind, given in recorder.calls
    ]
    plain = without_heads.shown_on(PlainPage(stream := io.StringIO()), stream, "line", "table")
    assert len(plain) > 5
    for width in (60, 80, 120, 200):
        page = TerminalPage(Console(file=(stream := io.StringIO()), width=width, color_system=None))
        shown = recorder.shown_on(page, stream, "line", "table")
        assert [line for line in shown if len(line) > width] == []
        assert Counter("".join("".join(plain).split())) <= Counter("".join("".join(shown).split())), width


def test_words_are_broken_last() -> None:
    assert fitted([30, 7, 6], [22, 3, 6], 50) == [30, 7, 6]
    assert fitted([30, 7, 6], [22, 3, 6], 31) == [22, 3, 6]
    assert fitted([30, 7, 6], [22, 3, 6], 28) == [19, 3, 6]
    assert fitted([3, 3], [3, 3], 1) == [1, 1]


def test_commands_are_never_wrapped() -> None:
    from rich.console import Console

    command = "epochal check " + " ".join(f"--bound-{i} {i}" for i in range(30))
    for page, stream in (
        (TerminalPage(Console(file=(narrow := io.StringIO()), width=40, color_system=None)), narrow),
        (PlainPage(piped := io.StringIO()), piped),
    ):
        page.commands([command])
        assert stream.getvalue() == f"\nNext\n  {command}\n"


def test_numbers_as_people_read_them() -> None:
    assert [counted(1, "state"), counted(2744, "state"), counted(0, "entry", "entries")] == [
        "1 state",
        "2,744 states",
        "0 entries",
    ]
    assert [sized(512), sized(1536), sized(3 << 30), sized(200 << 20)] == ["512 B", "1.5 KiB", "3.0 GiB", "200 MiB"]
    assert [timed(0.314), timed(12.34), timed(125), timed(12000)] == ["0.31 s", "12.3 s", "2 min 05 s", "3 h 20 min"]
    assert [rated(3_412_000), rated(12_345), rated(7)] == ["3.4 million", "12,300", "7"]


WORDY = (
    ("KAFKA-18991 (S10)", "2.7 to 3.9.0 and 4.0.0", "", "kraft-s10", "leader_candidate_completeness", "An answer " * 6),
    (
        "PartitionChangeBuilder.maybeUpdateRecordElr (W4)",
        "4.0",
        "KIP-966",
        "kraft-w4",
        "leader_completeness",
        "A ghost",
    ),
)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_table_whose_words_do_not_fit_stands_field_below_field(width: int) -> None:
    from rich.console import Console

    stream = io.StringIO()
    page = TerminalPage(Console(file=stream, width=width, force_terminal=False))
    page.table(WORDY, ("BUG", "KAFKA", "ALSO", "PROTOCOL", "PROPERTY", "WHAT HAPPENS"))
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    words = Counter(word for row in WORDY for cell in row for word in cell.split())
    assert words <= Counter(" ".join(lines).split())
    assert lines[:3] == ["  BUG", "  KAFKA-18991 (S10)", "      KAFKA         2.7 to 3.9.0 and 4.0.0"]
    assert "      ALSO          KIP-966" in lines and sum("ALSO" in line for line in lines) == 1  # the other is empty


def test_a_table_that_fits_stands_in_columns() -> None:
    from rich.console import Console

    stream = io.StringIO()
    TerminalPage(Console(file=stream, width=200, force_terminal=False)).table(WORDY, tuple("ABCDEF"))
    assert len(stream.getvalue().splitlines()) == 3
