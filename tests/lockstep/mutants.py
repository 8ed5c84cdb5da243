"""Rules of Kafka's classes taken away: what compares them with the specification must notice each."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from epochal.kafka.lockstep.changed import changed_classes
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.fixes import CONTROLLER, PARTITION, Patch
from epochal.kafka.lockstep.jdk import found_jdk


class Mutant(NamedTuple):
    """A method with another body."""

    name: str
    class_name: str
    method: str
    body: str

    def made(self, version: str, folder: Path) -> Path:
        """A folder with the changed class of a release, below another."""
        patch = Patch(self.class_name, self.method, "body", self.body)
        return changed_classes(kafka_classes(version, None), [patch], self.name, found_jdk(), folder)


LEADER_MUTANTS: Final = (
    Mutant("never-under-min-isr", PARTITION, "isUnderMinIsr", "{ return false; }"),
    Mutant("everybody-eligible", PARTITION, "isReplicaIsrEligible", "{ return true; }"),
    Mutant("everybody-in-sync", PARTITION, "isFollowerInSync", "{ return true; }"),
)
"""Rules of the leader: random runs must notice each."""

CONTROLLER_MUTANTS: Final = (
    Mutant(
        "no-last-leader",
        "org.apache.kafka.controller.PartitionChangeBuilder",
        "canElectLastKnownLeader",
        "{ return false; }",
    ),
    Mutant("everybody-may-join", CONTROLLER, "ineligibleReplicasForIsr", "{ return new java.util.ArrayList(); }"),
)
"""Rules of the controller: comparing every state must notice each."""

RAFT: Final = "org.apache.kafka.raft."

QUORUM_MUTANTS: Final = (
    Mutant("votes-for-any-log", RAFT + "UnattachedState", "canGrantVote", "{ return true; }"),
    Mutant("nobody-is-asked-early", RAFT + "FollowerState", "canGrantVote", "{ return false; }"),
    Mutant("nothing-is-committed", RAFT + "LeaderState", "maybeUpdateHighWatermark", "{ return false; }"),
    Mutant("no-candidate-again", RAFT + "ElectionState", "isVotedCandidate", "{ return false; }"),
)
"""Rules of the voters: random runs must notice each."""

VOTERS_MUTANTS: Final = (
    Mutant("nobody-is-added", RAFT + "VoterSet", "addVoter", "{ return java.util.Optional.of(this); }"),
    Mutant("who-is-added-does-not-count", RAFT + "LeaderState", "updateVoterAndObserverStates", "{}"),
    Mutant(
        "anybody-changes-voters",
        RAFT + "KafkaRaftClient",
        "validateLeaderOnlyRequest",
        "{ return java.util.Optional.empty(); }",
    ),
)
"""Rules about changes of the voters: random runs with changes must notice each."""

CHANGING_MUTANTS: Final = (
    (
        {"shutdowns": True},
        Mutant(
            "nobody-waits",
            "org.apache.kafka.controller.BrokerHeartbeatManager",
            "lowestActiveOffset",
            "{ return Long.MAX_VALUE; }",
        ),
    ),
    (
        {"setting_changes": True, "default_minimum": True},
        Mutant(
            "nothing-is-cleared",
            "org.apache.kafka.controller.ConfigurationControlManager",
            "createClearElrRecordsAsNeeded",
            "{ return new java.util.ArrayList(); }",
        ),
    ),
    (
        {"setting_changes": True, "replication_factor": 1},
        Mutant(
            "elr-stays-on",
            "org.apache.kafka.controller.FeatureControlManager",
            "isElrFeatureEnabled",
            "{ return true; }",
        ),
    ),
)
"""Rules of the controller that only these closures can notice, each with what is asked."""
