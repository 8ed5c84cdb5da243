"""What brokers say next: how far their logs and high watermarks have to be then, and how far they may be at most."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

from ...evidence.broker_log import BrokerEvent, FetcherAdded, HighWatermarkMoved, IsrShrinks, RoleTaken, Truncated
from .evidence import Lane, Life, LifeStart, named_by, offsets_of
from .model import HowFar, Juncture, RunModel, Step


class Extent(NamedTuple):
    """A log end and a high watermark; None if nothing is said."""

    end: int | None
    hw: int | None


NOTHING = Extent(None, None)


class Saying(NamedTuple):
    """What a broker says next: how far it may be at `most` then, and has to be at `least` before its process ends.

    `together` are the log end and the high watermark that it has when it takes its next role, if it does not truncate
    before, `last` is that high watermark in any case; None if it does not tell.
    """

    most: Extent
    least: Extent
    together: Extent
    last: int | None


class Shrink(NamedTuple):
    """The high watermark with which a leader asks to drop followers; for each its place, and up to where it has all."""

    hw: int
    slow: tuple[tuple[int, int], ...]


class LeaderTerm(NamedTuple):
    """A leader by its id, in a leader epoch; None if that is not known."""

    leader: int
    epoch: int | None

    def may_be(self, other: LeaderTerm | None) -> bool:
        """Whether it may be another one; None may be any."""
        return other is None or (self.leader == other.leader and (self.epoch is None or self.epoch == other.epoch))


class Next(NamedTuple):
    """What is still to come at a place of a lane: the next log end and high watermark, if known.

    Between a broker's own lines its log and its high watermark only grow, unless it truncates: `truncates` is for whom
    it does so next. Before it does it says that it fetches from that one, which tells the leader epoch. `together` are
    the log end and the high watermark at its next role, where it does not truncate before, `last` is the latter.
    `asks` is what it says next of slow followers, before it follows anybody, and `leads` whether its next role is to
    lead.
    """

    bounds: Extent = NOTHING
    truncates: LeaderTerm | None = None
    together: Extent = NOTHING
    last: int | None = None
    asks: IsrShrinks | None = None
    leads: bool = False


class Ahead:
    """What is said next, by broker, life and lane, in places of the offsets at which something happened.

    Of a doubted line the offsets are not believed. Places count from where the logs of a state begin.
    """

    def __init__(
        self, lives: tuple[tuple[Life, ...], ...], offsets: tuple[int, ...], doubted: BrokerEvent | None = None
    ) -> None:
        self._lives, self.doubted, self.base = lives, doubted, 0
        self._at = {offset: at for at, offset in enumerate(offsets)}
        self._next = tuple(tuple(tuple(map(self._ahead_in, life.lanes)) for life in some) for some in lives)

    def from_base(self, base: int) -> Ahead:
        """The same for states whose logs begin at a place."""
        found = copy(self)
        found.base = base
        return found

    def place(self, offset: int) -> int:
        """The place of an offset among those at which something happened."""
        return self._at[offset] - self.base

    def has_said_all(self, place: int, reached: HowFar) -> bool:
        """Whether a broker has said everything that it says in this life."""
        lanes = self._lives[place][reached.life].lanes
        return all(at == len(lane) for at, lane in zip(reached.places, lanes, strict=True))

    def truncates(self, place: int, reached: HowFar, term: LeaderTerm | None) -> bool:
        """Whether a broker may cut its log back next for the leader that it follows.

        For another one it does so after it has said that it follows that.
        """
        return any(one.truncates is not None and one.truncates.may_be(term) for one in self._here(place, reached))

    def at_most(self, place: int, reached: HowFar, term: LeaderTerm | None) -> Extent:
        """Up to where a broker's log and high watermark may grow before it says something else.

        Nothing is known if it truncates before for the leader that it follows, or crashes.
        """
        if self.truncates(place, reached, term):
            return NOTHING
        said = [one.bounds for one in self._here(place, reached)]
        end = min((one.end - self.base for one in said if one.end is not None), default=None)
        hw = min((one.hw - self.base for one in said if one.hw is not None), default=None)
        following = reached.following(self._lives[place])
        if following is not None and following.start is not None:
            start = following.start
            if following.disk is not None or (start.process is not None and start.process.clean):
                kept, stored = self._found(start)
                return Extent(kept if end is None else end, stored if hw is None else hw)
        return Extent(end, hw)

    def says(self, place: int, reached: HowFar, term: LeaderTerm | None) -> Saying:
        """What a broker says next, while it acts on a leader."""
        here = self._here(place, reached)
        end, hw = next((one.together for one in here if one.together.end is not None), NOTHING)
        if end is None or hw is None or self.truncates(place, reached, term):
            together = NOTHING
        else:
            together = Extent(end - self.base, hw - self.base)
        last = next((one.last - self.base for one in here if one.last is not None), None)
        return Saying(self.at_most(place, reached, term), self.at_least(place, reached), together, last)

    def asks(self, place: int, reached: HowFar, brokers: Sequence[int]) -> Shrink | None:
        """What a leader says next of slow followers, if it takes no other role before; None if that is not known."""
        here = self._here(place, reached)
        said = next((one.asks for one in here if one.asks is not None), None)
        if said is None or any(one.leads for one in here):
            return None
        slow = ((brokers.index(one), end) for one, end in said.slow if end is not None and one in brokers)
        return Shrink(self.place(said.high_watermark), tuple((at, self.place(end)) for at, end in slow if end >= 0))

    def at_least(self, place: int, reached: HowFar) -> Extent:
        """How far a broker's log and high watermark have to be before its process ends, if that is what comes next."""
        following = reached.following(self._lives[place])
        if following is None or following.start is None or not self.has_said_all(place, reached):
            return NOTHING
        start = following.start
        return NOTHING if start.process is None and following.disk is None else self._found(start)

    def is_kept(self, place: int, reached: HowFar, end: int) -> bool:
        """Whether a record that a broker has next, at this end, is still there when its log is taken up again.

        A crash may lose more than that; but a run in which it loses nothing is more likely.
        """
        following = reached.following(self._lives[place])
        if following is None or following.start is None or following.start.kept is None:
            return True
        return self.truncates(place, reached, None) or end < self.place(following.start.kept)

    def needs(self, place: int, reached: HowFar) -> tuple[int, int]:
        """How far log and high watermark of a broker have to be for its very next lines."""
        if not self._lives[place]:
            return 0, 0
        end = hw = 0
        for at, lane in zip(reached.places, self._lives[place][reached.life].lanes, strict=True):
            if at < len(lane) and lane[at] is not self.doubted:
                said_end, said_hw = named_by(lane[at].event)
                end = end if said_end is None else max(end, self.place(said_end))
                hw = hw if said_hw is None else max(hw, self.place(said_hw))
        following = reached.following(self._lives[place])
        if following is not None and following.start is not None and self.has_said_all(place, reached):
            start = following.start
            if start.kept is not None and (start.process is not None or following.disk is not None):
                end = max(end, self.place(start.kept))
            if start.stored is not None and start.process is not None:
                hw = max(hw, self.place(start.stored))
        return max(end, hw), hw

    # -- details --------------------------------------------------------------------------------------------------

    def _here(self, place: int, reached: HowFar) -> list[Next]:
        lanes = self._next[place][reached.life] if self._next[place] else ()
        return [lane[at] for lane, at in zip(lanes, reached.places, strict=True)]

    def _found(self, start: LifeStart) -> Extent:
        """How far log and high watermark are where a broker takes up its log."""
        kept, stored = (None if one is None else self.place(one) for one in (start.kept, start.stored))
        return Extent(kept, stored)

    def _ahead_in(self, lane: Lane) -> tuple[Next, ...]:
        """What is ahead at every place of a lane, its end included."""
        epochs: list[int | None] = [None]
        for one in lane:
            epochs.append(one.event.leader_epoch if isinstance(one.event, FetcherAdded) else epochs[-1])
        found = [Next()]
        for one, epoch in zip(reversed(lane), reversed(epochs), strict=False):
            event, said, after = one.event, self._named(one), found[-1]
            if isinstance(event, Truncated) and event.leader_end is not None:
                # what is said after that was cut back before
                after = after._replace(bounds=NOTHING, together=NOTHING, truncates=LeaderTerm(event.leader, epoch))
            else:
                end, hw = after.bounds
                bounds = Extent(end if said.end is None else said.end, hw if said.hw is None else said.hw)
                after = after._replace(bounds=bounds)
            if isinstance(event, RoleTaken):
                after = after._replace(together=said, last=said.hw, leads=event.leads)
            elif isinstance(event, IsrShrinks):
                after = after._replace(asks=None if one is self.doubted else event)
            elif isinstance(event, FetcherAdded):
                after = after._replace(asks=None)
            found.append(after)
        return tuple(reversed(found))

    def _named(self, one: BrokerEvent) -> Extent:
        """The log end and the high watermark that a line names, which its broker has then."""
        if one is self.doubted or isinstance(one.event, HighWatermarkMoved | Truncated):
            return NOTHING
        end, hw = named_by(one.event)
        return Extent(None if end is None else self._at[end], None if hw is None else self._at[hw])


