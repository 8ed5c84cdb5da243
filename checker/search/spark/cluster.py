"""Where and how to search on Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .manifest import Manifest
from .master import on_this_machine
from .program import Program
from .session import open_session
from .supersteps import OnSpark, Supersteps
from .tasks import Hook

THRESHOLD = 10_000
AHEAD, AHEAD_OF_CLUSTER = 12_000_000, 2_000_000
"""What a driver searches in the five seconds that Spark takes to start on one machine: if it waited, a search of ten
million states would take twice as long, and a larger one no less. Each partition reads all that the driver has found to
take out its own states, so it finds less where there may be many partitions, and a network between."""


def ahead_at(master: str) -> int:
    """How many states the driver may find by itself while Spark starts at a master."""
    return AHEAD if on_this_machine(master) else AHEAD_OF_CLUSTER


@dataclass(frozen=True)
class Cluster:
    """Where and how to search.

    `storage` is a folder or URI that the driver and all executors can write to. Levels of fewer than `threshold` states
    are searched by the driver itself until the first larger one. Then Spark is started, and meanwhile the driver goes
    on until it has `ahead` states, or has taken a quarter of the memory that it may use. `shards` is the number of
    partitions (0: two for each core that Spark has). `cache` is a folder on each worker for owner tables ("": its
    temporary folder). `hook` and `start` let tests fail a search where it hurts, and run its tasks without Spark.
    """

    master: str
    storage: str
    conf: dict[str, str] = field(default_factory=dict)
    resume: bool = False
    threshold: int = THRESHOLD
    shards: int = 0
    cache: str = ""
    hook: Hook | None = None
    start: Callable[[Cluster, Program, str], Supersteps] | None = None
    ahead: int = 0

    def supersteps(self, program: Program, manifest: Manifest) -> Supersteps:
        """What runs the tasks of a run: Spark, or what tests put in its place."""
        group = f"epochal-{manifest.run}"
        if self.start is not None:
            return self.start(self, program, group)
        return OnSpark(open_session(self.master, self.conf, _title(manifest)), program, group)


def _title(manifest: Manifest) -> str:
    """What Spark's own pages call a run: `epochal kip-320 3/3/3/2`."""
    bounds = "/".join(map(str, manifest.question["bounds"].values()))
    return f"epochal {manifest.question['protocol']} {bounds}"
