"""A part of the states as a task has it: with every step from them, and the states elsewhere that these lead to."""

from __future__ import annotations

import ctypes
import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.machine import memory_limit, resident_memory
from ....base.numbers import sized
from ....ir.expression import Expression
from ....ir.graph import refuted
from ....ir.layout import Field, leaf_expressions
from ....ir.model import CompiledLiveness, Model
from ....liveness.edges import COMPONENT_BYTES, EDGE_BYTES, STATE_BYTES, Edges, FairUnit, Passes, place
from ....liveness.native import PROGRAM_LEVEL, EndsAsked, Question, first_end, kinds_of, note_ends
from ....liveness.result import NotJudged
from ....native.engine import KERNEL_LEVEL, SearchCode
from ....native.kernel.kernel import INITIAL, Shape, kernel_text, liveness_kernel_text
from ....native.llvm.jit import Compiler
from ....native.program.program import INSTANCE_BITS, labelled, liveness_program_text
from ....native.runtime.memory import Region
from ....native.runtime.worker_pool import Segment, Totals, WorkerPool, redistribute
from ..log import LogFile, read_log
from ..master import LogDamaged
from ..program import Loaded, Module, Program, loaded
from ..storage import Storage
from ..tasks import Hook

FIRST = np.uint64(INITIAL << INSTANCE_BITS)
"""Stands where the record of an initial state has its predecessor; nobody asks here for those of others."""

EXPANDED_AT_ONCE = 1 << 16
TABLE_BYTES = 16
NOWHERE = (1 << 32) - 1
"""What `numbers` says of a state that is none of these."""


class Part:
    """The states of a part by numbers, its own first, in the order of their levels; then those its steps lead to."""

    def __init__(self, code: Loaded, plan: Plan, rows: Words, rank: int) -> None:
        """`rows` are the words of each state, and its level. Raises NotJudged if there is too little memory."""
        program = code.program
        self.plan, self.rank, self.words, self.own = plan, rank, program.words, len(rows)
        rows = rows[np.argsort(rows[:, -1], kind="stable")]
        self.levels = rows[:, -1].astype(np.uint32)
        room = (8 * self.words + 8 + TABLE_BYTES) * self.own
        _require(room + (EDGE_BYTES + STATE_BYTES + COMPONENT_BYTES) * self.own)
        shipped = SearchCode(program.words, program.out_degree, program.constants, code.model)
        self._search, self._kernel = plan.search.code, plan.promises.code
        nothing = (0,) * (program.instances + 1)
        self._pool = WorkerPool(shipped, self._search, 1, Totals(nothing, nothing))
        try:
            self._adopt(rows)
            self._expand()
            step = code.model.address("step")
            refuses = _refusal
            self.edges = Edges(self._pool, self._kernel, step, plan.labels, plan.constrained, refuses, self.own)
        except BaseException:
            self._pool.close()
            raise
        self.states = self.edges.states

    def _adopt(self, rows: Words) -> None:
        """Have these states as the records of the pool."""
        rows[:, -1] = FIRST
        region = Region(max(rows.nbytes, 8))
        try:
            ctypes.memmove(region.address, rows.ctypes.data, rows.nbytes)
            redistribute(self._search, [[Segment(region.address, 0, self.own)]], self._pool, tables=True)
        finally:
            region.close()

    def _expand(self) -> None:
        """Find the states elsewhere that steps lead to."""
        while not self._pool.level_done:
            if self._pool.full:
                _require(self._pool.growth_bytes)
                self._pool.grow()
            self._pool.expand(EXPANDED_AT_ONCE)

    @contextmanager
    def connected(self) -> Iterator[Edges]:
        """The edges, once they are made, with room for who waits."""
        arrays, edges = self.edges.arrays, self.edges
        edges.make_edges(lambda: None)
        offsets = self.array("offsets", np.uint64, self.states + 1)
        offsets[self.own + 1 :] = offsets[self.own]
        self._records()[: self.own, self.words][self.levels > 0] = 0  # a run begins with none of these
        arrays.take("levels", 4 * self.states)
        self.array("levels", np.uint32)[: self.own] = self.levels
        with arrays.taken({"waiting": 8 * self.states, "without": 8 * self.states}):
            self.array("without", np.uint64)[self.own :] = np.uint64(0xFFFFFFFFFFFFFFFF)
            yield edges

    def array(self, name: str, kind: Any, length: int | None = None) -> NDArray[Any]:
        """An array of the edges, which has an element for each state unless it is said otherwise."""
        return _view(self.edges.arrays[name], kind, self.states if length is None else length)

    def of(self, numbers: NDArray[Any]) -> Words:
        """The words of some states."""
        return np.ascontiguousarray(self._records()[numbers, : self.words])

    def _records(self) -> Words:
        size = self.words + 1
        records: Words = _view(self._pool.workers[0].store.address, np.uint64, self.states * size)
        return records.reshape(-1, size)

    def numbers(self, states: Words) -> NDArray[np.uint32]:
        """The number of each of some states, which must be among the part's own."""
        place(self.edges.arrays, self.edges.kernel.stretches[0])
        states = np.ascontiguousarray(states)
        found = np.empty(len(states), np.uint32)
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        call = self._kernel.function("numbers", None, pointer, pointer, word, pointer)
        call(self.edges.arrays.address, states.ctypes.data, len(states), found.ctypes.data)
        if len(found) and int(found.max()) >= self.own:
            raise RuntimeError("a step leads to a state that the search has not found; please report this")
        return found

    def elsewhere(self, numbers: NDArray[Any], rows: Words) -> Iterator[tuple[tuple[int, int], bytes]]:
        """Rows about states that are not the part's own, for each rank and part that these are in."""
        for rank, part, found in self.plan.ranking.sorted(self.of(numbers), rows):
            if rank <= self.rank:
                raise RuntimeError("a step leads to a lower rank; please report this specification")
            yield (rank, part), found.tobytes()

    def close(self) -> None:
        """Free all memory."""
        self.edges.close()
        self._pool.close()


