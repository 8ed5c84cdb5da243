"""The search for a run: lines and decisions are explained one after the other, with hidden steps between them.

Depth first, and what brings the logs to where the next lines say they are comes first: so a run is found with few
detours. Moments that were seen are not looked at again, so that where no run is found none is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.observed import ObservedBounds
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import Status

from .broker_moves import BrokerMoves
from .decided import Changed
from .decisions import Decisions
from .lives import Lane
from .model import Codes, RunModel, run_model
from .moment import Moment, Move, Reached, Step
from .partition_evidence import PartitionEvidence

MOST_MOMENTS = 200_000
"""After so many moments the search gives up, and says so."""


@dataclass(frozen=True)
class Found:
    """What the search has found: a run of all that is there, or the moment that explains most, with the steps to it.

    `moments` is how many were looked at; `given_up` says that there are more.
    """

    whole: bool
    furthest: Moment
    steps: tuple[Step, ...]
    moments: int
    given_up: bool = False


class RunSearch:
    """The search for a run of one partition."""

    def __init__(self, kind: type[ConfigurableKraft], evidence: PartitionEvidence) -> None:
        self.kind, self.evidence = kind, evidence
        self.brokers = evidence.decided.brokers
        self.bounds = _bounds_for(evidence)
        self.lines = BrokerMoves(self.brokers, evidence.offsets)
        self.decisions = Decisions(evidence.decided, self.model)
        self.lives = tuple(evidence.lives.get(broker, ()) for broker in self.brokers)
        self._limits = tuple(evidence.limits.get(broker, ()) for broker in self.brokers)
        self._last_registration = tuple(self.decisions.last_registration(broker) for broker in self.brokers)
        self._at = {offset: at for at, offset in enumerate(evidence.offsets)}

    def model(self, settings: Settings) -> RunModel:
        """The specification under these settings."""
        return run_model(self.kind, settings, self.bounds)

    def found(self, most: int = MOST_MOMENTS) -> Found:
        """Look for a run."""
        start = self._settled(self._start())
        seen = {start}
        best, path = start, [((), start, self._moves(start))]
        best_steps: tuple[Step, ...] = ()
        while path:
            _, moment, moves = path[-1]
            if self._is_whole(moment):
                return Found(True, moment, tuple(step for steps, _, _ in path for step in steps), len(seen))
            move = next(moves, None)
            if move is None:
                path.pop()
                continue
            after = self._settled(move.after)
            if after in seen or self._is_hopeless(after):
                continue
            if len(seen) >= most:
                return Found(False, best, best_steps, len(seen), given_up=True)
            seen.add(after)
            path.append((move.steps, after, self._moves(after)))
            if after.explained > best.explained:
                best = after
                best_steps = tuple(step for steps, _, _ in path for step in steps)
        return Found(False, best, best_steps, len(seen))

    # -- the beginning and the end --------------------------------------------------------------------------------

    def _start(self) -> Moment:
        """The partition as it was created, with empty logs."""
        created = self.evidence.decided.created
        model = self.model(created.settings)
        place = {broker: at for at, broker in enumerate(self.brokers)}
        active = frozenset(place[one] for one in created.active if one in place)
        state = model.at(model.blank)
        partition = created.partition
        state.metadata[0].leader = None if partition.leader is None else model.ids[place[partition.leader]]
        state.metadata[0].leader_epoch = partition.leader_epoch
        state.metadata[0].isr = model.set_of(place[one] for one in partition.isr)
        state.replicas[0] = model.set_of(place[one] for one in partition.replicas)
        for at, of in enumerate(model.ids):
            state.registrations[of].fenced = at not in active
            if at not in active and self._registers_first(self.brokers[at]):
                state.brokers[of].status = Status.SHUT_DOWN
        epochs = (partition.partition_epoch, *[-1] * self.bounds.metadata_lag)
        reached = tuple(Reached(0, (0,) * len(lives[0].lanes) if lives else ()) for lives in self.lives)
        return Moment(model.forgetful(state.codes()), 0, reached, epochs, partition.partition_epoch, 0)

    def _registers_first(self, broker: int) -> bool:
        """Whether a broker that was not active at the beginning comes in a new process."""
        from .decided import REGISTERED, UNFENCED, OfBroker

        for one in self.evidence.decided.decisions:
            if isinstance(one, OfBroker) and one.broker == broker and one.says in (REGISTERED, UNFENCED):
                return one.says == REGISTERED
        return True

    def _is_whole(self, moment: Moment) -> bool:
        """Whether everything is explained."""
        if moment.decisions < len(self.decisions.all):
            return False
        return all(
            not lives or (reached.life == len(lives) - 1 and self._has_said_all(place, reached))
            for place, (lives, reached) in enumerate(zip(self.lives, moment.brokers, strict=True))
        )

    def _has_said_all(self, place: int, reached: Reached) -> bool:
        lanes = self.lives[place][reached.life].lanes
        return all(at == len(lane) for at, lane in zip(reached.places, lanes, strict=True))

    # -- lines that need no step ----------------------------------------------------------------------------------

    def _settled(self, moment: Moment) -> Moment:
        """The same with every line explained that is true already."""
        model = self._model_at(moment)
        state = model.at(moment.codes)
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
                        places = (*reached.places[:number], at, *reached.places[number + 1 :])
                        reached = Reached(reached.life, places)
                        moment = moment.with_broker(place, reached, lines=lines)
                        moved = True
                if self._begins_anew(model, state, place, reached):
                    moment = moment.with_broker(place, self._next_life(place, reached))
                    moved = True
        return moment

    def _is_told(
        self, model: RunModel, moment: Moment, state: Any, place: int, life: int, lane: Lane, at: int
    ) -> bool:
        """Whether a line takes no step here."""
        if self.lines.is_true(model, moment, state, place, lane[at].event):
            return True
        start = self.lives[place][life].start
        return (
            life > 0
            and start is not None
            and start.process is not None
            and self.lines.is_from_before(moment, state, model.ids[place], lane, at)
        )

    def _begins_anew(self, model: RunModel, state: Any, place: int, reached: Reached) -> bool:
        """Whether the replica is made again within a process: its log is as empty as it was found."""
        if not self._has_said_all(place, reached) or reached.life + 1 >= len(self.lives[place]):
            return False
        start = self.lives[place][reached.life + 1].start
        if start is None or start.process is not None:
            return False
        end = len(state.brokers[model.ids[place]].log)
        return start.kept is None or self._at[start.kept] == end

    def _next_life(self, place: int, reached: Reached) -> Reached:
        return Reached(reached.life + 1, (0,) * len(self.lives[place][reached.life + 1].lanes))

    # -- moves ----------------------------------------------------------------------------------------------------

    def _model_at(self, moment: Moment) -> RunModel:
        decisions = self.decisions.all
        settings = (
            decisions[moment.decisions - 1].settings if moment.decisions else self.evidence.decided.created.settings
        )
        return self.model(settings)

    def _moves(self, moment: Moment) -> Iterator[Move]:
        """What may come next, the likely first."""
        model = self._model_at(moment)
        state = model.at(moment.codes)
        ends = [self._end_limit(place, moment.brokers[place]) for place in range(len(self.brokers))]
        lines = list(self._lines(model, moment, state))
        yield from (move for move in lines if not move.steps)
        yield from self._hidden(model, moment, self._copies(model, state, ends, wanted=True))
        yield from self._hidden(model, moment, self._tells(model, state))
        yield from self._hidden(model, moment, self._appends(model, moment, state, ends, wanted=True))
        yield from (move for move in lines if move.steps)
        yield from self._hidden(model, moment, self._copies(model, state, ends, wanted=False))
        yield from self.decisions.moves(moment)
        yield from self._stops(model, moment, state)
        yield from self._hidden(model, moment, self._quiet(model, moment, state))
        yield from self._hidden(model, moment, self._appends(model, moment, state, ends, wanted=False))

    def _hidden(self, model: RunModel, moment: Moment, steps: Iterator[Step]) -> Iterator[Move]:
        """Steps of which nobody tells."""
        for step in steps:
            after = model.step(moment.codes, step.action, *step.arguments)
            if after is not None and after != moment.codes:
                yield Move((step,), moment._replace(codes=after))

    def _lines(self, model: RunModel, moment: Moment, state: Any) -> Iterator[Move]:
        """The next line of each lane, with its steps."""
        for place, lives in enumerate(self.lives):
            if not lives:
                continue
            reached = moment.brokers[place]
            for number, lane in enumerate(lives[reached.life].lanes):
                at = reached.places[number]
                if at == len(lane):
                    continue
                event = lane[at].event
                for steps in self.lines.steps(model, moment, state, place, event):
                    after = self._after(model, moment.codes, steps)
                    if after is not None and self.lines.is_done(model, model.at(after), place, event):
                        places = (*reached.places[:number], at + 1, *reached.places[number + 1 :])
                        yield Move(steps, moment.with_broker(place, Reached(reached.life, places), after, 1))

    def _after(self, model: RunModel, codes: Codes, steps: tuple[Step, ...]) -> Codes | None:
        found: Codes | None = codes
        for step in steps:
            if found is not None:
                found = model.step(found, step.action, *step.arguments)
        return found

    def _copies(self, model: RunModel, state: Any, ends: list[int | None], wanted: bool) -> Iterator[Step]:
        """Fetches that copy a record, to followers whose next line needs it, or to others."""
        for leader, follower in self._pairs(model, state):
            end = state.end(model.ids[follower])
            limit = ends[follower]
            if end < state.end(model.ids[leader]) and (limit is not None) == wanted and (limit is None or end < limit):
                if not state.diverges(model.ids[follower], model.ids[leader]):
                    yield Step("fetch", (follower, leader))

    def _tells(self, model: RunModel, state: Any) -> Iterator[Step]:
        """Fetches that copy nothing: the leader learns how far the follower is."""
        for leader, follower in self._pairs(model, state):
            if state.end(model.ids[follower]) == state.end(model.ids[leader]):
                if not state.diverges(model.ids[follower], model.ids[leader]):
                    yield Step("fetch", (follower, leader))

    def _pairs(self, model: RunModel, state: Any) -> Iterator[tuple[int, int]]:
        """Who leads, for all he knows, and who fetches from him."""
        for leader, him in enumerate(model.ids):
            if state.presumes_leadership(him):
                for follower, one in enumerate(model.ids):
                    if one != him and state.follows(one, him):
                        yield leader, follower

    def _appends(
        self, model: RunModel, moment: Moment, state: Any, ends: list[int | None], wanted: bool
    ) -> Iterator[Step]:
        """Records that a leader appends: up to where its next line has the log end, else as many as somebody will have.

        More than that only a leader appends whose log is cut back, or who says nothing.
        """
        least = max(self._least_end(place, reached) for place, reached in enumerate(moment.brokers))
        for leader, him in enumerate(model.ids):
            limit, end, reached = ends[leader], state.end(him), moment.brokers[leader]
            if not state.presumes_leadership(him) or end >= (self.bounds.records if limit is None else limit):
                continue
            if (limit is not None or end < least) == wanted and (
                wanted or self._is_silent(leader, reached) or self._truncates(leader, reached)
            ):
                yield Step("produce", (leader,))

    def _quiet(self, model: RunModel, moment: Moment, state: Any) -> Iterator[Step]:
        """The controller refuses a request; a broker replays that it has no replica, or says nothing of what it does."""
        if state.request.leader is not None:
            for arguments in model.of("handle_alter_partition"):
                after = model.step(moment.codes, "handle_alter_partition", *arguments)
                if after is not None and not model.has_appended(moment.codes, after):
                    yield Step("handle_alter_partition", arguments)
        for place, one in enumerate(model.ids):
            if not state.is_running(one):
                continue
            behind = state.brokers[one].behind
            silent = self._is_silent(place, moment.brokers[place])
            for records in range(1, behind + 1):
                if silent or one not in state.replicas[behind - records]:
                    yield Step("replay_metadata", (place, records))
            if silent:
                yield Step("receive_answer", (place,))
                yield from (Step("propose_shrink", arguments) for arguments in model.of("propose_shrink", place))
                yield from (Step("fetch", (place, other)) for other in range(len(model.ids)) if other != place)

    def _is_silent(self, place: int, reached: Reached) -> bool:
        """Whether a broker does things here of which the evidence says nothing."""
        lives = self.lives[place]
        return not lives or (lives[reached.life].start is None and not any(reached.places))

    def _stops(self, model: RunModel, moment: Moment, state: Any) -> Iterator[Move]:
        """The process of a broker ends when it has said all that it says."""
        for place, one in enumerate(model.ids):
            if not state.is_running(one):
                continue
            reached, lives = moment.brokers[place], self.lives[place]
            if lives and not self._has_said_all(place, reached):
                continue
            if not self._comes_back(place, moment):
                continue
            if lives and reached.life + 1 < len(lives):
                start = lives[reached.life + 1].start
                if start is None or start.process is None:
                    continue
                for steps in self._endings(state, model, place, start.process.clean, start.kept, start.stored):
                    after = self._after(model, moment.codes, steps)
                    if after is not None:
                        yield Move(steps, moment.with_broker(place, self._next_life(place, reached), after))
            else:
                for steps in self._endings(state, model, place, None, None, None):
                    after = self._after(model, moment.codes, steps)
                    if after is not None:
                        yield Move(steps, moment._replace(codes=after))

    def _comes_back(self, place: int, moment: Moment) -> bool:
        """Whether the broker registers again: only then it matters that its process has ended."""
        return moment.decisions < self._last_registration[place]

    def _endings(
        self, state: Any, model: RunModel, place: int, clean: bool | None, kept: int | None, stored: int | None
    ) -> Iterator[tuple[Step, ...]]:
        """A shutdown, or a crash with what is left of the log and of the high watermark."""
        broker = state.brokers[model.ids[place]]
        end = len(broker.log)
        if clean is not False and (kept is None or self._at[kept] == end):
            if stored is None or self._at[stored] == broker.hw:
                for arguments in model.of("shut_down", place):
                    yield (Step("shut_down", arguments),)
        if clean is not True:
            for left in range(end + 1) if kept is None else (self._at[kept],):
                crash = Step("crash", (place, left))
                hw = min(broker.hw, left)
                if stored is None or self._at[stored] == hw:
                    yield (crash,)
                elif self._at[stored] < hw:
                    yield (crash, Step("find_older_high_watermark", (place, self._at[stored])))

    def _is_hopeless(self, moment: Moment) -> bool:
        """Whether a log or a high watermark is past what its broker says next."""
        model = self._model_at(moment)
        for place, reached in enumerate(moment.brokers):
            end, high = self._end_limit(place, reached), self._hw_limit(place, reached)
            if (end is not None and model.end(moment.codes, place) > end) or (
                high is not None and model.hw(moment.codes, place) > high
            ):
                return True
        return False

    # -- limits ---------------------------------------------------------------------------------------------------

    def _end_limit(self, place: int, reached: Reached) -> int | None:
        """Up to where a broker's log may grow before its next line; None if nothing is said, or it truncates first."""
        if self._truncates(place, reached):
            return None
        limits = self._limits[place][reached.life] if self._limits[place] else ()
        said = [lane.ends[at] for lane, at in zip(limits, reached.places, strict=True)]
        known = [self._at[one] for one in said if one is not None]
        if not known:
            start = self._next_start(place, reached)
            if start is not None and start.kept is not None and start.process is not None and start.process.clean:
                known = [self._at[start.kept]]
        return min(known, default=None)

    def _hw_limit(self, place: int, reached: Reached) -> int | None:
        """The same for its high watermark."""
        if self._truncates(place, reached):
            return None
        limits = self._limits[place][reached.life] if self._limits[place] else ()
        said = [lane.high_watermarks[at] for lane, at in zip(limits, reached.places, strict=True)]
        known = [self._at[one] for one in said if one is not None]
        if not known:
            start = self._next_start(place, reached)
            if start is not None and start.stored is not None and start.process is not None and start.process.clean:
                known = [self._at[start.stored]]
        return min(known, default=None)

    def _truncates(self, place: int, reached: Reached) -> bool:
        """Whether a broker cuts its log back before it says everything that it says in this life."""
        limits = self._limits[place][reached.life] if self._limits[place] else ()
        return any(lane.truncates[at] for lane, at in zip(limits, reached.places, strict=True))

    def _least_end(self, place: int, reached: Reached) -> int:
        """What a broker's log holds at least when it says something next."""
        limits = self._limits[place][reached.life] if self._limits[place] else ()
        least = [self._at[lane.least[at]] for lane, at in zip(limits, reached.places, strict=True)]
        start = self._next_start(place, reached)
        if start is not None and start.kept is not None:
            least.append(self._at[start.kept])
        return max(least, default=0)

    def _next_start(self, place: int, reached: Reached) -> Any:
        lives = self.lives[place]
        return lives[reached.life + 1].start if reached.life + 1 < len(lives) else None


def _bounds_for(evidence: PartitionEvidence) -> ObservedBounds:
    """Bounds within which every run of the evidence is."""
    decided = evidence.decided
    changes = [one.found for one in decided.decisions if isinstance(one, Changed)]
    epoch = max((one.leader_epoch for one in changes), default=decided.created.partition.leader_epoch)
    return ObservedBounds(
        replication_factor=len(decided.brokers),
        records=max(1, len(evidence.offsets) - 1),
        max_epoch=epoch,
        metadata_lag=max(1, min(len(changes), 8)),
        crashes=1,
        lossy_crashes=1,
        fencings=1,
        shrinks=1,
        elections=1,
        reassignments=1,
    )
