"""The driver of a checking by executors: rank by rank, so that who waits is known before the states that it leads to.

A task steps from each state twice: for the states elsewhere that its part leads to, and for the edges. What goes from
part to part is which of those are led to by a waiting state. A second round, for broken liveness properties alone,
finds how far each waiting state is, and from where it is come to.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ....base.processes import supervised
from ....liveness.native import EndsAsked, Question, ends_asked
from ....liveness.result import CaseResult, Liveness, LivenessFails, NotJudged
from ....trace.trace import Trace
from ...budget import Budget
from ..log import Manifest
from ..master import ClusterError
from ..program import Program
from ..session import plain
from ..storage import Hold, Storage
from ..supersteps import Supersteps
from ..tasks import Hook
from ..walk import Walker
from .orders import FOLDER, Case, Judging, Order, Piece, make_plan, piece_of, read_pieces
from .origins import Way, find_origins
from .part import judge_part, rows_of, sort_states

Task = Callable[[Judging, str], str]
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

    def each(self, task: Task, orders: Sequence[str], states: int) -> list[Any]:
        """What a task answers to each order, which are about so many states."""
        self.check()
        if states < self.cluster.threshold:
            answers = [task(self.here, order) for order in orders]
        else:
            spark, there = self.cluster.spark, self.there

            def work() -> list[str]:
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
        found = [json.loads(answer) for answer in answers]
        for answer in found:
            if isinstance(answer, dict) and "not judged" in answer:
                raise NotJudged(answer["not judged"])
        return found

    def check(self) -> None:
        """Raise NotJudged if a budget is spent."""
        manifest = self.manifest
        now = self.budget.snapshot(manifest.states, sum(manifest.totals.steps), manifest.depth, 0)
        if stopped := self.budget.spent(replace(now, doing=self.doing)):
            raise NotJudged(str(stopped))

    def sort(self) -> None:
        """Have the states of the log in pieces by rank and part."""
        self.doing = "sorting the states for liveness"
        files = [(n, file.document()) for n, level in enumerate(self.manifest.levels) for file in level.written]
        parts = self.cluster.parts
        orders = [json.dumps(files[part::parts]) for part in range(parts) if files[part::parts]]
        for answer in self.each(sort_states, orders, self.manifest.states):
            for document in answer:
                piece = piece_of(document)
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
        answers = self.each(judge_part, [order.text() for order in orders], self.count(places))
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
        for document in answer["handed"]:
            piece = piece_of(document)
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
            answers = self.each(find_origins, [order.text() for order in orders], self.count(places)) if orders else []
            for place, answer in zip(places, answers, strict=True):
                for case, found in zip(concerned[place], answer["nearest"], strict=True):
                    if found:
                        nearest[case].append((found, place))
                for document in answer["pieces"]:
                    piece = piece_of(document)
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
