"""Real counterexamples and witnesses, found once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from trace_zoo import Zoo

from checker.search.interpreter import check
from checker.search.result import Options
from checker.trace.trace import Trace
from spec.classic.state import ClassicBounds
from spec.classic.truncate_to_hw import TruncateToHw
from spec.language import Protocol
from spec.registry import registered


@pytest.fixture(scope="session")
def found() -> dict[str, Trace]:
    """The traces of the smallest truncate-to-hw that is wrong, by property."""
    protocol = TruncateToHw(ClassicBounds(replicas=2, log_size=1, records=1, max_epoch=1))
    result = check(protocol, Options())
    return {p.member.name: p.trace for p in result.properties if p.trace is not None}


@pytest.fixture(scope="session")
def counterexample(found: dict[str, Trace]) -> Trace:
    """The shortest counterexample to weak_isr: 8 steps."""
    return found["weak_isr"]


@pytest.fixture(scope="session")
def zoo() -> Zoo:
    """The zoo at its default bounds."""
    return Zoo()


@pytest.fixture(scope="session")
def load() -> Callable[[str], type[Protocol]]:
    """Finds registered protocols, and the zoo."""
    return lambda name: Zoo if name == "zoo" else registered(name)
