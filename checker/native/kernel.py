"""The search kernel: breadth-first expansion over packed states, as LLVM text for a given number of words a state.

States are kept whole (no two are ever confused) in an array in the order of their discovery, each with the index of its
parent and of the instance that led to it. The visited table is open addressing over 8-byte slots: the top half of the
state's hash and, in the lower half, its index plus one. A slot's position is the top of the hash scaled to the table's
size, so the table can have any size and grows by one sequential sweep.

Within a state the steps are taken in the order of the instances, whatever order the code finds them in: the order of
discovery, and with it the counterexample, depends on the specification alone.

A batch of states is expanded into a buffer and the table's slots are prefetched; then, slot by slot, the states they
point to; only then are the successors looked up. Memory is what the search waits for, and this hides most of it.
"""

from __future__ import annotations

from checker.search.digest import SECRETS

from .expressions import signed
from .program import FAILED, INSTANCE_BITS
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
"""A finding: the bits of the properties, the index of the state or parent, the instance or -1, and 1 if a rule failed.

With an instance, the finding is about the step of that instance from the state with the index, or the state it leads to;
without, about the state itself."""

NO_PARENT = (1 << 32) - 1


class _Kernel(FunctionText):
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


def kernel_text(words: int, constrained: bool) -> str:
    """The LLVM module of the kernel for states of this many words; `constrained` if there is a state constraint."""
    return "\n".join(
        [
            "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
            "declare i64 @llvm.umin.i64(i64, i64)",
            _settle(words, constrained),
            _explore(words),
            _hash(words),
            _rehash(),
        ]
    )


def _explore(words: int) -> str:
    """`explore(context)`: expand states from the cursor up to the end of the level or `stop_at`."""
    k = _Kernel("i64 @explore(ptr noalias %context)", words)
    filled = k.variable("i64", "0")
    with k.loop() as (_, done):
        level_end, stop_at = k.load("level_end"), k.load("stop_at")
        end = k.value(f"call i64 @llvm.umin.i64(i64 {level_end}, i64 {stop_at})")
        k.leave(k.value(f"icmp uge i64 {k.load('cursor')}, {end}"), done)
        needed = k.value(f"add i64 {k.load('count')}, {k.load('buffer_entries')}")
        with k.where(k.value(f"icmp ugt i64 {needed}, {k.load('room')}")):
            k.give_back(f"ret i64 {GROW}")
        k.do(f"store i64 0, ptr {filled}")
        limit = k.value(f"sub i64 {k.load('buffer_entries')}, {k.load('out_degree')}")
        with k.loop() as (_, full):
            cursor, n = k.load("cursor"), k.value(f"load i64, ptr {filled}")
            k.leave(k.value(f"icmp uge i64 {cursor}, {end}"), full)
            k.leave(k.value(f"icmp ugt i64 {n}, {limit}"), full)
            total = _expand(k, cursor, n)
            k.do(f"store i64 {total}, ptr {filled}")
            k.store("cursor", k.value(f"add i64 {cursor}, 1"))
        result = k.value(f"call i64 @settle(ptr %context, i64 {k.value(f'load i64, ptr {filled}')})")
        with k.where(k.value(f"icmp ne i64 {result}, {DONE}")):
            k.give_back(f"ret i64 {result}")
    k.do(f"ret i64 {DONE}")
    return k.text()


