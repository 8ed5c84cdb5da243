"""How soon simulation finds the known bugs; prints a table and the load.

    python -m tests.benchmarks.simulation_speed [BUG...] [--seeds 5]

A row is a bug whose shortest run has at most 15 states (all of them, or those that are named by id or by protocol):
processor seconds of loading, compiling and simulating with the defaults of `epochal simulate`, until its property is
violated; the states seen until then; and the length of the run, as found and as told. Figures are medians over the
seeds, and the worst.
Nothing here fails but a bug that is not found: it measures.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from dataclasses import dataclass

from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.spec.bugs.known_bug import KnownBug
from tests.checker.search.test_simulate import BUGS, faulty, simulated


@dataclass(frozen=True)
class Found:
    """One simulation: what it took, and the run."""

    seconds: float
    states: int
    taken: int
    told: int


def found(bug: KnownBug, seed: int) -> Found:
    """Simulate a protocol until it shows its bug."""
    began = time.process_time()
    result = simulated(bug, seed)
    seconds = time.process_time() - began
    trace = result.properties[0].trace
    if trace is None:
        raise SystemExit(f"{bug.id} {bug.without_rule} was not found with seed {seed}")
    taken = trace.facts.get("shortened_from", trace.length)
    return Found(seconds, result.distinct_states, int(taken), trace.length)


def shortest(bug: KnownBug) -> int:
    """The states of a shortest run."""
    length = check(faulty(bug), Options(properties=(bug.property_id,), cross_check="off")).properties[0].length
    assert length is not None
    return length


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bugs", nargs="*", metavar="BUG")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    chosen = [bug for bug in BUGS if not options.bugs or {bug.id, bug.without_rule} & set(options.bugs)]
    print(f"load before: {', '.join(f'{x:.2f}' for x in os.getloadavg())} on {os.cpu_count()} processors\n")
    print("| bug | protocol | CPU s, median | worst | states seen, median | run as found | as told | shortest |")
    print("|---|---|---|---|---|---|---|---|")
    for bug in chosen:
        runs = [found(bug, seed) for seed in range(options.seeds)]
        seconds, states, taken, told = (
            [getattr(run, name) for run in runs] for name in ("seconds", "states", "taken", "told")
        )
        middle = statistics.median
        figures = f"{middle(seconds):.2f} | {max(seconds):.2f} | {middle(states):,.0f} | {middle(taken):.0f}"
        lengths = f"{middle(told):.0f} | {shortest(bug)}"
        print(f"| {bug.id} | `{bug.without_rule}` | {figures} | {lengths} |", flush=True)
    print(f"\nload after: {', '.join(f'{x:.2f}' for x in os.getloadavg())}")


if __name__ == "__main__":
    main()
