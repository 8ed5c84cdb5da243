"""The specification as it is held against a controller: one partition, the brokers that it has to do with, any state.

The steps are those of `kraft`, with reassignments, log directories and elections by operators: the very methods that
are searched and proved. Nothing is searched here: a step is taken from a state that somebody else describes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple, cast

from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.options.directories import DirectoryAssignment, FailedDirectory
from epochal.spec.kraft.options.fenced_in_isr import FencedAgain
from epochal.spec.kraft.options.needed import missing_steps
from epochal.spec.kraft.options.operator_election import OperatorElection
from epochal.spec.kraft.options.overlapping import OverlappingReassignments
from epochal.spec.kraft.options.reassignment import ReassignmentBounds
from epochal.spec.kraft.options.unnoticed_restart import UnnoticedRestart
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import Status
from epochal.spec.language import ActionInstance, Identifier, Set, bound

from .image import Brokers, Partition

# -- shape ------------------------------------------------------------------------------------------------------------
# What the steps of the controller depend on, small enough to be looked up: sets of brokers as bits of a number.
#
# Epochs only grow, and brokers only differ by their numbers; the first are counted from the present one, the second are
# called by their place among the brokers that the partition has to do with. So a log of a million changes has few
# shapes.

NOBODY = -1


class Shape(NamedTuple):
    """A partition as the specification knows it; `epoch` is how much the leader epoch has grown."""

    leader: int
    epoch: int
    isr: int
    replicas: int
    adding: int
    removing: int
    elr: int
    last_known_leader: int
    recovering: bool


def shape_of(partition: Partition, places: Mapping[int, int], since: int) -> Shape:
    """The shape of a partition among brokers with these places, with epochs counted from `since`."""
    return Shape(
        NOBODY if partition.leader is None else places[partition.leader],
        partition.leader_epoch - since,
        bits(partition.isr, places),
        bits(partition.replicas, places),
        bits(partition.adding, places),
        bits(partition.removing, places),
        bits(partition.elr, places),
        NOBODY if partition.last_known_leader is None else places[partition.last_known_leader],
        partition.recovering,
    )


def partition_of_shape(shape: Shape, brokers: tuple[int, ...], before: Partition) -> Partition:
    """The partition that a shape stands for, where another was before."""
    return Partition(
        replicas=tuple(sorted(members(shape.replicas, brokers))),
        isr=members(shape.isr, brokers),
        leader=None if shape.leader == NOBODY else brokers[shape.leader],
        leader_epoch=before.leader_epoch + shape.epoch,
        partition_epoch=before.partition_epoch + 1,
        adding=members(shape.adding, brokers),
        removing=members(shape.removing, brokers),
        elr=members(shape.elr, brokers),
        last_known_leader=None if shape.last_known_leader == NOBODY else brokers[shape.last_known_leader],
        recovering=shape.recovering,
    )


def bits(some: Brokers | tuple[int, ...], places: Mapping[int, int]) -> int:
    """A set of brokers as a number: its bits are the places."""
    found = 0
    for broker in some:
        found |= 1 << places[broker]
    return found


def members(of: int, brokers: tuple[int, ...]) -> Brokers:
    """The brokers whose places are the bits of a number."""
    return frozenset(broker for place, broker in enumerate(brokers) if of >> place & 1)


MOST_BROKERS = 8
"""A partition that has to do with more brokers is not judged: there are too many choices of replicas."""


@dataclass(frozen=True)
class ConformBounds(ReassignmentBounds):
    """One step at a time: offsets do not matter, and each kind of event may happen once."""

    replication_factor: int = bound(3, least=1, most=MOST_BROKERS, help="the number of brokers")

    @staticmethod
    def of(brokers: int) -> ConformBounds:
        """The bounds for so many brokers."""
        return ConformBounds(
            replication_factor=brokers,
            records=1,
            max_epoch=3,
            metadata_lag=2,
            crashes=1,
            lossy_crashes=0,
            fencings=1,
            shrinks=0,
            elections=1,
            reassignments=1,
        )


class ControllerSteps(
    OverlappingReassignments, DirectoryAssignment, FailedDirectory, OperatorElection, FencedAgain, UnnoticedRestart
):
    """The steps of the controller beside those of the core."""

    bounds: ConformBounds


def controller_of(kind: type[ConfigurableKraft], settings: Settings) -> type[ConfigurableKraft]:
    """A protocol with every step of the controller, under settings.

    A rule about steps that the controller has no part in, such as what a follower does with a late answer, is as
    designed: nothing of it can be seen here.
    """
    made = type(kind.__name__, (ControllerSteps, kind), {"__doc__": kind.__doc__})
    designed = Settings()
    foreign = {name: getattr(designed, name) for name in missing_steps(made, settings)}
    names = {"settings": replace(settings, **foreign), "name": kind.name, "__doc__": kind.__doc__}
    return cast("type[ConfigurableKraft]", type(kind.__name__, (made,), names))


class ControllerModel:
    """The controller's steps for one partition, under one protocol and settings, among so many brokers."""

    def __init__(self, kind: type[ConfigurableKraft], settings: Settings, brokers: int) -> None:
        self.protocol: Any = controller_of(kind, settings)(ConformBounds.of(brokers))
        self.registering_fences = settings.registration_fences_the_old_incarnation
        self._blank = self.protocol.at(self.protocol.codes())
        self._ids: tuple[Identifier, ...] = tuple(self._blank.brokers)
        self._places = {of: place for place, of in enumerate(self._ids)}
        self._instances: dict[str, list[ActionInstance]] = {}
        for instance in self.protocol.instances:
            self._instances.setdefault(instance.action.name, []).append(instance)

    def state(self, shape: Shape, active: int, offline: int = 0) -> Any:
        """A state of the specification in which the controller knows this. All brokers run.

        `offline` are those whose replica is in a log directory that is not online.
        """
        state = self.protocol.at(self._blank.codes())
        state.metadata[0].leader = self._id(shape.leader)
        state.metadata[0].leader_epoch = shape.epoch
        state.metadata[0].isr = self._set(shape.isr)
        state.recovery.elr = self._set(shape.elr)
        state.recovery.last_known_leader = self._id(shape.last_known_leader)
        state.recovery.recovering = shape.recovering
        state.replicas[0] = self._set(shape.replicas)
        state.adding = self._set(shape.adding)
        state.removing = self._set(shape.removing)
        state.asked_for = self._set(shape.replicas & ~shape.removing)
        for place, of in enumerate(self._ids):
            state.registrations[of].fenced = not active >> place & 1
        state.offline = self._set(offline)
        return state

    def shape(self, state: Any) -> Shape:
        """What the controller knows in a state."""
        now, recovery = state.metadata[0], state.recovery
        return Shape(
            self._place(now.leader),
            now.leader_epoch,
            self._bits(now.isr),
            self._bits(state.replicas[0]),
            self._bits(state.adding),
            self._bits(state.removing),
            self._bits(recovery.elr),
            self._place(recovery.last_known_leader),
            recovery.recovering,
        )

    def stopped(self, state: Any, broker: int, status: Status) -> Any:
        """The same with a broker whose process has ended so."""
        state.brokers[self._ids[broker]].status = status
        return state

    def requested(self, state: Any, isr: int) -> Any:
        """The same with an AlterPartition of the present leader on its way."""
        state.request.leader = state.metadata[0].leader
        state.request.leader_epoch = state.metadata[0].leader_epoch
        state.request.isr = self._set(isr)
        return state

    def after(self, state: Any, action: str, broker: int = NOBODY) -> Iterator[Any]:
        """What an action leads to, of one broker if it is said: every choice of the rest."""
        codes = state.codes()
        for instance in self._instances.get(action, ()):
            given = dict(zip((one.name for one in instance.parameters), instance.arguments, strict=True))
            if broker == NOBODY or given["broker"] == self._ids[broker]:
                found = self.protocol.step(self.protocol.at(codes), instance)
                if found is not None:
                    yield self.protocol.at(found)

    def _id(self, place: int) -> Identifier | None:
        return None if place == NOBODY else self._ids[place]

    def _place(self, of: Identifier | None) -> int:
        return NOBODY if of is None else self._places[of]

    def _set(self, of: int) -> Set[Identifier]:
        return Set(one for place, one in enumerate(self._ids) if of >> place & 1)

    def _bits(self, some: Set[Identifier]) -> int:
        return sum(1 << self._places[of] for of in some)


