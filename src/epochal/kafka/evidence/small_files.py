"""Kafka's checkpoint files: a version, a number of lines, and the lines (`CheckpointFile`, version 0).

A log directory has one file of high watermarks (`replication-offset-checkpoint`), of offsets up to which logs are
flushed (`recovery-point-offset-checkpoint`) and of log start offsets (`log-start-offset-checkpoint`); a replica has
`leader-epoch-checkpoint`, where each leader epoch begins (KIP-101).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from .place import EvidenceError, Place

BEGINS = re.compile(r"0\r?\n\d+\r?\n")
"""Every such file."""

EPOCHS, HIGH_WATERMARKS = "leader-epoch-checkpoint", "replication-offset-checkpoint"
RECOVERY_POINTS, LOG_STARTS = "recovery-point-offset-checkpoint", "log-start-offset-checkpoint"
NAMES = (EPOCHS, HIGH_WATERMARKS, RECOVERY_POINTS, LOG_STARTS)
"""Which of them it is only its name tells. `cleaner-offset-checkpoint` is of no use here."""


def epochs_in(lines: Iterable[str], name: str) -> tuple[tuple[int, int], ...]:
    """The leader epochs of a replica's log, and the offset at which each begins."""
    return tuple((int(epoch), int(start)) for _, (epoch, start) in _lines(lines, name, r"(-?\d{1,19}) (\d{1,19})"))


def offsets_in(lines: Iterable[str], name: str) -> dict[tuple[str, int], int]:
    """An offset for each partition."""
    said = _lines(lines, name, r"(\S+) (\d{1,19}) (\d{1,19})")
    return {(topic, int(number)): int(offset) for _, (topic, number, offset) in said}


def _lines(lines: Iterable[str], name: str, form: str) -> Iterator[tuple[Place, tuple[str, ...]]]:
    """The lines behind the first two. Raises EvidenceError where one is not as it should be, or some are missing."""
    said = [line.strip() for line in lines]
    if len(said) < 2 or said[0] != "0" or not re.fullmatch(r"\d{1,19}", said[1]):
        raise EvidenceError(f"{name}: no checkpoint of version 0")
    while said[-1] == "" and len(said) > 2:
        said.pop()
    if int(said[1]) != len(said) - 2:
        raise EvidenceError(f"{name}: the checkpoint has {len(said) - 2} lines, and says {said[1]}: it is cut off")
    for number, line in enumerate(said[2:], start=3):
        place = Place(name, line=number)
        found = re.fullmatch(form, line)
        if found is None:
            raise EvidenceError(f"{place}: no line of a checkpoint: {line[:60]!r}")
        yield place, found.groups()


# -- properties -------------------------------------------------------------------------------------------------------
# Files of settings: server.properties, meta.properties.


def properties_in(lines: Iterable[str]) -> dict[str, str]:
    """Settings as a properties file has them."""
    said = (line.split("=", 1) for line in lines if "=" in line and not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, value in said}


# -- quorum state -----------------------------------------------------------------------------------------------------
# `quorum-state`: what a node of the metadata quorum knows of its leader, and for whom it has voted.


class QuorumStateFile(msgspec.Struct, frozen=True):
    """The leader and its epoch, and the vote in it (QuorumStateData); -1 is nobody."""

    leader: int = msgspec.field(name="leaderId")
    leader_epoch: int = msgspec.field(name="leaderEpoch")
    voted: int = msgspec.field(name="votedId", default=-1)


def quorum_state(content: bytes, name: str) -> QuorumStateFile:
    """What the file says. Raises EvidenceError where it is damaged."""
    try:
        return msgspec.json.decode(content, type=QuorumStateFile)
    except msgspec.DecodeError as error:
        raise EvidenceError(f"{name}: no quorum-state: {error}") from error
