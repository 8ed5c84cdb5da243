"""How soon a check has its first state, with nothing compiled before and with everything; prints figures and the load.

    python tests/benchmarks/start_speed.py [PROTOCOL] [--runs 5] [--against REVISION]

Every figure is of `epochal check PROTOCOL --max-states 1` in a process of its own: processor seconds of all its threads
until the first state is there, and until the command ends, with an empty cache and then with the cache that this left.
With `--against`, another revision of this repository is checked out into a temporary folder and the two are measured
in turn; a ratio below 1 says that this tree is sooner. Nothing here fails: it measures.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGETS = {"cold, to the first state": 2.5, "warm, to the first state": 0.6}
ONE = """
import contextlib, io, json, sys, time
from epochal.__main__ import main
from epochal.checker.search.native import NativeSearch
begin, first = NativeSearch.begin, []
def begun(self, patience):
    begin(self, patience)
    first.append((time.process_time(), time.monotonic()))
NativeSearch.begin = begun
sys.argv = ["epochal", "check", sys.argv[1], "--max-states", "1"]
began = time.monotonic()
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    with contextlib.suppress(SystemExit):
        main()
(processors, clock), = first
print(json.dumps([processors, time.process_time(), clock - began]))
"""
"""The libraries of a search are loaded before the command begins, which it would do itself: the sum is the same."""


def started(source: Path, protocol: str, cache: str) -> tuple[float, float, float]:
    """Processor seconds to the first state and to the end, and seconds on the clock from the command to the former."""
    environment = {**os.environ, "PYTHONPATH": str(source / "src"), "EPOCHAL_CACHE_DIR": cache}
    command = [sys.executable, "-c", ONE, protocol]
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=True)
    first, end, clock = json.loads(done.stdout)
    return first, end, clock


def measure(source: Path, protocol: str) -> dict[str, float]:
    """One sample of every figure."""
    sample: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as cache:
        for name in ("cold", "warm"):
            first, end, clock = started(source, protocol, cache)
            sample[f"{name}, to the first state"] = first
            sample[f"{name}, the whole command"] = end
            sample[f"{name}, to the first state on the clock"] = clock
    return sample


def main() -> None:
    """Measure, and compare if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("protocol", nargs="?", default="kraft")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--against", metavar="REVISION")
    options = parser.parse_args()
    print(f"load before: {', '.join(f'{x:.2f}' for x in os.getloadavg())} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder:
        sources = {"this tree": ROOT}
        if options.against:
            other = Path(folder) / "other"
            subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", other, options.against], check=True)
            for file in other.rglob("*.py"):
                os.utime(file, (0, 0))  # of files that have just been written no compiled program is kept
            sources[options.against] = other
        try:
            samples: dict[str, list[dict[str, float]]] = {name: [] for name in sources}
            for source in sources.values():
                measure(source, options.protocol)  # Python keeps what it has compiled
            for _ in range(options.runs):
                for name, source in sources.items():
                    samples[name].append(measure(source, options.protocol))
            for name in sources:
                print(f"\n{name}: seconds of {options.protocol}")
                for figure in samples[name][0]:
                    values = [sample[figure] for sample in samples[name]]
                    target = f", target {TARGETS[figure]}" if figure in TARGETS and options.protocol == "kraft" else ""
                    spread = f"({min(values):.2f} to {max(values):.2f}{target})"
                    print(f"  {figure:40} median {statistics.median(values):6.2f}   {spread}")
            if options.against:
                print("\nratio, this tree to the other, pair by pair (median)")
                for figure in samples["this tree"][0]:
                    pairs = zip(samples["this tree"], samples[options.against], strict=True)
                    print(f"  {figure:40} {statistics.median(a[figure] / b[figure] for a, b in pairs):6.3f}")
        finally:
            if options.against:
                subprocess.run(
                    ["git", "-C", ROOT, "worktree", "remove", "--force", sources[options.against]], check=True
                )
    print(f"load after: {', '.join(f'{x:.2f}' for x in os.getloadavg())}")


if __name__ == "__main__":
    main()
