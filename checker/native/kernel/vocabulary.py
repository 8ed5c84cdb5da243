"""What Python and the kernel of a search, which is written in `search.c`, must know alike."""

from __future__ import annotations

from enum import Enum

from ..llvm.lanes import LANES

CONTEXT = (
    *("records", "table", "slots", "count", "capacity", "cursor", "level_end", "stop_at", "pending"),
    *("buffer", "buffer_entries", "out_degree", "group", "made", "origins", "origin_count", "columns"),
    *("column_room", "lists", "terminal_states", "left_constraint", "digest_low", "digest_high"),
    *("steps_low", "steps_high", "steps", "constants", "findings", "step", "judge", "eight", "eight_steps"),
    *("within", "canonical_eight", "worker", "workers", "record_bases", "filter", "filter_slots", "parts"),
    *("occupancy", "index_bits", "places", "level_ends", "cursors", "signals", "quantum", "limits"),
    *("batch", "batch_end", "batch_of"),
)
"""The slots of a worker's context, one 64-bit word each: what the kernel reads and keeps.

`pending` are the bits of the properties still looked for, `terminal_states` the states without a step, `steps` the
transitions of each instance, `record_bases` the addresses of every worker's records, `places` what slots need to know
of them. `buffer` has room for four times `buffer_entries` entries: those that `step` writes, and three batches on their
way into the table; `origins` says which states they come from, `columns` is where the steps of eight states are taken,
a group of states at a time, and `lists` is for those among them that need more work. `capacity` is how many states
there is room for; `occupancy` how many this worker has put into each part of the table, and `limits` how many it may.
`batch`, `batch_end` and `batch_of` are what is left of the states that it has taken, and whose records they are;
`quantum` is after how many states all workers stop. `eight` is zero if properties are evaluated on one state at a time,
`eight_steps` if steps are taken so.
"""

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
