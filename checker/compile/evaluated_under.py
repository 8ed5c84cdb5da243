"""Properties that see a state with the words of another protocol than the one that takes the steps.

A rule that is taken out of a protocol may be a word that its properties use as well. They must go on meaning what they
meant, or a mutant would be checked against mutated properties.
"""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any

from epochal.spec.language import Protocol

EVALUATED_UNDER = "__epochal_evaluated_under__"


def evaluated_under(protocol: type[Protocol], function: FunctionType) -> FunctionType:
    """A property of `protocol` as a method of another one with the same variables: it calls the methods of `protocol`.

    In the Python reading it sees the same values through an instance of that class; the compiler asks `vocabulary_of`.
    """

    @functools.wraps(function)
    def evaluated(*states: Protocol) -> Any:
        return function(*(_seen_as(protocol, state) for state in states))

    evaluated.__dict__[EVALUATED_UNDER] = protocol
    assert isinstance(evaluated, FunctionType)
    return evaluated


def vocabulary_of(function: FunctionType) -> type[Protocol] | None:
    """The protocol whose methods a property calls, if that is another one than it belongs to."""
    protocol: type[Protocol] | None = getattr(function, EVALUATED_UNDER, None)
    return protocol


def rule_of(function: FunctionType) -> FunctionType:
    """The function in which a rule is written."""
    rule: FunctionType = function.__dict__["__wrapped__"] if EVALUATED_UNDER in function.__dict__ else function
    return rule


def _seen_as(protocol: type[Protocol], state: Protocol) -> Protocol:
    seen = protocol.__new__(protocol)
    object.__setattr__(seen, "__dict__", state.__dict__)
    return seen
