"""What partitions report of a level: counts, digests and findings, and how reports add up to one of the whole level."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field, replace
from typing import Any

from checker.native.program import FAILED
from checker.native.superstep_text import FINDINGS, KEY_WORDS, finding_words
from checker.search.digest import MASK

WORD = ctypes.c_uint64
STEP, LEFT, STATE = "step", "left", "state"


@dataclass(frozen=True)
class Found:
    """A finding: `bit` is the property, or FAILED for a rule that could not be evaluated.

    kind "step": `key` is (instance, hash before) and `words` are the state before. "left": a step into a state outside
    the constraint that the state shows; `key` is (hash, instance, hash before), `words` the state before. "state":
    the same key, and `words` are the state itself.
    """

    kind: str
    bit: int
    key: tuple[int, ...]
    words: tuple[int, ...]

    @property
    def failed(self) -> bool:
        """Whether a rule could not be evaluated."""
        return self.bit == FAILED


@dataclass(frozen=True)
class Report:
    """Sums over some states of a level, and the least findings among them."""

    expanded: int = 0
    dead_ends: int = 0
    left_constraint: int = 0
    steps_low: int = 0
    steps_high: int = 0
    digest_low: int = 0
    digest_high: int = 0
    steps: tuple[int, ...] = ()
    new_states: tuple[int, ...] = ()
    findings: tuple[Found, ...] = ()

    def __add__(self, other: Report) -> Report:
        """The report of both."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in SUMS}
        digests = {name: (getattr(self, name) + getattr(other, name)) & MASK for name in DIGESTS}
        return Report(
            **sums,
            **digests,
            steps=_added(self.steps, other.steps),
            new_states=_added(self.new_states, other.new_states),
            findings=least((*self.findings, *other.findings)),
        )

    def document(self) -> dict[str, Any]:
        """The report as JSON values."""
        found = [[f.kind, f.bit, list(f.key), list(f.words)] for f in self.findings]
        counts = {name: getattr(self, name) for name in (*SUMS, *DIGESTS)}
        return {**counts, "steps": list(self.steps), "new_states": list(self.new_states), "findings": found}


SUMS = ("expanded", "dead_ends", "left_constraint")
DIGESTS = ("steps_low", "steps_high", "digest_low", "digest_high")


def report_of(document: dict[str, Any]) -> Report:
    """The report that a document stands for."""
    found = tuple(Found(kind, bit, tuple(key), tuple(words)) for kind, bit, key, words in document["findings"])
    return Report(
        **{name: document[name] for name in (*SUMS, *DIGESTS)},
        steps=tuple(document["steps"]),
        new_states=tuple(document["new_states"]),
        findings=found,
    )


def least(findings: tuple[Found, ...]) -> tuple[Found, ...]:
    """The least finding of each kind for each property."""
    best: dict[tuple[str, int], Found] = {}
    for found in findings:
        place = found.kind, found.bit
        if place not in best or found.key < best[place].key:
            best[place] = found
    return tuple(best[place] for place in sorted(best))


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
        size = FINDINGS * finding_words(self.words)
        for name in ("step_findings", "left_findings", "state_findings"):
            self.arrays[name] = (WORD * size)()
        for name in ("steps", "new_states"):
            self.arrays[name] = (WORD * (self.instances + 1))()

    def addresses(self) -> dict[str, int]:
        """Where the arrays lie, by their names in the kernel's context."""
        return {name: ctypes.addressof(array) for name, array in self.arrays.items()}

    def report(self, context: Any) -> Report:
        """What the kernel has counted and found."""
        findings = tuple(
            found for kind, size in ((STEP, 2), (LEFT, 3), (STATE, 3)) for found in self._found(kind, size)
        )
        return replace(
            Report(**{name: context[name] for name in (*SUMS, *DIGESTS)}),
            steps=tuple(self.arrays["steps"][: self.instances]),
            new_states=tuple(self.arrays["new_states"][: self.instances]),
            findings=findings,
        )

    def _found(self, kind: str, key_size: int) -> list[Found]:
        array, size = self.arrays[f"{kind}_findings"], finding_words(self.words)
        found = []
        for bit in range(FINDINGS):
            at = bit * size
            if array[at]:
                key = tuple(array[at + 1 : at + 1 + key_size])
                found.append(Found(kind, bit, key, tuple(array[at + 1 + KEY_WORDS : at + size])))
        return found
