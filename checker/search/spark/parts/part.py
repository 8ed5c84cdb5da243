"""A part of the states as a task has it: with every step from them, and the states elsewhere that these lead to."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....host.measure import memory_limit, resident_memory
from ....host.numbers import sized
from ....liveness.edges import COMPONENT_BYTES, EDGE_BYTES, STATE_BYTES, Edges
from ....liveness.native_arrays import NotJudged, place
from ....native.kernel.vocabulary import INITIAL
from ....native.llvm.jit import MachineCode
from ....native.program.program import INSTANCE_BITS
from ....native.runtime.memory import Region
from ....native.runtime.redistribute import Segment, redistribute
from ....native.runtime.worker import Totals
from ....native.runtime.worker_pool import WorkerPool
from ..program import Loaded
from .plan import Plan
from .ranking import Words

FIRST = np.uint64(INITIAL << INSTANCE_BITS)
"""Stands where the record of an initial state has its predecessor; nobody asks here for those of others."""

EXPANDED_AT_ONCE = 1 << 16
TABLE_BYTES = 16
ENTRY = np.uint64
NOWHERE = (1 << 32) - 1
"""What `numbers` says of a state that is none of these."""


@dataclass(frozen=True)
class PartCode:
    """The machine code of a search, as workers need it."""

    words: int
    out_degree: int
    constants: Sequence[int]
    program: MachineCode
    symmetric: bool = False


class Part:
    """The states of a part by numbers, its own first, in the order of their levels; then those its steps lead to."""

    def __init__(self, code: Loaded, plan: Plan, rows: Words, rank: int) -> None:
        """`rows` are the words of each state, and its level. Raises NotJudged if there is too little memory."""
        program = code.program
        self.plan, self.rank, self.words, self.own = plan, rank, program.words, len(rows)
        rows = rows[np.argsort(rows[:, -1], kind="stable")]
        self.levels = rows[:, -1].astype(np.uint32)
        room = (8 * self.words + 8 + TABLE_BYTES) * self.own
        _require(room + (EDGE_BYTES + STATE_BYTES + COMPONENT_BYTES) * self.own)
        shipped = PartCode(program.words, program.out_degree, program.constants, code.model)
        self._search, self._kernel = plan.search.code, plan.promises.code
        nothing = (0,) * (program.instances + 1)
        self._pool = WorkerPool(shipped, self._search, 1, Totals(nothing, nothing))
        try:
            self._adopt(rows)
            self._expand()
            step = code.model.address("step")
            refuses = _refusal
            self.edges = Edges(self._pool, self._kernel, step, plan.labels, plan.constrained, refuses, self.own)
        except BaseException:
            self._pool.close()
            raise
        self.states = self.edges.states

    def _adopt(self, rows: Words) -> None:
        """Have these states as the records of the pool."""
        rows[:, -1] = FIRST
        region = Region(max(rows.nbytes, 8))
        try:
            ctypes.memmove(region.address, rows.ctypes.data, rows.nbytes)
            redistribute(self._search, [[Segment(region.address, 0, self.own)]], self._pool, tables=True)
        finally:
            region.close()

    def _expand(self) -> None:
        """Find the states elsewhere that steps lead to."""
        while not self._pool.level_done:
            if self._pool.full:
                _require(self._pool.growth_bytes)
                self._pool.grow()
            self._pool.expand(EXPANDED_AT_ONCE)

    @contextmanager
    def connected(self) -> Iterator[Edges]:
        """The edges, once they are made, with room for who waits."""
        arrays, edges = self.edges.arrays, self.edges
        edges.make_edges(lambda: None)
        offsets = self.array("offsets", np.uint64, self.states + 1)
        offsets[self.own + 1 :] = offsets[self.own]
        self._records()[: self.own, self.words][self.levels > 0] = 0  # a run begins with none of these
        arrays.take("levels", 4 * self.states)
        self.array("levels", np.uint32)[: self.own] = self.levels
        with arrays.taken({"waiting": 8 * self.states, "without": 8 * self.states}):
            self.array("without", np.uint64)[self.own :] = np.uint64(0xFFFFFFFFFFFFFFFF)
            yield edges

    def array(self, name: str, kind: Any, length: int | None = None) -> NDArray[Any]:
        """An array of the edges, which has an element for each state unless it is said otherwise."""
        return _view(self.edges.arrays[name], kind, self.states if length is None else length)

    def of(self, numbers: NDArray[Any]) -> Words:
        """The words of some states."""
        return np.ascontiguousarray(self._records()[numbers, : self.words])

    def _records(self) -> Words:
        size = self.words + 1
        records: Words = _view(self._pool.workers[0].store.address, np.uint64, self.states * size)
        return records.reshape(-1, size)

    def numbers(self, states: Words) -> NDArray[np.uint32]:
        """The number of each of some states, which must be among the part's own."""
        place(self.edges.arrays, self.edges.kernel.stretches[0])
        states = np.ascontiguousarray(states)
        found = np.empty(len(states), np.uint32)
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        call = self._kernel.function("numbers", None, pointer, pointer, word, pointer)
        call(self.edges.arrays.address, states.ctypes.data, len(states), found.ctypes.data)
        if len(found) and int(found.max()) >= self.own:
            raise RuntimeError("a step leads to a state that the search has not found; please report this")
        return found

    def elsewhere(self, numbers: NDArray[Any], rows: Words) -> Iterator[tuple[tuple[int, int], bytes]]:
        """Rows about states that are not the part's own, for each rank and part that these are in."""
        for rank, part, found in self.plan.ranking.sorted(self.of(numbers), rows):
            if rank <= self.rank:
                raise RuntimeError("a step leads to a lower rank; please report this specification")
            yield (rank, part), found.tobytes()

    def close(self) -> None:
        """Free all memory."""
        self.edges.close()
        self._pool.close()


@contextmanager
def opened(code: Loaded, plan: Plan, rows: Words, rank: int) -> Iterator[Part]:
    """A part, as long as it is needed."""
    part = Part(code, plan, rows, rank)
    try:
        yield part
    finally:
        part.close()


def rows_of(content: bytes, size: int) -> Words:
    """Rows of so many words each."""
    return np.frombuffer(content, np.uint64).reshape(-1, size)


def _view(address: int, kind: Any, length: int) -> NDArray[Any]:
    size = np.dtype(kind).itemsize * length
    if not size:
        return np.empty(0, kind)
    return np.frombuffer((ctypes.c_char * size).from_address(address), kind)


def _refusal(more: int) -> str:
    """Why a task may not use so many more bytes, "" if it may."""
    limit = memory_limit()
    if resident_memory() + more < limit:
        return ""
    return f"memory: an executor would take another {sized(more)} for a part of the states, and has {sized(limit)}"


def _require(more: int) -> None:
    if why := _refusal(more):
        raise NotJudged(why)
