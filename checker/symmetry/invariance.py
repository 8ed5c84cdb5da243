"""Whether a specification treats all identifiers alike: the check behind symmetry reduction.

It does if the initial states, the steps, the properties that are evaluated and the constraint stay the same when any
two neighbouring identifiers are exchanged; every renaming is a sequence of such exchanges. For the compiled model that
means: each instance, on the state with the two exchanged, is the instance with exchanged arguments. Nearly everywhere
the compiler's nodes are then literally the same; where they are not, Z3 is asked.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from epochal.spec.language import LanguageError, Member, Protocol, SourceLine
from epochal.spec.language.domains import SetDomain
from epochal.spec.language.errors import shown_path, source_line

from ..ir.expression import Expression, Op, reachable_nodes
from ..ir.graph import Graph
from ..ir.layout import leaf_expressions
from ..ir.model import CompiledInstance, CompiledProperty, Failure, Guard, Model
from .names import SYMMETRY, Group, Names, Naming, Relabelling, relabelling

if TYPE_CHECKING:
    from ..smt.equivalence import Z3Decider

# -- substitution -----------------------------------------------------------------------------------------------------
# Expressions of the state before an exchange of two identifiers, as expressions of the state after it.
#
# A stored identifier or set of identifiers is not rewritten at once: it stays an expression with a *relabelling*, the
# codes or positions that the exchange moves. Comparisons, memberships and sizes absorb it (two relabelled values are
# equal exactly if the values are), so that the rules of a symmetric specification come out as the very nodes that they
# are for the renamed instance. What cannot absorb it gets the relabelling written out.


@dataclass(frozen=True)
class Relabelled:
    """The value of an expression after a relabelling."""

    expression: Expression
    by: Relabelling


class Substitution:
    """One exchange of two identifiers, applied to expressions over the leaves of a state."""

    def __init__(self, graph: Graph, naming: Naming, names: Names, leaves: Sequence[Expression]) -> None:
        self.graph, self.naming, self.names = graph, naming, names
        self.relabellings = [relabelling(place.domain, names) for place in naming.places]
        self.targets = [naming.target(leaf, names) for leaf in range(len(leaves))]
        self._leaves = leaves
        self._made: dict[int, Relabelled] = {}
        g = graph
        self._rows: dict[Op, Callable[[Expression, list[Relabelled]], Relabelled]] = {
            Op.OFFSET: self._offset,
            Op.ADD: self._plain(lambda n, a, b: g.add(a, b)),
            Op.SUB: self._plain(lambda n, a, b: g.sub(a, b)),
            Op.MUL: self._plain(lambda n, a, b: g.mul(a, b)),
            Op.FLOORDIV: self._plain(lambda n, a, b: g.floordiv(a, n.args[1].value)),
            Op.MOD: self._plain(lambda n, a, b: g.mod(a, n.args[1].value)),
            Op.MIN: self._plain(lambda n, a, b: g.min(a, b)),
            Op.MAX: self._plain(lambda n, a, b: g.max(a, b)),
            Op.EQ: self._eq,
            Op.LT: self._plain(lambda n, a, b: g.lt(a, b)),
            Op.NOT: self._plain(lambda n, a: g.not_(a)),
            Op.AND: self._plain(lambda n, *args: g.all_of(args)),
            Op.OR: self._plain(lambda n, *args: g.any_of(args)),
            Op.ITE: self._ite,
            Op.MEMBER: self._member,
            Op.SINGLETON: self._singleton,
            Op.UNION: self._sets(g.union),
            Op.INTERSECTION: self._sets(g.intersection),
            Op.DIFFERENCE: self._sets(g.difference),
            Op.CARDINALITY: lambda n, args: Relabelled(g.cardinality(args[0].expression), {}),
            Op.BITS: self._plain(lambda n, a: g.bits(a)),
        }

    def __call__(self, root: Expression) -> Relabelled:
        """The value that an expression has in the state with the two identifiers exchanged."""
        for node in reachable_nodes([root]):
            if node.id not in self._made:
                if node.op is Op.CONST:
                    self._made[node.id] = Relabelled(node, {})
                elif node.op is Op.FIELD:
                    self._made[node.id] = self._field(node)
                else:
                    self._made[node.id] = self._rows[node.op](node, [self._made[arg.id] for arg in node.args])
        return self._made[root.id]

    def condition(self, root: Expression) -> Expression:
        """The same for a truth value."""
        return self.written(self(root))

    def written(self, value: Relabelled) -> Expression:
        """An expression with its relabelling written out."""
        graph, node = self.graph, value.expression
        if not value.by:
            return node
        if node.sort == "set":
            total = graph.difference(node, graph.mask(sum(1 << position for position in value.by)))
            for position, to in value.by.items():
                there = graph.member(node, graph.integer(position))
                total = graph.union(total, graph.ite(there, graph.mask(1 << to), graph.mask(0)))
            return total
        total = node
        for code, to in value.by.items():
            total = graph.ite(graph.eq(node, graph.integer(code)), graph.integer(to), total)
        return total

    def relabelled(self, value: Relabelled, by: Relabelling) -> Relabelled:
        """A value after one more relabelling."""
        if value.by == by:
            return Relabelled(value.expression, {})
        if not value.by:
            return Relabelled(value.expression, by) if not value.expression.is_const else self._constant(value, by)
        return Relabelled(self.written(value), by) if by else value

    def _constant(self, value: Relabelled, by: Relabelling) -> Relabelled:
        """A relabelled constant is another constant."""
        node = value.expression
        if node.sort == "set":
            bits = range(node.value.bit_length())
            mask = sum(1 << by.get(i, i) for i in bits if node.value >> i & 1)
            return Relabelled(self.graph.mask(mask), {})
        return Relabelled(self.graph.integer(by.get(node.value, node.value)), {})

    # -- leaves ---------------------------------------------------------------------------------------------------

    def _field(self, node: Expression) -> Relabelled:
        """A leaf has what belongs to its target: the exchange is its own inverse."""
        target = self.targets[node.value]
        leaf, by = self._leaves[target], self.relabellings[node.value]
        used = self.naming.places[target].used
        if used is None or by.get(0, 0) == 0 or isinstance(self.naming.places[target].domain, SetDomain):
            return Relabelled(leaf, by)
        return Relabelled(self._where_used(used, self._leaves, leaf, by), {})

    def _where_used(
        self, used: tuple[int, int], leaves: Sequence[Expression], value: Expression, by: Relabelling
    ) -> Expression:
        """A relabelled identifier if its slot is in use; one that is not stays 0."""
        graph, (leaf, least) = self.graph, used
        marker = leaves[leaf]
        in_use = marker if marker.sort == "bool" else graph.le(graph.integer(least), marker)
        return graph.ite(in_use, self.written(Relabelled(value, by)), value)

    def stored(self, leaf: int, updates: Mapping[int, Expression]) -> Relabelled:
        """What is to be found in the target of a leaf when the new values of an instance are exchanged."""

        def value(at: int) -> Relabelled:
            return self(updates.get(at, self._leaves[at]))

        by, used = self.relabellings[leaf], self.naming.places[leaf].used
        if used is None or by.get(0, 0) == 0 or isinstance(self.naming.places[leaf].domain, SetDomain):
            return self.relabelled(value(leaf), by)
        ends = {used[0]: self.written(value(used[0]))}
        leaves = [ends.get(at, old) for at, old in enumerate(self._leaves)]
        return Relabelled(self._where_used(used, leaves, self.written(value(leaf)), by), {})

    # -- operators ------------------------------------------------------------------------------------------------

    def _plain(self, make: Callable[..., Expression]) -> Callable[[Expression, list[Relabelled]], Relabelled]:
        """An operator that a relabelling does not commute with."""
        return lambda node, args: Relabelled(make(node, *map(self.written, args)), {})

    def _alike(self, a: Relabelled, b: Relabelled) -> tuple[Expression, Expression, Relabelling] | None:
        """Two values under one relabelling, if they have one in common; a constant has any."""
        if a.by == b.by:
            return a.expression, b.expression, a.by
        if a.expression.is_const:
            return self._constant(a, b.by).expression, b.expression, b.by
        if b.expression.is_const:
            return a.expression, self._constant(b, a.by).expression, a.by
        return None

    def _offset(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        by = {code + node.value: to + node.value for code, to in args[0].by.items()}
        return Relabelled(self.graph.offset(args[0].expression, node.value), by)

    def _eq(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        both = self._alike(*args)
        a, b = both[:2] if both else map(self.written, args)
        return Relabelled(self.graph.eq(a, b), {})

    def _ite(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        condition, both = args[0].expression, self._alike(args[1], args[2])
        a, b = both[:2] if both else map(self.written, args[1:])
        return Relabelled(self.graph.ite(condition, a, b), both[2] if both else {})

    def _member(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        position = node.args[1].value
        at = self.graph.integer(args[0].by.get(position, position))
        return Relabelled(self.graph.member(args[0].expression, at), {})

    def _singleton(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        return Relabelled(self.graph.singleton(args[0].expression), args[0].by)

    def _sets(
        self, make: Callable[[Expression, Expression], Expression]
    ) -> Callable[[Expression, list[Relabelled]], Relabelled]:
        def row(node: Expression, args: list[Relabelled]) -> Relabelled:
            both = self._alike(*args)
            a, b = both[:2] if both else map(self.written, args)
            return Relabelled(make(a, b), both[2] if both else {})

        return row


def refuse_unsymmetrical(model: Model, naming: Naming, properties: Collection[str]) -> None:
    """Raise LanguageError, with line and reason, if the specification tells identifiers apart.

    `properties` are the ids of the properties that will be evaluated; the others may do what they like.
    """
    for group in naming.groups:
        for a in range(group.size - 1):
            _Exchange(model, naming, group, a).check(properties)


class _Exchange:
    """The check for two neighbouring identifiers."""

    def __init__(self, model: Model, naming: Naming, group: Group, first: int) -> None:
        self.model, self.naming, self.graph = model, naming, model.graph
        self.names: Names = group.exchange(first, first + 1)
        self.pair = f"{group.domain.value(first)} and {group.domain.value(first + 1)}"
        self.leaves = leaf_expressions(model.graph, model.protocol)
        self.exchanged = Substitution(model.graph, naming, self.names, self.leaves)

    @cached_property
    def _decider(self) -> Z3Decider:
        """Z3, which is loaded only where the nodes do not agree."""
        from ..smt.equivalence import Z3Decider

        return Z3Decider(self.graph, self.model.protocol, self.leaves)

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
                f"{one.member.name} is another for {compiled.instance.label} than for {partner.instance.label}",
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
            f"{self.pair} are not symmetric: {reason}",
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
