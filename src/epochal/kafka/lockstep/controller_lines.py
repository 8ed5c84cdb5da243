"""States of the controller as lines for `LockstepController`, and its answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..validation.controller import Outline
from ..validation.image import NOBODY

LEADER_EPOCH, PARTITION_EPOCH = 5, 9
"""The epochs from which each line begins: they only grow."""

THROWN = "thrown|"


class ChangingSettings(NamedTuple):
    """Settings that change while a controller runs: the level of the ELR feature, and min.insync.replicas."""

    elr: bool
    min_isr: int


class KnownState(NamedTuple):
    """What the controller knows: the partition, and the brokers that are active, as the bits of their numbers.

    `offline` are those whose replica is in a log directory that is not online; `leaving` those that wait until they may
    shut down, and `forgotten` those of them of which a controller that took office meanwhile does not know for what
    they wait. The epoch of the outline is how much the leader epoch has grown by the step that led here. `in_force` is
    said where it may change, and `second` is another partition of the topic, if there is one.
    """

    partition: Outline
    active: int
    offline: int = 0
    leaving: int = 0
    forgotten: int = 0
    in_force: ChangingSettings | None = None
    second: Outline | None = None

    def at_rest(self) -> KnownState:
        """The same as the state before another step."""
        second = None if self.second is None else self.second._replace(epoch=0)
        return self._replace(partition=self.partition._replace(epoch=0), second=second)


class AnsweredStep(NamedTuple):
    """What Kafka has made of a step: the name of its error or NONE, how many records it wrote, and the state after."""

    error: str
    records: int
    state: KnownState


class ThrownStep(NamedTuple):
    """An exception inside Kafka, which nobody there has expected."""

    said: str


class ControllerSettings(NamedTuple):
    """What stays as it is while the controller runs.

    With `minimum_is_default` min.insync.replicas is the default of the cluster, and else set for the topic.
    """

    brokers: int
    elr: bool
    min_isr: int
    unclean: bool
    minimum_is_default: bool = False


def places(some: int) -> list[int]:
    """The brokers whose numbers are the bits of this one."""
    return [place for place in range(some.bit_length()) if some >> place & 1]


def bits_of(some: Iterable[int]) -> int:
    """The number whose bits are these brokers."""
    return sum(1 << one for one in some)


def listed_places(some: Iterable[int]) -> str:
    """`0,2`."""
    return ",".join(map(str, some))


def line_of(
    settings: ControllerSettings,
    state: KnownState,
    order: Iterable[int],
    step: str,
    second_order: Iterable[int] = (),
) -> str:
    """A state with its replicas in this order, and a step to take from it."""
    in_force = state.in_force or ChangingSettings(settings.elr, settings.min_isr)
    fields = [settings.brokers, int(in_force.elr), in_force.min_isr, int(settings.unclean)]
    more = (_listed(state.leaving), _listed(state.forgotten), str(int(settings.minimum_is_default)))
    return "|".join(
        (
            *map(str, fields),
            *_fields(state.partition, order),
            _listed(state.active),
            _listed(state.offline),
            step,
            *(() if state.in_force is None else more),
            *(() if state.second is None else _fields(state.second, second_order)),
        )
    )


def _listed(some: int) -> str:
    return listed_places(places(some))


def _fields(now: Outline, order: Iterable[int]) -> tuple[str, ...]:
    """What a line has of a partition."""
    return (
        listed_places(order),
        str(now.leader),
        str(LEADER_EPOCH),
        str(PARTITION_EPOCH),
        _listed(now.isr),
        _listed(now.elr),
        str(now.last_known_leader),
        str(int(now.recovering)),
        _listed(now.adding),
        _listed(now.removing),
    )


TOLD = 12
"""The fields of an answer that tell of a partition and its brokers."""


def answer_of(line: str) -> AnsweredStep | ThrownStep:
    """What an answer says of the last step of its line."""
    if line.startswith(THROWN):
        return ThrownStep(line.removeprefix(THROWN))
    error, records, *told = line.rpartition(";")[2].split("|")
    partition, active, offline = _told(told[:TOLD])
    state = KnownState(partition, active, offline)
    more = told[TOLD:]
    if len(more) == TOLD:
        state = state._replace(second=_told(more)[0])
    elif more:
        leaving, forgotten, min_isr, elr_is_on = more
        state = state._replace(
            leaving=bits_of(_numbers(leaving)),
            forgotten=bits_of(_numbers(forgotten)),
            in_force=ChangingSettings(elr_is_on == "1", int(min_isr)),
        )
    return AnsweredStep(error, int(records), state)


def _told(fields: list[str]) -> tuple[Outline, int, int]:
    """A partition, who is active, and whose replica is in a log directory that is not online."""
    leader, epoch, _, isr, elr, last, recovering, replicas, adding, removing, active, offline = fields
    known = _numbers(last)
    partition = Outline(
        leader=int(leader),
        epoch=int(epoch) - LEADER_EPOCH,
        isr=bits_of(_numbers(isr)),
        replicas=bits_of(_numbers(replicas)),
        adding=bits_of(_numbers(adding)),
        removing=bits_of(_numbers(removing)),
        elr=bits_of(_numbers(elr)),
        last_known_leader=known[0] if known else NOBODY,
        recovering=recovering == "1",
    )
    return partition, bits_of(_numbers(active)), bits_of(_numbers(offline))


def _numbers(word: str) -> list[int]:
    return [int(one) for one in word.split(",")] if word else []
