"""Budgets of a search: wall time, number of states, memory. A spent budget stops the search, and the result says so.

States in files (`--spill`) do not count as memory: the system writes them back when it needs the room.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from ..host.measure import Stopwatch, memory_limit, private_memory, resident_memory
from .patience import Patience
from .result import Options, Progress
from .stop import StopReason

PROGRESS_EVERY = 0.2


class Budget:
    """Watches a search from the outside: reports its progress and says when a budget is spent."""

    def __init__(self, options: Options, watch: Stopwatch, patience: Patience) -> None:
        self.options = options
        self.watch = watch
        self.patience = patience
        self.memory = memory_limit() if options.max_memory is None else options.max_memory
        self.in_use = private_memory if options.spill is not None else resident_memory
        self._next_report = 0.0

    def snapshot(self, states: int, transitions: int, depth: int, queue: int) -> Progress:
        """The progress now."""
        return Progress(states, transitions, depth, queue, self.watch.wall_seconds(), self.in_use())

    def spent(self, now: Progress, beside: Callable[[], str] | None = None) -> StopReason | None:
        """Report the progress if it is time to; why the search must stop, None if it may go on.

        `beside` says what else there is to tell, and is called only then.
        """
        if self.options.progress is not None and now.seconds >= self._next_report:
            self._next_report = now.seconds + PROGRESS_EVERY
            self.options.progress(now if beside is None else replace(now, beside=beside()))
        if self.options.budget is not None and time.monotonic() - self.patience.begun >= self.options.budget:
            return StopReason(f"the time budget of {self.options.budget:g} s is spent", "time")
        if self.options.max_states is not None and now.states >= self.options.max_states:
            return StopReason(f"the budget of {self.options.max_states:,} states is spent", "states")
        return self.refuses(now.memory_bytes)

    def refuses(self, memory_bytes: int) -> StopReason | None:
        """Why the search may not use this much memory, None if it may."""
        if memory_bytes < self.memory:
            return None
        size = f"{self.memory >> 20:,} MiB"
        if self.options.max_memory is None:
            return StopReason(f"stopped at 90 % of this machine's memory ({size})", "memory")
        return StopReason(f"the memory budget of {size} is spent", "memory")
