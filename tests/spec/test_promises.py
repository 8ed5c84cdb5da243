"""What the families promise besides kraft: kept by what is sound, broken where a rule is missing, by runs so long."""

from __future__ import annotations

from typing import Any

import pytest

from epochal.api.check import liveness
from epochal.spec.registry import registered
from tests.checker.liveness.test_known_answers import shape

QUORUM = ("leaders_log_is_committed", "leader_is_elected", "left_leader_steps_down")
ZOOKEEPER = ("leader_takes_office", "former_leader_steps_down", "follower_joins_isr")
CLASSIC = ("leader_takes_office", "high_watermark_catches_up", "follower_joins_isr", "followers_reach_the_end")
SMALL = {"log_size": 1, "max_epoch": 3}
TWO = {"replicas": 2}

KEPT: list[tuple[str, dict[str, int], tuple[str, ...]]] = [
    ("quorum", SMALL, QUORUM),
    ("quorum-no-pre-vote", {"log_size": 1, "max_epoch": 2}, QUORUM),
    ("quorum-reconfiguration", {"log_size": 2}, ("leaders_log_is_committed", "voter_change_completes")),
    ("quorum-snapshots", {"max_epoch": 2}, ("leaders_log_is_committed",)),
    ("zookeeper", {}, ZOOKEEPER),
    ("zookeeper-alter-isr", {"stops": 0}, (*ZOOKEEPER, "proposal_is_answered")),
    ("zookeeper-late-answers", {"brokers": 2, "stops": 0}, (*ZOOKEEPER, "proposal_is_answered")),
    ("zookeeper-asked-twice", {"brokers": 2, "stops": 0}, (*ZOOKEEPER, "proposal_is_answered")),
    ("truncate-to-hw", TWO, CLASSIC),
    ("kip-279", TWO, CLASSIC),
    ("kip-320-first-try", TWO, CLASSIC),
    ("kip-320", TWO, CLASSIC),
    ("kip-320-as-shipped", TWO, CLASSIC),
]

BROKEN: list[Any] = [
    ("quorum-no-check-quorum", {}, {"left_leader_steps_down": (7, 2)}),
    ("quorum-same-cadence", {}, {"leader_is_elected": (1, 6)}),
    ("quorum-resigned-stays", {}, {"leader_is_elected": (8, 0)}),
    ("quorum-vote-any-log", {"log_size": 1}, {"leaders_log_is_committed": (12, 0)}),
    ("zookeeper-version-first", {"stops": 0}, {"follower_joins_isr": (10, 0), "proposal_is_answered": (10, 0)}),
    ("zookeeper-stale-confirmation", {"brokers": 2}, {"follower_joins_isr": (10, 0), "proposal_is_answered": (14, 0)}),
    ("zookeeper-emptied-place", {"brokers": 2}, {"follower_joins_isr": (13, 0), "proposal_is_answered": (13, 0)}),
    ("zookeeper-unchanged-version", {"brokers": 2}, {"proposal_is_answered": (12, 0)}),
    (
        "kraft-kafka-17375",
        {},
        {"follower_joins_isr": (7, 0), "high_watermark_catches_up": (4, 0), "logs_converge": (4, 0)},
    ),
    pytest.param(
        "zookeeper-version-first",
        {},
        {"follower_joins_isr": (9, 0), "proposal_is_answered": (9, 0)},
        marks=pytest.mark.long,
        id="zookeeper-version-first-large",
    ),
    pytest.param(
        "zookeeper-stale-confirmation",
        {},
        {"follower_joins_isr": (13, 0)},
        marks=pytest.mark.long,
        id="zookeeper-stale-confirmation-large",
    ),
]
"""Each broken promise: the states up to where it is settled, and the steps of the round; 0 if nothing happens.

The long ones have two million states."""


@pytest.mark.parametrize(("name", "bounds", "promises"), KEPT, ids=lambda one: one if isinstance(one, str) else "")
def test_promises_that_are_kept(name: str, bounds: dict[str, Any], promises: tuple[str, ...]) -> None:
    """All that the protocol has, and each is due in some state."""
    found = liveness(registered(name)(**bounds)).search.liveness
    assert {one.member.name for one in found.promises} == set(promises)
    assert {one.verdict for one in found.promises} == {"holds"}
    assert all(one.waiting > 0 for one in found.promises)


@pytest.mark.parametrize(("name", "bounds", "shapes"), BROKEN, ids=lambda one: one if isinstance(one, str) else "")
def test_promises_that_are_broken(name: str, bounds: dict[str, Any], shapes: dict[str, tuple[int, int]]) -> None:
    found = liveness(registered(name)(**bounds)).search.liveness
    assert found.judged
    assert {one.member.name: shape(one.trace) for one in found.broken if one.trace is not None} == shapes


def test_a_leader_that_is_left_resigns_by_its_own_timer() -> None:
    """Without the fairness of `resign` it may lead on, with elections going on around it."""
    kept = liveness(registered("quorum")(log_size=1, max_epoch=3), properties="left_leader_steps_down", needs=True)
    (need,) = [one for one in kept.search.liveness.needs if one.without == "resign"]
    assert need.doomed > 0
