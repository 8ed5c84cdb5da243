"""Where no run goes on: what stands next in each part of the evidence, and what the nearest run has instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from epochal.spec.kraft.configuration import ConfigurableKraft

from ...evidence.broker_events import (
    BrokerEvent,
    FetcherAdded,
    HighWatermarkMoved,
    IsrShrinks,
    IsrUpdated,
    RoleKept,
    RoleTaken,
    Truncated,
)
from ...evidence.disks import Replica
from ...evidence.place import Place
from ..held import leader_of, told
from ..image import LOST_DIRECTORY, SHUTTING_DOWN
from ..meter import SILENT, Meter
from .decided import Changed, Life, OfBroker, Start
from .evidence import PartitionEvidence
from .model import Moment
from .moves import pairs
from .search import Found, RunSearch


@dataclass(frozen=True)
class Blocked:
    """A place in the evidence that the nearest run does not reach: what stands there, and what that run has.

    `of` is a broker, None for the controller. `said` is the line; None for a decision, or the log that a process began
    with, or that lies on its disk. Without a difference it waits for another place. `missing` is a line that should
    stand before this place, and in which life of the broker; `is_behind` says of a disk that it has less than its
    broker had by then.
    """

    place: Place
    of: int | None
    found: str
    expected: str
    said: BrokerEvent | None = None
    missing: tuple[int, BrokerEvent] | None = None
    is_behind: bool = False

    @property
    def lacks(self) -> str:
        """Why nothing follows from this place, if it is a disk that may be older than what is told; else empty."""
        if not self.is_behind:
            return ""
        return f"{self.place}: it may be copied earlier than the logs, or cut off: {self.found}, not {self.expected}"

    @property
    def differs(self) -> bool:
        """Whether the run has something else there, and does not only wait."""
        return not self.expected.startswith(WAITS)


WAITS = "waits"

OF_A_REPLICA = {SHUTTING_DOWN: "is allowed to shut down", LOST_DIRECTORY: "loses the log directory of its replica"}
"""What happens to a broker, as it is told of one replica."""


def blocked(search: RunSearch, furthest: Moment) -> list[Blocked]:
    """What stands next in each part, those first that differ from the nearest run."""
    found = [*_missing(search, furthest), *_of_brokers(search, furthest), *_of_controller(search, furthest)]
    return sorted(found, key=lambda one: (one.missing is None, not one.differs))


def _of_controller(search: RunSearch, moment: Moment) -> Iterator[Blocked]:
    decisions = search.decisions.all
    if moment.decisions == len(decisions):
        return
    here = decisions[moment.decisions]
    if isinstance(here, OfBroker):
        found = f"broker {here.broker} {OF_A_REPLICA.get(here.says, here.says)}"
        why = "its process has not ended in the nearest run, because of what its broker says next"
        yield Blocked(here.record.place, None, found, f"{WAITS}: {why}")
    elif isinstance(here, Changed):
        said = told(here.found.leader, here.found.leader_epoch, {"isr": here.found.isr}, here.found.partition_epoch)
        yield Blocked(here.record.place, None, said, f"{WAITS}: no step of the nearest run leads there")


def _missing(search: RunSearch, moment: Moment) -> Iterator[Blocked]:
    """Followers whose logs diverge from their leader's, and who say nothing of a truncation next."""
    model = search.model_at(moment)
    state = model.at(moment.codes)
    for leader, follower in pairs(model, state):
        mine, his = model.ids[follower], model.ids[leader]
        lives, reached = search.lives[follower], moment.brokers[follower]
        if not lives or not state.diverges(mine, his):
            continue
        lanes = lives[reached.life].lanes
        heads = [lane[at] for at, lane in zip(reached.places, lanes, strict=True) if at < len(lane)]
        if not any(isinstance(head.event, Truncated) for head in heads):
            place = heads[0].place if heads else lives[reached.life].place or Place("its log")
            offset = search.offset(moment, state.truncation_offset(mine, his))
            end = search.offset(moment, state.end(mine))
            event = Truncated(
                *search.evidence.decided.named, search.brokers[leader], offset, True, None, leader_end=offset
            )
            yield Blocked(
                place,
                search.brokers[follower],
                "no truncation is told",
                f"a truncation to {offset}: the log ends at {end} and diverges from that of broker "
                f"{search.brokers[leader]}",
                missing=(reached.life, BrokerEvent(place, search.brokers[follower], event)),
            )


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
                yield Blocked(lane[at].place, broker, _found(lane[at].event), expected, lane[at])
        following = lives[reached.life + 1] if reached.life + 1 < len(lives) else None
        if following is not None and search.ahead.has_said_all(place, reached):
            yield _at_start(search, moment, following, state.brokers[model.ids[place]], broker)


def contradicts(search: RunSearch, last: Moment, life: Life, broker: int) -> Blocked:
    """What lies on a disk, and the log in the last moment of a run that explains all else."""
    model = search.model_at(last)
    return _at_start(search, last, life, model.at(last.codes).brokers[model.ids[search.brokers.index(broker)]], broker)


def is_behind(search: RunSearch, last: Moment, disk: Replica, broker: int) -> bool:
    """Whether a disk has less than its broker had at the end of a run: by the last leader epoch, then by the end.

    So elections compare logs, and the log of a replica never goes back in this order but by what loses records.
    """
    model = search.model_at(last)
    log = model.at(last.codes).brokers[model.ids[search.brokers.index(broker)]].log
    end = search.offset(last, len(log))
    assert disk.end is not None  # it would be no life of the broker
    mine = disk.stretches[-1].leader_epoch if disk.stretches else -1
    theirs = log[len(log) - 1].epoch if len(log) else mine
    return (mine, disk.end) < (theirs, end)


