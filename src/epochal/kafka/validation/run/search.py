"""The search for a run: lines and decisions are explained one after the other, with hidden steps between them.

Steps that bring the logs to where the next lines expect them are tried first, so that a run is found with few detours.
Each state is visited once, so a failed search is conclusive.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.observed import MANY, ObservedBounds
from epochal.spec.kraft.settings import Acks, Settings
from epochal.spec.kraft.state import Record, Status

from ...evidence.broker_log import BrokerEvent
from ..controller import bits, put, shape_of
from ..meter import SILENT, Meter
from .ahead import Ahead, Saying, Shrink, Window, from_the_beginning
from .evidence import ChangedTo, Lane, PartitionEvidence, epochs_before
from .model import WIDEST, Codes, HowFar, Juncture, Leeway, Move, RunModel, Step, run_model, without_steps
from .moves import BrokerMoves, Decisions, HiddenSteps, losses_of, term_of

# -- stuck ------------------------------------------------------------------------------------------------------------
# Brokers that can never be where their next line says they are: found early, so that nobody looks on from there.


def is_stuck(model: RunModel, state: Any, place: int, said: Saying) -> bool:
    """Whether a broker can no longer come to the log end and the high watermark that it says next, or has to have.

    It does not truncate before. A leader only goes up. A follower fetches from the leader that it follows now, and from
    nobody else: of another one it would say that first. Where that one has gone on to a later epoch it fetches nothing
    more. It takes over the high watermark of that one, up to its own end, also one that is lower than its own; so where
    that is higher than what it says, and its log is as long, the next answer takes it past that. So does one where its
    log has all that it says and that one's has more. And where the two logs diverge it would truncate first.
    """
    mine = model.ids[place]
    broker = state.brokers[mine]
    (end, hw), least, log_end, known = said.most, said.least, len(broker.log), broker.hw
    if end is not None and log_end > end:
        return True
    is_there = (end is None or log_end == end) and (hw is None or known == hw)
    has_least = (least.end is None or log_end >= least.end) and (least.hw is None or known >= least.hw)
    if (is_there and has_least) or not state.is_running(mine):
        return False
    view = state.view(mine)
    leader = view.leader
    if leader is None or leader == mine:
        return hw is not None and bool(known > hw)
    if state.is_running(leader) and state.view(leader).leader_epoch > view.leader_epoch:
        return True
    if not (state.presumes_leadership(leader) and state.follows(mine, leader)):
        return False
    if state.diverges(mine, leader):
        return True
    ahead = state.brokers[leader]
    if end is not None and log_end == end and len(ahead.log) > end:
        return True
    return hw is not None and bool(ahead.hw > hw and log_end >= hw)


def asks_for_another(model: RunModel, codes: Codes, state: Any, isr: frozenset[int] | None) -> bool:
    """Whether the controller takes next another ISR than the one, by places, that it decides on next; None if it may
    decide on something that nobody asks for.

    Only another decision before that would make it refuse the request that is on its way.
    """
    if isr is None or state.request.leader is None or model.places(state.request.isr) == isr:
        return False
    steps = (model.step(codes, "handle_alter_partition", *one) for one in model.of("handle_alter_partition"))
    return any(after is not None and model.has_appended(codes, after) for after in steps)


def is_past(model: RunModel, state: Any, leader: int, asked: Shrink, least: Sequence[int | None]) -> bool:
    """Whether a follower's log goes on past where its leader says next that it last fetched from.

    `least` is for each broker how far its log is at least from here on, None if that is not known. Of a follower that
    did not fetch since the leader became one, the line may name any end; but then the leader commits nothing more.
    """
    him = model.ids[leader]
    if not state.presumes_leadership(him):
        return False
    for place, told in asked.slow:
        one, known = model.ids[place], state.known_end(him, model.ids[place])
        from_here, log_end = least[place], state.end(one)
        if known == told or log_end <= told or from_here is None or from_here <= told:
            continue
        if known >= 0 or (asked.hw > state.brokers[him].hw and one in state.maximal_isr(him)):
            return True
    return False


def tells_too_much(model: RunModel, state: Any, said: Sequence[Saying], stays_large: Callable[[int], bool]) -> bool:
    """Whether followers have to fetch once more, and a high watermark goes by that past what its broker says.

    The next fetch of a follower is from where its log ends, and the last from before the end that it needs. By each its
    leader learns how far it is, and has then committed what all who are counted have. `said` is for each broker what it
    says next; `stays_large` whether the ISR of a leader epoch never has fewer members than `min.insync.replicas`.
    """
    return any(
        state.presumes_leadership(him) and _leader_hears_too_much(model, state, leader, said, stays_large)
        for leader, him in enumerate(model.ids)
    )


def _leader_hears_too_much(
    model: RunModel, state: Any, leader: int, said: Sequence[Saying], stays_large: Callable[[int], bool]
) -> bool:
    """The same for one leader."""
    him = model.ids[leader]
    if state.settings.strict_hw and not stays_large(int(state.view(him).leader_epoch)):
        return False
    counted = [place for place, one in enumerate(model.ids) if one in state.maximal_isr(him)]
    followers = [place for place, one in enumerate(model.ids) if one != him and state.follows(one, him)]
    end, now, last = int(state.end(him)), int(state.brokers[him].hw), said[leader].last
    known = {place: int(state.known_end(him, one)) for place, one in enumerate(model.ids)}
    everybody = len(counted) == len(state.replicas[0])  # else who joins may be behind, and nothing more be committed

    def committed(heard: dict[int, int]) -> int:
        least = min((heard[place] for place in counted), default=end)
        return max(now, least if everybody else min(least, now))

    def comes_with_the_last(place: int, needed: int, hw: int) -> bool:
        """Whether the answer that brings the last record brings this high watermark: it has the one from before."""
        before = _before_the_last(known[place], state.end(model.ids[place]), needed)
        return place not in counted or end < needed or max(before, now) >= hw

    def tells(place: int) -> int:
        """Up to where a follower has all, as its leader learns before the follower acts on another one."""
        log_end, hw = int(state.end(model.ids[place])), int(state.brokers[model.ids[place]].hw)
        most, least, *_ = said[place]
        needed = max((one for one in (most.end, least.end) if one is not None), default=log_end)
        lacks = [one for one in (most.hw,) if one not in (None, hw)]
        lacks += [one for one in (least.hw,) if one is not None and hw < one]
        if log_end >= needed:
            return log_end if lacks else known[place]
        return needed - all(comes_with_the_last(place, needed, one) for one in lacks if one is not None)

    if (
        last is not None
        and committed({**known, **{place: max(known[place], tells(place)) for place in followers}}) > last
    ):
        return True
    for place in followers:
        log_end, (needed, hw) = state.end(model.ids[place]), said[place].together
        if needed is None or hw is None or log_end >= needed or hw >= needed:
            continue
        before = _before_the_last(known[place], log_end, needed)
        with_the_last = comes_with_the_last(place, needed, hw) and committed({**known, place: before}) <= hw
        # By one fetch more, which copies nothing.
        one_less, all_of_it = committed({**known, place: needed - 1}), committed({**known, place: needed})
        by_one_more = end <= needed and one_less <= hw and (last is None or all_of_it <= last)
        if not (with_the_last or by_one_more):
            return True
    return False


def _before_the_last(known: int, log_end: int, needed: int) -> int:
    """What a leader knows of a follower before that one's fetch of the last record that it needs."""
    return known if log_end + 1 == needed else needed - 2


