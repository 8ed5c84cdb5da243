"""Which model of the quorum stands beside a Kafka: the one with the rules of its release, as far as they are known."""

from __future__ import annotations

from collections.abc import Mapping

from epochal.spec.kraft.generations import numbered
from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.reconfiguration import QuorumReconfiguration
from epochal.spec.quorum.reconfiguration_snapshots import QuorumReconfigurationSnapshots
from epochal.spec.quorum.snapshot_switches import QuorumSnapshotMustBeAhead
from epochal.spec.quorum.snapshots import QuorumSnapshots
from epochal.spec.quorum.state import QuorumState
from epochal.spec.quorum.switches import QuorumCandidateAgain, QuorumNoPreVote
from epochal.spec.quorum.voters_in_memory import QuorumVotersNotReadAgain

from ..judged import model_of

FIRST_WITH_PRE_VOTES = (4, 0)


def has_pre_votes(version: str) -> bool:
    """Whether voters of a Kafka ask for pre-votes (KIP-996)."""
    return numbered(model_of(version)) >= FIRST_WITH_PRE_VOTES


def elections_of(version: str) -> type[QuorumState]:
    """The quorum of a release: without pre-votes until 3.9, and since then with candidates that are so again."""
    return QuorumCandidateAgain if has_pre_votes(version) else QuorumNoPreVote


def released(kind: type[QuorumState], version: str) -> type[QuorumState]:
    """What Kafka of a release is in the family of a protocol, known holes included."""
    if issubclass(kind, QuorumReconfigurationSnapshots):
        return QuorumReconfigurationSnapshots
    if issubclass(kind, QuorumReconfiguration):
        return QuorumVotersNotReadAgain
    return QuorumSnapshotMustBeAhead if issubclass(kind, QuorumSnapshots) else elections_of(version)


def quorum_beside(version: str, kind: type[QuorumState], bounds: Mapping[str, int]) -> QuorumState:
    """The model beside a Kafka, within as many of these bounds as it has: `quorum` is that of the release."""
    chosen = elections_of(version) if kind is Quorum else kind
    has = chosen.bounds_type().declared()
    return chosen(None, **{name: value for name, value in bounds.items() if name in has})
