"""The properties of eight states at once: a quick look at states of which hardly any shows something.

`eight(records)` looks at the states of eight records, one after the other in memory, and returns one bit for each
property that some of them shows, or that cannot be evaluated on some of them. Most often there is none, and the eight
are done; if there is, `judge` (see `program`) says of each state alone what it shows. The expressions are those of
`judge`, without its decisions: all of them are computed in all lanes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...ir.expression import Expression, reachable_nodes
from ...ir.model import Model
from ..llvm.lanes import LANE_DECLARATIONS, LANES, LaneInstructions
from ..llvm.operands import Pointer, Word, word
from .expressions import ExpressionWriter
from .program import shown_by

MOST_NODES = 4_000
"""Above so many nodes of the graph the quick look is not taken: LLVM's time grows faster than they do."""


def eight_text(model: Model, asked: int, stride: int) -> str | None:
    """The LLVM module of `eight` for the properties with these bits, and records of `stride` words.

    None if there is too much to compute.
    """
    looked_for = list(_conditions(model, asked))
    conditions = [condition for _, parts in looked_for for condition in parts]
    if len(list(reachable_nodes(conditions))) > MOST_NODES:
        return None
    f = LaneInstructions("i64 @eight(ptr %records)")
    records = Pointer("%records")
    words = [
        f.gathered([f.load64(f.element(records, lane * stride + w)) for lane in range(LANES)])
        for w in range(model.layout.words)
    ]
    writer = ExpressionWriter(f, model.layout, words)
    found: Word = word(0)
    for bit, parts in looked_for:
        shows = f.any_of([writer.bit(part) for part in parts])
        found = f.or_(found, f.select(shows, 1 << bit, 0))
    f.ret(f.combined(found))
    return "\n".join([*LANE_DECLARATIONS, f.text()])


def _conditions(model: Model, asked: int) -> Iterator[tuple[int, list[Expression]]]:
    """Of each property of states that is asked for its bit, and the conditions under which somebody has to look."""
    for bit, property in enumerate(model.properties):
        if asked >> bit & 1 and not property.of_steps:
            failures = [failure.condition for failure in property.failures]
            yield bit, [shown_by(model, property, property.holds), *failures]
