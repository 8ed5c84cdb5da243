"""What a sequence diagram consists of: lanes, arrows for messages that arrive, and notes."""

from __future__ import annotations

from dataclasses import dataclass

from epochal.spec.language import Protocol
from epochal.spec.language.domains import IdentifierDomain

from .explain import ExplainedStep
from .messages import arriving, speakers

FIRST = "controller"
LAST = ("producer", "consumer")
WHOLE = "protocol"


@dataclass(frozen=True)
class Arrow:
    """A message from lane to lane; the answer to another one is drawn dashed."""

    sender: str
    receiver: str
    text: str
    answers: bool


@dataclass(frozen=True)
class Note:
    """Lines over one lane or from one lane to another; over all without lanes."""

    lanes: tuple[str, ...]
    lines: tuple[str, ...]


def lanes_of(protocol: Protocol, steps: list[ExplainedStep]) -> list[str]:
    """The lanes from left to right.

    Every identifier that some action of the protocol may act by or on has a lane, whether or not it acts in the trace,
    so that diagrams of one protocol look alike. Other lanes (`controller`, `producer`) are there if a step names them,
    or has words for them; so are those of whom there are several without identifiers (`controller 2`).
    """
    identifiers: dict[str, None] = {}
    sides: set[str] = set()
    for action in protocol.members("action"):
        sides |= {action.mark.by, action.mark.to}
        for parameter in protocol.parameters(action.function):
            if parameter.name in (action.mark.by, action.mark.to) and isinstance(parameter.domain, IdentifierDomain):
                identifiers |= dict.fromkeys(parameter.domain.show(value) for value in parameter.domain.values())
    several = [
        f"{name} {parameter.domain.show(value)}"
        for name, parameter in speakers(protocol).items()
        if name in sides
        for value in parameter.domain.values()
    ]
    acting = dict.fromkeys(lane for step in steps for lane in (step.by, step.to) if lane)
    sides.update(several)
    speaking = dict.fromkeys(told.lane for step in steps for told in step.told if told.lane and told.lane in sides)
    named = [lane for lane in acting | speaking if lane not in identifiers]
    before = [lane for lane in named if lane not in LAST]
    before.sort(key=lambda lane: (lane != FIRST, several.index(lane) if lane in several else len(several)))
    return [*before, *identifiers, *(lane for lane in LAST if lane in named)] or [WHOLE]


def drawn(step: ExplainedStep, lanes: list[str]) -> tuple[list[Arrow], list[Note]]:
    """A step in a diagram: its messages, or a note that says what is done, and notes with what it makes different.

    Words of a lane stand over that lane, fields over who acts and on whom, and words of nobody over all.
    """
    head = f"{step.number}. {step.label}"
    arrows = [
        Arrow(one.sender, one.receiver, f"{head}: {one.name}" if at == 0 else one.name, one.answers)
        for at, one in enumerate(arriving(step.messages))
    ]
    sides = tuple(dict.fromkeys(lane for lane in (step.by, step.to) if lane)) if step.by else ()
    sent = [f"sends {one.name}" for one in step.messages if not one.arrives]
    lines: dict[tuple[str, ...], list[str]] = {} if arrows else {sides: [head, *sent]}
    for told in step.told:
        if told.lane in lanes:
            lines.setdefault((told.lane,), []).extend(told.text.split("; "))
        else:
            lines.setdefault(() if told.lane else sides, []).append(str(told))
    return arrows, [Note(over, tuple(texts)) for over, texts in lines.items()]
