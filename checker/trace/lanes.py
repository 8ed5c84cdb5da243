"""The lanes of a sequence diagram: the controller, the brokers, then who else takes part."""

from __future__ import annotations

from epochal.spec.language import Protocol
from epochal.spec.language.domains import IdentifierDomain

from .explain import ExplainedStep

FIRST = "controller"
LAST = ("producer", "consumer")
WHOLE = "protocol"


def lanes_of(protocol: Protocol, steps: list[ExplainedStep]) -> list[str]:
    """The lanes from left to right.

    Every identifier that some action of the protocol may act by or on has a lane, whether or not it acts in the trace,
    so that diagrams of one protocol look alike. Other lanes (`controller`, `producer`) are there if a step names them.
    """
    identifiers: dict[str, None] = {}
    for action in protocol.members("action"):
        for parameter in protocol.parameters(action.function):
            if parameter.name in (action.mark.by, action.mark.to) and isinstance(parameter.domain, IdentifierDomain):
                identifiers |= dict.fromkeys(parameter.domain.show(value) for value in parameter.domain.values())
    named = dict.fromkeys(lane for step in steps for lane in (step.by, step.to) if lane and lane not in identifiers)
    before = [lane for lane in named if lane not in LAST]
    before.sort(key=lambda lane: lane != FIRST)
    return [*before, *identifiers, *(lane for lane in LAST if lane in named)] or [WHOLE]
