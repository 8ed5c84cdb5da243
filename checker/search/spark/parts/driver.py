"""The driver of a checking by executors: rank by rank, so that who waits is known before the states that it leads to.

A task steps from each state twice: for the states elsewhere that its part leads to, and for the edges. What goes from
part to part is which of those are led to by a waiting state. A second round, for broken liveness properties alone,
finds how far each waiting state is, and from where it is come to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epochal.spec.language import Protocol

from ....base.processes import supervised
from ....ir.expression import evaluate
from ....ir.layout import state_hash
from ....ir.model import CompiledLiveness
from ....liveness.edges import ALL, Passes
from ....liveness.native import EndsAsked, Question, ends_asked
from ....liveness.result import OUTSIDE, CaseResult, Doom, Explored, Liveness, LivenessFails, NotJudged, lasso
from ....native.backend import INSIDE, Stepper
from ....native.kernel.kernel import FAR, STAYS
from ....native.program.program import labelled
from ....semantics.properties import Unit
from ....trace.run import Codes, PlainRun
from ....trace.trace import Trace
from ...budget import Budget
from ..log import Manifest
from ..master import ClusterError
from ..program import Program, loaded
from ..session import plain
from ..storage import Hold, Storage
from ..tasks import Hook, Supersteps
from ..walk import Walker
from .part import (
    FOLDER,
    NOWHERE,
    Case,
    Judging,
    Order,
    Part,
    Piece,
    Words,
    judge_part,
    make_plan,
    opened,
    read_pieces,
    receive,
    rows_of,
    sort_states,
    write_pieces,
)

Task = Callable[[Judging, Any], Any]
Place = tuple[int, int]
"""Rank and part."""


@dataclass(frozen=True)
class Cluster:
    """What a checking runs on: `spark` for many states at a time, this process for fewer than `threshold`."""

    spark: Supersteps
    program: Program
    storage: Storage
    hold: Hold
    parts: int
    threshold: int
    hook: Hook | None = None


@dataclass
class _Totals:
    """What tasks have answered so far."""

    cases: dict[Case, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))
    waiting: dict[Case, set[Place]] = field(default_factory=lambda: defaultdict(set))
    others: dict[tuple[int, int, int], int] = field(default_factory=lambda: defaultdict(int))
    kinds: list[int] = field(default_factory=lambda: [0, 0, 0])
    wrong: list[list[Any]] = field(default_factory=list)
    failing: list[list[Any]] = field(default_factory=list)
    memory: int = 0


class JudgedByParts:
    """One check of liveness properties by the tasks of a cluster."""

    def __init__(
        self, cluster: Cluster, question: Question, walker: Walker, manifest: Manifest, budget: Budget
    ) -> None:
        self.cluster, self.question, self.walker = cluster, question, walker
        self.manifest, self.budget = manifest, budget
        self.asked: EndsAsked | None = ends_asked(question.model) if question.deadlock else None
        self.plan = make_plan(question, cluster.parts, self.asked)
        program, plan, storage = cluster.program, self.plan, cluster.storage
        folder = f"{FOLDER}/{cluster.hold.driver}"
        self.here = Judging(storage, folder, lambda: program, lambda: plan, cluster.hook)
        self.there = Judging(storage, folder, cluster.spark.program, cluster.spark.share(plan), cluster.hook)
        self.row = 8 * (program.words + 1)
        self.states: dict[Place, list[Piece]] = defaultdict(list)
        self.received: dict[Place, dict[int, list[Piece]]] = defaultdict(lambda: defaultdict(list))
        self.doomed: dict[tuple[Case, Place], list[Piece]] = defaultdict(list)
        self.totals = _Totals()
        self.doing = ""

    def run(self) -> Liveness:
        """Check. Raises NotJudged, LivenessFails, OSError, LogDamaged or ClusterError."""
        storage, hold = self.cluster.storage, self.cluster.hold
        hold.remove_folder(storage, FOLDER)  # of drivers before
        try:
            self.sort()
            ranks = self.ranks()
            for number, (rank, places) in enumerate(ranks, start=1):
                self.doing = f"checking liveness, {number} of {len(ranks)}"
                self.judge(rank, places)
            self.require_evaluated()
            traces = self.traces()
            return self.answer(traces)
        finally:
            hold.remove_own(storage, FOLDER)

    # -- tasks ----------------------------------------------------------------------------------------------------

    def each(self, task: Task, orders: Sequence[Any], states: int) -> list[Any]:
        """What a task answers to each order, which are about so many states."""
        self.check()
        if states < self.cluster.threshold:
            answers = [task(self.here, order) for order in orders]
        else:
            spark, there = self.cluster.spark, self.there

            def work() -> list[Any]:
                try:
                    return spark.each(self.doing, lambda order: task(there, order), orders)
                except (ClusterError, OSError, MemoryError):
                    raise
                except Exception as error:  # whatever Py4J and Spark raise when a task fails
                    raise ClusterError(
                        f"checking liveness on Spark failed: {plain(error)}\n"
                        "  The states are safe in --storage: mend the cause and go on with --resume last."
                    ) from error

            answers = supervised(work, spark.cancel, self.check)
        for answer in answers:
            if isinstance(answer, dict) and "not judged" in answer:
                raise NotJudged(answer["not judged"])
        return answers

    def check(self) -> None:
        """Raise NotJudged if a budget is spent."""
        manifest = self.manifest
        now = self.budget.snapshot(manifest.states, sum(manifest.totals.steps), manifest.depth, 0)
        if stopped := self.budget.spent(replace(now, doing=self.doing)):
            raise NotJudged(str(stopped))

    def sort(self) -> None:
        """Have the states of the log in pieces by rank and part."""
        self.doing = "sorting the states for liveness"
        files = [(n, file) for n, level in enumerate(self.manifest.levels) for file in level.written]
        parts = self.cluster.parts
        orders = [files[part::parts] for part in range(parts) if files[part::parts]]
        for pieces in self.each(sort_states, orders, self.manifest.states):
            for piece in pieces:
                self.states[piece.key[0], piece.key[1]].append(piece)

    def ranks(self) -> list[tuple[int, list[Place]]]:
        """The ranks upwards, with their parts."""
        ranks = sorted({rank for rank, _ in self.states})
        return [(rank, sorted(place for place in self.states if place[0] == rank)) for rank in ranks]

    def count(self, places: Iterable[Place]) -> int:
        """How many states some parts have."""
        return sum(piece.size // self.row for place in places for piece in self.states[place])

    def judge(self, rank: int, places: Sequence[Place]) -> None:
        """Check the parts of a rank."""
        orders = [Order(*place, tuple(self.states[place]), dict(self.received[place])) for place in places]
        answers = self.each(judge_part, orders, self.count(places))
        for place, answer in zip(places, answers, strict=True):
            self.note(place, answer)

    def note(self, place: Place, answer: dict[str, Any]) -> None:
        """Add what is known of a part."""
        totals = self.totals
        totals.memory = max(totals.memory, answer["memory"])
        totals.failing += answer["failing"]
        for batch, known in enumerate(answer["cases"]):
            verdicts, others = known or ([], [])
            for bit, verdict in enumerate(verdicts):
                of = totals.cases[batch, bit]
                of[:] = [a + b for a, b in zip(of, verdict, strict=True)]
                if verdict[0]:
                    totals.waiting[batch, bit].add(place)
            for other, doomed in enumerate(others):
                for bit, count in enumerate(doomed):
                    totals.others[batch, other, bit] += count
        if answer["ends"]:
            kinds, first = answer["ends"]
            totals.kinds = [a + b for a, b in zip(totals.kinds, kinds, strict=True)]
            totals.wrong += [first] if first else []
        for piece in answer["handed"]:
            if len(piece.key) == 2:
                self.doomed[(piece.key[0], piece.key[1]), place].append(piece)
            else:
                batch, *to = piece.key
                self.received[to[0], to[1]][batch].append(piece)

    # -- what is known --------------------------------------------------------------------------------------------

    def require_evaluated(self) -> None:
        """Raise LivenessFails if a liveness property cannot be evaluated somewhere: in the first of these states."""
        if not self.totals.failing:
            return
        batch, level, _, words = min(self.totals.failing)
        asked = [] if self.asked is None else self.asked.batches
        raise LivenessFails(self.walker.run(level, tuple(words)), [*self.question.batches, *asked][batch])

    def traces(self) -> dict[Case, Trace]:
        """The run that shows it for each case that is broken."""
        broken = [case for case, (_, _, doomed) in sorted(self.totals.cases.items()) if doomed]
        costs: dict[tuple[Case, Place], list[Piece]] = defaultdict(list)
        kept: dict[tuple[Case, Place], Piece] = {}
        nearest: dict[Case, list[tuple[list[Any], Place]]] = defaultdict(list)
        for rank, places in self.ranks() if broken else ():
            self.doing = f"looking for the shortest runs, in rank {rank}"
            concerned = {place: [case for case in broken if place in self.totals.waiting[case]] for place in places}
            places = [place for place in places if concerned[place]]
            orders = [
                Order(
                    *place,
                    tuple(self.states[place]),
                    dict(self.received[place]),
                    tuple(
                        (case, tuple(costs[case, place]), tuple(self.doomed[case, place])) for case in concerned[place]
                    ),
                )
                for place in places
            ]
            answers = self.each(find_origins, orders, self.count(places)) if orders else []
            for place, answer in zip(places, answers, strict=True):
                for case, found in zip(concerned[place], answer["nearest"], strict=True):
                    if found:
                        nearest[case].append((found, place))
                for piece in answer["pieces"]:
                    batch, bit, *to = piece.key
                    if to:
                        costs[(batch, bit), (to[0], to[1])].append(piece)
                    else:
                        kept[(batch, bit), place] = piece
        return {case: self.told(case, nearest[case], kept) for case in broken}

    def told(
        self, case: Case, nearest: Sequence[tuple[list[Any], Place]], kept: dict[tuple[Case, Place], Piece]
    ) -> Trace:
        """The run to the nearest of the doomed states."""
        (_, _, _, words, component), place = min(nearest)
        promise = self.question.batches[case[0]][case[1]]
        storage, size = self.cluster.storage, self.cluster.program.words
        way = Way(self.walker, lambda at: rows_of(read_pieces(storage, [kept[case, at]]), 2 * size + 3))
        doomed = rows_of(read_pieces(storage, self.doomed[case, place]), size + 1)
        units = self.question.units[promise.member.name]
        return way.tell(promise, units, tuple(words), place, component, doomed)

    def answer(self, traces: dict[Case, Trace]) -> Liveness:
        """What is known of everything that was asked."""
        question, totals = self.question, self.totals
        counts = {case: (waiting, stopped, doomed) for case, (waiting, stopped, doomed) in totals.cases.items()}
        cases = [
            CaseResult(one.member, one.arguments, *counts[batch, bit], trace=traces.get((batch, bit)))
            for batch, promises in enumerate(question.batches)
            for bit, one in enumerate(promises)
        ]
        without: dict[tuple[str, str], int] = defaultdict(int)
        for (batch, other, bit), doomed in totals.others.items():
            promise, left_out = question.batches[batch][bit], question.others[other]
            if left_out.concerns(promise.member):
                without[promise.member.name, left_out.action] += doomed
        found = replace(question.answer(cases, without), memory_bytes=totals.memory, parts=len(self.states))
        if self.asked is None:
            return found

        def run() -> Any:
            level, _, words = min(totals.wrong)
            return self.walker.run(level, tuple(words))

        return replace(found, ends=self.asked.answer(question.model.protocol, totals.kinds, run))


# -- origins ----------------------------------------------------------------------------------------------------------
# How far the doomed states of a part are, and from where each state is come to: what the run to them is told with. A
# state costs as many steps as the shortest way to it by way of the premise and then without the goal. Each keeps the
# state of one step less that leads to it, by the least instance and then the least hash, so the way is the same one
# that a check with all states at hand finds.

ELSEWHERE = 1 << 31
"""The bit of an origin that was handed on; the others are its row."""

HALF = np.uint64(32)


class Handed:
    """Rows about states of other parts: the words of each state, what it costs, the instance that leads to it, the hash
    of its origin, and the origin's words, rank and part."""

    def __init__(self, rows: Words, words: int) -> None:
        self.rows, self.states, self.origins = rows, rows[:, :words], rows[:, words + 3 :]
        self.costs, self.labels = rows[:, words].astype(np.uint32), rows[:, words + 1].astype(np.uint32)
        self.hashes = rows[:, words + 2]


