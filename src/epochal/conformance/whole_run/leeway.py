"""How much a run may do of which nothing tells. Of the runs that explain everything a mild one is told.

A follower may have copied a record, and lost it in a crash, without a trace; so may every broker that ever crashed. A
run that needs none of that explains as much, and accuses nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from epochal.evidence.broker_events import HighWatermarkMoved, IsrShrinks, RoleKept, RoleTaken, Truncated

from .lives import Life


@dataclass(frozen=True)
class Leeway:
    """`losses` is how many crashes may lose the end of a log; None, as many as there are.

    `forgets` is whether a crash may take a high watermark back to an older checkpoint. `any_acks` is whether leaders
    append where their ISR is smaller than `min.insync.replicas`, which no producer with acks=all makes them do.
    """

    losses: int | None = None
    forgets: bool = True
    any_acks: bool = True

    def may_lose(self, lost: int) -> bool:
        """Whether one more crash may lose something, after so many."""
        return self.losses is None or lost < self.losses


WIDEST = Leeway()
"""Everything that the specification allows: where no run is found with this there is none."""


def from_the_mildest(brokers: Iterable[Sequence[Life]], any_acks: bool) -> tuple[Leeway, ...]:
    """What is tried, one after the other: what the evidence shows to be lost, one crash more, and everything.

    `any_acks` says that producers are known to wait for less than the ISR.
    """
    ends = [one for lives in brokers for one in _ends(lives)]
    lost, forgets = sum(one.loses for one in ends), any(one.forgets for one in ends)
    mild = [Leeway(lost, True, any_acks), Leeway(lost + 1, True, any_acks)]
    return (*([] if forgets else [Leeway(lost, False, any_acks)]), *mild, WIDEST)


@dataclass(frozen=True)
class _End:
    """What a process is known to lose when it ends: of its log, and of its high watermark where that was kept."""

    loses: bool
    forgets: bool


def _ends(lives: Sequence[Life]) -> Iterator[_End]:
    """The ends of a broker's processes: what each has said at last, and the next finds on its disk."""
    for life, following in pairwise(lives):
        start = following.start
        if start is None or start.process is None:
            continue
        end, hw = _last_said(life)
        loses = start.kept is not None and start.kept < end
        kept = end if start.kept is None else min(start.kept, end)
        yield _End(loses, start.stored is not None and start.stored < min(hw, kept))


def _last_said(life: Life) -> tuple[int, int]:
    """How far log and high watermark are known to be when a life ends: what was said before a truncation is gone."""
    end = hw = 0
    for lane in life.lanes:
        for one in lane:
            event = one.event
            if isinstance(event, Truncated):
                end, hw = event.offset, min(hw, event.offset)
            elif isinstance(event, RoleTaken | IsrShrinks):
                end = max(end, event.offset if isinstance(event, RoleTaken) else event.end)
            if isinstance(event, RoleTaken | RoleKept | IsrShrinks | HighWatermarkMoved):
                hw = max(hw, event.high_watermark or 0)
    return max(end, hw), hw
