"""What is said of the time that is left: nothing as long as nobody can know, and then rather too much."""

from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import pairwise

import pytest

from epochal.checker.search.result import Progress
from epochal.report.progress import (
    SEARCH,
    SIMULATION,
    Counted,
    Estimate,
    LiveProgress,
    PlainProgress,
    Queued,
    Telling,
    about,
)


@dataclass(frozen=True)
class Moment:
    seconds: float


def estimates(telling: Telling, snapshots: list[Progress]) -> list[float | None]:
    estimate = Estimate()
    return [estimate.left(now, telling.far(now)) for now in snapshots]


def levels(sizes: list[int]) -> list[Progress]:
    """A search that explores 1,000 states a second, half a second a snapshot."""
    explored, found, made = 0, sizes[0], []
    for now, after in pairwise([*sizes, 0]):
        for half in range(2):
            explored += now // 2
            found += after // 2
            made.append(Progress(found, found, half, found - explored, explored / 1000, 1))
    return made


def test_nothing_is_said_of_a_search_that_grows() -> None:
    assert estimates(SEARCH, levels([1000 * 2**n for n in range(6)]))[:10] == [None] * 10


def test_a_search_that_shrinks_ends_at_that_rate() -> None:
    """Each level is half the one before, so that as much is left as the last level had."""
    sizes = [1000, 4000, 16000, 8000, 4000, 2000, 1000]
    snapshots = levels(sizes)
    total = sum(sizes) / 1000
    found = estimates(SEARCH, snapshots)
    said = [(now, left) for now, left in zip(snapshots, found, strict=True) if left is not None]
    assert said and min(now.seconds for now, _ in said) > 5  # not before it shrinks
    for now, left in said:
        assert left >= 0.9 * (total - now.seconds), now
    assert any(left < 1.3 * (total - now.seconds) for now, left in said)


def test_runs_take_as_long_as_runs_before() -> None:
    runs = [Progress(9, 9, done, 100 - done, 0.2 * done, 1) for done in range(101)]
    found = estimates(SIMULATION, runs)
    assert found[:10] == [None] * 10  # less than a tenth is done
    assert found[50] == pytest.approx(10) and found[100] is None


def test_what_was_known_from_before_is_not_counted() -> None:
    """Answers from a cache come at once, and say nothing of the others."""
    estimate = Estimate()
    assert estimate.left(Moment(1.0), Counted(90, 200)) is None
    assert estimate.left(Moment(2.0), Counted(94, 200)) is None
    assert estimate.left(Moment(21.0), Counted(110, 200)) == pytest.approx(90)


def test_another_search_begins_anew() -> None:
    estimate = Estimate()
    for second in range(1, 9):
        estimate.left(Moment(second), Queued(1000 * second, 9000 - 1000 * second))
    assert estimate.left(Moment(9), Queued(9000, 10)) is not None
    assert estimate.left(Moment(0.1), Queued(9100, 5)) is None
    assert estimate.left(Moment(2), None) is None


def test_it_is_said_no_more_exactly_than_it_is_known() -> None:
    assert [about(s) for s in (0, 4, 5, 17, 54, 55, 61, 3000, 7000)] == [
        *("a few seconds left", "a few seconds left", "about 5 s left", "about 20 s left", "about 55 s left"),
        *("about 1 min left", "about 2 min left", "about 50 min left", "about 2 h left"),
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_it_and_lines_that_are_kept_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    runs = [Progress(9, 9, done, 100 - done, 0.2 * done, 1) for done in range(60)]
    shown, kept = Terminal(), io.StringIO()
    live = LiveProgress(shown, SIMULATION)
    plain = PlainProgress(kept, SIMULATION)
    for now in runs:
        live(now)
        plain(now)
    live.close()
    assert "about 15 s left: 9 states" in shown.getvalue()
    assert kept.getvalue() and "left:" not in kept.getvalue()
