"""What the kernels that judge promises work on: their context, and arrays that are taken within a memory budget."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..native.kernel.promise_vocabulary import PROMISE_CONTEXT
from ..native.llvm.jit import MachineCode
from ..native.program.promise_program import PROMISES_AT_ONCE
from ..native.runtime.context import Words
from ..native.runtime.memory import Region
from ..native.runtime.threads import Threads

Refuses = Callable[[int], str]
"""Why so many more bytes may not be used, "" if they may."""


Stretch = tuple[int, int, int]
"""Where the records of a worker lie, and the numbers of the first and after the last."""


class NotJudged(Exception):
    """Why promises cannot be judged: what ran out, and what would help; `by_machine` if that is memory or a disk."""

    def __init__(self, why: str, by_machine: bool = False) -> None:
        super().__init__(why)
        self.by_machine = by_machine


class Context:
    """The context of the kernels that judge promises: its slots by name."""

    def __init__(self) -> None:
        self._words = Words(len(PROMISE_CONTEXT))

    def __getitem__(self, name: str) -> int:
        return self._words[PROMISE_CONTEXT.index(name)]

    def __setitem__(self, name: str, value: int) -> None:
        self._words[PROMISE_CONTEXT.index(name)] = value

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

        What it finds, and what it counts of each promise, is put together afterwards.
        """
        arrays = self._arrays
        contexts = [arrays.copy() for _ in self.stretches]
        counted = [Words(PROMISES_AT_ONCE) for _ in self.stretches]
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
