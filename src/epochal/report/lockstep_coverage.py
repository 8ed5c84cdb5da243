"""Which branches of the specification Kafka's own classes have taken, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from epochal.checker.base.numbers import counted
from epochal.kafka.lockstep.coverage import shown_branch, shown_place
from epochal.kafka.lockstep.refused import Answer

from .lockstep import render_kinds, shown_steps
from .page import Page

if TYPE_CHECKING:
    from epochal.kafka.lockstep.class_path import KafkaClasses
    from epochal.kafka.lockstep.controller_coverage import ControllerCovered
    from epochal.kafka.lockstep.coverage import BranchSeen, Coverage
    from epochal.kafka.lockstep.covering import Covered
    from epochal.kafka.lockstep.refused import GuardAsked


TOLD = (Answer.COMPOSED, Answer.CHANGED, Answer.LEFT_OUT, Answer.UNREACHED)
"""The guards of which more is told than their number."""


def render_coverage(page: Page, found: Covered, headline: str, kafka: KafkaClasses, files: Sequence[str]) -> None:
    """How much of each action was taken, each branch that was not with the reason, and the runs that differ."""
    coverage = found.coverage
    page.line(headline, "bad" if found.runs.differing or coverage.missing else "good")
    page.line(f"steps: {shown_steps(found.runs)}", indent=2)
    for one in coverage.looked:
        protocol = one.watched.protocol
        bounds = ", ".join(f"{name} {value}" for name, value in protocol.bounds.as_dict().items())
        page.line(f"a search for what was missing, with {shown_place(protocol)}: {bounds}", "faint", indent=2)
    _actions(page, coverage)
    _sections(page, coverage, "Not reached: these settings allow it, and no run within the bounds takes it")
    _guards(page, found.guards)
    render_kinds(page, found.runs, kafka, files)


def render_controller_coverage(page: Page, found: ControllerCovered, headline: str) -> None:
    """The closures, how much of each action was taken in them, and each branch that was not, with the reason."""
    coverage = found.coverage
    page.line(headline, "bad" if found.differences or coverage.missing else "good")
    page.title("Closures")
    page.table(
        [(str(asked), f"{one.states:,}", f"{one.asked:,}", f"{one.differences:,}") for asked, one in found.closures],
        header=("", "STATES", "REQUESTS", "DIFFER"),
        right=(1, 2, 3),
    )
    page.title("Branches")
    _actions(page, coverage)
    _sections(page, coverage, "Not reached: the settings allow it, and no state of these closures has it")


def _actions(page: Page, coverage: Coverage) -> None:
    """How much of each action was taken."""
    counts = [
        Counter(one.branch.action for one in some)
        for some in (coverage.taken, coverage.missing, coverage.unreached, coverage.elsewhere)
    ]
    actions = sorted({one.branch.action for one in coverage.branches})
    page.table(
        [(action, *(f"{count[action]:,}" for count in counts)) for action in actions],
        header=("ACTION", "TAKEN", "MISSING", "NOT REACHED", "OTHER SETTINGS"),
        right=(1, 2, 3, 4),
    )


def _sections(page: Page, coverage: Coverage, not_reached: str) -> None:
    """Each branch that was not taken."""
    _section(page, "Missing", coverage.missing)
    _section(page, not_reached, coverage.unreached)
    _section(page, "Other settings", coverage.elsewhere)


def _guards(page: Page, guards: Sequence[GuardAsked]) -> None:
    """How many guards Kafka has, and each that it has not shown."""
    if not guards:
        return
    counts = Counter(one.answer for one in guards)
    told = ", ".join(f"{one.value} {counts[one]}" for one in Answer if counts[one])
    page.title(f"Guards, each with a request that it alone forbids: {told}")
    for one in guards:
        if one.answer not in TOLD:
            continue
        page.line(f"{one.guard.action}, {one.guard.where}: {one.guard.text}", indent=2)
        steps = 0 if one.run is None else len(one.run.steps)
        asked = f"{one.request} after {counted(steps, 'step')}: {' '.join(one.said)}" if one.said else ""
        page.line("; ".join(filter(None, (one.answer.value, asked, one.reason))), "faint", indent=4)
        if one.answer == Answer.CHANGED:
            page.table([(leaf.leaf, leaf.model, leaf.kafka) for leaf in one.changed], header=("", "BEFORE", "AFTER"))


def _section(page: Page, title: str, branches: Sequence[BranchSeen]) -> None:
    if not branches:
        return
    page.title(title)
    page.table([(one.branch.action, shown_branch(one.branch), one.reason) for one in branches])
