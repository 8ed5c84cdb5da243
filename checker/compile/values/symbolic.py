"""Symbolic values: what the variables of a rule hold while it is read. They support the operators of the language.

A value that is already known is an ordinary Python value, never one of these.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from epochal.spec.language.domains import BooleanDomain, Domain, IntegerDomain, Scalar
from epochal.spec.language.errors import shown_value

from ...ir.expression import Expression
from ..execution import Execution
from .arithmetic import bitwise, floordiv, lshift, modulo, power, rshift

# -- families ---------------------------------------------------------------------------------------------------------
# The families of values: what decides how two values are compared and joined.


class Family(enum.Enum):
    """A family has values of Python, known ones, and values that depend on the state; NAME has only the latter."""

    __hash__ = object.__hash__  # members are single objects, and are hashed for every comparison

    TRUTH = "a truth value"
    NUMBER = "an integer"
    NAME = "an identifier or a member of an enumeration"
    OPTIONAL = "a scalar or none"
    RECORD = "a record"
    MAYBE_RECORD = "a record or none"
    SET = "a set"
    TUPLE = "a tuple"
    LIST = "a list"
    LOG = "a log"
    MAP = "a map"
    NONE = "none"
    UNUSABLE = "a variable that branches leave without one value"
    TEXT = "a text"
    OTHER = "anything else"


Guarded = tuple[Expression, Any]
"""An element, and the condition under which it is present."""


class Symbolic:
    """A value that depends on the state.

    `has_fields` tells records, also those that may be none; `has_entries` tells maps and logs. `words` are the
    attributes that a rule can use; no other attribute or method is seen by it. What is not `comparable` is used only in
    the ways that `instead` tells. What two values give together is decided by their families, in `pairs`, which a value
    reaches through its execution.
    """

    family = Family.OTHER
    has_fields = False
    has_entries = False
    words: frozenset[str] = frozenset()
    comparable = True
    instead = ""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution

    def __repr__(self) -> str:
        return f"{self.described} that depends on the state"

    def __hash__(self) -> int:
        raise self._execution.error(
            "a Python dictionary or set cannot be searched for a value that depends on the state",
            "Use a Map or a Set of the state, or a conditional expression.",
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._execution.error(
            f"{self.described} has no attribute {name!r}", "Use the operators and functions of the language."
        )

    def __getitem__(self, key: Any) -> Any:
        raise self._execution.error(
            f"{self.described} that depends on the state cannot be indexed", "Index a Map or a Log of the state."
        )

    def __bool__(self) -> bool:
        raise self._execution.error(
            "Python asked for the truth of a value that depends on the state",
            "Use if, and, or, not, all, any or comparisons of the language directly on it.",
        )

    def __eq__(self, other: object) -> Any:
        return truth_value(self._execution, self._execution.pairs.equal(self, other))

    def __ne__(self, other: object) -> Any:
        return truth_value(self._execution, self._execution.graph.not_(self._execution.pairs.equal(self, other)))

    def __iter__(self) -> NoReturn:
        raise self._execution.error(
            "this use iterates over a value that depends on the state",
            "Use a for loop, a comprehension, all, any, min, max, sum or len.",
        )

    def _refuse(self, *others: object) -> NoReturn:
        raise self._execution.error(
            f"this operator is not defined for {self.described}",
            self.instead or "Use integers, or write 1 if ... else 0 for a truth value; compare with == and !=.",
        )

    def __index__(self) -> NoReturn:
        raise self._execution.error(
            "a Python list or range cannot be indexed or sized by a value that depends on the state",
            "Use a Map or a Log of the state, or a conditional expression.",
        )

    @property
    def described(self) -> str:
        """What the value is, for messages."""
        return type(self).__name__

    # -- what the language asks of one value ----------------------------------------------------------------------

    def truth(self) -> Expression:
        """The truth of the value, as Python defines it."""
        raise self._execution.error(f"{self.described} has no truth value here", "Compare it with something.")

    def taken(self) -> Symbolic:
        """The value to be kept beside the state, of whose later changes is known."""
        return self

    def may_be_truth(self) -> bool:
        """Whether the value is a truth value, or may be one."""
        return False

    def hashable(self) -> bool:
        """Whether Python takes the value as an element of a set or a key."""
        return True

    def unordered(self) -> bool:
        """Whether there may be several elements, for which Python defines no order."""
        return False

    def guarded(self, ordered: bool = True) -> Iterable[Guarded]:
        """The elements, each with the condition under which it is present. `ordered` says that their order matters."""
        raise self._execution.error(
            f"{self.described} cannot be iterated", "Go through a set, a map, a log, a list or a range."
        )

    def length(self) -> Expression:
        """How many elements there are."""
        raise self._execution.error(
            f"{self.described} has no length", "Take the len of a set, a map, a log, a list or a range."
        )

    def number(self) -> Expression | None:
        """The value as an integer; None if it is none."""
        return None

    def smallest_domain(self) -> Domain | None:
        """A small domain that certainly holds the value; None if there is none."""
        number = self.number()
        return None if number is None else IntegerDomain(number.low, number.high)

    def code_in(self, domain: Scalar) -> Expression:
        """The code of the value in a domain without sets and none. Evaluation fails where it lies outside."""
        raise self._execution.error(
            f"{self.described} cannot be stored where {domain} is expected",
            "Store a value of that domain: 1 if ... else 0 for an integer, a comparison for a truth value.",
        )

    def located_in(self, domain: Scalar) -> tuple[Expression, Expression]:
        """Whether the value is in such a domain, and its position in the enumeration of the domain where it is."""
        raise self._execution.error(
            f"{shown_value(self)} is no value of {domain}", "Compare or look up values of one kind."
        )

    # -- operators ------------------------------------------------------------------------------------------------

    _operator: Any = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _operator
    __add__ = __sub__ = __mul__ = __floordiv__ = __mod__ = __truediv__ = __pow__ = _operator
    __radd__ = __rsub__ = __rmul__ = __rfloordiv__ = __rmod__ = __rtruediv__ = __rpow__ = _operator
    __neg__ = __pos__ = __invert__ = __abs__ = __int__ = __len__ = __call__ = _operator
    __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = _operator
    __lshift__ = __rshift__ = __rlshift__ = __rrshift__ = _operator


def _of_numbers(operation: str, reflected: bool = False) -> Any:
    """An operator of a number and another one, which is on the left if it is `reflected`."""

    def operator(self: _Number, other: object) -> Any:
        a, b = self.number(), as_int(self._execution, other)
        if b is None:
            return NotImplemented
        found = getattr(self._execution.graph, operation)(*((b, a) if reflected else (a, b)))
        return truth_value(self._execution, found) if found.sort == "bool" else int_value(self._execution, found)

    return operator


def _computed(compute: Callable[[Execution, Expression, Expression], Expression], reflected: bool = False) -> Any:
    """An operator that the expression graph does not have itself, likewise."""

    def operator(self: _Number, other: object) -> Any:
        a, b = self.number(), as_int(self._execution, other)
        if b is None:
            return NotImplemented
        return int_value(self._execution, compute(self._execution, *((b, a) if reflected else (a, b))))

    return operator


def _bitwise(join: Callable[[Any, Any], Any]) -> Any:
    """An operator on bits: of two truth values it is a truth value, as in Python."""

    def operator(self: _Number, other: object) -> Any:
        execution, graph = self._execution, self._execution.graph
        if self.family is Family.TRUTH and isinstance(other, bool | SymBool):
            a, b = self.truth(), graph.boolean(other) if isinstance(other, bool) else other.truth()
            results = [[graph.boolean(bool(join(x, y))) for y in (1, 0)] for x in (1, 0)]
            return truth_value(execution, graph.ite(a, graph.ite(b, *results[0]), graph.ite(b, *results[1])))
        a, number = self.number(), as_int(execution, other)
        return NotImplemented if number is None else int_value(execution, bitwise(execution, a, number, join))

    return operator


class _Number(Symbolic):
    """What Python counts with: integers, and truth values, which are integers to it."""

    if TYPE_CHECKING:

        def number(self) -> Expression:
            """The value as an integer."""

    def __neg__(self) -> Any:
        graph = self._execution.graph
        return int_value(self._execution, graph.sub(graph.integer(0), self.number()))

    def __pos__(self) -> Any:
        return int_value(self._execution, self.number())

    def __invert__(self) -> Any:
        graph = self._execution.graph
        return int_value(self._execution, graph.sub(graph.integer(-1), self.number()))

    def __abs__(self) -> Any:
        graph, number = self._execution.graph, self.number()
        return int_value(self._execution, graph.max(number, graph.sub(graph.integer(0), number)))

    __add__ = __radd__ = _of_numbers("add")
    __sub__, __rsub__ = _of_numbers("sub"), _of_numbers("sub", reflected=True)
    __mul__ = __rmul__ = _of_numbers("mul")
    __lt__, __gt__ = _of_numbers("lt"), _of_numbers("lt", reflected=True)
    __le__, __ge__ = _of_numbers("le"), _of_numbers("le", reflected=True)
    __floordiv__, __rfloordiv__ = _computed(floordiv), _computed(floordiv, reflected=True)
    __mod__, __rmod__ = _computed(modulo), _computed(modulo, reflected=True)
    __pow__, __rpow__ = _computed(power), _computed(power, reflected=True)
    __lshift__, __rlshift__ = _computed(lshift), _computed(lshift, reflected=True)
    __rshift__, __rrshift__ = _computed(rshift), _computed(rshift, reflected=True)
    __and__ = __rand__ = _bitwise(operator.and_)
    __or__ = __ror__ = _bitwise(operator.or_)
    __xor__ = __rxor__ = _bitwise(operator.xor)


class SymBool(_Number):
    """A truth value that depends on the state."""

    described = "a truth value"
    family = Family.TRUTH

    def __init__(self, execution: Execution, expression: Expression) -> None:
        super().__init__(execution)
        self.expression = expression

    def truth(self) -> Expression:
        return self.expression

    def number(self) -> Expression:
        return self._execution.graph.as_integer(self.expression)

    def may_be_truth(self) -> bool:
        return True

    def smallest_domain(self) -> Domain:
        return BooleanDomain()

    def code_in(self, domain: Scalar) -> Expression:
        return self.expression if isinstance(domain, BooleanDomain) else super().code_in(domain)

    def located_in(self, domain: Scalar) -> tuple[Expression, Expression]:
        if not isinstance(domain, BooleanDomain):
            return super().located_in(domain)
        return self._execution.graph.true, self.number()


class SymInt(_Number):
    """An integer that depends on the state."""

    described = "an integer"
    family = Family.NUMBER

    def __init__(self, execution: Execution, expression: Expression) -> None:
        super().__init__(execution)
        self.expression = expression

    def truth(self) -> Expression:
        graph = self._execution.graph
        return graph.not_(graph.eq(self.expression, graph.integer(0)))

    def number(self) -> Expression:
        return self.expression

    def code_in(self, domain: Scalar) -> Expression:
        if not isinstance(domain, IntegerDomain):
            return super().code_in(domain)
        graph, number = self._execution.graph, self.expression
        low, high = graph.integer(domain.low), graph.integer(domain.high)
        outside = graph.or_(graph.lt(number, low), graph.lt(high, number))
        self._execution.fail_if(outside, f"the value is outside {domain}")
        return graph.offset(number, -domain.low)

    def located_in(self, domain: Scalar) -> tuple[Expression, Expression]:
        if not isinstance(domain, IntegerDomain):
            return super().located_in(domain)
        graph, number = self._execution.graph, self.expression
        low, high = graph.integer(domain.low), graph.integer(domain.high)
        return graph.and_(graph.le(low, number), graph.le(number, high)), graph.offset(number, -domain.low)


def truth_value(execution: Execution, expression: Expression) -> Any:
    """A boolean expression as a value: an ordinary bool if it is known."""
    return bool(expression.value) if expression.is_const else SymBool(execution, expression)


def is_truth(value: object) -> bool:
    """Whether a value is a truth value, or may be one."""
    return value.may_be_truth() if isinstance(value, Symbolic) else isinstance(value, bool)


def int_value(execution: Execution, expression: Expression) -> Any:
    """An integer expression as a value: an ordinary int if it is known."""
    return expression.value if expression.is_const else SymInt(execution, expression)


def as_int(execution: Execution, value: object) -> Expression | None:
    """The expression of an integer value, or None if it is not an integer."""
    if isinstance(value, Symbolic):
        return value.number()
    return execution.graph.integer(int(value)) if isinstance(value, int) else None


class SymText(Symbolic):
    """One of several known texts: which one depends on the state. It can be compared, and no more."""

    described = "a text"
    family = Family.TEXT

    def __init__(self, execution: Execution, choices: dict[str, Expression]) -> None:
        super().__init__(execution)
        self.choices = choices

    def truth(self) -> Expression:
        return self._execution.graph.any_of([condition for text, condition in self.choices.items() if text])


def texts_of(execution: Execution, value: Any) -> dict[str, Expression]:
    """The texts that a value may be, each with its condition."""
    return value.choices if isinstance(value, SymText) else {value: execution.graph.true}


# -- unusable ---------------------------------------------------------------------------------------------------------
# What a variable holds where branches leave it without one value: it may not be used, and says so if it is.


class Unassigned(Symbolic):
    """What a variable holds on a path that did not assign it."""

    described = "a variable that is not assigned on every path"
    family = Family.UNUSABLE
    comparable = False
    instead = "Assign it before the if."


class Disordered(Symbolic):
    """What a variable holds after a loop over a plain set that leaves it differently in different orders."""

    described = "a variable whose value depends on the order of a plain set"
    family = Family.UNUSABLE
    comparable = False
    instead = "Go through Set(...): that has the order of its domain."


class Partial(Unassigned):
    """What a variable holds that an expression assigned under a condition, and that had no value before."""

    def __init__(self, execution: Execution, condition: Expression, value: Any) -> None:
        super().__init__(execution)
        self.condition, self.value = condition, value


class Unreturned(Symbolic):
    """What a loop has returned on a path on which it has not returned: nobody asks for it there."""

    described = "the result of a loop that has not returned"
    family = Family.UNUSABLE
    comparable = False


class Mixed(Symbolic):
    """What a variable holds after branches that gave it values of different kinds."""

    described = "a variable to which the branches give different kinds of values"
    family = Family.UNUSABLE
    comparable = False
    instead = "Use a variable of its own in each branch."
