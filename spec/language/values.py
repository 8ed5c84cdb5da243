"""The values of the Python semantics: identifiers, sets, records, maps and logs as ordinary, inspectable objects.

What is stored in a state is checked against its domain at the moment it is written, and copied, so two variables never
share a mutable value.

To a type checker a variable of a set, a map or a log is a descriptor: it takes what it can store, `self.log = []`, and
gives its own type. At run time `__setattr__` of the state and of its records does that.
"""

from __future__ import annotations

import enum
import inspect
import operator
from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar, cast, dataclass_transform, overload

from .errors import EvaluationError, LanguageError, SourceLine, shown_path, shown_value

# -- hooks ------------------------------------------------------------------------------------------------------------
# The methods by which a Python class gives operators, truth, iteration or attributes a meaning of its own.
#
# A specification has one meaning for every reader. So its records, enumerations and protocols keep that of the
# language.


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


T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class Mutations:
    """Counts the writes to one state, so that a reader knows whether an action changed anything before it stopped.

    A write is counted when it is known to be possible, and before it is made.
    """

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


class Unwritable(Mutations):
    """Refuses every write, before anything is changed: of what several read, or several states have in common."""

    __slots__ = ("_advice", "_why")

    def __init__(self, why: str, advice: str = "") -> None:
        self._why, self._advice = why, advice

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        """How it is copied, and sent to other processes: there is no count to be restored."""
        return type(self), (self._why, self._advice)

    @property
    def count(self) -> int:
        """Nothing was ever written."""
        return 0

    @count.setter
    def count(self, value: int) -> None:
        raise LanguageError(self._why, advice=self._advice)


WHOLE = "Write a whole entry: log[offset] = ..."
FROZEN = Unwritable("a part of a record was read from a log and cannot be changed in place", WHOLE)
"""Of all that lies in an entry of a log."""
CHOSEN = Unwritable("a parameter cannot be changed in place", "Assign it to a variable of the state, and change that.")
"""Of a map that is chosen as a parameter."""


class Stores(Protocol):
    """A domain as far as values know it: it makes a copy of what is written, and refuses what does not lie in it."""

    def stored(self, value: Any, mutations: Mutations | None, where: str = "") -> Any:
        """A canonical, independent copy of `value`. Raises EvaluationError if it is not in the domain."""


class StoresFields(Protocol):
    """The domain of a record."""

    @property
    def field_domains(self) -> Mapping[str, Stores]:
        """The domains of the fields."""


class StoresEntries(Protocol):
    """The domain of a map."""

    @property
    def key(self) -> object:
        """The domain of the keys."""

    @property
    def value(self) -> Stores:
        """The domain of the values."""


class StoresSequence(Protocol):
    """The domain of a log."""

    @property
    def capacity(self) -> int:
        """How many entries there is room for."""

    def stored_entry(self, entry: Any) -> Any:
        """A canonical copy of an entry that cannot be changed in place."""


class Identifier:
    """A name such as `b1`. Identifiers can be distinguished but have no order and no arithmetic."""

    __slots__ = ("first", "index", "prefix")

    def __init__(self, prefix: str, index: int, first: int = 1) -> None:
        self.prefix = prefix
        self.index = index
        self.first = first

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Identifier):
            return self.index == other.index and self.prefix == other.prefix
        if other is None or isinstance(other, int | str | Set | Struct):
            return False
        return NotImplemented

    def __hash__(self) -> int:
        return self.index

    def __repr__(self) -> str:
        return f"{self.prefix}{self.index + self.first}"

    def _no_order(self, other: object) -> bool:
        raise LanguageError(
            f"{self!r} has no order: identifiers can only be compared with == and !=",
            advice="Use an integer domain if the order matters.",
        )

    __lt__ = __le__ = __gt__ = __ge__ = _no_order


