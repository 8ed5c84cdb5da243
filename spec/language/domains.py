"""Domains: the finite, typed sets that state variables and parameters take their values from, for given bounds.

Every domain lays its values out as a fixed number of *leaves*, each a small code from 0. A value has one canonical
form: unused log slots and absent optional records have code 0 throughout. The state of a protocol is the concatenation
of its variables' leaves, the same for every engine.
"""

from __future__ import annotations

import enum
import itertools
import math
import operator
import string
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .errors import EvaluationError, LanguageError, require_printable, shown_count, shown_value
from .functions import class_line
from .values import CHOSEN, FROZEN, Identifier, Log, Map, Mutations, Set, Struct, refuse_overridden

# -- kept values ------------------------------------------------------------------------------------------------------
# Values that nobody can change, kept for all states that have them: most of what a state is read into is the same.

MOST = 1 << 16
"""How many are kept: after so many all are forgotten."""


class KeptValues:
    """The values that a domain has read, by their codes."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}

    def one(self, code: int, read: Callable[[int], Any]) -> Any:
        """The value with a code."""
        found = self._kept.get(code)
        return self._keep(code, read(code)) if found is None else found

    def several(self, codes: Sequence[int], at: int, leaves: int, read: Callable[[Sequence[int], int], Any]) -> Any:
        """What so many leaves from a place on are read into. The caller copies the container, and shares the rest."""
        of = tuple(codes[at : at + leaves])
        found = self._kept.get(of)
        return self._keep(of, read(codes, at)) if found is None else found

    def _keep(self, of: Hashable, found: Any) -> Any:
        if len(self._kept) >= MOST:
            self._kept.clear()
        self._kept[of] = found
        return found


# -- scalars ----------------------------------------------------------------------------------------------------------
# What a domain is, and the scalar domains: those whose values are stored as one small code.

SET_LIMIT = 64
INTEGER_LIMIT = 1 << 64
IDENTIFIER_LIMIT = 4096


@dataclass(frozen=True)
class Leaf:
    """One stored code: the path inside its variable, and the scalar domain that gives the code its meaning."""

    path: str
    domain: Scalar


class Domain(ABC):
    """A finite set of values with one canonical encoding as leaves."""

    @property
    @abstractmethod
    def leaves(self) -> tuple[Leaf, ...]:
        """The leaves of a value, in order."""

    @cached_property
    def leaf_count(self) -> int:
        """How many leaves a value has."""
        return len(self.leaves)

    @abstractmethod
    def stored(self, value: Any, mutations: Mutations | None, where: str = "") -> Any:
        """A canonical, independent copy of `value`. Raises EvaluationError if it is not in the domain."""

    @abstractmethod
    def flatten(self, value: Any, into: list[int]) -> None:
        """Append the codes of the leaves of a stored `value`."""

    def codes_of(self, value: Any) -> tuple[int, ...]:
        """The codes of the leaves of a stored `value`."""
        codes: list[int] = []
        self.flatten(value, codes)
        return tuple(codes)

    @abstractmethod
    def unflatten(self, codes: Sequence[int], at: int, mutations: Mutations | None) -> Any:
        """The value whose codes begin at index `at`."""

    @abstractmethod
    def show(self, value: Any) -> str:
        """The value as people read it."""

    can_be_element = False
    """Whether sets may have its values, which are hashed then, and have an order."""

    can_be_stored = True
    """Whether variables, fields and maps may have its values."""

    @property
    @abstractmethod
    def cardinality(self) -> int:
        """How many values there are."""

    @abstractmethod
    def values(self) -> Iterator[Any]:
        """All values in canonical order, of which nobody can change any."""

    @abstractmethod
    def index(self, value: Any) -> int:
        """The position of a value in `values()`. Raises EvaluationError if it is not in the domain."""

    def default(self, mutations: Mutations | None = None) -> Any:
        """The value with code 0 everywhere."""
        return self.unflatten([0] * self.leaf_count, 0, mutations)


class Scalar(Domain):
    """A domain with one leaf: code `i` is the `i`-th value."""

    size: int

    leaf_count = 1
    can_be_element = True

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return (Leaf("", self),)

    @property
    def cardinality(self) -> int:
        return self.size

    @abstractmethod
    def code(self, value: Any) -> int | None:
        """The code of a value, or None if it is not in the domain."""

    @abstractmethod
    def value(self, code: int) -> Any:
        """The value with this code."""

    def values(self) -> Iterator[Any]:
        return (self.value(code) for code in range(self.size))

    def index(self, value: Any) -> int:
        code = self.code(value)
        if code is None:
            raise EvaluationError(f"{shown_value(value)} is not in {self}")
        return code

    def stored(self, value: Any, mutations: Mutations | None, where: str = "") -> Any:
        code = self.code(value)
        if code is None:
            raise EvaluationError(f"{where + ': ' if where else ''}{shown_value(value)} is outside {self}")
        return self.value(code)

    def flatten(self, value: Any, into: list[int]) -> None:
        into.append(self.index(value))

    def unflatten(self, codes: Sequence[int], at: int, mutations: Mutations | None) -> Any:
        return self.value(codes[at])

    def show(self, value: Any) -> str:
        return str(value)


class IntegerDomain(Scalar):
    """The integers from `low` to `high`, both included."""

    def __init__(self, low: int, high: int) -> None:
        if not all(isinstance(limit, int) and not isinstance(limit, bool) for limit in (low, high)):
            raise LanguageError(f"the limits of Integers are whole numbers, not {low!r} and {high!r}")
        if high < low:
            raise LanguageError(f"no integer lies between {low} and {high}")
        self.low, self.high, self.size = low, high, high - low + 1

    def code(self, value: Any) -> int | None:
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            return None
        return value - self.low

    def value(self, code: int) -> int:
        return code + self.low

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


class BooleanDomain(Scalar):
    """False and True."""

    size = 2

    def code(self, value: Any) -> int | None:
        return int(value) if isinstance(value, bool) else None

    def value(self, code: int) -> bool:
        return bool(code)

    def show(self, value: Any) -> str:
        return "true" if value else "false"

    def __str__(self) -> str:
        return "booleans"


class IdentifierDomain(Scalar):
    """`size` interchangeable names: a prefix and a number from `first`."""

    def __init__(self, prefix: str, size: int, first: int = 1) -> None:
        if not isinstance(prefix, str) or not isinstance(first, int):
            raise LanguageError(f"Identifiers takes a prefix and the first number, not {prefix!r} and {first!r}")
        if not isinstance(size, int) or not 1 <= size <= IDENTIFIER_LIMIT:
            raise LanguageError(f"{size!r} names {prefix}1, {prefix}2, ...: 1 to {IDENTIFIER_LIMIT:,} are possible")
        require_printable(prefix, "the prefix of Identifiers")
        self.prefix, self.size, self.first = prefix, size, first
        self._members = tuple(Identifier(prefix, i, first) for i in range(size))

    def code(self, value: Any) -> int | None:
        if isinstance(value, Identifier) and value.prefix == self.prefix and value.index < self.size:
            return value.index
        return None

    def value(self, code: int) -> Identifier:
        return self._members[code]

    def __str__(self) -> str:
        return f"{self._members[0]}..{self._members[-1]}" if self.size > 1 else str(self._members[0])


class EnumDomain(Scalar):
    """The members of an `enum.Enum`, in the order of their definition."""

    def __init__(self, type: type[enum.Enum]) -> None:
        plain = all(base is object or issubclass(base, enum.Enum) for base in type.__mro__)
        if not plain or issubclass(type, enum.Flag):
            raise LanguageError(
                f"{type.__name__} mixes an enumeration with another type, whose values it would equal",
                advice="Derive it from enum.Enum alone.",
            )
        refuse_overridden(type, enum.Enum, "enumeration")
        self.type = type
        self._members = list(type)
        self._codes = {member._name_: code for code, member in enumerate(self._members)}
        self.size = len(self._members)
        if not self.size:
            raise LanguageError(f"{type.__name__} has no members")
        for name in type.__members__:
            require_printable(name, f"the name of a member of {type.__name__}")

    def code(self, value: Any) -> int | None:
        return self._codes[value._name_] if isinstance(value, self.type) else None

    def value(self, code: int) -> enum.Enum:
        return self._members[code]

    def show(self, value: Any) -> str:
        return str(value.name).lower().replace("_", "-")

    def __str__(self) -> str:
        return self.type.__name__


class OptionalScalar(Scalar):
    """A scalar or none; none has code 0."""

    def __init__(self, element: Scalar) -> None:
        self.element = element
        self.size = element.size + 1

    def code(self, value: Any) -> int | None:
        if value is None:
            return 0
        code = self.element.code(value)
        return None if code is None else code + 1

    def value(self, code: int) -> Any:
        return None if code == 0 else self.element.value(code - 1)

    def show(self, value: Any) -> str:
        return "-" if value is None else self.element.show(value)

    def __str__(self) -> str:
        return f"{self.element} or none"


class SetDomain(Scalar):
    """The subsets of a domain of at most 64 values; the code is a bit mask by position."""

    def __init__(self, element: Domain) -> None:
        self.element = element
        if not element.can_be_element:
            raise LanguageError(
                f"a set cannot have {element} as elements",
                advice="Elements are scalars and records of scalars; of anything else there can be a Log.",
            )
        if element.cardinality > SET_LIMIT:
            many = shown_count(element.cardinality)
            raise LanguageError(
                f"a set over {element} has {many} possible elements; at most {SET_LIMIT} fit",
                advice="Use smaller bounds, or a map from part of the element to a set of the rest.",
            )
        self.universe = tuple(element.values())
        self.size = 1 << len(self.universe)
        self._kept = KeptValues()

    def code(self, value: Any) -> int | None:
        if not isinstance(value, frozenset | set):
            return None
        mask = 0
        for element in value:
            try:
                mask |= 1 << self.element.index(element)
            except (EvaluationError, LanguageError):
                return None
        return mask

    def value(self, code: int) -> Set[Any]:
        found: Set[Any] = self._kept.one(code, self._of)
        return found

    def _of(self, code: int) -> Set[Any]:
        return Set(v for i, v in enumerate(self.universe) if code >> i & 1)

    def show(self, value: Any) -> str:
        return "{" + ", ".join(self.element.show(v) for v in value) + "}"

    def __str__(self) -> str:
        return f"sets of {self.element}"


CAPACITY_LIMIT = KEY_LIMIT = 4096


class StructDomain(Domain):
    """Records of one `Struct` class, field by field."""

    def __init__(self, type: type[Struct], field_domains: Mapping[str, Domain]) -> None:
        if not field_domains:
            raise LanguageError(f"{type.__name__} has no fields")
        if set(field_domains) == {"tag", "value"}:
            raise LanguageError(
                f"{type.__name__} has exactly the fields tag and value, which trace formats read as a variant",
                advice="Rename one of the fields.",
            )
        self.type = type
        self.field_domains = dict(field_domains)
        self.is_flat = all(isinstance(domain, Scalar) for domain in self.field_domains.values())
        self.can_be_element = all(domain.can_be_element for domain in self.field_domains.values())
        self._kept = KeptValues()
        if type.text_format is not None:
            _check_text(type, type.text_format)

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(Leaf(f".{n}{leaf.path}", leaf.domain) for n, d in self.field_domains.items() for leaf in d.leaves)

    @cached_property
    def leaf_count(self) -> int:
        return sum(domain.leaf_count for domain in self.field_domains.values())

    @cached_property
    def offsets(self) -> dict[str, int]:
        """The index of the first leaf of each field."""
        ends = itertools.accumulate((d.leaf_count for d in self.field_domains.values()), initial=0)
        return dict(zip(self.field_domains, ends, strict=False))

    def stored(self, value: Any, mutations: Mutations | None, where: str = "") -> Any:
        if not isinstance(value, self.type):
            raise EvaluationError(f"{where + ': ' if where else ''}{shown_value(value)} is not a {self.type.__name__}")
        copies = {n: d.stored(value.__dict__[n], mutations, n) for n, d in self.field_domains.items()}
        return self._make(copies, mutations)

    def _make(self, values: dict[str, Any], mutations: Mutations | None, frozen: bool = False) -> Any:
        made = self.type.__new__(self.type)
        made.__dict__.update(values, _domain=self, _mutations=mutations, _frozen=frozen)
        return made

    def flatten(self, value: Any, into: list[int]) -> None:
        for name, domain in self.field_domains.items():
            domain.flatten(value.__dict__[name], into)

    def unflatten(self, codes: Sequence[int], at: int, mutations: Mutations | None) -> Any:
        if self.is_flat:
            values = self._kept.several(codes, at, self.leaf_count, self._values)
        else:
            values = self._values(codes, at, mutations)
        return self._make(values, mutations)

    def _values(self, codes: Sequence[int], at: int, mutations: Mutations | None = None) -> dict[str, Any]:
        offsets = self.offsets
        return {n: d.unflatten(codes, at + offsets[n], mutations) for n, d in self.field_domains.items()}

    def frozen_copy(self, value: Any) -> Any:
        """A copy of which nothing can be changed."""
        copy = self.stored(value, FROZEN)
        copy.__dict__["_frozen"] = True
        return copy

    def show(self, value: Any) -> str:
        shown = {n: d.show(value.__dict__[n]) for n, d in self.field_domains.items()}
        if self.type.text_format is not None:
            return self.type.text_format.format(**shown)
        return "(" + ", ".join(f"{n} {v}" for n, v in shown.items()) + ")"

    @cached_property
    def cardinality(self) -> int:
        return math.prod(domain.cardinality for domain in self.field_domains.values())

    def values(self) -> Iterator[Any]:
        names = list(self.field_domains)
        for chosen in itertools.product(*(d.values() for d in self.field_domains.values())):
            yield self._make(dict(zip(names, chosen, strict=True)), None, frozen=True)

    def index(self, value: Any) -> int:
        if type(value) is not self.type:  # a record of a derived class equals none of this one
            raise EvaluationError(f"{shown_value(value)} is not a {self.type.__name__}")
        total = 0
        for name, domain in self.field_domains.items():
            total = total * domain.cardinality + domain.index(value.__dict__[name])
        return total

    def __str__(self) -> str:
        return self.type.__name__


def _check_text(type: type[Struct], text: object) -> None:
    """Raise LanguageError if the text of a record shows something else than its fields."""
    try:
        if not isinstance(text, str):
            raise ValueError(f"it is no text, but {text.__class__.__name__}")
        for _, name, form, conversion in string.Formatter().parse(text):
            if name is not None and (name not in type.fields or form or conversion):
                raise ValueError(f"{{{name}}} is no field" if name not in type.fields else f"{name} has a format")
    except ValueError as error:
        raise LanguageError(
            f"the text of {type.__name__} cannot be filled in: {error}",
            class_line(type),
            f"In braces may stand only its fields: {', '.join(type.fields)}. A brace itself is written twice.",
        ) from error


class UnionDomain(Domain):
    """Records of one of several classes, by the names of the classes: elements of sets, and parameters.

    Its leaves tell the class, and then have the leaves of each; those of the other classes are 0.
    """

    can_be_element = True
    can_be_stored = False

    def __init__(self, kinds: Iterable[StructDomain]) -> None:
        by_name = {one.type.__name__: one for one in kinds}
        self.kinds = tuple(by_name[name] for name in sorted(by_name))
        for one in self.kinds:
            if not one.can_be_element:
                raise LanguageError(
                    f"{one} has maps or logs in it, and is one of several kinds of records",
                    advice="Elements of sets, and parameters of several kinds, are records of scalars.",
                )
        self._tag = IntegerDomain(0, len(self.kinds) - 1)

    def kind_of(self, type: type) -> tuple[int, StructDomain] | None:
        """The domain of the records of a class, and the position of the first of them; None of another class."""
        first = 0
        for kind in self.kinds:
            if kind.type is type:
                return first, kind
            first += kind.cardinality
        return None

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        parts = (Leaf(f".{kind}{leaf.path}", leaf.domain) for kind in self.kinds for leaf in kind.leaves)
        return (Leaf(".kind", self._tag), *parts)

    def stored(self, value: Any, mutations: Mutations | None, where: str = "") -> Any:
        found = self.kind_of(type(value))
        if found is None:
            raise EvaluationError(f"{where + ': ' if where else ''}{shown_value(value)} is not a {self}")
        return found[1].stored(value, mutations, where)

    def flatten(self, value: Any, into: list[int]) -> None:
        into.append(next(number for number, kind in enumerate(self.kinds) if kind.type is type(value)))
        for kind in self.kinds:
            if kind.type is type(value):
                kind.flatten(value, into)
            else:
                into.extend([0] * kind.leaf_count)

    def unflatten(self, codes: Sequence[int], at: int, mutations: Mutations | None) -> Any:
        before = sum(kind.leaf_count for kind in self.kinds[: codes[at]])
        return self.kinds[codes[at]].unflatten(codes, at + 1 + before, mutations)

    def show(self, value: Any) -> str:
        kind = next(one for one in self.kinds if one.type is type(value))
        text = kind.show(value)
        return text if kind.type.text_format is not None else f"{kind}{text}"

    @cached_property
    def cardinality(self) -> int:
        return sum(kind.cardinality for kind in self.kinds)

    def values(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(kind.values() for kind in self.kinds)

    def index(self, value: Any) -> int:
        found = self.kind_of(type(value))
        if found is None:
            raise EvaluationError(f"{shown_value(value)} is not a {self}")
        return found[0] + found[1].index(value)

    def __str__(self) -> str:
        return " or ".join(map(str, self.kinds))


class OptionalStruct(Domain):
    """A record or none: a presence leaf, then the record's leaves, all 0 when absent."""

    def __init__(self, element: StructDomain) -> None:
        self.element = element

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        return (Leaf(".present", BooleanDomain()), *self.element.leaves)

    @cached_property
    def leaf_count(self) -> int:
        return 1 + self.element.leaf_count

    def stored(self, value: Any, mutations: Mutations | None, where: str = "") -> Any:
        return None if value is None else self.element.stored(value, mutations, where)

    def flatten(self, value: Any, into: list[int]) -> None:
        if value is None:
            into.extend([0] * self.leaf_count)
        else:
            into.append(1)
            self.element.flatten(value, into)

    def unflatten(self, codes: Sequence[int], at: int, mutations: Mutations | None) -> Any:
        return self.element.unflatten(codes, at + 1, mutations) if codes[at] else None

    def show(self, value: Any) -> str:
        return "-" if value is None else self.element.show(value)

    @property
    def cardinality(self) -> int:
        return 1 + self.element.cardinality

    def values(self) -> Iterator[Any]:
        return itertools.chain((None,), self.element.values())

    def index(self, value: Any) -> int:
        return 0 if value is None else 1 + self.element.index(value)

    def __str__(self) -> str:
        return f"{self.element} or none"


