"""Speed of the bounded search and of the comparison, as whole commands; prints processor seconds beside the targets.

    python tests/benchmarks/solver_speed.py [--runs 3] [--long]

Every figure comes from `epochal ... --format json` in a process of its own; the least of several runs is told, because
the machine may be busy. `--long` adds a bug of eleven steps. Nothing here fails: it measures.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

QUESTIONS: dict[str, tuple[str, float | None]] = {
    "bmc: the bug of truncate-to-hw at the default bounds": (
        "bmc truncate-to-hw --length 8 --property strong_isr",
        3.0,
    ),
    "bmc: the same at 2/1/1/1": (
        "bmc truncate-to-hw --length 9 --property strong_isr --replicas 2 --log-size 1 --records 1 --max-epoch 1",
        3.0,
    ),
    "compare kip-279 kip-320 at the default bounds": ("compare kip-279 kip-320", 5.0),
    "compare kip-320 with itself": ("compare kip-320 kip-320", None),
    "check kip-320": ("check kip-320", None),
    "check kip-320 --static": ("check kip-320 --static", None),
}
LONG: dict[str, tuple[str, float | None]] = {
    "bmc: a bug of eleven steps (kip-101 at 3/1/1/1)": (
        "bmc kip-101 --length 11 --property strong_isr --log-size 1 --records 1 --max-epoch 1",
        None,
    ),
}


def measured(arguments: str) -> tuple[float, float]:
    """Processor seconds of a whole command, and those that Z3 took of them."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "epochal.cli.main", *arguments.split(), "--format", "json", "--progress", "none"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 12):
        raise SystemExit(f"{arguments} exited with {done.returncode}:\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, json.loads(done.stdout).get("solver_seconds", 0.0)


def main() -> None:
    """Measure, and print one line a question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--long", action="store_true")
    chosen = parser.parse_args()
    for name, (arguments, target) in {**QUESTIONS, **(LONG if chosen.long else {})}.items():
        seconds, solver = min(measured(arguments) for _ in range(chosen.runs))
        wanted = f", target {target:.0f}" if target is not None else ""
        print(f"{seconds:6.2f} s of processor time, Z3 {solver:.2f}{wanted}  {name}")
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
