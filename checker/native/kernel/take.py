"""Taking the steps of some states of the frontier, into the buffer: one state at a time, or eight of them at once.

The successors stand in the same order either way, and a batch has the same states: so the states of the next level have
the same order too, whenever code for eight is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce

from ..llvm.lanes import LANES
from ..llvm.operands import Bit, Pointer, Word, word
from ..program.eight_steps import LOOK_CLOSER
from ..program.program import INSTANCE_BITS
from .vocabulary import INSTANCE, KernelText

CONTEXT, STATE, NAME = Pointer("%context"), Pointer("%state"), Word("%name")

ORIGIN_WORDS = 3
"""What is known of a state whose successors are in the buffer: where they end, its name, its hash."""

COLUMNS_FROM = 3 * LANES
"""Where the columns that `eight_steps` writes begin, after three numbers for each lane: how many successors its state
has, the place of the next of them, and the hash of the state."""


class Made:
    """The successors that are in the buffer while a kernel function runs."""

    def __init__(self, k: KernelText) -> None:
        self._k = k

    def begin(self) -> None:
        """Start an empty batch."""
        self._k.set_number("made", 0)
        self._k.set_number("origin_count", 0)

    @property
    def count(self) -> Word:
        """How many there are."""
        return self._k.number("made")

    def no_room(self, count: Word) -> Bit:
        """Whether where there are so many there may be no room for the successors of one more group of states."""
        k = self._k
        most = k.mul(k.number("out_degree"), k.number("group"))
        return k.ugt(count, k.sub(k.number("buffer_entries"), most))

    def add(self, state: Pointer, name: Word, left: Word) -> Word:
        """Take the steps of a group of records from this one on, which has this name; how many, at most those left."""
        k = self._k
        count = k.umin(k.number("group"), left)
        k.call("take", CONTEXT, state, name, count)
        return count

    def add_each(self, state: Pointer, name: Word, count: Word) -> None:
        """Take the steps of so many records, of each alone."""
        k = self._k
        with k.each(0, count) as i:
            k.call("take_one", CONTEXT, k.element(state, k.mul(i, k.words + 1)), k.add(name, i))


@dataclass(frozen=True)
class Columns:
    """The successors of eight records as `eight_steps` has written them, column by column, instance by instance.

    There are `found` of them; if that is LOOK_CLOSER, each record must be looked at alone.
    """

    k: KernelText
    found: Word

    @classmethod
    def taken(cls, k: KernelText, state: Pointer, pending: Word) -> Columns:
        """Take the steps of eight records; the properties with the pending bits are looked at."""
        lanes = k.pointer("columns")
        columns, room = k.element(lanes, COLUMNS_FROM), k.number("column_room")
        return cls(k, k.call64(k.pointer("eight_steps"), state, columns, room, lanes, pending))

    def place(self, first: Word) -> Word:
        """Give each lane the places for its successors, from the first on; where they end."""
        k, lanes, end = self.k, self.k.pointer("columns"), first
        for lane in range(LANES):
            k.put(lanes, LANES + lane, end)
            end = k.add(end, k.field(lanes, lane))
        return end

    def hash_origins(self, state: Pointer) -> None:
        """Have the hash of each record."""
        k, lanes = self.k, self.k.pointer("columns")
        for lane in range(LANES):
            k.put(lanes, 2 * LANES + lane, k.state_hash(k.element(state, lane * (k.words + 1))))

    @property
    def terminal(self) -> Word:
        """How many of the records have no successor."""
        k, lanes = self.k, self.k.pointer("columns")
        return reduce(k.add, (k.as_word(k.eq(k.field(lanes, lane), 0)) for lane in range(LANES)))

    def origin(self, lane: Word) -> Word:
        """The hash of the record of a lane."""
        return self.k.load64(self.k.element(self.k.pointer("columns"), self.k.add(lane, 2 * LANES)))

    @contextmanager
    def each(self) -> Iterator[tuple[list[Word], Word, Word, Word]]:
        """What follows runs for each successor: its words, its tag with the lane above the instance, the lane, and its
        place."""
        k, lanes, room = self.k, self.k.pointer("columns"), self.k.number("column_room")
        columns = k.element(lanes, COLUMNS_FROM)
        starts = [k.element(columns, k.mul(room, w)) for w in range(k.words + 1)]
        with k.each(0, self.found) as i:
            tag = k.load64(k.element(starts[k.words], i))
            lane = k.lshr(tag, INSTANCE_BITS)
            at = k.element(lanes, k.add(lane, LANES))
            place = k.load64(at)
            k.store64(k.add(place, 1), at)
            yield [k.load64(k.element(starts[w], i)) for w in range(k.words)], tag, lane, place


def taking_texts(words: int) -> list[str]:
    """The functions that take steps."""
    return [_take(words), _take_one(words), _take_eight(words), _trial(words)]


def _take(words: int) -> str:
    """`take(context, state, name, count)`: add the successors of so many records, of which the first has this name."""
    k = KernelText("void @take(ptr noalias %context, ptr %state, i64 %name, i64 %count)", words)
    with (
        k.where(k.both(k.eq(Word("%count"), LANES), k.ne(k.number("eight_steps"), 0))),
        k.where(k.ne(k.call64("take_eight", CONTEXT, STATE, NAME), 0)),
    ):
        k.return_here()
    Made(k).add_each(STATE, NAME, Word("%count"))
    k.ret()
    return k.text()


def _take_one(words: int) -> str:
    """`take_one(context, state, name)`: add the successors of one record."""
    k = KernelText("void @take_one(ptr noalias %context, ptr %state, i64 %name)", words)
    made, origins = k.number("made"), k.number("origin_count")
    found = k.call64(k.pointer("step"), STATE, k.entry(k.pointer("buffer"), made), k.number("pending"))
    end = k.add(made, found)
    k.set_number("origin_count", _add_origin(k, origins, found, end, NAME, k.state_hash(STATE)))
    k.set_number("made", end)
    k.bump("terminal_states", k.as_word(k.eq(found, 0)))
    k.ret()
    return k.text()


def _add_origin(k: KernelText, origins: Word, found: Word, end: Word, name: Word, hash: Word) -> Word:
    """Note whose successors come before an end; how many states with successors there are then."""
    at = k.at("origins", k.mul(origins, ORIGIN_WORDS))
    for i, operand in enumerate([end, name, hash]):
        k.put(at, i, operand)
    return k.add(origins, k.as_word(k.ne(found, 0)))


def _take_eight(words: int) -> str:
    """`take_eight(context, state, name)`: add the successors of eight records; 0 if each must be looked at alone."""
    k = KernelText("i64 @take_eight(ptr noalias %context, ptr %state, i64 %name)", words)
    columns, lanes = Columns.taken(k, STATE, k.number("pending")), k.pointer("columns")
    with k.where(k.eq(columns.found, LOOK_CLOSER)):
        k.return_here(0)
    end, origins = k.number("made"), k.number("origin_count")
    k.set_number("made", columns.place(end))
    columns.hash_origins(STATE)
    k.bump("terminal_states", columns.terminal)
    for lane in range(LANES):
        count = k.field(lanes, lane)
        end = k.add(end, count)
        origins = _add_origin(k, origins, count, end, k.add(NAME, lane), columns.origin(word(lane)))
    k.set_number("origin_count", origins)
    with columns.each() as (state, tag, _, place):
        entry = k.entry(k.pointer("buffer"), place)
        for w, operand in enumerate(state):
            k.put(entry, w, operand)
        k.put(entry, words, k.and_(tag, INSTANCE))
    k.ret(1)
    return k.text()


def _trial(words: int) -> str:
    """`trial_steps(context, eight, first, end)`: take steps for nothing, to see how long it takes.

    With an address of code for eight it is used, and with zero each state is taken alone; the number of records must be
    divisible by eight.
    """
    k = KernelText("void @trial_steps(ptr noalias %context, i64 %eight, i64 %first, i64 %end)", words)
    used, terminal, made = k.number("eight_steps"), k.number("terminal_states"), Made(k)
    k.set_number("eight_steps", Word("%eight"))
    index = k.variable(Word, Word("%first"))
    with k.loop() as (_, done):
        i = index.get()
        k.jump_if(k.uge(i, Word("%end")), done)
        made.begin()
        index.set(k.add(i, made.add(k.record(i), i, k.sub(Word("%end"), i))))
    k.set_number("eight_steps", used)
    k.set_number("terminal_states", terminal)
    k.ret()
    return k.text()
