"""An expression of `self` in every state of a run: what the person at the keyboard asks, in Python.

It is evaluated as a specification is, with the names of its module, and identifiers by their names (`b1`); so it may do
whatever a specification may. One is evaluated when somebody at this explorer has typed or allowed it; none runs because
it stands in an address that was sent, and an explorer that is read-only evaluates none.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from epochal.checker.trace.verdicts import Codes
from epochal.errors import UsageError
from epochal.spec.language import Protocol
from epochal.spec.language.domains import IdentifierDomain, MapDomain
from epochal.spec.language.errors import printable, said
from epochal.spec.language.views import shown

from .address import LONGEST_ASKED

LONGEST_EXPRESSION = LONGEST_ASKED
LONGEST_VALUE = 120


@dataclass(frozen=True)
class Answer:
    """What an expression is in a state; `same` says that it was so in the state before."""

    text: str
    fails: bool
    same: bool


@dataclass(frozen=True)
class Asked:
    """An expression, and what it is in each state of a run; or why it is none."""

    expression: str
    answers: tuple[Answer, ...]
    wrong: str = ""


def refuse_no_expression(expression: str) -> None:
    """Raise UsageError for what cannot be evaluated at all."""
    _, wrong = _compiled(expression)
    if wrong:
        raise UsageError(
            f"{printable(expression)[:LONGEST_VALUE]!r}: {wrong}", "Write one such as len(self.quorum.isr)."
        )


def ask(expression: str, protocol: Protocol, states: Sequence[Codes]) -> Asked:
    """Evaluate an expression in every state of a run. Nothing that it raises ends the explorer."""
    code, wrong = _compiled(expression)
    if code is None:
        return Asked(expression[:LONGEST_EXPRESSION], (), wrong)
    found: list[Answer] = []
    names = _names(protocol)
    for codes in states:
        text, fails = _evaluated(code, {**names, "self": protocol.at(codes)})
        found.append(Answer(text, fails, bool(found) and found[-1].text == text))
    return Asked(expression, tuple(found))


def _compiled(expression: str) -> tuple[CodeType | None, str]:
    """An expression as code, or why it is none."""
    if len(expression) > LONGEST_EXPRESSION:
        return None, f"it has more than {LONGEST_EXPRESSION} characters"
    try:
        return compile(expression.strip(), "<asked>", "eval"), ""
    except (SyntaxError, ValueError, RecursionError, MemoryError) as wrong:
        return None, f"it is no expression of Python ({said(wrong)})"


def _names(protocol: Protocol) -> dict[str, Any]:
    """What names mean besides `self`: those of the specification's module, and of identifiers."""
    module = sys.modules.get(type(protocol).__module__)
    names = {} if module is None else dict(vars(module))
    for leaf_domain in _identifiers(protocol):
        for value in leaf_domain.values():
            name = leaf_domain.show(value)
            if name.isidentifier():
                names.setdefault(name, value)
    return names


def _identifiers(protocol: Protocol) -> Iterator[IdentifierDomain]:
    """The domains of identifiers that keys of the state and parameters of actions are of."""
    for variable in protocol.variables.values():
        if isinstance(variable.domain, MapDomain) and isinstance(variable.domain.key, IdentifierDomain):
            yield variable.domain.key
    for action in protocol.members("action"):
        for parameter in protocol.parameters(action.function):
            if isinstance(parameter.domain, IdentifierDomain):
                yield parameter.domain


def _evaluated(code: CodeType, names: dict[str, Any]) -> tuple[str, bool]:
    """What an expression is, as text, and whether it fails."""
    try:
        return _shown(eval(code, names)), False
    except (Exception, SystemExit) as wrong:  # the expression is the user's: whatever it raises is its answer
        return printable(said(wrong))[:LONGEST_VALUE], True


def _shown(value: Any) -> str:
    """A value as stories show it; of a generator its items."""
    if hasattr(value, "__next__"):
        value = list(value)
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(map(shown, value)) if isinstance(value, set | frozenset) else list(map(shown, value))
        text = f"[{', '.join(items)}]"
    else:
        text = shown(value)
    text = printable(text)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