# -- exploration ------------------------------------------------------------------------------------------------------
# How moments are looked at: in depth, and in breadth from a little before where that comes no further.
#
# In depth the likely comes first, and a run is found with few detours. But a wrong turn may show only some lines later,
# and then all that may be between is tried before it is taken back. So where nothing more is explained for a while,
# moments are looked at level by level, from some lines before the furthest: on each level as many as explain the same
# number of lines, those first to which the fewest unlikely turns lead. What comes a few lines past the furthest is
# where the look in depth goes on. Nothing is left out by that: what was still to be tried is tried when that has led
# nowhere.

PATIENCE = 1_000
"""After so many moments by which no more is explained, moments are looked at in breadth."""

BACK, WIDTH = 12, 16
"""So many lines before the furthest that begins, with so many moments a level; twice as many each time in vain."""

PAST, KEPT = 8, 8
"""So many lines past the furthest it ends, and so many moments are kept then."""


class StepsTo(NamedTuple):
    """The steps to a moment, the last of them first, and how many decisions were taken before these."""

    before: StepsTo | None
    steps: tuple[Step, ...]
    decisions: int = 0

    def told(self) -> tuple[Step, ...]:
        """The steps in their order."""
        return tuple(step for way in self._from_the_start() for step in way.steps)

    def decided(self) -> tuple[int, ...]:
        """How many decisions were taken before each step."""
        return tuple(way.decisions for way in self._from_the_start() for _ in way.steps)

    def _from_the_start(self) -> list[StepsTo]:
        found: list[StepsTo] = []
        way: StepsTo | None = self
        while way is not None:
            found.append(way)
            way = way.before
        return found[::-1]


