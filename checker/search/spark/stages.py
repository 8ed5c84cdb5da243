"""Level after level by tasks of one stage: a task settles a level in its partition and expands it for the next one.

So what is expanded is a level ahead of what is recorded. It counts when the next level is recorded, and not at all if
the level that was expanded ends the search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...native.kernel.vocabulary import FAILURE
from .errors import ClusterError
from .exchange import FOLDER, folder_of, inboxes
from .findings import Report
from .lease import Hold
from .log import LogFile
from .storage import Storage
from .tasks import NOTHING, Inserted, Job, Order, Outcome

TRIES = 3
"""How often the exchange of one level may be lost."""

Run = Callable[[Job, Sequence[Order]], list[Outcome]]
"""Runs a task for each order, and gives what they hand back."""


@dataclass(frozen=True)
class Sent:
    """What the expansion of a level has counted and found, and what there is for each partition: what it was sent, and
    whether it has kept what it sent itself.
    """

    report: Report
    orders: tuple[Order, ...]

    def after(self, pending: int, still: int) -> Sent | None:
        """What counts of it, if `still` of the pending properties are looked for when the level itself is judged.

        None if the level must be expanded again: a rule has failed, and perhaps one that is not judged any more.
        """
        closed = pending & ~still
        if closed and any(found.slot == FAILURE for found in self.report.findings):
            return None
        findings = tuple(found for found in self.report.findings if found.slot == FAILURE or still >> found.slot & 1)
        return replace(self, report=replace(self.report, findings=findings))


class Stages:
    """The levels that tasks make, as their driver sees them. `told` is what the user should know of it."""

    def __init__(self, storage: Storage, hold: Hold) -> None:
        self._storage, self._hold = storage, hold
        self._sent: Sent | None = None
        self._next: Sent | None = None
        self.told: list[str] = []
        hold.remove_folder(storage, FOLDER)  # of drivers before

    def make(self, job: Job, run: Run) -> tuple[Report, list[Inserted]]:
        """Make a level: what was counted when the last was expanded, and what is new in each partition.

        Raises ClusterError if what is sent to it is lost again and again.
        """
        lost = ""
        for _ in range(TRIES):
            self._sent = self._sent or _sent(run(job, [Order(shard) for shard in range(job.shards)]))
            settled = run(job, self._sent.orders) if self._sent.orders else []
            lost = next((one.lost for one in settled if one.lost), "")
            if not lost:
                self._next = _sent(settled)
                return self._sent.report, _with_others(job, settled)
            self._sent = None
            self.told.append(f"level {job.number - 1} was expanded again from the log: {lost}")
        raise ClusterError(
            f"what tasks sent to level {job.number} was lost {TRIES} times: {lost}.\n"
            "  Give --storage a folder that every executor sees alike, and go on with --resume last."
        )

    def recorded(self, level: int, pending: int, still: int) -> None:
        """A level counts, and of the properties that were pending `still` are: what was sent to it is not needed."""
        self._hold.remove_folder(self._storage, folder_of(self._hold.driver, level))
        self._sent = None if self._next is None else self._next.after(pending, still)

    def close(self) -> None:
        """Remove what was sent: nobody will read it."""
        self._sent = self._next = None
        self._hold.remove_own(self._storage, FOLDER)


def _sent(outcomes: Sequence[Outcome]) -> Sent:
    report = NOTHING
    for outcome in outcomes:
        report += outcome.expanded
    found = inboxes(one for outcome in outcomes for one in outcome.sent)
    kept = {outcome.shard for outcome in outcomes if outcome.kept}
    return Sent(report, tuple(Order(shard, found.get(shard, ()), shard in kept) for shard in sorted({*found, *kept})))


def _with_others(job: Job, settled: Sequence[Outcome]) -> list[Inserted]:
    """What is new in every partition. One that was sent nothing had no task: its table still has its old name."""
    last = job.levels[-1]
    tokens = [file.token for file in last.files] if last.shards == job.shards else [""] * job.shards
    found = [Inserted(LogFile(shard, token, "", 0, 0, 0), NOTHING) for shard, token in enumerate(tokens)]
    for one in settled:
        if one.inserted is not None:
            found[one.shard] = one.inserted
    return found
