"""The methods by which a Python class gives operators, truth, iteration or attributes a meaning of its own.

A specification has one meaning for every reader. So its records, enumerations and protocols keep that of the language.
"""

from __future__ import annotations

import enum
from abc import ABCMeta

from .errors import LanguageError, SourceLine, shown_path

_NAMES = """
eq ne lt le gt ge hash bool len iter next reversed contains getitem setitem delitem missing length_hint
getattr getattribute setattr delattr get set delete instancecheck subclasscheck
add sub mul truediv floordiv mod divmod pow lshift rshift and xor or matmul
radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand rxor ror rmatmul
iadd isub imul itruediv ifloordiv imod ipow ilshift irshift iand ixor ior imatmul
neg pos abs invert int float complex index round trunc floor ceil enter exit await aiter anext
"""
HOOKS = frozenset(f"__{name}__" for name in _NAMES.split())
CREATION = frozenset({"__init__", "__new__", "__post_init__"})
METACLASSES = (type, ABCMeta, enum.EnumMeta)
GENERATED = "<string>"
"""The file of the methods that `dataclass` writes."""
NEUTRAL = ("typing", "abc")
"""Modules whose base classes change nothing: Generic and Protocol of typing, ABC."""


def overridden(kind: type, base: type, names: frozenset[str] = HOOKS) -> str:
    """Which of these methods a class has of its own, beside those of a base and those of `dataclass`; "" if none."""
    if found := _own(kind, base, names):
        owner, name = found
        return f"{owner.__name__} defines {name}, and would have a meaning of its own"
    if type(kind) not in (*METACLASSES, type(base)):
        return f"{kind.__name__} has a metaclass, and would have a meaning of its own"
    return ""


def refuse_overridden(kind: type, base: type, what: str, names: frozenset[str] = HOOKS) -> None:
    """Refuse a class that has such a method of its own. Raises LanguageError with the line of the method."""
    if why := overridden(kind, base, names):
        owner, name = _own(kind, base, names) or (kind, "")
        code = getattr(vars(owner).get(name), "__code__", None)
        where = SourceLine(shown_path(code.co_filename), code.co_firstlineno, name) if code is not None else None
        raise LanguageError(f"in the {what} {why}", where, f"Write a helper function, and leave the {what} as it is.")


def _own(kind: type, base: type, names: frozenset[str]) -> tuple[type, str] | None:
    """The class that defines such a method, and the name of the method."""
    for owner in kind.__mro__:
        if owner in base.__mro__ or owner.__module__ in NEUTRAL:
            continue
        for name in sorted(names & vars(owner).keys()):
            method = vars(owner)[name]
            if method is not None and getattr(getattr(method, "__code__", None), "co_filename", "") != GENERATED:
                return owner, name
    return None
