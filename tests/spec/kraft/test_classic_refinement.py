"""The modern protocol, with everything newer switched off, takes steps of KIP-320 only; without a rule it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.kip_320_as_shipped import Kip320AsShipped
from epochal.spec.classic.state import ClassicBounds, Replica
from epochal.spec.kraft.classic_refinement import Kip320Bounds, KraftKip320
from epochal.spec.kraft.configuration import with_settings
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.settings import FollowersForgotten, Truncation
from epochal.spec.language import Identifier, action, require
from tests.spec.searches import assert_both_engines_agree

REFINES = ("refines_kip_320",)
ONE_OF_EACH = {"crashes": 1, "fencings": 1, "shrinks": 1, "elections": 1}


def bounds(**given: int) -> Kip320Bounds:
    """The least bounds but for these, with two brokers."""
    least = {name: bound.least for name, bound in Kip320Bounds.declared().items()}
    return Kip320Bounds(**{**least, "replication_factor": 2, **given})


TWO_BROKERS = bounds(records=2, max_epoch=2, metadata_lag=2, **ONE_OF_EACH)


class Unfenced(KraftKip320):
    """A leader answers followers of any epoch."""

    def follows(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether the follower runs and believes in this leader."""
        return self.is_running(follower) and self.view(follower).leader == leader


class Forgetful(Kip320AsShipped):
    """As shipped, but a follower counts only while it follows the leader in the leader's epoch."""

    def has_acknowledged(self, follower: Identifier, leader: Identifier, offset: int) -> bool:
        """As in the community's model."""
        return self.follows_epoch(follower, leader) and self.has_entry(follower, offset)


class SeesLogs(Kip320AsShipped):
    """As shipped, but a leader drops only who lags by its log."""

    leader_shrinks_isr = Kip320.leader_shrinks_isr


class Late(Kip320AsShipped):
    """As shipped, but the ISR grows only once the leader's high watermark is current."""

    leader_expands_isr = Kip320.leader_expands_isr


class NothingForNothing(Kip320AsShipped):
    """As shipped, but the high watermark comes with records only."""

    copy_next = Kip320.copy_next


class TwoWrites(Kip320AsShipped):
    """As shipped, but a leader that is gone is dropped in one write and succeeded in another."""

    @action
    def controller_replaces_leader(self, failed: Replica, successor: Replica) -> None:
        """Never."""
        require(False)


ALLOWANCES: list[tuple[type[Kip320AsShipped], Kip320Bounds]] = [
    (TwoWrites, bounds(max_epoch=1, fencings=1)),
    (NothingForNothing, bounds()),
    (SeesLogs, bounds(shrinks=1)),
    (Late, bounds(replication_factor=3, max_epoch=2, metadata_lag=2, fencings=1, elections=1)),
    (Forgetful, bounds(replication_factor=3, max_epoch=1, elections=1)),
]


def judged(protocol: KraftKip320) -> CheckResult:
    """A complete search for steps that the judge refuses."""
    result = breadth_first.check(protocol, Options(all_violations=True, properties=REFINES, symmetry=True))
    assert result.exhaustive
    return result


def length(protocol: KraftKip320) -> int | None:
    """How many states the shortest run has that KIP-320 refuses."""
    return judged(protocol).properties[0].length


def test_two_brokers() -> None:
    """Everything that can go wrong, once each, on two brokers with two records."""
    result = breadth_first.check(KraftKip320(TWO_BROKERS), Options(all_violations=True, symmetry=True))
    assert result.exhaustive
    assert [p.member.name for p in result.properties if p.verdict == "violated"] == []
    assert result.never_taken == ()
    assert (result.distinct_states, result.depth) == (62_017, 20)


@pytest.mark.long
def test_three_brokers() -> None:
    """The default bounds: one record, three leader epochs, and everything that can go wrong, once each."""
    result = breadth_first.check(KraftKip320(), Options(all_violations=True, symmetry=True))
    assert result.exhaustive and result.exit_code == 0
    assert (result.distinct_states, result.depth) == (935_826, 25)


def test_both_readings_agree() -> None:
    assert_both_engines_agree(KraftKip320(bounds(max_epoch=1, fencings=1)))