def width(words: int) -> int:
    """How many words a row has that is handed on."""
    return 2 * words + 4


class _Case:
    """One case that is broken, in one part."""

    def __init__(self, part: Part, passes: Passes, order: Order, handed: Words) -> None:
        self.part, self.passes, self.order = part, passes, order
        self.handed = Handed(handed, part.words)
        self.arrays, self.own = passes.arrays, part.own
        self.numbers = part.numbers(self.handed.states)

    def run(self, bit: int, doomed: Words) -> tuple[list[Any], bytes, dict[tuple[int, int], bytes]]:
        """The nearest doomed state, if there is one; the origins of the part's states; what is handed on."""
        sizes = {"cost": 4, "origin": 4, "origin_label": 4, "origin_hash": 8, "doomed": 4}
        with self.arrays.taken({name: size * self.part.states for name, size in sizes.items()}):
            self.arrays["bit"] = 1 << bit
            self.spread()
            return self.nearest(doomed), self.kept(), self.beyond()

    def array(self, name: str, kind: Any = np.uint32) -> NDArray[Any]:
        return self.part.array(name, kind)

    def spread(self) -> None:
        """Find what each state costs, and its origin."""
        cost, kernel, handed, numbers = self.array("cost"), self.passes.kernel, self.handed, self.numbers
        cost[:] = FAR
        kernel.over_states("begin")
        np.minimum.at(cost, numbers, handed.costs)
        self.passes.relaxed("relax_waiting")
        labels, hashes, origins = self.array("origin_label"), self.array("origin_hash", np.uint64), self.array("origin")
        labels[:], hashes[:] = NOWHERE, ALL
        rows = np.flatnonzero(handed.costs == cost[numbers])
        order = np.lexsort((handed.hashes[rows], handed.labels[rows], numbers[rows]))
        rows = rows[order]
        at, first = np.unique(numbers[rows], return_index=True)
        rows = rows[first]
        labels[at], hashes[at] = handed.labels[rows], handed.hashes[rows]
        origins[at] = rows.astype(np.uint32) | np.uint32(ELSEWHERE)
        kernel.over_states("origins")

    def nearest(self, doomed: Words) -> list[Any]:
        """Cost, kind, hash and words of the doomed state that comes first, and its component."""
        words, arrays = self.part.words, self.arrays
        about = doomed[:, words]
        self.array("doomed")[(about & np.uint64(NOWHERE)).astype(np.int64)] = (about >> HALF).astype(np.uint32)
        if not len(doomed):
            return []
        self.passes.graph.forget_best()
        self.passes.kernel.over_states("nearest")
        best = arrays["best"]
        found = self.part.of(np.array([best]))[0].tolist()
        component = int(self.array("doomed")[best])
        return [arrays["best_cost"], arrays["best_kind"], arrays["best_hash"], found, component]

    def kept(self) -> bytes:
        """Of each state that is come to: its words, cost, level and instance, and its origin with rank and part."""
        cost, labels, origins = (self.array(name)[: self.own] for name in ("cost", "origin_label", "origin"))
        states = np.flatnonzero(cost != FAR)
        labels, origins = labels[states], origins[states]
        came = np.zeros((len(states), self.part.words + 1), np.uint64)
        inside = (labels != NOWHERE) & (origins < ELSEWHERE)
        came[inside] = self._here(origins[inside])
        handed = (labels != NOWHERE) & (origins >= ELSEWHERE)
        came[handed] = self.handed.origins[origins[handed] & (ELSEWHERE - 1)]
        about = cost[states].astype(np.uint64), self.part.levels[states].astype(np.uint64) << HALF | labels
        return np.column_stack([self.part.of(states), *about, came]).tobytes()

    def beyond(self) -> dict[tuple[int, int], bytes]:
        """Rows about states elsewhere that are come to."""
        cost = self.array("cost")
        states = self.own + np.flatnonzero(cost[self.own :] != FAR)
        origins, hashes = self.array("origin")[states], self.array("origin_hash", np.uint64)[states]
        about = cost[states].astype(np.uint64), self.array("origin_label")[states].astype(np.uint64), hashes
        rows = np.column_stack([self.part.of(states), *about, self._here(origins)])
        return dict(self.part.elsewhere(states, rows))

    def _here(self, numbers: NDArray[Any]) -> Words:
        """The words of some of the part's own states, with its rank and number."""
        place = np.full(len(numbers), self.order.rank << 32 | self.order.part, np.uint64)
        return np.column_stack([self.part.of(numbers), place])


