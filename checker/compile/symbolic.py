"""Symbolic values: what the variables of a rule hold while it is read. They support the operators of the language.

A value that is already known is an ordinary Python value, never one of these.
"""

from __future__ import annotations

from typing import Any, NoReturn

from spec.language import Struct
from spec.language.domains import Domain, OptionalScalar, Scalar, SetDomain

from .execution import Execution
from .expression import Expression


class Symbolic:
    """A value that depends on the state."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, execution: Execution) -> None:
        self._execution = execution

    def __bool__(self) -> bool:
        raise self._execution.error(
            "Python asked for the truth of a value that depends on the state",
            "Use if, and, or, not, all, any or comparisons of the language directly on it.",
        )

    def __eq__(self, other: object) -> Any:
        from .equality import equal

        return truth_value(self._execution, equal(self._execution, self, other))

    def __ne__(self, other: object) -> Any:
        from .equality import equal

        return truth_value(self._execution, self._execution.graph.not_(equal(self._execution, self, other)))

    def __iter__(self) -> NoReturn:
        raise self._execution.error(
            "this use iterates over a value that depends on the state",
            "Use a for loop, a comprehension, all, any, min, max, sum or len.",
        )

    def _refuse(self, other: object = None) -> NoReturn:
        raise self._execution.error(f"this operator is not defined for {self._kind}")

    def __index__(self) -> NoReturn:
        raise self._execution.error(
            "a Python list or range cannot be indexed or sized by a value that depends on the state",
            "Use a Map or a Log of the state, or a conditional expression.",
        )

    @property
    def _kind(self) -> str:
        """What the value is, for messages."""
        return type(self).__name__

    __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __sub__ = __mul__ = __floordiv__ = __mod__ = __truediv__ = __pow__ = _refuse
    __radd__ = __rsub__ = __rmul__ = __rfloordiv__ = __rmod__ = __rtruediv__ = _refuse
    __neg__ = __invert__ = __abs__ = __int__ = __len__ = _refuse  # type: ignore[assignment]
    __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = _refuse


class SymBool(Symbolic):
    """A truth value that depends on the state."""

    _kind = "a truth value"

    def __init__(self, execution: Execution, expression: Expression) -> None:
        super().__init__(execution)
        self.expression = expression

    def _operator(self, other: object) -> NoReturn:
        raise self._execution.error(
            "& and | bind tighter than comparisons and are not connectives here", "Write and, or, not."
        )

    __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = _operator


class SymInt(Symbolic):
    """An integer that depends on the state."""

    _kind = "an integer"

    def __init__(self, execution: Execution, expression: Expression) -> None:
        super().__init__(execution)
        self.expression = expression

    def _with(self, other: object) -> Expression | None:
        return as_int(self._execution, other)

    def __add__(self, other: object) -> Any:
        b = self._with(other)
        return NotImplemented if b is None else int_value(self._execution, self._execution.graph.add(self.expression, b))

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        b = self._with(other)
        return NotImplemented if b is None else int_value(self._execution, self._execution.graph.sub(self.expression, b))

    def __rsub__(self, other: object) -> Any:
        a = self._with(other)
        return NotImplemented if a is None else int_value(self._execution, self._execution.graph.sub(a, self.expression))

    def __mul__(self, other: object) -> Any:
        b = self._with(other)
        return NotImplemented if b is None else int_value(self._execution, self._execution.graph.mul(self.expression, b))

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        graph = self._execution.graph
        return int_value(self._execution, graph.sub(graph.integer(0), self.expression))

    def __abs__(self) -> Any:
        graph = self._execution.graph
        return int_value(
            self._execution, graph.max(self.expression, graph.sub(graph.integer(0), self.expression))
        )

    def _divisor(self, other: object) -> int:
        if isinstance(other, int) and not isinstance(other, bool) and other > 0:
            return other
        raise self._execution.error("// and % need a positive constant on the right")

    def __floordiv__(self, other: object) -> Any:
        return int_value(self._execution, self._execution.graph.floordiv(self.expression, self._divisor(other)))

    def __mod__(self, other: object) -> Any:
        return int_value(self._execution, self._execution.graph.mod(self.expression, self._divisor(other)))

    def _less(self, a: Expression | None, b: Expression | None) -> Any:
        if a is None or b is None:
            return NotImplemented
        return truth_value(self._execution, self._execution.graph.lt(a, b))

    def _less_or_equal(self, a: Expression | None, b: Expression | None) -> Any:
        if a is None or b is None:
            return NotImplemented
        return truth_value(self._execution, self._execution.graph.le(a, b))

    def __lt__(self, other: object) -> Any:  # type: ignore[override]
        return self._less(self.expression, self._with(other))

    def __gt__(self, other: object) -> Any:  # type: ignore[override]
        return self._less(self._with(other), self.expression)

    def __le__(self, other: object) -> Any:  # type: ignore[override]
        return self._less_or_equal(self.expression, self._with(other))

    def __ge__(self, other: object) -> Any:  # type: ignore[override]
        return self._less_or_equal(self._with(other), self.expression)


class SymScalar(Symbolic):
    """An identifier or enumeration member that depends on the state; `expression` is its code."""

    def __init__(self, execution: Execution, expression: Expression, domain: Scalar) -> None:
        super().__init__(execution)
        self.expression = expression
        self.domain = domain

    @property
    def _kind(self) -> str:
        return f"a value of {self.domain}"


class SymOptional(Symbolic):
    """A scalar or none; used where a value is needed, it must not be none."""

    def __init__(self, execution: Execution, expression: Expression, domain: OptionalScalar) -> None:
        super().__init__(execution)
        self.expression = expression
        self.domain = domain

    @property
    def _kind(self) -> str:
        return f"a value of {self.domain}"

    def is_none(self) -> Expression:
        """Whether there is no value."""
        graph = self._execution.graph
        return graph.eq(self.expression, graph.integer(0))

    def element(self) -> Any:
        """The value, without a check that there is one."""
        from .codec import decode

        graph = self._execution.graph
        if self.domain.element.size == 1:
            return self.domain.element.value(0)
        return decode(self._execution, self.domain.element, graph.offset(self.expression, -1))

    def required(self) -> Any:
        """The value, which must exist: evaluation fails otherwise."""
        self._execution.fail_if(self.is_none(), "none is used as a value")
        return self.element()

    def _arithmetic(self, name: str, other: object) -> Any:
        value = self.required()
        return getattr(value, name)(other)

    def __add__(self, other: object) -> Any:
        return self._arithmetic("__add__", other)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self._arithmetic("__sub__", other)

    def __rsub__(self, other: object) -> Any:
        return self._arithmetic("__rsub__", other)

    def __lt__(self, other: object) -> Any:  # type: ignore[override]
        return self._arithmetic("__lt__", other)

    def __le__(self, other: object) -> Any:  # type: ignore[override]
        return self._arithmetic("__le__", other)

    def __gt__(self, other: object) -> Any:  # type: ignore[override]
        return self._arithmetic("__gt__", other)

    def __ge__(self, other: object) -> Any:  # type: ignore[override]
        return self._arithmetic("__ge__", other)


class SymSet(Symbolic):
    """A set that depends on the state, over the universe of its domain."""

    _kind = "a set"

    def __init__(self, execution: Execution, expression: Expression, domain: SetDomain) -> None:
        super().__init__(execution)
        self.expression = expression
        self.domain = domain

    def _operand(self, other: object) -> Expression:
        from .codec import encode

        return encode(self._execution, self.domain, other)

    def _made(self, expression: Expression) -> Any:
        from .codec import decode

        return decode(self._execution, self.domain, expression)

    def __or__(self, other: object) -> Any:  # type: ignore[override]
        return self._made(self._execution.graph.union(self.expression, self._operand(other)))

    __ror__ = __or__

    def __and__(self, other: object) -> Any:  # type: ignore[override]
        return self._made(self._execution.graph.intersection(self.expression, self._operand(other)))

    __rand__ = __and__

    def __sub__(self, other: object) -> Any:  # type: ignore[override]
        return self._made(self._execution.graph.difference(self.expression, self._operand(other)))

    def __rsub__(self, other: object) -> Any:  # type: ignore[override]
        return self._made(self._execution.graph.difference(self._operand(other), self.expression))

    def __le__(self, other: object) -> Any:  # type: ignore[override]
        return truth_value(self._execution, self._execution.graph.subset(self.expression, self._operand(other)))

    def __ge__(self, other: object) -> Any:  # type: ignore[override]
        return truth_value(self._execution, self._execution.graph.subset(self._operand(other), self.expression))

    def __lt__(self, other: object) -> Any:  # type: ignore[override]
        graph, b = self._execution.graph, self._operand(other)
        smaller = graph.and_(graph.subset(self.expression, b), graph.not_(graph.eq(self.expression, b)))
        return truth_value(self._execution, smaller)

    def __gt__(self, other: object) -> Any:  # type: ignore[override]
        graph, b = self._execution.graph, self._operand(other)
        greater = graph.and_(graph.subset(b, self.expression), graph.not_(graph.eq(self.expression, b)))
        return truth_value(self._execution, greater)

    union = __or__
    intersection = __and__
    difference = __sub__
    issubset = __le__
    issuperset = __ge__

    def isdisjoint(self, other: object) -> Any:
        """Whether the sets have no common member."""
        graph = self._execution.graph
        common = graph.intersection(self.expression, self._operand(other))
        return truth_value(self._execution, graph.eq(common, graph.mask(0)))


class LooseSet(Symbolic):
    """A set display or comprehension whose elements depend on the state and whose universe is not known yet."""

    _kind = "a set"

    def __init__(self, execution: Execution, elements: list[tuple[Expression, Any]]) -> None:
        super().__init__(execution)
        self.elements = elements

    def over(self, domain: Domain) -> SymSet:
        """The same set over the universe of a set domain."""
        from .codec import encode

        assert isinstance(domain, SetDomain)
        return SymSet(self._execution, encode(self._execution, domain, self), domain)

    def _settled(self) -> SymSet:
        from .codec import universe_of

        return self.over(universe_of(self._execution, self))

    def __or__(self, other: object) -> Any:  # type: ignore[override]
        return other | self if isinstance(other, SymSet) else self._settled() | other

    def __and__(self, other: object) -> Any:  # type: ignore[override]
        return other & self if isinstance(other, SymSet) else self._settled() & other

    def __sub__(self, other: object) -> Any:  # type: ignore[override]
        return self.over(other.domain) - other if isinstance(other, SymSet) else self._settled() - other

    def __rsub__(self, other: object) -> Any:  # type: ignore[override]
        return other - self._settled()

    __ror__ = __or__
    __rand__ = __and__

    def __le__(self, other: object) -> Any:  # type: ignore[override]
        return self._settled() <= other

    def __ge__(self, other: object) -> Any:  # type: ignore[override]
        return self._settled() >= other

    def __lt__(self, other: object) -> Any:  # type: ignore[override]
        return self._settled() < other

    def __gt__(self, other: object) -> Any:  # type: ignore[override]
        return self._settled() > other

    def settled(self) -> SymSet:
        """The same set over the smallest universe that holds its possible elements."""
        return self._settled()


class SymStruct(Symbolic):
    """A record whose fields depend on the state: a snapshot, not a place that can be assigned."""

    def __init__(self, execution: Execution, type: type[Struct], fields: dict[str, Any]) -> None:
        self.__dict__.update(_execution=execution, _type=type, _values=fields)

    @property
    def _kind(self) -> str:
        return f"a {self._type.__name__}"

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__["_values"]
        if name not in values:
            raise self._execution.error(f"{self._type.__name__} has no field {name!r}; it has {', '.join(values)}")
        return values[name]

    def __setattr__(self, name: str, value: object) -> None:
        raise self._execution.error(
            f"this {self._type.__name__} is a value, not a place in the state, and cannot be changed in place",
            "Write the whole record to its place.",
        )


class SymMaybeStruct(Symbolic):
    """A record or none: a snapshot with the condition under which there is a record."""

    def __init__(self, execution: Execution, present: Expression, record: SymStruct) -> None:
        self.__dict__.update(_execution=execution, _present=present, _record=record)

    @property
    def _kind(self) -> str:
        return f"a {self._record._type.__name__} or none"

    def __getattr__(self, name: str) -> Any:
        execution: Execution = self.__dict__["_execution"]
        execution.fail_if(execution.graph.not_(self.__dict__["_present"]), "none is used as a record")
        return getattr(self.__dict__["_record"], name)

    def __setattr__(self, name: str, value: object) -> None:
        raise self._execution.error("an optional record read into a variable cannot be changed in place")


def truth_value(execution: Execution, expression: Expression) -> Any:
    """A boolean expression as a value: an ordinary bool if it is known."""
    return bool(expression.value) if expression.is_const else SymBool(execution, expression)


def int_value(execution: Execution, expression: Expression) -> Any:
    """An integer expression as a value: an ordinary int if it is known."""
    return expression.value if expression.is_const else SymInt(execution, expression)


def as_int(execution: Execution, value: object) -> Expression | None:
    """The expression of an integer value, or None if it is not an integer."""
    if isinstance(value, bool):
        return execution.graph.integer(int(value))
    if isinstance(value, int):
        return execution.graph.integer(value)
    if isinstance(value, SymInt):
        return value.expression
    if isinstance(value, SymBool):
        return execution.graph.as_integer(value.expression)
    if isinstance(value, SymOptional):
        return as_int(execution, value.required())
    return None
