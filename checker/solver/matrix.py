"""A proof as a matrix: for each action and each lemma one verdict, over all choices of the action's parameters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from .induction import ObligationResult, ProofResult, Verdict
from .obligations import IMPLICATION, INITIALLY

FACT = "first_state"
"""The fact of a trace that says whether its first state can be reached."""

REACHED = "reached"
"""How it begins if it can."""

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
        """An answer with a counterexample: the first whose first state is reached, else the first."""
        found = [answer for answer in self.answers if answer.trace is not None]
        return min(found, key=lambda answer: not first_state(answer).startswith(REACHED), default=None)

    @property
    def failed(self) -> tuple[ObligationResult, ...]:
        """The answers with a counterexample, one an instance: where identifiers are alike, so are these."""
        return tuple(answer for answer in self.answers if answer.verdict == "counterexample")


def matrix(result: ProofResult) -> tuple[Cell, ...]:
    """The cells, in the order of the rows and columns of the proof."""
    found: dict[tuple[str, str], list[ObligationResult]] = {}
    for answer in result.answers:
        found.setdefault((_row(answer), answer.obligation.column), []).append(answer)
    return tuple(Cell(row, column, tuple(answers)) for (row, column), answers in found.items())


def told(cells: Iterable[Cell]) -> Cell | None:
    """The cell whose counterexample a report tells."""
    return next(iter(ranked(cells)), None)


def ranked(cells: Iterable[Cell]) -> list[Cell]:
    """The cells that have a counterexample, in the order in which they are worth reading.

    In an initial state, then those whose first state is reached, which is a bug, then of steps, then of implications;
    and of several first the one in which most is blank, so that least is left to be read.
    """

    def rank(cell: Cell) -> tuple[bool, bool, bool, int]:
        assert cell.shown is not None
        trace = cell.shown.trace
        said = sum(map(bool, trace.initial)) if trace is not None else 0
        reached = first_state(cell.shown).startswith(REACHED)
        return cell.row != INITIALLY, not reached, cell.row == IMPLICATION, said

    return sorted((cell for cell in cells if cell.shown is not None), key=rank)


def first_state(answer: ObligationResult) -> str:
    """Whether the first state of a counterexample can be reached, in words; "" if nobody has looked."""
    return "" if answer.trace is None else str(answer.trace.facts.get(FACT, ""))


def _row(answer: ObligationResult) -> str:
    if answer.obligation.instance is not None:
        return answer.obligation.instance.action.name
    return INITIALLY if answer.obligation.kind == "initiation" else IMPLICATION
