"""A collection of evidence, held against a specification: what was judged, and how."""

from __future__ import annotations

from dataclasses import dataclass

from .collected import Collected
from .controller import ControllerVerdict


@dataclass(frozen=True)
class Judged:
    """What the evidence says. `controller` is None if there is no metadata log. `reference` names the specification."""

    name: str
    reference: str
    version: str
    evidence: Collected
    controller: ControllerVerdict | None

    @property
    def refused(self) -> bool:
        """Whether something in the evidence is no step of the specification."""
        return self.controller is not None and bool(self.controller.refused)
