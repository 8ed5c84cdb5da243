"""The tasks that judge promises: sort the states of the log, and judge a part of them.

Each gets an order and gives an answer; whatever is large lies in pieces of files. They depend on nothing else, so an
attempt can be repeated, run twice at a time or thrown away.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....liveness.native_arrays import NotJudged
from ....liveness.native_ends import first_end, kinds_of, note_ends
from ....liveness.passes import Passes
from ..log import LogFile, read_log
from ..program import loaded
from .orders import Judging, Order, order_of
from .part import Part, opened, rows_of
from .plan import Batch
from .scratch import Piece, read_pieces, write_pieces

SORTED_AT_ONCE = 1 << 20
"""So many states are sorted before they are written."""

# -- sorting ----------------------------------------------------------------------------------------------------------


def sort_states(judging: Judging, text: str) -> str:
    """Put the states of some files of the log into pieces, by rank and part; each with its level."""
    ranking, words = judging.plan().ranking, judging.program().words
    pieces, held, count = list[Piece](), list[NDArray[np.uint64]](), 0

    def write() -> None:
        rows = np.concatenate(held)
        found: dict[tuple[int, ...], bytes] = {
            (rank, part): one.tobytes() for rank, part, one in ranking.sorted(rows, rows)
        }
        pieces.extend(write_pieces(judging.storage, judging.folder, found))
        held.clear()

    for level, document in json.loads(text):
        logged = read_log(judging.storage, LogFile(**document))
        states = np.frombuffer(logged.states, np.uint64, logged.count * words).reshape(-1, words)
        held.append(np.column_stack([states, np.full(logged.count, level, np.uint64)]))
        count += logged.count
        if count >= SORTED_AT_ONCE:
            write()
            count = 0
    if held:
        write()
    return json.dumps([piece.document() for piece in pieces])


# -- judging ----------------------------------------------------------------------------------------------------------


class _Judged:
    """The judging of one part."""

    def __init__(self, judging: Judging, order: Order, part: Part) -> None:
        self.judging, self.order, self.part = judging, order, part
        self.plan = part.plan
        self.handed: dict[tuple[int, ...], bytes] = {}
        self.doomed: dict[tuple[int, ...], bytes] = {}
        self.failing: list[Any] = []

    def run(self) -> dict[str, Any]:
        """Judge all promises: what is known of each case, of ends, and what is handed on."""
        plan, part = self.plan, self.part
        with part.connected() as edges:
            passes = Passes(edges, lambda: None)
            passes.find_components()
            cases = [self.batch(passes, number, batch) for number, batch in enumerate(plan.batches)]
            ends = self.ends(passes) if plan.ends is not None else []
        self.judging.at("judged", self.order.part)
        handed = write_pieces(self.judging.storage, self.judging.folder, {**self.handed, **self.doomed})
        self.judging.at("handed on", self.order.part)
        return {
            "cases": cases,
            "ends": ends,
            "failing": self.failing,
            "handed": [piece.document() for piece in handed],
            "memory": edges.arrays.most,
        }

    def batch(self, passes: Passes, number: int, batch: Batch) -> list[Any]:
        """What is known of each case, and of what is left out in turn how many states are doomed then."""
        if not self.look(passes, number, batch):
            return []

        def tell(bit: int) -> None:
            found = self.part.array("doomed", np.uint32)[: self.part.own]
            states = np.flatnonzero(found)
            about = states.astype(np.uint64) | found[states].astype(np.uint64) << np.uint64(32)
            self.doomed[number, bit] = np.column_stack([self.part.of(states), about]).tobytes()

        verdicts = passes.verdicts(batch.fair, tell=tell)
        others = [[one.doomed for one in passes.verdicts(fair, bits)] if bits else [] for bits, fair in batch.others]
        return [[[one.waiting, one.stopped, one.doomed] for one in verdicts], others]

    def look(self, passes: Passes, number: int, batch: Batch) -> bool:
        """Find out where the promises of a batch wait, and hand it on; false if one cannot be evaluated somewhere."""
        part = self.part
        rows = rows_of(read_pieces(self.judging.storage, self.order.received.get(number, [])), part.words + 1)
        if not passes.look(batch.module.code, received=lambda: receive(part, rows)):
            passes.forget_best()
            passes.kernel.over_states("first_failing")
            self.failing.append([number, *self.first()])
            return False
        waiting = part.array("waiting", np.uint64)
        beyond = part.own + np.flatnonzero(waiting[part.own :])
        if len(beyond):
            handed = np.column_stack([part.of(beyond), waiting[beyond]])
            for (rank, to), content in part.elsewhere(beyond, handed):
                self.handed[number, rank, to] = content
        return True

    def ends(self, passes: Passes) -> list[Any]:
        """How many ends there are of each kind, and the first of those that are wrong."""
        graph, plan = passes.graph, self.plan
        with graph.arrays.taken({"ends": 4 * graph.states}):
            for number, batch in enumerate(plan.ends or ()):
                if not self.look(passes, len(plan.batches) + number, batch):
                    return []
                note_ends(graph, number == 0)
            kinds = kinds_of(graph)
            first_end(graph, plan.wanted)
            return [kinds, self.first() if kinds[plan.wanted - 1] else []]

    def first(self) -> list[Any]:
        """The level, the hash and the words of the state that is kept as the best."""
        arrays = self.part.edges.arrays
        words = self.part.of(np.array([arrays["best"]]))[0].tolist()
        return [arrays["best_cost"], arrays["best_hash"], words]


def receive(part: Part, rows: NDArray[np.uint64]) -> None:
    """Note who waits because of states elsewhere, and forget it of states that are not the part's own."""
    waiting, without = part.array("waiting", np.uint64), part.array("without", np.uint64)
    waiting[part.own :] = 0
    if len(rows):
        numbers = part.numbers(rows[:, : part.words])
        np.bitwise_or.at(waiting, numbers, rows[:, part.words] & without[numbers])


def judge_part(judging: Judging, text: str) -> str:
    """Judge a part."""
    order, program = order_of(text), judging.program()
    rows = rows_of(read_pieces(judging.storage, order.states), program.words + 1)
    try:
        with opened(loaded(program), judging.plan(), rows, order.rank) as part:
            return json.dumps(_Judged(judging, order, part).run())
    except NotJudged as why:
        return json.dumps({"not judged": str(why)})
