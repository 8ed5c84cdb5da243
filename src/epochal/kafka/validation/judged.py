"""A collection of evidence, held against a specification: what was checked, and how."""

from __future__ import annotations

from dataclasses import dataclass

from .brokers import BrokersVerdict
from .collected import Collected
from .controller import ControllerVerdict
from .detectors import ClientsVerdict
from .noticed import Noticed
from .run.as_trace import ToldRun
from .run.judged_runs import RunsVerdict


@dataclass(frozen=True)
class Judged:
    """What the evidence says. `controller` and `brokers` are None if there is no metadata log.

    `clients` is None without a metadata log, or a history of clients; `runs` without a metadata log.
    `told` are the runs that explain a partition, as traces.
    `reference` names the specification. `noticed` are events by which records may have been lost, although the
    specification allows them. `cut` is the budget that was spent before all partitions were looked at.
    """

    name: str
    reference: str
    version: str
    evidence: Collected
    controller: ControllerVerdict | None
    brokers: BrokersVerdict | None
    noticed: tuple[Noticed, ...] = ()
    clients: ClientsVerdict | None = None
    runs: RunsVerdict | None = None
    told: tuple[ToldRun, ...] = ()
    cut: str = ""

    @property
    def refused(self) -> bool:
        """Whether something in the evidence is no step of the specification."""
        return any(verdict is not None and verdict.refused for verdict in (self.controller, self.brokers, self.runs))

    @property
    def accepted(self) -> int:
        """How much of it was checked and is one."""
        return (self.controller.judged if self.controller else 0) + (self.brokers.accepted if self.brokers else 0)
