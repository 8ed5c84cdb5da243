"""What a domain is, and the scalar domains: those whose values are stored as one small code."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .errors import EvaluationError, LanguageError, require_printable, shown_value
from .hooks import refuse_overridden
from .kept_values import KeptValues
from .values import Identifier, Mutations, Set

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

    @abstractmethod
    def unflatten(self, codes: Sequence[int], at: int, mutations: Mutations | None) -> Any:
        """The value whose codes begin at index `at`."""

    @abstractmethod
    def show(self, value: Any) -> str:
        """The value as people read it."""

    @property
    def cardinality(self) -> int:
        """How many values there are, for domains whose values can be enumerated."""
        raise self._not_enumerable()

    def _not_enumerable(self) -> LanguageError:
        return LanguageError(
            f"the values of {self} cannot be enumerated",
            advice="Parameters and set elements must be scalars or records of scalars.",
        )

    def values(self) -> Iterator[Any]:
        """All values in canonical order, for domains whose values can be enumerated."""
        raise self._not_enumerable()

    def index(self, value: Any) -> int:
        """The position of a value in `values()`."""
        raise self._not_enumerable()

    def default(self, mutations: Mutations | None = None) -> Any:
        """The value with code 0 everywhere."""
        return self.unflatten([0] * self.leaf_count, 0, mutations)


class Scalar(Domain):
    """A domain with one leaf: code `i` is the `i`-th value."""

    size: int

    leaf_count = 1

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
        if not all(base is object or issubclass(base, enum.Enum) for base in type.__mro__) or issubclass(
            type, enum.Flag
        ):
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
    """The subsets of an enumerable domain of at most 64 values; the code is a bit mask by position."""

    def __init__(self, element: Domain) -> None:
        self.element = element
        if element.cardinality > SET_LIMIT:
            raise LanguageError(
                f"a set over {element} has {element.cardinality:,} possible elements; at most {SET_LIMIT} fit",
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
