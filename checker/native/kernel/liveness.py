"""What Python knows of the kernels that check liveness properties, which are written in `liveness.c`."""

from __future__ import annotations

from .written import written

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