# -- window -----------------------------------------------------------------------------------------------------------
# The part of long logs that a state has: what nobody asks for any more is left behind, and offsets count from there.
#
# A stretch of records is left behind when every log has it, under the same leader epochs and below every high
# watermark, when no line, start of a process or disk that is still to come names an offset of it, and when what is
# there agrees with the disks. One record of those stays, so that no log is empty that was not. No run that explains the
# rest cuts a log back to there, so that it goes on in the same way without: rules compare offsets with each other, and
# an epoch's end with the next epoch's records.
#
# That is not so of a replica about which the evidence is silent: nobody knows how much of its log a crash has left.
# Where something was left behind in spite of that, `lost_sight` says so, and not finding a run says nothing.

MORE_THAN = 8
"""So many stretches are left behind at a time: each time costs a new state."""


OF_AN_OFFSET = ("crash", "find_older_high_watermark")
"""Steps whose last argument is an offset."""


def from_the_beginning(steps: tuple[Step, ...], base: int) -> tuple[Step, ...]:
    """Steps in a state whose logs begin at a place, as they are in one whose logs are whole."""
    return tuple(
        Step(one.action, (*one.arguments[:-1], one.arguments[-1] + base))
        if one.action in OF_AN_OFFSET and isinstance(one.arguments[-1], int)
        else one
        for one in steps
    )


