"""Which model of the quorum stands beside a Kafka: the one with the rules of its release, as far as they are known."""

from __future__ import annotations

from collections.abc import Mapping

from epochal.errors import UsageError
from epochal.spec.kraft.generations import numbered
from epochal.spec.loading import load_protocol
from epochal.spec.quorum.reconfiguration import QuorumReconfiguration
from epochal.spec.quorum.reconfiguration_snapshots import QuorumReconfigurationSnapshots
from epochal.spec.quorum.snapshots import QuorumSnapshots
from epochal.spec.quorum.state import QuorumState
from epochal.spec.quorum.switches import QuorumCandidateAgain, QuorumNoPreVote
from epochal.spec.quorum.snapshot_switches import QuorumSnapshotMustBeAhead
from epochal.spec.quorum.voters_in_memory import QuorumVotersNotReadAgain

from ..models import release_of

FIRST_WITH_PRE_VOTES = (4, 0)


def elections_of(version: str) -> type[QuorumState]:
    """The quorum of a release: without pre-votes until 3.9, and since then with candidates that are so again."""
    before = numbered(release_of(version)) < FIRST_WITH_PRE_VOTES
    return QuorumNoPreVote if before else QuorumCandidateAgain


def released(kind: type[QuorumState], version: str) -> type[QuorumState]:
    """What Kafka of a release is in the family of a protocol, known holes included."""
    if issubclass(kind, QuorumReconfigurationSnapshots):
        return QuorumReconfigurationSnapshots
    if issubclass(kind, QuorumReconfiguration):
        return QuorumVotersNotReadAgain
    return QuorumSnapshotMustBeAhead if issubclass(kind, QuorumSnapshots) else elections_of(version)


def quorum_of(version: str, model: str | type = "", bounds: Mapping[str, int] | None = None) -> QuorumState:
    """The model of a Kafka within bounds: that of its release, or what `model` names. Raises UsageError for others."""
    kind = load_protocol(model) if isinstance(model, str) and model else model or elections_of(version)
    assert isinstance(kind, type)  # a name is loaded
    if not issubclass(kind, QuorumState):
        raise UsageError(f"{kind.__name__} is no quorum: Kafka's voters are compared with quorum and what derives from it")
    return kind(**(bounds or {}))
