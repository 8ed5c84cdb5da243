"""Which tests are slow: `make slow-tests` runs the suite in one process, and writes the list of those that are.

    pytest -p tests.measured

What counts is processor time, of child processes as well: a machine that is busy makes no test slow. A function is slow
if one of its cases is; of the cases in one test (`for_each`), if their mean is. What several tests share is on the bill
of the first of them.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.conftest import function_of
from tests.each import cases_of

SLOW = 0.2
"""Seconds of a processor, from which a test is slow."""

HEAD = f"# Functions with a test that takes {SLOW} seconds of a processor or more: `make test-fast` leaves them out.\n"

_taken: dict[str, float] = {}


def used() -> float:
    """Seconds that this process has used, and those of its children that ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure a test with its fixtures."""
    before = used()
    try:
        return (yield)
    finally:
        function = function_of(item.nodeid)
        cases = cases_of(getattr(item, "function", None))
        _taken[function] = max((used() - before) / cases, _taken.get(function, 0.0))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the list. Of functions that did not run it says what it said."""
    path = Path(__file__).with_name("slow_tests.txt")
    kept = {line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")} - _taken.keys()
    slow = sorted(kept | {name for name, seconds in _taken.items() if seconds >= SLOW})
    path.write_text(HEAD + "".join(f"{name}\n" for name in slow), encoding="utf-8")
