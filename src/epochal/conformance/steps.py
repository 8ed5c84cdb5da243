"""What may have happened to a partition: every step of the controller, and where it leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import Status

from .model import ControllerModel, controller_model
from .shape import NOBODY, Shape


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
