"""Progress goes to stderr and leaves the result on stdout as it is."""

from __future__ import annotations

import io
import json

import pytest

from epochal.checker.search.result import Progress
from epochal.report.progress import PlainProgress, shown_progress
from tests.cli.conftest import Run

PYTHON = ("--engine", "python")


def at(seconds: float, states: int = 2744) -> Progress:
    return Progress(states, 9000, 7, 12, seconds, 3 << 20)


def test_json_progress_is_one_object_a_line(run: Run) -> None:
    quiet = run("check", "kip-320", "--max-states", "300", *PYTHON, "--progress", "none")
    result = run("check", "kip-320", "--max-states", "300", *PYTHON, "--progress", "json")
    assert quiet.stderr == ""
    lines = [json.loads(line) for line in result.stderr.splitlines()]
    assert lines
    assert all(
        line.keys() == {"states", "generated", "depth", "queue", "rate", "seconds", "memory_bytes"} for line in lines
    )
    assert "inconclusive" in result.stdout


def test_plain_progress_is_silent_when_the_search_is_short(run: Run) -> None:
    assert run("check", "async-isr", "--replicas", "1", *PYTHON, "--progress", "plain").stderr == ""


def test_plain_progress_has_a_line_every_two_seconds_at_most() -> None:
    stream = io.StringIO()
    progress = PlainProgress(stream)
    for tenth in range(62):
        progress(at(tenth / 10))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0] == "2,744 states, 1,400 a second on the clock, depth 7, queue 12, 3.0 MiB, 2.00 s"


def test_automatic_progress_is_plain_where_there_is_no_terminal() -> None:
    with shown_progress("auto", io.StringIO()) as report:
        assert isinstance(report, PlainProgress)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_live_progress_shows_one_line_and_removes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    with shown_progress("auto", stream) as report:
        assert report is not None
        report(at(0.1, states=1))
        assert stream.getvalue() == ""
        report(at(1.0))
        assert "2,744 states" in stream.getvalue()
    assert "1 state," not in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[2K")
