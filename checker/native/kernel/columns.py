"""Entries of a distributed search as columns: they have no unused bytes, and compress better than rows.

A row is an entry: the words of a state, the instance that reached it, the hash of the state before. Hashes are a column
by themselves, as no compression makes them smaller. The others lie one behind the other: each word of the states, then
the instances, in two bytes each.
"""

from __future__ import annotations

from ..llvm.operands import Pointer, Word
from ..program.program import INSTANCE_BITS
from .superstep_vocabulary import SuperstepText

HASH_BYTES = 8
NARROW = f"i{INSTANCE_BITS}"
SIGNATURE = "void @{}(ptr noalias %records, ptr noalias %hashes, ptr noalias %columns, i64 %n)"
COUNT = Word("%n")


def column_bytes(words: int) -> int:
    """How many bytes of an entry are in the columns beside the hash, for states of so many words."""
    return 8 * words + INSTANCE_BITS // 8


def to_columns(words: int) -> str:
    """`to_columns(records, hashes, columns, n)`: write n entries as columns."""
    k = SuperstepText(SIGNATURE.format("to_columns"), words)
    wide, instances = _columns(k)
    with k.each(0, COUNT) as i:
        entry = k.element(Pointer("%records"), k.mul(i, words + 2))
        for at, column in wide.items():
            k.store64(k.field(entry, at), k.element(column, i))
        k.store_narrowed(k.field(entry, words), k.element(instances, i, NARROW), NARROW)
    k.ret()
    return k.text()


def to_records(words: int) -> str:
    """`to_records(records, hashes, columns, n)`: write n entries as rows."""
    k = SuperstepText(SIGNATURE.format("to_records"), words)
    wide, instances = _columns(k)
    with k.each(0, COUNT) as i:
        entry = k.element(Pointer("%records"), k.mul(i, words + 2))
        for at, column in wide.items():
            k.put(entry, at, k.load64(k.element(column, i)))
        k.put(entry, words, k.load_widened(k.element(instances, i, NARROW), NARROW))
    k.ret()
    return k.text()


def _columns(k: SuperstepText) -> tuple[dict[int, Pointer], Pointer]:
    """Where the columns of whole words begin, by the word of an entry; and where that of the instances does."""
    *states, instances = (k.element(Pointer("%columns"), k.mul(COUNT, w)) for w in range(k.words + 1))
    return {**dict(enumerate(states)), k.words + 1: Pointer("%hashes")}, instances
