"""What Python knows of the kernel of a distributed search, which is written in `superstep.c`."""

from __future__ import annotations

from ..program.program import INSTANCE_BITS
from .vocabulary import FAILURE
from .written import written

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
"""A finding is 1 if there is one, four words of key (those of `vocabulary.FINDING_WORDS`), and the words of a state:
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
