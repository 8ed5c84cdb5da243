"""Speed of `epochal conform` on a large metadata log, as a whole command; prints figures and the machine's load.

    python tests/benchmarks/conformance_speed.py [--records 1000000] [--runs 3]

The log is made here, as a controller would write it: brokers are fenced and come back one after the other, and
every partition with a replica there shrinks, elects and grows again. Nothing here fails: it measures.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BROKERS, PARTITIONS, REPLICAS = 9, 600, 3
BATCH = "baseOffset: {0} lastOffset: {0} count: 1 partitionLeaderEpoch: 1 isControl: false"
LINE = "| offset: {} CreateTime: 0 keySize: -1 valueSize: 0 sequence: -1 headerKeys: [] payload: {}"


def records(wanted: int) -> Iterator[dict[str, Any]]:
    """The records of such a log, about as many as are wanted."""
    chance = random.Random(1)
    made = 0

    def record(kind: str, **data: Any) -> dict[str, Any]:
        nonlocal made
        made += 1
        return {"type": kind, "version": 0, "data": data}

    for broker in range(BROKERS):
        yield record("REGISTER_BROKER_RECORD", brokerId=broker, brokerEpoch=broker, fenced=True)
        yield record("BROKER_REGISTRATION_CHANGE_RECORD", brokerId=broker, brokerEpoch=broker, fenced=-1)
    yield record("TOPIC_RECORD", name="t", topicId="T")
    leaders, members = {}, {}
    for number in range(PARTITIONS):
        replicas = chance.sample(range(BROKERS), REPLICAS)
        leaders[number], members[number] = replicas[0], list(replicas)
        said = {"replicas": replicas, "isr": replicas, "leader": replicas[0], "leaderEpoch": 0, "partitionEpoch": 0}
        yield record("PARTITION_RECORD", partitionId=number, topicId="T", **said)
    while made < wanted:
        broker = chance.randrange(BROKERS)
        left = [number for number, isr in members.items() if broker in isr]
        for number in left:
            members[number].remove(broker)
            leader = {"leader": members[number][0]} if leaders[number] == broker else {}
            leaders[number] = leader.get("leader", leaders[number])
            yield record(
                "PARTITION_CHANGE_RECORD", partitionId=number, topicId="T", isr=list(members[number]), **leader
            )
        yield record("BROKER_REGISTRATION_CHANGE_RECORD", brokerId=broker, brokerEpoch=broker, fenced=1)
        yield record("BROKER_REGISTRATION_CHANGE_RECORD", brokerId=broker, brokerEpoch=broker, fenced=-1)
        for number in left:
            members[number].append(broker)
            yield record("PARTITION_CHANGE_RECORD", partitionId=number, topicId="T", isr=list(members[number]))


def main() -> None:
    """Write the log, run the command some times, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "metadata.txt"
        with path.open("w", encoding="utf-8") as file:
            for offset, record in enumerate(records(said.records)):
                file.write(f"{BATCH.format(offset)}\n{LINE.format(offset, json.dumps(record))}\n")
        print(f"{path.stat().st_size / 2**20:.0f} MiB, load {os.getloadavg()[0]:.1f} at the start")
        seconds = []
        for _ in range(said.runs):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [sys.executable, "-m", "epochal", "conform", str(path), "--kafka", "3.9.2", "--format", "json"]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            controller = json.loads(done.stdout)["controller"]
        judged = sum(controller["explained"].values())
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**10
        print(f"{judged:,} changes of {controller['last_offset'] + 1:,} records: {controller['verdict']}")
        print(f"CPU seconds, median of {said.runs}: {statistics.median(seconds):.1f}; {peak:,.0f} MiB at most")


if __name__ == "__main__":
    main()
