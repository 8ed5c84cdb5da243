"""When a worker is full, and how much it is to have next."""

from __future__ import annotations

import pytest

from epochal.checker.native.runtime.worker_pool import Capacity, Demand, Slack, demand, is_full

ROOMY = Capacity(records=100, record_capacity=200, record_limit=1_000, entries=50, entry_capacity=80)


@pytest.mark.parametrize(
    ("slack", "full"),
    [(Slack(100, 30), False), (Slack(101, 30), True), (Slack(100, 31), True), (Slack(0, 0), False)],
)
def test_full_is_less_room_than_the_slack(slack: Slack, full: bool) -> None:
    assert is_full(ROOMY, slack) is full


def test_all_grow_ahead_of_what_is_needed() -> None:
    assert demand(ROOMY, Slack(20, 10)) == Demand(120, 60)
    assert demand(ROOMY, Slack(20, 10, ahead=10)) == Demand(130, 65)


def test_no_more_records_than_the_limit_unless_they_are_needed() -> None:
    """What is needed is asked for, so that whoever cannot give it says so."""
    almost = Capacity(records=990, record_capacity=1_000, record_limit=1_000, entries=0, entry_capacity=10)
    assert demand(almost, Slack(5, 1, ahead=10)).records == 1_000
    assert demand(almost, Slack(20, 1, ahead=10)).records == 1_010
