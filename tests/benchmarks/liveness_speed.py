"""Speed and memory of judging promises after a native search; prints figures and the machine's load.

    python tests/benchmarks/liveness_speed.py [PROTOCOL] [--runs 3] [--workers 1,2]

Every figure is from a check in a process of its own: the seconds of the search and of the judge, on the clock and of
processors, and what the judge needs besides the states. Wall time says nothing on a machine that others use: with two
workers compare it where the load was below one before. Nothing here fails: it measures.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys

ONE = """
import json, sys, epochal
found = epochal.check(epochal.load(sys.argv[1]), workers=int(sys.argv[2]), cross_check="off").search
judged = found.liveness
verdicts = [(one.member.name, one.verdict, one.waiting, one.stopped) for one in judged.promises]
print(json.dumps({
    "states": found.distinct_states,
    "search, on the clock": found.search_wall_seconds,
    "search, of processors": found.search_cpu_seconds,
    "judge, on the clock": judged.wall_seconds,
    "judge, of processors": judged.cpu_seconds,
    "bytes a state besides": judged.memory_bytes / found.distinct_states,
    "verdicts": verdicts,
}))
"""


def measured(protocol: str, workers: int) -> dict[str, object]:
    """The figures of one check."""
    command = [sys.executable, "-c", ONE, protocol, str(workers)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    """Measure in turn with each number of workers, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocol", nargs="?", default="kraft")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--workers", default="1,2")
    asked = parser.parse_args()
    sizes = [int(size) for size in asked.workers.split(",")]
    print(f"{asked.protocol}, load before: {os.getloadavg()[0]:.2f}")
    samples: dict[int, list[dict[str, object]]] = {size: [] for size in sizes}
    for _ in range(asked.runs + 1):  # the first of each fills the cache of compiled code
        for size in sizes:
            samples[size].append(measured(asked.protocol, size))
    answers = {json.dumps(sample.pop("verdicts")) for found in samples.values() for sample in found}
    print(f"the same verdicts and counts in all runs: {len(answers) == 1}")
    for size, found in samples.items():
        print(f"{size} workers")
        for name in found[0]:
            values = [float(str(sample[name])) for sample in found[1:]]
            print(f"  {name}: {statistics.median(values):,.2f} ({min(values):,.2f} to {max(values):,.2f})")
    print(f"load after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
