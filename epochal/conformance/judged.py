"""A collection of evidence, held against a specification: what was judged, and how."""

from __future__ import annotations

from dataclasses import dataclass

from .collected import Collected
from .controller import ControllerVerdict
from .noticed import Noticed


@dataclass(frozen=True)
class Judged:
    """What the evidence says. `controller` is None if there is no metadata log. `reference` names the specification.

    `noticed` are events by which records may have been lost, although the specification allows them.
    """

    name: str
    reference: str
    version: str
    evidence: Collected
    controller: ControllerVerdict | None
    noticed: tuple[Noticed, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether something in the evidence is no step of the specification."""
        return self.controller is not None and bool(self.controller.refused)
