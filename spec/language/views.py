"""How people read a state: the words of its `@view` methods, and the fields that no view tells.

A view is plain Python on a state. It is called when a run is told, by no engine, and counts in no digest.
"""

from __future__ import annotations

import dis
import enum
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from .display import shown_lines
from .domains import IdentifierDomain
from .errors import Disabled, LanguageError, SpecificationError, said
from .members import Member, Parameter, Variable
from .protocol import Protocol, line_of
from .values import Log, Map, Set, Struct

NOTHING = "nothing"
"""What is said of one who had something to say before, and has nothing now."""


ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
"""The instructions that take an attribute of what was loaded before."""


@dataclass(frozen=True)
class Part:
    """Some of the variables of a protocol."""

    variables: Mapping[str, Variable]


def shown(value: Any) -> str:
    """A value of a state as stories show it, for the text of a view: `r0@e1`, `{b1, b2}`, `-` for none."""
    return shown_with(value, "-")


def shown_with(value: Any, none: str) -> str:
    """The same of any value, also of Python's own collections; `none` is what is said of none."""
    if value is None:
        return none
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, enum.Enum):
        return value.name.lower().replace("_", "-")
    if isinstance(value, Struct):
        names = type(value).fields
        fields = {name: shown_with(one, none) for name, one in zip(names, value.field_values(), strict=True)}
        text = type(value).text_format
        return text.format(**fields) if text else "(" + ", ".join(f"{name} {one}" for name, one in fields.items()) + ")"
    if isinstance(value, set | frozenset):  # in the order of the texts: that of a plain set is by chance
        texts = (shown_with(one, none) for one in value)
        return "{" + ", ".join(texts if isinstance(value, Set) else sorted(texts)) + "}"
    if isinstance(value, Log | list | tuple):
        return "[" + ", ".join(shown_with(one, none) for one in value) + "]"
    if isinstance(value, Map | dict):
        return "[" + ", ".join(f"{shown_with(key, none)}: {shown_with(value[key], none)}" for key in value) + "]"
    return str(value)


def words_of(protocol: Protocol, codes: Sequence[int]) -> dict[str, str]:
    """What the views of a protocol say of a state, by whose words they are; several views of one are joined by `; `.

    Empty for a protocol without views. Raises LanguageError, with its line, for a view that fails, that says anything
    but one line of text, or that changes the state.
    """
    found: dict[str, list[str]] = {}
    views = protocol.members("view")
    state = protocol.at(codes) if views else protocol
    for member in views:
        parameters = protocol.parameters(member.function)
        choices = parameters[0].domain.values() if parameters else (None,)
        for value in choices:
            lane = _lane(parameters[0], value) if parameters else member.mark.of
            text = _said_by(member, state, *([value] if parameters else []))
            found.setdefault(lane, []).extend([text] if text else [])
    return {lane: "; ".join(texts) for lane, texts in found.items()}


def _lane(parameter: Parameter, value: Any) -> str:
    """Whose words are said: an identifier has a name of its own, and of what has none its kind is said too."""
    shown_value = parameter.domain.show(value)
    return shown_value if isinstance(parameter.domain, IdentifierDomain) else f"{parameter.name} {shown_value}"


def _said_by(member: Member, state: Protocol, *arguments: Any) -> str:
    before = state._mutations.count
    try:
        text = member.function(state, *arguments)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # views are the user's code: whatever they raise is a mistake of the view
        why = error.message if isinstance(error, SpecificationError) else said(error)
        why = "require is for actions" if isinstance(error, Disabled) else why
        raise LanguageError(
            f"the view {member.name} fails: {why}",
            line_of(error, member.function),
            'A view says something of every state; it returns "" where there is nothing to say.',
        ) from error
    if type(text) is not str or not text.isprintable():
        what = (
            f"what is no text: {type(text).__name__}" if type(text) is not str else f"more than one line: {text!a:.60}"
        )
        raise LanguageError(
            f"the view {member.name} returns {what}", member.where, 'Return one line of text, "" for nothing to say.'
        )
    if state._mutations.count != before:
        raise LanguageError(
            f"the view {member.name} changes the state", member.where, "A view only reads. What it builds is its own."
        )
    return text


def untold(protocol: Protocol) -> Part:
    """The variables that stories tell by their fields: no view reads them, and they are no bookkeeping.

    A view reads the variables that its code takes from `self`, or a method of the protocol that it calls.
    """
    read = _read_by_views(type(protocol))
    return Part({n: v for n, v in protocol.variables.items() if n not in read and not v.bookkeeping})


def kept_in_stories(protocol: Protocol) -> Part:
    """The variables that are no bookkeeping."""
    return Part({name: variable for name, variable in protocol.variables.items() if not variable.bookkeeping})


@lru_cache(maxsize=64)
def _read_by_views(kind: type[Protocol]) -> frozenset[str]:
    """What the views of a class, and the methods that they call, take from `self`: names of variables and methods."""
    todo: list[CodeType] = [member.function.__code__ for member in kind.members("view")]
    read: set[str] = set()
    while todo:
        code = todo.pop()
        todo += [part for part in code.co_consts if isinstance(part, CodeType)]
        for name in _taken_from_self(code) - read:
            read.add(name)
            found = (vars(owner).get(name) for owner in kind.__mro__)
            todo += [one.__code__ for one in found if type(one) is FunctionType]
    return frozenset(read)


def _taken_from_self(code: CodeType) -> set[str]:
    """The attributes of `self` in a function, or in a comprehension within it, as its bytecode has them."""
    pairs = itertools.pairwise(dis.get_instructions(code))
    return {str(one.argval) for before, one in pairs if _is_self(before.argval) and one.opname in ATTRIBUTES}


def _is_self(value: object) -> bool:
    """Whether an instruction loads `self`, alone or, from Python 3.13 on, as the last of two."""
    return (value[-1] if isinstance(value, tuple) and value else value) == "self"


def told_lines(protocol: Protocol, codes: Sequence[int], all_fields: bool = False) -> dict[str, str]:
    """A state in a few lines, as stories tell it: who takes part with their words, then what no view tells.

    With `all_fields` every variable by its fields, bookkeeping too. Raises LanguageError for a view that fails.
    """
    if all_fields:
        return shown_lines(protocol, codes)
    lines = {lane: text for lane, text in words_of(protocol, codes).items() if text}
    for head, text in shown_lines(untold(protocol), codes).items():
        lines[head] = f"{lines[head]}; {text}" if head in lines else text
    return lines
