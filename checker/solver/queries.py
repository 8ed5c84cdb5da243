"""What is asked of the solver, as plain data: the premises that all questions of a proof share, and the questions.

A question is about one action instance, or about one property that the lemmas should imply. Its obligations are asked
one after the other in one solver, so its answers depend on nothing but its content: that is what `key` digests, what
the cache is keyed by, and why any number of workers gives the same answers. `encoding` makes the questions; processes
that only answer them load neither it nor the compiler.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from .portable import Row
from .terms import LeafShape

EncodedVerdict = Literal["proved", "counterexample", "unknown"]


@dataclass(frozen=True)
class Assumptions:
    """What a state may be taken to satisfy: `typed` conditions, the `constraint` on states that have steps, `lemmas`.

    `typed`, `constraint` and `lemmas` are numbers of rows.
    """

    leaves: tuple[LeafShape, ...]
    rows: tuple[Row, ...]
    typed: tuple[int, ...]
    constraint: int
    lemmas: tuple[int, ...]

    @cached_property
    def key(self) -> str:
        """A digest of the content."""
        return _digest(self.leaves, self.rows, self.typed, self.constraint, self.lemmas)


@dataclass(frozen=True)
class Query:
    """The obligations of one action instance, or (`enabled` is None) that the lemmas imply the `properties`.

    Other numbers are of rows of this question; `assumed` and `preserved` count the lemmas of the premises. `updates`
    are pairs of a leaf and its new value. `rlimit` is in Z3's resource units, for each obligation. With `least` the
    counterexamples are the least ones.
    """

    rows: tuple[Row, ...]
    assumed: tuple[int, ...]
    rlimit: int
    enabled: int | None = None
    updates: tuple[tuple[int, int], ...] = ()
    failures: tuple[int, ...] = ()
    stays_typed: tuple[int, ...] = ()
    preserved: tuple[int, ...] = ()
    properties: tuple[int, ...] = ()
    least: bool = True

    def key(self, premises: Assumptions) -> str:
        """A digest of the question: all that the answers depend on but the solver and the code that asks it."""
        return _digest(
            premises.key,
            self.rows,
            self.assumed,
            self.rlimit,
            self.enabled,
            self.updates,
            self.failures,
            self.stays_typed,
            self.preserved,
            self.properties,
            self.least,
        )


@dataclass(frozen=True)
class SolverResult:
    """The answer to one obligation of a question.

    `codes` is the state of a counterexample: of all of them the least, leaf by leaf in the order of the state, if that
    was asked for. `core` counts the lemmas that a proof used, `reason` says why there is no answer. `seconds` is
    processor time.
    """

    verdict: EncodedVerdict
    seconds: float
    codes: tuple[int, ...] | None = None
    reason: str = ""
    core: tuple[int, ...] = ()


def _digest(*content: object) -> str:
    return hashlib.blake2b(repr(content).encode(), digest_size=20).hexdigest()
