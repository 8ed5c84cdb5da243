"""Budgets of a protocol: leaves of its states that only say how much may still happen, such as a count of crashes.

Of two states that are the same but for their budgets, the one that has used less can do all that the other can: it
*dominates* it. A breadth-first search that meets it no later need not explore the other. For that, of a leaf x whose
smaller values are to be better, and for every typed state:

* What enables an instance does not become true where x grows, nor does what makes it fail.
* No other leaf is set to a value that depends on x, and x itself to one that does not become less where x grows.
* What a search looks for (a violation, a witness, a rule that cannot be evaluated) does not become true where x grows.
* Being inside the state constraint does not become true where x grows, nor does what makes the constraint fail.

Then each step from the greater state is a step of the same instance from the lesser one, shows the same there, and
leads to two states that are again the same but for x and ordered alike. So, by induction over levels, for every state
that a search of all states finds there is one that dominates it, no deeper, among those that the search with dominance
expands, and what the one shows the other does. Every state that this search finds is one of the protocol, found by its
steps. So verdicts and least lengths are the same. Of leaves whose greater values are better all of that holds the other
way round, and of several leaves because they can be taken one after the other.

The form of the expressions decides nearly always; where one mixes both directions, the solver is asked about all typed
states. What it does not know counts as no.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from epochal.spec.language import Member
from epochal.spec.language.domains import SetDomain

from ..base.installed import solver_problem
from ..ir.expression import Expression, Op, evaluate, leaves_read, reachable_nodes
from ..ir.graph import Graph
from ..ir.layout import Field, canonical, leaf_expressions
from ..ir.model import COPY, CompiledProperty, Failure, Model
from ..symmetry.canonical import Naming, relabelling

if TYPE_CHECKING:
    from ..smt.terms import Z3Decider

RANK_BITS = 12
"""All budgets of a protocol take at most so many bits: a state may be compared with all that differ by them."""

EVALUATED = 64
"""Of an expression of one leaf with at most so many values, all are computed."""


@dataclass(frozen=True)
class BudgetLeaf:
    """A leaf of the states of a protocol by which states dominate others: less is better, or more if it `counts_down`.

    `field` is where it lies in a packed state, `at` the first of its bits in the rank of a state, which has those of
    all budgets.
    """

    leaf: int
    path: str
    field: Field
    counts_down: bool
    at: int

    @property
    def mask(self) -> int:
        """The bits of its field, from the lowest on."""
        return (1 << self.field.bits) - 1

    @property
    def turned(self) -> int:
        """What turns its code over where more is better, so that less is."""
        return self.mask if self.counts_down else 0

    def used(self, codes: Sequence[int]) -> int:
        """How much of it is used in a state: the less, the better."""
        return codes[self.leaf] ^ self.turned


class Budgets:
    """The budgets of a search, by the numbers of their leaves, each with whether it counts down.

    `core` and `dominates` say of states what the kernel says of packed ones.
    """

    def __init__(self, model: Model, chosen: Mapping[int, bool]) -> None:
        found: list[BudgetLeaf] = []
        at = 0
        for leaf, counts_down in sorted(chosen.items()):
            of, field = model.protocol.leaves[leaf], model.layout.fields[leaf]
            found.append(BudgetLeaf(leaf, of.path, field, counts_down, at))
            at += field.bits
        self.chosen, self.found = dict(chosen), tuple(found)
        self.core_masks = [(1 << 64) - 1] * model.layout.words
        for one in found:
            self.core_masks[one.field.word] &= ~one.field.mask
        self._beside = frozenset(one.leaf for one in found)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of their leaves."""
        return tuple(one.path for one in self.found)

    @property
    def vectors(self) -> int:
        """How many states there may be that differ by budgets only."""
        total = 1
        for one in self.found:
            total *= one.mask + 1
        return total

    def core(self, codes: Sequence[int]) -> tuple[int, ...]:
        """A state without its budgets."""
        return tuple(code for leaf, code in enumerate(codes) if leaf not in self._beside)

    def dominates(self, codes: Sequence[int], other: Sequence[int]) -> bool:
        """Whether a state dominates another one that has the same core."""
        return codes != other and all(one.used(codes) <= one.used(other) for one in self.found)


