"""Lemmas that follow from other lemmas: they hold after every step that preserves the others.

Such a lemma is a remark on what the others mean together. That a step preserves it is often hard to show, and that it
follows is often easy. Where a step is proved to lead to a typed state in which the others hold, both come to the same.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ..solver.obligations import EVALUATION
from .asking import Asking
from .cells import Cell
from .obligations import Obligation, Place, Plan


def with_implied(
    cells: Sequence[Cell],
    plan: Plan,
    asking: Asking,
    steep: bool,
    refuted: Collection[Place] = (),
) -> list[Cell]:
    """The cells, of which those are proved whose lemma follows from lemmas that the same action is proved to preserve.

    What is proved so may serve to prove more: no lemma leans on itself, for each leans on what was proved before.
    `refuted` are the rows and columns that have a counterexample.
    """
    found = list(cells)
    tried: set[tuple[str, frozenset[str]]] = set()
    while True:
        before = list(found)
        for lemma in (one.member.name for one in plan.lemmas):
            rows = _open_rows(found, lemma) - {row for row, column in refuted if column == lemma}
            kept = frozenset.intersection(*(_kept(found, row) for row in rows)) if rows else frozenset[str]()
            if rows and (lemma, kept) not in tried:
                tried.add((lemma, kept))
                found = _asked(found, lemma, rows, plan.implied(lemma, kept), asking, steep)
        if found == before:
            return found


def _asked(
    cells: list[Cell], lemma: str, rows: Collection[str], obligation: Obligation, asking: Asking, steep: bool
) -> list[Cell]:
    """The cells after the question whether a lemma follows, in which case it is preserved in these rows."""
    answers = asking(obligation.questions, steep)
    follows = all(answer.proved for answer in answers)
    resources, seconds = sum(answer.resources for answer in answers), sum(answer.seconds for answer in answers)
    found = []
    for cell in cells:
        if cell.obligation.column == lemma and cell.obligation.row in rows:
            cell = replace(cell, resources=cell.resources + resources, seconds=cell.seconds + seconds)
            resources, seconds = 0, 0.0  # the question is asked once, for all of them
            if follows:
                cell = replace(cell, verdict="proved", left=(), ways=(*cell.ways, "implied"))
        found.append(cell)
    return found


def _open_rows(cells: Sequence[Cell], lemma: str) -> set[str]:
    """The actions that are proved to lead to typed states, and not yet to preserve a lemma."""
    sound = {cell.obligation.row for cell in cells if cell.obligation.column == EVALUATION and not cell.open}
    mine = [cell for cell in cells if cell.obligation.kind == "preservation" and cell.obligation.column == lemma]
    return {cell.obligation.row for cell in mine if cell.open} & sound


def _kept(cells: Sequence[Cell], row: str) -> frozenset[str]:
    """The lemmas that an action is proved to preserve, or does not touch."""
    mine = [cell for cell in cells if cell.obligation.row == row and cell.obligation.kind == "preservation"]
    return frozenset(cell.obligation.column for cell in mine if not cell.open)
