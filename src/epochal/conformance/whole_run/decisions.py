"""Which steps of the specification make the controller decide what it decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..image import Partition
from .decided import (
    FENCED,
    LOST_DIRECTORY,
    REGISTERED,
    SHUTTING_DOWN,
    UNFENCED,
    Changed,
    Decided,
    Decision,
    OfBroker,
)
from .model import NOBODY, Argument, Codes, RunModel
from .moment import Moment, Move, Step

REASSIGNED = ("reassign", "override_reassignment", "cancel_reassignment")
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

    def __init__(self, decided: Decided, model_of: Any) -> None:
        self.all = decided.decisions
        self.brokers = decided.brokers
        self._states = [(decided.created.partition, decided.created.settings)]
        self._states += [(one.found, one.settings) for one in self.all if isinstance(one, Changed)]
        self._places = {broker: place for place, broker in enumerate(decided.brokers)}
        self._model_of = model_of
        self._grown = tuple(self._grows())
        self._small = frozenset(
            state.leader_epoch for state, settings in self._states if len(state.isr) < settings.min_insync_replicas
        )

    def moves(self, moment: Moment) -> Iterator[Move]:
        """Every way in which the next decision, or two that are one step, comes about."""
        if moment.decisions == len(self.all):
            return
        here = self.all[moment.decisions]
        following = self.all[moment.decisions + 1] if moment.decisions + 1 < len(self.all) else None
        model: RunModel = self._model_of(here.settings)
        if isinstance(here, Changed):
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
            before.append(one.found if isinstance(one, Changed) else before[-1])
        found: list[frozenset[int] | None] = [None]
        for number in reversed(range(len(self.all))):
            one, was = self.all[number], before[number]
            if isinstance(one, Changed):
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
        changes = ((number, one) for number, one in enumerate(self.all, start=1) if isinstance(one, Changed))
        found = [number for number, one in changes if self.brokers[place] in one.found.replicas]
        return max(found, default=0)

    # -- a change of the partition --------------------------------------------------------------------------------

    def _changes(self, model: RunModel, moment: Moment, here: Changed, following: Decision | None) -> Iterator[Move]:
        """A change by itself; or what the record about a broker behind it tells of."""
        for step, after in self._leading_to(model, moment.codes, here.found, *self._causes(model, moment, here)):
            yield self._move(moment, (step,), after, here)
        if isinstance(following, OfBroker) and following.says == REGISTERED:
            place = self._places[following.broker]
            for step, after in self._leading_to(model, moment.codes, here.found, ("restart", place)):
                yield self._move(moment, (step,), after, here, taken=2)

    def _causes(self, model: RunModel, moment: Moment, here: Changed) -> Iterator[tuple[str, int]]:
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

    def _of_broker(self, model: RunModel, moment: Moment, here: OfBroker, following: Decision | None) -> Iterator[Move]:
        """A broker comes or goes, with the change of the partition that this causes, if there is one."""
        place = self._places[here.broker]
        state = model.at(moment.codes)
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
        if isinstance(following, Changed) and not following.cleared:
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

    def _move(self, moment: Moment, steps: tuple[Step, ...], after: Codes, here: Decision, taken: int = 1) -> Move:
        epochs = moment.epochs
        model: RunModel = self._model_of(here.settings)
        if isinstance(here, Changed) and model.has_appended(moment.codes, after):
            epochs = (here.found.partition_epoch, *epochs[:-1])
        last = here.found.partition_epoch if isinstance(here, Changed) else moment.last_epoch
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
