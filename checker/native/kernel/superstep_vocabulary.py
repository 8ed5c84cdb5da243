"""Short words for writing the kernel of a distributed search: its context, its tables, its findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..llvm.instructions import Variable
from ..llvm.operands import FALSE, NULL, Bit, Narrow, Pointer, Word, word
from .vocabulary import FAILURE, KernelText

CHUNK = 64
"""How many records an owner asks for at once: enough to hide the latency of memory, few enough to stay in the cache."""

SUPERSTEP_CONTEXT = (
    *("frontier", "cursor", "end", "open", "shard", "shards"),
    *("scratch", "scratch_entries", "out_degree"),
    *("sent", "sent_count", "sent_room", "sent_table", "sent_slots", "wire", "offsets"),
    *("states", "table", "slots", "count", "level_start", "parents", "actions", "hashes"),
    *("expanded", "dead_ends", "left_constraint", "steps_low", "steps_high", "digest_low", "digest_high"),
    *("steps", "new_states", "constants"),
    "findings",
    *("step", "judge", "within"),
)
"""The slots of the context, one 64-bit word each."""

KEY_WORDS = 4
"""A finding is 1 if there is one, four words of key (those of `kernel_text.FINDING_WORDS`), and the words of a state:
the one before the step that the finding is about, or the one that it is about itself."""

FINDINGS = FAILURE + 1
"""One finding for each property, and one for a rule that fails."""


def finding_words(words: int) -> int:
    """The size of a finding, in words."""
    return 1 + KEY_WORDS + words


class SuperstepText(KernelText):
    """A function of the distributed search."""

    context = SUPERSTEP_CONTEXT

    def scratch(self, index: Word) -> Pointer:
        """The address of an entry as `step` writes it."""
        offset = self.mul(index, self.words + 3)
        return self.at("scratch", offset)

    def owner(self, hash: Word) -> Word:
        """The partition that owns a state: the low half of its hash, scaled."""
        low = self.and_(hash, (1 << 32) - 1)
        return self.lshr(self.mul(low, self.number("shards")), 32)

    def place(self, hash: Word, slots: str) -> Word:
        """Where a hash belongs in a table: the top half of it, scaled."""
        top = self.lshr(hash, 32)
        return self.lshr(self.mul(top, self.number(slots)), 32)

    def index_in(self, slot: Word) -> Word:
        """The index that an occupied slot of a table holds."""
        return self.sub(self.and_(slot, (1 << 32) - 1), 1)

    def step_to(self, position: Word, slots: Word) -> Word:
        """The position after this one, around the end."""
        following = self.add(position, 1)
        return self.select(self.eq(following, slots), 0, following)

    @contextmanager
    def look_up(
        self,
        array: str,
        state: Sequence[Word],
        hash: Word,
        position: Variable[Word],
        stride: int,
        table: str = "sent_table",
        slots: str = "sent_slots",
    ) -> Iterator[tuple[Pointer, Variable[Pointer]]]:
        """Look a state up; what is written inside runs where it is known, and must jump away.

        Yields the address of the known record, and of the slot that is free where there is none.
        """
        found, fresh, free = self.label("found"), self.label("new"), self.variable(Pointer, NULL)
        record = self.variable(Pointer, NULL)
        wanted, size = self.lshr(hash, 32), self.number(slots)
        position.set(self.place(hash, slots))
        with self.loop() as (head, _):
            at = position.get()
            slot_at = self.at(table, at)
            free.set(slot_at)
            slot = self.load64(slot_at)
            self.jump_if(self.eq(slot, 0), fresh)
            position.set(self.step_to(at, size))
            self.jump_if(self.ne(self.lshr(slot, 32), wanted), head)
            known = self.at(array, self.mul(self.index_in(slot), stride))
            record.set(known)
            total = word(0)
            for w, operand in enumerate(state):
                total = self.or_(total, self.xor(self.field(known, w), operand))
            self.jump_if(self.eq(total, 0), found)
        self.unreachable()
        self.block(found)
        # `free` is read again after the label: a register made here does not dominate what follows.
        yield record.get(), free
        self.unreachable()
        self.block(fresh)

    def occupy(self, free: Variable[Pointer], hash: Word, index: Word) -> None:
        """Put an index into the free slot that `look_up` found."""
        top = self.and_(hash, 0xFFFFFFFF00000000)
        self.store64(self.or_(top, self.add(index, 1)), free.get())

    def append(self, state: Sequence[Word], hash: Word, free: Variable[Pointer]) -> None:
        """Add a state to the owner's array and table."""
        count = self.number("count")
        to = self.at("states", self.mul(count, self.words))
        for w, operand in enumerate(state):
            self.put(to, w, operand)
        self.occupy(free, hash, count)
        self.set_number("count", self.add(count, 1))

    def keep_least(self, instance_at: Pointer, hash_at: Pointer, instance: Word, hash: Word, narrow: bool) -> None:
        """Replace an (instance, hash) in memory by another where that is less; `narrow` for an instance of 16 bits."""
        old_instance = self.load_widened(instance_at, "i16") if narrow else self.load64(instance_at)
        less = self._less([instance, hash], [old_instance, self.load64(hash_at)])
        with self.where(less):
            if narrow:
                self.store(Narrow, self.narrowed(instance), instance_at)
            else:
                self.store64(instance, instance_at)
            self.store64(hash, hash_at)

    def _less(self, key: Sequence[Word], other: Sequence[Word]) -> Bit:
        """Whether a key comes before another, word by word."""
        less = FALSE
        for mine, theirs in reversed(list(zip(key, other, strict=True))):
            same = self.eq(mine, theirs)
            below = self.ult(mine, theirs)
            rest = self.both(same, less)
            less = self.either(below, rest)
        return less

    def note_all(self, shown: Word, failure: int, key: Sequence[Word], state: Pointer) -> None:
        """Note a finding for each open property among the bits, and for a failure; `failure` is its kind."""
        with self.bits(shown) as bit:
            failed = self.eq(bit, FAILURE)
            self.note_least(bit, [self.select(failed, failure, 0), *key], state)

    def note_least(self, slot: Word, key: Sequence[Word], state: Pointer) -> None:
        """Note a finding with the words of a state, unless one with a lesser key is known."""
        at = self.at("findings", self.mul(slot, finding_words(self.words)))
        absent = self.eq(self.field(at, 0), 0)
        less = self._less(key, [self.field(at, 1 + i) for i in range(len(key))])
        with self.where(self.either(absent, less)):
            for i, operand in enumerate([word(1), *key, *self.state_at(state)]):
                self.put(at, i, operand)
