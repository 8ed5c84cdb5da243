"""Speed of proofs of KIP-320 and of ELR, as whole commands; prints seconds, ratios to the targets, and the load.

    python tests/benchmarks/proof_speed.py [--runs 3]

Every figure comes from `epochal prove --format json` in a process of its own, with an empty cache; for every choice of
the bounds (`--unbounded`) also with the answers of the run before. Processor time is compared with the targets, because
other work on the machine does not count in it; the gain of two workers is in time on the clock, and means something
only if the load before was below one. Nothing here fails: it measures.
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
BOUNDS = ("--replicas", "--log-size", "--records", "--max-epoch")
TARGETS = {(3, 2, 2, 1): (3.0, 6.0), (3, 4, 4, 4): (12.0, 25.0)}
"""Seconds in the solver, and of the whole command with one worker, for each bounds."""

UNBOUNDED = {"cold": 120.0, "again": 2.0}
"""Processor seconds of the whole command, for every choice of the bounds."""

ELR = 40.0
"""Seconds in the solver, for `kraft` at its default bounds."""

GAIN = 1.6
"""How many times faster two workers should be, at the larger bounds."""


def prove(values: tuple[int, ...], workers: int) -> dict[str, float]:
    """Run a proof of KIP-320 within bounds."""
    bounds = [word for option, value in zip(BOUNDS, values, strict=True) for word in (option, str(value))]
    return command(["kip-320-proof", *bounds, "--workers", str(workers), "--no-cache"])


def command(words: list[str], cache: str | None = None) -> dict[str, float]:
    """Run a proof; its JSON result, with seconds on the clock and of processors for the whole command."""
    whole = [sys.executable, "-m", "epochal.cli.main", "prove", *words, "--format", "json", "--progress", "none"]
    environment = {**os.environ, **({"EPOCHAL_CACHE_DIR": cache} if cache else {})}
    before, started = os.times(), time.monotonic()
    done = subprocess.run(whole, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    wall, after = time.monotonic() - started, os.times()
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(whole)} exited with {done.returncode}:\n{done.stderr}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {**json.loads(done.stdout), "command_wall": wall, "command_cpu": cpu}


def unbounded(runs: int) -> None:
    """Measure KIP-320 for every choice of the bounds: with nothing known, and with everything."""
    pairs = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as cache:
            words = ["kip-320", "--unbounded", "--workers", "1"]
            pairs.append((command(words, cache), command(words, cache)))
    print(f"\nKIP-320 for every choice of the bounds: {pairs[0][0]['asked']} obligations asked")
    line("solver, processor seconds", [cold["solver_seconds"] for cold, _ in pairs])
    line("whole command, processor seconds", [cold["command_cpu"] for cold, _ in pairs], UNBOUNDED["cold"])
    line("the same again, from the cache", [again["command_cpu"] for _, again in pairs], UNBOUNDED["again"])


def line(name: str, values: list[float], target: float | None = None) -> None:
    """Print a figure: median, least and greatest, and its ratio to the target."""
    middle = statistics.median(values)
    against = f"   {middle / target:.2f} of the target, {target:g}" if target is not None else ""
    print(f"  {name:44} {middle:7.2f}   ({min(values):.2f} to {max(values):.2f}){against}")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    print(f"load before: {', '.join(f'{x:.2f}' for x in os.getloadavg())} on {os.cpu_count()} processors")
    for values, (solver, whole) in TARGETS.items():
        pairs = [(prove(values, 1), prove(values, 2)) for _ in range(runs)]
        print(f"\nKIP-320 at {'/'.join(map(str, values))}: {pairs[0][0]['asked']} obligations asked")
        line("solver, processor seconds", [one["solver_seconds"] for one, _ in pairs], solver)
        line("whole command, processor seconds", [one["command_cpu"] for one, _ in pairs], whole)
        line("whole command, seconds on the clock", [one["command_wall"] for one, _ in pairs], whole)
        line("the same with two workers", [two["command_wall"] for _, two in pairs])
        line("two workers, processor seconds", [two["command_cpu"] for _, two in pairs])
        print("  two workers, times faster:", end="")
        gains = [one["command_wall"] / two["command_wall"] for one, two in pairs]
        print(f" {statistics.median(gains):.2f} (target {GAIN} at 3/4/4/4)")
    unbounded(runs)
    elr = [command(["kraft", "--workers", "1", "--no-cache"]) for _ in range(runs)]
    print(f"\nkraft at its defaults: {elr[0]['asked']} obligations asked")
    line("solver, processor seconds", [one["solver_seconds"] for one in elr], ELR)
    line("whole command, processor seconds", [one["command_cpu"] for one in elr])
    print(f"\nload after: {', '.join(f'{x:.2f}' for x in os.getloadavg())}")


if __name__ == "__main__":
    main()
