"""A proof as a matrix: for each action and each lemma one verdict, over all choices of the action's parameters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from .induction import ObligationResult, ProofResult, Verdict

INITIALLY = "initially"
IMPLICATION = "implication"
CellVerdict = Literal["proved", "counterexample", "unknown", "untouched"]


@dataclass(frozen=True)
class Cell:
    """The obligations of one action and one lemma. `untouched` if the action writes nothing that the lemma reads.

    `row` is the action's name, "initially" or "implication"; `column` the lemma or property, or "evaluation".
    """

    row: str
    column: str
    answers: tuple[ObligationResult, ...]

    @property
    def verdict(self) -> CellVerdict:
        """The worst verdict of the instances."""
        if not any(answer.asked for answer in self.answers):
            return "untouched"
        found: set[Verdict] = {answer.verdict for answer in self.answers}
        return "counterexample" if "counterexample" in found else "unknown" if "unknown" in found else "proved"

    @property
    def seconds(self) -> float:
        """Processor time inside Z3."""
        return sum(answer.seconds for answer in self.answers)

    @property
    def shown(self) -> ObligationResult | None:
        """The first answer with a counterexample."""
        return next((answer for answer in self.answers if answer.trace is not None), None)


def matrix(result: ProofResult) -> tuple[Cell, ...]:
    """The cells, in the order of the rows and columns of the proof."""
    found: dict[tuple[str, str], list[ObligationResult]] = {}
    for answer in result.answers:
        found.setdefault((_row(answer), answer.obligation.column), []).append(answer)
    return tuple(Cell(row, column, tuple(answers)) for (row, column), answers in found.items())


def told(cells: Iterable[Cell]) -> Cell | None:
    """The cell whose counterexample a report tells: in an initial state, else of a step, else of an implication."""
    failed = [cell for cell in cells if cell.shown is not None]
    return min(failed, key=lambda cell: (cell.row != INITIALLY, cell.row == IMPLICATION), default=None)


def _row(answer: ObligationResult) -> str:
    if answer.obligation.instance is not None:
        return answer.obligation.instance.action.name
    return INITIALLY if answer.obligation.kind == "initiation" else IMPLICATION
