"""Where no run goes on: what stands next in each part of the evidence, and what the nearest run has instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
from epochal.evidence.place import Place

from ..line import leader_of, told
from .decided import Changed, OfBroker
from .moment import Moment
from .search import RunSearch


@dataclass(frozen=True)
class Blocked:
    """A place in the evidence that the nearest run does not reach: what stands there, and what that run has.

    `of` is a broker, None for the controller. Without a difference it waits for another place.
    """

    place: Place
    of: int | None
    found: str
    expected: str

    @property
    def differs(self) -> bool:
        """Whether the run has something else there, and does not only wait."""
        return not self.expected.startswith(WAITS)


WAITS = "waits"


def blocked(search: RunSearch, furthest: Moment) -> list[Blocked]:
    """What stands next in each part, those first that differ from the nearest run."""
    found = [*_of_brokers(search, furthest), *_of_controller(search, furthest)]
    return sorted(found, key=lambda one: not one.differs)


def _of_controller(search: RunSearch, moment: Moment) -> Iterator[Blocked]:
    decisions = search.decisions.all
    if moment.decisions == len(decisions):
        return
    here = decisions[moment.decisions]
    if isinstance(here, OfBroker):
        yield Blocked(here.record.place, None, f"broker {here.broker} {here.says}", f"{WAITS}: {_unlike(here)}")
    elif isinstance(here, Changed):
        said = told(here.found.leader, here.found.leader_epoch, {"isr": here.found.isr}, here.found.partition_epoch)
        yield Blocked(here.record.place, None, said, f"{WAITS}: no step of the nearest run leads there")


def _unlike(here: OfBroker) -> str:
    return "its process has not ended in the nearest run, because of what its broker says next"


def _of_brokers(search: RunSearch, moment: Moment) -> Iterator[Blocked]:
    model = search.model_at(moment)
    state = model.at(moment.codes)
    for place, lives in enumerate(search.lives):
        if not lives:
            continue
        reached, broker = moment.brokers[place], search.brokers[place]
        for at, lane in zip(reached.places, lives[reached.life].lanes, strict=True):
            if at < len(lane):
                expected = _expected(search, moment, state, place, lane[at].event)
                yield Blocked(lane[at].place, broker, _found(lane[at].event), expected)
        following = lives[reached.life + 1] if reached.life + 1 < len(lives) else None
        if following is not None and search.ahead.has_said_all(place, reached):
            end = search.offset(len(state.brokers[model.ids[place]].log))
            kept = None if following.start is None else following.start.kept
            where = following.disk.name if following.disk is not None else f"the log of broker {broker} at its start"
            if following.disk is not None and kept == end:
                records = [search.evidence.offsets[at] for at in range(len(state.brokers[model.ids[place]].log))]
                epochs = ", ".join(f"{offset}: epoch {following.disk.epoch_at(offset)}" for offset in records)
                log = state.brokers[model.ids[place]].log
                theirs = ", ".join(f"{offset}: epoch {one.epoch}" for offset, one in zip(records, log, strict=True))
                if epochs != theirs:
                    yield Blocked(Place(where), broker, f"records from {epochs}", f"records from {theirs}")
            elif kept is not None:
                yield Blocked(Place(where), broker, f"log end {kept}", f"log end {end}")


def _found(event: object) -> str:
    """What a line says, in the words of the report."""
    if isinstance(event, RoleTaken | RoleKept):
        said = told(leader_of(event.leader), event.leader_epoch, {}, event.partition_epoch)
        said += f", log end {event.offset}" if isinstance(event, RoleTaken) else ""
        return said + ("" if event.high_watermark is None else f", high watermark {event.high_watermark}")
    if isinstance(event, IsrUpdated):
        return f"an answer to AlterPartition: {told(None, None, {'isr': event.isr}, event.partition_epoch)[11:]}"
    if isinstance(event, IsrShrinks):
        return f"a shrink with high watermark {event.high_watermark} and log end {event.end}"
    if isinstance(event, Truncated):
        return f"a truncation to {event.offset}"
    if isinstance(event, HighWatermarkMoved):
        return f"high watermark {event.high_watermark}"
    if isinstance(event, FetcherAdded):
        return f"fetches from {event.leader} in leader epoch {event.leader_epoch}"
    return type(event).__name__


def _expected(search: RunSearch, moment: Moment, state: Any, place: int, event: object) -> str:
    """What the nearest run has where a line stands; or for what the line waits."""
    model = search.model_at(moment)
    mine = model.ids[place]
    if not state.is_running(mine):
        return f"{WAITS}: the broker does not run"
    broker = state.brokers[mine]
    end, hw = search.offset(len(broker.log)), search.offset(broker.hw)
    if isinstance(event, RoleTaken | RoleKept | IsrUpdated) and event.partition_epoch > moment.last_epoch:
        return f"{WAITS}: the controller has not decided that yet"
    if isinstance(event, RoleTaken) or (isinstance(event, RoleKept) and event.high_watermark is not None):
        return f"log end {end}, high watermark {hw}"
    if isinstance(event, IsrShrinks):
        return f"high watermark {hw} and log end {end}"
    if isinstance(event, Truncated):
        return f"log end {end}, and nothing there that the leader has not"
    if isinstance(event, HighWatermarkMoved):
        return f"high watermark {hw}"
    if isinstance(event, FetcherAdded):
        view = state.view(mine)
        leader = "nobody" if view.leader is None else str(search.brokers[model.place(view.leader)])
        return f"leader {leader} in leader epoch {view.leader_epoch}"
    return f"{WAITS}: no step of the nearest run leads there"
