"""Speed and memory of the native search on KIP-320, as whole commands; prints figures and the machine's load.

    python tests/benchmarks/search_speed.py [--runs 5] [--against REVISION]

Every figure comes from `epochal check --format json` in a process of its own. With `--against`, another revision of
this repository is checked out into a temporary folder and the two are measured in turn, so that a machine whose speed
drifts does not favour either. Nothing here fails: it measures.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODELS = {"3/2/2/2": (3, 2, 2, 2), "3/3/3/2": (3, 3, 3, 2)}
LARGE = (3, 2, 2, 3)
"""Bounds with ten million states, at which one worker is compared with two."""
BOUNDS = ("--replicas", "--log-size", "--records", "--max-epoch")
TARGETS = {"3/2/2/2": 9.0, "3/3/3/2": 9.0}
TWICE = 1.8
BYTES_PER_STATE = 40
INVARIANTS = ("--property", "weak_isr", "--property", "strong_isr")


def check(source: Path, *arguments: str) -> dict[str, float]:
    """Run `epochal check kip-320` from a source folder; its JSON result, with the wall time of the whole command."""
    environment = {**os.environ, "PYTHONPATH": str(source / "src")}
    command = [sys.executable, "-m", "epochal.cli.main", "check", "kip-320", *arguments, "--format", "json"]
    started = time.monotonic()
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=False)
    wall = time.monotonic() - started
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} exited with {done.returncode}:\n{done.stderr}")
    return {**json.loads(done.stdout), "command_seconds": wall}


def bounds(values: tuple[int, ...]) -> list[str]:
    """The options for some bounds."""
    return [word for option, value in zip(BOUNDS, values, strict=True) for word in (option, str(value))]


def measure(source: Path) -> dict[str, float]:
    """One sample of every figure."""
    sample: dict[str, float] = {}
    for name, values in MODELS.items():
        result = check(source, *bounds(values), *INVARIANTS, "--workers", "1")
        states = result["distinct_states"]
        sample[f"{name} million states a CPU second"] = states / result["search_cpu_seconds"] / 1e6
        sample[f"{name} bytes a state, in arrays and table"] = result["state_memory_bytes"] / states
        sample[f"{name} MiB of the whole process at most"] = result["peak_memory_bytes"] / 2**20
    alone, together = (
        check(source, *bounds(LARGE), *INVARIANTS, "--workers", workers)["search_wall_seconds"] for workers in "12"
    )
    sample["times as fast with two workers at ten million states"] = alone / together
    sample["seconds of `check kip-320` at the default bounds"] = check(source)["command_seconds"]
    return sample


def cold_start(source: Path) -> float:
    """Seconds of `check kip-320` with an empty cache of compiled code."""
    with tempfile.TemporaryDirectory() as empty:
        before = os.environ.get("EPOCHAL_CACHE_DIR")
        os.environ["EPOCHAL_CACHE_DIR"] = empty
        try:
            return check(source)["command_seconds"]
        finally:
            if before is None:
                del os.environ["EPOCHAL_CACHE_DIR"]
            else:
                os.environ["EPOCHAL_CACHE_DIR"] = before


def report(name: str, samples: list[dict[str, float]], cold: list[float]) -> None:
    """Print minimum, median and maximum of every figure."""
    print(f"\n{name}")
    rows = {figure: [sample[figure] for sample in samples] for figure in samples[0]}
    rows["seconds of the same with nothing compiled before"] = cold
    for figure, values in rows.items():
        low, middle, high = min(values), statistics.median(values), max(values)
        print(f"  {figure:52} median {middle:8.2f}   ({low:.2f} to {high:.2f})")


def main() -> None:
    """Measure, and compare if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--against", metavar="REVISION")
    options = parser.parse_args()
    print(f"load before: {', '.join(f'{x:.2f}' for x in os.getloadavg())} on {os.cpu_count()} processors")
    targets = ", ".join(f"{target} at {name}" for name, target in TARGETS.items())
    print(f"targets: {targets} million states a CPU second; {TWICE} times as fast with two workers")
    print(f"        {BYTES_PER_STATE} bytes a state; 1 s for the whole command")
    with tempfile.TemporaryDirectory() as folder:
        sources = {"this tree": ROOT}
        if options.against:
            other = Path(folder) / "other"
            subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", other, options.against], check=True)
            sources[options.against] = other
        try:
            samples: dict[str, list[dict[str, float]]] = {name: [] for name in sources}
            cold: dict[str, list[float]] = {name: [] for name in sources}
            for source in sources.values():
                for values in MODELS.values():
                    check(source, *bounds(values), *INVARIANTS)
            for _ in range(options.runs):
                for name, source in sources.items():
                    samples[name].append(measure(source))
                    cold[name].append(cold_start(source))
            for name in sources:
                report(name, samples[name], cold[name])
            if options.against:
                print("\nratio, this tree to the other, pair by pair (median)")
                for figure in samples["this tree"][0]:
                    pairs = zip(samples["this tree"], samples[options.against], strict=True)
                    print(f"  {figure:52} {statistics.median(a[figure] / b[figure] for a, b in pairs):8.3f}")
        finally:
            if options.against:
                subprocess.run(
                    ["git", "-C", ROOT, "worktree", "remove", "--force", sources[options.against]], check=True
                )
    print(f"load after: {', '.join(f'{x:.2f}' for x in os.getloadavg())}")


if __name__ == "__main__":
    main()
