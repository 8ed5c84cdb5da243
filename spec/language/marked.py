"""The marked methods of a protocol class. They are asked for at every turn, and looked up once for a class as it is."""

from __future__ import annotations

from itertools import chain
from operator import is_
from pathlib import Path
from types import FunctionType
from typing import Any

from .errors import LanguageError, source_line
from .inheritance import inherited_mark
from .marks import Kind, mark_of
from .members import Member, naming_all

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
