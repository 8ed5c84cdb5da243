"""The part of long logs that a state has: what nobody asks for any more is left behind, and offsets count from there.

A stretch of records is left behind when every log has it, under the same leader epochs and below every high watermark,
when no line, start of a process or disk that is still to come names an offset of it, and when what is there agrees with
the disks. One record of those stays, so that no log is empty that was not. No run that explains the rest cuts a log
back to there, so that it goes on in the same way without: rules compare offsets with each other, and an epoch's end
with the next epoch's records.

That is not so of a replica about which the evidence is silent: nobody knows how much of its log a crash has left. Where
something was left behind in spite of that, `lost_sight` says so, and not finding a run says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .ahead import Ahead
from .lives import Life, offsets_of
from .model import RunModel
from .moment import Moment, Step

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

    def after(self, model: RunModel, moment: Moment, state: Any) -> Moment | None:
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

    def _counts(self, model: RunModel, moment: Moment, state: Any, place: int) -> bool:
        """Whether a broker's log is to be looked at: it has a replica, or tells more of one."""
        one = model.ids[place]
        if any(one in state.replicas[age] for age in state.replicas):
            return True
        if not self.lives[place]:
            return False
        reached = moment.brokers[place]
        return reached.life + 1 < len(self.lives[place]) or not self.ahead.has_said_all(place, reached)

    def _is_silent(self, place: int, moment: Moment, counts: bool) -> bool:
        """Whether there may be an end of this broker's process, or a replica that begins anew, of which nothing is
        told."""
        lives, reached = self.lives[place], moment.brokers[place]
        if not counts and moment.decisions < self.joins_until[place]:
            return True
        if not lives or (moment.decisions < self.comes_back_until[place] and self.ahead.has_said_all(place, reached)):
            return True
        return any(life.start is None or life.start.kept is None for life in lives[reached.life + 1 :])

    def log_at_least(self, place: int, moment: Moment) -> int | None:
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

    def least_named(self, place: int, moment: Moment) -> int | None:
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
