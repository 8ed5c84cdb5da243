"""`kraft` with the steps that an operator asks for, for random runs: reassignments, settings and log directories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from epochal.kafka.lockstep.judged import model_of
from epochal.spec.kraft.configuration import ConfigurableKraft, with_settings
from epochal.spec.kraft.controller import Election
from epochal.spec.kraft.generations import DIRECTORY_CHANGE_KEEPS_ELR, VERSIONS, numbered
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.directories import DirectoryAssignment, ReplacedDirectory
from epochal.spec.kraft.options.future_log import FutureLogs
from epochal.spec.kraft.options.min_isr_change import RaisedMinIsr
from epochal.spec.kraft.options.needed import about_its_steps
from epochal.spec.kraft.options.overlapping import OverlappingReassignments
from epochal.spec.kraft.options.reassignment import Reassignment
from epochal.spec.kraft.state import KraftState
from epochal.spec.language import Identifier, Set


class Reassigned(OverlappingReassignments, ConfigurableKraft):
    """A partition that moves; a leader proposes at a fetch only, as Kafka does."""

    name: ClassVar[str] = "reassigned"

    propose_without_fetch = None  # type: ignore[assignment]  # taken away

    def write_assignment(self, target: Set[Identifier], successor: Identifier | None) -> None:
        """As always; but of the replicas that it has already nothing is written, unless somebody is elected."""
        if self.is_under_way():
            super().write_assignment(target, successor)
        else:
            self.change_partition(self.metadata[0].isr, successor, Set(), election=Election.ONLINE)

    def end_reassignment(
        self,
        leaving: Set[Identifier],
        isr: Set[Identifier],
        successor: Identifier | None,
        unclean: Set[Identifier],
        recovered: bool,
        election: Election,
    ) -> None:
        """As always; but a change is written also where nobody leaves: that nobody is to go any more."""
        before = self.replicas[0]
        self.replicas[0] = before - leaving
        self.adding = Set()
        self.removing = Set()
        gone = unclean | leaving if self.settings.elr_has_only_replicas else unclean
        super(Reassignment, self).change_partition(isr - leaving, successor, gone, recovered, election, leaving, True)
        if len(leaving) > 0:
            self.replicas[1] = before
            self.forget_replayed_changes()


class Raised(RaisedMinIsr, ConfigurableKraft):
    """min.insync.replicas is raised."""

    name: ClassVar[str] = "raised"


class Assigned(DirectoryAssignment, ConfigurableKraft):
    """A replica is assigned to a log directory."""

    name: ClassVar[str] = "assigned"


class Moved(FutureLogs, ConfigurableKraft):
    """A replica moves to another log directory."""

    name: ClassVar[str] = "moved"


def model_of_release(protocol: Kraft, version: str) -> Kraft:
    """A protocol with its own steps under the rules of a release, and what it sets itself."""
    settings, bounds = protocol.settings, protocol.bounds.as_dict()
    of_release = replace(
        about_its_steps(type(protocol), VERSIONS[model_of(version)]),
        min_insync_replicas=settings.min_insync_replicas,
        acks=settings.acks,
        unclean_leader_election=settings.unclean_leader_election,
        elr=settings.elr,
        **rules_asked_for(protocol, version),
    )
    given = {name: bounds[name] for name in type(protocol.bounds).declared()}
    return with_settings(type(protocol), of_release)(None, **given)


def rules_asked_for(protocol: Kraft, version: str) -> dict[str, Any]:
    """Of the steps and settings of a protocol that no release brings along: which rules of them a release has."""
    elr_is_kept = numbered(model_of(version)) >= DIRECTORY_CHANGE_KEEPS_ELR
    kinds: Mapping[type[KraftState], Mapping[str, Any]] = {
        Reassignment: {"joins_by_fetch_only": True},
        RaisedMinIsr: {"min_isr_follows_log": False},
        DirectoryAssignment: {"directory_change_keeps_elr": elr_is_kept},
        ReplacedDirectory: {"missing_directory_is_unclean": not elr_is_kept},  # the new directory is assigned: no ELR
        FutureLogs: {"abandoned_future_log_has_caught_up": False},
    }
    found = {
        name: value for kind, rules in kinds.items() if isinstance(protocol, kind) for name, value in rules.items()
    }
    leader, controller = protocol.settings.leader_min_insync_replicas, protocol.settings.min_insync_replicas
    if leader is not None:  # the controller counts the replicas of partition 0 (H2), and a leader follows the log
        found["leader_min_insync_replicas"] = leader if leader > controller else None
    return found
