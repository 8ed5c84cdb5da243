"""Tiered storage: only what is uploaded may leave the disks, and a truncation gives its offsets to others (T1)."""

from __future__ import annotations

import pytest

from epochal.api.check import liveness
from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.kafka.catalogue import sides
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.kraft.options.expiry_by_size import ExpiryBySize
from epochal.spec.kraft.options.found_log_start import FoundLogStart
from epochal.spec.kraft.options.tiered_storage import TieredStorage
from epochal.spec.kraft.rules import KraftBug
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import Offset, Replica
from epochal.spec.language import require
from epochal.spec.loading import load_protocol
from epochal.spec.registry import registered
from tests.spec.kraft.test_options import least, of

PROMISES = ("committed_is_readable", "disk_keeps_what_is_not_remote")
STEPS = ("upload", "look_up", "delete_remote", "delete_local", "delete_records")

UNCLEAN = Settings(unclean_leader_election=True, elr=False, min_insync_replicas=1)
"""The loss that T1 comes after was accepted: an unclean election."""
CLEAN = Settings(elr=False, min_insync_replicas=1)
"""It is that of the only member of the ISR, which crashes without what it had in memory."""

BY_ELECTION = {"max_epoch": 2, "fencings": 2, "shrinks": 1}
BY_CRASH = {"max_epoch": 3, "lossy_crashes": 1, "fencings": 2, "shrinks": 1, "elections": 1}


def without_the_rule(settings: Settings) -> Settings:
    """As Kafka does it."""
    return Settings(**{**vars(settings), "local_retention_asks_lineage": False})


@pytest.mark.parametrize(
    ("settings", "bounds", "states"),
    [(UNCLEAN, BY_ELECTION, 15), pytest.param(CLEAN, BY_CRASH, 21, marks=[pytest.mark.long])],
    ids=["an unclean election", "the last member loses its tail"],
)
def test_shortest_runs(settings: Settings, bounds: dict[str, int], states: int) -> None:
    """Without the rule a committed record is deleted from the only disk that has it, and was never uploaded."""
    faulty = least(of(TieredStorage, without_the_rule(settings)), records=2, metadata_lag=2, **bounds)
    found = check(faulty, Options(properties=("committed_is_readable",), symmetry=True))
    assert [(one.verdict, one.length) for one in found.properties] == [("violated", states)]


def test_nothing_is_lost_that_is_inside_retention() -> None:
    """With the rule, in every state; and a follower begins after what its leader has in the remote tier only."""
    sound = least(of(TieredStorage, UNCLEAN), records=2, metadata_lag=2, **BY_ELECTION)
    result = check(sound, Options(properties=(*PROMISES, "follower_begins_after_remote"), symmetry=True))
    assert result.exhaustive and result.error is None
    assert {one.verdict for one in result.properties} == {"holds"}
    new = {one.name: one.new_states for one in result.actions}
    assert all(new[name] > 0 for name in STEPS)


# -- what stands beside it --------------------------------------------------------------------------------------------


LONG = [pytest.mark.long]


@pytest.mark.parametrize(
    ("bug", "step"),
    [
        ("KAFKA-20732", "upload"),
        ("KAFKA-17062", "fail_to_copy"),
        ("KAFKA-17062", "expire_by_size"),
        ("KAFKA-15352", "delete_remote"),
        ("KAFKA-15351", "delete_remote"),
        ("T2", "disable_copying"),
        ("T3", "delete_local"),
        ("T7", "delete_remote"),
        pytest.param("T6", "delete_local", marks=LONG),
        pytest.param("KAFKA-15241", "delete_local", marks=LONG),
        pytest.param("T5", "delete_local", marks=LONG),
    ],
)
def test_with_its_rule_each_mechanism_still_takes_its_steps(bug: str, step: str) -> None:
    """What a catalogue entry says to hold is no void promise."""
    sound = registered(f"kraft-{bug.lower()}-fixed")(None)
    result = check(sound, Options(properties=("only_deleted_records_are_missing",), symmetry=True))
    new = {one.name: one.new_states for one in result.actions}
    assert result.exhaustive and new["upload"] > 0 and new[step] > 0


def test_expiry_that_looks_up_if_nothing_is_noted_still_counts_twice() -> None:
    """KAFKA-20732 asks if nothing is noted. A leader that has noted some of the uploads counts the others twice.

    It is what 4.4 does, here with a deposed leader; no ticket and no Kafka has shown this.
    """
    noted_some = least(of(ExpiryBySize, Settings()), records=2, max_epoch=1, fencings=1, metadata_lag=1)
    found = check(noted_some, Options(properties=("only_deleted_records_are_missing",), symmetry=True))
    assert [(one.verdict, one.length) for one in found.properties] == [("violated", 12)]


@pytest.mark.parametrize(
    ("release", "states"), [("3.5", None), ("3.6", 6), ("3.8.0", 6), ("3.8.1", None), ("3.9", None), ("4.4", None)]
)
def test_a_failed_copy_counts_in_some_releases(release: str, states: int | None) -> None:
    """KAFKA-17062: from the first release with tiered storage on, until 3.8.1. Nothing that is to be kept was too much.

    With 3.9 a broker that has noted nothing counts twice what others uploaded (KAFKA-20732); here one leads always.
    """
    kind = load_protocol(f"kraft+failed-copies --kafka {release}")
    bounds = {name: one.least for name, one in kind.bounds_type().declared().items()}
    found = check(
        kind(None, **bounds | {"replication_factor": 2}),
        Options(properties=("only_deleted_records_are_missing",), symmetry=True),
    )
    assert found.exhaustive or states is not None
    assert found.properties[0].length == states


STALE = {"KAFKA-15351": 12, "T2": 13, "T7": 12}
"""The states of a shortest fair run after which a leader tells of an offset where nothing is."""


@pytest.mark.parametrize("bug", [one for one in BUGS if one.id in STALE], ids=lambda bug: bug.id)
def test_a_leader_tells_of_an_offset_where_nothing_is(bug: KraftBug) -> None:
    """Without the rule for ever, with it no longer than until the leader looks."""
    for protocol, states in zip(sides(bug), (STALE[bug.id], None), strict=True):
        found = liveness(protocol, properties=bug.property_id).search.liveness
        assert found.judged
        assert next((one.trace.length for one in found.broken if one.trace is not None), None) == states


class OnlyLeadersDelete(FoundLogStart):
    """Nobody deletes but who leads in the present epoch."""

    def delete_records(self, leader: Replica, offset: Offset) -> None:
        """As always."""
        require(self.is_legitimate(leader))
        super().delete_records(leader, offset)

    def delete_remote(self, leader: Replica) -> None:
        """As always."""
        require(self.is_legitimate(leader))
        super().delete_remote(leader)


@pytest.mark.parametrize(("again", "states"), [(False, 13), (True, None)])
def test_a_segment_whose_deletion_has_begun_is_taken_for_the_first(again: bool, states: int | None) -> None:
    """T7 also where no deposed leader deletes: the former leader has begun, and the next one finishes."""
    settings = Settings(log_start_found_again=again)
    found = liveness(
        least(of(OnlyLeadersDelete, settings), max_epoch=1, fencings=1), properties="earliest_is_readable"
    ).search.liveness
    assert found.judged
    assert next((one.trace.length for one in found.broken if one.trace is not None), None) == states
