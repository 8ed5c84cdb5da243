"""`kraft` with the steps that an operator asks for, for random runs: reassignments, settings and log directories."""

from __future__ import annotations

from typing import ClassVar

from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.controller import Election
from epochal.spec.kraft.options.directories import DirectoryAssignment
from epochal.spec.kraft.options.future_log import FutureLogs
from epochal.spec.kraft.options.min_isr_change import RaisedMinIsr
from epochal.spec.kraft.options.overlapping import OverlappingReassignments
from epochal.spec.kraft.options.reassignment import Reassignment
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
