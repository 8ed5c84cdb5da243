"""The conditions of liveness properties as LLVM functions, a bit of a word each, and what only a bound stops.

`premises(state)`, `goals(state)` and `failing(state)` say of up to 64 liveness properties which hold, or cannot be
evaluated, and `once()` of which the premise is asked of initial states alone. `stopped(state, by)` combines the words
of `by`, one for each instance, of those that nothing but a bound keeps from being taken; the instances of the model
come first, then those that are never enabled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from ...ir.expression import Expression
from ...ir.model import CompiledInstance, CompiledLiveness, Model
from ..llvm.instructions import Pointer, Word, word
from .decisions import Clause, conjuncts_of, disjuncts_of, write_tree
from .expressions import ExpressionWriter
from .program import DECLARATIONS, program_writer

PROPERTIES_AT_ONCE = 64


def labelled(model: Model) -> tuple[CompiledInstance, ...]:
    """The instances by the numbers that `stopped` and edges know them by."""
    return (*model.instances, *model.impossible)


def liveness_program_text(model: Model, promises: Sequence[CompiledLiveness], fair: Collection[int]) -> str:
    """The LLVM module for some liveness properties; `fair` are the numbers of the instances of which fairness is
    assumed."""

    def any_failure(promise: CompiledLiveness) -> Expression:
        return model.graph.any_of([failure.condition for failure in promise.failures])

    return "\n".join(
        [
            DECLARATIONS,
            _bits(model, "premises", promises, lambda promise: promise.premise),
            _bits(model, "goals", promises, lambda promise: promise.goal),
            _bits(model, "failing", promises, any_failure),
            _once(promises),
            _stopped(model, fair),
        ]
    )


def _bits(
    model: Model, name: str, promises: Sequence[CompiledLiveness], condition: Callable[[CompiledLiveness], Expression]
) -> str:
    writer = program_writer(model, f"i64 @{name}(ptr %state)")
    return _collecting(writer, [(condition(one), partial(word, 1 << bit)) for bit, one in enumerate(promises)])


def _once(promises: Sequence[CompiledLiveness]) -> str:
    bits = sum(1 << bit for bit, one in enumerate(promises) if one.member.mark.once)
    return f"define i64 @once() {{\n  ret i64 {bits}\n}}\n"


def _stopped(model: Model, fair: Collection[int]) -> str:
    writer = program_writer(model, "i64 @stopped(ptr %state, ptr %by)")
    function = writer.function

    def load(index: int) -> Word:
        return function.load64(function.element(Pointer("%by"), index))

    found = [
        (compiled.stopped, partial(load, index))
        for index, compiled in enumerate(labelled(model))
        if compiled.stopped is not None and compiled.instance.number in fair
    ]
    return _collecting(writer, found)


def _collecting(writer: ExpressionWriter, found: Sequence[tuple[Expression, Callable[[], Word]]]) -> str:
    """The function that combines the words of the conditions that hold."""
    function = writer.function
    total = function.variable(Word, 0)

    def add(bits: Callable[[], Word]) -> None:
        total.set(function.or_(total.get(), bits()))

    clauses = [
        Clause(conjuncts_of(part), partial(add, bits)) for condition, bits in found for part in disjuncts_of(condition)
    ]
    write_tree(writer, clauses)
    function.ret(total.get())
    return function.text()
