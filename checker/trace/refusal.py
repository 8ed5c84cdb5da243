"""Which guard refuses a step in a state, and where it stands."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from types import TracebackType

from epochal.spec.language import ActionInstance, Disabled, Protocol, SourceLine
from epochal.spec.language.errors import shown_path
from epochal.spec.language.marks import bounded, require
from epochal.spec.language.protocol import evaluated

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


def _guard(traceback: TracebackType | None, instance: ActionInstance) -> Refusal:
    """The line that called `require` or `bounded`, from the traceback of the exception that this raised."""
    found = Refusal(instance.action.where, instance.action.name)
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code in (require.__code__, bounded.__code__):
            break
        positions = list(code.co_positions())[traceback.tb_lasti // 2]
        first, last = traceback.tb_lineno, positions[1] or traceback.tb_lineno
        lines = (linecache.getline(code.co_filename, line).strip() for line in range(first, max(first, last) + 1))
        where = SourceLine(shown_path(code.co_filename), first, code.co_name)
        found = Refusal(where, " ".join(line for line in lines if line))
        traceback = traceback.tb_next
    return found
