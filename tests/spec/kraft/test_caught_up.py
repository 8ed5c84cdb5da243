"""S15 where the high watermark also waits for who was caught up within replica.lag.time.max.ms."""

from __future__ import annotations

import pytest

from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.spec.kraft.configuration import configured
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.state import KraftBounds, Replica
from epochal.spec.language import action, require

ASKED = ("leader_candidate_completeness", "acknowledged_durable")


Slow = configured(kafka="4.4", waits_for_caught_up=True)
"""Kafka 4.4, with the clause."""


class Prompt(Slow):  # type: ignore[misc,valid-type]  # a class that is made of settings
    """The same, and nobody is behind for as long as that."""

    @action(by="leader", to="follower", says="{follower} was behind {leader} for replica.lag.time.max.ms")
    def fall_behind(self, leader: Replica, follower: Replica) -> None:
        """Never."""
        require(self.next_record > self.bounds.records)


@pytest.mark.parametrize(
    ("kind", "records", "lengths"),
    [
        pytest.param(Slow, 1, [11, 14], marks=pytest.mark.long),
        pytest.param(Prompt, 1, [None, None], marks=pytest.mark.long),
        (Prompt, 2, [12, 15]),
    ],
)
def test_lengths(kind: type[Kraft], records: int, lengths: list[int | None]) -> None:
    """With two records the forgotten follower need not be slow: it joins by the high watermark, behind the log end."""
    least = {name: bound.least for name, bound in KraftBounds.declared().items()}
    bounds = {"replication_factor": 3, "records": records, "max_epoch": 3, "shrinks": 1, "crashes": 1}
    protocol = kind(KraftBounds(**{**least, **bounds}))
    result = check(protocol, Options(properties=ASKED, all_violations=True, symmetry=True))
    assert [one.length for one in result.properties] == lengths and result.exhaustive
