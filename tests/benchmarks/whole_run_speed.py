"""How long it takes to find one run of the specification that explains a long history of one partition.

    python -m tests.benchmarks.whole_run_speed [EVENTS] [SEED]

The history is a random run of the specification itself, told as a controller and three brokers would tell it; everybody
has caught up whenever something goes wrong. Prints processor seconds, moments, and the load.
"""

from __future__ import annotations

import os
import sys
import time

from epochal.kafka.validation.run.judged_runs import run_of
from epochal.spec.kraft.configuration import ConfigurableKraft
from tests.conformance.grown import Grown


def main(events: int = 10_000, seed: int = 1) -> None:
    """Grow a history, and look for its run."""
    evidence = Grown(seed, calm=1.0).grow(events)
    started = time.process_time()
    run = run_of(ConfigurableKraft, evidence)
    seconds = time.process_time() - started
    print(f"{run.evidence.events:,} events at {len(evidence.offsets):,} offsets, seed {seed}")
    print(f"explained {run.explained:,} by {len(run.steps):,} steps among {run.moments:,} moments")
    print(f"{seconds:.1f} CPU s, {1000 * seconds / run.evidence.events:.1f} ms an event; load {os.getloadavg()[0]:.1f}")
    if run.given_up:
        print(f"not decided: {run.given_up}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
