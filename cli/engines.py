"""From --engine and what is said of a cluster to a search."""

from __future__ import annotations

from epochal.checker.engines import Search, local_search
from epochal.errors import UsageError

from .cluster import NO_CLUSTER, ClusterChoice, check_on_spark, native_then_spark


def search_of(engine: str, cluster: ClusterChoice = NO_CLUSTER) -> Search:
    """The breadth-first search of an engine: auto, native, spark or python.

    auto is native as long as that fits into the memory budget; `cluster` says what Spark is to be used then.
    """
    if cluster.asked and engine not in ("spark", "auto"):
        raise UsageError(f"--master, --storage and --conf are for --engine spark, not {engine}.")
    if engine == "spark":
        return check_on_spark(cluster)
    if engine == "auto":
        return native_then_spark(local_search("native"), cluster)
    return local_search(engine)
