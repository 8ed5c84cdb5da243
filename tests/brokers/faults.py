"""What can happen to a node: its process is killed or stands still, its disk loses a folder or what was not flushed.

A process that is killed loses nothing that it wrote: the system's page cache has it. What a power failure takes is what
Kafka had not flushed, and Kafka flushes a segment when it is rolled, or as an operator's `log.flush.*` says. So a lossy
crash is two steps: kill, then cut the files back to an offset, by default to the recovery point, up to which Kafka
says that all is flushed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.brokers.checkpoints import offsets_in
from tests.brokers.cluster import Cluster
from tests.brokers.node import Node
from tests.brokers.process import NotReady
from tests.brokers.segments import batches


def kill(cluster: Cluster, number: int) -> None:
    """End a node at once (kill -9): no controlled shutdown, no clean shutdown file."""
    cluster.nodes[number].alive().kill()


def pause(cluster: Cluster, number: int) -> None:
    """Let a node stand still (SIGSTOP), as a long garbage collection or a stuck virtual machine does."""
    cluster.nodes[number].alive().pause()


def resume(cluster: Cluster, number: int) -> None:
    """Let it go on (SIGCONT)."""
    cluster.nodes[number].alive().resume()


def replace_disk(cluster: Cluster, number: int) -> None:
    """Give a node that has ended an empty log folder, formatted as an operator must; its metadata folder stays.

    Kafka does not start on a folder that was not formatted: "No `meta.properties` found in ...".
    """
    node = _ended(cluster, number)
    shutil.rmtree(node.data)
    node.data.mkdir()
    node.format({}, again=True)
    node.formatted()


def lose_partition(cluster: Cluster, number: int, topic: str, partition: int = 0) -> None:
    """Remove the folder of one replica of a node that has ended."""
    shutil.rmtree(_ended(cluster, number).replica(topic, partition))


def lose_tail(cluster: Cluster, number: int, topic: str, partition: int = 0, kept: int | None = None) -> int:
    """Cut a replica of a node that has ended back to `kept` records' offset, or to its recovery point; batches lost.

    What is cut is what a power failure takes: batches at the end. The leader epoch file is flushed when it is written.
    """
    node = _ended(cluster, number)
    if (node.data / ".kafka_cleanshutdown").exists():
        raise NotReady(f"node {number} was shut down cleanly, after a flush: it has no unflushed tail; kill it instead")
    if kept is None:
        kept = offsets_in(node.data / "recovery-point-offset-checkpoint").get((topic, partition), 0)
    lost = 0
    for segment in sorted(node.replica(topic, partition).glob("*.log")):
        lost += cut_segment(segment, kept)
    return lost


def cut_segment(segment: Path, kept: int) -> int:
    """Cut a segment file before the first batch that ends at or after an offset; the number of batches cut.

    Its indexes go too where anything is cut: Kafka makes them again when it recovers a log.
    """
    content = segment.read_bytes()
    beyond = [position for position, last in batches(content) if last >= kept]
    if beyond:
        with segment.open("r+b") as file:
            file.truncate(beyond[0])
        for suffix in (".index", ".timeindex", ".txnindex"):
            segment.with_suffix(suffix).unlink(missing_ok=True)
    return len(beyond)


def _ended(cluster: Cluster, number: int) -> Node:
    """A node whose process has ended; NotReady if it runs, for its files are its own as long as it does."""
    node = cluster.nodes[number]
    if node.running:
        raise NotReady(f"node {number} runs: kill or stop it before its files are changed")
    return node