@contextmanager
def opened(code: Loaded, plan: Plan, rows: Words, rank: int) -> Iterator[Part]:
    """A part, as long as it is needed."""
    part = Part(code, plan, rows, rank)
    try:
        yield part
    finally:
        part.close()


def rows_of(content: bytes, size: int) -> Words:
    """Rows of so many words each."""
    return np.frombuffer(content, np.uint64).reshape(-1, size)


def _view(address: int, kind: Any, length: int) -> NDArray[Any]:
    size = np.dtype(kind).itemsize * length
    if not size:
        return np.empty(0, kind)
    return np.frombuffer((ctypes.c_char * size).from_address(address), kind)


def _refusal(more: int) -> str:
    """Why a task may not use so many more bytes, "" if it may."""
    limit = memory_limit()
    if resident_memory() + more < limit:
        return ""
    return f"memory: an executor would take another {sized(more)} for a part of the states, and has {sized(limit)}"


def _require(more: int) -> None:
    if why := _refusal(more):
        raise NotJudged(why)


# -- tasks ------------------------------------------------------------------------------------------------------------
# The tasks that check liveness properties: sort the states of the log, and check a part of them. Each gets an order and
# gives an answer; whatever is large lies in pieces of files. They depend on nothing else, so an attempt can be
# repeated, run twice at a time or thrown away.

SORTED_AT_ONCE = 1 << 20
"""So many states are sorted before they are written."""

# -- sorting ----------------------------------------------------------------------------------------------------------


def sort_states(judging: Judging, files: Sequence[tuple[int, LogFile]]) -> list[Piece]:
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

    for level, file in files:
        logged = read_log(judging.storage, file)
        states = np.frombuffer(logged.states, np.uint64, logged.count * words).reshape(-1, words)
        held.append(np.column_stack([states, np.full(logged.count, level, np.uint64)]))
        count += logged.count
        if count >= SORTED_AT_ONCE:
            write()
            count = 0
    if held:
        write()
    return pieces


# -- checking ----------------------------------------------------------------------------------------------------------


class _Judged:
    """The check of one part."""

    def __init__(self, judging: Judging, order: Order, part: Part) -> None:
        self.judging, self.order, self.part = judging, order, part
        self.plan = part.plan
        self.handed: dict[tuple[int, ...], bytes] = {}
        self.doomed: dict[tuple[int, ...], bytes] = {}
        self.failing: list[Any] = []

    def run(self) -> dict[str, Any]:
        """Check all liveness properties: what is known of each case, of ends, and what is handed on."""
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
            "handed": handed,
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
        """Find out where the liveness properties of a batch wait, and hand it on; false if one cannot be evaluated
        somewhere."""
        part = self.part
        rows = rows_of(read_pieces(self.judging.storage, self.order.received.get(number, [])), part.words + 1)
        if not passes.look(batch.module.code, received=lambda: receive(part, rows)):
            passes.graph.forget_best()
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