def budgets_of(model: Model, members: Collection[Member], naming: Naming | None = None) -> Budgets:
    """The budgets of a compiled protocol for a search that looks for these properties.

    With the naming of a search of representatives, a leaf that a renaming moves or relabels is none. Budgets that take
    more bits than `RANK_BITS` together are left out, the largest first.
    """
    analysis = _Analysis(model, members)
    moving = set[int]() if naming is None else _moved(naming)
    chosen: dict[int, bool] = {}
    room = RANK_BITS
    candidates = [leaf for leaf in analysis.candidates() if leaf not in moving]
    for leaf in sorted(candidates, key=lambda leaf: (model.layout.fields[leaf].bits, leaf)):
        bits = model.layout.fields[leaf].bits
        if bits <= room and (counts_down := analysis.counts_down(leaf)) is not None:
            chosen[leaf] = counts_down
            room -= bits
    return Budgets(model, chosen)


def _moved(naming: Naming) -> set[int]:
    """The leaves that some exchange of two neighbouring identifiers moves or relabels."""
    exchanges = [group.exchange(i, i + 1) for group in naming.groups for i in range(group.size - 1)]
    return {
        leaf
        for names in exchanges
        for leaf, place in enumerate(naming.places)
        if naming.target(leaf, names) != leaf or relabelling(place.domain, names)
    }


# -- direction --------------------------------------------------------------------------------------------------------
# What becomes of an expression where a leaf grows, as its form says: bits that say that it may rise, and that it may
# fall. Truth values are numbers, and sets may change in any way.

RISES, FALLS = 1, 2
ANYHOW = RISES | FALLS


def turned(direction: int) -> int:
    """The direction of what is taken from something, or of the contrary."""
    return (direction & RISES) << 1 | direction >> 1


class Directions:
    """The directions of expressions in one leaf, of which there are `size` values."""

    def __init__(self, leaf: int, size: int, leaves: int) -> None:
        self._leaf, self._size, self._leaves = leaf, size, leaves
        self._known: dict[int, int] = {}

    def __call__(self, root: Expression) -> int:
        """The direction of an expression."""
        if not root.leaves >> self._leaf & 1:
            return 0
        for node in reachable_nodes([root], self._known):
            self._known[node.id] = self._of(node)
        return self._known[root.id]

    def _of(self, node: Expression) -> int:
        if not node.leaves >> self._leaf & 1:
            return 0
        found = self._by_form(node)
        if found == ANYHOW and node.leaves == 1 << self._leaf and node.sort != "set" and self._size <= EVALUATED:
            return self._by_values(node)
        return found

    def _by_form(self, node: Expression) -> int:
        row = BY_FORM.get(node.op)
        return ANYHOW if row is None else row(node, [self._known[arg.id] for arg in node.args])

    def _by_values(self, node: Expression) -> int:
        values = []
        for code in range(self._size):
            codes = [0] * self._leaves
            codes[self._leaf] = code
            values += evaluate([node], codes)
        pairs = list(pairwise(values))
        return RISES * any(a < b for a, b in pairs) | FALLS * any(a > b for a, b in pairs)


def _together(node: Expression, args: list[int]) -> int:
    found = 0
    for arg in args:
        found |= arg
    return found


def _is_positive(node: Expression) -> bool:
    return node.is_const and node.value > 0


def _product(node: Expression, args: list[int]) -> int:
    if not any(arg.is_const for arg in node.args):
        return ANYHOW
    by = next(arg.value for arg in node.args if arg.is_const)
    moving = args[0] | args[1]
    return moving if by > 0 else turned(moving)


BY_FORM: dict[Op, Callable[[Expression, list[int]], int]] = {
    Op.FIELD: lambda node, args: RISES if node.sort != "set" else ANYHOW,
    Op.OFFSET: _together,
    Op.ADD: _together,
    Op.MIN: _together,
    Op.MAX: _together,
    Op.AND: _together,
    Op.OR: _together,
    Op.NOT: lambda node, args: turned(args[0]),
    Op.SUB: lambda node, args: args[0] | turned(args[1]),
    Op.LT: lambda node, args: turned(args[0]) | args[1],
    Op.MUL: _product,
    Op.FLOORDIV: lambda node, args: args[0] if _is_positive(node.args[1]) else ANYHOW,
    Op.ITE: lambda node, args: ANYHOW if args[0] or node.sort == "set" else args[1] | args[2],
}
"""The direction of a node from those of its arguments, for the operators of which it says anything."""


