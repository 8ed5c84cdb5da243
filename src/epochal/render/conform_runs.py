"""What the search for whole runs has found, for people."""

from __future__ import annotations

from collections.abc import Sequence

from epochal.checker.host.numbers import counted
from epochal.conformance.whole_run.as_trace import Told
from epochal.conformance.whole_run.judged_runs import PartitionRun, RunsVerdict
from epochal.render.page import Page

MOST = 20
MOST_WAITING = 8


def render_runs(page: Page, verdict: RunsVerdict, told: Sequence[Told] = ()) -> None:
    """For how many partitions there is a run, and where the nearest one ends for the others."""
    page.title("One run of it all")
    if not verdict.runs and not verdict.left_out:
        page.line("No log here tells of a partition.", "warn", indent=2)
    if verdict.whole:
        lines = sum(one.evidence.events for one in verdict.whole)
        steps = sum(len(one.steps) for one in verdict.whole)
        which = counted(len(verdict.whole), "partition")
        told_of = counted(lines, "decision and line", "decisions and lines")
        if steps:
            page.line(f"{which}: {told_of} are explained by", indent=2)
            page.line(f"{counted(steps, 'step')} of the specification, hidden ones included", indent=2)
        else:
            page.line(f"{which}: {told_of}, and nothing has happened since it was created", indent=2)
    _failing(page, told)
    for one in verdict.undecided[:MOST]:
        page.line(
            f"not decided: {one.partition}: {one.given_up}",
            "warn",
            indent=2,
        )
    if len(verdict.undecided) > MOST:
        page.line(f"and {len(verdict.undecided) - MOST:,} more: --format json has all", "warn", indent=2)
    for reason, number in sorted(verdict.left_out.items()):
        page.line(f"not judged: {counted(number, 'partition')}: {reason}", "warn", indent=2)
    for one in verdict.refused[:MOST]:
        _refused(page, one)
    if len(verdict.refused) > MOST:
        page.line(f"and {len(verdict.refused) - MOST:,} more partitions: --format json has all", "bad", indent=2)


def _failing(page: Page, told: Sequence[Told]) -> None:
    """The properties of the specification that fail on the way, though every step is allowed."""
    for one in told:
        if one.violated:
            what = f"{one.partition}: what the specification should keep and does not, in the run that was found"
            page.line(f"{what}{_losing(one.losses)} (others may explain it, too):", "bad", indent=2)
            page.table([(name, f"after step {state}") for name, state in one.violated])
        if one.why_not:
            judged = "" if one.is_judged else ", and its properties are not judged"
            page.line(f"{one.partition}: the run is not told as a trace{judged}: {one.why_not}", "faint", indent=2)
    if any(one.trace is not None for one in told):
        page.line("--out DIR writes each run as a trace, which 'epochal replay' tells as a story", "faint", indent=2)


def _losing(losses: int) -> str:
    """What a run does of which nobody tells: a reader has to know it before the loss is believed."""
    if not losses:
        return ""
    return f", where {counted(losses, 'crash', 'crashes')} {'loses' if losses == 1 else 'lose'} the end of a log"


def _refused(page: Page, one: PartitionRun) -> None:
    """Where the nearest run ends."""
    page.line()
    first, *others = one.stopped
    page.line(f"{first.place}: {one.partition}{_of(first.of)}", "bad")
    page.line(f"found     {first.found}", indent=2)
    page.line(f"expected  {first.expected}", indent=2)
    page.line(
        f"No run explains all {one.evidence.events:,} decisions and lines: the nearest explains {one.explained:,}, "
        f"and goes on at none of these:",
        indent=2,
    )
    for other in others[:MOST_WAITING]:
        page.line(f"{other.place}{_of(other.of)}: {other.found}; {other.expected}", "faint", indent=4)


def _of(broker: int | None) -> str:
    return "" if broker is None else f" on broker {broker}"