def sort_key(value: Any) -> Any:
    """A key that orders the values of one domain as the domain enumerates them."""
    if isinstance(value, Identifier):
        return value.index
    if isinstance(value, Struct):
        return (type(value).__name__, *(sort_key(v) for v in value.field_values()))
    if isinstance(value, frozenset | set):  # as bit masks are ordered: by the last member first
        return sorted((sort_key(v) for v in value), reverse=True)
    if value is None:
        return float("-inf")
    if isinstance(value, enum.Enum):
        return list(type(value)).index(value)
    return value


class Set(frozenset[T]):
    """A finite set. Immutable; iterates in canonical order, not in hash order."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __get__(self, state: object, owner: type | None = None) -> Self: ...
        def __set__(self, state: object, value: frozenset[T] | set[T]) -> None: ...
        def __eq__(self, other: object) -> bool: ...
        def __hash__(self) -> int: ...

    def __iter__(self) -> Iterator[T]:
        return iter(sorted(frozenset.__iter__(self), key=sort_key))

    def __or__(self, other: Any) -> Set[Any]:
        return _as_set(frozenset.__or__(self, other))

    def __and__(self, other: Any) -> Set[T]:
        return _as_set(frozenset.__and__(self, other))

    def __sub__(self, other: Any) -> Set[T]:
        return _as_set(frozenset.__sub__(self, other))

    def __xor__(self, other: Any) -> Set[Any]:
        return _as_set(frozenset.__xor__(self, other))

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__

    def __rsub__(self, other: Any) -> Any:
        return _as_set(frozenset(other) - frozenset(self)) if isinstance(other, frozenset | set) else NotImplemented

    def union(self, *others: Any) -> Set[Any]:
        """Members of this set or of any other."""
        return Set(frozenset.union(self, *others))

    def intersection(self, *others: Any) -> Set[T]:
        """Members of all sets."""
        return Set(frozenset.intersection(self, *others))

    def difference(self, *others: Any) -> Set[T]:
        """Members of this set only."""
        return Set(frozenset.difference(self, *others))

    def symmetric_difference(self, other: Any) -> Set[Any]:
        """Members of one of the sets only."""
        return Set(frozenset.symmetric_difference(self, other))

    def __repr__(self) -> str:
        return "{" + ", ".join(repr(v) for v in self) + "}"


def _as_set(result: Any) -> Set[Any]:
    return cast("Set[Any]", result) if result is NotImplemented else Set(result)


class FieldNames:
    """The names of a record's fields, in the order in which a pattern names them by place."""

    def __get__(self, record: object, owner: type[Struct]) -> tuple[str, ...]:
        return owner.fields


