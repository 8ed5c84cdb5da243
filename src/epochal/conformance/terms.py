"""Which release of Kafka the controller of each epoch was: in a rolling upgrade that changes on the way.

A log of a controller says when its process starts, which version it is, and in which epochs of the metadata quorum it
leads; the version may come after the first of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

STARTS = "] Starting controller"
VERSION = "Kafka version: "
LEADS = "Completed transition to Leader("

OF_NODES = ("[BrokerServer id=", "[ControllerServer id=", "[KafkaRaftServer nodeId=", "[KafkaServer id=", STARTS, LEADS)
"""What only a broker or a controller writes. Its version every program writes that has the library of Kafka in it."""

WORDS = (VERSION, *OF_NODES)
"""What such lines have in them."""

_VERSION = re.compile(r"\bKafka version: (\d+\.\d+(?:\.\d+)?)")
_LEADS = re.compile(r"\bCompleted transition to Leader\(.*?\bepoch=(\d{1,10}),")

Mark = str | int | None
"""What a line says: a version, the epoch in which its process leads the quorum, or that a process starts."""


def mark_of(message: str) -> Iterator[Mark]:
    """What a message says, if it says anything of that."""
    if STARTS in message:
        yield None
    elif (version := _VERSION.search(message)) is not None:
        yield version[1]
    elif (leads := _LEADS.search(message)) is not None:
        yield int(leads[1])


def terms_of(logs: Iterable[Sequence[Mark]]) -> dict[int, str]:
    """The version of the controller of each epoch, from the marks of each log in their order."""
    found: dict[int, str] = {}
    for log in logs:
        for process in _processes(log):
            versions = {mark for mark in process if isinstance(mark, str)}
            if len(versions) == 1:
                (version,) = versions
                found |= {mark: version for mark in process if isinstance(mark, int)}
    return found


def _processes(log: Sequence[Mark]) -> Iterator[list[str | int]]:
    """The marks of each process. What stands before the first start is of one whose start is not here."""
    here: list[str | int] = []
    for mark in log:
        if mark is None:
            yield here
            here = []
        else:
            here.append(mark)
    yield here
