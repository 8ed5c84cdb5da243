"""The successors of eight states at once, for protocols whose steps are cheap to make in all lanes.

`eight_steps(records, out, room, counts, pending)` takes the steps of eight records, one after the other in memory. The
successors are columns of `out`, `room` numbers each: a column for each word of a state, and one for the instance with
the number of the lane above it. Those of one state stand in the order in which `step` writes them, among those of the
others; `counts` receives how many each state has. The result is how many there are in all, or `LOOK_CLOSER` if a step
shows something or cannot be evaluated: then `step` says of each state alone what it is.

Conditions are computed in all lanes; what a step changes, only if some lane takes it. `room` must be at least eight
more than eight states can have successors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ir.expression import Expression, reachable_nodes
from ...ir.model import CompiledInstance, Model
from ..llvm.instructions import Variable
from ..llvm.lanes import LANE_DECLARATIONS, LANES, LaneInstructions
from ..llvm.operands import Bit, Pointer, Word, word
from .expressions import ExpressionWriter
from .program import DECLARATIONS, FAILED, INSTANCE_BITS, new_words, shown_by, step_order

MOST_NODES = 4_000
"""Above so many nodes of the graph it is slower than one state at a time, and LLVM's time grows faster than they do."""

LOOK_CLOSER = (1 << 64) - 1
"""The result where each state must be looked at alone."""

OUT, ROOM, COUNTS, PENDING = Pointer("%out"), Word("%room"), Pointer("%counts"), Word("%pending")


def eight_steps_text(model: Model, asked: int, stride: int) -> str | None:
    """The LLVM module of `eight_steps` with the properties of these bits, and records of `stride` words.

    None if there is too much to compute.
    """
    if len(list(reachable_nodes(_computed(model, asked)))) > MOST_NODES:
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
        records = Pointer("%records")
        words = [
            f.gathered([f.load64(f.element(records, lane * stride + w)) for lane in range(LANES)])
            for w in range(model.layout.words)
        ]
        self.writer = ExpressionWriter(f, model.layout, words)
        self.made: Variable[Word] = f.variable(Word, 0)
        self.shown: Variable[Word] = f.variable(Word, 0)

    def text(self) -> str:
        """The module."""
        f, model = self.f, self.model
        f.store_lanes(f.numbered(0, 0), COUNTS)
        failures = [self.writer.bit(failure.condition) for one in model.instances for failure in one.failures]
        if failures:
            with f.where(self._somewhere(f.any_of(failures))):
                f.return_here(word(LOOK_CLOSER))
        for index in step_order(model):
            self._instance(index, model.instances[index])
        shown = f.single.and_(self.shown.get(), f.single.or_(PENDING, 1 << FAILED))
        f.ret(f.single.select(f.single.eq(shown, 0), self.made.get(), word(LOOK_CLOSER)))
        return "\n".join([DECLARATIONS, *LANE_DECLARATIONS, f.text()])

    def _somewhere(self, condition: Bit) -> Bit:
        return self.f.single.ne(self.f.lane_bits(condition), 0)

    def _instance(self, index: int, compiled: CompiledInstance) -> None:
        """Write the successors by an instance."""
        f, enabled = self.f, self.writer.bit(compiled.enabled)
        lanes = f.lane_bits(enabled)
        with f.where(f.single.ne(lanes, 0)):
            self._note(compiled, enabled)
            at = self.made.get()
            columns: Sequence[Word] = [*new_words(self.writer, compiled.updates), f.numbered(1 << INSTANCE_BITS, index)]
            for column, value in enumerate(columns):
                start = f.element(OUT, f.single.mul(ROOM, column))
                f.store_kept(value, enabled, f.element(start, at))
            self.made.set(f.single.add(at, f.single.popcount(lanes)))
            f.store_lanes(f.add(f.load_lanes(COUNTS), f.as_word(enabled)), COUNTS)

    def _note(self, compiled: CompiledInstance, enabled: Bit) -> None:
        """Remember which of the properties that are asked for the steps show."""
        f, found = self.f, word(0)
        for bit, condition in _looked_for(self.model, self.asked, compiled):
            shows = f.both(enabled, self.writer.bit(condition))
            found = f.or_(found, f.select(shows, 1 << bit, 0))
        if found != word(0):
            self.shown.set(f.single.or_(self.shown.get(), f.combined(found)))
