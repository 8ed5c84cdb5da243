"""The search kernels as LLVM text, and what Python and their C (`search.c`, `liveness.c`, `superstep.c`) know alike."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from enum import Enum
from functools import cache
from importlib.resources import files

from ..llvm.instructions import LANES
from ..program.program import INSTANCE_BITS

_LEFT_OPEN = re.compile(r"@(\w+) = external constant i64,")


def written(kernel: str, **constants: int) -> str:
    """Return the LLVM module of a kernel in which the constants that the C leaves open have these values. `python -m
    tests.checker.native.kernel.written` makes the text of the C: a search needs no compiler."""
    text = text_of(kernel)
    left = set(_LEFT_OPEN.findall(text))
    if left != constants.keys():
        raise ValueError(f"the constants of the kernel {kernel} are {sorted(left)}, not {sorted(constants)}")
    return _LEFT_OPEN.sub(lambda one: f"@{one[1]} = internal constant i64 {int(constants[one[1]])},", text)


@cache
def text_of(kernel: str) -> str:
    return (files(__package__) / f"{kernel}.ll").read_text(encoding="ascii")


# -- search -----------------------------------------------------------------------------------------------------------
# `search.c` says how the kernel of a search works.

CONTEXT = (
    *("records", "table", "slots", "count", "capacity", "cursor", "level_end", "stop_at", "pending"),
    *("buffer", "buffer_entries", "out_degree", "group", "made", "origins", "origin_count", "columns"),
    *("column_room", "lists", "terminal_states", "left_constraint", "digest_low", "digest_high"),
    *("steps_low", "steps_high", "steps", "constants", "findings", "step", "judge", "eight", "eight_steps"),
    *("within", "canonical_eight", "worker", "workers", "record_bases", "filter", "filter_slots", "parts"),
    *("occupancy", "index_bits", "places", "level_ends", "cursors", "signals", "quantum", "limits"),
    *("batch", "batch_end", "batch_of"),
    *("core", "budgets", "budget_count", "dominated", "staged", "names"),
)
"""The slots of a worker's context, one 64-bit word each: what the kernel reads and keeps.

