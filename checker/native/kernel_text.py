"""Short words for writing kernel functions: the context shared with them, arrays, hashes, findings."""

from __future__ import annotations

from checker.search.digest import SECRETS

from .expressions import signed
from .text import FunctionText

CONTEXT = (
    "states",
    "parents",
    "actions",
    "table",
    "slots",
    "count",
    "room",
    "cursor",
    "level_end",
    "stop_at",
    "open",
    "buffer",
    "order",
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
    "found",
    "found_count",
    "step",
    "judge",
    "within",
)
"""The slots of the context, one 64-bit word each: what `explore` and `settle` read and keep."""

DONE, GROW, STOPPED = 0, 1, 2
"""Results of `explore`: the stretch is done, memory must grow first, a rule could not be evaluated."""

FOUND_WORDS = 4
"""A finding: the bits of the properties, the index of the state or parent, the instance or -1, 1 if a rule failed.

With an instance, the finding is about the step of that instance from the state with the index, or about the state it
leads to; without, about the state itself."""

NO_PARENT = (1 << 32) - 1


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

    def store(self, name: str, operand: str) -> None:
        """Set a slot of the context."""
        self.do(f"store i64 {operand}, ptr {self.slot(name)}")

    def bump(self, name: str, by: str) -> None:
        """Add to a number in the context."""
        self.store(name, self.value(f"add i64 {self.load(name)}, {by}"))

    def bump_at(self, array: str, index: str) -> None:
        """Add one to an element of an array of counters."""
        at = self.value(f"getelementptr i64, ptr {self.pointer(array)}, i64 {index}")
        old = self.value(f"load i64, ptr {at}")
        self.do(f"store i64 {self.value(f'add i64 {old}, 1')}, ptr {at}")

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
        """The hash of a state, as `checker.search.digest.state_hash` defines it."""
        first, second, third, last = SECRETS[lane * 4 : lane * 4 + 4]
        total = str(signed(second))
        for i in range(0, len(words), 2):
            other = words[i + 1] if i + 1 < len(words) else "0"
            mixed = self.value(f"xor i64 {other}, {total}")
            total = self.fold(self.xor(words[i], first), mixed)
        return self.fold(self.xor(total, third), str(signed(last)))

    def state(self, index: str) -> str:
        """The address of a state in the array."""
        offset = self.value(f"mul i64 {index}, {self.words}")
        return self.value(f"getelementptr i64, ptr {self.pointer('states')}, i64 {offset}")

    def entry(self, index: str) -> str:
        """The address of an entry of the successor buffer."""
        offset = self.value(f"mul i64 {index}, {self.words + 3}")
        return self.value(f"getelementptr i64, ptr {self.pointer('buffer')}, i64 {offset}")

    def table_slot(self, position: str) -> str:
        """The address of a slot of the visited table."""
        return self.value(f"getelementptr i64, ptr {self.pointer('table')}, i64 {position}")

    def home(self, hash: str) -> str:
        """The position where a hash belongs in the table."""
        top = self.value(f"lshr i64 {hash}, 32")
        scaled = self.value(f"mul i64 {top}, {self.load('slots')}")
        return self.value(f"lshr i64 {scaled}, 32")

    def step_to(self, position: str, slots: str) -> str:
        """The position after this one, around the end."""
        following = self.value(f"add i64 {position}, 1")
        wraps = self.value(f"icmp eq i64 {following}, {slots}")
        return self.value(f"select i1 {wraps}, i64 0, i64 {following}")

    def prefetch(self, address: str) -> None:
        """Ask for a cache line that will be read soon."""
        self.do(f"call void @llvm.prefetch.p0(ptr {address}, i32 0, i32 3, i32 1)")

    def report(self, bits: str, index: str, instance: str, failed: str) -> None:
        """Note a finding, and close the properties it is about."""
        count = self.load("found_count")
        at = self.value(
            f"getelementptr i64, ptr {self.pointer('found')}, i64 {self.value(f'mul i64 {count}, {FOUND_WORDS}')}"
        )
        for i, operand in enumerate((bits, index, instance, failed)):
            self.do(f"store i64 {operand}, ptr {self.value(f'getelementptr i64, ptr {at}, i64 {i}')}")
        self.bump("found_count", "1")
        closed = self.value(f"xor i64 {bits}, -1")
        self.store("open", self.value(f"and i64 {self.load('open')}, {closed}"))
