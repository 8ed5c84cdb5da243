"""A proxy between one broker and the controller, and between a follower and its leader: who learns what when."""

from __future__ import annotations

import time

import pytest

from tests.brokers.configuration import Shape
from tests.brokers.conftest import Started
from tests.brokers.history import Journal, Producer
from tests.brokers.process import wait_until
from tests.brokers.tools import Tools

pytestmark = pytest.mark.brokers

PATIENT = {"broker.session.timeout.ms": "60000", "replica.lag.time.max.ms": "30000"}
"""Times so long that a link that is held fences nobody."""


STATES = "state-change.log"


def test_one_broker_learns_of_its_leadership_later(kafka: Started, journal: Journal) -> None:
    shape = Shape(brokers=3, proxied=((2, 101), (3, 2)), settings=PATIENT)
    with kafka("newest", shape) as cluster, Producer(cluster.bootstrap, journal) as producer:

        def follows() -> int:
            return len(cluster.nodes[3].logged("Current leader is 2.", STATES))

        def leads() -> int:
            return len(cluster.nodes[2].logged("Leader t-0 with topic id", STATES))

        cluster.admin.create_topic("t", [[1, 2, 3]], min_insync_replicas="3")
        assert producer.send("t", "all links pass") == 0
        assert sum(link.passed for link in cluster.proxies.between(2, 101)) > 0
        Tools(cluster.release, cluster.bootstrap).reassign("t", {0: [2, 1, 3]})
        cluster.admin.wait_for("t", leader=1, isr=[1, 2, 3], replicas=[2, 1, 3])
        assert (leads(), follows()) == (0, 0)

        for link in cluster.proxies.between(2, 101):
            link.hold()
        assert cluster.admin.elect("preferred", "t", not_through={2}) is None
        wait_until("3 follows 2", lambda: follows() == 1, 10)
        assert leads() == 0
        for link in cluster.proxies.between(2, 101):
            link.release()
        wait_until("2 leads", lambda: leads() == 1, 10)

        cluster.admin.wait_for("t", leader=2, isr=[1, 2, 3])
        assert producer.send("t", "before the cut") == 1
        for link in cluster.proxies.between(3, 2):
            link.cut()
        assert producer.send("t", "3 cannot fetch it", seconds=3) is None
        assert journal.read()[-1]["what"] == "unknown"
        for link in cluster.proxies.between(3, 2):
            link.release()
        assert producer.send("t", "after the cut", seconds=20) == 3


def test_a_delay_is_seen_by_a_producer_that_waits_for_all(kafka: Started, journal: Journal) -> None:
    shape = Shape(brokers=2, proxied=((2, 1),), settings=PATIENT)
    with kafka("newest", shape) as cluster, Producer(cluster.bootstrap, journal) as producer:
        cluster.admin.create_topic("t", [[1, 2]], min_insync_replicas="2")
        assert producer.send("t", "first") == 0
        begun = time.monotonic()
        assert producer.send("t", "quick") == 1
        quick = time.monotonic() - begun
        for link in cluster.proxies.between(2, 1):
            link.delay(1.0)
        begun = time.monotonic()
        assert producer.send("t", "slow", seconds=30) == 2
        assert time.monotonic() - begun > quick + 1.0
