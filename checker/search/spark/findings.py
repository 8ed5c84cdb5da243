"""What partitions report of a level: counts, digests and findings, and how reports add up to one of the whole level."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field, replace
from typing import Any

from ...ir.digest import MASK
from ...native.kernel.superstep import FINDINGS, KEY_WORDS, finding_words
from ...native.kernel.vocabulary import FAILED_ON_STATE, FAILURE
from ..findings import Key

WORD = ctypes.c_uint64


@dataclass(frozen=True)
class EncodedFinding:
    """A finding of the kernel: `slot` is the bit of a property, or FAILURE for a rule that could not be evaluated.

    The key is that of `checker.search.findings.Finding`. `words` are those of the state that the finding is about, or
    of the state before the step that it is about.
    """

    slot: int
    key: Key
    words: tuple[int, ...]

    def document(self) -> list[Any]:
        """The finding as JSON values."""
        return [self.slot, list(self.key), list(self.words)]

    def instance(self, of_steps: bool) -> int | None:
        """The instance of the step that the finding is about, which may lead out of the constraint; None for a state.

        `of_steps` says whether the property is one of steps.
        """
        kind, first, second, _ = self.key
        if self.slot == FAILURE:
            of_steps = kind != FAILED_ON_STATE
        if of_steps:
            return first
        return second - 1 if second else None


@dataclass(frozen=True)
class Report:
    """Sums over some states of a level, and the least findings among them."""

    expanded: int = 0
    terminal_states: int = 0
    left_constraint: int = 0
    steps_low: int = 0
    steps_high: int = 0
    digest_low: int = 0
    digest_high: int = 0
    steps: tuple[int, ...] = ()
    discovered: tuple[int, ...] = ()
    findings: tuple[EncodedFinding, ...] = ()

    def __add__(self, other: Report) -> Report:
        """The report of both."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in SUMS}
        digests = {name: (getattr(self, name) + getattr(other, name)) & MASK for name in DIGESTS}
        return Report(
            **sums,
            **digests,
            steps=_added(self.steps, other.steps),
            discovered=_added(self.discovered, other.discovered),
            findings=least((*self.findings, *other.findings)),
        )

    def document(self) -> dict[str, Any]:
        """The report as JSON values."""
        found = [f.document() for f in self.findings]
        counts = {key: getattr(self, name) for name, key in KEYS.items()}
        return {**counts, "steps": list(self.steps), "new_states": list(self.discovered), "findings": found}


SUMS = ("expanded", "terminal_states", "left_constraint")
DIGESTS = ("steps_low", "steps_high", "digest_low", "digest_high")
KEYS = {name: "dead_ends" if name == "terminal_states" else name for name in (*SUMS, *DIGESTS)}
"""What a sum is called in documents."""


def report_of(document: dict[str, Any]) -> Report:
    """The report that a document stands for."""
    found = tuple(found_of(one) for one in document["findings"])
    return Report(
        **{name: document[key] for name, key in KEYS.items()},
        steps=tuple(document["steps"]),
        discovered=tuple(document["new_states"]),
        findings=found,
    )


def found_of(document: list[Any]) -> EncodedFinding:
    """The finding that a document stands for."""
    slot, key, words = document
    return EncodedFinding(slot, tuple(key), tuple(words))


def least(findings: tuple[EncodedFinding, ...]) -> tuple[EncodedFinding, ...]:
    """The least finding for each property, and the least failure."""
    best: dict[int, EncodedFinding] = {}
    for found in findings:
        if found.slot not in best or found.key < best[found.slot].key:
            best[found.slot] = found
    return tuple(best[slot] for slot in sorted(best))


def _added(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    if not one or not other:
        return one or other
    return tuple(a + b for a, b in zip(one, other, strict=True))


@dataclass
class Tally:
    """The counters and findings that the kernel writes, for one task."""

    words: int
    instances: int
    arrays: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arrays["findings"] = (WORD * (FINDINGS * finding_words(self.words)))()
        for name in ("steps", "discovered"):
            self.arrays[name] = (WORD * (self.instances + 1))()

    def addresses(self) -> dict[str, int]:
        """Where the arrays lie, by their names in the kernel's context."""
        return {name: ctypes.addressof(array) for name, array in self.arrays.items()}

    def report(self, context: Any) -> Report:
        """What the kernel has counted and found."""
        return replace(
            Report(**{name: context[name] for name in (*SUMS, *DIGESTS)}),
            steps=tuple(self.arrays["steps"][: self.instances]),
            discovered=tuple(self.arrays["discovered"][: self.instances]),
            findings=tuple(self._found()),
        )

    def _found(self) -> list[EncodedFinding]:
        array, size = self.arrays["findings"], finding_words(self.words)
        found = []
        for slot in range(FINDINGS):
            at = slot * size
            if array[at]:
                first, second, third, fourth = array[at + 1 : at + 1 + KEY_WORDS]
                words = tuple(array[at + 1 + KEY_WORDS : at + size])
                found.append(EncodedFinding(slot, (first, second, third, fourth), words))
        return found