# -- conditions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Condition:
    """A conjunction: all of some expressions are true, and none of others."""

    true: tuple[Expression, ...]
    false: tuple[Expression, ...] = ()

    @property
    def leaves(self) -> int:
        """A bit for each leaf that it depends on."""
        found = 0
        for one in (*self.true, *self.false):
            found |= one.leaves
        return found

    def direction(self, of: Directions) -> int:
        """What becomes of it where a leaf grows."""
        found = 0
        for one in self.true:
            found |= of(one)
        for one in self.false:
            found |= turned(of(one))
        return found


class _Analysis:
    """What has to be known of a compiled protocol to find its budgets."""

    def __init__(self, model: Model, members: Collection[Member]) -> None:
        self.model = model
        self.names = {member.name for member in members}
        self.conditions = [one for one in dict.fromkeys(self._conditions()) if one.leaves]

    def candidates(self) -> Iterator[int]:
        """The leaves that some step may change, and on which no other leaf's new value depends.

        None that says how a state is written: the end of a log, whether a record is there, or what is in these.
        """
        graph, protocol = Graph(), self.model.protocol
        tied = leaves_read(canonical(graph, protocol, leaf_expressions(graph, protocol)))
        read, changed = self._read_by_others(), self._changed()
        for leaf, of in enumerate(protocol.leaves):
            plain = leaf not in tied and of.domain.size > 1 and not isinstance(of.domain, SetDomain)
            if plain and leaf in changed and not read >> leaf & 1:
                yield leaf

    def _changed(self) -> frozenset[int]:
        """The leaves that may ever have another value than in the beginning."""
        initial = self.model.protocol.initial_states()
        return frozenset(
            leaf
            for instance in self.model.instances
            for leaf, value in instance.updates.items()
            if not (value.is_const and all(codes[leaf] == value.value for codes in initial))
        )

    def _read_by_others(self) -> int:
        """A bit for each leaf on which the new value of another depends."""
        read = 0
        for instance in self.model.instances:
            for leaf, value in instance.updates.items():
                read |= value.leaves & ~(1 << leaf)
        return read

    def counts_down(self, leaf: int) -> bool | None:
        """Whether more of it is better, less if not; None if it is no budget."""
        size = self.model.protocol.leaves[leaf].domain.size
        of = Directions(leaf, size, len(self.model.protocol.leaves))
        undecided: list[Condition] = []
        found = 0
        for condition in self.conditions:
            if condition.leaves >> leaf & 1:
                direction = condition.direction(of)
                if direction == ANYHOW:
                    undecided.append(condition)
                else:
                    found |= direction
        values = [(enabled, value) for enabled, value in self._values(leaf) if of(value) & FALLS]
        if found == ANYHOW:
            return None
        for counts_down in (False, True):
            if found in (0, RISES if counts_down else FALLS) and self._decided(leaf, undecided, values, counts_down):
                return counts_down
        return None

    def _decided(
        self,
        leaf: int,
        conditions: Sequence[Condition],
        values: Sequence[tuple[Expression, Expression]],
        counts_down: bool,
    ) -> bool:
        """Whether the solver says that these conditions do not become true, and values not less, where a leaf grows (or
        shrinks)."""
        if not (conditions or values):
            return True
        if solver_problem():
            return False
        solver = self._solver
        return all(solver.holds(leaf, one, counts_down) for one in conditions) and all(
            solver.rises(leaf, enabled, value) for enabled, value in values
        )

    def _values(self, leaf: int) -> list[tuple[Expression, Expression]]:
        """The new values of a leaf, each with what enables the step."""
        return [(one.enabled, one.updates[leaf]) for one in self.model.instances if leaf in one.updates]

    @cached_property
    def _solver(self) -> _Solver:
        return _Solver(self.model)

    # -- what has to be so ----------------------------------------------------------------------------------------

    def _conditions(self) -> Iterator[Condition]:
        """Everything that must not become true where a budget is used."""
        yield from self._enabling()
        yield from self._failing()
        for one in self.model.properties:
            if one.member.name in self.names:
                yield from self._of_property(one)
        yield from self._within()

    def _enabling(self) -> Iterator[Condition]:
        """That a step can be taken."""
        return (Condition((instance.enabled,)) for instance in self.model.instances)

    def _failing(self) -> Iterator[Condition]:
        """That an action cannot be evaluated."""
        for instance in self.model.instances:
            yield from (Condition((failure.condition,)) for failure in instance.failures)

    def _within(self) -> Iterator[Condition]:
        """That a state is inside the constraint, and that it cannot be told."""
        failing = tuple(failure.condition for failure in self.model.constraint_failures)
        yield Condition((self.model.constraint,), failing)
        yield from (Condition((one,)) for one in failing)

    def _of_property(self, one: CompiledProperty) -> Iterator[Condition]:
        """That it is shown, and that it cannot be evaluated."""
        if not one.of_steps:
            yield _shown(one, one.holds, (), one.failures)
            yield from (Condition((failure.condition,)) for failure in one.failures)
            return
        for instance in self.model.instances:
            number = instance.instance.number
            failures = one.step_failures.get(number, ())
            yield _shown(one, one.on_step[number], (instance.enabled,), failures)
            yield from (Condition((instance.enabled, failure.condition)) for failure in failures)


