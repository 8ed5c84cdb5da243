"""What became of a sweep, as text and as JSON, and how far it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from epochal.checker.base.numbers import counted, timed

from .page import Page
from .progress import Counted

AFTER_REFUSAL = (
    "What was refused is run again by the same command, and refused again unless you do first what the message says: "
    "smaller bounds or larger limits in the file of the sweep, say."
)
MOST = 10
"""How many failed tasks a report names."""


class _Progress(Protocol):
    """How far a sweep is."""

    done: int
    before: int
    of: int
    last: str
    seconds: float


class SweepTelling:
    """The progress of `epochal sweep`."""

    def in_words(self, now: _Progress) -> str:
        """The progress on one line."""
        before = f" ({now.before:,} from before)" if now.before else ""
        last = f", last {now.last}" if now.last else ""
        return f"{now.done:,} of {counted(now.of, 'task')} done{before}{last}, {timed(now.seconds)}"

    def document(self, now: _Progress) -> dict[str, Any]:
        """The progress as an object."""
        said = {"done": now.done, "before": now.before, "tasks": now.of, "last": now.last}
        return {**said, "seconds": round(now.seconds, 3)}

    def far(self, now: _Progress) -> Counted:
        """The tasks done now, and to be done."""
        return Counted(now.done - now.before, now.of - now.before)


def headline(file: str, tasks: int, before: int, done: int) -> str:
    """How many tasks are answered."""
    answered = before + done
    how_many = f"all {counted(tasks, 'task')}" if answered == tasks else f"{answered:,} of {counted(tasks, 'task')}"
    return f"{file}: {how_many} answered, {done:,} of them now"


def render_sweep(
    page: Page,
    headline: str,
    verdicts: Mapping[str, int],
    failed: Sequence[tuple[str, str]],
    left: int,
    files: Sequence[str],
    cut: str,
    refused: int,
) -> None:
    """How many rows say what, which tasks have failed, of which `refused` would be again, and where the tables are."""
    page.line(headline, "warn" if failed or left else "good")
    page.table([(verdict, f"{count:,}") for verdict, count in sorted(verdicts.items())], right=(1,))
    if failed:
        page.title(f"Without an answer: {counted(len(failed), 'task')}")
        for task, message in failed[:MOST]:
            page.line(task, "bad", indent=2)
            page.lines(message.splitlines(), indent=4)
        if len(failed) > MOST:
            page.line(f"and {len(failed) - MOST:,} more", indent=2)
    if cut:
        page.line(f"Not all tasks were run: {cut}.", "warn")
    if left or len(failed) > refused:
        page.line("The same command again does what is missing.", indent=0)
    if refused:
        page.line(AFTER_REFUSAL)
    page.written(files)
