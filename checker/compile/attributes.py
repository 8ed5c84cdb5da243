"""Reading an attribute in a rule: fields and methods of the language, and whatever else Python would find as data."""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable
from types import FunctionType, MethodType, ModuleType
from typing import Any, cast

from epochal.spec.language import Bounds, Identifier, Log, Map, Protocol, Struct

from .execution import Execution
from .in_place import instead
from .iteration import StateProxy
from .source.admitted import READING, unfit
from .values.symbolic import Symbolic

CHANGING = frozenset(
    [
        "append",
        "extend",
        "insert",
        "pop",
        "remove",
        "clear",
        "sort",
        "reverse",
        "add",
        "discard",
        "update",
        "setdefault",
        "popitem",
        "difference_update",
        "intersection_update",
        "symmetric_difference_update",
        "move_to_end",
        "appendleft",
        "popleft",
        "rotate",
    ]
)
PLAIN = (tuple, list, dict, set, frozenset, int, bool, Log, Map)


class Attributes:
    """Reads attributes for the rules of one compilation. `call` calls what a rule calls: properties are methods."""

    def __init__(self, execution: Callable[[], Execution], call: Callable[..., Any]) -> None:
        self._execution, self._call = execution, call
        self._readers: dict[type, Callable[[Any, str], Any]] = {}

    def read(self, owner: Any, name: str) -> Any:
        """The attribute of this name, as Python finds it. Raises LanguageError if a rule cannot have it."""
        kind = type(owner)
        reader = self._readers.get(kind)
        if reader is None:
            reader = self._readers[kind] = self._reader(kind)
        return reader(owner, name)

    def _reader(self, kind: Any) -> Callable[[Any, str], Any]:
        """What reads the attributes of objects of a class."""
        if issubclass(kind, StateProxy):
            found = kind.read
        elif issubclass(kind, Symbolic):
            found = kind.field if kind.has_fields else self._of_symbolic
        else:
            found = self._of_known
        return cast(Callable[[Any, str], Any], found)

    def _of_known(self, owner: Any, name: str) -> Any:
        if isinstance(owner, Struct) and name in type(owner).fields:
            return owner.__dict__[name]
        if isinstance(owner, PLAIN):
            return self._of_plain(owner, name)
        if isinstance(owner, str | bytes):
            raise self._execution().error("rules compute states, not texts", "Compare whole texts with ==.")
        if isinstance(owner, Identifier):
            if name not in ("prefix", "index", "first"):
                raise self._unknown(owner, name)
            return getattr(owner, name)
        found = self._found(owner, name)
        if why := unfit(found):
            raise self._execution().error(f"{name} cannot be used in a rule: {why}", "Keep it in a state variable.")
        return found

    def _of_symbolic(self, owner: Symbolic, name: str) -> Any:
        if name not in owner.words:
            execution = self._execution()
            raise execution.error(
                f"{owner.described} has no attribute {name!r}",
                instead(owner.words, name, execution.where)
                or "Use what the language has: fields of records, and the methods that the documentation lists.",
            )
        return getattr(owner, name)

    def _of_plain(self, owner: Any, name: str) -> Any:
        if name in CHANGING and hasattr(owner, name):
            raise self._execution().error(
                f"a {type(owner).__name__} cannot be changed in place in a rule", "Assign a new one: x = x + [...]."
            )
        if name in READING or name in getattr(type(owner), "_fields", ()):
            return getattr(owner, name)
        raise self._unknown(owner, name)

    def _found(self, owner: Any, name: str) -> Any:
        """What Python finds as an attribute of a module, a class or an object; methods and properties as rules."""
        if isinstance(owner, ModuleType) and name not in vars(owner):
            raise self._unknown(owner, name)
        if isinstance(owner, ModuleType) or owner is None:
            return getattr(owner, name)
        if isinstance(owner, type):
            return self._of_class(owner, name)
        if callable(owner) and isinstance(owner, FunctionType | MethodType):
            raise self._unknown(owner, name)
        found = inspect.getattr_static(type(owner), name, None)
        if isinstance(owner, enum.Enum) and name in ("name", "value"):
            return getattr(owner, name)
        own = getattr(owner, "__dict__", {})
        if name in own and isinstance(found, FunctionType | functools.cached_property):
            return own[name]
        if isinstance(found, property) and isinstance(found.fget, FunctionType):
            return self._call(MethodType(found.fget, owner))
        if isinstance(found, functools.cached_property):
            return self._call(MethodType(found.func, owner))
        if isinstance(found, FunctionType):
            return MethodType(found, owner)
        known = found is None or not hasattr(type(found), "__get__") or isinstance(found, staticmethod | classmethod)
        if known or isinstance(owner, Bounds) or inspect.ismemberdescriptor(found) or isinstance(owner, tuple):
            return getattr(owner, name)
        raise self._unknown(owner, name)

    def _of_class(self, owner: type, name: str) -> Any:
        if issubclass(owner, Protocol) and name in vars(Protocol) and name not in ("name", "each", "member"):
            raise self._unknown(owner, name)
        found = inspect.getattr_static(owner, name, None)
        if found is None or isinstance(found, property) or issubclass(owner, set | list | dict):
            raise self._unknown(owner, name)
        return getattr(owner, name)

    def _unknown(self, owner: Any, name: str) -> Exception:
        of = owner.__name__ if isinstance(owner, type) else type(owner).__name__
        return self._execution().error(
            f"{of} has no attribute {name!r} that a rule can use",
            "Keep what a rule needs in state variables, bounds or constants.",
        )
