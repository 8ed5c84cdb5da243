"""Ctrl-C may come between any two lines: what the search says then is right, and a checkpoint can be gone on from."""

from __future__ import annotations

import mmap
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from epochal.checker.native.runtime.memory import Region
from epochal.checker.native.runtime.worker_pool import WorkerPool
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from tests.checker.search.models import classic, small_faulty
from tests.checker.search.test_workers import everything

TUNING = Tuning(share_from=200, slack=0, first_slots=1 << 8, early_slots=0, first_records=1, quantum=300)
"""Memory grows all the time, and workers join while there are few states."""

PLACES = ("checker/native/runtime/", "checker/search/native.py")
"""Where interruptions come."""


@cache
def is_place(code: CodeType) -> bool:
    """Whether interruptions come in a function."""
    return any(place in code.co_filename for place in PLACES)


class Interruptions:
    """Counts the lines that are run in these places, and raises KeyboardInterrupt before one of them."""

    def __init__(self, at: int | None) -> None:
        self.lines, self._at = 0, at
        self.where = ""

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._line if is_place(frame.f_code) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.lines += 1
            if self.lines == self._at:
                self.where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                raise KeyboardInterrupt
        return self._line


@contextmanager
def interrupted(at: int | None) -> Iterator[Interruptions]:
    """Interrupt what is run at so many lines; with None never."""
    interruptions, before = Interruptions(at), sys.gettrace()
    sys.settrace(interruptions)
    try:
        yield interruptions
    finally:
        sys.settrace(before)


def move(region: Region, size: int) -> None:
    """Memory that grows lies elsewhere then; where it was there is none, so that whoever looks there is found."""
    larger = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    larger[: region.size] = region._map[: region.size]
    before, region._map = region._map, larger
    before.close()


def require_consistent(result: CheckResult, where: str) -> None:
    """Every state was found by some action, but the first, and is counted once."""
    assert sum(action.new_states for action in result.actions) + 1 == result.distinct_states, where


@pytest.mark.parametrize("compact", [False, True], ids=["exact", "compact"])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("samples", [4, pytest.param(2_000, marks=pytest.mark.long)])
def test_wherever_it_is_interrupted(
    workers: int, compact: bool, samples: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A state is not counted twice, nothing is read where memory no longer is, and the rest can be searched later."""
    monkeypatch.setattr(Region, "_grow_anonymous", move)
    protocol = classic("kip-101", 3, 1, 1, 1)
    options = Options(all_violations=True, workers=workers, compact=compact)
    with interrupted(None) as counted:
        expected = breadth_first.check(protocol, options, tuning=TUNING)
    require_consistent(expected, "")
    picked, seen = random.Random(workers), set[str]()
    for sample in range(samples):
        kept = replace(options, checkpoint=tmp_path / str(sample))
        with interrupted(picked.randrange(1, counted.lines)) as interruption:
            try:
                result = breadth_first.check(protocol, kept, tuning=TUNING)
            except KeyboardInterrupt:  # there was nothing to tell yet, or no longer
                continue
        seen.add(interruption.where)
        if result.cut:
            require_consistent(result, interruption.where)
        if result.checkpoint is not None:
            result = breadth_first.check(protocol, replace(kept, resume=result.checkpoint), tuning=TUNING)
        assert everything(result) == everything(expected) or not result.exhaustive, interruption.where
    assert len(seen) > samples // 8


def test_what_was_found_before_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A violation in the level that Ctrl-C cuts short counts, as it does when a budget ends the search."""
    expand = WorkerPool.expand

    def expand_until_found(self: WorkerPool, quantum: int) -> None:
        expand(self, quantum)
        if self.findings():
            raise KeyboardInterrupt

    monkeypatch.setattr(WorkerPool, "expand", expand_until_found)
    result = breadth_first.check(small_faulty(), Options(("weak_isr",), workers=1), tuning=TUNING)
    assert result.interrupted and result.exit_code == 12
    (found,) = result.properties
    assert found.verdict == "violated" and found.trace is not None
