"""The edges between the states of workers, made again once: what liveness properties are checked on."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..native.kernel import kernel as vocabulary
from ..native.kernel.kernel import LIVENESS_CONTEXT
from ..native.llvm.jit import MachineCode
from ..native.program.program import PROPERTIES_AT_ONCE
from ..native.runtime.memory import Region, SuccessorBuffer, Words
from ..native.runtime.worker_pool import BUFFERED, Threads, WorkerPool
from .result import NotJudged

# -- native arrays ----------------------------------------------------------------------------------------------------
# The context of the kernels that check liveness properties, and arrays that are taken within a memory budget.

Refuses = Callable[[int], str]
"""Why so many more bytes may not be used, "" if they may."""


Stretch = tuple[int, int, int]
"""Where the records of a worker lie, and the numbers of the first and after the last."""


class Context:
    """The context of the kernels that check liveness properties: its slots by name."""

    def __init__(self) -> None:
        self._words = Words(len(LIVENESS_CONTEXT))

    def __getitem__(self, name: str) -> int:
        return self._words[LIVENESS_CONTEXT.index(name)]

    def __setitem__(self, name: str, value: int) -> None:
        self._words[LIVENESS_CONTEXT.index(name)] = value

    @property
    def address(self) -> int:
        """Where the context lies."""
        return self._words.address

    def copy(self) -> Context:
        """Another one with the same values."""
        made = Context()
        made._words.put(self._words[:])
        return made


class Arrays(Context):
    """The context, and the arrays that it names. A new array is zero.

    With `folder` they are files there, mapped into memory, which the system writes back when it needs the room: then
    they do not count as memory. `most` is how many bytes of memory they took at most, `filed` how many in files.
    """

    def __init__(self, refuses: Refuses) -> None:
        super().__init__()
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

    `kernel` is what `promise_kernel` makes, `labels` how many instances edges are labelled with. `constrained` says
    that steps may lead outside. Of a single worker only the first `expanded` states have edges, if not all do.
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

    def narrow(self, array: str, index: int) -> int:
        """An element of an array of 32-bit numbers."""
        return ctypes.c_uint32.from_address(self.arrays[array] + 4 * index).value

    def close(self) -> None:
        """Free all memory."""
        self.arrays.close()