class Arrived(NamedTuple):
    """A moment, and the way to it."""

    moment: Juncture
    way: StepsTo

    def then(self, steps: tuple[Step, ...], after: Juncture) -> Arrived:
        """The moment after these steps."""
        return Arrived(after, StepsTo(self.way, steps, self.moment.decisions))


class Explored(NamedTuple):
    """The end of it: whether the whole is explained, or all moments were looked at; where, and how many there were."""

    whole: bool
    exhausted: bool
    furthest: Arrived
    moments: int


class Space(Protocol):
    """The moments that there are."""

    def successors(self, moment: Juncture) -> Iterator[tuple[tuple[Step, ...], Juncture]]:
        """What may come next, with the steps to it, the likely first."""
        ...

    def is_hopeless(self, moment: Juncture) -> bool:
        """Whether nothing that explains everything comes of it."""
        ...

    def is_whole(self, moment: Juncture) -> bool:
        """Whether everything is explained."""
        ...


class Exploration:
    """Looks for a moment that explains everything. `reached` hears, now and then, how many lines are explained."""

    def __init__(self, space: Space, most: int, reached: Callable[[int], None]) -> None:
        self.space, self.most, self.reached = space, most, reached
        self.seen: set[Juncture] = set()
        self.looked = 0
        """How many moments were looked at in breadth."""

    @property
    def moments(self) -> int:
        """How many moments were looked at."""
        return len(self.seen) + self.looked

    def from_moment(self, start: Juncture) -> Explored:
        """Look from a moment on, until `most` moments were looked at."""
        furthest = Arrived(start, StepsTo(None, ()))
        self.seen = {start}
        path = [(furthest, self.space.successors(start))]
        since, back, width = 0, BACK, WIDTH
        while path:
            here, following = path[-1]
            if self.space.is_whole(here.moment):
                return Explored(True, False, here, self.moments)
            steps, after = next(following, ((), None))
            if after is None:
                path.pop()
                continue
            if after in self.seen or self.space.is_hopeless(after):
                continue
            if self.moments >= self.most:
                return Explored(False, False, furthest, self.moments)
            self.seen.add(after)
            self.reached(furthest.moment.explained)
            path.append((here.then(steps, after), self.space.successors(after)))
            if after.explained > furthest.moment.explained:
                furthest = path[-1][0]
                since, back, width = len(self.seen), BACK, WIDTH
            elif len(self.seen) - since >= PATIENCE and self.looked <= len(self.seen):
                begin = _lines_before([one for one, _ in path], furthest.moment.explained - back)
                arrived = self.in_breadth(begin, furthest.moment.explained + PAST, width)
                since, back, width = len(self.seen), 2 * back, 2 * width
                for one in reversed(arrived):
                    if one.moment not in self.seen:
                        self.seen.add(one.moment)
                        path.append((one, self.space.successors(one.moment)))
                        furthest = max(furthest, one, key=lambda at: at.moment.explained)
                if arrived:
                    back, width = BACK, WIDTH
        return Explored(False, True, furthest, self.moments)

    def in_breadth(self, begin: Arrived, until: int, width: int) -> list[Arrived]:
        """Look level by level, until so many lines are explained; those to which the fewest unlikely turns lead."""
        seen = {begin.moment}
        levels: dict[int, list[tuple[int, int, Arrived]]] = {begin.moment.explained: [(0, 0, begin)]}
        while levels:
            level = min(levels)
            if level >= until:
                best = sorted(one for some in levels.values() for one in some)
                return [one for *_, one in best[:KEPT]]
            queue = levels.pop(level)
            heapq.heapify(queue)
            for _ in range(width):
                if not queue:
                    break
                turns, _, here = heapq.heappop(queue)
                if self.space.is_whole(here.moment):
                    return [here]
                for number, (steps, after) in enumerate(self.space.successors(here.moment)):
                    if after in seen or self.space.is_hopeless(after):
                        continue
                    if self.moments >= self.most:
                        return []
                    seen.add(after)
                    self.looked += 1
                    self.reached(level)
                    # No two have the same number, so that no moments are compared.
                    item = turns + (number > 0), self.looked, here.then(steps, after)
                    if after.explained == level:
                        heapq.heappush(queue, item)
                    else:
                        levels.setdefault(after.explained, []).append(item)
        return []


