"""The edges between the states of workers, made again once: what liveness properties are checked on."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..native.kernel import kernel as vocabulary
from ..native.kernel.kernel import LIVENESS_CONTEXT
from ..native.llvm.jit import MachineCode
from ..native.program.program import PROPERTIES_AT_ONCE
from ..native.runtime.memory import Context, Region, SuccessorBuffer, Words
from ..native.runtime.worker_pool import BUFFERED, Threads, WorkerPool
from .result import NotJudged

# -- native arrays ----------------------------------------------------------------------------------------------------
# The context of the kernels that check liveness properties, and arrays that are taken within a memory budget.

Refuses = Callable[[int], str]
"""Why so many more bytes may not be used, "" if they may."""


Stretch = tuple[int, int, int]
"""Where the records of a worker lie, and the numbers of the first and after the last."""


class Arrays(Context):
    """The context, and the arrays that it names. A new array is zero.

    With `folder` they are files there, mapped into memory, which the system writes back when it needs the room: then
    they do not count as memory. `most` is how many bytes of memory they took at most, `filed` how many in files.
    """

    def __init__(self, refuses: Refuses) -> None:
        super().__init__(LIVENESS_CONTEXT)
        self._refuses = refuses
        self._regions: dict[str, tuple[Region, int]] = {}
        self.folder: Path | None = None
        self.held = self.most = self.filed = 0

    def allows(self, more: int) -> bool:
        """Whether so many more bytes may be used."""
        return self.folder is not None or not self._refuses(more)

    def add(self, name: str, index: int, more: int) -> None:
        """Add to an element of an array of 64-bit numbers."""
        ctypes.c_uint64.from_address(self[name] + 8 * index).value += more

    def require(self, more: int) -> None:
        """Raise NotJudged if so many more bytes may not be used."""
        why = "" if self.folder is not None else self._refuses(more)
        if why:
            raise NotJudged(why, by_machine=True)

    def region(self, size: int) -> Region:
        """So many bytes, in memory or in a file. Raises NotJudged if there are no more."""
        try:
            return Region(max(size, 8), self.folder)
        except MemoryError as error:
            raise NotJudged(f"memory: {error}", by_machine=True) from error
        except OSError as error:
            raise NotJudged(f"{error.strerror or error}: {self.folder}", by_machine=True) from error

    def take(self, name: str, size: int, used: int | None = None) -> Region:
        """Have an array of so many bytes, of which `used` will be touched, if that is known to be less."""
        expected = size if used is None else used
        self.require(expected)
        region = self.region(size)
        self._regions[name] = region, expected
        self[name] = region.address
        self.held += expected
        if self.folder is None:
            self.most = max(self.most, self.held)
        else:
            self.filed = max(self.filed, self.held)
        return region

    def free(self, *names: str) -> None:
        """Give arrays back."""
        for name in names:
            if name in self._regions:
                region, expected = self._regions.pop(name)
                self.held -= expected
                region.close()
                self[name] = 0

    @contextmanager
    def taken(self, sizes: dict[str, int]) -> Iterator[None]:
        """Have some arrays for a while."""
        try:
            for name, size in sizes.items():
                self.take(name, size)
            yield
        finally:
            self.free(*sizes)

    def clear(self, name: str) -> None:
        """Make an array zero."""
        self._regions[name][0].clear()

    def close(self) -> None:
        """Free everything."""
        self.free(*list(self._regions))


class Kernel:
    """The functions of a module, called with the context for all states or for stretches of them.

    A stretch is where the records of a worker lie, and their first and last number. `levels` are the parts of a level
    of the search, in order; what spreads along steps is called for one after the other, because most steps lead to the
    next. Each of `threads` has a context of its own, a copy of the one that everybody else sees.
    """

    def __init__(
        self,
        code: MachineCode,
        arrays: Arrays,
        words: int,
        stretches: Sequence[Stretch],
        levels: Sequence[tuple[int, int]],
        threads: Threads,
    ) -> None:
        self._code, self._arrays, self._threads = code, arrays, threads
        self.words = words
        self.stretches, self._levels = stretches, levels

    def everywhere(self) -> None:
        """Set the context to all states, for what needs no state itself."""
        self._arrays["first"], self._arrays["end"] = 0, self._arrays["states"]

    def call(self, name: str, context: Context | None = None) -> int:
        """Call a function as a context is."""
        address = (context or self._arrays).address
        return int(self._code.function(name, ctypes.c_uint64, ctypes.c_void_p)(address))

    def over_states(self, name: str) -> None:
        """Call a function that reads states, for all of them, one stretch after the other."""
        for stretch in self.stretches:
            place(self._arrays, stretch)
            self.call(name)

    def over_states_at_once(self, name: str) -> None:
        """The same for all stretches at the same time, of a function that writes about its own states alone.

        What it finds, and what it counts of each liveness property, is put together afterwards.
        """
        arrays = self._arrays
        contexts = [arrays.copy() for _ in self.stretches]
        counted = [Words(PROPERTIES_AT_ONCE) for _ in self.stretches]
        for context, counts, stretch in zip(contexts, counted, self.stretches, strict=True):
            context["counts"], context["found"], context["failed"] = counts.address, 0, 0
            place(context, stretch)

        def job(number: int) -> None:
            self.call(name, contexts[number])

        self._threads.run(job)
        for context, counts in zip(contexts, counted, strict=True):
            arrays["found"] |= context["found"]
            arrays["failed"] |= context["failed"]
            for bit, count in enumerate(counts[:]):
                if count:
                    arrays.add("counts", bit, count)

    def beside(self, here: Callable[[], None], there: Callable[[Context], None]) -> Context:
        """Do something here, and meanwhile something else on another thread, with a context of its own; the context."""
        context = self._arrays.copy()

        def job(number: int) -> None:
            if number == 0:
                here()
            elif number == 1:
                there(context)

        self._threads.run(job)
        return context

    def cut_off(self, part: int) -> tuple[list[Stretch], Stretch]:
        """The stretches without one part in so many of all states, at the end of the last one; and that."""
        *others, (records, first, end) = self.stretches
        cut = max(first, end - self._arrays["states"] // part)
        size = 8 * self.words + 8
        return [*others, (records, first, cut)], (records + size * (cut - first), cut, end)

    def over_edges(self, name: str) -> None:
        """Call a function that reads edges only."""
        self.everywhere()
        self.call(name)

    def sweep(self, name: str) -> None:
        """Call a function that carries something along edges, level by level."""
        for first, end in self._levels:
            self._arrays["first"], self._arrays["end"] = first, end
            self.call(name)


def place(context: Context, stretch: Stretch) -> None:
    """Set a context to a stretch."""
    context["records"], context["first"], context["end"] = stretch
    context["base"] = stretch[1]


EDGES_AT_ONCE = 1 << 18
"""After so many states somebody looks at the budgets."""

EDGE_BYTES, STATE_BYTES, COMPONENT_BYTES, MARK_BYTES, CYCLE_BYTES = 6, 8, 12, 16, 4
"""What checking takes: for an edge, for a state, for it while components are found, while liveness properties are
checked, and besides if there are components."""


class Edges:
    """The states of all workers by numbers, and the steps between them.

    The numbers of a worker's states follow each other. After those of each but the last a number is left out, so that
    what is between their edges belongs to nobody: `states` counts these `gaps`, too.

    `kernel` is what `liveness_kernel_text` writes, `labels` how many instances edges are labelled with. `constrained`
    says that steps may lead outside. Of a single worker only the first `expanded` states have edges, if not all do.
    `step` is the address of the code that takes the steps of a state, and `eight_steps` of that which takes them of
    eight at once, if that is faster.
    """

    def __init__(
        self,
        pool: WorkerPool,
        kernel: MachineCode,
        step: int,
        labels: int,
        constrained: bool,
        refuses: Refuses,
        expanded: int | None = None,
        eight_steps: int = 0,
    ) -> None:
        self.pool, self._constrained = pool, constrained
        counts = [worker.store.count for worker in pool.workers]
        self.bases = [sum(counts[:i]) + i for i in range(len(counts))]
        self.gaps = [base - 1 for base in self.bases[1:]]
        self.states = sum(counts) + len(self.gaps)
        self.expanded = self.states if expanded is None else expanded
        if self.states >= vocabulary.STAYS:
            raise NotJudged(f"liveness is checked on fewer than {vocabulary.STAYS:,} states")
        self.arrays = Arrays(refuses)
        stretches = [
            (worker.store.address, base, base + count)
            for worker, base, count in zip(pool.workers, self.bases, counts, strict=True)
        ]
        if expanded is not None:
            stretches = [(pool.workers[0].store.address, 0, expanded)]
        self.kernel = Kernel(kernel, self.arrays, pool.workers[0].store.words, stretches, self._levels(), pool.threads)
        entries = pool.workers[0].group * pool.workers[0].context["out_degree"] + BUFFERED
        self._buffers = [SuccessorBuffer(worker.store.words, entries) for worker in pool.workers]
        self.labels = labels
        self.by = Words(labels)
        self._number_bases = Words(1 << (pool.size - 1).bit_length())
        for i, base in enumerate(self.bases):
            self._number_bases[i] = base
        arrays, context = self.arrays, pool.workers[0].context
        arrays["states"], arrays["by"] = self.states, self.by.address
        for name in ("table", "slots", "workers", "parts", "index_bits", "record_bases", "out_degree"):
            arrays[name] = context[name]
        arrays["number_bases"], arrays["step"] = self._number_bases.address, step
        arrays["eight_steps"], arrays["column_room"] = eight_steps, context["column_room"]
        arrays["buffer_entries"] = self._buffers[0].entries

    def _levels(self) -> list[tuple[int, int]]:
        """The first and last number of each level's states of each worker, in the order of levels."""
        if self.pool.size == 1:
            return [(0, self.expanded)]
        found, before = list[tuple[int, int]](), (0,) * self.pool.size
        for ends in self.pool.ends:
            parts = zip(self.bases, before, ends, strict=True)
            found += [(base + first, base + end) for base, first, end in parts if first < end]
            before = ends
        if sum(end - first for first, end in found) + len(self.gaps) != self.states:
            raise RuntimeError("the levels of the search are not its states; please report this")
        return found

    @property
    def needed(self) -> int:
        """An estimate, never too low, of the memory that checking takes if no liveness property is broken."""
        return self._edges_and(max(COMPONENT_BYTES, MARK_BYTES + CYCLE_BYTES))

    @property
    def needed_at_once(self) -> int:
        """The same if components are found while liveness properties are looked at."""
        return self._edges_and(COMPONENT_BYTES + MARK_BYTES)

    def _edges_and(self, more: int) -> int:
        return EDGE_BYTES * self.pool.transitions + (STATE_BYTES + more) * self.states

    def make_edges(self, check: Callable[[], None]) -> None:
        """Make every step again, each worker those of its states. `check` is called now and then, and may raise."""
        arrays, pool = self.arrays, self.pool
        room = pool.transitions + self._buffers[0].entries
        arrays.take("offsets", 8 * (self.states + 1))
        if arrays.folder is not None:
            self._make_edges_in_files(room, check)
            return
        arrays.take("targets", 4 * room * pool.size, used=4 * room)
        arrays.take("labels", 2 * room * pool.size, used=2 * room)
        contexts, ended = [arrays.copy() for _ in pool.workers], list[bool]()
        for i, (context, stretch) in enumerate(zip(contexts, self.kernel.stretches, strict=True)):
            context["buffer"], context["room"] = self._buffers[i].address, (i + 1) * room
            context["columns"] = pool.workers[i].context["columns"]
            self._begin(context, stretch, i * room)

        def job(number: int) -> None:
            try:
                self._edges(contexts[number], check if number == 0 else lambda: None, ended)
            except BaseException:
                ended.append(True)
                raise

        pool.threads.run(job)
        self._note(contexts)

    def _make_edges_in_files(self, room: int, check: Callable[[], None]) -> None:
        """The same one worker after the other: each would need room for all edges, and a file has all that it may."""
        self.arrays.take("targets", 4 * room)
        self.arrays.take("labels", 2 * room)
        context = self.arrays.copy()
        context["buffer"], context["room"] = self._buffers[0].address, room
        context["columns"] = self.pool.workers[0].context["columns"]
        for stretch in self.kernel.stretches:
            self._begin(context, stretch, context["edges"])
            self._edges(context, check, [])
        self._note([context])

    def _begin(self, context: Context, stretch: Stretch, edge: int) -> None:
        """Have the edges of a stretch begin at a place."""
        place(context, stretch)
        context["cursor"], context["edges"] = context["first"], edge
        ctypes.c_uint64.from_address(self.arrays["offsets"] + 8 * context["first"]).value = edge

    def _note(self, contexts: Sequence[Context]) -> None:
        self.arrays["missing"] = sum(context["missing"] for context in contexts)
        if self.arrays["missing"] and not self._constrained:
            raise RuntimeError("a step leads to a state that the search has not found; please report this")

    def _edges(self, context: Context, check: Callable[[], None], ended: list[bool]) -> None:
        while context["cursor"] < context["end"] and not ended:
            check()
            context["stop_at"] = min(context["cursor"] + EDGES_AT_ONCE, context["end"])
            before = context["cursor"]
            self.kernel.call("edges", context)
            if context["cursor"] == before:
                raise RuntimeError("there are more steps than the search has taken; please report this")

    def every_instance(self) -> None:
        """Let `by` have a bit for every instance."""
        self.by.put([1] * self.labels)

    def forget_best(self) -> None:
        """Nothing is the best yet."""
        for name in ("best_cost", "best_kind", "best_hash"):
            self.arrays[name] = ALL

    def narrow(self, array: str, index: int) -> int:
        """An element of an array of 32-bit numbers."""
        return ctypes.c_uint32.from_address(self.arrays[array] + 4 * index).value

    def close(self) -> None:
        """Free all memory."""
        self.arrays.close()


# -- passes -----------------------------------------------------------------------------------------------------------
# Checking up to 64 liveness properties at once on edges: who waits, who may wait for ever, and in which components.
# What is known of the protocol stands in the code of the liveness properties and in the units of fairness, by the
# labels of edges. So executors of a cluster check like this, too, each a part of the states that no run leaves and
# comes back to.

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
