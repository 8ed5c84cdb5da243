"""Which branches of the specification Kafka's own classes have taken, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from epochal.kafka.lockstep.coverage import shown_branch

from .lockstep import render_kinds, shown_steps
from .page import Page

if TYPE_CHECKING:
    from epochal.kafka.lockstep.class_path import KafkaClasses
    from epochal.kafka.lockstep.coverage import BranchSeen
    from epochal.kafka.lockstep.covering import Covered


def render_coverage(page: Page, found: Covered, headline: str, kafka: KafkaClasses, files: Sequence[str]) -> None:
    """How much of each action was taken, each branch that was not with the reason, and the runs that differ."""
    coverage = found.coverage
    page.line(headline, "bad" if found.runs.differing or coverage.missing else "good")
    page.line(f"steps: {shown_steps(found.runs)}", indent=2)
    counts = [
        Counter(one.branch.action for one in some)
        for some in (coverage.taken, coverage.missing, coverage.unreached, coverage.elsewhere)
    ]
    for one in coverage.looked:
        bounds = ", ".join(f"{name} {value}" for name, value in one.bounds.items())
        page.line(f"runs to what was missing were searched for with {one.place}: {bounds}", "faint", indent=2)
    actions = sorted({one.branch.action for one in coverage.branches})
    page.table(
        [(action, *(f"{count[action]:,}" for count in counts)) for action in actions],
        header=("ACTION", "TAKEN", "MISSING", "NOT REACHED", "OTHER SETTINGS"),
        right=(1, 2, 3, 4),
    )
    _section(page, "Missing", coverage.missing)
    _section(page, "Not reached: these settings allow it, and no run within the bounds takes it", coverage.unreached)
    _section(page, "Other settings", coverage.elsewhere)
    render_kinds(page, found.runs, kafka, files)


def _section(page: Page, title: str, branches: Sequence[BranchSeen]) -> None:
    if not branches:
        return
    page.title(title)
    page.table([(one.branch.action, shown_branch(one.branch), one.reason) for one in branches])
