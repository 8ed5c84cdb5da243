"""The known mutants of KIP-320 are among those that are found, and break the same property after as many steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.mutation.mutants import mutants_of
from checker.mutation.outcomes import Judge
from checker.mutation.result import MutationResult
from checker.search import breadth_first
from checker.search.result import Options
from cli.survivors import read_survivors
from spec.registry import registered

SURVIVORS = Path(__file__).parents[1] / "mutants" / "kip_320_survivors.toml"

KNOWN = (
    ("kip-320-m1", "Kip320.become_follower: drop all requires", {"weak_isr": 14, "strong_isr": 14}),
    ("kip-320-m2", "Kip320.leader_expands_isr: drop require #4", {"strong_isr": 12}),
    (
        "kip-320-m3",
        "Kip320.advance_high_watermark: require #2 follows_epoch: drop conjunct #3",
        {"weak_isr": 13, "strong_isr": 13},
    ),
)
"""The variant that someone wrote, the mutant that takes the same away, and the lengths of the counterexamples."""


@pytest.mark.parametrize(("variant", "id", "broken"), KNOWN)
def test_known_mutants(variant: str, id: str, broken: dict[str, int]) -> None:
    """Same states and steps as the variant at bounds that are searched whole; same violation at the defaults."""
    protocol = registered("kip-320")()
    (mutant,) = (one for one in mutants_of(protocol) if one.id.endswith(id))
    specification, written = mutant.build(), registered(variant)
    small = protocol.bounds_type()(replicas=3, log_size=2, records=2, max_epoch=1)  # type: ignore[call-arg]
    whole = Options(all_violations=True)
    ours, theirs = (breadth_first.check(one(small), whole) for one in (specification, written))
    assert (ours.state_digest, ours.step_digest) == (theirs.state_digest, theirs.step_digest)
    for one in (specification, written):
        result = breadth_first.check(one(), Options())
        assert {p.member.name: p.length for p in result.properties if p.verdict == "violated"} == broken


@pytest.mark.long
def test_the_survivors_of_kip_320_are_listed() -> None:
    """At the default bounds exactly the listed mutants survive. `epochal mutate kip-320 --survivors` says the same."""
    protocol = registered("kip-320")()
    original = breadth_first.check(protocol, Options(all_violations=True))
    mutants = mutants_of(protocol)
    outcomes = tuple(Judge(original, breadth_first.check, Options()).outcomes(mutants))
    result = MutationResult(original, mutants, outcomes, read_survivors(SURVIVORS, protocol), 0.0, 0.0)
    assert [one.mutant.id for one in result.unexpected] == []
    assert result.stale == []
    assert len(result.killed) == 36
    assert result.exit_code == 0