def judge_part(judging: Judging, order: Order) -> dict[str, Any]:
    """Check a part."""
    program = judging.program()
    rows = rows_of(read_pieces(judging.storage, order.states), program.words + 1)
    try:
        with opened(loaded(program), judging.plan(), rows, order.rank) as part:
            return _Judged(judging, order, part).run()
    except NotJudged as why:
        return {"not judged": str(why)}


# -- ranking ----------------------------------------------------------------------------------------------------------
# The rank of a state, and the part of its rank: states on one cycle have both alike. The rank adds up how far each leaf
# has gone that no step takes back. So no step leads to a lower rank, and one to the same rank changes no such leaf.
# States of a rank are given out by the values of those leaves, so a step that stays in a rank stays in its part.

# -- one way ----------------------------------------------------------------------------------------------------------
# Leaves that only ever rise, or only ever fall: epochs, counters of what bounds allow, ends of what was committed. A
# run cannot come back to where such a leaf had another value. So they cut the states into ranks: a run goes upwards,
# and every cycle lies in one of them.


@dataclass(frozen=True)
class OneWay:
    """A leaf that no step takes back: where it is in a state, the greatest code that it can have, and which way it
    goes."""

    leaf: int
    field: Field
    most: int
    rises: bool


def one_way(model: Model) -> tuple[OneWay, ...]:
    """The leaves that some step may change and of which intervals tell that none takes them back. Sets are not among
    them."""
    found = []
    for leaf, before in enumerate(leaf_expressions(model.graph, model.protocol)):
        changes = [
            (one.enabled, one.updates[leaf]) for one in model.instances if one.updates.get(leaf, before) != before
        ]
        if before.sort == "set" or before.is_const or not changes:
            continue
        for rises in (True, False):
            if all(_never(model, enabled, after, before, rises) for enabled, after in changes):
                found.append(OneWay(leaf, model.layout.fields[leaf], before.high, rises))
                break
    return tuple(found)


def _never(model: Model, enabled: Expression, after: Expression, before: Expression, rises: bool) -> bool:
    """Whether a step never takes a leaf back, as far as intervals tell."""
    graph = model.graph
    less, more = (after, before) if rises else (before, after)
    back = graph.lt(less, more) if before.sort == "int" else graph.and_(graph.not_(less), more)
    return refuted(graph.and_(enabled, back))


Words = NDArray[np.uint64]
"""A row of words for each state."""

MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number, the golden ratio's (Knuth): it spreads what is multiplied by it over the upper bits."""


