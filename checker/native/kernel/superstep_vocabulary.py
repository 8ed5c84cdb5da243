"""Short words for writing the kernel of a distributed search: its context, its tables, its findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..program.expressions import signed
from ..program.program import EXTRA_WORDS
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

    def slot(self, name: str) -> str:
        """The address of a slot of the context."""
        return self.value(f"getelementptr i64, ptr %context, i64 {SUPERSTEP_CONTEXT.index(name)}")

    def at(self, array: str, index: str, type: str = "i64") -> str:
        """The address of an element of an array in the context."""
        return self.value(f"getelementptr {type}, ptr {self.pointer(array)}, i64 {index}")

    def scratch(self, index: str) -> str:
        """The address of an entry as `step` writes it."""
        return self.at("scratch", self.value(f"mul i64 {index}, {self.words + EXTRA_WORDS}"))

    def hash_of(self, state: str, lane: int) -> str:
        """The hash of the state at an address."""
        return self.hash([self.word(state, w) for w in range(self.words)], lane)

    def owner(self, hash: str) -> str:
        """The partition that owns a state: the low half of its hash, scaled."""
        low = self.value(f"and i64 {hash}, {(1 << 32) - 1}")
        return self.value(f"lshr i64 {self.value(f'mul i64 {low}, ' + self.load('shards'))}, 32")

    def place(self, hash: str, slots: str) -> str:
        """Where a hash belongs in a table: the top half of it, scaled."""
        top = self.value(f"lshr i64 {hash}, 32")
        return self.value(f"lshr i64 {self.value(f'mul i64 {top}, ' + self.load(slots))}, 32")

    def index_in(self, slot: str) -> str:
        """The index that an occupied slot of a table holds."""
        return self.value(f"sub i64 {self.value(f'and i64 {slot}, {(1 << 32) - 1}')}, 1")

    @contextmanager
    def look_up(
        self,
        array: str,
        state: Sequence[str],
        hash: str,
        position: str,
        stride: int,
        table: str = "sent_table",
        slots: str = "sent_slots",
    ) -> Iterator[tuple[str, str]]:
        """Look a state up; what is written inside runs where it is known, and must jump away.

        Yields the address of the known record, and of the slot that is free where there is none.
        """
        found, fresh, free = self.fresh("found"), self.fresh("new"), self.variable("ptr", "null")
        record = self.variable("ptr", "null")
        wanted, size = self.value(f"lshr i64 {hash}, 32"), self.load(slots)
        self.do(f"store i64 {self.place(hash, slots)}, ptr {position}")
        with self.loop() as (head, _):
            at = self.value(f"load i64, ptr {position}")
            slot_at = self.at(table, at)
            self.do(f"store ptr {slot_at}, ptr {free}")
            slot = self.value(f"load i64, ptr {slot_at}")
            self.leave(self.value(f"icmp eq i64 {slot}, 0"), fresh)
            self.do(f"store i64 {self.step_to(at, size)}, ptr {position}")
            self.leave(self.value(f"icmp ne i64 {self.value(f'lshr i64 {slot}, 32')}, {wanted}"), head)
            known = self.at(array, self.value(f"mul i64 {self.index_in(slot)}, {stride}"))
            self.do(f"store ptr {known}, ptr {record}")
            total = "0"
            for w, operand in enumerate(state):
                total = self.value(f"or i64 {total}, {self.value(f'xor i64 {self.word(known, w)}, {operand}')}")
            self.leave(self.value(f"icmp eq i64 {total}, 0"), found)
        self.do("unreachable")
        self.block(found)
        # `free` is read again after the label: a register made here does not dominate what follows.
        yield self.value(f"load ptr, ptr {record}"), free
        self.do("unreachable")
        self.block(fresh)

    def occupy(self, free: str, hash: str, index: str) -> None:
        """Put an index into the free slot that `look_up` found."""
        top = self.value(f"and i64 {hash}, {signed(0xFFFFFFFF00000000)}")
        slot = self.value(f"or i64 {top}, {self.value(f'add i64 {index}, 1')}")
        self.do(f"store i64 {slot}, ptr {self.value(f'load ptr, ptr {free}')}")

    def append(self, state: Sequence[str], hash: str, free: str) -> None:
        """Add a state to the owner's array and table."""
        count = self.load("count")
        to = self.at("states", self.value(f"mul i64 {count}, {self.words}"))
        for w, operand in enumerate(state):
            self.do(f"store i64 {operand}, ptr {self.value(f'getelementptr i64, ptr {to}, i64 {w}')}")
        self.occupy(free, hash, count)
        self.store("count", self.value(f"add i64 {count}, 1"))

    def keep_least(self, instance_at: str, hash_at: str, instance: str, hash: str, type: str) -> None:
        """Replace an (instance, hash) in memory by another where that is less."""
        old = self.value(f"load {type}, ptr {instance_at}")
        old_instance = old if type == "i64" else self.value(f"zext {type} {old} to i64")
        less = self._less([instance, hash], [old_instance, self.value(f"load i64, ptr {hash_at}")])
        with self.where(less):
            narrow = instance if type == "i64" else self.value(f"trunc i64 {instance} to {type}")
            self.do(f"store {type} {narrow}, ptr {instance_at}")
            self.do(f"store i64 {hash}, ptr {hash_at}")

    def _less(self, key: Sequence[str], other: Sequence[str]) -> str:
        """Whether a key comes before another, word by word."""
        less = "false"
        for mine, theirs in reversed(list(zip(key, other, strict=True))):
            same = self.value(f"icmp eq i64 {mine}, {theirs}")
            below = self.value(f"icmp ult i64 {mine}, {theirs}")
            rest = self.value(f"and i1 {same}, {less}")
            less = self.value(f"or i1 {below}, {rest}")
        return less

    def note_all(self, shown: str, failure: int, key: Sequence[str], state: str) -> None:
        """Note a finding for each open property among the bits, and for a failure; `failure` is its kind."""
        with self.bits(shown) as bit:
            failed = self.value(f"icmp eq i64 {bit}, {FAILURE}")
            self.note_least(bit, [self.value(f"select i1 {failed}, i64 {failure}, i64 0"), *key], state)

    def note_least(self, slot: str, key: Sequence[str], state: str) -> None:
        """Note a finding with the words of a state, unless one with a lesser key is known."""
        at = self.at("findings", self.value(f"mul i64 {slot}, {finding_words(self.words)}"))
        absent = self.value(f"icmp eq i64 {self.word(at, 0)}, 0")
        less = self._less(key, [self.word(at, 1 + i) for i in range(len(key))])
        with self.where(self.value(f"or i1 {absent}, {less}")):
            words = [self.word(state, w) for w in range(self.words)]
            for i, operand in enumerate(["1", *key, *words]):
                self.put(at, i, operand)