class MapDomain(Domain):
    """A total map from a scalar domain."""

    def __init__(self, key: Scalar, value: Domain) -> None:
        if key.cardinality > KEY_LIMIT:
            raise LanguageError(
                f"a map over {key} has {key.cardinality:,} keys; at most {KEY_LIMIT:,} are possible",
                advice="Use smaller bounds, or a log of the entries that differ.",
            )
        self.key = key
        self.value = value
        self.keys = tuple(key.values())
        self._kept = KeptValues()

    @cached_property
    def leaf_count(self) -> int:
        return len(self.keys) * self.value.leaf_count

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(
            Leaf(f"[{self.key.show(k)}]{leaf.path}", leaf.domain) for k in self.keys for leaf in self.value.leaves
        )

    def stored(self, value: Any, mutations: Mutations | None, where: str = "") -> Any:
        entries: dict[Any, Any] = dict(value.items()) if isinstance(value, Map | Mapping) else {}
        if set(entries) != set(self.keys):
            raise EvaluationError(
                f"{where + ': ' if where else ''}{shown_value(value)} does not map exactly {self.key}"
            )
        return Map(self, {k: self.value.stored(entries[k], mutations, f"[{k!r}]") for k in self.keys}, mutations)

    def flatten(self, value: Any, into: list[int]) -> None:
        for key in self.keys:
            self.value.flatten(value[key], into)

    def unflatten(self, codes: Sequence[int], at: int, mutations: Mutations | None) -> Any:
        if isinstance(self.value, Scalar):
            return Map(self, dict(self._kept.several(codes, at, self.leaf_count, self._values)), mutations)
        return Map(self, self._values(codes, at, mutations), mutations)

    def _values(self, codes: Sequence[int], at: int, mutations: Mutations | None = None) -> dict[Any, Any]:
        step = self.value.leaf_count
        return {k: self.value.unflatten(codes, at + i * step, mutations) for i, k in enumerate(self.keys)}

    def show(self, value: Any) -> str:
        return "[" + ", ".join(f"{self.key.show(k)}: {self.value.show(value[k])}" for k in self.keys) + "]"

    @cached_property
    def cardinality(self) -> int:
        return math.prod(itertools.repeat(self.value.cardinality, len(self.keys)))

    def values(self) -> Iterator[Any]:
        for chosen in itertools.product(self.value.values(), repeat=len(self.keys)):
            yield Map(self, dict(zip(self.keys, chosen, strict=True)), CHOSEN)

    def index(self, value: Any) -> int:
        if not isinstance(value, Map | Mapping) or set(value.keys()) != set(self.keys):
            raise EvaluationError(f"{shown_value(value)} does not map exactly {self.key}")
        total = 0
        for key in self.keys:
            total = total * self.value.cardinality + self.value.index(value[key])
        return total

    def __str__(self) -> str:
        return f"maps from {self.key} to {self.value}"


