"""What a protocol consists of: its variables, its marked methods, and each action with a choice of its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain
from operator import is_
from pathlib import Path
from types import FunctionType
from typing import Any

from .domains import Domain
from .errors import LanguageError, SourceLine, printable, source_line
from .marks import ALL, ASKED, Kind, Mark, mark_of


@dataclass(frozen=True)
class Variable:
    """A state variable: its domain, whether it is history only, the index of its first leaf, and if stories fold it."""

    name: str
    domain: Domain
    ghost: bool
    first_leaf: int
    bookkeeping: bool = False


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action, with the domain it is chosen from."""

    name: str
    domain: Domain


@dataclass(frozen=True)
class Member:
    """A marked method of a protocol, as found on the class."""

    name: str
    function: FunctionType
    mark: Mark
    where: SourceLine

    @property
    def asked_as(self) -> str:
        """How the property is asked for on a command line: its id, or the reference of a question of one's own."""
        return str(self.function.__dict__.get(ASKED, self.name))

    @cached_property
    def description(self) -> str:
        """The docstring, unwrapped, without what a terminal would obey."""
        return printable(" ".join((inspect.getdoc(self.function) or "").split()))

    @property
    def sentence(self) -> str:
        """The docstring's first sentence: what reports say about the member."""
        text = self.description
        end = text.find(". ")
        return text if end < 0 else text[: end + 1]

    def said(self, claim: str) -> str:
        """A claim about the member with what it says, if it says anything: `up is violated: It is never down.`"""
        return f"{claim}: {self.sentence}" if self.sentence else claim


@dataclass(frozen=True)
class ActionInstance:
    """An action with one choice of its parameters. Instances are numbered in one order, the same for every engine."""

    number: int
    action: Member
    parameters: tuple[Parameter, ...]
    arguments: tuple[Any, ...]

    def __hash__(self) -> int:
        """By its number: arguments may be maps and logs, which have no hash in Python."""
        return hash((self.action.name, self.number))

    @property
    def label(self) -> str:
        """`Fetch(b2, b1)`: the name and arguments as people read them."""
        shown = (p.domain.show(a) for p, a in zip(self.parameters, self.arguments, strict=True))
        return f"{title(self.action.name)}({', '.join(shown)})"

    @property
    def positions(self) -> tuple[int, ...]:
        """The place of each argument in its domain: with the action's name this tells the step from others."""
        return tuple(p.domain.index(a) for p, a in zip(self.parameters, self.arguments, strict=True))


def naming_all(promises: list[Member], actions: list[Member]) -> list[Member]:
    """Liveness properties of a protocol with these actions: one that names ALL names each that is marked `fair`."""
    fair = tuple(action.name for action in actions if action.mark.fair)
    return [replace(one, mark=replace(one.mark, needs=fair)) if one.mark.needs == ALL else one for one in promises]


def title(name: str) -> str:
    """`leader_shrinks_isr` as `LeaderShrinksIsr`."""
    return "".join(part.capitalize() for part in name.split("_"))


# -- inheritance ------------------------------------------------------------------------------------------------------
# What a marked method takes over from the one that it takes the place of: all that its own mark does not say.
#
# A step of one's own in the place of a fair one stays as fair, and fair to the same: to each node, and not to each node
# with each outcome. Otherwise the checker would assume more fairness than the protocol has, and find that liveness
# properties hold that are violated.


FIELDS = frozenset(one.name for one in fields(Mark)) - {"kind", "said"}
UNIT = frozenset({"by", "to", "each"})
"""What says for whom an action is fair."""


def inherited_mark(cls: type, name: str) -> Mark | None:
    """The mark of a method: what its own says, and of the rest what those say that it takes the place of.

    None takes a method away, with its mark. Raises LanguageError for an action that lacks a parameter of those for each
    of which it is fair.
    """
    mark, before = None, None
    for function in reversed(_stacked(cls, name)):
        mark, before = _in_place_of(mark, before, function), function
    return mark


def unit_parameters(mark: Mark, parameters: Sequence[str]) -> tuple[str, ...]:
    """Those of its parameters for each of whose values an action is fair, in their order."""
    if mark.each is not None:
        return tuple(name for name in parameters if name in mark.each)
    return tuple(name for name in parameters if name in (mark.by, mark.to)) or tuple(parameters)


def parameters_of(function: FunctionType) -> tuple[str, ...]:
    """The names of a method's parameters, without self."""
    return function.__code__.co_varnames[1 : function.__code__.co_argcount]


