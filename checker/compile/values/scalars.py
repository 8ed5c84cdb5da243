"""Scalars that depend on the state: names, optional scalars, and from a domain's code to its value."""

from __future__ import annotations

from typing import Any

from epochal.spec.language.domains import BooleanDomain, Domain, IntegerDomain, OptionalScalar, Scalar, SetDomain

from ...ir.expression import Expression
from ..execution import Execution
from .known import same_kind, truth_of
from .set_values import SymSet
from .symbolic import Family, Symbolic, as_int, int_value, truth_value


class SymScalar(Symbolic):
    """An identifier or enumeration member that depends on the state; `expression` is its code."""

    def __init__(self, execution: Execution, expression: Expression, domain: Scalar) -> None:
        super().__init__(execution)
        self.expression = expression
        self.domain = domain

    family = Family.NAME

    @property
    def described(self) -> str:
        return f"a value of {self.domain}"

    def truth(self) -> Expression:
        return self._execution.graph.true

    def smallest_domain(self) -> Domain:
        return self.domain

    def code_in(self, domain: Scalar) -> Expression:
        if not same_kind(domain, self.domain):
            return super().code_in(domain)
        graph = self._execution.graph
        if self.domain.size > domain.size:
            outside = graph.not_(graph.lt(self.expression, graph.integer(domain.size)))
            self._execution.fail_if(outside, f"the value is outside {domain}")
        return self.expression

    def located_in(self, domain: Scalar) -> tuple[Expression, Expression]:
        graph = self._execution.graph
        if not same_kind(domain, self.domain):
            return graph.false, graph.integer(0)
        return graph.lt(self.expression, graph.integer(domain.size)), self.expression


class SymOptional(Symbolic):
    """A scalar or none; used where a value is needed, it must not be none."""

    family = Family.OPTIONAL

    def __init__(self, execution: Execution, expression: Expression, domain: OptionalScalar) -> None:
        super().__init__(execution)
        self.expression = expression
        self.domain = domain

    @property
    def described(self) -> str:
        return f"a value of {self.domain}"

    def may_be_truth(self) -> bool:
        return isinstance(self.domain.element, BooleanDomain)

    def truth(self) -> Expression:
        graph = self._execution.graph
        present = graph.not_(self.is_none())
        return graph.and_(present, truth_of(self._execution, self.element()))

    def number(self) -> Expression | None:
        return as_int(self._execution, self.required())

    def smallest_domain(self) -> Domain:
        return self.domain

    def is_none(self) -> Expression:
        """Whether there is no value."""
        graph = self._execution.graph
        return graph.eq(self.expression, graph.integer(0))

    def element(self) -> Any:
        """The value, without a check that there is one."""
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


def decode(execution: Execution, domain: Scalar, code: Expression) -> Any:
    """The value with this code: an ordinary Python value if the code is known."""
    if code.is_const and 0 <= code.value < domain.size:
        return domain.value(code.value)
    kind = type(domain)  # compared by identity: the domains are an abstract family, whose isinstance is slow
    if kind is IntegerDomain:
        return int_value(execution, execution.graph.offset(code, domain.low))  # type: ignore[attr-defined]  # as compared
    if kind is BooleanDomain:
        return truth_value(execution, code)
    if kind is OptionalScalar:
        return SymOptional(execution, code, domain)  # type: ignore[arg-type]  # as compared
    if kind is SetDomain:
        return SymSet(execution, code, domain)  # type: ignore[arg-type]  # as compared
    return SymScalar(execution, code, domain)
