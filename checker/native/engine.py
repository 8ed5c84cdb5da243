"""A model as machine code: steps, judgements and the search kernel, ready to call."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence

from checker.compile.model import Model
from checker.search.digest import instance_constant

from .kernel import kernel_text
from .kernel_text import CONTEXT
from .machine import Compiler, MachineCode
from .program import entry_words, program_text

WORD = ctypes.c_uint64
PROGRAM_LEVEL = 2
KERNEL_LEVEL = 2


class NativeModel:
    """The compiled code of a model.

    If optimised code of the same model is in the cache, it is used at once. Else the code starts unoptimised, which
    takes hundredths of a second, and `optimise` has better code compiled in the background.
    """

    def __init__(self, model: Model, compiler: Compiler | None = None) -> None:
        self.model = model
        self.compiler = compiler or Compiler()
        self.text = program_text(model)
        kept = self.compiler.kept(self.text, PROGRAM_LEVEL, False)
        self.optimised = kept is not None
        self.program = self.compiler.load(kept or self.compiler.compile(self.text, 0, False))
        self._faster: bytes | None = None
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None

    @property
    def out_degree(self) -> int:
        """The greatest number of entries that one state can add to the successor buffer."""
        return sum(1 + len(compiled.failures) for compiled in self.model.instances)

    def optimise(self, wait: bool = False) -> None:
        """Begin to compile better code in the background, once; with `wait`, until it is there."""
        if not self.optimised and self._thread is None:
            self._thread = threading.Thread(target=self._compile_better, name="optimise")
            self._thread.start()
        if wait and self._thread is not None:
            self._thread.join()

    def _compile_better(self) -> None:
        try:
            self._faster = self.compiler.compile_and_keep(self.text, PROGRAM_LEVEL, False)
        except BaseException as error:  # handed over to the searching thread
            self._failure = error

    def latest(self) -> MachineCode:
        """The best code there is so far."""
        if self._failure is not None:
            raise self._failure
        if self._faster is not None:
            self.program, self.optimised, self._faster = self.compiler.load(self._faster), True, None
        return self.program


def load_kernel(compiler: Compiler, words: int, constrained: bool) -> MachineCode:
    """The search kernel for states of this many words."""
    return compiler.load(compiler.compile_and_keep(kernel_text(words, constrained), KERNEL_LEVEL, True))


class Context:
    """The kernel's context: named 64-bit numbers in memory shared with it."""

    def __init__(self) -> None:
        self._words = (WORD * len(CONTEXT))()

    @property
    def address(self) -> int:
        """Where the context lies."""
        return ctypes.addressof(self._words)

    def __getitem__(self, name: str) -> int:
        return self._words[CONTEXT.index(name)]

    def __setitem__(self, name: str, value: int) -> None:
        self._words[CONTEXT.index(name)] = value


class SuccessorBuffer:
    """Room for the successors of a few states, as `program` and `kernel` lay it out."""

    def __init__(self, native: NativeModel, batch: int) -> None:
        self.words = native.model.layout.words
        self.entry_words = entry_words(native.model)
        self.entries = native.out_degree + batch
        self.array = (WORD * (self.entries * self.entry_words))()
        self.order = (WORD * self.entries)()

    @property
    def address(self) -> int:
        """Where the buffer lies."""
        return ctypes.addressof(self.array)

    def state(self, entry: int) -> tuple[int, ...]:
        """The words of the state of an entry."""
        at = entry * self.entry_words
        return tuple(self.array[at : at + self.words])

    def tag(self, entry: int) -> int:
        """The tag of an entry."""
        return self.array[entry * self.entry_words + self.words]

    def put(self, entry: int, state: Sequence[int], rest: Sequence[int]) -> None:
        """Write an entry: the words of its state, then tag, parent and hash."""
        at = entry * self.entry_words
        self.array[at : at + self.entry_words] = [*state, *rest]


def constants(model: Model) -> ctypes.Array[ctypes.c_uint64]:
    """The constants of the instances for the digest of steps, with a spare one."""
    values = [instance_constant(compiled.instance) for compiled in model.instances]
    return (WORD * (len(values) + 1))(*values, 0)