`pending` are the bits of the properties still looked for, `terminal_states` the states without a step, `steps` the
transitions of each instance, `record_bases` the addresses of every worker's records, `places` what slots need to know
of them. `buffer` has room for four times `buffer_entries` entries: those that `step` writes, and three batches on their
way into the table; `origins` says which states they come from, `columns` is where the steps of eight states are taken,
a group of states at a time, and `lists` is for those among them that need more work. `capacity` is how many states
there is room for; `occupancy` how many this worker has put into each part of the table, and `limits` how many it may.
`batch`, `batch_end` and `batch_of` are what is left of the states that it has taken, and whose records they are;
`quantum` is after how many states all workers stop. `core` has the bits of a state that are in no budget, `budgets` the
`budget_count` budgets by which states dominate others, `dominated` how many states were left out for that; `staged` is
for copies of the states whose steps are taken then, and `names` for their names. `eight` is zero if properties are
evaluated on one state at a time, `eight_steps` if steps are taken so.
"""

BUDGET_WORDS = 5
"""A budget: the word of its field, the field's first bit, its bits, those of them that are turned over (all if more is
better, else none), and its first bit in the rank of a state."""

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

PART_WORDS = 4
"""A part: the address of its table and the slots of it, the address of its filter and the slots of that."""

PLACE_WORDS = 2
"""A worker's records, as slots count them: where those from number zero on would lie, and the first of the next
frontier. A slot's number of a record is that of the worker above the index, so the worker's first is not zero."""

ORIGIN_WORDS = 3
"""What is known of a state whose successors are in the buffer: where they end, its name, its hash."""

COLUMNS_FROM = 3 * LANES
"""Where the columns that `eight_steps` writes begin, after three numbers for each lane: how many successors its state
has, the place of the next of them, and the hash of the state."""

IN_FLIGHT = 3
"""How many batches there are at a time: gathered, looked up, and to be settled."""

STRIDE = 2 * LINE
"""What different workers write lies so many words apart."""

TAKEN, STOP = 0, STRIDE
"""The signals: how many states have been taken in this quantum, and whether everybody is to stop."""

COUNTED = 4
"""For so many times as many buckets as a piece had it is counted how full they are, while it is put back."""


def aside_words(piece: int) -> int:
    """The room that `spread` and `spread_filter` need aside, for pieces of so many slots."""
    return piece + piece * COUNTED // LANES // 8 + 1


class Variant(Enum):
    """Who runs a kernel function; the value is what follows its name."""

    ALONE = ""
    SHARED = "_shared"

    def named(self, function: str) -> str:
        """The name of this variant of a function."""
        return function + self.value

    @classmethod
    def of(cls, workers: int) -> Variant:
        """What so many workers run."""
        return cls.ALONE if workers == 1 else cls.SHARED


@dataclass(frozen=True)
class Shape:
    """What the kernel's code depends on.

    `words` is the size of a state. `constrained` says that there is a state constraint, `compacted` that older levels
    are known by their fingerprints only (hash compaction), `symmetric` that each state is replaced by its
    representative, and `dominating` that states which others dominate are not expanded.
    """

    words: int
    constrained: bool = False
    compacted: bool = False
    symmetric: bool = False
    dominating: bool = False


def kernel_text(shape: Shape) -> str:
    """The LLVM module of the kernel."""
    return written("search", **asdict(shape))


# -- liveness ---------------------------------------------------------------------------------------------------------

LIVENESS_CONTEXT = (
    *("records", "base", "first", "end", "states"),
    *("table", "slots", "workers", "parts", "index_bits", "record_bases", "number_bases"),
    *("step", "buffer", "buffer_entries", "out_degree", "cursor", "stop_at"),
    *("eight_steps", "columns", "column_room"),
    *("offsets", "targets", "labels", "edges", "room", "missing"),
    *("premises", "goals", "failing", "once", "stopped", "by"),
    *("waiting", "without", "failed", "found", "counts"),
    *("bit", "component", "within", "low", "stack", "frames", "cursors"),
    *("always", "taken", "ever", "verdicts", "weak", "strong", "left", "doomed", "components"),
    *("ends", "cost", "levels", "wanted", "target", "best_cost", "best_kind", "best_hash", "best"),
    *("origin", "origin_label", "origin_hash"),
)
"""The slots of the context, one 64-bit word each."""

OUTSIDE = (1 << 32) - 1
"""The target of an edge that leaves the constraint."""

FAR = (1 << 32) - 1
"""The cost of a state that is not to be come to."""

STAYS = 1 << 31
"""The bit of a doomed state where no fair step is possible; the others are the number of its component."""

OPEN, BOUNDED, OTHER = 1, 2, 3
"""Kinds of ends: nothing is wrong with it so far; a bound makes it; it is where no run may end."""


def liveness_kernel_text(words: int, shared: bool) -> str:
    """The LLVM module; `shared` says that several workers have searched, whose table has parts."""
    return written("liveness", words=words, several=shared)


# -- a distributed search ---------------------------------------------------------------------------------------------

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
"""A finding is 1 if there is one, four words of key (those of `FINDING_WORDS`), and the words of a state:
the one before the step that the finding is about, or the one that it is about itself."""

FINDINGS = FAILURE + 1
"""One finding for each property, and one for a rule that fails."""

HASH_BYTES = 8


def finding_words(words: int) -> int:
    """The size of a finding, in words."""
    return 1 + KEY_WORDS + words


def column_bytes(words: int) -> int:
    """How many bytes of an entry are in the columns beside the hash, for states of so many words."""
    return 8 * words + INSTANCE_BITS // 8


def superstep_text(words: int, constrained: bool) -> str:
    """The LLVM module of the superstep for states of this many words; `constrained` if there is a state constraint."""
    return written("superstep", words=words, constrained=constrained)
