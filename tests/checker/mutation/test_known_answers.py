"""The known mutants of KIP-320 are found, and break the same property after as many steps; survivors are listed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from epochal.checker.mutation.mutants import mutants_of
from epochal.checker.mutation.result import Judge, MutationResult, Original, read_survivors
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.spec.language import Protocol
from epochal.spec.loading import instantiate, load_protocol
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


class Survivors(NamedTuple):
    """A list of survivors: of which protocol, at which bounds that are not the defaults, and how many are killed.

    `files` are those whose mutants are meant; all, if none is named.
    """

    protocol: str
    bounds: dict[str, int]
    killed: int
    files: tuple[str, ...] = ("",)


LISTS: dict[str, Survivors] = {
    "kip-320": Survivors("kip-320", {}, 36),
    "kraft": Survivors("kraft", {"replication_factor": 2}, 56),
    "leader-epoch-cache": Survivors("leader-epoch-cache", {}, 29),
    "kraft-reassignment": Survivors(
        "kraft-reassignment --min-insync-replicas 1",
        {"replication_factor": 2, "lossy_crashes": 0},
        12,
        ("overlapping.py", "reassignment.py"),
    ),
    "kraft-h1-fixed": Survivors("kraft-h1-fixed", {"replication_factor": 2}, 0, ("min_isr_change.py",)),
    "kraft-h6-fixed": Survivors("kraft-h6-fixed", {}, 8, ("late_fetch.py",)),
    "kraft-h13-fixed": Survivors("kraft-h13-fixed", {}, 12, ("future_log.py",)),
    "kraft-kip-98b-fixed": Survivors(
        "kraft-kip-98b-fixed", {"records": 3, "transactions": 2}, 37, ("last_stable_offset.py", "transactions.py")
    ),
    "kraft-p1-fixed": Survivors("kraft-p1-fixed", {}, 1, ("producer_snapshots.py",)),
    "kraft-kip-854-fixed": Survivors("kraft-kip-854-fixed", {}, 3, ("producer_expiry.py",)),
    "kraft-kip-360-fixed": Survivors("kraft-kip-360-fixed", {}, 3, ("deleted_records.py",)),
    "kraft-kafka-20634-fixed": Survivors("kraft-kafka-20634-fixed", {}, 3, ("coordinator.py",)),
    "kraft-kafka-5634-fixed": Survivors("kraft-kafka-5634-fixed", {}, 2, ("retention.py",)),
    "kraft-kafka-7414-fixed": Survivors("kraft-kafka-7414-fixed", {}, 1, ("fatal_out_of_range.py",)),
    "kraft-h8-fixed": Survivors("kraft-h8-fixed", {}, 4, ("torn_answer.py",)),
    "kraft-h8b-fixed": Survivors("kraft-h8b-fixed", {}, 0, ("deletion_answers.py",)),
    "kraft-h8c-fixed": Survivors("kraft-h8c-fixed", {}, 11, ("log_start.py", "lost_fetch.py")),
    "kraft-waits-for-caught-up": Survivors(
        "kraft --waits-for-caught-up --min-insync-replicas 1",
        {"replication_factor": 2, "records": 1, "max_epoch": 1, "metadata_lag": 1, "lossy_crashes": 0},
        3,
        ("caught_up.py",),
    ),
    "quorum-reconfiguration": Survivors(
        "quorum-reconfiguration", {}, 12, ("elections_in_one_step.py", "reconfiguration.py")
    ),
    "quorum-snapshots": Survivors("quorum-snapshots", {}, 9, ("snapshots.py",)),
    "share-groups": Survivors("share-groups", {"members": 2, "writes": 1}, 38),
}
"""By the name of the file."""


BY_HAND: dict[str, Survivors] = {
    "kraft-s31-fixed": Survivors(
        "kraft-s31-fixed", {"records": 3, "max_epoch": 1, "elections": 1}, 0, ("idempotence.py", "retries.py")
    ),
}
"""Lists that are tried by hand alone (`epochal mutate --only`), because it takes long; nobody counts what is killed."""


def listed(name: str) -> tuple[Protocol, Path]:
    """A protocol at the bounds of its list, and the list."""
    one = (LISTS | BY_HAND)[name]
    return instantiate(load_protocol(one.protocol), one.bounds), MUTANTS / f"{name.replace('-', '_')}_survivors.toml"


@pytest.mark.parametrize("name", [*LISTS, *BY_HAND])
def test_listed_survivors_are_mutants(name: str) -> None:
    """Each takes away the text that the list says, and has a reason."""
    protocol, path = listed(name)
    mutants = {one.id: one.removed for one in mutants_of(protocol)}
    for one in read_survivors(path, protocol):
        assert mutants.get(one.mutant) == one.removed, one.mutant
        assert len(one.reason) > 30, one.mutant
        assert one.mutant.startswith((LISTS | BY_HAND)[name].files), one.mutant


@pytest.mark.long
@pytest.mark.parametrize("name", LISTS)
def test_the_survivors_are_listed(name: str) -> None:
    """At these bounds exactly the listed mutants survive. `epochal mutate --survivors` says the same."""
    protocol, path = listed(name)
    symmetric = Options(symmetry=name.startswith("kraft"))
    original = breadth_first.check(protocol, replace(symmetric, all_violations=True))
    mutants = tuple(one for one in mutants_of(protocol) if one.id.startswith(LISTS[name].files))
    outcomes = tuple(Judge(Original.of(original), breadth_first.check, symmetric).outcomes(mutants))
    result = MutationResult(original, mutants, outcomes, read_survivors(path, protocol), 0.0, 0.0)
    assert [one.mutant.id for one in result.unexpected] == []
    assert result.stale == []
    assert len(result.killed) == LISTS[name].killed
    assert result.exit_code == 0
