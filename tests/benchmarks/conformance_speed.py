"""Speed and memory of `epochal conform` on a large metadata log, and on a large log of a broker; and the load.

    python tests/benchmarks/conformance_speed.py [--records 1000000] [--log-mib 300] [--runs 3]

The metadata log is made here, as a controller would write it: brokers are fenced and come back one after the other,
and every partition with a replica there shrinks, elects and grows again. The broker's log is that of a recording,
and behind it lines that tell nothing, until it is long enough. Nothing here fails: it measures whole commands.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from epochal.kafka.evidence.broker_log import BEGINS

RECORDING = Path(__file__).resolve().parents[1] / "evidence/reproduced-n1-4.3.1-tier-1.tar.xz"

PLAINLY = ("--format", "json", "--progress", "none")

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


def write_metadata(path: Path, wanted: int) -> None:
    """A dump of a metadata log."""
    with path.open("w", encoding="utf-8") as file:
        for offset, record in enumerate(records(wanted)):
            file.write(f"{BATCH.format(offset)}\n{LINE.format(offset, json.dumps(record))}\n")


def write_log(folder: Path, mib: int) -> None:
    """A recording in which a `server.log`, with kafka.cluster.Partition and fetchers at DEBUG, is that long."""
    with tarfile.open(RECORDING) as archive:
        archive.extractall(folder, filter="data")
    path = folder / "node-1/logs/server.log"
    lines = path.read_bytes().splitlines(keepends=True)
    others = b"".join(line for line in lines if not any(word.encode() in line for word in BEGINS))
    with path.open("ab") as file:
        while file.tell() < mib * 2**20:
            file.write(others)


def measured(path: Path, runs: int) -> dict[str, Any]:
    """Run the command some times, print what it took, and return its document."""
    size = sum(one.stat().st_size for one in path.rglob("*") if one.is_file())
    print(f"{size / 2**20:.0f} MiB, load {os.getloadavg()[0]:.1f} at the start")
    seconds, peak = [], 0
    for _ in range(runs):
        command = [sys.executable, "-m", "epochal", "conform", str(path), "--kafka", "4.3.1", *PLAINLY]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            document: dict[str, Any] = json.loads(process.stdout.read())
            _, _, used = os.wait4(process.pid, 0)
            process.returncode = 0
        seconds.append(used.ru_utime + used.ru_stime)
        peak = max(peak, used.ru_maxrss)
    print(f"CPU seconds, median of {runs}: {statistics.median(seconds):.1f}; {peak / 2**10:,.0f} MiB at most")
    return document


def main() -> None:
    """Write the logs, run the command some times on each, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--log-mib", type=int, default=300)
    parser.add_argument("--runs", type=int, default=3)
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_metadata(Path(folder) / "metadata.txt", said.records)
        controller = measured(Path(folder), said.runs)["controller"]
        judged = sum(controller["explained"].values())
        print(f"{judged:,} changes of {controller['last_offset'] + 1:,} records: {controller['verdict']}")
    with tempfile.TemporaryDirectory() as folder:
        write_log(Path(folder), said.log_mib)
        brokers = measured(Path(folder), said.runs)["brokers"]
        print(f"{sum(brokers['accepted'].values()):,} lines of brokers agree")


if __name__ == "__main__":
    main()
