"""The page of protocols by family, from the registry."""

from __future__ import annotations

from epochal.spec.language import Protocol
from epochal.spec.registry import REGISTRY, registered

from .markdown import docstring, page, table

INTRODUCTION = """
Every command takes one of these names, or a class in a file of yours. Start with `kip-320`, which is small and holds,
and with `kip-101`, which shows a bug. `epochal show NAME` tells one in full.
"""
FAMILIES = {
    "classic": "Kafka 0.8 to 2.6: one partition, and a controller that is one step away from everything",
    "kraft": "KRaft, Kafka 2.8 to 4.4: one partition, its brokers, and a controller that appends to a metadata log",
    "quorum": "KRaft's metadata quorum: a variant of Raft",
    "zookeeper": "The controllers on ZooKeeper, one after another, and the brokers that they tell",
    "epoch_cache": "One replica's leader-epoch cache, its file, and what failures leave of it",
    "balancing": "Giving partitions back to their preferred leaders",
    "transactions": "One transactional id: its producers, its coordinator with failover, and its markers",
    "share_groups": "Share groups: the leader of a partition, the share coordinator, and the members of a group",
    "diskless": "Diskless topics, which are proposed: objects in a store, and the coordinator that gives offsets",
}


def protocols() -> str:
    """One section a family."""
    kinds = [registered(name) for name in REGISTRY]
    parts = []
    for family, told in FAMILIES.items():
        of_family = [(name, kind) for name, kind in zip(REGISTRY, kinds, strict=True) if _family(kind) == family]
        rows = [(f"`{name}`", _sentence(kind), _bounds(kind)) for name, kind in of_family]
        parts.append(f"## {family}\n\n{told}.\n\n{table(('name', 'what it is', 'bounds, with their defaults'), rows)}")
    return page("Protocols", INTRODUCTION, *parts)


def missing() -> set[str]:
    """The protocols that no section tells."""
    return {name for name in REGISTRY if _family(registered(name)) not in FAMILIES}


def _family(kind: type[Protocol]) -> str:
    """The folder of a specification, as in `epochal.spec.classic.kip_320`."""
    return kind.__module__.removeprefix("epochal.spec.").split(".")[0]


def _sentence(kind: type[Protocol]) -> str:
    """The first sentence of what a protocol says of itself."""
    return docstring(kind).split("\n\n")[0]


def _bounds(kind: type[Protocol]) -> str:
    """The bounds at their defaults, as on the command line."""
    return ", ".join(f"`{name.replace('_', '-')}` {value}" for name, value in kind.bounds_type()().items())
