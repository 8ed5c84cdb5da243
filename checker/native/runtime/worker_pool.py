"""The workers of a search: each with its own records, tables and counters, and what they share."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..engine import NativeModel, constants
from ..kernel.shared import STOP, STRIDE, TAKEN
from ..kernel.visited import PART_WORDS
from ..kernel.vocabulary import FAILURE, FINDING_WORDS, LOCAL_BITS, NO_INSTANCE
from ..llvm.jit import MachineCode
from .context import Context, SuccessorBuffer, Words
from .state_store import StateStore
from .threads import Team

BATCH = 96
SPARE = 1 << 14
"""How many states several workers must at least have room for: when one has to stop for room, all do."""

MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Totals:
    """Counters over all workers: steps and new states of each instance, digests, ends and steps outside.

    A worker's new states can be below zero, modulo 2**64: it may find a lesser way to a state that another has counted.
    """

    steps: tuple[int, ...]
    new_states: tuple[int, ...]
    state_digest: tuple[int, int] = (0, 0)
    step_digest: tuple[int, int] = (0, 0)
    dead_ends: int = 0
    left_constraint: int = 0

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            tuple(a + b for a, b in zip(self.steps, other.steps, strict=True)),
            tuple((a + b) & MASK for a, b in zip(self.new_states, other.new_states, strict=True)),
            _plus(self.state_digest, other.state_digest),
            _plus(self.step_digest, other.step_digest),
            self.dead_ends + other.dead_ends,
            self.left_constraint + other.left_constraint,
        )


def _plus(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return (a[0] + b[0]) & MASK, (a[1] + b[1]) & MASK


@dataclass(frozen=True)
class Found:
    """A finding of the kernel: which property or failure, the key that decided, the state's name, the instance."""

    slot: int
    key: tuple[int, int, int, int]
    name: int
    instance: int | None


class Worker:
    """One worker: its context and everything that it points to."""

    def __init__(
        self, native: NativeModel, kernel: MachineCode, number: int, of: int, spill: Path | None, compact: bool
    ) -> None:
        words, counters = native.model.layout.words, len(native.model.instances) + 1
        context = self.context = Context()
        self.buffer = SuccessorBuffer(words, native.out_degree + BATCH)
        self.store = StateStore(kernel, context, words, self.buffer.entries, of, spill, compact)
        self.steps, self.new_states = Words(counters), Words(counters)
        self.entered, self.limits = Words(of), Words(of)
        self._constants = constants(native.model)
        self._findings = Words(FINDING_WORDS * (FAILURE + 1))
        context["buffer"], context["buffer_entries"] = self.buffer.address, self.buffer.entries
        context["out_degree"] = native.out_degree
        context["steps"], context["new_states"] = self.steps.address, self.new_states.address
        context["constants"] = ctypes.addressof(self._constants)
        context["findings"] = self._findings.address
        context["worker"], context["workers"] = number, of
        context["entered"], context["limits"] = self.entered.address, self.limits.address
        context["index_bits"] = 32 - (of - 1).bit_length()

    def findings(self) -> list[Found]:
        """What was found since this was last asked."""
        made = []
        for slot in range(FAILURE + 1):
            present, *key, name, instance = self._findings[slot * FINDING_WORDS : (slot + 1) * FINDING_WORDS]
            if present:
                k0, k1, k2, k3 = key
                made.append(Found(slot, (k0, k1, k2, k3), name, None if instance == NO_INSTANCE else instance))
        self._findings.clear()
        return made

    def totals(self) -> Totals:
        """The counters of this worker."""
        context = self.context
        return Totals(
            self.steps[:],
            self.new_states[:],
            (context["digest_low"], context["digest_high"]),
            (context["steps_low"], context["steps_high"]),
            context["dead_ends"],
            context["left_constraint"],
        )