class Window:
    """What of long logs is kept, in the search for a run. `room` is how many stretches a state has place for."""

    def __init__(
        self,
        lives: Sequence[Sequence[Life]],
        offsets: tuple[int, ...],
        ahead: Ahead,
        comes_back_until: Sequence[int],
        joins_until: Sequence[int],
        room: int,
    ) -> None:
        self.lives, self.offsets, self.ahead, self.room = lives, offsets, ahead, room
        self.comes_back_until, self.joins_until = comes_back_until, joins_until
        self.stretches = max(1, len(offsets) - 1)
        self.is_needed = self.stretches > room
        self.is_full = False
        """Whether somewhere more would have been appended than there was place for."""

        self.lost_sight = False
        self._named = tuple(tuple(self._least_of(life) for life in some) for some in lives)
        self._later = tuple(_least_after(some) for some in self._named)
        self._disks = [life.disk for some in lives for life in some if life.disk is not None]

    def after(self, model: RunModel, moment: Juncture, state: Any) -> Juncture | None:
        """The same moment without what nobody needs any more; None if what is there contradicts a disk."""
        if not self.is_needed:
            return moment
        places = range(len(model.ids))
        counted = [place for place in places if self._counts(model, moment, state, place)]
        least = [model.hw(moment.codes, place) for place in counted]
        named = [at - moment.base for place in places if (at := self.least_named(place, moment)) is not None]
        common = min((*least, *named), default=0) - 1
        if common <= MORE_THAN:
            return moment
        first, *others = [state.brokers[model.ids[place]].log for place in counted]
        common = next((at for at in range(common) if any(log[at].epoch != first[at].epoch for log in others)), common)
        if common <= MORE_THAN:
            return moment
        for at in range(common):
            offset = self.offsets[moment.base + at]
            if any(disk.epoch_at(offset) not in (None, first[at].epoch) for disk in self._disks):
                return None
        if any(self._is_silent(place, moment, place in counted) for place in places):
            self.lost_sight = True
        return moment._replace(codes=model.without_first(moment.codes, common), base=moment.base + common)

    def _counts(self, model: RunModel, moment: Juncture, state: Any, place: int) -> bool:
        """Whether a broker's log is to be looked at: it has a replica, or tells more of one."""
        one = model.ids[place]
        if any(one in state.replicas[age] for age in state.replicas):
            return True
        if not self.lives[place]:
            return False
        reached = moment.brokers[place]
        return reached.life + 1 < len(self.lives[place]) or not self.ahead.has_said_all(place, reached)

    def _is_silent(self, place: int, moment: Juncture, counts: bool) -> bool:
        """Whether there may be an end of this broker's process, or a replica that begins anew, of which nothing is
        told."""
        lives, reached = self.lives[place], moment.brokers[place]
        if not counts and moment.decisions < self.joins_until[place]:
            return True
        if not lives or (moment.decisions < self.comes_back_until[place] and self.ahead.has_said_all(place, reached)):
            return True
        return any(life.start is None or life.start.kept is None for life in lives[reached.life + 1 :])

    def log_at_least(self, place: int, moment: Juncture) -> int | None:
        """How far a broker's log is at least from here on, if it is as far now; None if that is not known.

        Where it is cut back the evidence names where to, or from where the next process goes on.
        """
        if not self.lives[place] or any(
            life.start is None or life.start.kept is None
            for life in self.lives[place][moment.brokers[place].life + 1 :]
        ):
            return None
        named = self.least_named(place, moment)
        return self.stretches if named is None else named - moment.base

    def least_named(self, place: int, moment: Juncture) -> int | None:
        """The least place that a broker names from here on."""
        if not self.lives[place]:
            return None
        reached = moment.brokers[place]
        here = [least[at] for least, at in zip(self._named[place][reached.life][1], reached.places, strict=True)]
        said = [at for at in (*here, self._later[place][reached.life]) if at is not None]
        return min(said, default=None)

    def _least_of(self, life: Life) -> tuple[int | None, tuple[tuple[int | None, ...], ...]]:
        """The least place that a life names: at its start or on its disk; and from every place of each lane on."""
        start = life.start
        said = [] if start is None else [one for one in (start.kept, start.stored) if one is not None]
        lanes = []
        for lane in life.lanes:
            least: list[int | None] = [None]
            for one in reversed(lane):
                named = [self.ahead.place(offset) for offset in offsets_of(Life(None, ((one,),)))]
                known = [at for at in (*named, least[-1]) if at is not None]
                least.append(min(known, default=None))
            lanes.append(tuple(reversed(least)))
        return min(map(self.ahead.place, said), default=None), tuple(lanes)


def _least_after(lives: Sequence[tuple[int | None, tuple[tuple[int | None, ...], ...]]]) -> tuple[int | None, ...]:
    """For each life the least place that a later one names."""
    found: list[int | None] = []
    least: int | None = None
    for start, lanes in reversed(lives):
        found.append(least)
        named = [at for at in (least, start, *(lane[0] for lane in lanes)) if at is not None]
        least = min(named, default=None)
    return tuple(reversed(found))
