"""Both readings of the modern protocol find the same states and steps, and its small state spaces are known."""

from __future__ import annotations

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.state import KraftBounds
from epochal.spec.registry import registered
from tests.spec.searches import assert_both_engines_agree

SMALL = ("S18", "S19", "S30")


@pytest.mark.parametrize("scenario", [s for s in BUGS if s.id in SMALL], ids=lambda s: s.id)
def test_both_readings_agree(scenario: KnownBug) -> None:
    """Digests of states and steps, and every verdict, without the rule and over the whole state space."""
    assert_both_engines_agree(registered(scenario.without_rule)())


def test_two_brokers() -> None:
    """Everything that can go wrong, once each, on two brokers: all properties hold and every mechanism happens."""
    bounds = KraftBounds(
        replication_factor=2,
        records=2,
        max_epoch=2,
        metadata_lag=2,
        crashes=0,
        lossy_crashes=1,
        fencings=1,
        shrinks=1,
        elections=1,
    )
    result = breadth_first.check(Kraft(bounds), Options(symmetry=True))
    assert result.exhaustive
    assert [p.member.name for p in result.properties if p.verdict == "violated"] == []
    assert result.never_taken == ()
    assert (result.distinct_states, result.depth) == (144_865, 30)
