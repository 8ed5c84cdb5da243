"""A cluster described as its operators describe it: what Kafka's tools print, and the files of its nodes.

`python -m tests.brokers.describe --to DIR 4.1.2 4.3.1` writes `DIR/kafka-4.1.2/healthy` and `.../broker-down`. The
cluster has topics of good and of bad settings; `epochal audit` is tried on them. `python -m tests.packed` packs those
that nobody reads as examples.
"""

from __future__ import annotations

import argparse
import functools
import re
from pathlib import Path

from tests.brokers.client import Admin
from tests.brokers.cluster import Cluster
from tests.brokers.configuration import Shape
from tests.brokers.process import wait_until
from tests.brokers.releases import Release, release
from tests.brokers.tools import Tools

RACKS = {1: "a", 2: "a", 3: "b"}
COMMON = {
    "min.insync.replicas": "2",
    "default.replication.factor": "3",
    "offsets.topic.replication.factor": "3",
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
}
"""What the files of all nodes say; node 3 differs in one."""

TOPICS: dict[str, tuple[list[list[int]], dict[str, str]]] = {
    "payments": ([[1, 2, 3], [2, 3, 1]], {"min.insync.replicas": "2"}),
    "orders": ([[2, 3, 1]], {"min.insync.replicas": "3", "cleanup.policy": "compact,delete"}),
    "clicks": ([[3, 1, 2]], {"min.insync.replicas": "1", "retention.ms": "3600000"}),
    "cc-samples": ([[1, 2]], {}),
    "sessions": ([[1, 2, 3]], {"unclean.leader.election.enable": "true"}),
    "import": ([[3]], {}),
}
"""Topics with their replicas and settings."""


def shape(kafka: Release) -> Shape:
    """Three brokers on two racks, of which one has another `min.insync.replicas` in its file."""
    racks = {number: {"broker.rack": rack} for number, rack in RACKS.items()}
    racks[3]["min.insync.replicas"] = "1"
    features = {"eligible.leader.replicas.version": 1} if (4, 0) <= kafka.number < (4, 1) else {}
    return Shape(brokers=3, controllers=3, combined=True, settings=COMMON, own=racks, features=features)


def described(cluster: Cluster, to: Path, through: int = 1) -> None:
    """Write what the tools say, as one broker answers them, and the files of the nodes without paths and ports."""
    to.mkdir(parents=True, exist_ok=True)
    tools = Tools(cluster.release, f"127.0.0.1:{cluster.nodes[through].role.client_port}")
    texts = {
        "topics.txt": tools.describe_topics(),
        "topic-configs.txt": tools.describe_configs("topics"),
        "broker-configs.txt": tools.describe_configs("brokers"),
        "cluster-configs.txt": tools.describe_default_configs(),
        "features.txt": tools.describe_features(),
        "quorum.txt": tools.describe_quorum(),
        "replication.txt": tools.describe_replication(),
    }
    for number, node in cluster.nodes.items():
        texts[f"server-{number}.properties"] = node.configuration.read_text(encoding="utf-8")
    for name, text in texts.items():
        (to / name).write_text(nobody_s(text, cluster.folder), encoding="utf-8")


def nobody_s(text: str, folder: Path) -> str:
    """A text without the folder and the ports of this run."""
    ports = re.sub(
        r"(127\.0\.0\.1|localhost|node-?\d+[a-z.]*):\d{4,5}", r"\1:9092", text.replace(str(folder), "/var/lib/kafka")
    )
    return "\n".join(line.rstrip(" ") for line in ports.splitlines()) + "\n"


def describe(kafka: Release, to: Path) -> None:
    """Start a cluster, make its topics, and describe it: whole, and with broker 3 down."""
    with Cluster(kafka, shape(kafka)) as cluster:
        for name, (replicas, settings) in TOPICS.items():
            cluster.admin.create_topic(name, replicas, **settings)
        admin: Admin = cluster.admin
        for name, (replicas, _) in TOPICS.items():
            for number in range(len(replicas)):
                led = functools.partial(is_led, admin, name, number)
                wait_until(f"{name}-{number} is led", led, 30, 0.25)
        described(cluster, to / f"kafka-{kafka.version}" / "healthy")
        cluster.stop(3)
        wait_until("broker 3 is out", lambda: 3 not in (admin.partition("payments") or NOBODY).isr, 60, 0.5)
        described(cluster, to / f"kafka-{kafka.version}" / "broker-down")


def is_led(admin: Admin, topic: str, partition: int) -> bool:
    """Whether a partition is there for clients."""
    return admin.partition(topic, partition) is not None


class NOBODY:
    """A partition that nobody tells of."""

    isr: tuple[int, ...] = (3,)


def main() -> None:
    """Describe releases."""
    parser = argparse.ArgumentParser(prog="python -m tests.brokers.describe", description=main.__doc__)
    parser.add_argument("versions", nargs="+")
    parser.add_argument("--to", type=Path, required=True)
    arguments = parser.parse_args()
    for version in arguments.versions:
        describe(release(version), arguments.to)


if __name__ == "__main__":
    main()
