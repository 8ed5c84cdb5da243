"""Balancing ends, elects from the ISR, and leaves of the imbalance what each policy tolerates."""

from __future__ import annotations

from typing import ClassVar

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.balancing.balancing import Balancing, BalancingBounds, Broker, Partition
from epochal.spec.balancing.policies import (
    KraftBalancing,
    KraftBalancingAnyReplica,
    ThresholdBounds,
    ZooKeeperBalancing,
)
from epochal.spec.language import action, invariant, require
from tests.spec.searches import EVERYTHING


class AnyMember(KraftBalancing):
    """Every member of the ISR is as good as the preferred leader."""

    name: ClassVar[str] = "balancing-any-member"

    @action
    def elect_any_member(self, partition: Partition, member: Broker) -> None:
        """A member of the ISR takes the place of a live leader."""
        require(self.partitions[partition].leader is not None and self.partitions[partition].leader != member)
        require(self.may_lead(partition, member))
        self.partitions[partition].leader = member


class Impatient(ZooKeeperBalancing):
    """Nothing may stay as it is."""

    name: ClassVar[str] = "balancing-impatient"

    @invariant
    def nothing_is_tolerated(self) -> bool:
        """Where everything is well and partitions are not balanced, the controller has something to do."""
        return not self.is_well() or self.imbalance() == 0 or self.has_work()


def violated(result: CheckResult) -> dict[str, int | None]:
    """The violated properties, with the lengths of their traces."""
    assert result.exhaustive
    return {p.member.name: p.length for p in result.properties if p.verdict == "violated"}


@pytest.mark.parametrize(
    ("protocol", "states", "steps", "depth"),
    [
        (ZooKeeperBalancing(), 116_136, 534_840, 19),
        (KraftBalancing(), 133_650, 626_646, 18),
    ],
    ids=lambda value: value.name if isinstance(value, Balancing) else "",
)
def test_balancing_ends_and_elects_from_the_isr(protocol: Balancing, states: int, steps: int, depth: int) -> None:
    result = breadth_first.check(protocol, EVERYTHING)
    assert violated(result) == {}
    assert result.exit_code == 0
    assert (result.distinct_states, result.transitions, result.depth) == (states, steps, depth)


def test_without_the_isr_a_dead_replica_is_elected() -> None:
    """A broker fails, a round begins, and its turn comes before it is back."""
    assert violated(breadth_first.check(KraftBalancingAnyReplica(), EVERYTHING)) == {
        "leader_in_isr": 4,
        "elected_from_the_isr": 4,
    }


def test_elections_of_anybody_never_end() -> None:
    found = violated(breadth_first.check(AnyMember(), EVERYTHING))
    assert found == {"elections_reduce_the_imbalance": 2, "only_failures_add_to_the_imbalance": 2}


@pytest.mark.parametrize(("percentage", "length"), [(10, None), (33, None), (34, 12), (50, 10)])
def test_the_threshold_decides_what_is_tolerated(percentage: int, length: int | None) -> None:
    """Another broker leads one of three partitions that prefer the same, a share of 33.3 %, or one of two."""
    protocol = Impatient(ThresholdBounds(imbalance_percentage=percentage))
    result = breadth_first.check(protocol, Options(all_violations=True, properties=("nothing_is_tolerated",)))
    assert violated(result) == ({"nothing_is_tolerated": length} if length else {})


def test_kraft_reads_no_percentage() -> None:
    assert "imbalance_percentage" not in KraftBalancing.bounds_type().declared()
    assert isinstance(KraftBalancing().bounds, BalancingBounds)
