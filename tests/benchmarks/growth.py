"""How a search grows: time, speed and memory of KIP-320 from 0.7 to 1,145 million states, natively and on Spark.

    python -m tests.benchmarks.growth [--sizes 1,4,10] [--runs 3] [--with NAME] [--figures FILE] [--plot FILE]

Every figure comes from `epochal check --format json` in a process of its own; the runs of one worker and of two take
turns. Wall time of the search is what counts for workers, so the load is kept with each figure. Processor time is that
of the search; on Spark it is that of all processes of the command, the start of Java among it. With --figures, what is
measured is added to those already in the file, and --plot draws all of them; without sizes, nothing is measured.
Nothing here fails: it measures.
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
from typing import Any

from tests.benchmarks.spark_speed import processor_seconds

ROOT = Path(__file__).resolve().parents[2]
SIZES = {
    1: ("3/2/2/2", 737_794),
    4: ("3/3/3/2", 4_093_531),
    10: ("3/2/2/3", 9_985_570),
    18: ("3/4/4/2", 18_731_224),
    64: ("3/3/3/3", 64_739_578),
    205: ("3/3/4/3", 205_188_298),
    1145: ("3/4/5/3", 1_145_336_527),
}
"""By millions: the bounds, and how many states they have."""

BOUNDS = ("--replicas", "--log-size", "--records", "--max-epoch")
ENGINES: dict[str, dict[str, tuple[str, ...]]] = {
    "native": {"1 worker": ("--workers", "1"), "2 workers": ("--workers", "2")},
    "compact": {"2 workers, --compact --spill": ("--workers", "2", "--compact")},
    "spark": {"Spark": ("--engine", "spark", "--master", "local[2]", "--conf", "spark.ui.enabled=false")},
}
"""What is measured together, in turn: by the word for it, the engines and their options."""

Figures = dict[str, dict[str, dict[str, Any]]]
"""By millions and then by engine, as in JSON."""


def search(bounds: str, states: int, options: tuple[str, ...]) -> dict[str, float]:
    """One run: seconds on the clock and on the processors, and bytes."""
    words = [word for pair in zip(BOUNDS, bounds.split("/"), strict=True) for word in pair]
    command = [sys.executable, "-m", "epochal.cli.main", "check", "kip-320", *words, *options]
    command += ["--property", "weak_isr", "--property", "strong_isr", "--format", "json", "--progress", "none"]
    with tempfile.TemporaryDirectory() as folder:
        if "spark" in options:
            command += ["--storage", f"{folder}/run", "--conf", f"spark.epochal.cacheDir={folder}/cache"]
        if "--compact" in options:
            command += ["--spill", folder]
        printed, everywhere = run(command)
    result = json.loads(printed)
    if result["distinct_states"] != states:
        raise SystemExit(f"{bounds}: {result['distinct_states']:,} states instead of {states:,}")
    return {
        "wall": result["search_wall_seconds"],
        "cpu": everywhere if "spark" in options else result["search_cpu_seconds"],
        "peak": result["peak_memory_bytes"],
        "each": result["state_memory_bytes"] / states,
        "files": result["state_file_bytes"] / states,
    }


def run(command: list[str]) -> tuple[bytes, float]:
    """What a command prints, and the processor seconds of all its processes, those that have ended among them."""
    most = 0.0
    with tempfile.TemporaryFile() as file:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=file, start_new_session=True
        )
        while process.poll() is None:
            most = max(most, sum(processor_seconds(process.pid).values()))
            time.sleep(0.05)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} exited with {process.returncode}")
        file.seek(0)
        return file.read(), most


def measure(sizes: list[int], runs: int, engines: dict[str, tuple[str, ...]]) -> Figures:
    """Medians by size in millions and engine; the engines take turns."""
    figures: Figures = {}
    for millions in sizes:
        bounds, states = SIZES[millions]
        load = os.getloadavg()[0]
        samples: dict[str, list[dict[str, float]]] = {engine: [] for engine in engines}
        for _ in range(runs):
            for engine, taken in samples.items():
                taken.append(search(bounds, states, engines[engine]))
        figures[str(millions)] = {
            engine: {key: statistics.median(s[key] for s in taken) for key in taken[0]} | {"load": load, "runs": runs}
            for engine, taken in samples.items()
        }
    return figures


def text_of(figures: Figures) -> str:
    """The figures as they are kept: those of an engine at a size are a line."""
    lines = (
        f" {json.dumps(size)}: {{\n"
        + ",\n".join(f"  {json.dumps(engine)}: {json.dumps(one, sort_keys=True)}" for engine, one in sorted(of.items()))
        + "\n }"
        for size, of in sorted(figures.items())
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def table(figures: Figures) -> str:
    """The figures as a table of Markdown; bytes a state are those of memory and, if there are any, of files."""
    lines = [
        "| states | bounds | engine | s on the clock | million states a CPU s | bytes a state | MiB | runs | load |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for millions, engines in sorted(figures.items(), key=lambda item: int(item[0])):
        bounds, states = SIZES[int(millions)]
        for engine, f in engines.items():
            rate, each = f"{states / f['cpu'] / 1e6:.2f}", f"{f['each']:.1f}" if f["each"] else ""
            if f.get("files"):
                each += f" and {f['files']:.1f}"
            lines.append(
                f"| {states:,} | {bounds} | {engine} | {f['wall']:.2f} | {rate} | {each} "
                f"| {f['peak'] / 2**20:,.0f} | {f['runs']} | {f['load']:.1f} |"
            )
    return "\n".join(lines)


def plot(figures: Figures, path: Path) -> None:
    """Seconds of the search, and processor time a state, over states: one line for each engine."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4))
    for engine in (engine for together in ENGINES.values() for engine in together):
        known = sorted((SIZES[int(millions)][1], one[engine]) for millions, one in figures.items() if engine in one)
        sizes = [states / 1e6 for states, _ in known]
        left.plot(sizes, [f["wall"] for _, f in known], marker="o", label=engine)
        right.plot(sizes, [1e9 * f["cpu"] / states for states, f in known], marker="o", label=engine)
    left.set(ylabel="seconds on the clock")
    right.set(ylabel="nanoseconds of processor time a state")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log", xlabel="million distinct states of KIP-320")
        axes.grid(alpha=0.3)
        axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=80, metadata={"Software": None})


def main() -> None:
    """Measure, and print and draw all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="", help=f"millions of states, of {', '.join(map(str, SIZES))}")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--with", choices=sorted(ENGINES), default="native", dest="engines", help="what is measured")
    parser.add_argument("--figures", type=Path, metavar="FILE", help="add to the figures in this file")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",") if size]
    if unknown := [size for size in sizes if size not in SIZES]:
        parser.error(f"no size {unknown[0]}; there are {', '.join(map(str, SIZES))}")
    kept: Path | None = arguments.figures
    figures: Figures = json.loads(kept.read_text(encoding="utf-8")) if kept is not None and kept.exists() else {}
    for millions, engines in measure(sizes, arguments.runs, ENGINES[arguments.engines]).items():
        figures.setdefault(millions, {}).update(engines)
    if kept is not None:
        kept.write_text(text_of(figures), encoding="utf-8")
    print(table(figures))
    if arguments.plot is not None:
        plot(figures, arguments.plot)


if __name__ == "__main__":
    main()
