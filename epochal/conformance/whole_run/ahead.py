"""What brokers say next: how far their logs and high watermarks have to be then, and how far they may be at most."""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

from epochal.evidence.broker_events import (
    BrokerEvent,
    FetcherAdded,
    HighWatermarkMoved,
    IsrShrinks,
    RoleKept,
    RoleTaken,
    Truncated,
)

from .lives import Lane, Life
from .moment import Reached


class Bounds(NamedTuple):
    """A log end and a high watermark; None if nothing is said."""

    end: int | None
    hw: int | None


class Term(NamedTuple):
    """A leader by its id, in a leader epoch; None if that is not known."""

    leader: int
    epoch: int | None

    def may_be(self, other: Term | None) -> bool:
        """Whether it may be another one; None may be any."""
        return other is None or (self.leader == other.leader and (self.epoch is None or self.epoch == other.epoch))


class Limits(NamedTuple):
    """What is still to come in a lane, by the place that was reached: the next log end and high watermark, if known.

    Between a broker's own lines its log and its high watermark only grow, unless it truncates: `truncates` is for whom
    it does so next. Before it does it says that it fetches from that one, which tells the leader epoch.
    """

    bounds: tuple[Bounds, ...]
    truncates: tuple[Term | None, ...]


class Ahead:
    """What is said next, by broker, life and lane, in places of the offsets at which something happened.

    Of a doubted line the offsets are not believed. Places count from where the logs of a state begin.
    """

    def __init__(
        self, lives: tuple[tuple[Life, ...], ...], offsets: tuple[int, ...], doubted: BrokerEvent | None = None
    ) -> None:
        self._lives, self.doubted, self.base = lives, doubted, 0
        self._at = {offset: at for at, offset in enumerate(offsets)}
        self._limits = tuple(
            tuple(tuple(self._limits_of(lane) for lane in life.lanes) for life in some) for some in lives
        )

    def from_base(self, base: int) -> Ahead:
        """The same for states whose logs begin at a place."""
        found = copy(self)
        found.base = base
        return found

    def place(self, offset: int) -> int:
        """The place of an offset among those at which something happened."""
        return self._at[offset] - self.base

    def has_said_all(self, place: int, reached: Reached) -> bool:
        """Whether a broker has said everything that it says in this life."""
        lanes = self._lives[place][reached.life].lanes
        return all(at == len(lane) for at, lane in zip(reached.places, lanes, strict=True))

    def truncates(self, place: int, reached: Reached, term: Term | None) -> bool:
        """Whether a broker may cut its log back next for the leader that it follows.

        For another one it does so after it has said that it follows that.
        """
        following = (lane.truncates[at] for lane, at in self._here(place, reached))
        return any(one is not None and one.may_be(term) for one in following)

    def at_most(self, place: int, reached: Reached, term: Term | None) -> Bounds:
        """Up to where a broker's log and high watermark may grow before it says something else.

        Nothing is known if it truncates before for the leader that it follows, or crashes.
        """
        if self.truncates(place, reached, term):
            return Bounds(None, None)
        said = [lane.bounds[at] for lane, at in self._here(place, reached)]
        ends = [one.end for one in said if one.end is not None]
        hws = [one.hw for one in said if one.hw is not None]
        following = self._following(place, reached)
        if following is not None and following.start is not None:
            start = following.start
            if following.disk is not None or (start.process is not None and start.process.clean):
                if not ends and start.kept is not None:
                    ends = [self._at[start.kept]]
                if not hws and start.stored is not None:
                    hws = [self._at[start.stored]]
        return Bounds(
            min(ends) - self.base if ends else None,
            min(hws) - self.base if hws else None,
        )

    def at_least(self, place: int, reached: Reached) -> Bounds:
        """How far a broker's log and high watermark have to be before its process ends, if that is what comes next."""
        following = self._following(place, reached)
        if following is None or following.start is None or not self.has_said_all(place, reached):
            return Bounds(None, None)
        start = following.start
        if start.process is None and following.disk is None:
            return Bounds(None, None)
        return Bounds(
            None if start.kept is None else self._at[start.kept] - self.base,
            None if start.stored is None else self._at[start.stored] - self.base,
        )

    def is_kept(self, place: int, reached: Reached, end: int) -> bool:
        """Whether a record that a broker has next, at this end, is still there when its log is taken up again.

        A crash may lose more than that; but a run in which it loses nothing is more likely.
        """
        following = self._following(place, reached)
        if following is None or following.start is None or following.start.kept is None:
            return True
        return self.truncates(place, reached, None) or end < self._at[following.start.kept] - self.base

    def needs(self, place: int, reached: Reached) -> tuple[int, int]:
        """How far log and high watermark of a broker have to be for its very next lines."""
        if not self._lives[place]:
            return 0, 0
        end = hw = 0
        for at, lane in zip(reached.places, self._lives[place][reached.life].lanes, strict=True):
            if at < len(lane) and lane[at] is not self.doubted:
                event = lane[at].event
                if isinstance(event, RoleTaken):
                    end, hw = max(end, self.place(event.offset)), max(hw, self.place(event.high_watermark))
                elif isinstance(event, IsrShrinks):
                    end, hw = max(end, self.place(event.end)), max(hw, self.place(event.high_watermark))
                elif isinstance(event, HighWatermarkMoved | RoleKept) and event.high_watermark is not None:
                    hw = max(hw, self.place(event.high_watermark))
                elif isinstance(event, Truncated):
                    end = max(end, self.place(event.offset))
        following = self._following(place, reached)
        if following is not None and following.start is not None and self.has_said_all(place, reached):
            start = following.start
            if start.kept is not None and (start.process is not None or following.disk is not None):
                end = max(end, self.place(start.kept))
            if start.stored is not None and start.process is not None:
                hw = max(hw, self.place(start.stored))
        return max(end, hw), hw

    # -- details --------------------------------------------------------------------------------------------------

    def _here(self, place: int, reached: Reached) -> list[tuple[Limits, int]]:
        limits = self._limits[place][reached.life] if self._limits[place] else ()
        return list(zip(limits, reached.places, strict=True))

    def _following(self, place: int, reached: Reached) -> Life | None:
        lives = self._lives[place]
        return lives[reached.life + 1] if reached.life + 1 < len(lives) else None

    def _limits_of(self, lane: Lane) -> Limits:
        """The limits at every place of a lane, its end included."""
        bounds = [Bounds(None, None)]
        truncates: list[Term | None] = [None]
        epochs: list[int | None] = []
        epoch: int | None = None
        for one in lane:
            epoch = one.event.leader_epoch if isinstance(one.event, FetcherAdded) else epoch
            epochs.append(epoch)
        for one, epoch in zip(reversed(lane), reversed(epochs), strict=True):
            event, (end, hw) = one.event, bounds[-1]
            if one is self.doubted:
                pass
            elif isinstance(event, RoleTaken):
                end, hw = self._at[event.offset], self._at[event.high_watermark]
            elif isinstance(event, IsrShrinks):
                end, hw = self._at[event.end], self._at[event.high_watermark]
            elif isinstance(event, RoleKept) and event.high_watermark is not None:
                hw = self._at[event.high_watermark]
            if isinstance(event, Truncated) and event.leader_end is not None:
                bounds.append(Bounds(None, None))  # what is said after that was cut back before
                truncates.append(Term(event.leader, epoch))
            else:
                bounds.append(Bounds(end, hw))
                truncates.append(truncates[-1])
        return Limits(tuple(reversed(bounds)), tuple(reversed(truncates)))