@dataclass_transform(eq_default=True, kw_only_default=False)
class Struct:
    """A record with named, typed fields, declared like a dataclass.

    `text` (a class argument) is how a value is shown, with the field names in braces: `text="r{id}@e{epoch}"`.
    """

    fields: ClassVar[tuple[str, ...]] = ()
    if not TYPE_CHECKING:  # a type checker knows it from `dataclass_transform`
        __match_args__ = FieldNames()
    text_format: ClassVar[str | None] = None
    if TYPE_CHECKING:
        _domain: StoresFields | None
        _mutations: Mutations | None
        _frozen: bool

    def __init_subclass__(cls, text: str | None = None) -> None:
        own = [n for n, a in inspect.get_annotations(cls).items() if "ClassVar" not in str(a)]
        reserved = [n for n in own if n in ("fields", "text_format", "field_values")]
        if reserved:
            raise LanguageError(f"{cls.__name__} cannot have a field named {reserved[0]!r}", advice="Rename it.")
        refuse_overridden(cls, Struct, "record", HOOKS | CREATION)
        cls.fields = (*cls.fields, *(n for n in own if n not in cls.fields and not n.startswith("_")))
        if text is not None:
            cls.text_format = text

    def __init__(self, *args: Any, **values: Any) -> None:
        names = type(self).fields
        given = dict(zip(names, args, strict=False)) | values
        if len(args) > len(names) or set(given) != set(names):
            raise LanguageError(
                f"{type(self).__name__} takes the fields {', '.join(names)}", advice="Give each of them, once."
            )
        self.__dict__.update(given, _domain=None, _mutations=None, _frozen=False)

    def field_values(self) -> tuple[Any, ...]:
        """The values of the fields, in the order of their declaration."""
        return tuple(self.__dict__[name] for name in type(self).fields)

    def __setattr__(self, name: str, value: object) -> None:
        if name not in type(self).fields:
            raise LanguageError(f"{type(self).__name__} has no field {name!r}; it has {', '.join(type(self).fields)}")
        self._refuse_if_frozen()
        if self._domain is not None:
            value = self._domain.field_domains[name].stored(value, self._mutations, name)
        if self._mutations is not None:
            self._mutations.count += 1
        self.__dict__[name] = value

    def _refuse_if_frozen(self) -> None:
        if self._frozen:
            raise LanguageError(
                f"{type(self).__name__} was read from a log and cannot be changed in place", advice=WHOLE
            )

    def __delattr__(self, name: str) -> None:
        self._refuse_if_frozen()
        if self._mutations is not None:  # what is left is no value any more, which is found when it is read
            self._mutations.count += 1
        object.__delattr__(self, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Struct):
            return NotImplemented
        return type(self) is type(other) and self.field_values() == other.field_values()

    def __hash__(self) -> int:
        return hash(self.field_values())

    def __lt__(self, other: object) -> bool:
        return self._ordered(other, operator.lt)

    def __le__(self, other: object) -> bool:
        return self._ordered(other, operator.le)

    def __gt__(self, other: object) -> bool:
        return self._ordered(other, operator.gt)

    def __ge__(self, other: object) -> bool:
        return self._ordered(other, operator.ge)

    def _ordered(self, other: object, sign: Callable[[Any, Any], bool]) -> bool:
        """Compare the fields in their order, as tuples are compared."""
        if not isinstance(other, Struct) or type(self) is not type(other):
            return cast(bool, NotImplemented)  # Python's word for "ask the other one"
        return sign(self.field_values(), other.field_values())

    def __repr__(self) -> str:
        inner = ", ".join(f"{n}={shown_value(v)}" for n, v in zip(type(self).fields, self.field_values(), strict=True))
        return f"{type(self).__name__}({inner})"


