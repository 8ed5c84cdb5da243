"""Checking up to 64 liveness properties at once on edges: who waits, who may wait for ever, and in which components.

What is known of the protocol stands in the code of the liveness properties and in the units of fairness, by the labels
of edges. So executors of a cluster check like this, too, each a part of the states that no run leaves and comes back
to.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..native.llvm.jit import MachineCode
from ..native.program.program import PROPERTIES_AT_ONCE
from ..native.runtime.memory import Words
from .edges import Context, Edges, place

ALL = (1 << 64) - 1

HELPED = 12
"""Of two workers the one that finds components asks one state in so many where premises and goals hold."""


@dataclass(frozen=True)
class FairUnit:
    """A unit of fairness: the labels of its steps, and whether it must be taken if it is possible again and again."""

    labels: frozenset[int]
    strong: bool


@dataclass(frozen=True)
class Verdict:
    """In how many states a liveness property waits, in how many of them a bound alone stops every fair step, and in how
    many a
    fair run may go on for ever without the goal."""

    waiting: int
    stopped: int
    doomed: int


class Passes:
    """The passes over the edges of a graph. `check` may raise when it is enough."""

    def __init__(self, graph: Edges, check: Callable[[], None]) -> None:
        self.graph, self.arrays, self.kernel, self.check = graph, graph.arrays, graph.kernel, check
        self._counts = Words(PROPERTIES_AT_ONCE)
        self.arrays["counts"] = self._counts.address
        self.cyclic, self.pending = 0, False
        self._program: MachineCode | None = None  # as long as it is called

    def find_components(
        self, meanwhile: Callable[[], None] | None = None, before: Callable[[Context], None] = lambda _: None
    ) -> None:
        """Number the components of several states of the whole graph; keep the numbers if there are any.

        With several workers something is done meanwhile, and something else before by the one that finds them.
        """
        arrays, states = self.arrays, self.graph.states
        self.check()
        arrays.take("component", 4 * states)
        frames = {"frames": 4 * states, "cursors": 8 * states}
        for name, size in frames.items():
            arrays.take(name, size, used=0)

        def find(context: Context) -> None:
            before(context)
            context["first"], context["end"], context["components"] = 0, states, 0
            for name in ("components", "condense"):
                self.kernel.call(name, context)

        with arrays.taken({"low": 4 * (states + 1), "stack": 4 * states}):
            for gap in self.graph.gaps:  # it is looked at already
                ctypes.c_uint32.from_address(arrays["low"] + 4 * gap).value = 1
            if meanwhile is None:
                find(arrays)
            else:
                arrays["components"] = self.kernel.beside(meanwhile, find)["components"]
        arrays.free(*frames)
        self.cyclic = arrays["components"]
        if not self.cyclic:
            arrays.free("component")

    def look(self, program: MachineCode, received: Callable[[], None] = lambda: None) -> bool:
        """Find out where the liveness properties of a program wait; false if one of them cannot be evaluated somewhere.

        `received` notes who waits because of states elsewhere, and is called when it is known where goals hold.
        """
        arrays, kernel = self.arrays, self.kernel
        self.check()
        self._program = program
        for name in ("premises", "goals", "failing", "stopped"):
            arrays[name] = program.address(name)
        arrays["failed"], arrays["once"] = 0, program.function("once", ctypes.c_uint64)()
        if self.pending and self.graph.pool.size == 2:
            self.pending = False
            self._look_by_two()
        else:
            kernel.over_states_at_once("marks")
            if self.pending and not arrays["failed"]:
                self.pending = False
                self.find_components(self._spread)
            else:
                received()
                self._spread()
        return not arrays["failed"]

    def _look_by_two(self) -> None:
        """One of two workers finds out where premises hold without their goals, and then who waits; the other helps it
        with a part of the first, and finds the components. So both take equally long."""
        kernel, arrays = self.kernel, self.arrays
        own, helped = kernel.cut_off(HELPED)
        done, failed = threading.Event(), list[int]()

        def mark_and_spread() -> None:
            for stretch in own:
                place(arrays, stretch)
                kernel.call("marks")
            done.wait()
            self._spread()

        def mark(context: Context) -> None:
            try:
                place(context, helped)
                kernel.call("marks", context)
                failed.append(context["failed"])
            finally:
                done.set()

        self.find_components(mark_and_spread, mark)
        arrays["failed"] |= failed[0]

    def _spread(self) -> None:
        """Whoever comes from where somebody waits waits too."""
        self.relaxed("spread")

    def relaxed(self, sweep: str) -> None:
        """Carry something along edges until nothing is new."""
        while True:
            self.check()
            self.arrays["found"] = 0
            self.kernel.sweep(sweep)
            if not self.arrays["found"]:
                return

    def verdicts(
        self, fair: Sequence[Sequence[FairUnit]], concerned: int = ALL, tell: Callable[[int], None] | None = None
    ) -> list[Verdict]:
        """Check liveness properties, of which each assumes these units to be fair, if its bit is among those
        `concerned`.

        `tell` is called with the number of each that is broken, while `doomed` says in which states.
        """
        arrays, kernel = self.arrays, self.kernel
        by = self._bits((bit, unit) for bit, units in enumerate(fair) for unit in units)
        self.graph.by.put(by)
        arrays["found"] = 0
        self._counts.clear()
        kernel.over_states_at_once("stay")
        staying, stopped = arrays["found"], self._counts[:]
        arrays["found"] = 0
        self._counts.clear()
        arrays["components"] = self.cyclic
        kernel.over_states_at_once("tally")
        waiting, turning = self._counts[:], arrays["found"]
        found = []
        for bit, units in enumerate(fair):
            doomed = 0
            if (staying | turning) & concerned & 1 << bit:
                self.graph.by.put(by)
                doomed = self._doom(bit, bool(staying >> bit & 1), bool(turning >> bit & 1), units, tell)
            found.append(Verdict(waiting[bit], stopped[bit], doomed))
        return found

    def _bits(self, units: Iterable[tuple[int, FairUnit]]) -> list[int]:
        """For each label the bits of the units that have it."""
        by = [0] * self.graph.labels
        for bit, unit in units:
            for label in unit.labels:
                by[label] |= 1 << bit
        return by

    def _doom(
        self, bit: int, staying: bool, turning: bool, units: Sequence[FairUnit], tell: Callable[[int], None] | None
    ) -> int:
        """How many states are doomed; what shows it is told."""
        arrays, kernel, states = self.arrays, self.kernel, self.graph.states
        self.check()
        with arrays.taken({"doomed": 4 * states}):
            arrays["bit"] = 1 << bit
            if staying:
                kernel.over_states("doom_staying")
            if turning:
                self._doom_turning(units)
            kernel.everywhere()
            doomed = kernel.call("count_doomed")
            if doomed and tell is not None:
                tell(bit)
            return doomed

    def _doom_turning(self, units: Sequence[FairUnit]) -> None:
        """Mark the states of fair components: of the whole graph's, those parts where the liveness property waits."""
        arrays, states = self.arrays, self.graph.states
        groups = [units[first : first + 64] for first in range(0, len(units), 64)]
        whole = arrays["component"]
        names = ("within", "left", "low", "stack", "frames")
        sizes = dict.fromkeys(names, 4 * (states + 1)) | {"cursors": 8 * states}
        with arrays.taken(sizes):
            ctypes.memmove(arrays["within"], whole, 4 * states)
            arrays.require(4 * states)
            own = arrays.region(4 * states)
            arrays["component"] = own.address
            try:
                arrays["wanted"] = 0
                while self._turn(groups):
                    self.check()
            finally:
                own.close()
                arrays["component"] = whole

    def _turn(self, groups: Sequence[Sequence[FairUnit]]) -> bool:
        """Look at the components inside `within` once; whether parts of some must be looked at again."""
        arrays, kernel = self.arrays, self.kernel
        arrays["components"] = 0
        ctypes.memset(arrays["component"], 0, 4 * self.graph.states)
        for name in ("low", "left"):
            arrays.clear(name)
        kernel.over_edges("components_within")
        kernel.over_edges("condense")
        count = arrays["components"]
        if not count:
            return False
        with arrays.taken(dict.fromkeys(("always", "taken", "ever", "verdicts"), 8 * (count + 1))):
            for group in groups or [[]]:
                self.graph.by.put(self._bits(enumerate(group)))
                arrays["weak"] = sum(1 << i for i, unit in enumerate(group) if not unit.strong)
                arrays["strong"] = sum(1 << i for i, unit in enumerate(group) if unit.strong)
                ctypes.memset(arrays["always"], 0xFF, 8 * (count + 1))
                arrays.clear("taken")
                arrays.clear("ever")
                kernel.over_states("weigh")
                kernel.over_edges("settle")
                kernel.over_states("leave")
            arrays["found"] = 0
            kernel.over_edges("mark")
        arrays["wanted"] += count
        return arrays["found"] > 0

    def forget_best(self) -> None:
        """Nothing is the best yet."""
        for name in ("best_cost", "best_kind", "best_hash"):
            self.arrays[name] = ALL
