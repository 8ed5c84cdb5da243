"""The cells of a proof: obligations, and what came of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .followed import Counterexample
from .obligations import Obligation

Verdict = Literal["proved", "untouched", "counterexample", "unknown"]


@dataclass(frozen=True)
class Cell:
    """An obligation and what came of it. `parts` are the questions that it was split into, of which `open` are left.

    `counterexample` is one of the bounded prover. `ways` say how the solver found its answers.
    """

    obligation: Obligation
    verdict: Verdict
    parts: int = 0
    open: int = 0
    resources: int = 0
    seconds: float = 0.0
    ways: tuple[str, ...] = ()
    counterexample: Counterexample | None = None
