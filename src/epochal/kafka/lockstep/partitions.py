"""Two partitions of a topic in one controller: for the specification each is one of its own, with the same brokers.

What is about a broker is about both. What is about partitions is about either, or about both in one request. Kafka
counts min.insync.replicas of a topic by the replicas of its first partition (H2), and so does the model of either.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.settings import Settings

from ..validation.controller import ModelStep, Outline, controller_model
from ..validation.image import NOBODY
from .controller_lines import KnownState, places
from .requests import ControllerRequest, ControllerSpecification, executions, requests_in

OF_PARTITIONS = frozenset({"alter", "refused alter", "directory", "elect preferred", "elect unclean"})
"""Requests that name partitions; all others are about a broker."""


def first_of(state: KnownState) -> KnownState:
    """The first partition alone."""
    return state._replace(second=None)


def second_of(state: KnownState) -> KnownState:
    """The other one alone."""
    assert state.second is not None
    return KnownState(state.second, state.active)


def beginnings(brokers: int, first: int, second: int) -> Iterator[KnownState]:
    """Both partitions with full ISRs: the first on the first brokers, the other on the last ones."""
    one, other = (1 << first) - 1, (1 << second) - 1 << brokers - second
    for leaders in itertools.product(places(one), places(other)):
        outlines = [
            Outline(leader, 0, some, some, 0, 0, 0, NOBODY, False)
            for leader, some in zip(leaders, (one, other), strict=True)
        ]
        yield KnownState(outlines[0], (1 << brokers) - 1, second=outlines[1])


def requests_of_two(state: KnownState, brokers: int) -> Iterator[ControllerRequest]:
    """Every request about a broker, about either partition, and about both: ISRs of one leader, and elections."""
    ones = list(requests_in(first_of(state), brokers))
    others = [one for one in requests_in(second_of(state), brokers) if one.action in OF_PARTITIONS]
    yield from ones
    yield from (one._replace(second=True) for one in others)
    assert state.second is not None
    same_leader = state.partition.leader == state.second.leader
    for one, other in itertools.product(ones, others):
        plain = one.stale == other.stale == NOBODY and one.action == other.action
        elects = one.action in ("elect preferred", "elect unclean")
        if plain and (elects or (one.action == "alter" and same_leader)):
            yield one._replace(also=(other.broker, other.some))


Orders = tuple[tuple[int, ...], tuple[int, ...]]


def executions_of_two(state: KnownState, request: ControllerRequest) -> Iterator[tuple[Orders, str]]:
    """Every order of the replicas of both in which Kafka is asked, with the words of the step."""
    one, other = first_of(state), second_of(state)
    also, nothing = request.of_other(), ControllerRequest("expire", 0)  # asked in every order
    if request.second:
        for first, _ in executions(one, nothing):
            yield from (((first, second), f"1/{step}") for second, step in executions(other, request))
    elif also is not None:
        for (first, step), (second, step_of_other) in itertools.product(
            executions(one, request), executions(other, also)
        ):
            yield (first, second), f"0/{step}+1/{step_of_other}"
    else:
        for first, step in executions(one, request):
            yield from (((first, second), step) for second, _ in executions(other, nothing))


class SpecificationOfTwo:
    """The specification of two partitions: the outcomes of each, put together."""

    def __init__(self, kind: type[ConfigurableKraft], settings: Settings, brokers: int) -> None:
        self._one = ControllerSpecification(controller_model(kind, settings, brokers), settings)

    def ways(self, state: KnownState, request: ControllerRequest) -> dict[KnownState, list[ModelStep]]:
        """Where a request may lead, with the steps that lead there."""
        one, other, also = first_of(state), second_of(state), request.of_other()
        named = request.action in OF_PARTITIONS
        first = {one: []} if request.second else self._one.ways(one, request)
        if also is not None:
            second = self._one.ways(other, also)
        else:
            second = {other: []} if named and not request.second else self._one.ways(other, request)
        return {
            known._replace(second=beside.partition): [*steps, *steps_of_other]
            for (known, steps), (beside, steps_of_other) in itertools.product(first.items(), second.items())
        }
