"""The specification and both engines reproduce the published figures exactly."""

from __future__ import annotations

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.language import Protocol
from epochal.spec.registry import registered
from tests.spec.classic.known_answers import KNOWN_ANSWERS, STATE_COUNTS, KnownAnswer

EVERYTHING = Options(all_violations=True)
SMALL = 1_300


def protocol_at(name: str, bounds: tuple[int, ...]) -> Protocol:
    """A registered protocol with bounds given in the order of their declaration."""
    kind = registered(name)
    return kind(kind.bounds_type()(*bounds))


def compare(result: CheckResult, known: KnownAnswer) -> None:
    """Assert that a complete search found exactly what is known."""
    assert result.exhaustive
    assert (result.distinct_states, result.depth) == (known.distinct_states, known.depth)
    violated = {
        p.member.name: p.length
        for p in result.properties
        if p.member.mark.kind == "invariant" and p.verdict == "violated"
    }
    assert violated == known.violated
    assert all(p.verdict == "holds" for p in result.properties if p.member.mark.kind != "invariant")
    assert result.never_taken == ()
    assert result.exit_code == (12 if known.violated else 0)


@pytest.mark.parametrize("known", KNOWN_ANSWERS, ids=lambda k: f"{k.protocol}-{'/'.join(map(str, k.bounds))}")
def test_native_search(known: KnownAnswer) -> None:
    """Every published figure, by machine code."""
    compare(breadth_first.check(protocol_at(known.protocol, known.bounds), EVERYTHING), known)


@pytest.mark.parametrize(
    "known",
    [k for k in KNOWN_ANSWERS if k.distinct_states <= SMALL],
    ids=lambda k: f"{k.protocol}-{'/'.join(map(str, k.bounds))}",
)
def test_python_search(known: KnownAnswer) -> None:
    """The small ones by the Python reading."""
    compare(reference_engine.check(protocol_at(known.protocol, known.bounds), EVERYTHING), known)


@pytest.mark.parametrize(("name", "bounds", "states"), STATE_COUNTS)
def test_state_counts(name: str, bounds: tuple[int, ...], states: int) -> None:
    """The state counts of the KIP-279 divergence scenario's bounds."""
    assert breadth_first.check(protocol_at(name, bounds), EVERYTHING).distinct_states == states


DEFAULT_VIOLATIONS: dict[str, dict[str, int]] = {
    "truncate-to-hw": {"weak_isr": 9, "strong_isr": 9},
    "kip-101": {"weak_isr": 11, "strong_isr": 11},
    "kip-279": {"weak_isr": 11, "strong_isr": 11},
    "kip-320-first-try": {"weak_isr": 12},
    "kip-320-m1": {"weak_isr": 14, "strong_isr": 14},
    "kip-320-m2": {"strong_isr": 12},
    "kip-320-m3": {"weak_isr": 13, "strong_isr": 13},
    "kip-320": {},
    "async-isr": {},
}


@pytest.mark.parametrize("name", sorted(DEFAULT_VIOLATIONS))
def test_default_bounds_show_the_bug(name: str) -> None:
    """At its default bounds every faulty variant is caught at once, and the sound ones pass."""
    result = breadth_first.check(registered(name)(), Options())
    found = {p.member.name: p.length for p in result.properties if p.verdict == "violated"}
    assert found == DEFAULT_VIOLATIONS[name]
    assert result.exhaustive == (not found)
