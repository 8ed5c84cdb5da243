"""TLC counts what Epochal counts, finds what it finds by runs as short, and its runs are runs of the specification."""

from __future__ import annotations

from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from .__main__ import asked, kept
from .programs import ask
from .rows import NAMES

pytestmark = pytest.mark.tlc
PROGRAMS = 200
"""How many random programs both have searched."""


@pytest.mark.parametrize("name", NAMES)
def test_a_registered_protocol(name: str) -> None:
    """TLC says what is kept of it, and agrees with Epochal."""
    said = asked(name, witnesses=False)
    assert not said.get("differences"), said["differences"]
    assert said == kept()[name]


def test_random_programs(tmp_path: Path) -> None:
    """States, depth, verdicts and lengths of random programs are the same, or both fail."""
    found: Counter[str] = Counter()
    for seed in count():
        answer = ask(seed, tmp_path / str(seed))
        found[answer.verdict] += 1
        assert answer.verdict != "different", f"program {seed}: {answer.said}"
        if found["same"] == PROGRAMS:
            break
    assert found["refused"] < PROGRAMS, found
