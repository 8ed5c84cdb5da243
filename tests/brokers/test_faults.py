"""What happens to a broker, what is asked of a cluster, what becomes of the records: on the newest release."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.brokers import faults
from tests.brokers.cluster import Cluster
from tests.brokers.configuration import Shape
from tests.brokers.conftest import needed
from tests.brokers.history import Journal, Producer, read_all
from tests.brokers.process import NotReady, wait_until
from tests.brokers.releases import release
from tests.brokers.tools import Tools


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Three brokers and a controller, which every test leaves as it found them."""
    with Cluster(needed(release("newest")), Shape(settings={"min.insync.replicas": "1"})) as started:
        yield started


@pytest.mark.brokers
def test_another_leads_after_a_kill(cluster: Cluster, journal: Journal) -> None:
    cluster.admin.create_topic("killed", [[1, 2, 3]])
    with Producer(cluster.bootstrap, journal) as producer:
        assert producer.send("killed", "before") == 0
        faults.kill(cluster, 1)
        assert not (cluster.nodes[1].data / ".kafka_cleanshutdown").exists()
        cluster.admin.wait_for("killed", leader=2, isr=[2, 3])
        assert producer.send("killed", "while 1 is down") == 1
    cluster.start(1)
    cluster.admin.wait_for("killed", leader=2, isr=[1, 2, 3])
    assert cluster.admin.elect("preferred", "killed") is None
    cluster.admin.wait_for("killed", leader=1)
    assert read_all(cluster.bootstrap, journal, "killed") == {0: "before", 1: "while 1 is down"}
    assert cluster.admin.elect("preferred", "killed") == "ELECTION_NOT_NEEDED"


@pytest.mark.brokers
def test_a_follower_that_stands_still_leaves_the_isr(cluster: Cluster, journal: Journal) -> None:
    cluster.admin.create_topic("paused", [[1, 2, 3]], min_insync_replicas="3")
    with Producer(cluster.bootstrap, journal) as producer:
        faults.pause(cluster, 3)
        cluster.admin.wait_for("paused", leader=1, isr=[1, 2])
        assert producer.send("paused", "one too few") is None
        assert journal.read()[-1]["what"] == "refused"
        assert journal.read()[-1]["error"] == "NOT_ENOUGH_REPLICAS"
        cluster.admin.configure_topic("paused", min_insync_replicas="2")
        wait_until("the leader has the new setting", lambda: producer.send("paused", "now enough") is not None, 10)
    faults.resume(cluster, 3)
    cluster.wait_ready(1, 2, 3)
    cluster.admin.wait_for("paused", leader=1, isr=[1, 2, 3])


@pytest.mark.brokers
def test_a_tail_that_was_not_flushed_is_lost(cluster: Cluster, journal: Journal) -> None:
    cluster.admin.create_topic("lost", [[3]])
    with Producer(cluster.bootstrap, journal, acks="1") as producer:
        assert [producer.send("lost", value) for value in "abc"] == [0, 1, 2]
    with pytest.raises(NotReady, match="node 3 runs: kill or stop it"):
        faults.lose_tail(cluster, 3, "lost")
    faults.kill(cluster, 3)
    assert faults.lose_tail(cluster, 3, "lost", kept=1) == 2
    cluster.start(3)
    cluster.admin.wait_for("lost", leader=3, isr=[3])
    assert read_all(cluster.bootstrap, journal, "lost") == {0: "a"}
    faults.kill(cluster, 3)
    assert faults.lose_tail(cluster, 3, "lost") == 1, "up to its recovery point, the beginning"
    cluster.start(3)


@pytest.mark.brokers
def test_a_disk_that_was_replaced_is_filled_again(cluster: Cluster, journal: Journal) -> None:
    cluster.admin.create_topic("disk", [[1, 2, 3]])
    with Producer(cluster.bootstrap, journal) as producer:
        assert producer.send("disk", "copied") == 0
    cluster.stop(3)
    assert (cluster.nodes[3].data / ".kafka_cleanshutdown").exists()
    with pytest.raises(NotReady, match="was shut down cleanly"):
        faults.lose_tail(cluster, 3, "disk")
    faults.replace_disk(cluster, 3)
    cluster.start(3)
    cluster.admin.wait_for("disk", leader=1, isr=[1, 2, 3])
    cluster.stop(3)
    faults.lose_partition(cluster, 3, "disk")
    cluster.start(3)
    cluster.admin.wait_for("disk", leader=1, isr=[1, 2, 3])
    segment = cluster.nodes[3].data / "disk-0" / "00000000000000000000.log"
    assert b"copied" in segment.read_bytes()


