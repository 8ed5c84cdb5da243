"""Lines of a cluster on ZooKeeper: no broker or controller of KRaft writes them."""

from __future__ import annotations

WORDS = ("LeaderAndIsr request", "UpdateMetadata request", "[KafkaServer id=")
"""Requests by which such a controller tells brokers what it has decided, and the name of their process."""


def is_of_zookeeper(message: str) -> bool:
    """Whether only a process of ZooKeeper's time says that."""
    return any(word in message for word in WORDS)