@lru_cache(maxsize=256)
def controller_model(kind: type[ConfigurableKraft], settings: Settings, brokers: int) -> ControllerModel:
    """The model for these settings and so many brokers, made once."""
    return ControllerModel(kind, settings, brokers)


# -- steps ------------------------------------------------------------------------------------------------------------
# What may have happened to a partition: every step of the controller, and where it leads.


class Cause(NamedTuple):
    """What a record beside a change tells: a step, and its broker."""

    step: str
    broker: int


FREE = (
    *("assign_directory", "cancel_reassignment", "elect_preferred_leader", "elect_any_leader", "elect_uncleanly"),
    *("override_reassignment", "reassign"),
)
"""Steps that no other record tells of. AlterPartition is one, too."""

ALTER_PARTITION, LOSE_DIRECTORY = "handle_alter_partition", "lose_directory"


class Steps:
    """The steps of one protocol under one configuration, each question answered once."""

    def __init__(self, kind: type[ConfigurableKraft], settings: Settings) -> None:
        self._kind, self._settings = kind, settings
        self.by_cause = cache(self._by_cause)
        self.free = cache(self._free)

    def _by_cause(self, brokers: int, shape: Shape, active: int, cause: Cause, offline: int = 0) -> Mapping[Shape, str]:
        """Where a cause may lead, and its step. Nothing if it cannot happen.

        `offline` are the brokers whose replica is in a log directory that is not online.
        """
        model = controller_model(self._kind, self._settings, brokers)
        return {model.shape(after): cause.step for after in _caused(model, shape, active, cause, offline)}

    def _free(self, brokers: int, shape: Shape, active: int, offline: int = 0) -> Mapping[Shape, str]:
        """Where a step may lead that happens at any time."""
        model = controller_model(self._kind, self._settings, brokers)
        found: dict[Shape, str] = {}
        for step, after in chain(
            _altered(model, shape, active, offline),
            _ordered(model, shape, active, offline),
            _assigned_offline(model, shape, active, offline),
        ):
            found.setdefault(model.shape(after), step)
        return found


