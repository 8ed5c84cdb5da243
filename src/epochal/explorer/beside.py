"""Two protocols on one schedule: the steps of a run are taken in another one, too, until that one refuses.

The other may have other variables, and more or fewer steps: steps are told apart by their labels.
"""

from __future__ import annotations

from dataclasses import dataclass

from epochal.checker.trace.report.document import Moment, Report
from epochal.checker.trace.report.guards import Guard

from .address import Address
from .shelf import Opened
from .walk import Walk, walk


@dataclass(frozen=True)
class Beside:
    """What another protocol does on the schedule of a run.

    `rows` are its states and steps as the page shows them, as far as it goes along; `refused` is the number of the
    step that it does not take, with the guard, or why it has no such step. None if it goes along to the end.
    """

    opened: Opened
    report: Report
    rows: tuple[Moment, ...]
    refused: int | None
    why: str
    guards: tuple[Guard, ...]
    differs_at: int | None

    @property
    def said(self) -> str:
        """What came of it, in a sentence."""
        name = self.opened.reference
        if self.refused is None:
            return f"{name} goes along: every step of this run is possible there, too."
        return f"{name} cannot go along beyond state {self.refused - 1}: step {self.refused} is not possible there."


def beside(opened: Opened, run: Walk) -> Beside:
    """Take the steps of a run in another protocol, from its own first state."""
    steps = tuple(run.opened.labels[step.instance.number] for step in run.trace.steps)
    first = run.address.first if run.address.first < len(opened.initial_states) else 0
    other = walk(opened, Address(opened.reference, opened.own_bounds, first=first, steps=steps))
    report, refused = other.report(), other.refused
    return Beside(
        opened,
        report,
        tuple(report.moments),
        None if refused is None else refused.number,
        "" if refused is None else refused.why,
        () if refused is None else refused.guards,
        _first_difference(run.report(), report),
    )


def _first_difference(one: Report, other: Report) -> int | None:
    """The first state that people read otherwise; None if there is none as far as both go."""
    for mine, theirs in zip(one.moments, other.moments, strict=False):
        if (mine.cards, mine.fields) != (theirs.cards, theirs.fields):
            return mine.number
    return None