class LogDomain(Domain):
    """Sequences of at most `capacity` entries: a length leaf, then the slots, 0 beyond the end."""

    def __init__(self, entry: Domain, capacity: int) -> None:
        if not isinstance(capacity, int) or not 1 <= capacity <= CAPACITY_LIMIT:
            raise LanguageError(f"a log has room for 1 to {CAPACITY_LIMIT:,} entries, not {capacity!r}")
        if not isinstance(entry, Scalar | StructDomain):
            raise LanguageError(f"the entries of a log are scalars or records, not {entry}")
        self.entry = entry
        self.capacity = capacity
        self.length = IntegerDomain(0, capacity)
        self._is_fixed = not isinstance(entry, StructDomain) or entry.is_flat
        self._kept = KeptValues()

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        slots = (Leaf(f"[{i}]{leaf.path}", leaf.domain) for i in range(self.capacity) for leaf in self.entry.leaves)
        return (Leaf(".end", self.length), *slots)

    @cached_property
    def leaf_count(self) -> int:
        return 1 + self.capacity * self.entry.leaf_count

    def stored_entry(self, entry: Any) -> Any:
        """A canonical copy of an entry that cannot be changed in place."""
        if isinstance(self.entry, StructDomain):
            return self.entry.frozen_copy(entry)
        return self.entry.stored(entry, None)

    def stored(self, value: Any, mutations: Mutations | None, where: str = "") -> Any:
        if not isinstance(value, Log | list | tuple):
            raise EvaluationError(f"{where + ': ' if where else ''}{shown_value(value)} is not a log")
        if len(value) > self.capacity:
            raise EvaluationError(f"{where + ': ' if where else ''}{len(value)} entries in a log of {self.capacity}")
        return Log(self, [self.stored_entry(entry) for entry in value], mutations)

    def flatten(self, value: Any, into: list[int]) -> None:
        into.append(len(value))
        for entry in value:
            self.entry.flatten(entry, into)
        into.extend([0] * ((self.capacity - len(value)) * self.entry.leaf_count))

    def unflatten(self, codes: Sequence[int], at: int, mutations: Mutations | None) -> Any:
        if not self._is_fixed:
            return Log(self, self._entries(codes, at), mutations)
        leaves = 1 + codes[at] * self.entry.leaf_count
        return Log(self, list(self._kept.several(codes, at, leaves, self._entries)), mutations)

    def _entries(self, codes: Sequence[int], at: int) -> list[Any]:
        step = self.entry.leaf_count
        entries = [self.entry.unflatten(codes, at + 1 + i * step, FROZEN) for i in range(codes[at])]
        for entry in entries:
            if isinstance(entry, Struct):
                entry.__dict__["_frozen"] = True
        return entries

    def show(self, value: Any) -> str:
        return "[" + ", ".join(self.entry.show(e) for e in value) + "]"

    @cached_property
    def cardinality(self) -> int:
        return self.shorter_than(self.capacity + 1)

    def shorter_than(self, length: int) -> int:
        """How many values there are with fewer entries."""
        powers = itertools.accumulate(itertools.repeat(self.entry.cardinality), operator.mul, initial=1)
        return sum(itertools.islice(powers, length))

    def values(self) -> Iterator[Any]:
        for length in range(self.capacity + 1):
            for entries in itertools.product(self.entry.values(), repeat=length):
                yield Log(self, list(entries), CHOSEN)

    def index(self, value: Any) -> int:
        if not isinstance(value, Log | list | tuple) or len(value) > self.capacity:
            raise EvaluationError(f"{shown_value(value)} is not in {self}")
        total = 0
        for entry in value:
            total = total * self.entry.cardinality + self.entry.index(entry)
        return self.shorter_than(len(value)) + total

    def __str__(self) -> str:
        return f"logs of at most {self.capacity} {self.entry}"
