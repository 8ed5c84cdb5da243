"""The properties of eight states at once: a quick look at states of which hardly any shows something.

`eight(records)` looks at the states of eight records, one after the other in memory, and returns one bit for each
property that some of them shows, or that cannot be evaluated on some of them. Most often there is none, and the eight
are done; if there is, `judge` (see `program`) says of each state alone what it shows. The expressions are those of
`judge`, without its decisions: all of them are computed in all lanes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial, reduce
from itertools import islice

from ...ir.expression import Expression, reachable_nodes
from ...ir.model import CompiledInstance, Model
from ..llvm.instructions import LANE_DECLARATIONS, LANES, TRUE, Bit, LaneInstructions, Pointer, Variable, Word, word
from .expressions import Clause, ExpressionWriter, conjuncts_of, in_order, write_branches
from .program import DECLARATIONS, FAILED, INSTANCE_BITS, new_words, shown_by

MOST_NODES_OF_PROPERTIES = 4_000
"""Above so many nodes of the graph the quick look is not taken: LLVM's time grows faster than they do."""


def eight_text(model: Model, asked: int, stride: int) -> str | None:
    """The LLVM module of `eight` for the properties with these bits, and records of `stride` words.

    None if there is too much to compute.
    """
    looked_for = list(_conditions(model, asked))
    conditions = [condition for _, parts in looked_for for condition in parts]
    if len(list(reachable_nodes(conditions))) > MOST_NODES_OF_PROPERTIES:
        return None
    f = LaneInstructions("i64 @eight(ptr %records)")
    writer = _writer_of_records(f, model, stride)
    found: Word = word(0)
    for bit, parts in looked_for:
        shows = f.any_of([writer.bit(part) for part in parts])
        found = f.or_(found, f.select(shows, 1 << bit, 0))
    f.ret(f.combined(found))
    return "\n".join([*LANE_DECLARATIONS, f.text()])


def _writer_of_records(f: LaneInstructions, model: Model, stride: int) -> ExpressionWriter:
    """What writes expressions over the states of eight records at %records, of so many words each."""
    records = Pointer("%records")
    words = [
        f.gathered([f.load64(f.element(records, lane * stride + w)) for lane in range(LANES)])
        for w in range(model.layout.words)
    ]
    return ExpressionWriter(f, model.layout, words)


def _conditions(model: Model, asked: int) -> Iterator[tuple[int, list[Expression]]]:
    """Of each property of states that is asked for its bit, and the conditions under which somebody has to look."""
    for bit, property in enumerate(model.properties):
        if asked >> bit & 1 and not property.of_steps:
            failures = [failure.condition for failure in property.failures]
            yield bit, [shown_by(model, property, property.holds), *failures]


# -- eight steps ------------------------------------------------------------------------------------------------------
# The successors of eight states at once.
#
# `eight_steps(records, out, room, counts, pending)` takes the steps of eight records, one after the other in memory.
# The successors are columns of `out`, `room` numbers each: a column for each word of a state, and one for the instance
# with the number of the lane above it. Those of one state stand in the order in which `step` writes them, among those
# of the others; `counts` receives how many each state has. The result is how many there are in all, or `LOOK_CLOSER` if
# a step shows something or cannot be evaluated: then `step` says of each state alone what it is.
#
# Decisions are those of `step`, but made for eight states: a branch is skipped if none of them takes it, and what is in
# it concerns the lanes that do. Where little is left to decide, it is computed in all lanes. `room` must be at least
# eight more than eight states can have successors.

MOST_NODES_OF_STEPS = 20_000
"""Above so many nodes of the graph it is not tried: LLVM takes two seconds for half of them."""

TOGETHER = 128
"""Up to so many nodes, the conditions of some instances are computed without asking whether any lane needs them:
a branch that is predicted wrongly takes longer."""

LOOK_CLOSER = (1 << 64) - 1
"""The result where each state must be looked at alone."""

OUT, ROOM, COUNTS, PENDING = Pointer("%out"), Word("%room"), Pointer("%counts"), Word("%pending")


def eight_steps_text(model: Model, asked: int, stride: int) -> str | None:
    """The LLVM module of `eight_steps` with the properties of these bits, and records of `stride` words.

    None if there is too much to compute.
    """
    if len(list(reachable_nodes(_computed(model, asked)))) > MOST_NODES_OF_STEPS:
        return None
    return _Writer(model, asked, stride).text()


def _computed(model: Model, asked: int) -> list[Expression]:
    made: list[Expression] = []
    for compiled in model.instances:
        made += [compiled.enabled, *compiled.updates.values(), *(failure.condition for failure in compiled.failures)]
        made += [condition for _, condition in _looked_for(model, asked, compiled)]
    return made


