"""States of the controller as lines for `LockstepController`, and its answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..validation.controller import Outline
from ..validation.image import NOBODY

LEADER_EPOCH, PARTITION_EPOCH = 5, 9
"""The epochs from which each line begins: they only grow."""

THROWN = "thrown|"


class KnownState(NamedTuple):
    """What the controller knows: the partition, and the brokers that are active, as the bits of their numbers.

    `offline` are those whose replica is in a log directory that is not online. The epoch of the outline is how much the
    leader epoch has grown by the step that led here.
    """

    partition: Outline
    active: int
    offline: int = 0

    def at_rest(self) -> KnownState:
        """The same as the state before another step."""
        return self._replace(partition=self.partition._replace(epoch=0))


class AnsweredStep(NamedTuple):
    """What Kafka has made of a step: the name of its error or NONE, how many records it wrote, and the state after."""

    error: str
    records: int
    state: KnownState


class ThrownStep(NamedTuple):
    """An exception inside Kafka, which nobody there has expected."""

    said: str


class ControllerSettings(NamedTuple):
    """What stays as it is while the controller runs."""

    brokers: int
    elr: bool
    min_isr: int
    unclean: bool


def places(some: int) -> list[int]:
    """The brokers whose numbers are the bits of this one."""
    return [place for place in range(some.bit_length()) if some >> place & 1]


def bits_of(some: Iterable[int]) -> int:
    """The number whose bits are these brokers."""
    return sum(1 << one for one in some)


def listed_places(some: Iterable[int]) -> str:
    """`0,2`."""
    return ",".join(map(str, some))


def line_of(settings: ControllerSettings, state: KnownState, order: Iterable[int], step: str) -> str:
    """A state with its replicas in this order, and a step to take from it."""
    now = state.partition
    return "|".join(
        (
            str(settings.brokers),
            str(int(settings.elr)),
            str(settings.min_isr),
            str(int(settings.unclean)),
            listed_places(order),
            str(now.leader),
            str(LEADER_EPOCH),
            str(PARTITION_EPOCH),
            listed_places(places(now.isr)),
            listed_places(places(now.elr)),
            str(now.last_known_leader),
            str(int(now.recovering)),
            listed_places(places(now.adding)),
            listed_places(places(now.removing)),
            listed_places(places(state.active)),
            listed_places(places(state.offline)),
            step,
        )
    )


def answer_of(line: str) -> AnsweredStep | ThrownStep:
    """What an answer says of the last step of its line."""
    if line.startswith(THROWN):
        return ThrownStep(line.removeprefix(THROWN))
    error, records, *told = line.rpartition(";")[2].split("|")
    leader, epoch, _, isr, elr, last, recovering, replicas, adding, removing, active, offline = told
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
    state = KnownState(partition, bits_of(_numbers(active)), bits_of(_numbers(offline)))
    return AnsweredStep(error, int(records), state)


def _numbers(word: str) -> list[int]:
    return [int(one) for one in word.split(",")] if word else []
