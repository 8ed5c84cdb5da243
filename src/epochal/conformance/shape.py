"""What the steps of the controller depend on, small enough to be looked up: sets of brokers as bits of a number.

Epochs only grow, and brokers only differ by their numbers; the first are counted from the present one, the second are
called by their place among the brokers that the partition has to do with. So a log of a million changes has few shapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .image import Brokers, Partition

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
