"""Three brokers and three controllers: a quorum that loses its leader, and processes of which nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.brokers import faults
from tests.brokers.cluster import Cluster
from tests.brokers.configuration import Shape
from tests.brokers.conftest import Started
from tests.brokers.history import Journal, Producer, read_all
from tests.brokers.process import NotReady, wait_until
from tests.brokers.tools import Tools
from tests.house.test_architecture import ROOT

pytestmark = pytest.mark.brokers


def test_a_quorum_goes_on_without_its_leader(kafka: Started, journal: Journal) -> None:
    with kafka("newest", Shape(brokers=3, controllers=3)) as cluster:
        cluster.admin.create_topic("t", [[1, 2, 3], [2, 3, 1]], min_insync_replicas="2")
        first = cluster.quorum_leader()
        assert first in {101, 102, 103} == set(cluster.controllers)
        faults.kill(cluster, first)
        assert cluster.wait_quorum_leader(other_than=first) in {101, 102, 103} - {first}
        faults.kill(cluster, 1)
        cluster.admin.wait_for("t", 0, leader=2, isr=[2, 3])
        with Producer(cluster.bootstrap, journal) as producer:
            assert producer.send("t", "without them") == 0
        assert read_all(cluster.bootstrap, journal, "t") == {0: "without them"}
        said = Tools(cluster.release, cluster.bootstrap).describe_quorum()
        assert f"LeaderId:               {cluster.quorum_leader()}" in said


INTERRUPTED = """
import sys
from tests.brokers.cluster import Cluster
from tests.brokers.configuration import Shape
from tests.brokers.releases import release

with Cluster(release("newest"), Shape(brokers=2, combined=True)) as cluster:
    cluster.nodes[2].process.pause()
    print(*(node.process.pid for node in cluster.nodes.values()), cluster.folder, flush=True)
    sys.stdin.read()
"""


def runs(pid: int) -> bool:
    """Whether a process runs: it exists and is no zombie that nobody has waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_running_after_an_interruption(how: signal.Signals, kafka: Started, tmp_path: Path) -> None:
    kafka("newest")  # or skip
    script = tmp_path / "interrupted.py"
    script.write_text("import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n" + INTERRUPTED)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, script], cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        *pids, folder = started.stdout.readline().split()
        assert len(pids) == 2 and all(runs(int(pid)) for pid in pids)
        started.send_signal(how)
        started.wait(30)
    wait_until("all Java processes have ended", lambda: not any(runs(int(pid)) for pid in pids), 10)
    assert Path(folder).exists() == (how == signal.SIGKILL)


def test_nothing_is_left_of_a_test_that_fails(kafka: Started) -> None:
    with (
        pytest.raises(AssertionError, match="as tests do"),
        kafka("newest", Shape(brokers=1, combined=True)) as cluster,
    ):
        process, folder = cluster.nodes[1].alive(), cluster.folder
        raise AssertionError("as tests do")
    assert not runs(process.pid) and not folder.exists()


def test_nothing_is_left_of_a_cluster_that_is_not_ready_in_time(
    kafka: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No quorum: one of two controllers does not get as far as voting."""
    started: list[Cluster] = []
    whole = Cluster.wait_ready

    def hurried(self: Cluster, *numbers: int, seconds: float = 0) -> None:
        started.append(self)
        self.nodes[1].alive().pause()
        whole(self, *numbers, seconds=5)

    monkeypatch.setattr(Cluster, "wait_ready", hurried)
    with pytest.raises(NotReady, match="not within"), kafka("newest", Shape(brokers=2, controllers=2, combined=True)):
        raise AssertionError("it was ready")
    assert not any(node.running for node in started[0].nodes.values()) and not started[0].folder.exists()
