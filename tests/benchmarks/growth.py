"""How a search grows: time, speed and memory of KIP-320 at 1, 4, 18 and 64 million states, with one worker and two.

    python tests/benchmarks/growth.py [--runs 3] [--largest 64] [--plot growth.png]

Every figure comes from `epochal check --format json` in a process of its own; the runs of different numbers of workers
take turns. Wall time of the search is what counts for workers, so it prints the load before and after. Nothing here
fails: it measures.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIZES = {
    1: ("3/2/2/2", 737_794),
    4: ("3/3/3/2", 4_093_531),
    10: ("3/2/2/3", 9_985_570),
    18: ("3/4/4/2", 18_731_224),
    64: ("3/3/3/3", 64_739_578),
}
"""By millions: the bounds, and how many states they have."""

BOUNDS = ("--replicas", "--log-size", "--records", "--max-epoch")


def search(bounds: str, states: int, workers: int) -> dict[str, float]:
    """One run: seconds on the clock and on the processors, and bytes."""
    options = [word for pair in zip(BOUNDS, bounds.split("/"), strict=True) for word in pair]
    command = [sys.executable, "-m", "cli.main", "check", "kip-320", *options, "--workers", str(workers)]
    command += ["--property", "weak_isr", "--property", "strong_isr", "--format", "json", "--progress", "none"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=True
    )
    result = json.loads(done.stdout)
    if result["distinct_states"] != states:
        raise SystemExit(f"{bounds}: {result['distinct_states']:,} states instead of {states:,}")
    return {
        "wall": result["search_wall_seconds"],
        "cpu": result["search_cpu_seconds"],
        "peak": result["peak_memory_bytes"],
        "each": result["state_memory_bytes"] / states,
    }


def measure(largest: int, runs: int) -> dict[tuple[int, int], dict[str, float]]:
    """Medians by size in millions and number of workers; the two take turns."""
    figures: dict[tuple[int, int], dict[str, float]] = {}
    for millions, (bounds, states) in SIZES.items():
        if millions > largest:
            continue
        samples: dict[int, list[dict[str, float]]] = {1: [], 2: []}
        for _ in range(runs):
            for workers, taken in samples.items():
                taken.append(search(bounds, states, workers))
        for workers, taken in samples.items():
            figures[millions, workers] = {key: statistics.median(s[key] for s in taken) for key in taken[0]}
        one, two = figures[millions, 1], figures[millions, 2]
        print(
            f"| {states:,} | {bounds} | {one['wall']:.2f} | {two['wall']:.2f} | {one['wall'] / two['wall']:.2f} "
            f"| {states / one['cpu'] / 1e6:.2f} | {states / two['cpu'] / 1e6:.2f} | {one['each']:.1f} "
            f"| {two['peak'] / 2**20:,.0f} |",
            flush=True,
        )
    return figures


def plot(figures: dict[tuple[int, int], dict[str, float]], path: Path) -> None:
    """Seconds of the search over states, one line for each number of workers."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for workers in (1, 2):
        points = [(SIZES[m][1] / 1e6, f["wall"]) for (m, w), f in figures.items() if w == workers]
        axes.plot(*zip(*points, strict=True), marker="o", label=f"{workers} worker{'s' * (workers > 1)}")
    axes.set(xscale="log", yscale="log", xlabel="million distinct states of KIP-320", ylabel="seconds of search")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=100, metadata={"Software": None})


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--largest", type=int, default=18, help="million states of the largest search")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.2f}, {os.cpu_count()} processors")
    print("| states | bounds | s, 1 worker | s, 2 workers | ratio | M/CPU-s, 1 | M/CPU-s, 2 | bytes a state | MiB, 2 |")
    print("|---|---|---|---|---|---|---|---|---|")
    figures = measure(arguments.largest, arguments.runs)
    print(f"load after: {os.getloadavg()[0]:.2f}")
    if arguments.plot is not None:
        plot(figures, arguments.plot)


if __name__ == "__main__":
    main()
