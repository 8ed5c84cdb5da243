"""Classes of Kafka changed as bytecode: the smallest fixes of open holes, and mutants that must be noticed.

They are made of the released class by Javassist, which Maven fetches once and a checksum pins. Nothing of Kafka is kept
here.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from epochal.kafka.lockstep.class_path import jars_folder, kafka_classes
from epochal.kafka.lockstep.harness import found_jdk
from epochal.spec.kraft.generations import numbered

HERE = Path(__file__).resolve().parent
JAVASSIST: Final = "org.javassist:javassist:3.30.2-GA"
JAVASSIST_SHA256: Final = "eba37290994b5e4868f3af98ff113f6244a6b099385d9ad46881307d3cb01aaf"
PARTITION: Final = "kafka.cluster.Partition"


class PatchMissing(Exception):
    """What makes patches is not here."""


@dataclass(frozen=True)
class Patch:
    """A method of a class, and the code before it or in place of it.

    `{call}` in the code is `()` where `makeLeader` is given an object with accessors: up to 4.1.
    """

    name: str
    class_name: str
    method: str
    where: Literal["before", "body"]
    code: str

    def made(self, version: str, folder: Path) -> Path:
        """A folder with the changed class of a release, below another."""
        call = "()" if numbered(version) < (4, 2) else ""
        jars = ":".join(map(str, kafka_classes(version, None).entries))
        out = folder / f"{self.name}-{version}"
        java = found_jdk().java
        arguments = (jars, str(out), self.class_name, self.method, self.where, self.code.replace("{call}", call))
        command = [str(java), "-cp", str(javassist()), str(HERE / "ChangedClass.java"), *arguments]
        subprocess.run(command, check=True, timeout=120, stdin=subprocess.DEVNULL)
        return out


def javassist() -> Path:
    """The jar of Javassist, held against its checksum; fetched beside those of Kafka if it is not there."""
    folder = jars_folder("javassist")
    jar = folder / f"{JAVASSIST.split(':')[1]}-{JAVASSIST.split(':')[2]}.jar"
    if not jar.is_file():
        maven = shutil.which("mvn")
        if maven is None:
            raise PatchMissing(f"{jar} is not here, and Maven, which would fetch it, is not either")
        command = [maven, "--batch-mode", "--quiet", "--strict-checksums", "dependency:copy"]
        command += [f"-Dartifact={JAVASSIST}", f"-DoutputDirectory={folder}"]
        subprocess.run(command, check=True, timeout=600, stdin=subprocess.DEVNULL)
    if hashlib.sha256(jar.read_bytes()).hexdigest() != JAVASSIST_SHA256:
        raise PatchMissing(f"{jar} is not {JAVASSIST}: remove it")
    return jar


N1_FIXED: Final = Patch(
    "n1",
    PARTITION,
    "makeLeader",
    "before",
    "{ if (isLeader() && $1.partitionEpoch{call} >= getPartitionEpoch() && $1.leaderEpoch{call} > getLeaderEpoch() + 1)"
    " leaderReplicaIdOpt_$eq(scala.Option.empty()); }",
)
"""An epoch that is not the next one is taken for a new term: the leader forgets how far its followers were."""

S15_FIXED: Final = Patch(
    "s15",
    PARTITION,
    "makeLeader",
    "before",
    "{ if (isLeader() && $1.leaderEpoch{call} == getLeaderEpoch() && $1.partitionEpoch{call} == getPartitionEpoch())"
    " return false; }",
)
"""Metadata of the partition epoch that the leader has is ignored, and what it has proposed meanwhile stays."""

MUTANTS: Final = (
    Patch("never-under-min-isr", PARTITION, "isUnderMinIsr", "body", "{ return false; }"),
    Patch("everybody-eligible", PARTITION, "isReplicaIsrEligible", "body", "{ return true; }"),
    Patch("everybody-in-sync", PARTITION, "isFollowerInSync", "body", "{ return true; }"),
)
"""Rules of the leader taken away: random runs must notice each."""

RAFT: Final = "org.apache.kafka.raft."

QUORUM_MUTANTS: Final = (
    Patch("votes-for-any-log", RAFT + "UnattachedState", "canGrantVote", "body", "{ return true; }"),
    Patch("nobody-is-asked-early", RAFT + "FollowerState", "canGrantVote", "body", "{ return false; }"),
    Patch("nothing-is-committed", RAFT + "LeaderState", "maybeUpdateHighWatermark", "body", "{ return false; }"),
    Patch("no-candidate-again", RAFT + "ElectionState", "isVotedCandidate", "body", "{ return false; }"),
)
"""Rules of the voters taken away: random runs must notice each."""