def find_origins(judging: Judging, order: Order) -> dict[str, Any]:
    """Find how far the doomed states of a part are: of each case the nearest, and pieces of what is kept and handed on.

    The key of a piece is batch and bit, and, of what is handed on, rank and part.
    """
    program, plan, storage = judging.program(), judging.plan(), judging.storage
    words = program.words
    rows = rows_of(read_pieces(storage, order.states), words + 1)
    nearest, pieces = list[Any](), dict[tuple[int, ...], bytes]()
    try:
        with opened(loaded(program), plan, rows, order.rank) as part, part.connected() as edges:
            passes = Passes(edges, lambda: None)
            looked: int | None = None
            for (batch, bit), costs, doomed in order.cases:
                if looked != batch:
                    _look(judging, order, part, passes, batch)
                    looked = batch
                handed = rows_of(read_pieces(storage, costs), width(words))
                case = _Case(part, passes, order, handed)
                found, kept, beyond = case.run(bit, rows_of(read_pieces(storage, doomed), words + 1))
                nearest.append(found)
                pieces[batch, bit] = kept
                pieces.update({(batch, bit, *place): content for place, content in beyond.items()})
    except NotJudged as why:
        return {"not judged": str(why)}
    written = write_pieces(storage, judging.folder, pieces)
    judging.at("origins", order.part)
    return {"nearest": nearest, "pieces": written}


