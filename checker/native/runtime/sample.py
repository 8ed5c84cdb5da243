"""Which of the states of a search are repeated by the cross-check: spread over depths and over actions.

A state is drawn by its hash: the one in the visited table that follows a seeded number, whichever worker found it and
wherever it lies. With its ancestors, by the predecessors that were kept, it is a run; such runs have a state of every
depth, and for each of their steps a state in which that step is enabled. So the same search has the same sample for any
number of workers. Few states, and those of a search with hash compaction, which has no such table, are drawn by their
place instead; with several workers such a search may have another sample each time.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator
from itertools import islice, pairwise

from ...ir.layout import state_hash
from ..kernel.kernel import LOCAL_BITS, SLOT_INDEX
from ..llvm.instructions import LANES
from .worker_pool import WorkerPool

RUNS = 8
"""How many runs are drawn at a time."""

FEW = 1 << 8
"""How many states the last level may have for one of them to be looked for."""

SCANNED = 1 << 12
"""How many slots of a table are read at a time."""

SEARCHED = 400
"""In how many states a step of an action is looked for that no run takes."""


class Sample:
    """The states of a search in the order in which they are to be repeated.

    `actions` has the name of each instance's action by its place in the model, `taken` the actions that some step
    takes, and `enabled` says which of these are enabled in a state. `covered` says in how many repeated states an
    action was enabled.
    """

    def __init__(
        self,
        pool: WorkerPool,
        actions: tuple[str, ...],
        taken: tuple[str, ...],
        enabled: Callable[[int], set[str]],
        covered: Callable[[str], int],
        compacted: bool,
        seed: int,
    ) -> None:
        self._pool, self._actions, self._enabled, self._covered = pool, actions, enabled, covered
        self._count = pool.count
        self._by_place = compacted or self._count <= pool.tuning.drawn_by_place
        self._random = random.Random(seed)
        self._levels: dict[int, list[int]] = {}
        self._before: dict[str, list[int]] = {name: [] for name in taken}
        self._known: dict[int, None] = {}

    def __iter__(self) -> Iterator[int]:
        """The names of the states: in turn one that an action is enabled in and one of the next depth."""
        told: set[int] = set()
        while len(told) < self._count:
            if not self._draw():
                yield from (name for name in self.every() if name not in told)
                return
            depths = spread(sorted(self._levels))
            while (name := self._of_action()) is not None or any(self._levels.values()):
                if name is not None and name not in told:
                    told.add(name)
                    yield name
                depth = next((d for d in depths if self._levels[d]), None)
                if depth is None:
                    continue
                depths.append(depths.pop(depths.index(depth)))
                name = self._levels[depth].pop(0)
                if name not in told:
                    told.add(name)
                    yield name

    def every(self) -> Iterator[int]:
        """Every state, worker by worker."""
        for number, worker in enumerate(self._pool.workers):
            for index in range(worker.store.count):
                yield number << LOCAL_BITS | index

    def _of_action(self) -> int | None:
        """A state before a step of the action that was enabled in the fewest states so far, if there is one left."""
        left = [name for name, states in self._before.items() if states]
        return self._before[min(left, key=self._covered)].pop(0) if left else None

    # -- drawing --------------------------------------------------------------------------------------------------

    def _draw(self) -> bool:
        """Draw some runs; whether they had any state that was not drawn before."""
        before = len(self._known)
        if not before:
            for deepest in self._deepest():
                self._add_run(deepest)
        for _ in range(RUNS):
            self._add_run(self._by_index() if self._by_place else self._following(self._random.getrandbits(64)))
        for name in [name for name, states in self._before.items() if not states and not self._covered(name)]:
            found = next((one for one in islice(self._known, SEARCHED) if name in self._enabled(one)), None)
            self._before[name] += [] if found is None else [found]
        return len(self._known) > before

    def _add_run(self, name: int) -> None:
        """Sort a state and its ancestors by their depths and by the actions that lead from them."""
        run = [name]
        while (before := self._pool.predecessor(run[-1]))[0] is not None:
            action = self._actions[before[1]]
            if before[0] not in self._known or run[-1] not in self._known:
                self._before.setdefault(action, []).append(before[0])
            run.append(before[0])
        for depth, one in enumerate(reversed(run)):
            if one not in self._known:
                self._known[one] = None
                self._levels.setdefault(depth, []).append(one)

    def _deepest(self) -> list[int]:
        """A state of the last level, unless that has so many states that some will be drawn anyway."""
        ends = [(0,) * self._pool.size, *self._pool.ends]
        for before, end in reversed(list(pairwise(ends))):
            if any(end[i] > before[i] for i in range(self._pool.size)):
                if sum(end) - sum(before) > FEW:
                    return []
                names = [i << LOCAL_BITS | at for i in range(self._pool.size) for at in range(before[i], end[i])]
                return [min(names, key=lambda name: state_hash(self._pool.state(name)))]
        return []

    def _by_index(self) -> int:
        """A state by its place among all of them."""
        index = self._random.randrange(self._count)
        for number, worker in enumerate(self._pool.workers):
            if index < worker.store.count:
                return number << LOCAL_BITS | index
            index -= worker.store.count
        raise AssertionError("there are fewer states than are counted")

    def _following(self, hash: int) -> int:
        """The state whose hash is the first from this one on, by the upper halves."""
        top = hash >> 32
        found = (_following(*worker.store.table[:2], top) for worker in self._pool.workers)
        slot = min((one for one in found if one is not None), key=lambda one: (one >> 32 < top, one))
        index, bits = (slot & SLOT_INDEX) - 1, self._pool.workers[0].context["index_bits"]
        return (index >> bits) << LOCAL_BITS | index & (1 << bits) - 1


def _following(address: int, slots: int, top: int) -> int | None:
    """The least slot of a table whose upper half is at least `top`; the least of all if there is none; None if empty. A
    slot lies in its bucket or beyond, with no free one between."""
    for first in (top, 0):
        least: int | None = None
        at = LANES * (first * (slots // LANES) >> 32)
        while at < slots:
            length = min(SCANNED, slots - at)
            for slot in (ctypes.c_uint64 * length).from_address(address + 8 * at):
                if slot and slot >> 32 >= first and (least is None or slot >> 32 < least >> 32):
                    least = slot
                if not slot and least is not None:
                    return least
            at += length
        if least is not None:
            return least
    return None


def spread(depths: list[int]) -> list[int]:
    """Depths in an order whose beginnings are spread over all of them: the middle, the quarters, the eighths."""
    found: list[int] = []
    pieces = [(0, len(depths))]
    for low, high in pieces:
        if low < high:
            middle = (low + high) // 2
            found.append(depths[middle])
            pieces += [(low, middle), (middle + 1, high)]
    return found
