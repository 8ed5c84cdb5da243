"""Short words for writing kernel functions: the context shared with them, arrays, hashes, findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum

from ...ir.digest import SECRETS
from ..llvm.instructions import AnyWord, Instructions, Pointer, Word
from ..program.program import EXTRA_WORDS, INSTANCE_BITS

CONTEXT = (
    "records",
    "table",
    "slots",
    "count",
    "capacity",
    "cursor",
    "level_end",
    "stop_at",
    "pending",
    "buffer",
    "buffer_entries",
    "out_degree",
    "group",
    "made",
    "origins",
    "origin_count",
    "columns",
    "column_room",
    "lists",
    "terminal_states",
    "left_constraint",
    "digest_low",
    "digest_high",
    "steps_low",
    "steps_high",
    "steps",
    "constants",
    "findings",
    "step",
    "judge",
    "eight",
    "eight_steps",
    "within",
    "canonical_eight",
    "worker",
    "workers",
    "record_bases",
    "filter",
    "filter_slots",
    "parts",
    "occupancy",
    "index_bits",
    "places",
    "level_ends",
    "cursors",
    "signals",
    "quantum",
    "limits",
    "batch",
    "batch_end",
    "batch_of",
)
"""The slots of a worker's context, one 64-bit word each: what the kernel reads and keeps.

`pending` are the bits of the properties still looked for, `terminal_states` the states without a step, `steps` the
transitions of each instance, `record_bases` the addresses of every worker's records, `places` what slots need to know
of them. `buffer` has room for four times `buffer_entries` entries: those that `step` writes, and three batches on their
way into the table; `origins` says which states they come from, `columns` is where the steps of eight states are taken,
a group of states at a time, and `lists` is for those among them that need more work. `capacity` is how many states
there is room for; `occupancy` how many this worker has put into each part of the table, and `limits` how many it may.
`batch`, `batch_end` and `batch_of` are what is left of the states that it has taken, and whose records they are;
`quantum` is after how many states all workers stop. `eight` is zero if properties are evaluated on one state at a time,
`eight_steps` if steps are taken so.
"""

INSTANCE = (1 << INSTANCE_BITS) - 1
"""The bits of a tag, and of the last word of a record, that hold an instance."""

LINE = 8
"""Words of a cache line: what different workers write lies at least this far apart."""

PARENT_BITS = 48
LOCAL_BITS = 40
"""A state is named by its worker and its index in that worker's records; the index takes this many bits."""

INITIAL = (1 << PARENT_BITS) - 1
"""The parent of an initial state."""

SLOT_INDEX = (1 << 32) - 1
"""The lower half of a table's slot: the index of a record plus one; with several workers, their number is above it."""

FAILURE = 46
"""The finding that a rule could not be evaluated; those before it are about properties, by their bits."""

FINDING_WORDS = 7
"""A finding: 1 if there is one, the four words of its key (the least is kept), the name of a state, an instance.

With an instance, the finding is about the step of that instance from the state, or about the state it leads to; with
`NO_INSTANCE`, about the state. The key of what a state shows: 0, its hash and, if it is outside the constraint and so
has no name, the instance plus one and the hash of the state before. Of what a step shows: 0, the instance, the hash of
the state before, 0. Of a failure the same, with its kind in the first place."""

NO_INSTANCE = (1 << 64) - 1
FAILED_STEP, FAILED_ON_STEP, FAILED_ON_STATE = 0, 1, 2
"""Kinds of failures: an action, a property of steps or the constraint, a property of states."""


