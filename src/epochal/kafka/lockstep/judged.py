"""What `epochal lockstep controller` is asked, and what it has found."""

from __future__ import annotations

import re
from dataclasses import dataclass

from epochal.spec.kraft.generations import VERSIONS, known_as

from .class_path import KafkaClasses
from .closure import ClosureBounds, ClosureFound

OLDER_RECORDS = "records of older metadata versions"
"""What no request here is about."""

WITHOUT_REASSIGNMENTS = "reassignments: --reassignments N"
FEW_REPLICAS = "reassignments to fewer replicas than min.insync.replicas, which the specification has not"
WITHOUT_DIRECTORIES = "log directories that fail: --directories"
ONE_PARTITION = (
    "several partitions of one topic, of which the first decides about min.insync.replicas (H2): --second-partition N"
)
FIXED_SETTINGS = "min.insync.replicas or the ELR feature changed while the controller runs: --setting-changes"
AT_ONCE = "controlled shutdown that waits for other brokers, and a controller that takes office: --shutdowns"


@dataclass(frozen=True)
class ControllerInForce:
    """The settings of both controllers."""

    elr: bool
    min_insync_replicas: int
    unclean_leader_election: bool


@dataclass(frozen=True)
class LockstepJudged:
    """What was held against what, and what was found. `cut` is the budget that was spent before all was seen.

    `model` is the release whose rules the specification follows, and `reference` how the command line calls it. With
    `quorum_controller` the whole QuorumController ran, and not its managers alone.
    """

    kafka: KafkaClasses
    reference: str
    model: str
    in_force: ControllerInForce
    bounds: ClosureBounds
    found: ClosureFound
    cut: str = ""
    quorum_controller: bool = False

    @property
    def is_of_another_release(self) -> bool:
        """Whether the specification follows another release than the one that is run."""
        return known_as(release_of(self.kafka.version)) != known_as(self.model)

    @property
    def not_asked(self) -> tuple[str, ...]:
        """What no request was about."""
        bounds = self.bounds
        options = (
            (bounds.directories, WITHOUT_DIRECTORIES),
            (bounds.second > 0, ONE_PARTITION),
            (bounds.settings, FIXED_SETTINGS),
            (bounds.shutdowns, AT_ONCE),
        )
        reassigned = FEW_REPLICAS if bounds.reassignments else WITHOUT_REASSIGNMENTS
        return (reassigned, *(said for asked, said in options if not asked), OLDER_RECORDS)


def release_of(version: str) -> str:
    """The numbers of a version: `4.5.0` of `4.5.0-SNAPSHOT`."""
    found = re.match(r"\d+(\.\d+)*", version)
    return found[0] if found else version


def model_of(version: str) -> str:
    """The release whose rules a version of Kafka is held against: its own if it is known, else the newest."""
    own = release_of(version)
    return own if known_as(own) in VERSIONS else list(VERSIONS)[-1]
