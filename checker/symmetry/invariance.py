"""Whether a specification treats all identifiers alike: the check behind symmetry reduction.

It does if the initial states, the steps, the properties that are evaluated and the constraint stay the same when any
two neighbouring identifiers are exchanged; every renaming is a sequence of such exchanges. For the compiled model that
means: each instance, on the state with the two exchanged, is the instance with exchanged arguments. Nearly everywhere
the compiler's nodes are then literally the same; where they are not, a decider is asked, which is Z3.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from types import CodeType, FunctionType
from typing import Protocol as TypingProtocol

from epochal.spec.language import LanguageError, Member, Protocol, SourceLine
from epochal.spec.language.errors import shown_path, source_line

from ..ir.expression import Expression
from ..ir.graph import Graph
from ..ir.leaves import leaf_expressions
from ..ir.model import CompiledInstance, CompiledProperty, Failure, Guard, Model
from .names import SYMMETRY, Group, Names, Naming
from .substitution import Relabelled, Substitution


class Decider(TypingProtocol):
    """What decides where the nodes of two expressions are not the same."""

    def agree(self, a: Expression, b: Expression, where: Expression) -> bool:
        """Whether two expressions have the same value in every state where a condition holds; False if unknown."""


DeciderOf = Callable[[Graph, Protocol, Sequence[Expression]], Decider]
"""Makes a decider for a graph, a protocol and the leaves of its states, when it is needed."""


def refuse_unsymmetrical(model: Model, naming: Naming, properties: Collection[str], decider: DeciderOf) -> None:
    """Raise LanguageError, with line and reason, if the specification tells identifiers apart.

    `properties` are the ids of the properties that will be evaluated; the others may do what they like.
    """
    for group in naming.groups:
        for a in range(group.size - 1):
            _Exchange(model, naming, group, a, decider).check(properties)


class _Exchange:
    """The check for two neighbouring identifiers."""

    def __init__(self, model: Model, naming: Naming, group: Group, first: int, decider: DeciderOf) -> None:
        self.model, self.naming, self.graph = model, naming, model.graph
        self.names: Names = group.exchange(first, first + 1)
        self.pair = f"{group.domain.value(first)} and {group.domain.value(first + 1)}"
        self.leaves = leaf_expressions(model.graph, model.protocol)
        self.exchanged = Substitution(model.graph, naming, self.names, self.leaves)
        self._decider_of = decider

    @cached_property
    def _decider(self) -> Decider:
        """Made only where the nodes do not agree."""
        return self._decider_of(self.graph, self.model.protocol, self.leaves)

    def check(self, properties: Collection[str]) -> None:
        """Raise LanguageError if exchanging the two changes anything."""
        self._initial_states()
        instances = {compiled.instance.number: compiled for compiled in self.model.instances}
        evaluated = [p for p in self.model.properties if p.member.name in properties]
        for compiled in self.model.instances:
            number = self.naming.instance(compiled.instance, self.names).number
            partner = instances.get(number)
            if partner is None:
                self._never(compiled)
            elif compiled.instance.number <= number:
                self._instance(compiled, partner)
                for one in evaluated:
                    if one.of_steps:
                        self._step_property(one, compiled, partner)
        for one in evaluated:
            if not one.of_steps:
                self._condition(one.member, one.holds, one.failures)
        for member in self.model.protocol.members("constraint")[:1]:
            self._condition(member, self.model.constraint, self.model.constraint_failures)

    # -- what is compared -----------------------------------------------------------------------------------------

    def _initial_states(self) -> None:
        initial = self.model.protocol.initial_states()
        if not {self.naming.renamed(codes, self.names) for codes in initial} <= set(initial):
            method, reason = type(self.model.protocol).initial, "exchanged, they give other initial states"
            if method is Protocol.initial:
                raise self._refusal(f"{reason}, as each variable begins with the first value of its domain", None)
            raise self._refusal(reason, source_line(method))

    def _never(self, compiled: CompiledInstance) -> None:
        """The exchanged instance is never possible, so this one must not be either."""
        failing = self._failing(compiled.failures)
        either = self.graph.or_(compiled.enabled, failing)
        if not self._same(either, self.graph.false):
            other = self.naming.instance(compiled.instance, self.names)
            raise self._refusal(
                f"{compiled.instance.label} is possible in some state, {other.label} in none",
                compiled.instance.action.where,
            )

    def _instance(self, compiled: CompiledInstance, partner: CompiledInstance) -> None:
        where = compiled.instance.action.where
        apart = f"{compiled.instance.label} is not {partner.instance.label} with the two exchanged"
        if not self._same(self.exchanged.condition(compiled.enabled), partner.enabled):
            guard = self._guard(compiled, partner)
            reason = "it has another guard" if guard else "it can be carried out in other states"
            raise self._refusal(f"{apart}: {reason}", guard or where)
        failing = self.exchanged.condition(self._failing(compiled.failures))
        if not self._same(failing, self._failing(partner.failures)):
            raise self._refusal(f"{apart}: it cannot be evaluated in other states", where)
        back = {target: leaf for leaf, target in enumerate(self.exchanged.targets)}
        touched = {self.exchanged.targets[leaf] for leaf in compiled.updates} | partner.updates.keys()
        for target in sorted(touched):
            left = self.exchanged.stored(back[target], compiled.updates)
            right = partner.updates.get(target, self.leaves[target])
            if not self._same_value(left, right, partner.enabled):
                path = self.model.protocol.leaves[target].path
                raise self._refusal(f"{apart}: it gives {path} another value", where)

    def _step_property(self, one: CompiledProperty, compiled: CompiledInstance, partner: CompiledInstance) -> None:
        first, second = compiled.instance.number, partner.instance.number
        failing = self.exchanged.condition(self._failing(one.step_failures.get(first, ())))
        other = self._failing(one.step_failures.get(second, ()))
        where = self.graph.and_(partner.enabled, self.graph.not_(other))
        holds = self.exchanged.condition(one.on_step[first])
        if not (self._same(failing, other, partner.enabled) and self._same(holds, one.on_step[second], where)):
            raise self._refusal(
                f"{one.member.name} judges {compiled.instance.label} otherwise than {partner.instance.label}",
                one.member.where,
            )

    def _condition(self, member: Member, holds: Expression, failures: Sequence[Failure]) -> None:
        failing = self._failing(failures)
        if not self._same(self.exchanged.condition(failing), failing):
            raise self._refusal(
                f"{member.name} cannot be evaluated in other states when they are exchanged, because it looks at one "
                "before the other (say first what keeps an index in its log, of all of them)",
                member.where,
            )
        if not self._same(self.exchanged.condition(holds), holds, self.graph.not_(failing)):
            raise self._refusal(f"{member.name} changes when they are exchanged", member.where)

    # -- comparing ------------------------------------------------------------------------------------------------

    def _failing(self, failures: Sequence[Failure]) -> Expression:
        return self.graph.any_of([failure.condition for failure in failures])

    def _same(self, a: Expression, b: Expression, where: Expression | None = None) -> bool:
        """Whether two expressions agree wherever a condition holds: in the graph, or else for Z3."""
        if a is b:
            return True
        return self._decider.agree(a, b, self.graph.true if where is None else where)

    def _same_value(self, left: Relabelled, right: Expression, where: Expression) -> bool:
        if not left.by and left.expression is right:
            return True
        return self._same(self.exchanged.written(left), right, where)

    # -- reporting ------------------------------------------------------------------------------------------------

    def _guard(self, compiled: CompiledInstance, partner: CompiledInstance) -> SourceLine | None:
        """The first line whose `require`s are not the same."""
        first, second = _by_line(compiled.guards), _by_line(partner.guards)
        for line in sorted({*first, *second}, key=lambda line: (line is None, line and (line.file, line.line))):
            a = self.exchanged.condition(self.graph.all_of(first.get(line, [])))
            if not self._same(a, self.graph.all_of(second.get(line, []))):
                return line
        return None

    def _refusal(self, reason: str, where: SourceLine | None) -> LanguageError:
        lines = ", ".join(str(line) for line in singled_out(self.model.protocol))
        told = f"self.member, used in {lines}, singles one out. " if lines else ""
        return LanguageError(
            f"{self.pair} are not interchangeable: {reason}",
            where,
            (f"{told}Name identifiers by parameters and quantifiers only, or check without ", SYMMETRY, "."),
        )


def _by_line(guards: Sequence[Guard]) -> dict[SourceLine | None, list[Expression]]:
    found: dict[SourceLine | None, list[Expression]] = {}
    for guard in guards:
        found.setdefault(guard.where, []).append(guard.condition)
    return found


def singled_out(protocol: Protocol) -> list[SourceLine]:
    """The lines of the specification that call `self.member`."""
    found: dict[SourceLine, None] = {}
    for owner in type(protocol).__mro__:
        for function in vars(owner).values():
            if isinstance(function, FunctionType) and owner is not Protocol:
                found |= {
                    SourceLine(shown_path(function.__code__.co_filename), line, function.__name__): None
                    for line in _lines_of(function.__code__)
                }
    return list(found)


def _lines_of(code: CodeType) -> Iterator[int]:
    for instruction in dis.get_instructions(code):
        positions = instruction.positions
        named = instruction.argval == "member" and instruction.opname in ("LOAD_ATTR", "LOAD_METHOD")
        if named and positions is not None and positions.lineno is not None:
            yield positions.lineno
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _lines_of(constant)
