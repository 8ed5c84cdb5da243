"""Leaves that no step takes back: which are found, and that none of them is ever seen to go back."""

from __future__ import annotations

from collections import deque
from typing import Annotated, Any

import pytest

import epochal
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.search.findings import initial_states
from epochal.checker.search.spark.parts.part import one_way
from epochal.language import Integers, Protocol
from tests.zoo.liveness import Server  # noqa: F401  # rows use it
from tests.zoo.rows import made

Small = Annotated[int, Integers(0, 3)]


Ways: type[Any] = made(
    globals(),
    "Protocol",
    """
    Ways: One leaf for each way that it can go.
        up: Small
        down: Small
        both: Small
        most: Small
        guarded: Small
        once: bool
        switch: bool
        still: Small
        seen: Set[Server]
        action count: Up, and down.
            require(self.up < 3)
            self.up += 1
            self.down = 3 - self.up if self.up < self.down else self.down
            self.both = self.up
        action back: Down again.
            self.both = 0
            self.most = max(self.most, self.up)
            self.switch = not self.switch
        action catch_up: Up only, by the guard.
            require(self.guarded < self.up)
            self.guarded = self.up
            self.once = True
        action see(server: Server): Sets only grow here, and are not looked at.
            self.seen |= {server}
    """,
)


def test_which_are_found() -> None:
    model = compile_protocol(Ways())
    found = {model.protocol.leaves[one.leaf].path: one.rises for one in one_way(model)}
    assert found == {"up": True, "down": False, "most": True, "guarded": True, "once": True}


@pytest.mark.parametrize(
    "protocol",
    [
        Ways(),
        epochal.load("kip-279", replicas=2, log_size=1, records=1, max_epoch=2),
        epochal.load("zookeeper-version-first", brokers=2, max_version=1, stops=0),
        epochal.load("balancing-kraft", brokers=2, failures=1),
    ],
    ids=lambda protocol: type(protocol).__name__,
)
def test_none_is_seen_to_go_back(protocol: Protocol) -> None:
    """Step by step in the Python reading, from every state."""
    found = one_way(compile_protocol(protocol))
    queue = deque(initial_states(protocol))
    seen = set(queue)
    while queue:
        before = queue.popleft()
        for instance in protocol.instances:
            after = protocol.step(protocol.at(before), instance)
            if after is None:
                continue
            for one in found:
                low, high = (before, after) if one.rises else (after, before)
                assert low[one.leaf] <= high[one.leaf] <= one.most
            if after not in seen:
                seen.add(after)
                queue.append(after)
    assert len(seen) > 50


def test_of_kraft_there_are_enough() -> None:
    """Leader epoch, broker epochs, what bounds count and the end of what is committed."""
    model = compile_protocol(epochal.load("kraft"))
    found = {model.protocol.leaves[one.leaf].path for one in one_way(model)}
    assert found >= {"metadata[0].leader_epoch", "registrations[b1].broker_epoch", "used.fencings", "committed.end"}
