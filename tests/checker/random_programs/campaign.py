"""Many programs by several processes: none that hangs or crashes stops the others, and all of them are counted."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from tests.checker.random_programs.finding import smallest, written
from tests.checker.random_programs.program import program
from tests.checker.random_programs.running import CPU_LIMIT, Outcome, run

CHUNK = 100
"""Programs for one process, which then ends and gives its memory back."""
SILENCE = 10 * CPU_LIMIT
"""Seconds after which a process that says nothing is ended."""
KEPT = 3
"""So many programs of one cause are made small and written down."""


@dataclass
class Summary:
    """What came of all programs so far."""

    verdicts: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[int]] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)
    states: int = 0
    steps: int = 0
    seconds: float = 0.0

    def add(self, seed: int, outcome: Outcome) -> None:
        """Count one program."""
        self.verdicts[outcome.verdict] += 1
        if outcome.verdict == "refused":
            self.refusals[outcome.cause] += 1
        elif outcome.verdict == "failed":
            self.failures.setdefault(outcome.cause, []).append(seed)
        self.notes.update(outcome.notes)
        self.states += outcome.states
        self.steps += outcome.steps
        self.seconds += outcome.seconds

    @property
    def programs(self) -> int:
        """How many programs there were."""
        return self.verdicts.total()

    def line(self) -> str:
        """The figures in a line."""
        count = max(self.programs, 1)
        return (
            f"{self.programs:,} programs: {self.verdicts['comparable']:,} comparable, "
            f"{self.verdicts['refused']:,} refused ({100 * self.verdicts['refused'] / count:.0f} %), "
            f"{self.verdicts['failed']:,} failed ({len(self.failures)} causes); {self.states:,} states, "
            f"{self.steps:,} steps; {self.seconds:,.0f} CPU seconds ({count / max(self.seconds, 0.01):.1f} a second)"
        )

    def as_json(self) -> dict[str, Any]:
        """Everything, for a file."""
        return {
            "programs": self.programs,
            "verdicts": dict(self.verdicts),
            "states": self.states,
            "steps": self.steps,
            "cpu_seconds": round(self.seconds, 1),
            "notes": dict(self.notes),
            "failures": {cause: len(seeds) for cause, seeds in sorted(self.failures.items())},
            "seeds": {cause: seeds[:20] for cause, seeds in sorted(self.failures.items())},
            "refusals": dict(self.refusals.most_common()),
        }


@dataclass
class _Job:
    """A process at work: what it has still to do, and when it was last heard of."""

    process: multiprocessing.process.BaseProcess
    ear: Connection
    left: list[int]
    heard: float
    cause: str = ""


def _work(seeds: Sequence[int], mouth: Connection) -> None:
    for seed in seeds:
        made = program(seed)
        mouth.send((seed, run(made.text, str(seed), symmetric=made.symmetric)))
    mouth.close()


def _shrink(seeds: Sequence[int], mouth: Connection, cause: str, tries: int, folder: Path) -> None:
    (seed,) = seeds
    text, outcome = smallest(seed, cause, tries)
    mouth.send((seed, str(written(folder, seed, cause, text, outcome))))
    mouth.close()


class Campaign:
    """The programs of some seeds, `jobs` at a time."""

    def __init__(self, seeds: Sequence[int], jobs: int, folder: Path, shrink: int, tell: Callable[[str], None]) -> None:
        self.jobs, self.folder, self.shrink, self.tell = jobs, folder, shrink, tell
        self.summary = Summary()
        self.chunks = deque(list(seeds[i : i + CHUNK]) for i in range(0, len(seeds), CHUNK))
        self.to_shrink: deque[tuple[int, str]] = deque()
        self.running: list[_Job] = []
        self.fork = multiprocessing.get_context("fork")

    def run(self) -> Summary:
        """Run all of them."""
        told = 0.0
        while self.chunks or self.to_shrink or self.running:
            while len(self.running) < self.jobs and (self.chunks or self.to_shrink):
                self._start()
            self._listen()
            if time.monotonic() - told > 20:
                told = time.monotonic()
                self.tell(self.summary.line())
        return self.summary

    def _start(self) -> None:
        ear, mouth = self.fork.Pipe(duplex=False)
        urgent = self.to_shrink and not self.to_shrink[0][1].startswith("refused")
        if self.to_shrink and (urgent or not self.chunks):
            seed, cause = self.to_shrink.popleft()
            seeds = [seed]
            arguments: tuple[Any, ...] = (seeds, mouth, cause, self.shrink, self.folder)
            process = self.fork.Process(target=_shrink, args=arguments)
        else:
            seeds, cause = self.chunks.popleft(), ""
            process = self.fork.Process(target=_work, args=(seeds, mouth))
        process.start()
        mouth.close()
        self.running.append(_Job(process, ear, list(seeds), time.monotonic(), cause))

    def _listen(self) -> None:
        ready = wait([job.ear for job in self.running], timeout=5)
        for job in list(self.running):
            if job.ear in ready:
                job.heard = time.monotonic()
                try:
                    seed, told = job.ear.recv()
                except EOFError:
                    self._ended(job, "the process dies")
                    continue
                job.left.remove(seed)
                if job.cause:
                    self.tell(f"found: {told}")
                else:
                    self._told(seed, told)
            elif time.monotonic() - job.heard > SILENCE + self.shrink * bool(job.cause):
                job.process.kill()
                self._ended(job, "the process hangs")

    def _told(self, seed: int, outcome: Outcome) -> None:
        self.summary.add(seed, outcome)
        if outcome.verdict == "failed":
            count = len(self.summary.failures[outcome.cause])
            kept = 1 if outcome.cause.startswith("refused") else KEPT
            if count <= kept and self.shrink > 0:
                add = self.to_shrink.append if kept == 1 else self.to_shrink.appendleft
                add((seed, outcome.cause))
            if count == 1:
                self.tell(f"seed {seed}: {outcome.cause}\n{outcome.detail[-1500:]}")

    def _ended(self, job: _Job, cause: str) -> None:
        job.process.join()
        self.running.remove(job)
        if job.left and not job.cause:
            self._told(job.left[0], Outcome("failed", cause))
            if job.left[1:]:
                self.chunks.appendleft(job.left[1:])