def _caused(model: ControllerModel, shape: Shape, active: int, cause: Cause, offline: int) -> Iterator[Any]:
    """A broker is fenced, shuts down, registers, is unfenced, or loses the log directory of its replica.

    That it shut down or was unfenced is known already when the changes come. A broker that registers and is in the ISR,
    where the last member stays without ELR, leaves it now if ELR was switched on meanwhile. Whether it had shut down
    cleanly, and stays eligible, is not in the metadata log (KIP-966): either may be.
    """
    step, broker = cause
    if step == "unfence":
        active &= ~(1 << broker)
    elif step == "shut_down":
        active |= 1 << broker
    if step != "restart":
        yield from model.after(model.state(shape, active, offline), step, broker)
        return
    if not active >> broker & 1 and shape.isr >> broker & 1 and model.registering_fences:
        yield from model.after(model.state(shape, active | 1 << broker, offline), "fence", broker)
    for status in (Status.CRASHED, Status.SHUT_DOWN):
        stopped = model.stopped(model.state(shape, active, offline), broker, status)
        yield from model.after(stopped, "restart", broker)


def _ordered(model: ControllerModel, shape: Shape, active: int, offline: int) -> Iterator[tuple[str, Any]]:
    """What an operator or the balancing of leaders may have asked for."""
    for step in FREE:
        yield from ((step, after) for after in model.after(model.state(shape, active, offline), step))


def _assigned_offline(model: ControllerModel, shape: Shape, active: int, offline: int) -> Iterator[tuple[str, Any]]:
    """A replica was assigned to a log directory that was offline by then: it leaves, and no record of its own tells."""
    for broker in range(offline.bit_length()):
        if offline >> broker & 1:
            state = model.state(shape, active, offline)
            yield from ((LOSE_DIRECTORY, after) for after in model.after(state, LOSE_DIRECTORY, broker))


def _altered(model: ControllerModel, shape: Shape, active: int, offline: int) -> Iterator[tuple[str, Any]]:
    """AlterPartition, with any ISR that its leader may ask for. Where nothing changes by it nothing is written."""
    if shape.leader == NOBODY:
        return
    for isr in range(1, shape.replicas + 1):
        if isr & ~shape.replicas == 0 and isr >> shape.leader & 1:
            state = model.requested(model.state(shape, active, offline), isr)
            changed = (after for after in model.after(state, ALTER_PARTITION) if model.shape(after) != shape)
            yield from ((ALTER_PARTITION, after) for after in changed)
