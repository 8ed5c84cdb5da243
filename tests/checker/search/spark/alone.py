"""One distributed search in a process of its own, for tests that kill it or need another kind of cluster.

    python -m tests.checker.search.spark.alone MASTER STORAGE CACHE BOUNDS
        [--fault Kind:moment:number:after] [--resume] [--conf K=V]

Prints states and digests as JSON.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from epochal.checker.search.result import Options
from epochal.checker.search.spark.driver import Cluster, check
from tests.checker.search.models import classic
from tests.checker.search.spark import faults

EVERYTHING = Options(all_violations=True)


def main() -> None:
    """Search, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("master", "storage", "cache", "bounds"):
        parser.add_argument(name)
    parser.add_argument("--threshold", type=int, default=100)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--fault")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--conf", action="append", default=[])
    given = parser.parse_args()
    hook = None
    if given.fault:
        kind, moment, number, after = given.fault.split(":")
        hook = getattr(faults, kind)(moment, int(number), Path(given.cache).with_name("mark"), int(after))
    conf = dict(text.split("=", 1) for text in given.conf)
    first, second, third, fourth = map(int, given.bounds.split("/"))
    result = check(
        classic("kip-320", first, second, third, fourth),
        EVERYTHING,
        Cluster(
            given.master,
            given.storage,
            conf,
            given.resume,
            given.threshold,
            given.shards,
            given.cache,
            hook,
        ),
    )
    print(json.dumps([result.distinct_states, result.depth, result.state_digest, result.step_digest]))


if __name__ == "__main__":
    main()
