"""The modern protocol with every step that brokers have been seen to take: what recorded runs are explained by.

Nothing here is bounded for a search: `epochal conform` looks for the one run that brokers have left traces of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from ..language import Set, bound, require
from ..language.configurable import SettingValue
from .broker_lifecycle import BrokerLifecycle
from .configuration import ConfigurableKraft
from .generations import DIRECTORY_CHANGE_KEEPS_ELR, LAST_KNOWN_LEADER_MAY_BE_OLD, VERSIONS, known_as, numbered
from .options.answers import AnswersAheadOfMetadata
from .options.cleared_elr import ClearedElr
from .options.directories import DirectoryAssignment, FailedDirectory
from .options.fenced_in_isr import FencedAgain
from .options.operator_election import OperatorElection
from .options.reassignment import ReassignmentBounds
from .options.stored_high_watermark import StoredHighWatermark
from .options.unclean_cancellation import UncleanCancellation
from .options.unnoticed_restart import UnnoticedRestart
from .state import Replica, Status

MANY, ANY = 64, 1_000_000
"""A state has place for so many records: a set of them is a word of so many bits. Of all else it only counts."""

LONG = "a recorded run has as many as it has"


@dataclass(frozen=True)
class ObservedBounds(ReassignmentBounds):
    """As much as a recorded run has. The defaults are small, so that the protocol can be looked at like others."""

    replication_factor: int = bound(
        3, least=1, most=8, help="the number of brokers that the partition has to do with", why=LONG
    )
    records: int = bound(1, least=1, most=MANY, help="the number of records, or of stretches of records", why=LONG)
    max_epoch: int = bound(2, least=0, most=ANY, help="the greatest leader epoch", why=LONG)
    metadata_lag: int = bound(1, least=1, most=64, help="how many change records a broker may be behind", why=LONG)
    crashes: int = bound(1, least=0, most=ANY, help="the number of crashes that lose nothing")
    lossy_crashes: int = bound(0, least=0, most=ANY, help="the number of crashes that lose the end of a log")
    fencings: int = bound(0, least=0, most=ANY, help="the number of live brokers that are fenced or shut down")
    shrinks: int = bound(0, least=0, most=ANY, help="the number of times a leader drops slow followers from the ISR")
    elections: int = bound(0, least=0, most=ANY, help="the number of elections while the leader is alive")
    reassignments: int = bound(0, least=0, most=ANY, help="the number of reassignments begun or cancelled")


class ObservedSteps(
    UncleanCancellation,
    DirectoryAssignment,
    FailedDirectory,
    OperatorElection,
    FencedAgain,
    UnnoticedRestart,
    ClearedElr,
    AnswersAheadOfMetadata,
    StoredHighWatermark,
    BrokerLifecycle,
):
    """All steps together, from any partition that a controller may create."""

    bounds: ObservedBounds

    def initial(  # type: ignore[override]  # there are more choices than before, and nobody calls it by its base
        self, leader: Replica, replicas: Set[Replica], fenced: Set[Replica], stopped: Set[Replica]
    ) -> None:
        """ReplicationControlManager.createTopic: all replicas that are active are in the ISR, and one of them leads."""
        super().initial(leader)
        require(leader in replicas - fenced)
        require(stopped <= fenced)
        self.metadata[0].isr = replicas - fenced
        self.replicas[0] = replicas
        self.asked_for = replicas
        for r in self.brokers:
            self.registrations[r].fenced = r in fenced
            if r in stopped:
                self.brokers[r].status = Status.SHUT_DOWN

    def assign_directory(self, broker: Replica, successor: Replica | None) -> None:
        """As always, and as often as a broker moves its replica."""
        self.assigned = False
        super().assign_directory(broker, successor)
        self.assigned = False


class ObservedKraft(ObservedSteps, ConfigurableKraft):
    """KRaft with what a search leaves out: answers to AlterPartition, reassignments, log directories, operators."""

    name: ClassVar[str] = "kraft-observed"

    @classmethod
    def configured(cls, configuration: Mapping[str, SettingValue]) -> type[Self]:
        """As `kraft`, with the rules of a release for what `kraft` has not: log directories (H3), ELR switched off."""
        made = super().configured(configuration)
        release = known_as(str(configuration.get("kafka", "")))
        if release in VERSIONS:
            made.settings = replace(
                made.settings,
                directory_change_keeps_elr=numbered(release) >= DIRECTORY_CHANGE_KEEPS_ELR,
                last_known_leader_is_kept_up=numbered(release) < LAST_KNOWN_LEADER_MAY_BE_OLD,
            )
        return made
