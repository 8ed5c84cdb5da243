"""The search kernel: breadth-first expansion over packed states, as LLVM text for a given shape of search.

States are kept whole (no two are ever confused) in records: the words of the state and one word with its parent and
the instance that led to it. The visited table is open addressing over 8-byte slots: the top half of the state's hash
and, in the lower half, the index of its record plus one (with several workers, the number of its worker above that). A
slot lies in the bucket of eight that the top of the hash, scaled to the table's size, says, or beyond: so the table can
have any number of buckets and grows by one sequential sweep; several workers share a table in parts (`visited`).

Of all steps that reach a state at its level, the one with the least instance, and of those the one from the state with
the least hash, is kept as its predecessor. So the order in which states are found does not matter, and neither
does the number of workers: counts, traces and digests depend on the specification alone.

Steps are taken (`take`) and their successors gathered to a batch (`gather`), and their buckets are prefetched; then
these are looked at and the records that they lead to are prefetched; only then are the states compared (`batch`). Three
batches are on their way at a time (`flight`). Memory and unpredictable branches are what a search waits for, and this
hides most of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from .batch import batch_texts
from .evaluate import evaluation_texts
from .expand import expand_text
from .gather import gathering_texts
from .insert import insertion_texts
from .rehash import table_texts
from .shared import expand_shared_text
from .take import taking_texts

DECLARATIONS = (
    "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
    "declare i64 @llvm.umin.i64(i64, i64)",
    "declare i64 @llvm.cttz.i64(i64, i1)",
    "declare i64 @llvm.ctpop.i64(i64)",
)


@dataclass(frozen=True)
class Shape:
    """What the kernel's code depends on.

    `words` is the size of a state. `constrained` says that there is a state constraint, `compacted` that older levels
    are known by their fingerprints only (hash compaction), and `symmetric` that each state is replaced by its
    representative.
    """

    words: int
    constrained: bool = False
    compacted: bool = False
    symmetric: bool = False


def kernel_text(shape: Shape) -> str:
    """The LLVM module of the kernel."""
    parts = [
        *DECLARATIONS,
        *insertion_texts(shape.words, shape.constrained, shape.compacted),
        *evaluation_texts(shape.words),
        *batch_texts(shape.words, simple=not (shape.constrained or shape.compacted)),
        *taking_texts(shape.words),
        *gathering_texts(shape.words, shape.compacted, shape.symmetric),
        expand_text(shape.words, shape.symmetric),
        expand_shared_text(shape.words, shape.symmetric),
        *table_texts(shape.words),
    ]
    return "\n".join(parts)