@dataclass(frozen=True)
class Ranking:
    """The leaves that no step takes back: word, shift and bits of each, its greatest code, and whether it rises."""

    leaves: tuple[tuple[int, int, int, int, bool], ...]
    parts: int

    def places(self, states: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rank and the part of each state."""
        ranks = np.zeros(len(states), np.int64)
        keys = np.zeros(len(states), np.uint64)
        for word, shift, bits, most, rises in self.leaves:
            codes = states[:, word] >> np.uint64(shift) & np.uint64((1 << bits) - 1)
            far = codes.astype(np.int64)
            ranks += far if rises else most - far
            keys = (keys ^ codes) * MIX
            keys ^= keys >> np.uint64(29)
        parts = (keys >> np.uint64(32)) * np.uint64(self.parts) >> np.uint64(32)
        return ranks, parts.astype(np.int64)

    def sorted(self, states: Words, rows: NDArray[Any]) -> Iterator[tuple[int, int, NDArray[Any]]]:
        """The rows that belong to states, by rank and part; those of a part in their order."""
        if not len(states):
            return
        ranks, parts = self.places(states)
        places = ranks * self.parts + parts
        order = np.argsort(places, kind="stable")
        ends = [*np.flatnonzero(np.diff(places[order])) + 1, len(order)]
        first = 0
        for end in ends:
            rank, part = divmod(int(places[order[first]]), self.parts)
            yield rank, part, rows[order[first:end]]
            first = end


def ranking_of(model: Model, parts: int) -> Ranking:
    """The ranking of a model's states, with so many parts in each rank."""
    found = one_way(model)
    leaves = tuple((one.field.word, one.field.shift, one.field.bits, one.most, one.rises) for one in found)
    return Ranking(leaves, parts)


# -- orders -----------------------------------------------------------------------------------------------------------
# What a task of a checking is told, and what all of them need.

# -- plan -------------------------------------------------------------------------------------------------------------
# What tasks need to check liveness properties: machine code, units of fairness by labels, and the ranking of states.

Fair = tuple[tuple[FairUnit, ...], ...]
"""The units of fairness of each liveness property of a batch."""


@dataclass(frozen=True)
class Batch:
    """Up to 64 liveness properties: their code, what each assumes, and for what is left out in turn whom it
    concerns."""

    module: Module
    fair: Fair
    others: tuple[tuple[int, Fair], ...] = ()


@dataclass(frozen=True)
class Plan:
    """How to check. `ends` are the liveness properties that say where a run may end; None if nobody asks.

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

    def batch(promises: Sequence[CompiledLiveness]) -> Module:
        return Module.made(compiler, liveness_program_text(model, promises, question.fair), PROGRAM_LEVEL, False)

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
        Module.made(compiler, kernel_text(Shape(words, constrained)), KERNEL_LEVEL, True),
        Module.made(compiler, liveness_kernel_text(words, False), KERNEL_LEVEL, True),
        len(labelled(model)),
        constrained,
        tuple(batches),
        None if asked is None else tuple(Batch(batch(promises), ()) for promises in asked.batches),
        0 if asked is None else asked.wanted,
    )


# -- scratch ----------------------------------------------------------------------------------------------------------
# What tasks hand each other while liveness properties are checked: pieces of files in the storage of the search. A file
# is written once, under a name that no other attempt uses, and has a piece for each task that is to read it. What the
# driver knows of a piece (where it is, a digest of it) is checked whenever it is read. Each driver has a folder of its
# own, which it removes when all is checked.

FOLDER = "promises"


@dataclass(frozen=True)
class Piece:
    """A piece of a file: what it is for, where it lies, and the digest of what was written."""

    key: tuple[int, ...]
    name: str
    offset: int
    size: int
    digest: str


def write_pieces(storage: Storage, folder: str, contents: Mapping[tuple[int, ...], bytes]) -> list[Piece]:
    """Write what is not empty into one file of a folder. Raises OSError."""
    name, offset, pieces = f"{folder}/{uuid.uuid4().hex}", 0, []
    for key, content in contents.items():
        if content:
            pieces.append(Piece(key, name, offset, len(content), _digest(content)))
            offset += len(content)
    if pieces:
        storage.write(name, b"".join(contents.values()))
    return pieces


def read_pieces(storage: Storage, pieces: Iterable[Piece]) -> bytes:
    """What some pieces hold, one after the other. Raises LogDamaged if it is not what was written."""
    found = []
    for piece in pieces:
        try:
            content = storage.read_part(piece.name, piece.offset, piece.size)
        except OSError as error:
            raise LogDamaged(_damaged(storage, piece, f"cannot be read: {error}")) from error
        if _digest(content) != piece.digest:
            raise LogDamaged(_damaged(storage, piece, "has another content than the one that was written"))
        found.append(content)
    return b"".join(found)


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _damaged(storage: Storage, piece: Piece, what: str) -> str:
    return f"{storage.path(piece.name)} {what}.\n  The states are safe: go on with --resume last."


Case = tuple[int, int]
"""A liveness property with one choice of its parameters: the number of its batch, and its bit there."""


@dataclass(frozen=True)
class Judging:
    """What every task of a checking needs: the storage and where to write there, the search's program, how to check."""

    storage: Storage
    folder: str
    program: Callable[[], Program]
    plan: Callable[[], Plan]
    hook: Hook | None = None

    def at(self, moment: str, part: int) -> None:
        """Tell whoever wants to know."""
        if self.hook is not None:
            self.hook(moment, part)


@dataclass(frozen=True)
class Order:
    """A part to look at: its states, and what tasks before have handed on to it.

    `received` has pieces for each batch of liveness properties, those that say where a run may end after the others.
    `cases` are those that are broken somewhere and wait in this part, with pieces of what they cost to come to, and of
    which states are doomed here.
    """

    rank: int
    part: int
    states: tuple[Piece, ...]
    received: dict[int, list[Piece]] = field(default_factory=dict)
    cases: tuple[tuple[Case, tuple[Piece, ...], tuple[Piece, ...]], ...] = ()
