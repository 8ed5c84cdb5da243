"""Judging promises after a search on Spark: by the driver, and by executors part by part, in turn.

    python -m tests.benchmarks.spark_liveness [PROTOCOL] [--runs 3] [--master local[2]]

The protocol is searched once; then its promises are judged again and again from the log. Printed are seconds on the
clock, processor seconds of all processes of the session, and the memory besides the states: of executors that of the
largest part. Nothing here fails: it measures.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from dataclasses import replace
from unittest.mock import patch

import epochal
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.spark import driver
from epochal.checker.search.spark.driver import Cluster, check
from tests.benchmarks.spark_speed import processor_seconds, spent

NO_ROOM = 1 << 60


def judged(protocol: epochal.language.Protocol, cluster: Cluster, by_executors: bool) -> tuple[CheckResult, float]:
    """A judging of what was searched before, and the processor seconds that it took."""
    before = processor_seconds()
    options = Options(liveness=True, all_violations=True, cross_check="off")
    with patch.object(driver, "RUN_BYTES", NO_ROOM if by_executors else driver.RUN_BYTES):
        found = check(protocol, options, cluster)
    return found, spent(before)


def main() -> None:
    """Search once, judge in turn, print medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocol", nargs="?", default="kraft")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--master", default="local[2]")
    asked = parser.parse_args()
    protocol = epochal.load(asked.protocol)
    samples: dict[bool, list[tuple[CheckResult, float]]] = {False: [], True: []}
    print(f"{asked.protocol}, load before: {os.getloadavg()[0]:.2f}")
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(asked.master, f"{folder}/storage", cache=f"{folder}/cache")
        judged(protocol, cluster, by_executors=True)
        for _ in range(asked.runs):
            for by_executors, found in samples.items():
                found.append(judged(protocol, replace(cluster, resume=True), by_executors))
    for by_executors, found in samples.items():
        one = found[0][0].liveness
        clock = statistics.median(result.liveness.wall_seconds for result, _ in found)
        processors = statistics.median(seconds for _, seconds in found)
        by = f"executors, {one.parts} parts" if by_executors else "the driver"
        print(f"by {by}: {clock:.2f} s on the clock, {processors:.2f} of processors, {one.memory_bytes >> 20:,} MiB")
    answers = {
        str([(p.member.name, p.verdict, p.waiting, p.stopped) for p in result.liveness.promises])
        for found in samples.values()
        for result, _ in found
    }
    print(f"the same verdicts and counts in all runs: {len(answers) == 1}; load after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
