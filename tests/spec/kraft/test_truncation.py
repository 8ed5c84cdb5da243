"""Truncation on fetch ends where the logs agree: Kafka's cases one by one, and every pair of small logs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.state import KraftBounds, Record, Replica

LENGTH = 4
CURRENT = 5
PAIRS = 2_398
BOUNDS = KraftBounds(replication_factor=2, records=LENGTH, max_epoch=CURRENT)

Epochs = tuple[int, ...]


def truncated(leader_log: Epochs, follower_log: Epochs, current: int = CURRENT) -> tuple[list[int], int]:
    """The epochs left in the follower's log when it and the leader agree, and after how many truncations."""
    state = Kraft(BOUNDS)
    leader, follower = state.each(Replica)
    state.metadata[0].leader_epoch = current
    for replica, epochs in ((leader, leader_log), (follower, follower_log)):
        for offset, epoch in enumerate(epochs):
            state.brokers[replica].log.append(Record(id=offset, epoch=epoch))
    rounds = 0
    while state.diverges(follower, leader):
        before = state.end(follower)
        state.truncate(follower, state.truncation_offset(follower, leader))
        assert state.end(follower) < before
        rounds += 1
    return [record.epoch for record in state.brokers[follower].log], rounds


CASES = {
    "A, a prefix in the same epoch": ((1, 1), (1,), 1),
    "B, the leader has later epochs": ((1, 2, 3), (1,), 1),
    "C, the follower is longer in the leader's last epoch": ((1, 1), (1, 1, 1, 1), 2),
    "D, the follower has a later epoch": ((1, 1), (1, 1, 2, 2), 2),
    "E, a fork with different later epochs": ((1, 1, 3), (1, 1, 2, 2), 2),
    "F, the follower has less of the last common epoch": ((1, 1), (1, 2, 2), 1),
    "G, no epoch in common": ((1, 3), (2, 2), 0),
}


@pytest.mark.parametrize("case", CASES)
def test_cases(case: str) -> None:
    leader_log, follower_log, left = CASES[case]
    kept, _ = truncated(leader_log, follower_log)
    assert kept == list(follower_log[:left])


def pairs() -> Iterator[tuple[Epochs, Epochs]]:
    """Every pair of logs up to four records and epoch 4 that can arise: each epoch has one leader, who began once."""
    logs = [log for n in range(LENGTH + 1) for log in itertools.combinations_with_replacement(range(1, CURRENT), n)]
    for a, b in itertools.product(logs, repeat=2):
        starts_agree = all(a.index(e) == b.index(e) for e in {*a} & {*b})
        match = all(a[:o] == b[:o] for o in range(min(len(a), len(b))) if a[o] == b[o])
        if starts_agree and match:
            yield a, b


def common(a: Epochs, b: Epochs) -> list[int]:
    """The longest common prefix."""
    return [x for x, _ in itertools.takewhile(lambda xy: xy[0] == xy[1], zip(a, b, strict=False))]


@pytest.mark.long
def test_every_pair_of_small_logs() -> None:
    """What is left is exactly what both have, unless the follower has no more than that anyway."""
    counted = most = 0
    for leader_log, follower_log in pairs():
        kept, rounds = truncated(leader_log, follower_log)
        assert kept == common(leader_log, follower_log)
        counted, most = counted + 1, max(most, rounds)
    assert counted == PAIRS
    assert most > 1
