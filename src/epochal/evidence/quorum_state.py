"""`quorum-state`: what a node of the metadata quorum knows of its leader, and for whom it has voted."""

from __future__ import annotations

import msgspec

from .place import EvidenceError


class _Written(msgspec.Struct, rename="camel"):
    """As Kafka writes it (QuorumStateData). Versions 0 and 1 are told apart by the name of one field."""

    leader_id: int
    leader_epoch: int
    voted_id: int = -1


class QuorumState(msgspec.Struct, frozen=True):
    """The leader and its epoch, and the vote in it; -1 is nobody. `name` is the file."""

    name: str
    leader: int
    leader_epoch: int
    voted: int


def quorum_state(content: bytes, name: str) -> QuorumState:
    """What the file says. Raises EvidenceError where it is damaged."""
    try:
        said = msgspec.json.decode(content, type=_Written)
    except msgspec.DecodeError as error:
        raise EvidenceError(f"{name}: no quorum-state: {error}") from error
    return QuorumState(name, said.leader_id, said.leader_epoch, said.voted_id)
