"""Complete searches: with every rule the properties hold; without one of them a shortest run shows what it is for.

The figures are those of these specifications themselves. The classic family has published ones (classic).
"""

from __future__ import annotations

import pytest
from _pytest.mark import ParameterSet

from tests.spec.searches import Sizes, assert_both_engines_agree, judged, named, violated, witnesses


def row(protocol: str, sizes: Sizes, *known: object, long: bool = False) -> ParameterSet:
    """A protocol within bounds, and what is known of it."""
    within = "/".join(map(str, sizes.values() if isinstance(sizes, dict) else sizes))
    return pytest.param(protocol, sizes, *known, id=f"{protocol}-{within}", marks=[pytest.mark.long] if long else [])


SOUND = (
    row("quorum", (2, 1, 2, 2), 1_250, 17),
    row("quorum", (2, 1, 2, 4), 10_224, 22),
    row("quorum", (3, 1, 1, 1), 1_169, 13),
    row("quorum", (3, 1, 2, 2), 101_786, 22),
    row("quorum", (3, 1, 3, 2), 459_923, 26, long=True),
    row("quorum", (3, 1, 2, 3), 696_035, 26, long=True),
    row("quorum", (3, 1, 2, 4), 2_707_988, 28, long=True),
    row("quorum-reconfiguration", (2, 1, 3, 2), 3_671, 16),
    row("quorum-reconfiguration", (3, 1, 2, 2), 33_079, 20),
    row("quorum-reconfiguration", (4, 1, 2, 2), 587_801, 25, long=True),
    row("quorum-snapshots", (3, 1, 2, 1), 85_879, 21, long=True),
    row("quorum-snapshots", (3, 1, 2, 2), 828_211, 23, long=True),
    row("zookeeper", {"brokers": 2}, 19_136, 22),
    row("zookeeper", {}, 539_865, 26, long=True),
    row("zookeeper-lost-disk", {}, 81_996, 22, long=True),
    row("zookeeper-lost-disk", {"stops": 2}, 488_566, 25, long=True),
    row("zookeeper-alter-isr", {}, 1_870_401, 27, long=True),
)
"""Distinct states and depth. The bounds of quorums are replicas, observers, log size, greatest epoch."""

BROKEN = (
    row(
        "quorum-hw-any-epoch",
        (),
        "quorum",
        {
            "leader_completeness": 18,
            "committed_is_on_a_majority": 20,
            "below_hw_is_committed": 22,
            "truncation_spares_hw": 20,
            "observers_see_a_prefix": 23,
        },
        long=True,
    ),
    row(
        "quorum-vote-any-log",
        (),
        "quorum",
        {
            "leader_completeness": 10,
            "committed_is_on_a_majority": 12,
            "below_hw_is_committed": 14,
            "truncation_spares_hw": 11,
            "observers_see_a_prefix": 15,
        },
        long=True,
    ),
    row(
        "quorum-vote-not-persisted",
        (),
        "quorum",
        {
            "one_leader_per_epoch": 8,
            "log_matching": 8,
            "leader_completeness": 11,
            "committed_is_on_a_majority": 10,
            "below_hw_is_committed": 10,
            "truncation_spares_hw": 14,
            "observers_see_a_prefix": 14,
        },
    ),
    row("quorum-no-pre-vote", (), "quorum", {"leader_is_not_disturbed": 6}, long=True),
    row("quorum-resigned-stays", (), "quorum", {"nobody_follows_itself": 7}),
    row("quorum-candidate-again", (), "quorum", {"candidates_are_answered": 9}),
    row(
        "quorum-lost-disk",
        (),
        "quorum",
        {
            "one_leader_per_epoch": 8,
            "log_matching": 8,
            "leader_completeness": 11,
            "committed_is_on_a_majority": 8,
            "below_hw_is_committed": 10,
            "observers_see_a_prefix": 14,
        },
    ),
    row("quorum-uncommitted-replay", (), "quorum", {"observers_see_a_prefix": 5}),
    row(
        "quorum-change-any-epoch",
        (4, 1, 2, 2),
        None,
        {"who_may_win_holds_committed": 7, "majorities_intersect": 5},
        long=True,
    ),
    # All majorities of three voters, of two of them, and of two others meet.
    row("quorum-change-any-epoch", (3, 1, 2, 2), None, {}, long=True),
    row(
        "quorum-many-changes",
        (3, 1, 3, 2),
        None,
        {
            "leader_completeness": 7,
            "below_hw_is_committed": 10,
            "truncation_spares_hw": 8,
            "observers_see_a_prefix": 12,
            "who_may_win_holds_committed": 6,
            "majorities_intersect": 6,
        },
        long=True,
    ),
    row(
        "quorum-removed-leader-counts",
        (2, 1, 3, 2),
        None,
        {
            "leader_completeness": 8,
            "below_hw_is_committed": 8,
            "truncation_spares_hw": 9,
            "observers_see_a_prefix": 11,
            "who_may_win_holds_committed": 7,
        },
    ),
    row("quorum-voters-when-committed", (3, 1, 3, 2), None, {"majorities_intersect": 11}, long=True),
    row(
        "quorum-voters-not-read-again",
        (3, 1, 3, 2),
        None,
        {"who_may_win_holds_committed": 12, "majorities_intersect": 12},
        long=True,
    ),
    row(
        "quorum-snapshot-any-offset",
        (3, 1, 2, 1),
        None,
        {"below_hw_is_committed": 4, "snapshots_are_committed": 3},
        long=True,
    ),
    row(
        "quorum-snapshot-by-offset",
        (3, 1, 2, 2),
        None,
        {
            "log_matching": 10,
            "committed_is_on_a_majority": 11,
            "below_hw_is_committed": 9,
            "snapshots_are_committed": 10,
        },
        long=True,
    ),
    row(
        "quorum-delete-below-hw",
        (3, 1, 2, 1),
        None,
        {"truncation_spares_hw": 9, "snapshot_helps_who_needs_it": 6, "log_start_only_grows": 11},
    ),
    # As Kafka 4.4 has it; two epochs are too few: the follower's is between the snapshot's and the leader's.
    row("quorum-snapshot-must-be-ahead", (3, 1, 2, 3), None, {"snapshot_helps_who_needs_it": 11}, long=True),
    row("quorum-snapshot-must-be-ahead", (3, 1, 2, 2), None, {}, long=True),
    row(
        "quorum-snapshot-without-voters",
        (2, 1, 3, 2),
        None,
        {
            "leader_completeness": 11,
            "below_hw_is_committed": 11,
            "truncation_spares_hw": 12,
            "who_may_win_holds_committed": 10,
            "majorities_intersect": 10,
            "snapshots_are_committed": 12,
            "log_start_only_grows": 16,
        },
        long=True,
    ),
    row(
        "zookeeper-unfenced-controller",
        {},
        "zookeeper",
        {"controller_knows_the_leader": 4, "zombies_elect_nobody": 4},
        long=True,
    ),
    row("zookeeper-no-broker-epochs", {}, "zookeeper-lost-disk", {"leader_completeness": 12}, long=True),
    row(
        "zookeeper-no-broker-epochs",
        {"stops": 2},
        "zookeeper-lost-disk",
        {"leader_completeness": 12, "leader_counts_the_isr": 13},
        long=True,
    ),
    # With the rule it is a model of the gate.
    row("zookeeper-stale-confirmation", {}, None, {"leader_counts_the_isr": 13}),
    row(
        "zookeeper-stale-confirmation",
        {"stops": 0, "max_version": 4},
        "zookeeper-alter-isr",
        {"leader_counts_the_isr": 13, "leader_completeness": 18},
        long=True,
    ),
)
"""What fails without a rule, with the states of the shortest run; and the protocol with the rule, if SOUND lacks it."""