def _looked_for(model: Model, asked: int, compiled: CompiledInstance) -> Iterator[tuple[int, Expression]]:
    """The bits of the properties of steps that are asked for, and the conditions under which somebody has to look."""
    for bit, property in enumerate(model.properties):
        if asked >> bit & 1 and property.of_steps:
            number = compiled.instance.number
            shown = shown_by(model, property, property.on_step[number])
            if shown is not model.graph.false:
                yield bit, shown
            for failure in property.step_failures.get(number, ()):
                yield bit, failure.condition


class _Writer:
    """Writes the function."""

    def __init__(self, model: Model, asked: int, stride: int) -> None:
        self.model, self.asked = model, asked
        signature = "i64 @eight_steps(ptr %records, ptr %out, i64 %room, ptr %counts, i64 %pending)"
        self.f = f = LaneInstructions(signature)
        self.writer = _writer_of_records(f, model, stride)
        self.made: Variable[Word] = f.variable(Word, 0)
        self.shown: Variable[Word] = f.variable(Word, 0)
        self.lanes: Bit = TRUE

    def text(self) -> str:
        """The module."""
        f = self.f
        f.store_lanes(f.numbered(0, 0), COUNTS)
        write_branches(self, list(self._clauses()))
        shown = f.single.and_(self.shown.get(), f.single.or_(PENDING, 1 << FAILED))
        f.ret(f.single.select(f.single.eq(shown, 0), self.made.get(), word(LOOK_CLOSER)))
        return "\n".join([DECLARATIONS, *LANE_DECLARATIONS, f.text()])

    def _clauses(self) -> Iterator[Clause]:
        """As `step` has them, so that the tree is the same."""
        for index, compiled in enumerate(self.model.instances):
            for failure in compiled.failures:
                yield Clause(conjuncts_of(failure.condition), self._fail)
            yield Clause(conjuncts_of(compiled.enabled), partial(self._instance, index, compiled))

    def _fail(self) -> None:
        self.f.return_here(word(LOOK_CLOSER))

    # -- branches ------------------------------------------------------------------------------------------------

    @contextmanager
    def _in_lanes(self, condition: Bit) -> Iterator[None]:
        """What follows is done if a condition holds in some of the lanes that are concerned, and concerns those."""
        f, before = self.f, self.lanes
        self.lanes = condition if before == TRUE else f.both(before, condition)
        with f.where(f.single.ne(f.lane_bits(self.lanes), 0)):
            yield
        self.lanes = before

    def write_together(self, clauses: Sequence[Clause]) -> bool:
        """What costs less to compute than to decide is computed in all lanes that are concerned."""
        conditions = [conjunct for clause in clauses for conjunct in clause.conjuncts]
        if any(True for _ in islice(reachable_nodes(conditions), TOGETHER, None)):
            return False
        for clause in in_order(clauses):
            first, *others = map(self.writer.bit, clause.conjuncts)
            with self._in_lanes(reduce(self.f.both, others, first)):
                clause.then()
        return True

    def where(self, condition: Expression) -> AbstractContextManager[None]:
        return self._in_lanes(self.writer.bit(condition))

    def otherwise(self, condition: Expression) -> AbstractContextManager[None]:
        return self._in_lanes(self.f.not_(self.writer.bit(condition)))

    @contextmanager
    def switch(self, subject: Expression, values: Sequence[int]) -> Iterator[Iterator[int]]:
        def cases() -> Iterator[int]:
            for value in values:
                with self._in_lanes(self.f.eq(self.writer.word(subject), value)):
                    yield value

        yield cases()

    # -- successors ----------------------------------------------------------------------------------------------

    def _instance(self, index: int, compiled: CompiledInstance) -> None:
        """Write the successors by an instance."""
        f, enabled = self.f, self.lanes
        self._note(compiled, enabled)
        at = self.made.get()
        columns: Sequence[Word] = [*new_words(self.writer, compiled.updates), f.numbered(1 << INSTANCE_BITS, index)]
        for column, value in enumerate(columns):
            start = f.element(OUT, f.single.mul(ROOM, column))
            f.store_kept(value, enabled, f.element(start, at))
        self.made.set(f.single.add(at, f.single.popcount(f.lane_bits(enabled))))
        f.store_lanes(f.add(f.load_lanes(COUNTS), f.as_word(enabled)), COUNTS)

    def _note(self, compiled: CompiledInstance, enabled: Bit) -> None:
        """Remember which of the properties that are asked for the steps show."""
        f, found = self.f, word(0)
        for bit, condition in _looked_for(self.model, self.asked, compiled):
            shows = f.both(enabled, self.writer.bit(condition))
            found = f.or_(found, f.select(shows, 1 << bit, 0))
        if found != word(0):
            self.shown.set(f.single.or_(self.shown.get(), f.combined(found)))
