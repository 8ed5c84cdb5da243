"""The search of KIP-320 beside SPIN's, of the same protocol in Promela; prints ratios and the machine's load.

    python -m tests.benchmarks.spin_speed [--runs 5] [--bounds 3/2/2/2,3/3/3/2,3/2/2/3]

`spin` and `gcc` must be installed (Debian: `apt install spin gcc`). `peers/kip_320.pml` has the steps and the two
invariants of the ISR. For each size SPIN searches depth first, as it does by default, and breadth first, as Epochal
does, which shortest counterexamples need. Both keep every state exactly, nothing is reduced, and both run on one
processor, in turn. States and steps must be the same, or the benchmark fails. Processor seconds are those of the search
alone: SPIN's verifier is compiled before, and Epochal's result says how long its search took.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.search_speed import ROOT, bounds, check

MODEL = Path(__file__).parent / "peers" / "kip_320.pml"
INVARIANTS = ("--property", "weak_isr", "--property", "strong_isr")
ORDERS = {"SPIN, depth first": (), "SPIN, breadth first": ("-DBFS",)}
EXACT = ("-O3", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=16000")
DEEP = "-m10000000"
"""How deep a search may go."""


@dataclass(frozen=True)
class Run:
    """One search: what it counted and what it took."""

    states: int
    steps: int
    cpu_seconds: float
    bytes_per_state: float

    @property
    def rate(self) -> float:
        """Million states a processor second."""
        return self.states / self.cpu_seconds / 1e6


def verifier(folder: Path, values: tuple[int, ...], order: tuple[str, ...]) -> Path:
    """SPIN's verifier for some bounds, compiled."""
    replicas, log_size, records, max_epoch = values
    if replicas != 3 or not 1 <= log_size <= 4 or not max_epoch <= 3:
        raise SystemExit("peers/kip_320.pml has three replicas, at most four offsets and epochs up to 3")
    folder.mkdir(parents=True)
    given = (f"-DLOG={log_size}", f"-DRECORDS={records}", f"-DMAX_EPOCH={max_epoch}")
    subprocess.run(["spin", *given, "-a", MODEL], cwd=folder, check=True, capture_output=True)
    subprocess.run(["gcc", *EXACT, *order, "-o", "pan", "pan.c"], cwd=folder, check=True, capture_output=True)
    return folder / "pan"


def spin(pan: Path, states: int) -> Run:
    """Search with SPIN's verifier, whose table has a slot for each of so many states."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [pan, DEEP, f"-w{states.bit_length()}"], cwd=pan.parent, check=True, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = done.stdout
    if "errors: 0" not in text or "Search not completed" in text:
        raise SystemExit(f"{pan} did not search everything without an error:\n{text}")
    found, steps = _number(r"(\d+) states, stored", text), _number(r"(\d+) transitions", text)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    parts = (r"([\d.]+)\s+actual memory usage for states", r"([\d.]+)\s+memory used for hash table")
    memory = sum(float(_found(part, text)) for part in parts) * 2**20
    return Run(found, steps - 1, seconds, memory / found)  # SPIN counts the initial state as a step


def ours(values: tuple[int, ...]) -> Run:
    """Search with one worker."""
    result = check(ROOT, *bounds(values), *INVARIANTS, "--workers", "1")
    states = int(result["distinct_states"])
    memory = result["state_memory_bytes"] / states
    return Run(states, int(result["generated_states"]), result["search_cpu_seconds"], memory)


def _number(pattern: str, text: str) -> int:
    return int(_found(pattern, text))


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise SystemExit(f"SPIN's report has no {pattern}:\n{text}")
    return found.group(1)


def compare(name: str, runs: int, folder: Path) -> None:
    """Measure one size in turn and print medians and ratios."""
    values = tuple(map(int, name.split("/")))
    verifiers = {order: verifier(folder / order, values, flags) for order, flags in ORDERS.items()}
    states = ours(values).states  # which also compiles
    samples: dict[str, list[Run]] = {"Epochal": [], **{order: [] for order in verifiers}}
    for _ in range(runs):
        samples["Epochal"].append(ours(values))
        for order, pan in verifiers.items():
            samples[order].append(spin(pan, states))
    counts = {(one.states, one.steps) for found in samples.values() for one in found}
    if len(counts) != 1:
        raise SystemExit(f"{name}: not the same states and steps: {sorted(counts)}")
    ((states, steps),) = counts
    print(f"\n{name}: {states:,} states and {steps:,} steps, the same in all {runs} runs of each")
    for engine, found in samples.items():
        ratios = [mine.rate / one.rate for mine, one in zip(samples["Epochal"], found, strict=True)]
        rate, size = statistics.median(one.rate for one in found), statistics.median(o.bytes_per_state for o in found)
        faster = "" if engine == "Epochal" else f"   Epochal is {statistics.median(ratios):.1f} times as fast"
        print(f"  {engine:20} {rate:6.2f} million states a CPU second, {size:6.1f} bytes a state{faster}")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--bounds", default="3/2/2/2,3/3/3/2,3/2/2/3")
    options = parser.parse_args()
    missing = [tool for tool in ("spin", "gcc") if shutil.which(tool) is None]
    if missing:
        sys.exit(f"{' and '.join(missing)} not found; on Debian: apt install {' '.join(missing)}")
    print(f"load before: {', '.join(f'{x:.2f}' for x in os.getloadavg())} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.bounds.split(","):
            compare(name, options.runs, Path(folder) / name.replace("/", "-"))
    print(f"\nload after: {', '.join(f'{x:.2f}' for x in os.getloadavg())}")


if __name__ == "__main__":
    main()
