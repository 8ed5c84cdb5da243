"""Short words for writing kernel functions: the context shared with them, arrays, hashes, findings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...ir.digest import SECRETS
from ..llvm.builder import FunctionText
from ..program.expressions import signed
from ..program.program import INSTANCE_BITS

CONTEXT = (
    "records",
    "table",
    "slots",
    "count",
    "room",
    "cursor",
    "level_end",
    "stop_at",
    "open",
    "buffer",
    "buffer_entries",
    "out_degree",
    "dead_ends",
    "left_constraint",
    "digest_low",
    "digest_high",
    "steps_low",
    "steps_high",
    "steps",
    "new_states",
    "constants",
    "findings",
    "step",
    "judge",
    "within",
    "canonical",
    "worker",
    "workers",
    "homes",
    "filter",
    "filter_slots",
    "parts",
    "entered",
    "index_bits",
    "level_ends",
    "cursors",
    "signals",
    "stretch",
    "capacity",
    "limits",
    "chunk",
    "chunk_end",
    "chunk_of",
)
"""The slots of a worker's context, one 64-bit word each: what the kernel reads and keeps."""

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


class KernelText(FunctionText):
    """A kernel function: short words for what it does all the time."""

    def __init__(self, signature: str, words: int) -> None:
        super().__init__(signature)
        self.words = words

    def slot(self, name: str) -> str:
        """The address of a slot of the context."""
        return self.value(f"getelementptr i64, ptr %context, i64 {CONTEXT.index(name)}")

    def load(self, name: str) -> str:
        """A number in the context."""
        return self.value(f"load i64, ptr {self.slot(name)}")

    def pointer(self, name: str) -> str:
        """An address in the context."""
        return self.value(f"load ptr, ptr {self.slot(name)}")

    def signal(self, at: int) -> str:
        """The address of a word of the signals that the workers share."""
        return self.value(f"getelementptr i64, ptr {self.pointer('signals')}, i64 {at}")

    def store(self, name: str, operand: str) -> None:
        """Set a slot of the context."""
        self.do(f"store i64 {operand}, ptr {self.slot(name)}")

    def bump(self, name: str, by: str) -> None:
        """Add to a number in the context."""
        self.store(name, self.value(f"add i64 {self.load(name)}, {by}"))

    def bump_at(self, array: str, index: str, by: str = "1") -> None:
        """Add to an element of an array of counters."""
        at = self.value(f"getelementptr i64, ptr {self.pointer(array)}, i64 {index}")
        old = self.value(f"load i64, ptr {at}")
        self.do(f"store i64 {self.value(f'add i64 {old}, {by}')}, ptr {at}")

    def word(self, base: str, index: int) -> str:
        """A word at a constant distance from an address."""
        return self.value(f"load i64, ptr {self.value(f'getelementptr i64, ptr {base}, i64 {index}')}")

    def fold(self, a: str, b: str) -> str:
        """The two halves of the 128-bit product, combined by exclusive or."""
        wide_a, wide_b = self.value(f"zext i64 {a} to i128"), self.value(f"zext i64 {b} to i128")
        product = self.value(f"mul i128 {wide_a}, {wide_b}")
        low = self.value(f"trunc i128 {product} to i64")
        high = self.value(f"trunc i128 {self.value(f'lshr i128 {product}, 64')} to i64")
        return self.value(f"xor i64 {low}, {high}")

    def xor(self, a: str, constant: int) -> str:
        """Exclusive or with a constant."""
        return self.value(f"xor i64 {a}, {signed(constant)}")

    def hash(self, words: list[str], lane: int) -> str:
        """The hash of a state, as `checker.ir.digest.state_hash` defines it."""
        first, second, third, last = SECRETS[lane * 4 : lane * 4 + 4]
        total = str(signed(second))
        for i in range(0, len(words), 2):
            other = words[i + 1] if i + 1 < len(words) else "0"
            mixed = self.value(f"xor i64 {other}, {total}")
            total = self.fold(self.xor(words[i], first), mixed)
        return self.fold(self.xor(total, third), str(signed(last)))

    def record(self, index: str) -> str:
        """The address of one of this worker's records: the words of a state, then its parent and instance."""
        offset = self.value(f"mul i64 {index}, {self.words + 1}")
        return self.value(f"getelementptr i64, ptr {self.pointer('records')}, i64 {offset}")

    def named(self, name: str) -> str:
        """The address of the record with a name, whichever worker's it is."""
        worker = self.value(f"lshr i64 {name}, {LOCAL_BITS}")
        return self.record_of(worker, self.value(f"and i64 {name}, {(1 << LOCAL_BITS) - 1}"))

    def record_of(self, worker: str, index: str) -> str:
        """The address of a record of some worker."""
        at = self.value(f"getelementptr ptr, ptr {self.pointer('homes')}, i64 {worker}")
        offset = self.value(f"mul i64 {index}, {self.words + 1}")
        return self.value(f"getelementptr i64, ptr {self.value(f'load ptr, ptr {at}')}, i64 {offset}")

    def own_name(self, index: str) -> str:
        """The name of one of this worker's records."""
        return self.name_of(self.load("worker"), index)

    def name_of(self, worker: str, index: str) -> str:
        """The name of a record of some worker."""
        return self.value(f"or i64 {self.value(f'shl i64 {worker}, {LOCAL_BITS}')}, {index}")

    def put(self, base: str, index: int, operand: str) -> None:
        """Store a word at a constant distance from an address."""
        self.do(f"store i64 {operand}, ptr {self.value(f'getelementptr i64, ptr {base}, i64 {index}')}")

    def state_hash(self, address: str) -> str:
        """The lane-0 hash of the state at an address."""
        return self.hash([self.word(address, w) for w in range(self.words)], 0)

    def entry(self, base: str, index: str) -> str:
        """The address of an entry of the buffer that `step` writes to: the words of a state, its tag, room for two."""
        return self.value(f"getelementptr i64, ptr {base}, i64 {self.value(f'mul i64 {index}, {self.words + 3}')}")

    def step_to(self, position: str, slots: str) -> str:
        """The position after this one, around the end."""
        following = self.value(f"add i64 {position}, 1")
        wraps = self.value(f"icmp eq i64 {following}, {slots}")
        return self.value(f"select i1 {wraps}, i64 0, i64 {following}")

    def prefetch(self, address: str) -> None:
        """Ask for a cache line that will be read soon."""
        self.do(f"call void @llvm.prefetch.p0(ptr {address}, i32 0, i32 3, i32 1)")

    def way(self, parent: str, instance: str) -> str:
        """The last word of a record: how its state was reached."""
        return self.value(f"or i64 {self.value(f'shl i64 {parent}, {INSTANCE_BITS}')}, {instance}")

    def fingerprint(self, hash: str) -> str:
        """The fingerprint of a state: its hash, but never zero, which marks a free slot."""
        zero = self.value(f"icmp eq i64 {hash}, 0")
        return self.value(f"select i1 {zero}, i64 1, i64 {hash}")

    @contextmanager
    def each(self, first: str, end: str) -> Iterator[str]:
        """What follows runs for every number from the first on and below the end."""
        index = self.variable("i64", first)
        with self.loop() as (_, done):
            i = self.value(f"load i64, ptr {index}")
            self.leave(self.value(f"icmp uge i64 {i}, {end}"), done)
            self.do(f"store i64 {self.value(f'add i64 {i}, 1')}, ptr {index}")
            yield i

    @contextmanager
    def bits(self, shown: str) -> Iterator[str]:
        """What follows runs for each bit of `shown` that is an open property or the failure to evaluate one."""
        left = self.variable("i64", "0")
        wanted = self.value(f"or i64 {self.load('open')}, {1 << FAILURE}")
        self.do(f"store i64 {self.value(f'and i64 {shown}, {wanted}')}, ptr {left}")
        with self.loop() as (_, done):
            rest = self.value(f"load i64, ptr {left}")
            self.leave(self.value(f"icmp eq i64 {rest}, 0"), done)
            yield self.value(f"call i64 @llvm.cttz.i64(i64 {rest}, i1 true)")
            less = self.value(f"sub i64 {rest}, 1")
            self.do(f"store i64 {self.value(f'and i64 {rest}, {less}')}, ptr {left}")

    def note(self, slot: str, key: tuple[str, str, str, str], name: str, instance: str) -> None:
        """Note a finding, unless a lesser one is known."""
        words = ", ".join(f"i64 {operand}" for operand in (*key, name, instance))
        self.do(f"call void @note(ptr {self.pointer('findings')}, i64 {slot}, {words})")