class Crew:
    """Workers that search together.

    `ends` has for every level that is complete the number of records that each worker had at its end. `before` are the
    counters of what was explored before this crew took over. With `spill`, records are kept in files in that folder.
    """

    def __init__(
        self,
        native: NativeModel,
        kernel: MachineCode,
        size: int,
        before: Totals,
        spill: Path | None = None,
        compact: bool = False,
    ) -> None:
        self.size = size
        self.before = before
        self.ends: list[tuple[int, ...]] = []
        self.workers = [Worker(native, kernel, i, size, spill, compact) for i in range(size)]
        self._native, self._compact = native, compact
        self._homes = (ctypes.c_uint64 * (1 << (size - 1).bit_length()))()
        self._parts, self._level_ends = Words(PART_WORDS * size), Words(len(self._homes))
        self._cursors, self._signals = Words(STRIDE * size), Words(STOP + 1)
        self._held = [0] * size
        for worker in self.workers:
            context = worker.context
            context["homes"], context["parts"] = ctypes.addressof(self._homes), self._parts.address
            context["level_ends"], context["cursors"] = self._level_ends.address, self._cursors.address
            context["signals"] = self._signals.address
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._explore = kernel.function("explore" if size == 1 else "explore_together", None, pointer)
        self.settle = kernel.function("settle", None, pointer, pointer, word)
        self.team = Team(size, self._abandon)
        self.use(native.program)
        self.publish()

    def _abandon(self) -> None:
        self._signals[STOP] = 1

    def use(self, program: MachineCode) -> None:
        """Expand and judge with this code from now on."""
        names = ("step", "judge", "within", *(("canonical",) if self._native.form is not None else ()))
        for worker in self.workers:
            for name in names:
                worker.context[name] = program.address(name)

    def open(self, properties: int) -> None:
        """Judge the properties with these bits."""
        for worker in self.workers:
            worker.context["open"] = properties

    def publish(self) -> None:
        """Tell every worker where the records of all of them are, and the parts of the table."""
        for i, worker in enumerate(self.workers):
            self._homes[i] = worker.store.address
            for j, value in enumerate(worker.store.table):
                self._parts[PART_WORDS * i + j] = value

    # -- searching ------------------------------------------------------------------------------------------------

    def end_level(self) -> None:
        """What has been found is a level, and is explored next."""
        self.ends.append(tuple(worker.store.count for worker in self.workers))
        if self._compact:
            for i, entries in enumerate(self._entries):
                self._held[i] += entries
                self.workers[i].store.hold(self._held[i])
            self.publish()
        for i, worker in enumerate(self.workers):
            first = worker.context["level_end"]
            worker.context["cursor"] = self._cursors[STRIDE * i] = first
            worker.context["level_end"] = self._level_ends[i] = worker.store.count
            worker.store.end_level(first)
            if self._compact:
                worker.entered.clear()
        self.publish()

    @property
    def queue(self) -> int:
        """How many states are not explored yet."""
        return sum(worker.store.count for worker in self.workers) - self._explored

    @property
    def level_done(self) -> bool:
        """Whether every state of the level is explored."""
        return self._explored == sum(worker.context["level_end"] for worker in self.workers)

    @property
    def _explored(self) -> int:
        """How many states have been explored."""
        if self.size == 1:
            return self.workers[0].context["cursor"]
        taken = sum(min(self._cursors[STRIDE * i], self._level_ends[i]) for i in range(self.size))
        return taken - sum(worker.context["chunk_end"] - worker.context["chunk"] for worker in self.workers)

    @property
    def spare(self) -> int:
        """How many states a worker must have room for to begin with."""
        return self.workers[0].buffer.entries + (SPARE // self.size if self.size > 1 else 0)

    @property
    def crowded(self) -> bool:
        """Whether some worker needs more room before it can explore."""
        if self.size == 1:
            return self.workers[0].store.needs(self.spare)
        return self._least_room < self._shared_spare or any(
            worker.store.count + self.spare > worker.store.capacity for worker in self.workers
        )

    @property
    def _shared_spare(self) -> int:
        """How many states a part of the table must have room for: a batch of each worker may belong to one part."""
        return self.size * self.workers[0].buffer.entries + SPARE // self.size

    @property
    def _least_room(self) -> int:
        """How many more states the fullest part of the table has room for."""
        return min(worker.store.table_room - n for worker, n in zip(self.workers, self._entries, strict=True))

    @property
    def _entries(self) -> list[int]:
        """How many states are in each part of the table."""
        if self.size == 1:
            return [self.workers[0].store.count - self.workers[0].store.older]
        return [sum(entered) for entered in zip(*(worker.entered[:] for worker in self.workers), strict=True)]

    def make_room(self, number: int, records: int, tables: bool) -> int:
        """Make room for so many records of a worker and, with `tables`, for their states in any part of the table.

        The result is how many more states every part has room for. Raises MemoryError or OSError if there is no more.
        """
        for i, entries in enumerate(self._entries):
            self.workers[i].store.grow(records if i == number else 0, entries + records if tables else 0)
        self.publish()
        return self._least_room

    def explore(self, stretch: int) -> None:
        """Explore about so many states for each worker, fewer at the end of the level or if room runs out.

        No worker may be crowded.
        """
        if self.size == 1:
            self.workers[0].context["stop_at"] = self.workers[0].context["cursor"] + stretch
        else:
            self._signals[TAKEN] = self._signals[STOP] = 0
            shares = [
                (worker.store.table_room - n) // self.size
                for worker, n in zip(self.workers, self._entries, strict=True)
            ]
            for worker in self.workers:
                worker.context["stretch"], worker.context["capacity"] = self.size * stretch, worker.store.capacity
                worker.limits.put([n + share for n, share in zip(worker.entered[:], shares, strict=True)])
        self.team.run(lambda i: self._explore(self.workers[i].context.address))

    @property
    def growth_bytes(self) -> int:
        """The memory that the next growth of the tables takes."""
        return sum(w.store.growth_bytes(n) for w, n in zip(self.workers, self._needed, strict=True))

    @property
    def _needed(self) -> list[int]:
        """How many states each part of the table is to have room for: all grow together, the nearly full ones, too."""
        return [n + (n // 16 + self._shared_spare if self.size > 1 else self.spare) for n in self._entries]

    def _wanted(self, worker: Worker) -> int:
        """How many more records a worker is to have room for."""
        more = worker.store.count // 16 if self.size > 1 else 0
        return min(self.spare + more, max(self.spare, worker.store.limit - worker.store.count))

    def grow(self) -> None:
        """Make room for more states. Raises MemoryError or OSError if there can be no more."""
        failures: list[BaseException] = []
        needed = self._needed

        def grow(i: int) -> None:
            try:
                self.workers[i].store.grow(self._wanted(self.workers[i]), needed[i])
            except (MemoryError, OSError) as error:
                failures.append(error)

        self.team.run(grow)
        self.publish()
        if failures:
            raise failures[0]

    # -- what is known --------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many states there are."""
        return sum(worker.store.count for worker in self.workers)

    @property
    def generated(self) -> int:
        """How many steps have been taken."""
        return sum(self.before.steps) + sum(sum(worker.steps[:]) for worker in self.workers)

    def totals(self) -> Totals:
        """The counters of all workers and of what was before."""
        return sum((worker.totals() for worker in self.workers), self.before)

    def findings(self) -> list[Found]:
        """The least finding of each kind since this was last asked."""
        least: dict[int, Found] = {}
        for worker in self.workers:
            for found in worker.findings():
                if found.slot not in least or found.key < least[found.slot].key:
                    least[found.slot] = found
        return [least[slot] for slot in sorted(least)]

    def state(self, name: int) -> Sequence[int]:
        """The words of the state with a name."""
        return self.workers[name >> LOCAL_BITS].store.state(name & (1 << LOCAL_BITS) - 1)

    def way(self, name: int) -> tuple[int | None, int]:
        """The name of the state that a state was reached from, None for an initial one; and the instance."""
        return self.workers[name >> LOCAL_BITS].store.way(name & (1 << LOCAL_BITS) - 1)

    def close(self) -> None:
        """End the threads and free all memory."""
        self.team.close()
        for worker in self.workers:
            worker.store.close()