def _stacked(cls: type, name: str) -> list[FunctionType]:
    """The methods of a name, each before those that it takes the place of, as far as they have one role.

    One that is put back, `step = Before.step`, has again the place that it had before.
    """
    found, kind = list[FunctionType](), None
    for owner in cls.__mro__:
        if name not in vars(owner):
            continue
        value = vars(owner)[name]
        mark = mark_of(value)
        if value is None or (mark is not None and kind not in (None, mark.kind)):
            break
        if type(value) is FunctionType:
            found.append(value)
        kind = mark.kind if mark is not None else kind
    put_back = {id(function): place for place, function in enumerate(found)}
    place, kept = 0, list[FunctionType]()
    while place < len(found):
        place = put_back[id(found[place])]
        kept.append(found[place])
        place += 1
    return kept


def _in_place_of(mark: Mark | None, before: FunctionType | None, function: FunctionType) -> Mark | None:
    """The mark of a method in the place of another, which has this mark."""
    own = mark_of(function)
    if mark is None or before is None:
        return own if own is None else replace(own, said=FIELDS)
    said = frozenset[str]() if own is None else own.said
    found = replace(mark, **{name: getattr(own, name) for name in said})
    if found.kind != "action":
        return found
    if found.fair:
        found = _for_the_same(mark, before, found, function, said)
    return found if own is None else _without_what_is_gone(found, before, function, said)


def _for_the_same(mark: Mark, before: FunctionType, found: Mark, function: FunctionType, said: frozenset[str]) -> Mark:
    """The mark of a fair action, which is fair to the same as the one before if it does not say to whom."""
    taken = parameters_of(before)
    named = mark.each is not None or {mark.by, mark.to} & set(taken)
    if said & UNIT or not (named or (mark.fair and "fair" not in said)):
        return found
    unit, parameters = unit_parameters(mark, taken), parameters_of(function)
    missing = [name for name in unit if name not in parameters]
    if missing:
        raise LanguageError(
            f"{function.__name__} takes the place of an action that is fair to each {missing[0]}, and has no such "
            "parameter",
            source_line(function),
            f"Keep the parameter {missing[0]}, or say to whom it is fair: "
            f'@action(fair="{found.fair}", each=({"".join(f"{name!r}, " for name in parameters).strip()})).',
        )
    return found if unit_parameters(found, parameters) == unit else replace(found, each=unit)


def _without_what_is_gone(found: Mark, before: FunctionType, function: FunctionType, said: frozenset[str]) -> Mark:
    """The mark of an action that is marked anew, without what stories told of parameters that it has no more."""
    gone = set(parameters_of(before)) - set(parameters_of(function))
    empty = {name for name in ("by", "to") if getattr(found, name) in gone}
    if empty:
        empty |= {"sends", "receives"}
    if any("{" + name + "}" in found.says for name in gone):
        empty.add("says")
    nothing: dict[str, Any] = dict.fromkeys(empty - said, "")
    return replace(found, **nothing)


# -- marked -----------------------------------------------------------------------------------------------------------
# The marked methods of a protocol class. They are asked for at every turn, and looked up once for a class as it is.

MOST = 1 << 8
"""For how many classes and kinds they are kept: after so many all are forgotten."""

_Seen = tuple[tuple[str, ...], tuple[Any, ...]]
_kept: dict[tuple[type, Kind, str], tuple[_Seen, tuple[Member, ...]]] = {}


def members_of(cls: type, kind: Kind) -> list[Member]:
    """The methods marked as `kind`, base classes first, each in the place of its first definition.

    Raises LanguageError for a marked method whose place something else takes.
    """
    key = cls, kind, _here()
    seen = _seen(cls)
    before = _kept.get(key)
    if before is not None and before[0][0] == seen[0] and all(map(is_, before[0][1], seen[1])):
        return list(before[1])
    found = _looked_up(cls, kind)
    if len(_kept) >= MOST:
        _kept.clear()
    _kept[key] = seen, tuple(found)
    return found


def _here() -> str:
    """The working folder, from which people see paths; "" if there is none any more."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def _seen(cls: type) -> _Seen:
    """The names of a class and its bases, and what each is at this moment: anybody may set them at any time."""
    owners = [vars(owner) for owner in cls.__mro__]
    return tuple(chain.from_iterable(owners)), tuple(chain.from_iterable(owner.values() for owner in owners))


def _looked_up(cls: type, kind: Kind) -> list[Member]:
    names: dict[str, None] = {}
    for owner in reversed(cls.__mro__):
        names |= dict.fromkeys(name for name, value in vars(owner).items() if mark_of(value) is not None)
    found = []
    for name in names:
        function = next(vars(owner)[name] for owner in cls.__mro__ if name in vars(owner))
        mark = inherited_mark(cls, name)
        if function is not None and mark is not None and mark.kind == kind:
            if type(function) is not FunctionType:
                raise LanguageError(
                    f"{cls.__name__}.{name} takes the place of an @{kind}, and is no plain method",
                    advice=f"Override it with def {name}(self, ...), or take it away with {name} = None.",
                )
            found.append(Member(name, function, mark, source_line(function)))
    return naming_all(found, members_of(cls, "action")) if kind == "leads_to" else found
