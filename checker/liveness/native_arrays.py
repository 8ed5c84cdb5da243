"""What the kernels that judge promises work on: their context, and arrays that are taken within a memory budget."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ..native.kernel.promise_vocabulary import PROMISE_CONTEXT
from ..native.llvm.jit import MachineCode
from ..native.runtime.context import Words
from ..native.runtime.memory import Region

Refuses = Callable[[int], str]
"""Why so many more bytes may not be used, "" if they may."""


class NotJudged(Exception):
    """Why promises cannot be judged: what ran out, and what would help."""


class Arrays:
    """The context, and the arrays that it names. A new array is zero."""

    def __init__(self, refuses: Refuses) -> None:
        self._context = Words(len(PROMISE_CONTEXT))
        self._refuses = refuses
        self._regions: dict[str, Region] = {}
        self.held = 0
        self.most = 0

    def __getitem__(self, name: str) -> int:
        return self._context[PROMISE_CONTEXT.index(name)]

    def __setitem__(self, name: str, value: int) -> None:
        self._context[PROMISE_CONTEXT.index(name)] = value

    @property
    def address(self) -> int:
        """Where the context lies."""
        return self._context.address

    def require(self, more: int) -> None:
        """Raise NotJudged if so many more bytes may not be used."""
        why = self._refuses(more)
        if why:
            raise NotJudged(why)

    def take(self, name: str, size: int, used: int | None = None) -> Region:
        """Have an array of so many bytes, of which `used` will be touched, if that is known to be less."""
        expected = size if used is None else used
        self.require(expected)
        try:
            region = Region(max(size, 8))
        except MemoryError as error:
            raise NotJudged(f"memory: {error}") from error
        self._regions[name] = region
        self[name] = region.address
        self.held += expected
        self.most = max(self.most, self.held)
        return region

    def free(self, *names: str) -> None:
        """Give arrays back."""
        for name in names:
            region = self._regions.pop(name, None)
            if region is not None:
                self.held -= min(region.size, self.held)
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
        self._regions[name].clear()

    def close(self) -> None:
        """Free everything."""
        self.free(*list(self._regions))


class Kernel:
    """The functions of a module, called with the context for all states or for stretches of them."""

    def __init__(self, code: MachineCode, arrays: Arrays, stretches: Sequence[tuple[int, int, int]]) -> None:
        self._code, self._arrays = code, arrays
        self._stretches = stretches

    def each_stretch(self) -> Iterator[None]:
        """Set the context to one stretch after the other: where its records lie, and its first and last number."""
        arrays = self._arrays
        for records, first, end in self._stretches:
            arrays["records"], arrays["base"], arrays["first"], arrays["end"] = records, first, first, end
            yield

    def everywhere(self) -> None:
        """Set the context to all states, for what needs no state itself."""
        self._arrays["first"], self._arrays["end"] = 0, self._arrays["states"]

    def call(self, name: str) -> int:
        """Call a function as the context is."""
        return int(self._code.function(name, ctypes.c_uint64, ctypes.c_void_p)(self._arrays.address))

    def over_states(self, name: str) -> int:
        """Call a function that reads states, for all of them; the sum of its results, where it has any."""
        return sum(self.call(name) for _ in self.each_stretch())

    def over_edges(self, name: str) -> None:
        """Call a function that reads edges only."""
        self.everywhere()
        self.call(name)