def _expand(k: _Kernel, cursor: str, filled: str) -> str:
    """Write the successors of a state to the buffer, hash them and ask for their slots; the new filling."""
    state = k.state(cursor)
    made = k.value(f"call i64 {k.pointer('step')}(ptr {state}, ptr {k.entry(filled)}, i64 {k.load('open')})")
    with k.where(k.value(f"icmp eq i64 {made}, 0")):
        k.bump("dead_ends", "1")
    origin = k.hash([k.word(state, w) for w in range(k.words)], 0)
    end = k.value(f"add i64 {filled}, {made}")
    index = k.variable("i64", filled)
    with k.loop() as (_, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, {end}"), done)
        entry = k.entry(i)
        hash = k.hash([k.word(entry, w) for w in range(k.words)], 0)
        k.do(f"store i64 {cursor}, ptr {k.value(f'getelementptr i64, ptr {entry}, i64 {k.words + 1}')}")
        k.do(f"store i64 {hash}, ptr {k.value(f'getelementptr i64, ptr {entry}, i64 {k.words + 2}')}")
        k.prefetch(k.table_slot(k.home(hash)))
        instance = k.value(f"and i64 {k.word(entry, k.words)}, {(1 << INSTANCE_BITS) - 1}")
        k.bump_at("steps", instance)
        low, high = _step_lanes(k, origin, instance, hash)
        k.bump("steps_low", low)
        k.bump("steps_high", high)
        _insert_in_order(k, filled, i, instance)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
    return end


def _insert_in_order(k: _Kernel, first: str, entry: str, instance: str) -> None:
    """Put an entry in its place among those of its state: steps count in the order of the instances, not of the code."""
    key = k.value(f"or i64 {k.value(f'shl i64 {instance}, 32')}, {entry}")
    order, place = k.pointer("order"), k.variable("i64", entry)
    with k.loop() as (_, found):
        at = k.value(f"load i64, ptr {place}")
        k.leave(k.value(f"icmp eq i64 {at}, {first}"), found)
        before = k.value(f"sub i64 {at}, 1")
        other = k.value(f"load i64, ptr {k.value(f'getelementptr i64, ptr {order}, i64 {before}')}")
        k.leave(k.value(f"icmp ult i64 {other}, {key}"), found)
        k.do(f"store i64 {other}, ptr {k.value(f'getelementptr i64, ptr {order}, i64 {at}')}")
        k.do(f"store i64 {before}, ptr {place}")
    at = k.value(f"load i64, ptr {place}")
    k.do(f"store i64 {key}, ptr {k.value(f'getelementptr i64, ptr {order}, i64 {at}')}")


def _step_lanes(k: _Kernel, origin: str, instance: str, hash: str) -> tuple[str, str]:
    """The two lanes of a step's hash, as `checker.search.digest.step_hash` defines them."""
    at = k.value(f"getelementptr i64, ptr {k.pointer('constants')}, i64 {instance}")
    constant = k.value(f"load i64, ptr {at}")
    low = k.fold(k.value(f"xor i64 {origin}, {constant}"), k.xor(hash, SECRETS[2]))
    return low, k.fold(k.value(f"add i64 {origin}, {constant}"), k.xor(hash, SECRETS[5]))


def _settle(words: int, constrained: bool) -> str:
    """`settle(context, n)`: look up the first n entries of the buffer, keep the new states, judge them."""
    k = _Kernel("i64 @settle(ptr noalias %context, i64 %n)", words)
    _fetch_states(k)
    index, position = k.variable("i64", "0"), k.variable("i64", "0")
    with k.loop() as (_, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, %n"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
        order_at = k.value(f"getelementptr i64, ptr {k.pointer('order')}, i64 {i}")
        key = k.value(f"load i64, ptr {order_at}")
        _settle_entry(k, k.entry(k.value(f"and i64 {key}, {NO_PARENT}")), position, constrained)
    k.do(f"ret i64 {DONE}")
    return k.text()


def _fetch_states(k: _Kernel) -> None:
    """Read the home slot of every entry; where its hash agrees, prefetch the state it points to."""
    index = k.variable("i64", "0")
    with k.loop() as (_, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, %n"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
        hash = k.word(k.entry(i), k.words + 2)
        slot = k.value(f"load i64, ptr {k.table_slot(k.home(hash))}")
        differs = k.value(f"icmp ugt i64 {k.value(f'xor i64 {slot}, {hash}')}, {NO_PARENT}")
        known = k.state(k.value(f"sub i64 {k.value(f'and i64 {slot}, {NO_PARENT}')}, 1"))
        k.prefetch(k.value(f"select i1 {differs}, ptr %context, ptr {known}"))


def _settle_entry(k: _Kernel, entry: str, position: str, constrained: bool) -> None:
    state = [k.word(entry, w) for w in range(k.words)]
    tag, parent, hash = (k.word(entry, k.words + extra) for extra in range(3))
    instance = k.value(f"and i64 {tag}, {(1 << INSTANCE_BITS) - 1}")
    with k.where(k.value(f"icmp ugt i64 {tag}, {(1 << INSTANCE_BITS) - 1}")):
        _settle_flags(k, k.value(f"lshr i64 {tag}, {INSTANCE_BITS}"), parent, instance)
    settled, fresh = k.fresh("settled"), k.fresh("new")
    slots, wanted = k.load("slots"), k.value(f"lshr i64 {hash}, 32")
    k.do(f"store i64 {k.home(hash)}, ptr {position}")
    with k.loop() as (head, _):
        at = k.value(f"load i64, ptr {position}")
        slot = k.value(f"load i64, ptr {k.table_slot(at)}")
        k.leave(k.value(f"icmp eq i64 {slot}, 0"), fresh)
        k.do(f"store i64 {k.step_to(at, slots)}, ptr {position}")
        k.leave(k.value(f"icmp ne i64 {k.value(f'lshr i64 {slot}, 32')}, {wanted}"), head)
        known = k.state(k.value(f"sub i64 {k.value(f'and i64 {slot}, {NO_PARENT}')}, 1"))
        total = "0"
        for w in range(k.words):
            difference = k.value(f"xor i64 {k.word(known, w)}, {state[w]}")
            total = k.value(f"or i64 {total}, {difference}")
        k.leave(k.value(f"icmp eq i64 {total}, 0"), settled)
    k.do("unreachable")
    k.block(fresh)
    if constrained:
        _check_constraint(k, entry, parent, instance, hash, settled)
    _admit(k, state, parent, instance, hash, position)
    k.do(f"br label %{settled}")
    k.block(settled)


def _settle_flags(k: _Kernel, flags: str, parent: str, instance: str) -> None:
    """Note what a step violates or shows."""
    with k.where(k.value(f"icmp ne i64 {k.value(f'and i64 {flags}, {1 << FAILED}')}, 0")):
        k.report("0", parent, instance, "1")
        k.give_back(f"ret i64 {STOPPED}")
    shown = k.value(f"and i64 {flags}, {k.load('open')}")
    with k.where(k.value(f"icmp ne i64 {shown}, 0")):
        k.report(shown, parent, instance, "0")


def _check_constraint(k: _Kernel, entry: str, parent: str, instance: str, hash: str, settled: str) -> None:
    """A state outside the constraint is judged, but neither kept nor counted, and the step to it is not in the digest."""
    inside = k.value(f"call i64 {k.pointer('within')}(ptr {entry})")
    with k.where(k.value(f"icmp ne i64 {inside}, 1")):
        with k.where(k.value(f"icmp eq i64 {inside}, 2")):
            k.report("0", parent, instance, "1")
            k.give_back(f"ret i64 {STOPPED}")
        k.bump("left_constraint", "1")
        before = k.state(parent)
        origin = k.hash([k.word(before, w) for w in range(k.words)], 0)
        low, high = _step_lanes(k, origin, instance, hash)
        k.bump("steps_low", k.value(f"sub i64 0, {low}"))
        k.bump("steps_high", k.value(f"sub i64 0, {high}"))
        _judge(k, entry, parent, instance)
        k.go(settled)


def _judge(k: _Kernel, state: str, index: str, instance: str) -> None:
    """Judge a state that has just been found."""
    shown = k.value(f"call i64 {k.pointer('judge')}(ptr {state}, i64 {k.load('open')})")
    with k.where(k.value(f"icmp ne i64 {shown}, 0")):
        with k.where(k.value(f"icmp ne i64 {k.value(f'and i64 {shown}, {1 << FAILED}')}, 0")):
            k.report("0", index, instance, "1")
            k.give_back(f"ret i64 {STOPPED}")
        k.report(shown, index, instance, "0")


def _admit(k: _Kernel, state: list[str], parent: str, instance: str, hash: str, position: str) -> None:
    """Keep a new state."""
    count = k.load("count")
    to = k.state(count)
    for w, operand in enumerate(state):
        k.do(f"store i64 {operand}, ptr {k.value(f'getelementptr i64, ptr {to}, i64 {w}')}")
    parent_at = k.value(f"getelementptr i32, ptr {k.pointer('parents')}, i64 {count}")
    k.do(f"store i32 {k.value(f'trunc i64 {parent} to i32')}, ptr {parent_at}")
    action_at = k.value(f"getelementptr i16, ptr {k.pointer('actions')}, i64 {count}")
    k.do(f"store i16 {k.value(f'trunc i64 {instance} to i16')}, ptr {action_at}")
    following = k.value(f"add i64 {count}, 1")
    k.store("count", following)
    top = k.value(f"and i64 {hash}, {signed(0xFFFFFFFF00000000)}")
    slot_at = k.table_slot(k.value(f"load i64, ptr {position}"))
    k.do(f"store i64 {k.value(f'or i64 {top}, {following}')}, ptr {slot_at}")
    k.bump_at("new_states", instance)
    k.bump("digest_low", hash)
    k.bump("digest_high", k.hash(state, 1))
    _judge(k, to, count, "-1")


def _hash(words: int) -> str:
    """`hash(state)`: the lane-0 hash of a state, for entries that the caller makes."""
    k = _Kernel("i64 @hash(ptr %state)", words)
    k.do(f"ret i64 {k.hash([k.word('%state', w) for w in range(words)], 0)}")
    return k.text()


def _rehash() -> str:
    """`rehash(old, n, new, slots)`: move n slots of an old table, in order, into a new one that has room."""
    k = _Kernel("void @rehash(ptr noalias %old, i64 %n, ptr noalias %new, i64 %slots)", 0)
    index, position = k.variable("i64", "0"), k.variable("i64", "0")
    with k.loop() as (next_one, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, %n"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
        slot = k.value(f"load i64, ptr {k.value(f'getelementptr i64, ptr %old, i64 {i}')}")
        k.leave(k.value(f"icmp eq i64 {slot}, 0"), next_one)
        top = k.value(f"lshr i64 {slot}, 32")
        home = k.value(f"lshr i64 {k.value(f'mul i64 {top}, %slots')}, 32")
        k.do(f"store i64 {home}, ptr {position}")
        with k.loop() as (_, free):
            at = k.value(f"load i64, ptr {position}")
            place = k.value(f"getelementptr i64, ptr %new, i64 {at}")
            k.leave(k.value(f"icmp eq i64 {k.value(f'load i64, ptr {place}')}, 0"), free)
            k.do(f"store i64 {k.step_to(at, '%slots')}, ptr {position}")
        at = k.value(f"load i64, ptr {position}")
        k.do(f"store i64 {slot}, ptr {k.value(f'getelementptr i64, ptr %new, i64 {at}')}")
    k.do("ret void")
    return k.text()
