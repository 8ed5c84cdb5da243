"""What the kernel does to whole tables: move them, remember fingerprints, hand records to other workers."""

from __future__ import annotations

from ..llvm.operands import Pointer, Word
from ..program.program import INSTANCE_BITS
from .lookup import Buckets, Table, put_slot
from .visited import Visited
from .vocabulary import INITIAL, INSTANCE, LOCAL_BITS, KernelText


def table_texts(words: int) -> list[str]:
    """The functions on whole tables."""
    return [
        _hash(words),
        _spread("spread", Buckets),
        _spread("spread_filter", Table),
        _absorb(words),
        _adopt(words, table=True),
        _adopt(words, table=False),
    ]


def _hash(words: int) -> str:
    """`hash(state)`: the lane-0 hash of a state."""
    k = KernelText("i64 @hash(ptr %state)", words)
    k.ret(k.state_hash(Pointer("%state")))
    return k.text()


def _spread(name: str, kind: type[Table]) -> str:
    """`spread(table, old, slots, aside, piece)`: move the slots of a table that has become larger to where they belong.

    Positions only grow, in the order of the hashes, so pieces are taken out from the end to the beginning, into `aside`
    with room for a piece, whose size is a power of two, and put back. A slot that would belong before its piece, among
    those not yet taken out, would be displaced a thousand times as far as hashes make plausible: then the result is 1,
    and the table is of no use.
    """
    k = KernelText(f"i64 @{name}(ptr noalias %table, i64 %old, i64 %slots, ptr noalias %aside, i64 %piece)", 0)
    aside = Pointer("%aside")
    taken, position = k.variable(Word, 0), k.variable(Word, 0)
    table = kind(k, Pointer("%table"), Word("%slots"))
    rest, mask = k.variable(Word, Word("%old")), k.sub(0, Word("%piece"))
    with k.loop() as (_, done):
        end = rest.get()
        k.jump_if(k.eq(end, 0), done)
        start = k.and_(k.sub(end, 1), mask)
        rest.set(start)
        taken.set(0)
        with k.each(start, end) as i:
            place = table.place(i)
            slot, n = k.load64(place), taken.get()
            k.store64(0, place)
            k.store64(slot, k.element(aside, n))
            one = k.as_word(k.ne(slot, 0))
            taken.set(k.add(n, one))
        with k.each(0, taken.get()) as i:
            slot = k.load64(k.element(aside, i))
            home = table.home(slot)
            with k.where(k.ult(home, start)):
                k.return_here(1)
            put_slot(table, slot, home, position)
    k.ret(0)
    return k.text()


def _absorb(words: int) -> str:
    """`absorb(context, first, end)`: put the fingerprints of these records into the filters, which have room."""
    k = KernelText("void @absorb(ptr noalias %context, i64 %first, i64 %end)", words)
    position = k.variable(Word, 0)
    visited = Visited(k, shared=True)
    with k.each(Word("%first"), Word("%end")) as i:
        hash = k.state_hash(k.record(i))
        table, slot = visited.filter(hash), k.fingerprint(hash)
        put_slot(table, slot, table.home(slot), position)
    k.ret()
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
    position, parent = k.variable(Word, 0), k.variable(Word, 0)
    with k.each(Word("%first"), Word("%end")) as i:
        source = k.element(Pointer("%from"), k.mul(i, words + 1))
        hash = k.state_hash(source)
        count = k.number("count")
        predecessor = k.field(source, words)
        former = k.lshr(predecessor, INSTANCE_BITS)
        parent.set(former)
        with k.where(k.ne(former, INITIAL)):
            worker = k.lshr(former, LOCAL_BITS)
            base = k.load(Pointer, k.element(Pointer("%before"), worker, "ptr"))
            local = k.and_(former, (1 << LOCAL_BITS) - 1)
            parent.set(k.load64(k.element(base, local)))
        record = k.record(count)
        for w in range(words):
            k.put(record, w, k.field(source, w))
        instance = k.and_(predecessor, INSTANCE)
        k.put(record, words, k.predecessor(parent.get(), instance))
        k.store64(k.own_name(count), k.element(Pointer("%names"), i))
        k.set_number("count", k.add(count, 1))
        if table:
            visited = Visited(k, shared=True)
            part = visited.table(hash)
            put_slot(part, visited.slot(hash, count), part.home(hash), position)
        k.bump_at("occupancy", Visited(k, shared=True).part(hash))
    k.ret()
    return k.text()
