"""The cells of a proof: obligations, and what came of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .followed import Counterexample
from .obligations import Obligation

Verdict = Literal["proved", "untouched", "counterexample", "unknown"]


@dataclass(frozen=True)
class Cell:
    """An obligation and what came of it. `left` are those of its questions that have no answer, by their places.

    `counterexample` is one of the bounded prover. `ways` say how the solver found its answers.
    """

    obligation: Obligation
    verdict: Verdict
    left: tuple[int, ...] = ()
    resources: int = 0
    seconds: float = 0.0
    ways: tuple[str, ...] = ()
    counterexample: Counterexample | None = None

    @property
    def parts(self) -> int:
        """How many questions it was split into."""
        return len(self.obligation.questions)

    @property
    def open(self) -> int:
        """How many of them have no answer."""
        return len(self.left)
