"""Arithmetic of integers that the expression graph has no operators for, made of those that it has.

Nothing behind the compiler knows shifts, powers or bits of integers: they are cases of a known operand, or sums of
bits. So machine code, Z3 and proofs have them without another word. Every result is exactly Python's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from ...ir.expression import LIMIT, Expression
from ...ir.graph import refuted
from ..execution import Execution

MOST_CASES = 64
"""For so many values of its right operand a division, shift or power is written out."""
HIGHEST = LIMIT.bit_length() - 1


def by_cases(
    execution: Execution, operand: Expression, what: str, compute: Callable[[int], Expression], least: int | None = None
) -> Expression:
    """An expression for each value of an operand; below `least` evaluation has failed."""
    graph = execution.graph
    low, high = operand.low if least is None else max(operand.low, least), operand.high
    if high - low >= MOST_CASES:
        raise execution.error(
            f"{what} has more than {MOST_CASES} possible values on the right", "Use a smaller domain, or a constant."
        )
    result = compute(high)
    for value in range(high - 1, low - 1, -1):
        result = graph.ite(graph.eq(operand, graph.integer(value)), compute(value), result)
    return result


# -- division ---------------------------------------------------------------------------------------------------------


def floordiv(execution: Execution, a: Expression, b: Expression) -> Expression:
    """a // b, rounded down as Python does. Evaluation fails where b is 0."""
    graph = execution.graph
    execution.fail_if(graph.eq(b, graph.integer(0)), "ZeroDivisionError: integer division or modulo by zero")

    def divided(by: int) -> Expression:
        if by == 0:
            return graph.integer(0)
        return graph.floordiv(a, by) if by > 0 else graph.floordiv(graph.sub(graph.integer(0), a), -by)

    return by_cases(execution, b, "this division", divided)


def modulo(execution: Execution, a: Expression, b: Expression) -> Expression:
    """a % b, which has the sign of b as in Python. Evaluation fails where b is 0."""
    graph = execution.graph
    zero = graph.integer(0)
    execution.fail_if(graph.eq(b, zero), "ZeroDivisionError: integer division or modulo by zero")

    def left(by: int) -> Expression:
        if by == 0:
            return zero
        return graph.mod(a, by) if by > 0 else graph.sub(zero, graph.mod(graph.sub(zero, a), -by))

    return by_cases(execution, b, "this division", left)


# -- shifts and powers ------------------------------------------------------------------------------------------------


def _not_negative(execution: Execution, count: Expression) -> None:
    graph = execution.graph
    execution.fail_if(graph.lt(count, graph.integer(0)), "ValueError: negative shift count")


def lshift(execution: Execution, a: Expression, b: Expression) -> Expression:
    """a << b. Evaluation fails where b is negative."""
    graph = execution.graph
    _not_negative(execution, b)
    if b.high > HIGHEST and (a.low, a.high) != (0, 0):
        too_large(execution)
    return by_cases(execution, b, "this shift", lambda by: graph.mul(a, graph.integer(1 << by)), least=0)


def rshift(execution: Execution, a: Expression, b: Expression) -> Expression:
    """a >> b, rounded down. Evaluation fails where b is negative."""
    graph = execution.graph
    _not_negative(execution, b)
    return by_cases(execution, b, "this shift", lambda by: graph.floordiv(a, 1 << min(by, HIGHEST)), least=0)


def power(execution: Execution, a: Expression, b: Expression) -> Expression:
    """a ** b for exponents that are not negative: else the result is no integer, and the rule is refused."""
    graph = execution.graph
    negative = graph.lt(b, graph.integer(0))
    if negative is not graph.false and not refuted(graph.and_(execution.present(), negative)):
        raise execution.error(
            "a power whose exponent may be negative is no integer", "Guard the exponent with an if or a require."
        )

    def raised(to: int) -> Expression:
        if a.high - a.low < MOST_CASES:  # by its values, of which each is within tight limits
            if max(abs(a.low), abs(a.high), 1).bit_length() * to > 4 * LIMIT.bit_length() and max(-a.low, a.high) > 1:
                too_large(execution)
            return by_cases(execution, a, "this power", lambda base: graph.integer(base**to))
        result = graph.integer(1)
        for _ in range(to):
            result = graph.mul(result, a)
        return result

    return by_cases(execution, b, "this power", raised, least=0)


def too_large(execution: Execution) -> NoReturn:
    """Refuse a result of more than 62 bits."""
    raise execution.error("a value can exceed 62 bits", "Use smaller domains, or less arithmetic.")


# -- bits -------------------------------------------------------------------------------------------------------------


def bitwise(execution: Execution, a: Expression, b: Expression, join: Callable[[int, int], int]) -> Expression:
    """Integers joined bit by bit, in two's complement as Python's are.

    `join` joins two bits. A negative number is its remainder by a power of two above both operands; the bit above all
    others is the sign of the result.
    """
    graph = execution.graph
    width = max(value.bit_length() for value in (a.low, a.high, b.low, b.high))
    if width > HIGHEST:
        too_large(execution)
    both = [_bits(execution, one, width) for one in (a, b)]
    signs = [graph.lt(one, graph.integer(0)) for one in (a, b)]
    total = graph.mul(graph.as_integer(_joined(execution, signs[0], signs[1], join)), graph.integer(-(1 << width)))
    for place, (first, second) in enumerate(zip(*both, strict=True)):
        bit = _joined(execution, first, second, join)
        total = graph.add(total, graph.ite(bit, graph.integer(1 << place), graph.integer(0)))
    return total


def _bits(execution: Execution, number: Expression, width: int) -> list[Expression]:
    """The lowest bits of an integer as conditions, the least first."""
    graph, one = execution.graph, execution.graph.integer(1)
    if number.is_const:
        return [graph.boolean(bool(number.value >> place & 1)) for place in range(width)]
    return [graph.eq(graph.mod(graph.floordiv(number, 1 << place), 2), one) for place in range(width)]


def _joined(execution: Execution, a: Expression, b: Expression, join: Callable[[int, int], int]) -> Expression:
    graph = execution.graph
    results = [[graph.boolean(bool(join(x, y))) for y in (1, 0)] for x in (1, 0)]
    return graph.ite(a, graph.ite(b, *results[0]), graph.ite(b, *results[1]))
