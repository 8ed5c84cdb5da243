"""What `epochal.audit` says of the clusters in `clusters/`, kept in `expected/`.

The recorded ones were described by Kafka's own tools and brokers (tests/brokers/describe.py); the others are written by
hand, each with something that the recorded ones lack. Of a cluster that is like another one it is kept what is said
otherwise. `python -m tests.audit.golden` writes what is said now: look at the difference before it is committed.
"""

from __future__ import annotations

from difflib import unified_diff
from functools import cache
from pathlib import Path
from typing import Any

import epochal
from epochal.api.audit import ClusterAudit
from epochal.errors import EpochalError
from tests.packed import plain

HERE = Path(__file__).parent
KEPT = HERE / "clusters"
CLUSTERS = plain(KEPT)
"""The files as they were recorded. Of one cluster, which the documentation shows, only what brokers say is packed."""
VERSIONS = ("3.9.2", "4.0.2", "4.1.2", "4.2.1", "4.3.1", "4.4.0")
RECORDED = [f"kafka-{version}/{how}" for version in VERSIONS for how in ("healthy", "broker-down")]
LIKE = {
    **{f"kafka-{version}/broker-down": f"kafka-{version}/healthy" for version in VERSIONS},
    "kafka-4.1.2/healthy": "kafka-4.3.1/healthy",
    "kafka-4.2.1/healthy": "kafka-4.0.2/healthy",
    "kafka-4.4.0/healthy": "kafka-4.3.1/healthy",
}
"""Clusters of which nearly the same is said as of another one."""
KEYWORDS: dict[str, dict[str, Any]] = {
    **{name: {} for name in RECORDED},
    "good": {},
    "strimzi": {},
    "mixed-versions": {},
    "contradictory": {},
    "zookeeper": {},
    "one-and-five": {},
    "no-version": {},
    "newer": {},
    "racks": {},
    "elr-emptied": {},
    "strimzi-elr": {},
    "pasted": {},
    "ephemeral": {},
    "elr-seen": {},
    "copies-differ": {"kafka": "4.3.1"},
    "only-under-replicated": {"kafka": "3.9"},
    "unclean-before-3.9": {"kafka": "3.8"},
    "refused-before-3.7": {"kafka": "3.6"},
    "tiered": {"kafka": "4.2.1"},
    "producers": {"producers": {"clicks": "clickstream.properties", "metric*": "telemetry.properties"}},
}
"""Clusters that can be audited, and what is said beside their files."""

REFUSED = ("cut-off", "foreign", "unreadable-setting")
"""Those whose files are damaged, or none of a cluster."""


def audited(name: str, **keywords: Any) -> ClusterAudit:
    """The audit of a cluster, with a lock that is not there. Nothing is searched."""
    more = {"lock": CLUSTERS / "no.lock.json", **KEYWORDS.get(name, {}), **keywords}
    return epochal.audit(CLUSTERS / name, searches=False, **more)


@cache
def once(name: str) -> ClusterAudit:
    """The audit of a cluster as it is kept, which is for all who only read it."""
    return audited(name)


def told(name: str) -> str:
    """The report of a cluster, or why there is none."""
    try:
        return f"{once(name)}\n"
    except EpochalError as refused:
        return f"{refused}\n"


def to_keep(name: str, report: str) -> str:
    """The report of a cluster as `expected/` has it: what it says otherwise than that of a cluster like it."""
    if (other := LIKE.get(name)) is None:
        return report
    before, after = told(other).splitlines(), report.splitlines()
    return "".join(f"{line}\n" for line in unified_diff(before, after, other, name, n=0, lineterm=""))


def expected(name: str) -> Path:
    """Where it is kept what is said of a cluster."""
    return HERE / "expected" / f"{name.replace('/', '-')}.{'diff' if name in LIKE else 'txt'}"


if __name__ == "__main__":
    for cluster in (*KEYWORDS, *REFUSED):
        expected(cluster).write_text(to_keep(cluster, told(cluster)), encoding="utf-8")
