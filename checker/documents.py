"""How a document is made of a result: its type says which keys it has, in their order, and where each is found.

A key is the attribute of that name, unless its type says otherwise: `Annotated[str, "member.name"]` is the name of the
member, and `Annotated[int, function]` what a function makes of the result. What nobody can declare is given by name.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Set, Sized
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, TypeVar, cast, get_args, get_origin, get_type_hints, is_typeddict

from epochal.former import FIELDS
from epochal.spec.language import Bounds, Member, Protocol
from epochal.spec.language.configurable import configuration_of

from .trace.itf import encode
from .trace.trace import Trace

Kind = TypeVar("Kind")
Making = Callable[[Any], Any]
MISSING = object()


@dataclass(frozen=True)
class _Entry:
    """Where the value of a key is found, and what makes plain data of it."""

    where: Making | str
    plain: Making
    needed: bool

    def found(self, sources: tuple[Any, ...]) -> Any:
        """Return the value in the first source that has it, None where its path ends in None, or MISSING."""
        if callable(self.where):
            return self.where(*sources[:1])
        first, *others = self.where.split(".")
        has_it = (one for one in sources if inspect.getattr_static(one, first, MISSING) is not MISSING)
        value = next((getattr(one, first) for one in has_it), MISSING)
        for name in others if value is not MISSING else ():
            value = value.get(name) if isinstance(value, dict) else None if value is None else getattr(value, name)
        return value


def document(kind: type[Kind], /, *sources: object, **said: object) -> Kind:
    """The document of this kind about a result: each value is `said`, or of the first of the `sources` that has it.

    A key that may be left out is there if its value says something. A former name has the value of the present one.
    Raises AttributeError for a needed key that no source has.
    """
    made: dict[str, Any] = {}
    keys = _keys(cast(Any, kind))
    for name, key in keys.items():
        present = FIELDS.get(name)
        if name in said:
            made[name] = key.plain(said[name])
        elif present in keys:
            made |= {name: made[present]} if present in made else {}
        elif key.needed or key.found(sources) not in ("", (), {}, MISSING):
            value = key.found(sources)
            if value is MISSING:
                raise AttributeError(f"{kind.__name__}.{name}: {key.where} is in none of {[type(s) for s in sources]}")
            made[name] = key.plain(value)
    return cast(Kind, made)


@functools.cache
def _keys(kind: type) -> dict[str, _Entry]:
    keys = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        needed = get_origin(hint) is not NotRequired
        hint = hint if needed else get_args(hint)[0]
        hint, *said = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        plain = _rounded if name.endswith("seconds") else _by_name if sorted in said else _plain(hint)
        keys[name] = _Entry(next((one for one in said if one is not sorted), name), plain, needed)
    return keys


def _rounded(seconds: float) -> float:
    return round(seconds, 6)


def _by_name(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _plain(hint: Any) -> Making:
    """What makes plain data of what a result has: the name of a member, say, and the number of things for `int`."""
    origin, inner = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        return lambda value: document(hint, **value) if isinstance(value, dict) else document(hint, value)
    if origin is list:
        one = _plain(inner[0])
        return lambda value: [one(each) for each in (sorted(value) if isinstance(value, Set) else value)]
    if origin is dict:
        of_each = _plain(inner[1])
        return lambda value: _object(value, of_each)
    if type(None) in inner:
        there = _plain(inner[0]) if len(inner) == 2 else _same
        return lambda value: None if value is None else there(value)
    return {str: _text, int: _number}.get(hint, _same)


def _object(value: Any, of_each: Making) -> dict[str, Any]:
    """A run in ITF, the settings of a protocol, bounds, or what has names already."""
    if isinstance(value, Trace):
        return encode(value)
    if isinstance(value, Protocol):
        value = configuration_of(value)
    items = value.as_dict() if isinstance(value, Bounds) else dict(value)
    return {name: of_each(each) for name, each in items.items()}


def _text(value: Any) -> str:
    return value.name if isinstance(value, Member) else str(value)


def _number(value: Any) -> int:
    return len(value) if isinstance(value, Sized) else value


def _same(value: Any) -> Any:
    return value