def test_the_history_changes_no_step() -> None:
    """Without the classic state these are the steps of the same protocol."""
    history = KraftKip320(bounds(max_epoch=1, fencings=1, elections=1))
    width = history.variables["old"].first_leaf
    seen = set(history.initial_states())
    frontier = list(seen)
    while frontier:
        codes = frontier.pop()
        taken = list(history.successors(codes))
        blank = history.at(codes)
        blank.refused = True
        without = list(history.successors(blank.codes()))
        assert [(i.label, after[:width]) for i, after in taken] == [(i.label, after[:width]) for i, after in without]
        for _, after in taken:
            if after not in seen:
                seen.add(after)
                frontier.append(after)
    assert len(seen) > 200


def test_the_first_state_is_one_of_kip_320() -> None:
    """It is reached there by steps: an election, of which everybody hears."""
    protocol = KraftKip320(bounds(replication_factor=3, max_epoch=1))
    for codes in protocol.initial_states():
        state = protocol.at(codes)
        assert state.refines_kip_320()
        old = Kip320AsShipped(state.bounds.classic())
        wanted = state.kip_320().codes()
        reached = {tuple(old.initial_states()[0])}
        for _ in range(4):
            reached |= {after for codes in reached for _, after in old.successors(codes)}
        assert wanted in reached


# -- without one of its rules -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "changed", "given", "found"),
    [
        (Unfenced, {}, bounds(max_epoch=2, metadata_lag=2, **ONE_OF_EACH), 6),
        (
            KraftKip320,
            {"truncation": Truncation.HIGH_WATERMARK},
            bounds(max_epoch=2, metadata_lag=2, **ONE_OF_EACH),
            5,
        ),
        pytest.param(
            KraftKip320,
            {"epoch_start_rule": False},
            bounds(replication_factor=3, records=2, max_epoch=1, fencings=1, elections=1),
            6,
            marks=pytest.mark.long,
        ),
        pytest.param(
            KraftKip320,
            {"followers_forgotten": FollowersForgotten.NEW_LEADER},
            bounds(replication_factor=3, max_epoch=2, metadata_lag=2, elections=2),
            10,
            marks=pytest.mark.long,
        ),
    ],
    ids=["unfenced", "truncate to hw", "epoch start", "counted twice"],
)
def test_without_a_rule_it_is_no_refinement(
    kind: type[KraftKip320], changed: dict[str, Any], given: Kip320Bounds, found: int
) -> None:
    """KIP-320's fence, KIP-101, KAFKA-7128, and the follower table that outlives a term (decision 008)."""
    faulty = with_settings(kind, replace(kind.settings, **changed))
    assert length(faulty(given)) == found


# -- what the judge allows beyond the community's model -----------------------------------------------------------


@pytest.mark.parametrize(
    ("judge", "given", "found"),
    [
        pytest.param(kind, given, found, marks=[pytest.mark.long] if given.replication_factor > 2 else [])
        for (kind, given), found in zip(ALLOWANCES, (2, 5, 2, 7, 8), strict=True)
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_each_allowance_is_needed(judge: type[Kip320AsShipped], given: Kip320Bounds, found: int) -> None:
    strict = type("StrictlyJudged", (KraftKip320,), {"refined": judge})
    assert length(strict(given)) == found


def test_the_judge_allows_whatever_kip_320_does() -> None:
    """In every typed state at small bounds that KIP-320 reaches, each of its steps is one of the judge."""
    given = ClassicBounds(replicas=2, log_size=2, records=2, max_epoch=1)
    strict, wide = Kip320(given), Kip320AsShipped(given)
    seen = set(strict.initial_states())
    frontier = list(seen)
    while frontier:
        codes = frontier.pop()
        allowed = {(i.label, after) for i, after in wide.successors(codes)}
        for instance, after in strict.successors(codes):
            assert (instance.label, after) in allowed
            if after not in seen:
                seen.add(after)
                frontier.append(after)
    assert len(seen) == 957


def test_the_judge_is_sound() -> None:
    """All properties of the classic family hold with the allowances."""
    result = breadth_first.check(Kip320AsShipped(), Options(all_violations=True))
    assert result.exit_code == 0
    assert (result.distinct_states, result.depth) == (1_861_864, 28)


def test_all_other_properties_are_those_of_kraft() -> None:
    """What the refinement leaves out is about AlterPartition, fenced members and the strict high watermark."""
    names = {m.name for kind in ("invariant", "action_property", "reachable") for m in Kraft.members(kind)}
    kept = {m.name for kind in ("invariant", "action_property", "reachable") for m in KraftKip320.members(kind)}
    assert names - kept == {
        "proposal_pending",
        "proposal_refused",
        "proposal_resolved",
        "slow_follower_dropped",
        "controller_never_expands",
        "fenced_not_in_isr",
        "enough_copies",
    }
    assert kept - names == {"refines_kip_320"}
