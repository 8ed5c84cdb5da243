"""Which guard refuses a step in a state, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType, TracebackType

from epochal.spec.language import ActionInstance, Disabled, Protocol, SourceLine
from epochal.spec.language.errors import shown_path
from epochal.spec.language.marks import bounded, require
from epochal.spec.language.protocol import evaluated
from epochal.spec.language.source_text import shown_line

from .verdicts import Codes


@dataclass(frozen=True)
class Refusal:
    """The guard that is false: where it stands, and its text."""

    where: SourceLine
    text: str


def refusal(protocol: Protocol, codes: Codes, instance: ActionInstance) -> Refusal | None:
    """The guard that keeps an action from being taken in a state; None if it is enabled.

    Raises EvaluationError if the action cannot be evaluated.
    """
    try:
        evaluated(instance.action.function, protocol.at(codes), *instance.arguments)
    except Disabled as disabled:
        return _guard(disabled.__traceback__, instance)
    return None


def caller_of_guard(traceback: TracebackType | None) -> tuple[FrameType, int, int] | None:
    """The frame that called `require` or `bounded`, with the instruction and the line, from the traceback of the
    exception that this raised."""
    found, guard, bound = None, require.__code__, bounded.__code__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code is guard or code is bound:  # to ask whether they are equal compares all of them
            break
        found = traceback.tb_frame, traceback.tb_lasti, traceback.tb_lineno
        traceback = traceback.tb_next
    return found


def _guard(traceback: TracebackType | None, instance: ActionInstance) -> Refusal:
    """The lines of the guard that was called last."""
    called = caller_of_guard(traceback)
    if called is None:
        return Refusal(instance.action.where, instance.action.name)
    frame, instruction, first = called
    code = frame.f_code
    last = list(code.co_positions())[instruction // 2][1] or first
    lines = (shown_line(code, line).strip() for line in range(first, max(first, last) + 1))
    where = SourceLine(shown_path(code.co_filename), first, code.co_name)
    return Refusal(where, " ".join(line for line in lines if line))
