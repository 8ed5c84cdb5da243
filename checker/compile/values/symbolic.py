"""Symbolic values: what the variables of a rule hold while it is read. They support the operators of the language.

A value that is already known is an ordinary Python value, never one of these.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, NoReturn

from epochal.spec.language import Set
from epochal.spec.language.domains import BooleanDomain, OptionalScalar, Scalar, SetDomain

from ...ir.expression import Expression
from ..execution import Execution


class Symbolic:
    """A value that depends on the state.

    `is_record` tells records, in whatever form, from everything else, and `has_fields` also those that may be none.
    `words` are the attributes that a rule can use. What is not `comparable` is used only in the ways that `instead`
    tells.
    """

    is_record = False
    has_fields = False
    words: frozenset[str] = frozenset()
    comparable = True
    instead = ""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution

    def __repr__(self) -> str:
        return f"{self._kind} that depends on the state"

    def __hash__(self) -> int:
        raise self._execution.error(
            "a Python dictionary or set cannot be searched for a value that depends on the state",
            "Use a Map or a Set of the state, or a conditional expression.",
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._execution.error(
            f"{self._kind} has no attribute {name!r}", "Use the operators and functions of the language."
        )

    def __getitem__(self, key: Any) -> Any:
        raise self._execution.error(
            f"{self._kind} that depends on the state cannot be indexed", "Index a Map or a Log of the state."
        )

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

    def _refuse(self, *others: object) -> NoReturn:
        raise self._execution.error(
            f"this operator is not defined for {self._kind}",
            self.instead or "Use integers, or write 1 if ... else 0 for a truth value; compare with == and !=.",
        )

    def __index__(self) -> NoReturn:
        raise self._execution.error(
            "a Python list or range cannot be indexed or sized by a value that depends on the state",
            "Use a Map or a Log of the state, or a conditional expression.",
        )

    @property
    def _kind(self) -> str:
        """What the value is, for messages."""
        return type(self).__name__

    _operator: Any = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _operator
    __add__ = __sub__ = __mul__ = __floordiv__ = __mod__ = __truediv__ = __pow__ = _operator
    __radd__ = __rsub__ = __rmul__ = __rfloordiv__ = __rmod__ = __rtruediv__ = __rpow__ = _operator
    __neg__ = __pos__ = __invert__ = __abs__ = __int__ = __len__ = __call__ = _operator
    __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = _operator
    __lshift__ = __rshift__ = __rlshift__ = __rrshift__ = _operator


class SymBool(Symbolic):
    """A truth value that depends on the state."""

    _kind = "a truth value"

    def __init__(self, execution: Execution, expression: Expression) -> None:
        super().__init__(execution)
        self.expression = expression

    def _connective(self, other: object) -> NoReturn:
        raise self._execution.error(
            "& and | bind tighter than comparisons and are not connectives here", "Write and, or, not."
        )

    __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = _connective


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
        return (
            NotImplemented if b is None else int_value(self._execution, self._execution.graph.add(self.expression, b))
        )

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        b = self._with(other)
        return (
            NotImplemented if b is None else int_value(self._execution, self._execution.graph.sub(self.expression, b))
        )

    def __rsub__(self, other: object) -> Any:
        a = self._with(other)
        return (
            NotImplemented if a is None else int_value(self._execution, self._execution.graph.sub(a, self.expression))
        )

    def __mul__(self, other: object) -> Any:
        b = self._with(other)
        return (
            NotImplemented if b is None else int_value(self._execution, self._execution.graph.mul(self.expression, b))
        )

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        graph = self._execution.graph
        return int_value(self._execution, graph.sub(graph.integer(0), self.expression))

    def __abs__(self) -> Any:
        graph = self._execution.graph
        return int_value(self._execution, graph.max(self.expression, graph.sub(graph.integer(0), self.expression)))

    def _divisor(self, other: object) -> int:
        if isinstance(other, int) and not isinstance(other, bool) and other > 0:
            return other
        raise self._execution.error("// and % need a positive constant on the right", "Divide by a number or a bound.")

    def __floordiv__(self, other: object) -> Any:
        return int_value(self._execution, self._execution.graph.floordiv(self.expression, self._divisor(other)))

    def __rfloordiv__(self, other: object) -> Any:
        self._divisor(self)

    __rmod__ = __rfloordiv__

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

    def __lt__(self, other: object) -> Any:
        return self._less(self.expression, self._with(other))

    def __gt__(self, other: object) -> Any:
        return self._less(self._with(other), self.expression)

    def __le__(self, other: object) -> Any:
        return self._less_or_equal(self.expression, self._with(other))

    def __ge__(self, other: object) -> Any:
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
        element = self.domain.element
        if element.size == 1:
            return element.value(0)
        if isinstance(element, BooleanDomain):
            return truth_value(self._execution, graph.eq(self.expression, graph.integer(2)))
        return decode(self._execution, element, graph.offset(self.expression, -1))

    def required(self) -> Any:
        """The value, which must exist: evaluation fails otherwise."""
        self._execution.fail_if(self.is_none(), "none is used as a value")
        return self.element()

    @staticmethod
    def _with_value(name: str) -> Any:
        def operator(self: SymOptional, *others: object) -> Any:
            method = getattr(self.required(), name, None)
            return NotImplemented if method is None else method(*others)

        return operator

    __add__ = __radd__ = _with_value("__add__")
    __sub__, __rsub__ = _with_value("__sub__"), _with_value("__rsub__")
    __mul__ = __rmul__ = _with_value("__mul__")
    __floordiv__, __mod__ = _with_value("__floordiv__"), _with_value("__mod__")
    __neg__, __abs__ = _with_value("__neg__"), _with_value("__abs__")
    __lt__, __le__ = _with_value("__lt__"), _with_value("__le__")
    __gt__, __ge__ = _with_value("__gt__"), _with_value("__ge__")


class SymbolicSet(Symbolic):
    """A set that depends on the state.

    `kind` is the class that it has in Python. Only `Set` has an order, and only it and `frozenset` never change.
    """

    _kind = "a set"
    words = frozenset(
        {"union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint"}
    )

    def __init__(self, execution: Execution, kind: type) -> None:
        super().__init__(execution)
        self.kind = kind

    def __or__(self, other: object) -> Any:
        return sets().union(self._execution, self, other)

    def __ror__(self, other: object) -> Any:
        return sets().union(self._execution, other, self)

    def __and__(self, other: object) -> Any:
        return sets().intersection(self._execution, self, other)

    def __rand__(self, other: object) -> Any:
        return sets().intersection(self._execution, other, self)

    def __xor__(self, other: object) -> Any:
        return (self | other) - (self & other)

    def __rxor__(self, other: object) -> Any:
        return sets().difference(self._execution, sets().union(self._execution, other, self), self & other)

    def __sub__(self, other: object) -> Any:
        return sets().difference(self._execution, self, other)

    def __rsub__(self, other: object) -> Any:
        return sets().difference(self._execution, other, self)

    def __le__(self, other: object) -> Any:
        return truth_value(self._execution, sets().subset(self._execution, self, other))

    def __ge__(self, other: object) -> Any:
        return truth_value(self._execution, sets().subset(self._execution, other, self))

    def __lt__(self, other: object) -> Any:
        return truth_value(self._execution, sets().proper_subset(self._execution, self, other))

    def __gt__(self, other: object) -> Any:
        return truth_value(self._execution, sets().proper_subset(self._execution, other, self))

    def union(self, *others: object) -> Any:
        """Members of this set or of any other, as a set of this kind."""
        return sets().of_kind(self._execution, functools.reduce(operator.or_, others, self), self.kind)

    def intersection(self, *others: object) -> Any:
        """Members of all sets, as a set of this kind."""
        return sets().of_kind(self._execution, functools.reduce(operator.and_, others, self), self.kind)

    def difference(self, *others: object) -> Any:
        """Members of this set only, as a set of this kind."""
        return sets().of_kind(self._execution, functools.reduce(operator.sub, others, self), self.kind)

    def symmetric_difference(self, other: object) -> Any:
        """Members of one of the sets only, as a set of this kind."""
        return sets().of_kind(self._execution, self ^ other, self.kind)

    issubset = __le__
    issuperset = __ge__

    def isdisjoint(self, other: object) -> Any:
        """Whether the sets have no common member."""
        return truth_value(self._execution, sets().disjoint(self._execution, self, other))


class SymSet(SymbolicSet):
    """A set over the universe of its domain."""

    def __init__(self, execution: Execution, expression: Expression, domain: SetDomain, kind: type = Set) -> None:
        super().__init__(execution, kind)
        self.expression = expression
        self.domain = domain


class LooseSet(SymbolicSet):
    """A set display or comprehension: elements, each with its condition, whose universe is not known yet."""

    def __init__(self, execution: Execution, elements: list[tuple[Expression, Any]], kind: type = set) -> None:
        super().__init__(execution, kind)
        self.elements = elements


def sets() -> Any:
    """The module of set operations, which builds on this one."""
    from . import sets

    return sets


def truth_value(execution: Execution, expression: Expression) -> Any:
    """A boolean expression as a value: an ordinary bool if it is known."""
    return bool(expression.value) if expression.is_const else SymBool(execution, expression)


def is_truth(value: object) -> bool:
    """Whether a value is a truth value, or may be one."""
    optional = isinstance(value, SymOptional) and isinstance(value.domain.element, BooleanDomain)
    return optional or isinstance(value, bool | SymBool)


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
