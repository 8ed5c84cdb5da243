"""What stands in the files and decides nothing here: nothing is left out in silence."""

from __future__ import annotations

from collections.abc import Iterator

from .asked import Audited
from .finding import Finding
from .said import short


def not_read(audited: Audited) -> Iterator[Finding]:
    """Notes: columns that nobody knows here, topics that are to go, what a resource leaves to others."""
    racks_known = bool(audited.cluster.racks)
    for one in audited.cluster.remarks:
        if one.about == RACKS and racks_known:
            continue
        yield Finding("not-read", "note", (one.about,), f"{short(one.said)}: {one.why}", places=(one.place,))


def nodes_unknown(audited: Audited) -> Iterator[Finding]:
    """Notes: brokers with replicas, of which no file says how they are configured, beside others."""
    nodes = audited.cluster.nodes
    left = sorted(audited.cluster.brokers - nodes.keys())
    if nodes and left:
        yield Finding(
            "nodes-unknown",
            "note",
            tuple(f"node {number}" for number in left),
            "no file says how it is configured: what it sets otherwise than the others is not known",
            ("Add its server.properties, or the output of 'kafka-configs --describe --all --entity-type brokers'.",),
        )


RACKS = "racks"
"""What a remark is about that says that racks are there, and not which."""
