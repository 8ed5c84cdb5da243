"""Short words for the kernels that judge promises: their context, the edges between states, bits of promises.

States have numbers: those of the first worker come first, each worker's in the order of its records. What must read a
state itself is called for a stretch of one worker's records; what needs only edges, for all states at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..llvm.operands import Bit, Pointer, Word
from .lookup import Lookup, Table
from .visited import Visited
from .vocabulary import SLOT_INDEX, KernelText

PROMISE_CONTEXT = (
    *("records", "base", "first", "end", "states"),
    *("table", "slots", "workers", "parts", "index_bits", "record_bases", "number_bases"),
    *("step", "buffer", "buffer_entries", "out_degree", "cursor", "stop_at"),
    *("eight_steps", "columns", "column_room"),
    *("offsets", "targets", "labels", "edges", "room", "missing"),
    *("premises", "goals", "failing", "once", "stopped", "by"),
    *("waiting", "without", "failed", "found", "counts"),
    *("bit", "component", "within", "low", "stack", "frames", "cursors"),
    *("always", "taken", "ever", "verdicts", "weak", "strong", "left", "doomed", "components"),
    *("ends", "cost", "levels", "wanted", "target", "best_cost", "best_kind", "best_hash", "best"),
    *("origin", "origin_label", "origin_hash"),
)
"""The slots of the context, one 64-bit word each.

`records` are those of the stretch, whose first state has the number `base`; `first` and `end` are the states to go
through, `states` how many there are. `offsets` has for each state where its edges begin: `targets` are 32 bits, and
`labels` the 16 bits of an instance. `by` has for each instance the bits that a step of it, or that a bound stops it,
stands for: promises that assume its fairness, or units of fairness. `bit` is that of one promise; `once` are the bits
of those whose premise is asked of initial states alone.
"""

OUTSIDE = (1 << 32) - 1
"""The target of an edge that leaves the constraint."""

FAR = (1 << 32) - 1
"""The cost of a state that is not to be come to."""

STAYS = 1 << 31
"""The bit of a doomed state where no fair step is possible; the others are the number of its component."""

UNFAIR, AGAIN = 1, 2
"""Verdicts on a component: no fair run stays in it; part of it must be left out, and the rest be looked at again."""


class PromiseText(KernelText):
    """A function that judges promises."""

    context = PROMISE_CONTEXT

    def narrow(self, array: str, index: Word) -> Word:
        """An element of an array of 32-bit numbers."""
        return self.load_widened(self.at(array, index, "i32"), "i32")

    def put_narrow(self, array: str, index: Word, value: Word | int) -> None:
        """Set an element of an array of 32-bit numbers."""
        self.store_narrowed(value, self.at(array, index, "i32"), "i32")

    def wide(self, array: str, index: Word) -> Word:
        """An element of an array of 64-bit numbers."""
        return self.load64(self.at(array, index))

    def put_wide(self, array: str, index: Word, value: Word | int) -> None:
        """Set an element of an array of 64-bit numbers."""
        self.store64(value, self.at(array, index))

    def state_of(self, number: Word) -> Pointer:
        """The address of a state of the stretch."""
        return self.record(self.sub(number, self.number("base")))

    @contextmanager
    def every_state(self) -> Iterator[Word]:
        """What follows runs for every state from `first` on and below `end`."""
        with self.each(self.number("first"), self.number("end")) as number:
            yield number

    @contextmanager
    def edges_of(self, state: Word) -> Iterator[tuple[Word, Word]]:
        """What follows runs for every edge of a state, with its number and its target."""
        begin = self.wide("offsets", state)
        with self.each(begin, self.wide("offsets", self.add(state, 1))) as edge:
            yield edge, self.narrow("targets", edge)

    def label_of(self, edge: Word) -> Word:
        """The instance of an edge."""
        return self.load_widened(self.at("labels", edge, "i16"), "i16")

    def has(self, array: str, state: Word) -> Bit:
        """Whether a word of bits has the one of the promise that is looked at."""
        return self.ne(self.and_(self.wide(array, state), self.number("bit")), 0)

    def set_bits(self, name: str, bits: Word) -> None:
        """Add bits to a number of the context."""
        self.set_number(name, self.or_(self.number(name), bits))

    def possible(self, number: Word) -> Word:
        """The bits, as `by` has them, of what is possible in a state of the stretch: steps, and what a bound stops."""
        return self.call64("possible", Pointer("%context"), number)


@dataclass(frozen=True)
class Numbered(Lookup[Word]):
    """What the search has visited; of a record its dense number is known."""

    k: PromiseText
    shared: bool

    def table(self, hash: Word) -> Table:
        return Visited(self.k, self.shared).table(hash)

    def load(self, place: Pointer) -> Word:
        return self.k.load64(place)

    def known(self, slot: Word) -> tuple[Pointer, Word]:
        k = self.k
        index = k.and_(k.sub(slot, 1), SLOT_INDEX)
        if not self.shared:
            return k.record(index), index
        bits = k.number("index_bits")
        worker = k.lshr(index, bits)
        local = k.sub(index, k.shl(worker, bits))
        return k.record_of(worker, local), k.add(k.wide("number_bases", worker), local)
