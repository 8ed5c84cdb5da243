"""The known mutants of KIP-320 are found, and break the same property after as many steps; survivors are listed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.mutation.mutants import mutants_of
from epochal.checker.mutation.outcomes import Judge
from epochal.checker.mutation.result import MutationResult
from epochal.checker.mutation.survivors import read_survivors
from epochal.checker.search import breadth_first
from epochal.checker.search.result import Options
from epochal.spec.language import Protocol
from epochal.spec.registry import registered

MUTANTS = Path(__file__).parent / "mutants"

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
    small = protocol.bounds_type()().with_values({"replicas": 3, "log_size": 2, "records": 2, "max_epoch": 1})
    whole = Options(all_violations=True)
    ours, theirs = (breadth_first.check(one(small), whole) for one in (specification, written))
    assert (ours.state_digest, ours.step_digest) == (theirs.state_digest, theirs.step_digest)
    for one in (specification, written):
        result = breadth_first.check(one(), Options())
        assert {p.member.name: p.length for p in result.properties if p.verdict == "violated"} == broken


LISTS: dict[str, tuple[dict[str, Any], int, str]] = {
    "kip-320": ({}, 36, ""),
    "kraft": ({"replication_factor": 2}, 56, ""),
    "leader-epoch-cache": ({}, 29, ""),
    "kraft-h13-fixed": ({}, 12, "future_log.py"),
}
"""The protocols whose survivors are listed: the bounds that are not the defaults, how many mutants are killed, and the
file whose mutants are meant, if it is one.
"""


def listed(name: str) -> tuple[Protocol, Path]:
    """A protocol at the bounds of its list, and the list."""
    kind = registered(name)
    return kind(kind.bounds_type()(**LISTS[name][0])), MUTANTS / f"{name.replace('-', '_')}_survivors.toml"


@pytest.mark.parametrize("name", LISTS)
def test_listed_survivors_are_mutants(name: str) -> None:
    """Each takes away the text that the list says, and has a reason."""
    protocol, path = listed(name)
    mutants = {one.id: one.removed for one in mutants_of(protocol)}
    for one in read_survivors(path, protocol):
        assert mutants.get(one.mutant) == one.removed, one.mutant
        assert len(one.reason) > 30, one.mutant


@pytest.mark.long
@pytest.mark.parametrize("name", LISTS)
def test_the_survivors_are_listed(name: str) -> None:
    """At these bounds exactly the listed mutants survive. `epochal mutate --survivors` says the same."""
    protocol, path = listed(name)
    _, killed, file = LISTS[name]
    symmetric = Options(symmetry=name.startswith("kraft"))
    original = breadth_first.check(protocol, replace(symmetric, all_violations=True))
    mutants = tuple(one for one in mutants_of(protocol) if one.id.startswith(file))
    outcomes = tuple(Judge(original, breadth_first.check, symmetric).outcomes(mutants))
    result = MutationResult(original, mutants, outcomes, read_survivors(path, protocol), 0.0, 0.0)
    assert [one.mutant.id for one in result.unexpected] == []
    assert result.stale == []
    assert len(result.killed) == killed
    assert result.exit_code == 0
