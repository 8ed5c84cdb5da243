"""Short words for writing the kernel of a distributed search: its context, its tables, its findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..llvm.operands import FALSE, Bit, Narrow, Pointer, Word, word
from .lookup import INDEX_MASK, Lookup, Table, lower_half, slot_of
from .vocabulary import FAILURE, KernelText

BATCH = 64
"""How many records an owner asks for at once: enough to hide the latency of memory, few enough to stay in the cache."""

SUPERSTEP_CONTEXT = (
    *("frontier", "cursor", "end", "pending", "shard", "shards", "owning"),
    *("scratch", "scratch_entries", "out_degree"),
    *("sent", "sent_count", "sent_room", "sent_table", "sent_slots", "wire", "offsets"),
    *("states", "table", "slots", "count", "level_start", "parents", "actions", "hashes"),
    *("sender", "senders"),
    *("expanded", "terminal_states", "left_constraint", "steps_low", "steps_high", "digest_low", "digest_high"),
    *("steps", "discovered", "constants"),
    "findings",
    *("step", "judge", "within"),
)
"""The slots of the context, one 64-bit word each."""

KEY_WORDS = 4
"""A finding is 1 if there is one, four words of key (those of `vocabulary.FINDING_WORDS`), and the words of a state:
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
        return self.entry(self.pointer("scratch"), index)

    def owner(self, state: Pointer) -> Word:
        """The partition that owns a state: the low half of a hash of the bits that say so, scaled."""
        owning = self.pointer("owning")
        bits = [self.and_(self.field(state, w), self.field(owning, w)) for w in range(self.words)]
        return lower_half(self, self.hash(bits, 0), self.number("shards"))

    def append(self, state: Sequence[Word], hash: Word, free: Pointer) -> None:
        """Add a state to the owner's array, and to its table in the slot that is free."""
        count = self.number("count")
        to = self.at("states", self.mul(count, self.words))
        for w, operand in enumerate(state):
            self.put(to, w, operand)
        self.store64(slot_of(self, hash, count), free)
        self.set_number("count", self.add(count, 1))

    def keep_least(self, entry: Pointer, instance: Word, hash: Word) -> None:
        """Replace the (instance, hash) of an entry by another where that is less."""
        instance_at, hash_at = self.element(entry, self.words), self.element(entry, self.words + 1)
        with self.where(self._less([instance, hash], [self.load64(instance_at), self.load64(hash_at)])):
            self.store64(instance, instance_at)
            self.store64(hash, hash_at)

    def reached_less(self, new: Word, instance: Word, hash: Word) -> None:
        """Replace how a new state was reached, (instance, hash before), by another where that is less."""
        known = self.load_widened(self.at("actions", new, "i16"), "i16")
        with self.where(self._less([instance, hash], [known, self.load64(self.at("parents", new))])):
            self.reached(new, instance, hash)

    def reached(self, new: Word, instance: Word, hash: Word) -> None:
        """Say how a new state was reached, and which partition has the state before."""
        self.store(Narrow, self.narrowed(instance), self.at("actions", new, "i16"))
        self.store64(hash, self.at("parents", new))
        self.store(Narrow, self.narrowed(self.number("sender")), self.at("senders", new, "i16"))

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
        """Note a finding for each pending property among the bits, and for a failure; `failure` is its kind."""
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


@dataclass(frozen=True)
class Records(Lookup[Word]):
    """Records in an array of the context, `stride` words each, and the table over them; of each its index is known."""

    k: SuperstepText
    array: str
    stride: int
    slots_at: str
    slots: str

    def table(self, hash: Word) -> Table:
        return Table(self.k, self.k.pointer(self.slots_at), self.k.number(self.slots))

    def load(self, place: Pointer) -> Word:
        return self.k.load64(place)

    def known(self, slot: Word) -> tuple[Pointer, Word]:
        k = self.k
        index = k.sub(k.and_(slot, INDEX_MASK), 1)
        return k.at(self.array, k.mul(index, self.stride)), index


def sent(k: SuperstepText) -> Records:
    """The entries that are to be sent."""
    return Records(k, "sent", k.words + 2, "sent_table", "sent_slots")


def owned(k: SuperstepText) -> Records:
    """The states of the owner."""
    return Records(k, "states", k.words, "table", "slots")