class Map(Generic[K, V]):
    """A total map with fixed keys: every key of the key domain always has a value."""

    __slots__ = ("_domain", "_mutations", "_values")

    if TYPE_CHECKING:

        def __get__(self, state: object, owner: type | None = None) -> Self: ...
        def __set__(self, state: object, value: Map[K, V] | Mapping[K, V]) -> None: ...

    def __init__(self, domain: StoresEntries, values: dict[Any, Any], mutations: Mutations | None) -> None:
        self._domain = domain
        self._values: dict[K, V] = values
        self._mutations = mutations

    def __getitem__(self, key: K) -> V:
        try:
            return self._values[key]
        except (KeyError, TypeError):
            raise EvaluationError(f"{shown_value(key)} is not a key of this map ({self._domain.key})") from None

    def __setitem__(self, key: K, value: V) -> None:
        if key not in self._values:
            raise EvaluationError(f"{shown_value(key)} is not a key of this map ({self._domain.key})")
        stored = self._domain.value.stored(value, self._mutations, f"[{shown_value(key)}]")
        if self._mutations is not None:
            self._mutations.count += 1
        self._values[key] = stored

    def __iter__(self) -> Iterator[K]:
        return iter(self._values)

    def __reversed__(self) -> Iterator[K]:
        return iter(list(self._values)[::-1])

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def keys(self) -> Iterable[K]:
        """The keys, in canonical order."""
        return list(self._values)

    def values(self) -> Iterable[V]:
        """The values, in the order of their keys."""
        return list(self._values.values())

    def items(self) -> Iterable[tuple[K, V]]:
        """Keys and values, in the order of the keys."""
        return list(self._values.items())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Map):
            return self._values == other._values
        if isinstance(other, Mapping):
            return self._values == dict(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # how Python says that nothing of it can be hashed

    def __repr__(self) -> str:
        return repr(self._values)


class Log(Generic[T]):
    """A bounded sequence with an end: append at the end, truncate to a length, read any entry before the end."""

    __slots__ = ("_domain", "_entries", "_mutations")

    if TYPE_CHECKING:

        def __get__(self, state: object, owner: type | None = None) -> Self: ...
        def __set__(self, state: object, value: Log[T] | list[T] | tuple[T, ...]) -> None: ...

    def __init__(self, domain: StoresSequence, entries: list[Any], mutations: Mutations | None) -> None:
        self._domain = domain
        self._entries: list[T] = entries
        self._mutations = mutations

    def _entry_index(self, index: object) -> int:
        if isinstance(index, bool) or not isinstance(index, int):
            raise EvaluationError(f"{shown_value(index)} is not an offset")
        if not 0 <= index < len(self._entries):
            raise EvaluationError(f"offset {index} is outside the log, which ends at {len(self._entries)}")
        return index

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: int | slice) -> T | list[T]:
        return self._entries[index] if isinstance(index, slice) else self._entries[self._entry_index(index)]

    def index(self, entry: T, *limits: int) -> int:
        """Where `entry` stands first, between two limits as of a list. It must be there."""
        return self._entries.index(entry, *limits)

    def count(self, entry: T) -> int:
        """How often `entry` stands there."""
        return self._entries.count(entry)

    def __setitem__(self, index: int, entry: T) -> None:
        at, stored = self._entry_index(index), self._domain.stored_entry(entry)
        self._count()
        self._entries[at] = stored

    def _count(self) -> None:
        if self._mutations is not None:
            self._mutations.count += 1

    def append(self, entry: T) -> None:
        """Write `entry` at the end. The log must not be full."""
        if len(self._entries) >= self._domain.capacity:
            raise EvaluationError(f"append to a full log ({self._domain.capacity} entries)")
        stored = self._domain.stored_entry(entry)
        self._count()
        self._entries.append(stored)

    def truncate(self, length: int) -> None:
        """Keep the first `length` entries. The log must have that many."""
        if isinstance(length, bool) or not isinstance(length, int) or not 0 <= length <= len(self._entries):
            raise EvaluationError(f"truncate to {shown_value(length)}, but the log ends at {len(self._entries)}")
        self._count()
        del self._entries[length:]

    @property
    def first(self) -> T:
        """The first entry. The log must not be empty."""
        if not self._entries:
            raise EvaluationError("the first entry of an empty log")
        return self._entries[0]

    @property
    def last(self) -> T:
        """The last entry. The log must not be empty."""
        if not self._entries:
            raise EvaluationError("the last entry of an empty log")
        return self._entries[-1]

    def __add__(self, other: Log[T] | list[T]) -> list[T]:
        """The entries of both, as a list. `+=` of a variable stores it there."""
        return self._entries + _listed(other) if isinstance(other, Log | list) else NotImplemented

    def __radd__(self, other: list[T]) -> list[T]:
        return _listed(other) + self._entries if isinstance(other, Log | list) else NotImplemented

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[T]:
        return iter(tuple(self._entries))

    def __reversed__(self) -> Iterator[T]:
        return iter(self._entries[::-1])

    def __contains__(self, entry: object) -> bool:
        return entry in self._entries

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Log):
            return self._entries == other._entries
        if isinstance(other, list | tuple):
            return self._entries == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # how Python says that nothing of it can be hashed

    def __repr__(self) -> str:
        return repr(self._entries)


def _listed(entries: Log[T] | list[T]) -> list[T]:
    return entries._entries if isinstance(entries, Log) else entries
