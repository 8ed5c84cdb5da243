"""Speed of the search on Spark, with local[2]: an empty level, and distinct states for each second of processor time.

    python tests/benchmarks/spark_speed.py [--bounds 3/3/3/2] [--master local[2]] [--partitions 4] [--empty 5]

One session is started and warmed up by a small search. Then KIP-320 with its two ISR invariants is searched at the
bounds, and after it the same tables get levels without states. Processor time is that of all processes of the session
(driver, Java, Python workers), read from /proc while they live. Nothing here fails: it measures.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from epochal.checker.ir.model import Model
from epochal.checker.search.result import Options
from epochal.checker.search.spark.driver import THRESHOLD, Cluster, check
from epochal.checker.search.spark.log import Level, read_manifest, write_manifest
from epochal.checker.search.spark.program import make_program
from epochal.checker.search.spark.session import open_session
from epochal.checker.search.spark.storage import Storage
from epochal.checker.search.spark.tasks import Job, OnSpark, Order
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.state import ClassicBounds

INVARIANTS = ("weak_isr", "strong_isr")
TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds(session: int | None = None) -> dict[int, float]:
    """Processor seconds of every living process of a session, this one, with those of its children that have ended."""
    session = os.getsid(0) if session is None else session
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it ended in this moment
                continue
            if int(fields[3]) == session:
                found[int(entry.name)] = sum(map(int, fields[11:15])) / TICK
    return found


def spent(before: dict[int, float]) -> float:
    """Processor seconds since then."""
    return sum(seconds - before.get(pid, 0.0) for pid, seconds in processor_seconds().items())


def protocol(bounds: str) -> Kip320:
    """KIP-320 at bounds such as 3/3/3/2."""
    return Kip320(ClassicBounds(*map(int, bounds.split("/"))))


def empty_levels(cluster: Cluster, session: object, model: Model, times: int) -> list[tuple[float, float]]:
    """Wall and processor seconds of levels whose tasks are sent nothing, on the tables of a finished search."""
    storage = Storage(cluster.storage)
    manifest = read_manifest(storage)
    assert manifest is not None
    program = make_program(model)
    spark = OnSpark(session, program, "empty")
    levels, measured = manifest.levels, []
    last = Level(manifest.shards, tuple(replace(f, name="", count=0) for f in levels[-1].files))
    for _ in range(times + 1):
        levels = (*levels, last)
        manifest = write_manifest(storage, replace(manifest, levels=levels))
        facts = manifest.run, storage, spark.program, levels, manifest.shards, manifest.owning, 0, cluster.cache
        job = Job(*facts, head=manifest.heads[-1], driver="benchmark")
        orders = [Order(shard, ()) for shard in range(manifest.shards)]
        before, started = processor_seconds(), time.monotonic()
        outcomes = spark(job, orders)
        last = Level(manifest.shards, tuple(one.inserted.file for one in outcomes if one.inserted is not None))
        measured.append((time.monotonic() - started, spent(before)))
    return measured[1:]


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bounds", default="3/3/3/2")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--empty", type=int, default=5)
    options = parser.parse_args()
    print(f"load before: {', '.join(f'{x:.2f}' for x in os.getloadavg())} on {os.cpu_count()} processors")
    session = open_session(options.master, {})
    with tempfile.TemporaryDirectory() as folder:

        def cluster(name: str, threshold: int) -> Cluster:
            return Cluster(
                options.master,
                f"{folder}/{name}",
                threshold=threshold,
                shards=options.partitions,
                cache=f"{folder}/cache",
            )

        asked = Options(INVARIANTS)
        check(protocol("2/2/2/1"), asked, cluster("warm", 50))
        before, started = processor_seconds(), time.monotonic()
        chosen = cluster("run", THRESHOLD)
        result = check(protocol(options.bounds), asked, chosen)
        wall, cpu = time.monotonic() - started, spent(before)
        print(
            f"{options.bounds}: {result.distinct_states:,} states, depth {result.depth}, digest {result.state_digest}"
        )
        print(
            f"  wall {wall:.1f} s, processor {cpu:.1f} s in all processes, of which driver {result.cpu_seconds:.1f} s"
        )
        assert result.model is not None
        manifest = read_manifest(Storage(chosen.storage))
        assert manifest is not None
        empty = empty_levels(chosen, session, result.model, options.empty)
        walls, cpus = [w for w, _ in empty], [c for _, c in empty]
        print(f"  an empty level: wall {statistics.median(walls):.2f} s ({min(walls):.2f} to {max(walls):.2f}),")
        print(f"    processor {statistics.median(cpus):.2f} s ({min(cpus):.2f} to {max(cpus):.2f})")
        levels = sum(1 for level in manifest.levels if level.shards > 1) + 1
        beyond = cpu - levels * statistics.median(cpus)
        rate = result.distinct_states / beyond
        print(f"  {levels} levels on Spark; beyond their overhead {rate:,.0f} states a CPU second")
    print(f"load after: {', '.join(f'{x:.2f}' for x in os.getloadavg())}")
    session.stop()


if __name__ == "__main__":
    main()