def _shown(
    one: CompiledProperty, holds: Expression, where: tuple[Expression, ...], failures: Sequence[Failure]
) -> Condition:
    """That a property is violated, or its witness found, and that it can be evaluated."""
    failing = tuple(failure.condition for failure in failures)
    if one.member.mark.kind == "reachable":
        return Condition((*where, holds), failing)
    return Condition(where, (holds, *failing))


# -- solver -----------------------------------------------------------------------------------------------------------


class _Solver:
    """Z3, asked about two states that differ by one of one leaf. The expressions are copies: what is asked leaves the
    graph of the model as it was."""

    def __init__(self, model: Model) -> None:
        self.model, self.graph = model, Graph()
        self.leaves = leaf_expressions(self.graph, model.protocol)
        self._lesser: dict[int, Expression] = {}
        self._greater: dict[int, dict[int, Expression]] = {}

    @cached_property
    def _decider(self) -> Z3Decider:
        from ..smt.terms import Z3Decider

        return Z3Decider(self.graph, self.model.protocol, self.leaves)

    def holds(self, leaf: int, condition: Condition, counts_down: bool) -> bool:
        """Whether a condition does not become true where the leaf grows by one, or shrinks by one if it counts down."""
        lesser, greater = (self._written(condition, leaf, more) for more in (False, True))
        before, after = (greater, lesser) if counts_down else (lesser, greater)
        return self._never(self.graph.and_(after, self.graph.not_(before)), leaf)

    def rises(self, leaf: int, enabled: Expression, value: Expression) -> bool:
        """Whether a new value does not become less where the leaf grows by one, in states that enable the step."""
        lesser, greater = (self._copy(value, leaf, more) for more in (False, True))
        if value.sort == "bool":
            less = self.graph.and_(lesser, self.graph.not_(greater))
        else:
            less = self.graph.lt(greater, lesser)
        both = [self._copy(enabled, leaf, more) for more in (False, True)]
        return self._never(self.graph.all_of([less, *both]), leaf)

    def _never(self, condition: Expression, leaf: int) -> bool:
        field = self.leaves[leaf]
        grows = self.graph.not_(field) if field.sort == "bool" else self.graph.lt(field, self.graph.integer(field.high))
        return condition is self.graph.false or self._decider.agree(condition, self.graph.false, grows)

    def _written(self, condition: Condition, leaf: int, more: bool) -> Expression:
        true = [self._copy(one, leaf, more) for one in condition.true]
        return self.graph.all_of([*true, *(self.graph.not_(self._copy(one, leaf, more)) for one in condition.false)])

    def _copy(self, root: Expression, leaf: int, more: bool) -> Expression:
        """An expression in a state, or in the one with one more of a leaf."""
        graph, made = self.graph, self._greater.setdefault(leaf, {}) if more else self._lesser
        for node in reachable_nodes([root], made):
            if more and node.op is Op.FIELD and node.value == leaf:
                field = self.leaves[leaf]
                made[node.id] = graph.true if field.sort == "bool" else graph.offset(field, 1)
            else:
                made[node.id] = COPY[node.op](graph, node, [made[arg.id] for arg in node.args])
        return made[root.id]