def _at_start(search: RunSearch, moment: Moment, life: Life, known: Any, broker: int) -> Blocked:
    """A log that a process begins with, or that lies on the disk, and the log of the nearest run."""
    end, hw = search.offset(moment, len(known.log)), search.offset(moment, known.hw)
    theirs = ", ".join(f"{search.offset(moment, at)} from epoch {one.epoch}" for at, one in enumerate(known.log))
    if life.disk is not None:
        mine = ", ".join(f"{one.first} from epoch {one.leader_epoch}" for one in life.disk.stretches)
        place = Place(life.disk.name)
        return Blocked(place, broker, f"log end {life.disk.end} ({mine})", f"log end {end} ({theirs})")
    start = life.start or Start()
    clean = {True: "after a clean shutdown", False: "after a crash", None: "at a start"}
    how = clean[None if start.process is None else start.process.clean]
    found = f"{how}: log end {_or_unknown(start.kept)}, high watermark {_or_unknown(start.stored)}"
    return Blocked(life.place or Place("its log"), broker, found, f"log end {end}, high watermark {hw}")


def _or_unknown(said: int | None) -> str:
    return "unknown" if said is None else str(said)


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
    end, hw = search.offset(moment, len(broker.log)), search.offset(moment, broker.hw)
    if isinstance(event, RoleTaken | RoleKept | IsrUpdated) and event.partition_epoch > moment.last_epoch:
        return f"{WAITS}: the controller has not decided that yet"
    if isinstance(event, RoleTaken) or (isinstance(event, RoleKept) and event.high_watermark is not None):
        if event.high_watermark == hw and (isinstance(event, RoleKept) or event.offset == end):
            return f"{WAITS}: what another broker says next does not go with it"
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


# -- blame ------------------------------------------------------------------------------------------------------------
# Which line it is that no run explains: the one without which the most of the rest is explained.

LEAST = 1_500
"""How many moments a run is looked for, at least, where disks are left out: with them it may end at once."""


def blamed(
    kind: type[ConfigurableKraft], evidence: PartitionEvidence, found: Found, meter: Meter = SILENT
) -> tuple[Blocked, ...]:
    """Where no run goes on, the line first that is to blame.

    What lies on disks comes after all else: if there is a run without it, the first disk that it contradicts is to
    blame, unless it goes without those that may be copied earlier than the logs. Else each line at which the nearest
    run ends is left out in its turn.
    """
    bare, most = evidence.without_disks(), max(found.moments, LEAST)
    if bare == evidence:
        return _left_out_in_turn(kind, evidence, found, meter)
    without = RunSearch(kind, bare).found(most, meter)
    if not without.whole:
        return _left_out_in_turn(kind, bare, without, meter)
    disks = {broker: life for broker, lives in evidence.lives.items() for life in lives if life.disk is not None}
    behind = _behind(RunSearch(kind, bare), without, disks)
    if behind:
        rest = RunSearch(kind, evidence.without_disks(but_of=disks.keys() - behind.keys())).found(most, meter)
        if rest.whole:
            return tuple(behind.values())
    taken: list[int] = []
    for broker in disks:
        taken.append(broker)
        search = RunSearch(kind, evidence.without_disks(but_of=taken))
        one_more = search.found(found.moments, meter)
        if not one_more.whole:
            before = RunSearch(kind, evidence.without_disks(but_of=taken[:-1]))
            return contradicts(before, before.found(found.moments, meter).furthest, disks[broker], broker), *blocked(
                search, one_more.furthest
            )
    return tuple(blocked(RunSearch(kind, evidence), found.furthest))


def _behind(search: RunSearch, run: Found, disks: Mapping[int, Life]) -> dict[int, Blocked]:
    """The disks that have less than their brokers had in a run without any: they may be copied earlier."""
    return {
        broker: replace(contradicts(search, run.furthest, life, broker), is_behind=True)
        for broker, life in disks.items()
        if life.disk is not None and is_behind(search, run.furthest, life.disk, broker)
    }


def _left_out_in_turn(
    kind: type[ConfigurableKraft], evidence: PartitionEvidence, found: Found, meter: Meter
) -> tuple[Blocked, ...]:
    """The lines at which the nearest run ends, that first without which another run goes furthest.

    If none of them alone is to blame, it may be one that is missing.
    """
    heads = blocked(RunSearch(kind, evidence), found.furthest)
    best, most = 0, -1
    for number, head in enumerate(heads):
        if head.of is None or head.missing is not None:
            continue
        without = _without(kind, evidence, head).found(found.moments, meter)
        if without.furthest.explained > most:
            best, most = number, without.furthest.explained
        if without.whole:
            return heads[number], *heads[:number], *heads[number + 1 :]
    if heads[0].missing is not None:
        best = 0
    return heads[best], *heads[:best], *heads[best + 1 :]


def _without(kind: type[ConfigurableKraft], evidence: PartitionEvidence, head: Blocked) -> RunSearch:
    """The search for a run that leaves a line out; of a role it leaves out what it says of the log."""
    if head.said is None:
        return RunSearch(kind, evidence.without_start(head.place))
    if isinstance(head.said.event, RoleTaken | RoleKept):
        return RunSearch(kind, evidence, head.said)
    return RunSearch(kind, evidence.without(head.said))
