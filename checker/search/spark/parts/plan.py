"""What tasks must know to judge promises: machine code, units of fairness by labels, and the ranking of states."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ....ir.model import CompiledPromise
from ....liveness.native_ends import EndsAsked
from ....liveness.native_judge import PROGRAM_LEVEL, Question
from ....liveness.passes import FairUnit
from ....native.engine import KERNEL_LEVEL
from ....native.kernel.kernel import Shape, kernel_text
from ....native.kernel.promise_kernel import promise_kernel_text
from ....native.llvm.jit import Compiler, MachineCode
from ....native.program.promise_program import labelled, promise_program_text
from .ranking import Ranking, ranking_of

Fair = tuple[tuple[FairUnit, ...], ...]
"""The units of fairness of each promise of a batch."""


@dataclass(frozen=True)
class Module:
    """A module that travels: object code for processors like the driver's, and the text for others."""

    text: bytes
    object: bytes
    identity: str
    level: int
    passes: bool

    @cached_property
    def code(self) -> MachineCode:
        """The module made callable in this process."""
        compiler = Compiler()
        if compiler.identity == self.identity:
            return compiler.load(zlib.decompress(self.object))
        text = zlib.decompress(self.text).decode()
        return compiler.load(compiler.compile_and_keep(text, self.level, self.passes))


def _module(compiler: Compiler, text: str, level: int, passes: bool) -> Module:
    made = compiler.compile_and_keep(text, level, passes)
    return Module(zlib.compress(text.encode()), zlib.compress(made), compiler.identity, level, passes)


@dataclass(frozen=True)
class Batch:
    """Up to 64 promises: their code, what each assumes, and for what is left out in turn whom it concerns."""

    module: Module
    fair: Fair
    others: tuple[tuple[int, Fair], ...] = ()


@dataclass(frozen=True)
class Plan:
    """How to judge. `ends` are the promises that say where a run may end; None if nobody asks.

    `wanted` is the kind of the ends that are wrong then.
    """

    ranking: Ranking
    search: Module
    promises: Module
    labels: int
    constrained: bool
    batches: tuple[Batch, ...]
    ends: tuple[Batch, ...] | None = None
    wanted: int = 0


def make_plan(question: Question, parts: int, asked: EndsAsked | None) -> Plan:
    """Compile what tasks need; `asked` is what is asked of ends."""
    model, compiler = question.model, Compiler()
    words, constrained = model.layout.words, bool(model.protocol.members("constraint"))

    def batch(promises: Sequence[CompiledPromise]) -> Module:
        return _module(compiler, promise_program_text(model, promises, question.fair), PROGRAM_LEVEL, False)

    batches = []
    for promises in question.batches:
        others = [
            (question.concerned(other, promises), question.fair_units(promises, question.units_under(other)))
            for other in question.others
        ]
        fair = tuple(question.fair_units(promises, question.units))
        batches.append(Batch(batch(promises), fair, tuple((bits, tuple(units)) for bits, units in others)))
    return Plan(
        ranking_of(model, parts),
        _module(compiler, kernel_text(Shape(words, constrained)), KERNEL_LEVEL, True),
        _module(compiler, promise_kernel_text(words, False), KERNEL_LEVEL, True),
        len(labelled(model)),
        constrained,
        tuple(batches),
        None if asked is None else tuple(Batch(batch(promises), ()) for promises in asked.batches),
        0 if asked is None else asked.wanted,
    )