class KernelText(Instructions):
    """A kernel function: short words for what it does all the time."""

    context: tuple[str, ...] = CONTEXT
    """The slots of the context that the function is called with."""

    def __init__(self, signature: str, words: int) -> None:
        super().__init__(signature)
        self.words = words

    # -- the context ----------------------------------------------------------------------------------------------

    def _slot(self, name: str) -> Pointer:
        return self.element(Pointer("%context"), self.context.index(name))

    def number(self, name: str) -> Word:
        """A number in the context."""
        return self.load64(self._slot(name))

    def pointer(self, name: str) -> Pointer:
        """An address in the context."""
        return self.load(Pointer, self._slot(name))

    def set_number(self, name: str, operand: AnyWord) -> None:
        """Set a slot of the context."""
        self.store64(operand, self._slot(name))

    def bump(self, name: str, by: AnyWord) -> None:
        """Add to a number in the context."""
        self.set_number(name, self.add(self.number(name), by))

    def bump_at(self, array: str, index: AnyWord, by: AnyWord = 1) -> None:
        """Add to an element of an array of counters."""
        at = self.at(array, index)
        self.store64(self.add(self.load64(at), by), at)

    def at(self, array: str, index: AnyWord, type: str = "i64") -> Pointer:
        """The address of an element of an array in the context."""
        return self.element(self.pointer(array), index, type)

    def signal(self, at: int) -> Pointer:
        """The address of a word of the signals that the workers share."""
        return self.at("signals", at)

    # -- states and hashes ----------------------------------------------------------------------------------------

    def field(self, base: Pointer, index: int) -> Word:
        """A word at a constant distance from an address."""
        return self.load64(self.element(base, index))

    def put(self, base: Pointer, index: int, operand: AnyWord) -> None:
        """Store a word at a constant distance from an address."""
        self.store64(operand, self.element(base, index))

    def state_at(self, address: Pointer) -> list[Word]:
        """The words of the state at an address."""
        return [self.field(address, w) for w in range(self.words)]

    def hash(self, words: Sequence[Word], lane: int) -> Word:
        """The hash of a state, as `checker.ir.digest.state_hash` defines it."""
        first, second, third, last = SECRETS[lane * 4 : lane * 4 + 4]
        total: AnyWord = second
        for i in range(0, len(words), 2):
            mixed = self.xor(words[i + 1] if i + 1 < len(words) else 0, total)
            total = self.folded_product(self.xor(words[i], first), mixed)
        return self.folded_product(self.xor(total, third), last)

    def state_hash(self, address: Pointer, lane: int = 0) -> Word:
        """The hash of the state at an address."""
        return self.hash(self.state_at(address), lane)

    def step_lanes(self, origin: Word, instance: Word, hash: Word) -> tuple[Word, Word]:
        """The two lanes of a step's hash, as `checker.ir.digest.step_hash` defines them."""
        constant = self.load64(self.at("constants", instance))
        low = self.folded_product(self.xor(origin, constant), self.xor(hash, SECRETS[2]))
        return low, self.folded_product(self.add(origin, constant), self.xor(hash, SECRETS[5]))

    def add_step(self, origin: Word, instance: Word, hash: Word) -> None:
        """Add a step to the digest of steps."""
        low, high = self.step_lanes(origin, instance, hash)
        self.bump("steps_low", low)
        self.bump("steps_high", high)

    def add_state(self, state: Sequence[Word], instance: Word, hash: Word) -> None:
        """Count a state that an instance was the first to reach, and add it to the digest of states."""
        self.bump_at("discovered", instance)
        self.bump("digest_low", hash)
        self.bump("digest_high", self.hash(state, 1))

    def evaluate(self, state: Pointer) -> Word:
        """The bits of the pending properties that a state shows, or that cannot be evaluated on it."""
        return self.call64(self.pointer("judge"), state, self.number("pending"))

    def fingerprint(self, hash: Word) -> Word:
        """The fingerprint of a state: its hash, but never zero, which marks a free slot."""
        return self.select(self.eq(hash, 0), 1, hash)

    def entry(self, base: Pointer, index: AnyWord) -> Pointer:
        """The address of an entry of the buffer that `step` writes to: the words of a state, its tag, room for two."""
        return self.element(base, self.mul(index, self.words + EXTRA_WORDS))

    # -- records --------------------------------------------------------------------------------------------------

    def record(self, index: Word) -> Pointer:
        """The address of one of this worker's records: the words of a state, then its parent and instance."""
        offset = self.mul(index, self.words + 1)
        return self.at("records", offset)

    def named(self, name: Word) -> Pointer:
        """The address of the record with a name, whichever worker's it is."""
        worker = self.lshr(name, LOCAL_BITS)
        return self.record_of(worker, self.and_(name, (1 << LOCAL_BITS) - 1))

    def record_of(self, worker: Word, index: Word) -> Pointer:
        """The address of a record of some worker."""
        at = self.at("record_bases", worker, "ptr")
        offset = self.mul(index, self.words + 1)
        return self.element(self.load(Pointer, at), offset)

    def own_name(self, index: Word) -> Word:
        """The name of one of this worker's records."""
        return self.name_of(self.number("worker"), index)

    def name_of(self, worker: Word, index: Word) -> Word:
        """The name of a record of some worker."""
        return self.or_(self.shl(worker, LOCAL_BITS), index)

    def predecessor(self, parent: Word, instance: Word) -> Word:
        """The last word of a record: the name of the state before, and the instance that led from it."""
        return self.or_(self.shl(parent, INSTANCE_BITS), instance)

    # -- findings -------------------------------------------------------------------------------------------------

    @contextmanager
    def bits(self, shown: Word) -> Iterator[Word]:
        """What follows runs for each bit of `shown` that is a pending property or the failure to evaluate one."""
        left = self.variable(Word, 0)
        wanted = self.or_(self.number("pending"), 1 << FAILURE)
        left.set(self.and_(shown, wanted))
        with self.loop() as (_, done):
            rest = left.get()
            self.jump_if(self.eq(rest, 0), done)
            yield self.lowest_bit(rest)
            less = self.sub(rest, 1)
            left.set(self.and_(rest, less))

    def note(self, slot: Word, key: tuple[Word, Word, Word, Word], name: Word, instance: Word) -> None:
        """Note a finding, unless a lesser one is known."""
        self.call("note", self.pointer("findings"), slot, *key, name, instance)


# -- variants ---------------------------------------------------------------------------------------------------------
# The two variants of a kernel function: for a worker alone, and for workers that share what they write to.


class Variant(Enum):
    """Who runs a kernel function; the value is what follows its name."""

    ALONE = ""
    SHARED = "_shared"

    def named(self, function: str) -> str:
        """The name of this variant of a function."""
        return function + self.value

    @classmethod
    def of(cls, workers: int) -> Variant:
        """What so many workers run."""
        return cls.ALONE if workers == 1 else cls.SHARED