DEFAULTS = {
    "quorum": (None, {}),
    "quorum-reconfiguration": (
        (439_351, 25),
        {
            "record_committed": 4,
            "committed_after_failover": 6,
            "two_presume_leadership": 3,
            "leader_resigns": 3,
            "observer_lags": 7,
            "voter_added": 10,
            "leader_removed": 9,
            "removed_leader_leads": 5,
            "change_taken_back": 8,
        },
    ),
    "quorum-snapshots": ((2_392_663, 25), {}),
    "zookeeper": (None, {}),
    "zookeeper-lost-disk": (None, {}),
    "zookeeper-alter-isr": (None, {}),
}
"""Figures at the default bounds, and what is reachable there."""

AGREE = (
    row("quorum", (2, 1, 1, 2)),
    row("quorum", (2, 1, 2, 2), long=True),
    row("quorum-change-log", (2, 1, 2, 2), long=True),
    row("quorum-change-log", (2, 2, 1, 2), long=True),
    row("quorum-reconfiguration", (2, 1, 2, 2), long=True),
    row("quorum-reconfiguration-snapshots", (2, 1, 2, 1), long=True),
    row("quorum-snapshots", (3, 1, 1, 1), long=True),
    row("zookeeper", (2, 1, 1, 2)),
    row("zookeeper-lost-disk", (2, 1, 1, 2), long=True),
    row("zookeeper-alter-isr", (2, 1, 1, 2)),
    row("zookeeper-no-broker-epochs", (2, 1, 1, 2), long=True),
    row("balancing-kraft", {"brokers": 2, "partitions": 2, "failures": 1}),
    row("balancing-zookeeper", {"brokers": 2, "partitions": 2, "failures": 1}),
    row("leader-epoch-cache", (), long=True),
    row("leader-epoch-cache-truncates-records-only", (), long=True),
    row("leader-epoch-cache-skips-epoch-0", (), long=True),
    row("leader-epoch-cache-writes-later", (), long=True),
    row("leader-epoch-cache-writes-snapshots", (), long=True),
)


@pytest.mark.parametrize(("protocol", "sizes", "states", "depth"), SOUND)
def test_with_every_rule_all_properties_hold(protocol: str, sizes: Sizes, states: int, depth: int) -> None:
    result = judged(named(protocol, sizes))
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (states, depth)


@pytest.mark.parametrize(("protocol", "sizes", "sound", "found"), BROKEN)
def test_each_rule_is_needed(protocol: str, sizes: Sizes, sound: str | None, found: dict[str, int]) -> None:
    """Without the rule these properties fail; with it none does, within the same bounds."""
    without = named(protocol, sizes)
    assert violated(judged(without)) == found
    if sound is not None:
        assert violated(judged(named(sound, without.bounds.as_dict()))) == {}


@pytest.mark.long  # the gate asks the same of all of them, at these bounds or smaller ones
@pytest.mark.parametrize("protocol", DEFAULTS)
def test_at_the_default_bounds_everything_that_must_be_possible_is(protocol: str) -> None:
    """And every step is taken."""
    result = judged(named(protocol))
    figures, reached = DEFAULTS[protocol]
    assert result.exit_code == 0
    assert result.never_taken == () and result.warnings == ()
    assert {p.verdict for p in result.properties} == {"holds"}
    assert figures in (None, (result.distinct_states, result.depth))
    assert reached in ({}, witnesses(result))


@pytest.mark.parametrize(("protocol", "sizes"), AGREE)
def test_both_engines_agree(protocol: str, sizes: Sizes) -> None:
    assert_both_engines_agree(named(protocol, sizes))
