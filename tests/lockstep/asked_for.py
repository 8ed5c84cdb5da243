"""`kraft` with the steps that an operator asks for, for random runs: reassignments, settings and log directories."""

from __future__ import annotations

from typing import ClassVar

from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.options.directories import DirectoryAssignment
from epochal.spec.kraft.options.downgraded_elr import LoweredMinIsr
from epochal.spec.kraft.options.future_log import FutureLogs
from epochal.spec.kraft.options.min_isr_change import RaisedMinIsr
from epochal.spec.kraft.options.unclean_cancellation import UncleanCancellation


class Reassigned(UncleanCancellation, ConfigurableKraft):
    """A partition that moves; a leader proposes at a fetch only, as Kafka does."""

    name: ClassVar[str] = "reassigned"

    propose_without_fetch = None  # type: ignore[assignment]  # taken away


class Raised(RaisedMinIsr, ConfigurableKraft):
    """min.insync.replicas is raised."""

    name: ClassVar[str] = "raised"


class Assigned(DirectoryAssignment, ConfigurableKraft):
    """A replica is assigned to a log directory."""

    name: ClassVar[str] = "assigned"


class Moved(FutureLogs, ConfigurableKraft):
    """A replica moves to another log directory."""

    name: ClassVar[str] = "moved"


class Downgraded(LoweredMinIsr, ConfigurableKraft):
    """ELR is switched off, and min.insync.replicas lowered."""

    name: ClassVar[str] = "downgraded"
