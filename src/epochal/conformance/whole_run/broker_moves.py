"""How a broker's next line comes about: at once, by a step of the specification, or not yet.

A line that is true of the state as it is takes no step. It is taken as soon as it is true: what explains the rest later
explains it now.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from epochal.evidence.broker_events import (
    FetcherAdded,
    HighWatermarkMoved,
    IsrShrinks,
    IsrUpdated,
    RoleKept,
    RoleTaken,
    Truncated,
)

from ..line import leader_of
from .ahead import Ahead
from .lives import Lane
from .model import RunModel
from .moment import Moment, Step

Outcome = tuple[Step, ...]


class BrokerMoves:
    """The lines of brokers against the state of the specification."""

    def __init__(self, brokers: tuple[int, ...], ahead: Ahead) -> None:
        self._place = {broker: place for place, broker in enumerate(brokers)}
        self._at = ahead.place
        self._doubted = None if ahead.doubted is None else ahead.doubted.event

    def is_true(self, model: RunModel, moment: Moment, state: Any, place: int, event: object) -> bool:
        """Whether a line tells of the state as it is, so that it takes no step."""
        mine = model.ids[place]
        if not state.is_running(mine):
            return False
        broker, view = state.brokers[mine], state.view(mine)
        if isinstance(event, FetcherAdded):
            return bool(
                model.place(view.leader) == self._places(event.leader) and view.leader_epoch == event.leader_epoch
            )
        if isinstance(event, Truncated):
            return event.leader_end is None and bool(len(broker.log) == self._at(event.offset))
        if isinstance(event, HighWatermarkMoved):
            return bool(broker.hw >= self._at(event.high_watermark))
        if isinstance(event, RoleTaken | RoleKept):
            if self._changes_ahead(moment, broker.behind, event.partition_epoch) != 0:
                return False
            return mine not in state.ahead and self._agrees(model, state, mine, event, after=True)
        if isinstance(event, IsrUpdated):
            return self._changes_ahead(moment, broker.behind, event.partition_epoch) == 0
        return False

    def is_from_before(self, moment: Moment, state: Any, mine: Any, lane: Lane, at: int) -> bool:
        """Whether a line is of a role that a process takes before it is registered.

        It may act on what it has read of the metadata by then, and nobody can reach it yet (BrokerServer.startup); the
        specification's process begins with the metadata of its registration.
        """
        event = lane[at].event
        if not isinstance(event, RoleTaken | RoleKept) or not state.is_running(mine):
            return False
        before = (one.event for one in lane[:at])
        is_older = event.partition_epoch < moment.epochs[state.brokers[mine].behind]  # of changes that somebody awaits
        return (is_older or event.leader_epoch < state.view(mine).leader_epoch) and all(
            one.partition_epoch <= event.partition_epoch for one in before if isinstance(one, RoleTaken | RoleKept)
        )

    def steps(self, model: RunModel, moment: Moment, state: Any, place: int, event: object) -> Iterator[Outcome]:
        """The steps of which a line may tell. Whether they can happen is for the model to say."""
        mine = model.ids[place]
        if not state.is_running(mine):
            return
        broker = state.brokers[mine]
        if isinstance(event, RoleKept) and state.view(mine).leader_epoch != event.leader_epoch:
            return
        if isinstance(event, RoleTaken | RoleKept):
            ahead = self._changes_ahead(moment, broker.behind, event.partition_epoch)
            if ahead == 0 and mine in state.ahead:
                yield (Step("replay_known_change", (place,)),)
            elif ahead > 0 and self._holds(state, mine, event):
                yield (Step("replay_metadata", (place, ahead)),)
        elif isinstance(event, IsrUpdated):
            if self._changes_ahead(moment, broker.behind, event.partition_epoch) == 1:
                yield (Step("receive_answer", (place,)),)
        elif isinstance(event, IsrShrinks):
            if self._shrinks(model, state, mine, event):
                slow = frozenset(self._places(one) for one, _ in event.slow)
                yield (Step("propose_shrink", (place, slow)),)
        elif isinstance(event, Truncated):
            yield from self._truncates(state, mine, place, event)

    def is_done(self, model: RunModel, state: Any, place: int, event: object) -> bool:
        """Whether the state after the steps is what the line says."""
        mine = model.ids[place]
        if isinstance(event, RoleTaken | RoleKept):
            return self._takes(model, state, mine, event)
        if isinstance(event, IsrUpdated):
            return model.places(state.view(mine).isr) == self._all(event.isr)
        if isinstance(event, Truncated):
            return bool(state.end(mine) == self._at(event.offset))
        return True

    # -- details --------------------------------------------------------------------------------------------------

    def _changes_ahead(self, moment: Moment, behind: int, partition_epoch: int) -> int:
        """How many changes the broker has to replay to get to a partition epoch; -1 if it has not been reached yet, or
        is from before what the broker acts on."""
        if partition_epoch > moment.last_epoch:
            return -1
        for age in range(behind + 1):
            if moment.epochs[age] <= partition_epoch:
                return behind - age
        return -1

    def _agrees(self, model: RunModel, state: Any, mine: Any, event: RoleTaken | RoleKept, after: bool) -> bool:
        """Whether a broker has this role, with this log end and high watermark."""
        return self._takes(model, state, mine, event) and self._holds(state, mine, event, after)

    def _takes(self, model: RunModel, state: Any, mine: Any, event: RoleTaken | RoleKept) -> bool:
        """Whether a broker's role is this one. Of a follower nobody knows which ISR it has read."""
        view = state.view(mine)
        leader = leader_of(event.leader)
        return bool(
            model.place(view.leader) == (-1 if leader is None else self._places(leader))
            and view.leader_epoch == event.leader_epoch
            and (not event.leads or event.isr is None or model.places(view.isr) == self._all(event.isr))
        )

    def _holds(self, state: Any, mine: Any, event: RoleTaken | RoleKept, after: bool = False) -> bool:
        """Whether log end and high watermark are these. The line is written before a leader moves its high watermark,
        so that it may be higher afterwards."""
        if event is self._doubted:
            return True
        broker = state.brokers[mine]
        if isinstance(event, RoleTaken) and self._at(event.offset) != len(broker.log):
            return False
        if event.high_watermark is None:
            return True
        said = self._at(event.high_watermark)
        return bool(broker.hw == said or (after and event.leads and broker.hw > said))

    def _shrinks(self, model: RunModel, state: Any, mine: Any, event: IsrShrinks) -> bool:
        broker = state.brokers[mine]
        return bool(
            model.places(state.view(mine).isr) == self._all(event.before)
            and broker.hw == self._at(event.high_watermark)
            and len(broker.log) == self._at(event.end)
            and all(
                end is None or end < 0 or broker.followers[model.ids[self._places(one)]] in (self._at(end), -1)
                for one, end in event.slow
            )
        )

    def _truncates(self, state: Any, mine: Any, place: int, event: Truncated) -> Iterator[Outcome]:
        end, offset = state.end(mine), self._at(event.offset)
        if end == offset:
            yield ()
        elif end > offset and event.leader in self._place:
            yield (Step("fetch", (place, self._place[event.leader])),)

    def _places(self, broker: int) -> int:
        return self._place.get(broker, -1)

    def _all(self, brokers: frozenset[int]) -> frozenset[int]:
        return frozenset(map(self._places, brokers))
