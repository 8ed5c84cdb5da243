"""What the kernel does to whole tables: move them, remember fingerprints, deal records out to workers."""

from __future__ import annotations

from ..program.program import INSTANCE_BITS
from .visited import Table, Visited, part_of
from .vocabulary import INITIAL, LOCAL_BITS, KernelText


def table_texts(words: int) -> list[str]:
    """The functions on whole tables."""
    return [_hash(words), _spread(), _absorb(words), _adopt(words, table=True), _adopt(words, table=False)]


def _hash(words: int) -> str:
    """`hash(state)`: the lane-0 hash of a state."""
    k = KernelText("i64 @hash(ptr %state)", words)
    k.do(f"ret i64 {k.state_hash('%state')}")
    return k.text()


def _insert(table: Table, slot: str, home: str, position: str) -> None:
    """Put a slot, which is not in the table yet, at the first free position from its home on."""
    k = table.k
    k.do(f"store i64 {home}, ptr {position}")
    with k.loop() as (_, free):
        at = k.value(f"load i64, ptr {position}")
        k.leave(k.value(f"icmp eq i64 {k.value(f'load i64, ptr {table.place(at)}')}, 0"), free)
        k.do(f"store i64 {table.following(at)}, ptr {position}")
    at = k.value(f"load i64, ptr {position}")
    k.do(f"store i64 {slot}, ptr {table.place(at)}")


def _spread() -> str:
    """`spread(table, old, slots, aside, piece)`: move the slots of a table that has become larger to where they belong.

    Positions only grow, in the order of the hashes, so pieces are taken out from the end to the beginning, into `aside`
    with room for a piece, whose size is a power of two, and put back. A slot that would belong before its piece, among
    those not yet taken out, would be displaced a thousand times as far as hashes make plausible: then the result is 1,
    and the table is of no use.
    """
    k = KernelText("i64 @spread(ptr noalias %table, i64 %old, i64 %slots, ptr noalias %aside, i64 %piece)", 0)
    taken, position = k.variable("i64", "0"), k.variable("i64", "0")
    table = Table(k, "%table", "%slots")
    rest, mask = k.variable("i64", "%old"), k.value("sub i64 0, %piece")
    with k.loop() as (_, done):
        end = k.value(f"load i64, ptr {rest}")
        k.leave(k.value(f"icmp eq i64 {end}, 0"), done)
        start = k.value(f"and i64 {k.value(f'sub i64 {end}, 1')}, {mask}")
        k.do(f"store i64 {start}, ptr {rest}")
        k.do(f"store i64 0, ptr {taken}")
        with k.each(start, end) as i:
            place = table.place(i)
            slot, n = k.value(f"load i64, ptr {place}"), k.value(f"load i64, ptr {taken}")
            k.do(f"store i64 0, ptr {place}")
            k.do(f"store i64 {slot}, ptr {k.value(f'getelementptr i64, ptr %aside, i64 {n}')}")
            one = k.value(f"zext i1 {k.value(f'icmp ne i64 {slot}, 0')} to i64")
            k.do(f"store i64 {k.value(f'add i64 {n}, {one}')}, ptr {taken}")
        with k.each("0", k.value(f"load i64, ptr {taken}")) as i:
            slot = k.value(f"load i64, ptr {k.value(f'getelementptr i64, ptr %aside, i64 {i}')}")
            home = table.home(slot)
            with k.where(k.value(f"icmp ult i64 {home}, {start}")):
                k.give_back("ret i64 1")
            _insert(table, slot, home, position)
    k.do("ret i64 0")
    return k.text()


def _absorb(words: int) -> str:
    """`absorb(context, first, end)`: put the fingerprints of these records into the filters, which have room."""
    k = KernelText("void @absorb(ptr noalias %context, i64 %first, i64 %end)", words)
    position = k.variable("i64", "0")
    visited = Visited(k, shared=True)
    with k.each("%first", "%end") as i:
        hash = k.state_hash(k.record(i))
        table, slot = visited.filter(hash), k.fingerprint(hash)
        _insert(table, slot, table.home(slot), position)
    k.do("ret void")
    return k.text()


def _adopt(words: int, table: bool) -> str:
    """`adopt(context, from, first, end, before, names)`: hand records to a worker, which has room, as has the table.

    `from` are the records of one level of one former worker; `before` has for each former worker the address at which
    the new names of the level before stand, by its former indices; `names` receives the new name of each record.
    `adopt_records` leaves the table alone.
    """
    name = "adopt" if table else "adopt_records"
    signature = f"void @{name}(ptr noalias %context, ptr %from, i64 %first, i64 %end, ptr %before, ptr %names)"
    k = KernelText(signature, words)
    position, parent = k.variable("i64", "0"), k.variable("i64", "0")
    with k.each("%first", "%end") as i:
        source = k.value(f"getelementptr i64, ptr %from, i64 {k.value(f'mul i64 {i}, {words + 1}')}")
        hash = k.state_hash(source)
        count = k.load("count")
        way = k.word(source, words)
        former = k.value(f"lshr i64 {way}, {INSTANCE_BITS}")
        k.do(f"store i64 {former}, ptr {parent}")
        with k.where(k.value(f"icmp ne i64 {former}, {INITIAL}")):
            worker = k.value(f"lshr i64 {former}, {LOCAL_BITS}")
            base = k.value(f"load ptr, ptr {k.value(f'getelementptr ptr, ptr %before, i64 {worker}')}")
            local = k.value(f"and i64 {former}, {(1 << LOCAL_BITS) - 1}")
            now = k.value(f"load i64, ptr {k.value(f'getelementptr i64, ptr {base}, i64 {local}')}")
            k.do(f"store i64 {now}, ptr {parent}")
        record = k.record(count)
        for w in range(words):
            k.put(record, w, k.word(source, w))
        instance = k.value(f"and i64 {way}, {(1 << INSTANCE_BITS) - 1}")
        k.put(record, words, k.way(k.value(f"load i64, ptr {parent}"), instance))
        k.do(f"store i64 {k.own_name(count)}, ptr {k.value(f'getelementptr i64, ptr %names, i64 {i}')}")
        k.store("count", k.value(f"add i64 {count}, 1"))
        if table:
            visited = Visited(k, shared=True)
            part = visited.table(hash)
            _insert(part, visited.slot(hash, count), part.home(hash), position)
        k.bump_at("entered", part_of(k, hash, k.load("workers")))
    k.do("ret void")
    return k.text()