def _look(judging: Judging, order: Order, part: Part, passes: Passes, batch: int) -> None:
    """Find out again who waits."""
    received = rows_of(read_pieces(judging.storage, order.received.get(batch, [])), part.words + 1)
    passes.look(judging.plan().batches[batch].module.code, received=lambda: receive(part, received))


@dataclass(frozen=True)
class Origin:
    """How a state is come to: what it costs, its level, and the state before with the part that it is in."""

    cost: int
    level: int
    before: tuple[int, ...]
    place: tuple[int, int]


def origin_of(content: Words, state: tuple[int, ...]) -> Origin:
    """What is kept of a state that is come to."""
    words = len(state)
    at = np.flatnonzero((content[:, :words] == np.array(state, np.uint64)).all(axis=1))
    row = content[at[0]].tolist()
    cost, about, before, place = row[words], row[words + 1], tuple(row[words + 2 : 2 * words + 2]), row[-1]
    return Origin(cost, about >> 32, before, (place >> 32, place & NOWHERE))


def doomed_with(content: Words, component: int, stays: int) -> set[tuple[int, ...]]:
    """The doomed states that can be in one round with one of a component."""
    numbers = content[:, -1] >> HALF & np.uint64(~stays & NOWHERE)
    return set(map(tuple, content[numbers == np.uint64(component), :-1].tolist()))


