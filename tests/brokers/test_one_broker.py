"""One broker that is its own controller: it starts, takes a record, gives it back and stops."""

from __future__ import annotations

import pytest

from tests.brokers.configuration import Shape
from tests.brokers.conftest import Started
from tests.brokers.history import Journal, Producer, read_all
from tests.brokers.process import NotReady

pytestmark = pytest.mark.brokers


def test_a_record_goes_in_and_comes_out(kafka: Started, journal: Journal) -> None:
    with kafka("4.1", Shape(brokers=1, combined=True)) as cluster:
        cluster.admin.create_topic("t", [[1]])
        with Producer(cluster.bootstrap, journal) as producer:
            assert producer.send("t", "first") == 0
            assert producer.send_all("t", ["second", "third"]) == [1, 2]
        assert read_all(cluster.bootstrap, journal, "t") == {0: "first", 1: "second", 2: "third"}
        node = cluster.nodes[1]
        cluster.stop(1)
        assert not node.running
        assert (node.data / ".kafka_cleanshutdown").exists()
        folder = cluster.folder
    assert not folder.exists()
    said = [line["what"] for line in journal.read()]
    assert said == [*("sent", "acknowledged"), *("sent",) * 2, *("acknowledged",) * 2, "reading", *("read",) * 3]


def test_a_broker_that_cannot_start_says_why(kafka: Started) -> None:
    wrong = Shape(brokers=1, combined=True, settings={"num.network.threads": "none"})
    with (
        pytest.raises(NotReady, match=r"Invalid value none for configuration num\.network\.threads"),
        kafka("4.1", wrong),
    ):
        raise AssertionError("it started")