@pytest.mark.brokers
def test_an_unclean_election_loses_what_only_the_last_leader_had(cluster: Cluster, journal: Journal) -> None:
    cluster.admin.create_topic("unclean", [[1, 2]])
    with Producer(cluster.bootstrap, journal) as producer:
        assert producer.send("unclean", "on both") == 0
        faults.kill(cluster, 2)
        cluster.admin.wait_for("unclean", leader=1, isr=[1])
        assert producer.send("unclean", "on 1 alone") == 1
    faults.kill(cluster, 1)
    cluster.admin.wait_for("unclean", leader=-1)
    cluster.start(2)
    assert cluster.admin.elect("unclean", "unclean") is None
    cluster.admin.wait_for("unclean", leader=2, isr=[2])
    assert read_all(cluster.bootstrap, journal, "unclean") == {0: "on both"}
    cluster.start(1)
    cluster.admin.wait_for("unclean", leader=2, isr=[1, 2])
    assert cluster.nodes[1].logged("Truncating to offset 1") or cluster.nodes[1].logged(
        "Truncating partition unclean-0"
    )


@pytest.mark.brokers
def test_a_reassignment_moves_a_partition(cluster: Cluster) -> None:
    cluster.admin.create_topic("moved", [[1, 2]])
    tools = Tools(cluster.release, cluster.bootstrap)
    tools.reassign("moved", {0: [2, 3]})
    cluster.admin.wait_for("moved", leader=2, isr=[2, 3], replicas=[2, 3])
    assert "Partition: 0\tLeader: 2\tReplicas: 2,3" in tools.describe_topic("moved")


@pytest.mark.brokers
def test_a_reassignment_to_a_broker_that_is_down_is_called_off(cluster: Cluster) -> None:
    cluster.admin.create_topic("stays", [[1, 2]])
    tools = Tools(cluster.release, cluster.bootstrap)
    faults.kill(cluster, 3)
    tools.reassign("stays", {0: [1, 3]})
    cluster.admin.wait_for("stays", leader=1, isr=[1, 2], replicas=[1, 3, 2])
    tools.cancel_reassignment("stays", {0: [1, 3]})
    cluster.admin.wait_for("stays", leader=1, isr=[1, 2], replicas=[1, 2])
    cluster.start(3)


@pytest.mark.brokers
def test_a_setting_of_a_broker_changes_while_it_runs(cluster: Cluster, journal: Journal) -> None:
    cluster.admin.create_topic("large", [[2]])
    with Producer(cluster.bootstrap, journal) as producer:
        assert producer.send("large", "x" * 5000) == 0
        cluster.admin.configure_broker(2, message_max_bytes="1000")
        wait_until("5000 bytes are too many", lambda: producer.send("large", "x" * 5000) is None, 10)
        assert (journal.read()[-1]["what"], journal.read()[-1]["error"]) == ("refused", "MSG_SIZE_TOO_LARGE")
        cluster.admin.configure_broker(2, message_max_bytes="1048588")
        wait_until("5000 bytes are welcome", lambda: producer.send("large", "x" * 5000) is not None, 10)


@pytest.mark.brokers
def test_levels_of_loggers_are_raised_while_a_broker_runs(cluster: Cluster, journal: Journal) -> None:
    cluster.admin.create_topic("levels", [[1]])
    with Producer(cluster.bootstrap, journal) as producer:
        assert producer.send("levels", "unseen") == 0
        assert not cluster.nodes[1].logged("[Partition levels-0 broker=1] High watermark updated")
        Tools(cluster.release, cluster.bootstrap).set_log_levels(1, {"kafka.cluster.Partition": "DEBUG"})
        assert producer.send("levels", "seen") == 1
        wait_until(
            "it is logged", lambda: bool(cluster.nodes[1].logged("[Partition levels-0 broker=1] High watermark")), 10
        )


# -- without a broker ---------------------------------------------------------------------------------------------


def batch(base: int, records: int, payload: bytes) -> bytes:
    """A batch of the record format 2, as far as lengths and offsets go."""
    rest = struct.pack(">iBihi", 0, 2, 0, 0, records - 1) + payload
    return struct.pack(">qi", base, len(rest)) + rest


@pytest.mark.parametrize(
    ("kept", "batches", "lost"), [(0, 0, 3), (2, 0, 3), (3, 1, 2), (4, 2, 1), (5, 2, 1), (6, 3, 0), (9, 3, 0)]
)
def test_a_segment_is_cut_between_batches(tmp_path: Path, kept: int, batches: int, lost: int) -> None:
    segment = tmp_path / "00000000000000000000.log"
    content = [batch(0, 3, b"x" * 50), batch(3, 1, b"y" * 10), batch(4, 2, b"z" * 30)]
    segment.write_bytes(b"".join(content) + bytes(100))
    segment.with_suffix(".index").touch()
    assert faults.cut_segment(segment, kept) == lost
    assert segment.read_bytes() == b"".join(content[:batches]) + (b"" if lost else bytes(100))
    assert segment.with_suffix(".index").exists() == (not lost)
