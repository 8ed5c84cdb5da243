"""Guards: where one stands, whether it is true, and which values make it so; and the one that refuses an action."""

from __future__ import annotations

import ast
import itertools
import re
from dataclasses import dataclass
from functools import lru_cache
from types import FrameType

from epochal.spec.language import ActionInstance, Disabled, EvaluationError, OutOfBounds, Protocol, SourceLine
from epochal.spec.language.errors import shown_path
from epochal.spec.language.marks import bounded, require
from epochal.spec.language.protocol import evaluated
from epochal.spec.language.source_text import shown_line

from ..refusal import caller_of_guard
from ..verdicts import Codes
from ..why import reasons

BELOW_A_BOUND = re.compile(r"^[^<>=]* <=? self\.bounds\.\w+$")
"""A condition that counts: `self.used.fencings < self.bounds.fencings`."""

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

    @property
    def is_bound(self) -> bool:
        """Whether it is the model's and not the system's: it is `bounded`, or keeps something below a bound."""
        return self.word == "bounded" or BELOW_A_BOUND.search(self.text) is not None


@dataclass(frozen=True)
class Tried:
    """An action tried in a state: the guard that is false, if one is, and whether it can be taken.

    `error` says why it cannot be evaluated, if it cannot.
    """

    instance: ActionInstance
    guards: tuple[Guard, ...]
    enabled: bool
    after: Codes | None
    error: str = ""


def tried(protocol: Protocol, codes: Codes, instance: ActionInstance) -> Tried:
    """Try an action in a state; of the guards that it met, only the one that is false is told."""
    state = protocol.at(codes)
    try:
        evaluated(instance.action.function, state, *instance.arguments)
    except Disabled as disabled:
        return Tried(instance, _refusing(disabled), False, None)
    except EvaluationError as error:
        return Tried(instance, (), False, None, error.message)
    return Tried(instance, (), True, state.codes())


def _refusing(disabled: Disabled) -> tuple[Guard, ...]:
    """The guard that is false, from the exception that it raised."""
    called = caller_of_guard(disabled.__traceback__)
    if called is None:
        return ()
    frame, instruction, _ = called
    return (guard_at("bounded" if isinstance(disabled, OutOfBounds) else "require", False, frame, instruction),)


def guard_at(word: str, holds: bool, caller: FrameType, at: int) -> Guard:
    """The guard that is called by an instruction of a function."""
    code = caller.f_code
    first, last, _, _ = next(itertools.islice(code.co_positions(), at // 2, None))
    first = first or caller.f_lineno
    lines = (shown_line(code, line).strip() for line in range(first, (last or first) + 1))
    text = " ".join(line for line in lines if line)
    where = SourceLine(shown_path(code.co_filename), first, code.co_name)
    condition = _condition(text)
    if condition is None:
        return Guard(word, text, where, holds)
    names = {**caller.f_globals, **caller.f_locals}
    return Guard(word, ast.unparse(condition), where, holds, reasons(condition, names, holds))


@lru_cache(maxsize=1024)
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
