"""The specification as it is held against a controller: one partition, the brokers that it has to do with, any state.

The steps are those of `kraft`, with reassignments, log directories and elections by operators: the very methods that
are searched and proved. Nothing is searched here: a step is taken from a state that somebody else describes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

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

from .shape import NOBODY, Shape

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
