"""Every guard that an action meets in a state: where it stands, whether it is true, and which values make it so."""

from __future__ import annotations

import ast
import linecache
import sys
from dataclasses import dataclass
from types import FrameType
from typing import Any

from epochal.spec.language import ActionInstance, Disabled, EvaluationError, Protocol, SourceLine
from epochal.spec.language.errors import shown_path
from epochal.spec.language.marks import bounded, require
from epochal.spec.language.protocol import evaluated

from ..verdicts import Codes
from ..why import reasons

WORDS = {require.__code__: "require", bounded.__code__: "bounded"}


@dataclass(frozen=True)
class Guard:
    """A `require` or a `bounded` that an action met: its condition as it stands in the source, and its truth.

    `facts` are the values that make it true or false, as far as its source tells.
    """

    word: str
    text: str
    where: SourceLine
    holds: bool
    facts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tried:
    """An action tried in a state: the guards that it met, in their order, and whether it can be taken.

    `error` says why it cannot be evaluated, if it cannot. The first guard that is false is the last one met.
    """

    instance: ActionInstance
    guards: tuple[Guard, ...]
    enabled: bool
    after: Codes | None
    error: str = ""


def tried(protocol: Protocol, codes: Codes, instance: ActionInstance, every_fact: bool = False) -> Tried:
    """Try an action in a state. Values are told of the guard that is false, or with `every_fact` of all."""
    state, met = protocol.at(codes), list[Guard]()

    def look(frame: FrameType, event: str, _: Any) -> None:
        word = WORDS.get(frame.f_code)
        if event == "call" and word is not None and frame.f_back is not None:
            holds = bool(frame.f_locals["condition"])
            met.append(_met(word, holds, frame.f_back, every_fact or not holds))

    before: Any = sys.getprofile()
    sys.setprofile(look)
    try:
        evaluated(instance.action.function, state, *instance.arguments)
    except Disabled:
        return Tried(instance, tuple(met), False, None)
    except EvaluationError as error:
        return Tried(instance, tuple(met), False, None, error.message)
    finally:
        sys.setprofile(before if before is None or callable(before) else None)
        if before is not None and not callable(before):  # a profiler written in C, such as cProfile's
            before.enable()
    return Tried(instance, tuple(met), True, state.codes())


def _met(word: str, holds: bool, caller: FrameType, facts: bool) -> Guard:
    code = caller.f_code
    first, last, _, _ = list(code.co_positions())[caller.f_lasti // 2]
    first = first or caller.f_lineno
    lines = (linecache.getline(code.co_filename, line).strip() for line in range(first, (last or first) + 1))
    text = " ".join(line for line in lines if line)
    where = SourceLine(shown_path(code.co_filename), first, code.co_name)
    condition = _condition(text)
    if condition is None:
        return Guard(word, text, where, holds)
    names = {**caller.f_globals, **caller.f_locals} if facts else {}
    return Guard(word, ast.unparse(condition), where, holds, reasons(condition, names, holds) if facts else ())


def _condition(text: str) -> ast.expr | None:
    """What a call of a guard is about; None for a call that is only a part of its lines."""
    try:
        parsed = ast.parse(text).body
    except SyntaxError:
        return None
    match parsed:
        case [ast.Expr(ast.Call(args=[condition], keywords=[]))]:
            return condition
    return None