def _lines_before(path: list[Arrived], explained: int) -> Arrived:
    """The last on a path that explains no more than so many lines, or the first."""
    found = path[0]
    for one in path:
        if one.moment.explained > explained:
            break
        found = one
    return found


ROOM = MANY
"""How many stretches of records a state has place for: of longer logs what is needed no more is left behind."""

MOST_LAG = 64
"""How many changes a running broker may be behind in a run. Where there are more, not finding one says nothing."""


@dataclass(frozen=True)
class FoundRun:
    """What the search has found: a run of all that is there, or the moment that explains most, with the steps to it.

    `decided` is how many decisions were taken before each step, `moments` how many were looked at. `given_up` says why
    not finding a run says nothing: there are more moments, or the runs that are looked for lack something that brokers
    may have done.
    """

    whole: bool
    furthest: Juncture
    steps: tuple[Step, ...]
    moments: int
    given_up: str = ""
    decided: tuple[int, ...] = ()


class FromBase(NamedTuple):
    """What counts places from where the logs of a state begin."""

    ahead: Ahead
    lines: BrokerMoves
    hidden: HiddenSteps


class RunSearch:
    """The search for a run of one partition."""

    def __init__(
        self,
        kind: type[ConfigurableKraft],
        evidence: PartitionEvidence,
        doubted: BrokerEvent | None = None,
        room: int = ROOM,
        leeway: Leeway = WIDEST,
    ) -> None:
        self.kind, self.evidence, self.leeway = kind, evidence, leeway
        self.brokers = evidence.decided.brokers
        self.bounds = _bounds_for(evidence, room)
        self._models: dict[int, RunModel] = {}
        self.decisions = Decisions(evidence.decided, self.model)
        self.lives = tuple(evidence.lives.get(broker, ()) for broker in self.brokers)
        self.ahead = Ahead(self.lives, evidence.offsets, doubted)
        until = tuple(map(self.decisions.last_registration, range(len(self.brokers))))
        joins = tuple(map(self.decisions.last_time_a_replica, range(len(self.brokers))))
        self.window = Window(self.lives, evidence.offsets, self.ahead, until, joins, room)
        self._from_base: dict[int, FromBase] = {}

    def model(self, settings: Settings) -> RunModel:
        """The specification under these settings."""
        found = self._models.get(id(settings))  # the evidence has them, and settings are many to hash
        if found is None:
            acks = Acks.NONE if self.leeway.any_acks else Acks.ALL
            found = self._models[id(settings)] = run_model(self.kind, settings, self.bounds, acks)
        return found

    def offset(self, moment: Juncture, place: int) -> int:
        """The offset at a place of the logs in a moment."""
        return self.evidence.offsets[moment.base + place]

    def at(self, moment: Juncture) -> FromBase:
        """What brokers say next, and the steps, in places of a moment's logs."""
        found = self._from_base.get(moment.base)
        if found is None:
            ahead = self.ahead.from_base(moment.base)
            hidden = HiddenSteps(self.brokers, ahead, self.lives, self.window, self.leeway)
            found = FromBase(ahead, BrokerMoves(self.brokers, ahead), hidden)
            self._from_base[moment.base] = found
        return found

    def found(self, most: int, meter: Meter = SILENT) -> FoundRun:
        """Look for a run. After so many moments the search gives up, and says so."""
        doing, lines = f"looking for a run of {self.evidence.decided.name}", self.evidence.events
        start = self._settled(self._start())
        assert start is not None  # nothing is left behind of empty logs
        exploration = Exploration(self, most, lambda explained: meter.reached(doing, explained, lines))
        whole, exhausted, (furthest, way), moments = exploration.from_moment(start)
        lacks = "" if whole else self._lacks() if exhausted else f"no run was found among {most:,} moments"
        return FoundRun(whole, furthest, way.told(), moments, lacks, way.decided())

    def _lacks(self) -> str:
        """What brokers may have done that is in no run; nothing if there is no such thing."""
        if releases := self.evidence.decided.releases:
            return f"processes of {' and '.join(releases)} were there, and each follows the rules of its own"
        if self.evidence.decided.created.from_snapshot:
            return "it was there before the metadata log begins, and what its logs had then is not known"
        if self.window.is_full:
            return (
                f"a replica may be behind another by more than {self.window.room} offsets at which something happened"
            )
        if self.window.lost_sight:
            return "it is long, and a broker may have lost of its log in a crash of which nothing is told"
        changes = [one for one in self.decisions.all if isinstance(one, ChangedTo)]
        if len(changes) > self.bounds.metadata_lag:
            return f"a broker may be behind by more than {self.bounds.metadata_lag} changes"
        settings = {one.settings for one in self.decisions.all} | {self.evidence.decided.created.settings}
        if len(settings) > 1:
            return "settings change on the way, and a leader may learn that later (H1)"
        lacking = sorted({name for one in settings for name in without_steps(self.kind, one)})
        return f"the version has rules for steps that are in no run: {', '.join(lacking)}" if lacking else ""

    # -- the beginning and the end --------------------------------------------------------------------------------

    def _start(self) -> Juncture:
        """The partition as it was created, with empty logs; or as it stands in the snapshot.

        Then hidden steps append what was in the logs, in the leader epoch of the snapshot, unless disks have it.
        """
        created = self.evidence.decided.created
        model = self.model(created.settings)
        places = {broker: at for at, broker in enumerate(self.brokers)}
        partition, active = created.partition, bits(created.active & places.keys(), places)
        state = model.at(model.blank)
        put(state, model.ids, shape_of(partition, places, 0), active, bits(created.offline, places))
        for at, of in enumerate(model.ids):
            if not active >> at & 1 and self.evidence.decided.registers_first(self.brokers[at]):
                state.brokers[of].status = Status.SHUT_DOWN
        if created.from_snapshot:
            self._fill(state, model)
        epochs = (partition.partition_epoch, *[-1] * self.bounds.metadata_lag)
        reached = tuple(HowFar.begins(0, lives) for lives in self.lives)
        return Juncture(model.forgetful(state.codes()), 0, reached, epochs, partition.partition_epoch, 0)

    def _fill(self, state: Any, model: RunModel) -> None:
        """Give every broker the log that it has in the snapshot, as far as that is known.

        One that is down comes back with what its next process finds.
        """
        created = self.evidence.decided.created
        epochs = epochs_before(created, self.evidence.lives, self.evidence.offsets)[: self.bounds.records]
        for place, of in enumerate(model.ids):
            broker, length = state.brokers[of], len(epochs)
            if not state.is_running(of):
                start = next((life.start for life in self.lives[place] if life.start is not None), None)
                if start is not None and start.kept is not None:
                    length = min(self.ahead.place(start.kept), self.bounds.records)
                    broker.hw = min(self.ahead.place(start.stored or 0), length)
            for at in range(length):
                epoch = epochs[at] if at < len(epochs) else created.partition.leader_epoch
                broker.log.append(Record(id=at, epoch=epoch))
            if state.presumes_leadership(of):
                broker.epoch_start = len(epochs)

    def is_whole(self, moment: Juncture) -> bool:
        """Whether everything is explained."""
        if moment.decisions < len(self.decisions.all):
            return False
        return all(
            not lives or (reached.life == len(lives) - 1 and self.ahead.has_said_all(place, reached))
            for place, (lives, reached) in enumerate(zip(self.lives, moment.brokers, strict=True))
        )

    # -- lines that need no step ----------------------------------------------------------------------------------

    def _settled(self, moment: Juncture) -> Juncture | None:
        """The same with every line explained that is true already, and without what is needed no more of its logs.

        None if what was there contradicts what lies on a disk.
        """
        model = self.model_at(moment)
        state = model.read(moment.codes)
        moved = True
        while moved:
            moved = False
            for place, lives in enumerate(self.lives):
                if not lives:
                    continue
                reached = moment.brokers[place]
                for number, lane in enumerate(lives[reached.life].lanes):
                    at = reached.places[number]
                    while at < len(lane) and self._is_told(model, moment, state, place, reached.life, lane, at):
                        at += 1
                    if at > reached.places[number]:
                        lines = at - reached.places[number]
                        reached = reached.then(number, at)
                        moment = moment.with_broker(place, reached, lines=lines)
                        moved = True
                if self._begins_anew(model, moment, state, place, reached):
                    moment = moment.with_broker(place, HowFar.begins(reached.life + 1, self.lives[place]))
                    moved = True
        return self.window.after(model, moment, state)

    def _is_told(
        self, model: RunModel, moment: Juncture, state: Any, place: int, life: int, lane: Lane, at: int
    ) -> bool:
        """Whether a line takes no step here."""
        lines = self.at(moment).lines
        if lines.is_true(model, moment, state, place, lane[at].event):
            return True
        start = self.lives[place][life].start
        return (
            life > 0
            and start is not None
            and start.process is not None
            and lines.is_from_before(moment, state, model.ids[place], lane, at)
        )

    def _begins_anew(self, model: RunModel, moment: Juncture, state: Any, place: int, reached: HowFar) -> bool:
        """Whether the replica is made again within a process: its log is as empty as it was found. Or whether, after
        all that a broker says, its log is what lies on its disk."""
        life, mine = reached.following(self.lives[place]), model.ids[place]
        if life is None or not self.ahead.has_said_all(place, reached) or life.start is None:
            return False
        if life.start.process is not None and not life.start.is_either:
            return False
        if life.start.is_either and (not state.is_running(mine) or mine in state.replicas[state.brokers[mine].behind]):
            return False
        log = state.brokers[mine].log
        if life.start.kept is not None and self.at(moment).ahead.place(life.start.kept) != len(log):
            return False
        return life.disk is None or all(
            life.disk.epoch_at(self.offset(moment, at)) in (None, record.epoch) for at, record in enumerate(log)
        )

    # -- moves ----------------------------------------------------------------------------------------------------

    def model_at(self, moment: Juncture) -> RunModel:
        decisions = self.decisions.all
        settings = (
            decisions[moment.decisions - 1].settings if moment.decisions else self.evidence.decided.created.settings
        )
        return self.model(settings)

    def successors(self, moment: Juncture) -> Iterator[tuple[tuple[Step, ...], Juncture]]:
        """The moments that may come next, the likely first, with the steps to each in whole logs."""
        for move in self._moves(moment):
            after = self._settled(move.after)
            if after is not None:
                yield from_the_beginning(move.steps, moment.base), after

    def _moves(self, moment: Juncture) -> Iterator[Move]:
        """What may come next, the likely first."""
        model = self.model_at(moment)
        state = model.read(moment.codes)
        hidden = self.at(moment).hidden
        lines = list(self._lines(model, moment, state))
        yield from (move for move in lines if not move.steps)
        yield from self._hidden(model, moment, hidden.needed(model, moment, state))
        yield from (move for move in lines if move.steps)
        yield from self._hidden(model, moment, hidden.tells(model, state))
        yield from self._hidden(model, moment, hidden.copies(model, moment, state))
        yield from self.decisions.moves(moment)
        for steps, place, reached in hidden.endings(model, moment, state):
            after = self._after(model, moment.codes, steps)
            if after is not None:
                here = moment.brokers[place]
                untold = sum(here.places) if reached.life == here.life else 0
                lost = 0 if self.leeway.losses is None else losses_of(model, state, steps)
                ended = moment.with_broker(place, reached, after, -untold)
                yield Move(steps, ended._replace(losses=moment.losses + lost))
        yield from self._hidden(model, moment, hidden.refusals(model, moment, state))
        yield from self._hidden(model, moment, hidden.silent(model, moment, state))
        yield from self._hidden(model, moment, hidden.appends(model, moment, state))
        yield from self._hidden(model, moment, hidden.copies(model, moment, state, kept=False))
        yield from self._hidden(model, moment, hidden.appends(model, moment, state, kept=False))

    def _hidden(self, model: RunModel, moment: Juncture, steps: Iterator[Step]) -> Iterator[Move]:
        """Steps of which nobody tells."""
        for step in steps:
            after = model.step(moment.codes, step.action, *step.arguments)
            if after is not None and after != moment.codes:
                yield Move((step,), moment._replace(codes=after))

    def _lines(self, model: RunModel, moment: Juncture, state: Any) -> Iterator[Move]:
        """The next line of each lane, with its steps."""
        told = self.at(moment).lines
        for place, lives in enumerate(self.lives):
            if not lives:
                continue
            reached = moment.brokers[place]
            for number, lane in enumerate(lives[reached.life].lanes):
                at = reached.places[number]
                if at == len(lane):
                    continue
                event = lane[at].event
                for steps in told.steps(model, moment, state, place, event):
                    after = self._after(model, moment.codes, steps)
                    if after is not None and told.is_done(model, model.read(after), place, event):
                        yield Move(steps, moment.with_broker(place, reached.then(number, at + 1), after, 1))

    def _after(self, model: RunModel, codes: Codes, steps: tuple[Step, ...]) -> Codes | None:
        found: Codes | None = codes
        for step in steps:
            if found is not None:
                found = model.step(found, step.action, *step.arguments)
        return found

    def is_hopeless(self, moment: Juncture) -> bool:
        """Whether a log or a high watermark is past what its broker says next, or can never come there, or the
        controller can only decide something else."""
        model, ahead = self.model_at(moment), self.at(moment).ahead
        state = model.read(moment.codes)
        terms = [term_of(self.brokers, model, state, place) for place in range(len(self.brokers))]
        said = [ahead.says(place, *one) for place, one in enumerate(zip(moment.brokers, terms, strict=True))]
        return (
            any(is_stuck(model, state, place, one) for place, one in enumerate(said))
            or asks_for_another(model, moment.codes, state, self.decisions.grown(moment.decisions))
            or tells_too_much(model, state, said, self.decisions.stays_large)
            or self._is_past(model, moment, state, ahead)
        )

    def _is_past(self, model: RunModel, moment: Juncture, state: Any, ahead: Ahead) -> bool:
        asked = [ahead.asks(place, reached, self.brokers) for place, reached in enumerate(moment.brokers)]
        if not any(asked):
            return False
        least = [self.window.log_at_least(place, moment) for place in range(len(self.brokers))]
        return any(one is not None and is_past(model, state, place, one, least) for place, one in enumerate(asked))


def _bounds_for(evidence: PartitionEvidence, room: int) -> ObservedBounds:
    """Bounds within which every run of the evidence is."""
    decided = evidence.decided
    changes = [one.found for one in decided.decisions if isinstance(one, ChangedTo)]
    return ObservedBounds(
        replication_factor=len(decided.brokers),
        records=max(1, min(len(evidence.offsets) - 1, room)),
        max_epoch=decided.last_leader_epoch,
        metadata_lag=max(1, min(len(changes), MOST_LAG)),
        crashes=1,
        lossy_crashes=1,
        fencings=1,
        shrinks=1,
        elections=1,
        reassignments=1,
    )
