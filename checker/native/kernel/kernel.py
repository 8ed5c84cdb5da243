"""The search kernel, as LLVM text for a given shape of search; `search.c` says how it works."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from .written import written


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
    return written("search", **asdict(shape))