# -- way --------------------------------------------------------------------------------------------------------------
# The run that breaks a liveness property, made of what tasks have kept: backwards part by part, then its round.

State = tuple[int, ...]
"""Rank and part."""


class Way:
    """The states that a run is told with, by numbers in the order in which they are met; steps are made when asked for.

    `kept` gives what is kept of the states of a part that are come to.
    """

    def __init__(self, walker: Walker, kept: Callable[[Place], Words]) -> None:
        model = walker.model
        self.protocol: Protocol = model.protocol
        self._walker, self._kept, self._layout = walker, kept, model.layout
        self._stepper = Stepper(model, walker.code)
        self._numbers = [one.instance.number for one in model.instances]
        self._bounded = [(one.instance.number, one.stopped) for one in labelled(model) if one.stopped is not None]
        self._constrained = bool(model.protocol.members("constraint"))
        self._states: list[State] = []
        self._known: dict[State, int] = {}
        self._places: dict[int, Place] = {}
        self._origins: dict[int, Origin] = {}
        self._explored: dict[int, Explored] = {}

    def number(self, state: State, place: Place | None = None) -> int:
        """The number of a state, and where it is from now on known to be."""
        found = self._known.setdefault(state, len(self._states))
        if found == len(self._states):
            self._states.append(state)
        if place is not None:
            self._places[found] = place
        return found

    def origin(self, state: int) -> Origin:
        """How a state is come to that the way goes through."""
        if state not in self._origins:
            self._origins[state] = origin_of(self._kept(self._places[state]), self._states[state])
        return self._origins[state]

    def before(self, state: int, _: int) -> int:
        """The state before."""
        origin = self.origin(state)
        return self.number(origin.before, origin.place)

    def codes(self, state: int) -> Codes:
        """A state itself."""
        return self._layout.unpack(self._states[state])

    def hash(self, state: int) -> int:
        """The hash by which the search breaks ties."""
        return state_hash(self._states[state])

    def level(self, state: int) -> int:
        """How many steps a shortest run to a state of the way has."""
        return self.origin(state).level

    def run_to(self, state: int) -> PlainRun:
        """The run to a state of the way that the log tells."""
        return self._walker.run(self.level(state), self._states[state])

    def explored(self, state: int) -> Explored:
        """The steps from a state, and what only a bound stops there."""
        if state not in self._explored:
            self._explored[state] = self._explore(state)
        return self._explored[state]

    def _explore(self, state: int) -> Explored:
        codes, steps = self.codes(state), []
        for entry in self._stepper.entries(codes, 0):
            after = self._stepper.unpacked(entry.state)
            if after == codes:
                continue
            left = self._constrained and self._stepper.inside(entry.state) != INSIDE
            target = OUTSIDE if left else self.number(self._layout.pack(after))
            steps.append((self._numbers[entry.place], target))
        truths = evaluate([stopped for _, stopped in self._bounded], codes)
        stopped = frozenset(number for (number, _), holds in zip(self._bounded, truths, strict=True) if holds)
        return Explored(tuple(sorted(steps)), stopped)

    def tell(
        self, promise: CompiledLiveness, units: Sequence[Unit], doomed: State, place: Place, number: int, of: Words
    ) -> Trace:
        """The run to a doomed state, and how it goes on. `number` is that of its component in its part, `of` the doomed
        states there."""
        component = doomed_with(of, number & ~STAYS, STAYS)
        return lasso(
            self,
            Doom(
                promise,
                tuple(units),
                lambda state: self.origin(state).cost,
                self.before,
                self.number(doomed, place),
                lambda state: self._states[state] in component,
            ),
        )
