"""Every request that a controller may get in a state: how Kafka is asked, and where the specification leads."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import Status

from ..validation.controller import LOSE_DIRECTORY, ControllerModel, ModelStep
from ..validation.image import NOBODY
from .controller_lines import KnownState, listed_places, places

CLEAN, UNCLEAN = "clean", "unclean"

OTHER_DIRECTORY = 2
"""The directory to which a replica moves: at first it is in 1."""


class ControllerRequest(NamedTuple):
    """A request, or what the controller does by itself.

    `broker` is the one that it is about, or that is preferred; `some` are the brokers of an ISR or a target. `how`
    tells variants of a request apart. `stale` is the broker in an ISR whose epoch is an old one. Of several partitions
    it is about the first, or with `second` about another; with `also` about both, which is what it asks of
    the other.
    """

    action: str
    broker: int = NOBODY
    some: int = 0
    how: str = ""
    stale: int = NOBODY
    second: bool = False
    also: tuple[int, int] | None = None

    def __str__(self) -> str:
        """The request in words: `AlterPartition with ISR 0,1`."""
        said = WORDS[self.action].format(
            broker=self.broker,
            some=self.some if self.action in ("min isr", "elr") else listed_places(places(self.some)),
            how=self.how,
            stale="" if self.stale == NOBODY else f", {self.stale} by an old broker epoch",
        )
        other = self.of_other()
        return f"partition 1: {said}" if self.second else said if other is None else f"{said}; partition 1: {other}"

    def of_other(self) -> ControllerRequest | None:
        """What it asks of the other partition as well, if anything."""
        return None if self.also is None else ControllerRequest(self.action, *self.also, how=self.how)


WORDS = {
    "leave": "a heartbeat of broker {broker}, which wants to shut down{how}",
    "heartbeat": "a heartbeat of broker {broker}, which has asked to shut down before",
    "take office": "another controller takes office",
    "min isr": "min.insync.replicas is set to {some}",
    "elr": "the level of eligible.leader.replicas.version becomes {some}",
    "fence": "broker {broker} asks to be fenced",
    "expire": "the session of broker {broker} ends",
    "unfence": "broker {broker} has caught up and is unfenced",
    "shut_down": "broker {broker} shuts down",
    "restart": "broker {broker} registers after a shutdown that was {how}",
    "unregister": "broker {broker} is unregistered",
    "alter": "AlterPartition with ISR {some}{stale}",
    "refused alter": "AlterPartition with ISR {some}, {how}",
    "elect preferred": "ElectLeaders PREFERRED, where {broker} is the first replica",
    "elect unclean": "ElectLeaders UNCLEAN",
    "directory": "broker {broker} assigns its replica to another directory",
    "lose directory": "broker {broker} reports that the directory of its replica has failed",
    "reassign": "a reassignment to {some}",
    "cancel": "the reassignment is cancelled",
}
"""Every kind of request, as reports call it."""

FORMER, OLD_EPOCH, LATER_EPOCH, OLD_PARTITION, LATER_PARTITION, WITHOUT_LEADER, NO_REPLICA = (
    "from who does not lead",
    "of the leader epoch before",
    "of a later leader epoch",
    "of an old partition epoch",
    "of a later partition epoch",
    "without the leader",
    "with who has no replica",
)
"""Requests that nobody may make: in the specification there are none, and Kafka has to change nothing."""

STALE_WORDS = {
    OLD_EPOCH: "-1:",
    LATER_EPOCH: "1:",
    OLD_PARTITION: ":-1",
    LATER_PARTITION: ":1",
}
"""How far the epochs of such a request are from the present ones."""


def requests_in(state: KnownState, brokers: int, directories: bool = False) -> Iterator[ControllerRequest]:
    """Every request in a state but reassignments; with `directories`, also that a log directory fails."""
    partition = state.partition
    for broker in range(brokers):
        if state.active >> broker & 1:
            yield ControllerRequest("fence", broker)
        else:
            yield ControllerRequest("unfence", broker)
        yield ControllerRequest("expire", broker)
        yield ControllerRequest("shut_down", broker)
        yield ControllerRequest("restart", broker, how=CLEAN)
        yield ControllerRequest("restart", broker, how=UNCLEAN)
        yield ControllerRequest("unregister", broker)
        if partition.replicas >> broker & 1:
            yield ControllerRequest("directory", broker)
            yield ControllerRequest("elect preferred", broker)
            if directories and not state.offline >> broker & 1:
                yield ControllerRequest("lose directory", broker)
    yield ControllerRequest("elect unclean")
    yield from _alterations(state, brokers)


CAUGHT_UP = ", when all others have replayed the changes"


def shutdowns_in(state: KnownState, brokers: int) -> Iterator[ControllerRequest]:
    """Every request of a controlled shutdown, heartbeat by heartbeat; and another controller while somebody waits.

    Who is told that it may shut down is fenced, and its process has ended.
    """
    waits = state.leaving | state.forgotten
    for broker in range(brokers):
        if (state.active | waits) >> broker & 1:
            yield ControllerRequest("leave", broker)
            yield ControllerRequest("leave", broker, how=CAUGHT_UP)
        if waits >> broker & 1:
            yield ControllerRequest("heartbeat", broker)
            yield ControllerRequest("fence", broker)
    if waits:
        yield ControllerRequest("take office")


def requests_while_waiting(state: KnownState, brokers: int, directories: bool = False) -> Iterator[ControllerRequest]:
    """Every other request: nobody is unfenced who waits, and who shuts down does it heartbeat by heartbeat."""
    waits = state.leaving | state.forgotten
    for request in requests_in(state, brokers, directories):
        if not waits or (request.action != "shut_down" and not (request.action == "unfence" and _of(request, waits))):
            yield request


def _of(request: ControllerRequest, some: int) -> bool:
    return bool(some >> request.broker & 1)


def settings_in(state: KnownState, most: int, elr_changes: bool) -> Iterator[ControllerRequest]:
    """Every change of min.insync.replicas, up to so many, and the other level of the ELR feature."""
    assert state.in_force is not None
    yield from (ControllerRequest("min isr", some=value) for value in range(1, most + 1))
    if elr_changes:
        yield ControllerRequest("elr", some=int(not state.in_force.elr))


def reassignments(brokers: int, least: int) -> Iterator[ControllerRequest]:
    """Every reassignment to at least so many replicas, and its end.

    Fewer than min.insync.replicas the specification has not: that would be smaller then as well.
    """
    yield from (ControllerRequest("reassign", some=some) for some in _sets(brokers) if some.bit_count() >= least)
    yield ControllerRequest("cancel")


def _sets(brokers: int) -> range:
    """Every set of brokers but the empty one."""
    return range(1, 1 << brokers)


def _alterations(state: KnownState, brokers: int) -> Iterator[ControllerRequest]:
    """AlterPartition with every ISR that a leader may ask for, and some that it may not."""
    partition = state.partition
    if partition.leader == NOBODY:
        return
    for isr in _sets(brokers):
        if isr & ~partition.replicas:
            yield ControllerRequest("refused alter", some=isr, how=NO_REPLICA)
        elif not isr >> partition.leader & 1:
            yield ControllerRequest("refused alter", some=isr, how=WITHOUT_LEADER)
        else:
            yield ControllerRequest("alter", some=isr)
            for stale in places(isr & ~partition.isr):
                yield ControllerRequest("alter", some=isr, stale=stale)
            for how in STALE_WORDS:
                yield ControllerRequest("refused alter", some=isr, how=how)
            for sender in places(partition.replicas & ~(1 << partition.leader)):
                yield ControllerRequest("refused alter", sender, isr, FORMER)


# -- Kafka ------------------------------------------------------------------------------------------------------------


def executions(
    state: KnownState, request: ControllerRequest, minimum_is_default: bool = False
) -> Iterator[tuple[tuple[int, ...], str]]:
    """Every order of the replicas in which Kafka is asked, with the words of the step."""
    for order in itertools.permutations(places(state.partition.replicas)):
        if request.action != "elect preferred" or order[0] == request.broker:
            yield from ((order, step) for step in _steps(request, minimum_is_default))


def _steps(request: ControllerRequest, minimum_is_default: bool) -> Iterator[str]:
    """The words of a request; of a reassignment with the new replicas in every order."""
    action, broker = request.action, request.broker
    match action:
        case "alter":
            yield f"alter:{listed_places(places(request.some))}:{request.stale if request.stale != NOBODY else ''}"
        case "refused alter":
            sender = broker if request.how == FORMER else ""
            yield f"alter:{listed_places(places(request.some))}::{sender}:{STALE_WORDS.get(request.how, ':')}"
        case "elect preferred" | "elect unclean":
            yield action.replace(" ", ":")
        case "directory":
            yield f"directory:{broker}:{OTHER_DIRECTORY}"
        case "lose directory":
            yield f"lose_directory:{broker}:1"
        case "restart":
            yield f"restart:{broker}:{request.how}"
        case "reassign":
            yield from (f"reassign:{listed_places(order)}" for order in itertools.permutations(places(request.some)))
        case "cancel":
            yield "reassign:-"
        case "leave":
            yield f"leave:{broker}:caught_up" if request.how == CAUGHT_UP else f"leave:{broker}"
        case "heartbeat":
            yield f"unfence:{broker}"
        case "take office":
            yield "take_office"
        case "min isr":
            yield f"{'default_min_isr' if minimum_is_default else 'min_isr'}:{request.some}"
        case "elr":
            yield f"elr:{request.some}"
        case _:
            yield f"{action}:{broker}"


# -- the specification ------------------------------------------------------------------------------------------------


ACTIONS: Mapping[str, tuple[str, ...]] = {
    "fence": ("fence",),
    "expire": ("fence",),
    "unfence": ("unfence",),
    "shut_down": ("shut_down",),
    "restart": ("restart",),
    "unregister": ("unregister",),
    "alter": ("handle_alter_partition",),
    "refused alter": ("handle_alter_partition",),
    "elect preferred": ("elect_preferred_leader", "elect_any_leader"),
    "elect unclean": ("elect_uncleanly",),
    "directory": ("assign_directory", "name_directory"),
    "lose directory": (LOSE_DIRECTORY,),
    "reassign": ("reassign", "override_reassignment"),
    "cancel": ("cancel_reassignment", "cancel_uncleanly"),
    "leave": ("shut_down",),
    "heartbeat": ("shut_down",),
    "min isr": ("clear_elr",),
}
"""The steps of the specification that a request may be."""


class ControllerSpecification:
    """The specification of the controller under settings: where each request leads."""

    def __init__(self, model: ControllerModel, settings: Settings) -> None:
        self.model, self._settings = model, settings

    def outcomes(self, state: KnownState, request: ControllerRequest) -> frozenset[KnownState]:
        """Where a request may lead: to more than one state where that depends on the order of the replicas.

        Where the specification has no step, it leads to the state as it is.
        """
        return frozenset(self.ways(state, request))

    def ways(self, state: KnownState, request: ControllerRequest) -> dict[KnownState, list[ModelStep]]:
        """The same with the steps that lead there; none where it has no step."""
        found: dict[KnownState, list[ModelStep]] = {}
        for steps in self._after(state, request):
            found.setdefault(self.seen(steps[-1].after), []).extend(steps)
        return found or {state: []}

    def seen(self, state: Any) -> KnownState:
        """A state of the specification as the controller knows it."""
        partition = self.model.shape(state)
        offline = self.model.offline(state) & partition.replicas  # a replica that comes back has a new directory
        return KnownState(partition._replace(epoch=partition.epoch - 1), self.model.active(state), offline)

    def state(self, state: KnownState) -> Any:
        """The same as a state of the specification, in leader epoch 1: there is one before."""
        return self.model.state(state.partition._replace(epoch=1), state.active, state.offline)

    def _after(self, state: KnownState, request: ControllerRequest) -> Iterator[tuple[ModelStep, ...]]:
        """Every way to take a request: one step, or two."""
        model, now, broker = self.model, self.state(state), request.broker
        match request.action:
            case "unregister":  # nobody says any more that its directory is offline
                yield from self._at_home(model.steps(now, "unregister", broker), broker)
            case "directory":  # the other directory is online
                yield from self._at_home(model.steps(now, "assign_directory", broker), broker)
            case _:
                yield from ((step,) for step in self._steps(state, request, now))

    def _steps(self, state: KnownState, request: ControllerRequest, now: Any) -> Iterator[ModelStep]:
        model, broker = self.model, request.broker
        match request.action:
            case "expire":
                if state.active >> broker & 1 or not self._settings.only_active_brokers_expire:
                    yield from model.steps(model.stopped(now, broker, Status.CRASHED), "fence", broker)
            case "restart":
                status = Status.SHUT_DOWN if request.how == CLEAN else Status.CRASHED
                yield from model.steps(model.stopped(now, broker, status), "restart", broker)
            case "alter":
                asked = model.requested(now, request.some, restarted=request.stale)
                yield from model.steps(asked, "handle_alter_partition")
            case "refused alter":
                if request.how in (FORMER, OLD_EPOCH):
                    late = int(request.how == OLD_EPOCH)
                    yield from model.steps(model.requested(now, request.some, broker, late), "handle_alter_partition")
            case "elect preferred":
                yield from self._elected(state, broker)
            case "elect unclean":
                yield from model.steps(now, "elect_uncleanly")
            case "lose directory":
                yield from model.steps(now, LOSE_DIRECTORY, broker)
            case "reassign":
                under_way = state.partition.adding | state.partition.removing
                action = "override_reassignment" if under_way else "reassign"
                yield from model.steps(now, action, target=request.some)
            case "cancel":
                yield from model.steps(now, "cancel_reassignment")
                yield from model.steps(now, "cancel_uncleanly")
            case _:
                yield from model.steps(now, request.action, broker)

    def _at_home(self, steps: Iterable[ModelStep], broker: int) -> Iterator[tuple[ModelStep, ...]]:
        """The same, and then the replica of a broker is in a log directory that is online."""
        for step in steps:
            if self.model.offline(step.after) >> broker & 1:
                yield from ((step, named) for named in self.model.steps(step.after, "name_directory", broker))
            else:
                yield (step,)

    def _elected(self, state: KnownState, preferred: int) -> Iterator[ModelStep]:
        """Who is elected where this replica is the first: itself if it may lead, else whom the controller finds.

        Where it leads already nothing is done, whether it is active or not.
        """
        if state.partition.leader == preferred:
            return
        named = list(self.model.steps(self.state(state), "elect_preferred_leader", replica=preferred))
        others = list(self.model.steps(self.state(state), "elect_any_leader"))
        first = [one for one in others if self.model.shape(one.after).leader == preferred]
        yield from named or first or others
