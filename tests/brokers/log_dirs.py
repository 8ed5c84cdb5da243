"""One request of Kafka's protocol that neither the client here nor a tool of Kafka sends: AlterReplicaLogDirs.

`kafka-reassign-partitions` has it, but first wants every replica of the partition to be there: "Unknown broker id 2".
"""

from __future__ import annotations

import socket
import struct
from pathlib import Path

from tests.brokers.addresses import LOOPBACK
from tests.brokers.process import NotReady

ALTER_REPLICA_LOG_DIRS, VERSION = 34, 1
"""The key of the request, and the one version that all releases here read and that has no tagged fields."""


def text(value: str) -> bytes:
    """A string of the protocol: its length, and UTF-8."""
    encoded = value.encode()
    return struct.pack(">h", len(encoded)) + encoded


def request(folder: Path, topic: str, partition: int) -> bytes:
    """The request with its header; arrays have their length before them."""
    header = struct.pack(">hhi", ALTER_REPLICA_LOG_DIRS, VERSION, 1) + text("epochal")
    one, number = struct.pack(">i", 1), struct.pack(">i", partition)
    return header + one + text(str(folder)) + one + text(topic) + one + number


def move_replica(port: int, folder: Path, topic: str, partition: int = 0, seconds: float = 20) -> None:
    """Have the broker at a port move a replica to another of its log directories; NotReady if it refuses."""
    content = request(folder, topic, partition)
    with socket.create_connection((LOOPBACK, port), seconds) as connection, connection.makefile("rb") as answers:
        connection.sendall(struct.pack(">i", len(content)) + content)
        (length,) = struct.unpack(">i", answers.read(4))
        (error,) = struct.unpack(">h", answers.read(length)[-2:])
    if error:
        raise NotReady(f"the broker refused to move {topic}-{partition} to {folder}: error {error} of Kafka's protocol")
