"""How a broker's next line comes about: at once, by a step of the specification, or not yet.

A line that is true of the state as it is takes no step. It is taken as soon as it is true: what explains the rest later
explains it now.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from ...evidence.broker_log import (
    FetcherAdded,
    HighWatermarkMoved,
    IsrShrinks,
    IsrUpdated,
    RoleKept,
    RoleTaken,
    Truncated,
)
from ..image import FENCED, LOST_DIRECTORY, NOBODY, REGISTERED, SHUTTING_DOWN, UNFENCED, Partition, leader_of
from .ahead import Ahead, Extent, LeaderTerm, Window
from .evidence import ChangedTo, DecidedPartition, Decision, Lane, Life, LifeStart, OfBroker
from .model import WIDEST, Argument, Codes, HowFar, Juncture, Leeway, Move, RunModel, Step

Outcome = tuple[Step, ...]


class BrokerMoves:
    """The lines of brokers against the state of the specification."""

    def __init__(self, brokers: tuple[int, ...], ahead: Ahead) -> None:
        self._place = {broker: place for place, broker in enumerate(brokers)}
        self._at = ahead.place
        self._doubted = None if ahead.doubted is None else ahead.doubted.event

    def is_true(self, model: RunModel, moment: Juncture, state: Any, place: int, event: object) -> bool:
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

    def is_from_before(self, moment: Juncture, state: Any, mine: Any, lane: Lane, at: int) -> bool:
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

    def steps(self, model: RunModel, moment: Juncture, state: Any, place: int, event: object) -> Iterator[Outcome]:
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

    def _changes_ahead(self, moment: Juncture, behind: int, partition_epoch: int) -> int:
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


# -- decisions --------------------------------------------------------------------------------------------------------
# Which steps of the specification make the controller decide what it decided.

REASSIGNED = ("reassign", "override_reassignment", "cancel_reassignment", "cancel_uncleanly")
ELECTED = ("elect_preferred_leader", "elect_any_leader", "elect_uncleanly")
"""Steps that no record of a broker tells of: these change the replicas, and these the leader."""

LEADER_EPOCH, REPLICAS = 2, slice(6, None)
"""Where in a partition leader and leader epoch end, and where the replicas are."""

ACTIONS = {
    FENCED: "fence",
    SHUTTING_DOWN: "fence",
    UNFENCED: "unfence",
    REGISTERED: "restart",
    LOST_DIRECTORY: "lose_directory",
}

NAME_A_LEADER = (
    *("fence", "restart", "unfence", "handle_alter_partition", "lose_directory", "assign_directory"),
    "elect_any_leader",
)
"""Steps whose last argument is the leader afterwards, if they change the partition."""


class Decisions:
    """The decisions about a partition, and how the next of them comes about."""

    def __init__(self, decided: DecidedPartition, model_of: Any) -> None:
        self.all = decided.decisions
        self.brokers = decided.brokers
        self._states = [(decided.created.partition, decided.created.settings)]
        self._states += [(one.found, one.settings) for one in self.all if isinstance(one, ChangedTo)]
        self._places = {broker: place for place, broker in enumerate(decided.brokers)}
        self._model_of = model_of
        self._grown = tuple(self._grows())
        self._small = frozenset(
            state.leader_epoch for state, settings in self._states if len(state.isr) < settings.min_insync_replicas
        )

    def moves(self, moment: Juncture) -> Iterator[Move]:
        """Every way in which the next decision, or two that are one step, comes about."""
        if moment.decisions == len(self.all):
            return
        here = self.all[moment.decisions]
        following = self.all[moment.decisions + 1] if moment.decisions + 1 < len(self.all) else None
        model: RunModel = self._model_of(here.settings)
        if isinstance(here, ChangedTo):
            yield from self._changes(model, moment, here, following)
        else:
            yield from self._of_broker(model, moment, here, following)

    def grown(self, taken: int) -> frozenset[int] | None:
        """The ISR, by places, that the next change must be asked for by the leader, because somebody joins it.

        None if the next change is another one, or something else may come before it by which a request is refused.
        """
        return self._grown[taken]

    def stays_large(self, leader_epoch: int) -> bool:
        """Whether the ISR has in every state of a leader epoch at least `min.insync.replicas` members."""
        return leader_epoch not in self._small

    def _grows(self) -> Iterator[frozenset[int] | None]:
        """That for each number of decisions that were taken."""
        before = [self._states[0][0]]
        for one in self.all:
            before.append(one.found if isinstance(one, ChangedTo) else before[-1])
        found: list[frozenset[int] | None] = [None]
        for number in reversed(range(len(self.all))):
            one, was = self.all[number], before[number]
            if isinstance(one, ChangedTo):
                joins = one.found.leader_epoch == was.leader_epoch and bool(one.found.isr - was.isr)
                found.append(frozenset(self._places[of] for of in one.found.isr) if joins else None)
            else:
                found.append(found[-1] if one.says == UNFENCED else None)
        return reversed(found)

    def last_registration(self, place: int) -> int:
        """Up to where decisions tell of a broker, by its place, that it registers; 0 if none does."""
        found = [
            number
            for number, one in enumerate(self.all, start=1)
            if isinstance(one, OfBroker) and one.broker == self.brokers[place] and one.says == REGISTERED
        ]
        return max(found, default=0)

    def last_time_a_replica(self, place: int) -> int:
        """Up to where decisions give a broker, by its place, a replica; 0 if none does."""
        changes = ((number, one) for number, one in enumerate(self.all, start=1) if isinstance(one, ChangedTo))
        found = [number for number, one in changes if self.brokers[place] in one.found.replicas]
        return max(found, default=0)

    # -- a change of the partition --------------------------------------------------------------------------------

    def _changes(
        self, model: RunModel, moment: Juncture, here: ChangedTo, following: Decision | None
    ) -> Iterator[Move]:
        """A change by itself; or what the record about a broker behind it tells of."""
        for step, after in self._leading_to(model, moment.codes, here.found, *self._causes(model, moment, here)):
            yield self._move(moment, (step,), after, here)
        if isinstance(following, OfBroker) and following.says == REGISTERED:
            place = self._places[following.broker]
            for step, after in self._leading_to(model, moment.codes, here.found, ("restart", place)):
                yield self._move(moment, (step,), after, here, taken=2)

    def _causes(self, model: RunModel, moment: Juncture, here: ChangedTo) -> Iterator[tuple[str, int]]:
        """The steps that may have been the cause, each with its broker if there is one.

        What fences a broker, registers it, or takes a log directory of it away, is one batch of records: the changes of
        its partitions, and then the record about the broker (ReplicationControlManager.handleBrokerFenced,
        ClusterControlManager.registerBroker, handleDirectoriesOffline). A replica that is assigned to a directory when
        that is offline leaves without any (handleAssignReplicasToDirs).
        """
        if here.cleared:
            yield "clear_elr", NOBODY
            return
        following = self.all[moment.decisions + 1] if moment.decisions + 1 < len(self.all) else None
        if isinstance(following, OfBroker) and following.says == FENCED:
            yield "fence", self._places[following.broker]
        elif isinstance(following, OfBroker) and following.says == LOST_DIRECTORY:
            yield "lose_directory", self._places[following.broker]
        yield from (("lose_directory", place) for place in model.offline(moment.codes))
        now, expected = model.partition(moment.codes), self._expected(here.found)
        if now[REPLICAS] != expected[REPLICAS]:
            yield from ((action, NOBODY) for action in REASSIGNED)
        if now[:LEADER_EPOCH] != expected[:LEADER_EPOCH]:
            yield from ((action, NOBODY) for action in ELECTED)
        if model.is_requested(moment.codes):
            yield "handle_alter_partition", NOBODY
        yield "assign_directory", NOBODY

    # -- a broker -------------------------------------------------------------------------------------------------

    def _of_broker(
        self, model: RunModel, moment: Juncture, here: OfBroker, following: Decision | None
    ) -> Iterator[Move]:
        """A broker comes or goes, with the change of the partition that this causes, if there is one."""
        place = self._places[here.broker]
        state = model.read(moment.codes)
        active = not state.registrations[model.ids[place]].fenced
        action = ACTIONS[here.says]
        if here.says == LOST_DIRECTORY:
            done = place in model.offline(moment.codes)
            for step, after in () if done else self._quietly(model, moment.codes, action, place):
                yield self._move(moment, (step,), after, here)
            if done:
                yield self._move(moment, (), moment.codes, here)
            return
        if (here.says == UNFENCED) == active and here.says != REGISTERED:
            yield self._move(moment, (), moment.codes, here)
            return
        for step, after in self._quietly(model, moment.codes, action, place):
            yield self._move(moment, (step,), after, here)
        if isinstance(following, ChangedTo) and not following.cleared:
            for step, after in self._leading_to(model, moment.codes, following.found, (action, place)):
                yield self._move(moment, (step,), after, following, taken=2)

    def _quietly(self, model: RunModel, codes: Codes, action: str, place: int) -> Iterator[tuple[Step, Codes]]:
        """A step of a broker by which the partition does not change."""
        now = model.partition(codes)
        for instance in _naming(model.of(action, place), action, now[0]):
            after = model.step(codes, action, *instance)
            if after is not None and model.partition(after) == now:
                yield Step(action, instance), after

    def _leading_to(
        self, model: RunModel, codes: Codes, found: Partition, *causes: tuple[str, int]
    ) -> Iterator[tuple[Step, Codes]]:
        """The steps after which the partition is as it was found."""
        expected = self._expected(found)
        seen: set[Codes] = set()
        for action, place in causes:
            for instance in _naming(model.of(action, place), action, expected[0]):
                after = model.step(codes, action, *instance)
                if after is not None and after not in seen and model.partition(after) == expected:
                    seen.add(after)
                    yield Step(action, instance), after

    def _expected(self, found: Partition) -> tuple[Argument, ...]:
        """A partition as the model tells it."""
        place = self._places

        def places(some: Any) -> frozenset[int]:
            return frozenset(place[one] for one in some)

        return (
            NOBODY if found.leader is None else place[found.leader],
            found.leader_epoch,
            places(found.isr),
            places(found.elr),
            NOBODY if found.last_known_leader is None else place[found.last_known_leader],
            found.recovering,
            places(found.replicas),
            places(found.adding),
            places(found.removing),
        )

    def _move(self, moment: Juncture, steps: tuple[Step, ...], after: Codes, here: Decision, taken: int = 1) -> Move:
        epochs = moment.epochs
        model: RunModel = self._model_of(here.settings)
        if isinstance(here, ChangedTo) and model.has_appended(moment.codes, after):
            epochs = (here.found.partition_epoch, *epochs[:-1])
        last = here.found.partition_epoch if isinstance(here, ChangedTo) else moment.last_epoch
        for place in self._named_anew(model, after, moment.decisions + taken):
            named = model.step(after, "name_directory", place)
            assert named is not None  # there is always a way to say where a replica lies
            steps, after = (*steps, Step("name_directory", (place,))), named
        return Move(
            steps,
            moment._replace(
                codes=after,
                decisions=moment.decisions + taken,
                epochs=epochs,
                last_epoch=last,
                explained=moment.explained + taken,
            ),
        )

    def _named_anew(self, model: RunModel, after: Codes, taken: int) -> Iterator[int]:
        """The brokers that are offline after so many decisions, or are not, where the model has them otherwise.

        Registering, and assigning a replica to a directory, say so. Before the record that a directory is lost stand
        the changes that come of it.
        """
        one = self.all[taken - 1]
        if isinstance(one, OfBroker) or one.record.data.get("directories") is not None:
            offline = frozenset(self._places[broker] for broker in one.offline if broker in self._places)
            yield from sorted(offline ^ model.offline(after))


def _naming(choices: tuple[tuple[Argument, ...], ...], action: str, leader: Argument) -> Iterator[tuple[Argument, ...]]:
    """The choices of a step after which this one leads, or that name nobody."""
    for one in choices:
        if action not in NAME_A_LEADER or one[-1] in (None, leader):
            yield one


# -- hidden -----------------------------------------------------------------------------------------------------------
# Steps of which nobody tells: records that are appended and copied, refusals, and processes that end.


class HiddenSteps:
    """The hidden steps from a state, those first that the next lines need.

    Whether a step can happen is for the model to say.
    """

    def __init__(
        self,
        brokers: tuple[int, ...],
        ahead: Ahead,
        lives: tuple[tuple[Life, ...], ...],
        window: Window,
        leeway: Leeway = WIDEST,
    ) -> None:
        self.brokers, self.ahead, self.lives, self.window, self.leeway = brokers, ahead, lives, window, leeway
        self.records = window.stretches - ahead.base

    def needed(self, model: RunModel, moment: Juncture, state: Any) -> Iterator[Step]:
        """Records that have to be copied, or appended, before the next lines can be told."""
        for leader, follower in pairs(model, state):
            wanted = self._at_most(model, moment, state, follower).hw
            known, now = state.brokers[model.ids[follower]].hw, state.brokers[model.ids[leader]].hw
            if wanted is not None and known < wanted == now:  # a later answer would have a later one
                yield Step("fetch", (follower, leader))
        needs = self._needs(model, moment, state)
        for leader, follower in pairs(model, state):
            if state.end(model.ids[follower]) < needs[follower]:
                yield from self._copy(model, moment, state, leader, follower)
        for leader, him in enumerate(model.ids):
            if state.presumes_leadership(him) and state.end(him) < needs[leader]:
                yield from self._append(model, moment, state, leader)

    def tells(self, model: RunModel, state: Any) -> Iterator[Step]:
        """Fetches that copy nothing: the leader learns how far the follower is, and the follower the high watermark."""
        for leader, follower in pairs(model, state):
            mine, his = model.ids[follower], model.ids[leader]
            if state.end(mine) == state.end(his) and not state.diverges(mine, his):
                yield Step("fetch", (follower, leader))

    def copies(self, model: RunModel, moment: Juncture, state: Any, kept: bool = True) -> Iterator[Step]:
        """Records that followers copy although nothing needs them yet: those that a log keeps, or those that it loses
        when its process ends."""
        if not kept and not self.leeway.may_lose(moment.losses):
            return
        for leader, follower in pairs(model, state):
            if self.ahead.is_kept(follower, moment.brokers[follower], state.end(model.ids[follower])) == kept:
                yield from self._copy(model, moment, state, leader, follower)

    def appends(self, model: RunModel, moment: Juncture, state: Any, kept: bool = True) -> Iterator[Step]:
        """The same of records that leaders append."""
        if not kept and not self.leeway.may_lose(moment.losses):
            return
        for leader, him in enumerate(model.ids):
            here = moment.brokers[leader]
            if state.presumes_leadership(him) and self.ahead.is_kept(leader, here, state.end(him)) == kept:
                yield from self._append(model, moment, state, leader)

    def refusals(self, model: RunModel, moment: Juncture, state: Any) -> Iterator[Step]:
        """The controller refuses a request."""
        if state.request.leader is not None:
            for arguments in model.of("handle_alter_partition"):
                after = model.step(moment.codes, "handle_alter_partition", *arguments)
                if after is not None and not model.has_appended(moment.codes, after):
                    yield Step("handle_alter_partition", arguments)

    def silent(self, model: RunModel, moment: Juncture, state: Any) -> Iterator[Step]:
        """What a broker does without a word: it replays that it has no replica; without a log of its own, anything."""
        for place, one in enumerate(model.ids):
            if not state.is_running(one):
                continue
            says_nothing = self.says_nothing(place, moment.brokers[place])
            behind = state.brokers[one].behind
            for records in range(1, behind + 1):
                if says_nothing or one not in state.replicas[behind - records]:
                    yield Step("replay_metadata", (place, records))
            if says_nothing:
                yield Step("receive_answer", (place,))
                yield from (Step("propose_shrink", arguments) for arguments in model.of("propose_shrink", place))
                yield from (Step("fetch", (place, other)) for other in range(len(model.ids)) if other != place)

    def endings(self, model: RunModel, moment: Juncture, state: Any) -> Iterator[tuple[tuple[Step, ...], int, HowFar]]:
        """How processes end that have said all that they say, and whose brokers come back: the steps, which broker, and
        how far its evidence is then."""
        for place, one in enumerate(model.ids):
            reached, lives = moment.brokers[place], self.lives[place]
            if not state.is_running(one) or moment.decisions >= self.window.comes_back_until[place]:
                continue
            if not lives or self.ahead.has_said_all(place, reached):
                yield from self._says_no_more(model, moment, state, place)
            if lives and self._may_be_the_next(lives[reached.life], reached):
                # a process that died before it told anything, and lost nothing of a log: what is told is of the next
                untold = HowFar(reached.life, (0,) * len(reached.places))
                yield (Step("crash", (place, state.end(one))),), place, untold

    def _says_no_more(
        self, model: RunModel, moment: Juncture, state: Any, place: int
    ) -> Iterator[tuple[tuple[Step, ...], int, HowFar]]:
        """How a process ends that has said all that it says."""
        lives, reached = self.lives[place], moment.brokers[place]
        following = reached.following(lives)
        if following is None or following.disk is not None:
            for steps in self._ends(model, moment, state, place, LifeStart()):
                yield steps, place, reached
        elif following.start is not None and following.start.process is not None:
            after = HowFar.begins(reached.life + 1, lives)
            for steps in self._ends(model, moment, state, place, following.start):
                yield steps, place, after

    def says_nothing(self, place: int, reached: HowFar) -> bool:
        """Whether a broker does things here of which the evidence does not tell."""
        lives = self.lives[place]
        return not lives or (lives[reached.life].start is None and not any(reached.places))

    def _may_be_the_next(self, life: Life, reached: HowFar) -> bool:
        """Whether the lines that are told of a life may be of another process than the one that runs: they are true of
        what a process finds when it begins."""
        told = [one.event for at, lane in zip(reached.places, life.lanes, strict=True) for one in lane[:at]]
        roles = sum(isinstance(event, RoleTaken | RoleKept) for event in told)
        return any(life.lanes) and roles <= 1 and all(_needs_no_step(event) for event in told)

    def _at_most(self, model: RunModel, moment: Juncture, state: Any, place: int) -> Extent:
        return self.ahead.at_most(place, moment.brokers[place], term_of(self.brokers, model, state, place))

    # -- details --------------------------------------------------------------------------------------------------

    def _needs(self, model: RunModel, moment: Juncture, state: Any) -> list[int]:
        """How far each log has to be for the next lines: a high watermark needs the logs of the whole ISR."""
        own = [self.ahead.needs(place, reached) for place, reached in enumerate(moment.brokers)]
        needs = [end for end, _ in own]
        for leader, him in enumerate(model.ids):
            if state.presumes_leadership(him):
                followers = [place for place, one in enumerate(model.ids) if one != him and state.follows(one, him)]
                high = max(own[place][1] for place in (leader, *followers))
                for place in followers:
                    if model.ids[place] in state.view(him).isr:
                        needs[place] = max(needs[place], high)
                needs[leader] = max(needs[leader], high, *(needs[place] for place in followers))
        return needs

    def _copy(self, model: RunModel, moment: Juncture, state: Any, leader: int, follower: int) -> Iterator[Step]:
        mine, his = model.ids[follower], model.ids[leader]
        end, limit = state.end(mine), self._at_most(model, moment, state, follower).end
        if end < state.end(his) and (limit is None or end < limit) and not state.diverges(mine, his):
            yield Step("fetch", (follower, leader))

    def _append(self, model: RunModel, moment: Juncture, state: Any, leader: int) -> Iterator[Step]:
        limit = self._at_most(model, moment, state, leader).end
        end = state.end(model.ids[leader])
        if end >= (self.records if limit is None else limit):
            return
        if end < self.window.room:
            yield Step("produce", (leader,))
        else:
            self.window.is_full = True

    def _ends(
        self, model: RunModel, moment: Juncture, state: Any, place: int, start: LifeStart
    ) -> Iterator[tuple[Step, ...]]:
        """A shutdown, or a crash with what is left of the log and of the high watermark at the next start."""
        broker = state.brokers[model.ids[place]]
        end, clean = len(broker.log), None if start.process is None else start.process.clean
        on_disk = None if start.kept is None else self.ahead.place(start.kept)
        hw_there = None if start.stored is None else self.ahead.place(start.stored)
        if clean is not False and on_disk in (None, end) and hw_there in (None, broker.hw):
            yield from ((Step("shut_down", arguments),) for arguments in model.of("shut_down", place))
        if clean is True:
            return
        for left in range(end, -1, -1) if on_disk is None else (on_disk,):
            if left < end and not self.leeway.may_lose(moment.losses):
                break
            crash, hw = Step("crash", (place, left)), min(broker.hw, left)
            if hw_there in (None, hw):
                yield (crash,)
            if self.leeway.forgets:
                older = range(hw - 1, -1, -1) if hw_there is None else (hw_there,) if hw_there < hw else ()
                yield from ((crash, Step("find_older_high_watermark", (place, one))) for one in older)


def _needs_no_step(event: object) -> bool:
    """Whether a line may be true without anything that its process did."""
    if isinstance(event, Truncated):
        return event.leader_end is None
    return isinstance(event, RoleTaken | RoleKept | FetcherAdded)


def losses_of(model: RunModel, state: Any, steps: tuple[Step, ...]) -> int:
    """How many of these steps lose the end of a log."""
    crashes = (cast("tuple[int, int]", step.arguments) for step in steps if step.action == "crash")
    return sum(left < state.end(model.ids[place]) for place, left in crashes)


def pairs(model: RunModel, state: Any) -> Iterator[tuple[int, int]]:
    """Who leads, for all he knows, and who fetches from him."""
    for leader, him in enumerate(model.ids):
        if state.presumes_leadership(him):
            for follower, one in enumerate(model.ids):
                if one != him and state.follows(one, him):
                    yield leader, follower


def term_of(brokers: tuple[int, ...], model: RunModel, state: Any, place: int) -> LeaderTerm | None:
    """The leader that a broker acts on; None if it does not run, or knows of none."""
    one = model.ids[place]
    if not state.is_running(one):
        return None
    view = state.view(one)
    return None if view.leader is None else LeaderTerm(brokers[model.place(view.leader)], view.leader_epoch)
