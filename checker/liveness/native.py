"""Checking liveness properties with machine code: bits of words for many at once, components found once (Tarjan 1972).

Every step is made again once, for the edges. Then who waits for which goal spreads along them, for up to 64 liveness
properties at a time. A liveness property is broken where no fair step is possible in a waiting state, or in a fair
component of waiting states; the components of the whole graph are found once, and only what lies in one of several
states is looked at again. Verdicts and runs are those of `reference`.
"""

from __future__ import annotations

import bisect
import ctypes
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from epochal.spec.language import Member, Protocol

from ..ir.expression import evaluate
from ..ir.layout import state_hash
from ..ir.model import CompiledInstance, CompiledLiveness, Model
from ..native.backend import LivenessCode
from ..native.engine import NativeModel
from ..native.kernel import kernel as vocabulary
from ..native.kernel.kernel import BOUNDED, LOCAL_BITS, OPEN, OTHER, STAYS, liveness_kernel_text
from ..native.llvm.jit import Compiler, MachineCode
from ..native.program.program import PROPERTIES_AT_ONCE, labelled, liveness_program_text
from ..native.runtime.worker_pool import WorkerPool
from ..semantics.properties import Assumed, Unit, needed, units_of
from ..trace.run import Codes, PlainRun
from ..trace.trace import Trace
from .edges import Edges, FairUnit, Passes, Refuses
from .reference import deadlock
from .result import (
    OUTSIDE,
    CaseResult,
    Doom,
    Ends,
    Explored,
    Liveness,
    LivenessFails,
    LivenessResult,
    Need,
    NotJudged,
    Without,
    lasso,
    left_out,
)

# -- native graph -----------------------------------------------------------------------------------------------------
# The states and steps of a native search as a graph that runs are told from.

RunTo = Callable[[int], PlainRun]


class NativeGraph(Edges):
    """All that a native search has found, with its model. `compiled` are the instances by their labels."""

    def __init__(self, native: NativeModel, pool: WorkerPool, run_to: RunTo, refuses: Refuses) -> None:
        self.native, self.model = native, native.model
        self.protocol: Protocol = native.model.protocol
        self._run_to = run_to
        self.compiled: tuple[CompiledInstance, ...] = labelled(self.model)
        text = liveness_kernel_text(native.words, pool.size > 1)
        code = native.compiler.load(native.compiler.compile_and_keep(text, 2, True))
        constrained = bool(self.protocol.members("constraint"))
        step, eight_steps = native.program.address("step"), pool.workers[0].context["eight_steps"]
        labels = len(self.compiled)
        super().__init__(pool, code, step, labels, constrained, refuses, eight_steps=eight_steps)

    def name(self, state: int) -> int:
        """The name by which the search knows a state."""
        worker = bisect.bisect_right(self.bases, state) - 1
        return worker << LOCAL_BITS | state - self.bases[worker]

    def words(self, state: int) -> Sequence[int]:
        """The words of a state."""
        return self.pool.state(self.name(state))

    def codes(self, state: int) -> Codes:
        """A state itself."""
        return self.model.layout.unpack(self.words(state))

    def hash(self, state: int) -> int:
        """The hash by which the search breaks ties."""
        return state_hash(self.words(state))

    def run_to(self, state: int) -> PlainRun:
        """The run to a state that the search has kept."""
        return self._run_to(self.name(state))

    def level(self, state: int) -> int:
        """How many steps a shortest run to a state has."""
        return self.narrow("levels", state)

    def explored(self, state: int) -> Explored:
        """The steps from a state, and what only a bound stops there."""
        offsets = (ctypes.c_uint64 * 2).from_address(self.arrays["offsets"] + 8 * state)
        steps = []
        for edge in range(offsets[0], offsets[1]):
            label = ctypes.c_uint16.from_address(self.arrays["labels"] + 2 * edge).value
            target = self.narrow("targets", edge)
            number = self.compiled[label].instance.number
            steps.append((number, OUTSIDE if target == vocabulary.OUTSIDE else target))
        bounded = [one for one in self.compiled if one.stopped is not None]
        truths = evaluate([one.stopped for one in bounded if one.stopped is not None], self.codes(state))
        stopped = frozenset(one.instance.number for one, holds in zip(bounded, truths, strict=True) if holds)
        return Explored(tuple(sorted(steps)), stopped)


# -- native ends ------------------------------------------------------------------------------------------------------
# The ends of a state space by machine code, as `reference` defines them, over the edges of liveness properties.


@dataclass(frozen=True)
class EndsAsked:
    """What says where a run may end: predicates that are `declared`, or else that no liveness property waits.

    `judged` are liveness properties that wait wherever a run may not end.
    """

    declared: tuple[Member, ...]
    judged: tuple[CompiledLiveness, ...]

    @property
    def promised(self) -> bool:
        """Whether liveness properties say it."""
        return bool(self.judged) and not self.declared

    @property
    def batches(self) -> list[Sequence[CompiledLiveness]]:
        """Up to 64 at a time; at least one batch, whose code says what bounds stop."""
        firsts = range(0, max(len(self.judged), 1), PROPERTIES_AT_ONCE)
        return [self.judged[first : first + PROPERTIES_AT_ONCE] for first in firsts]

    @property
    def wanted(self) -> int:
        """The kind of the ends that are wrong: if nothing says that any end is right, all that no bound makes."""
        return OTHER if self.judged else OPEN

    def answer(self, protocol: Protocol, kinds: Sequence[int], run: Callable[[], PlainRun]) -> Ends:
        """What is known when the ends of each kind are counted; `run` tells how to come to the first wrong one."""
        kept, bounded, others = kinds if self.judged else (0, kinds[1], kinds[0])
        trace = deadlock(protocol, run(), self.declared, self.promised) if others else None
        return Ends(kept, bounded, others, self.declared, self.promised, trace)


def ends_asked(model: Model) -> EndsAsked:
    """What a model says of where a run may end."""
    declared = tuple(one.member for one in model.ends)
    if not declared:
        return EndsAsked((), model.promised)
    anywhere = model.graph.any_of([one.goal for one in model.ends])
    failures = tuple(failure for one in model.ends for failure in one.failures)
    return EndsAsked(declared, (CompiledLiveness(declared[0], (), model.graph.true, anywhere, failures),))


def note_ends(graph: Edges, first: bool) -> None:
    """Note where what was looked at last waits; with the `first` of them, find the ends before."""
    if first:
        graph.every_instance()
        graph.kernel.over_states("find_ends")
    graph.kernel.over_edges("note_ends")


def kinds_of(graph: Edges) -> tuple[int, int, int]:
    """How many ends there are of each kind."""

    def count(kind: int) -> int:
        graph.arrays["wanted"] = kind
        graph.kernel.everywhere()
        return graph.kernel.call("count_ends")

    return count(OPEN), count(BOUNDED), count(OTHER)


def first_end(graph: Edges, kind: int) -> int:
    """The end of a kind that takes the fewest steps to come to; of several, that of the least hash."""
    graph.arrays["wanted"] = kind
    graph.forget_best()
    graph.kernel.over_states("nearest_end")
    return graph.arrays["best"]


def ends_of(
    graph: NativeGraph, look: Callable[[Sequence[CompiledLiveness]], None], find_levels: Callable[[], None]
) -> Ends:
    """Find the ends. `look` finds out where up to 64 liveness properties wait, and loads their conditions;
    `find_levels` has
    `levels` say how many steps a shortest run to each state has."""
    asked = ends_asked(graph.model)
    with graph.arrays.taken({"ends": 4 * graph.states}):
        for number, promises in enumerate(asked.batches):
            look(promises)
            note_ends(graph, number == 0)

        def run() -> PlainRun:
            find_levels()
            return graph.run_to(first_end(graph, asked.wanted))

        return asked.answer(graph.protocol, kinds_of(graph), run)


PROGRAM_LEVEL = 2


class Question:
    """What is asked of some liveness properties: under which fairness, and what else.

    `others` are what is assumed when one assumption is left out in turn. `fair` are the numbers of the instances whose
    bounds matter. A liveness property has a unit for each choice of an action's actors.
    """

    def __init__(
        self, model: Model, promises: Sequence[CompiledLiveness], assumed: Assumed, needs: bool, deadlock: bool
    ) -> None:
        self.model, self.promises, self.deadlock = model, promises, deadlock
        self.members: dict[str, Member] = {promise.member.name: promise.member for promise in promises}
        self.units = self.units_under(assumed)
        self.others: tuple[Without, ...] = (
            left_out(model.protocol, list(self.members.values()), assumed) if needs else ()
        )
        self._labels = {one.instance.number: label for label, one in enumerate(labelled(model))}
        self.fair = {number for units in self.units.values() for unit in units for number in unit.instances}
        if deadlock:  # then it matters of every step whether a bound alone stops it
            self.fair = set(self._labels)

    @property
    def batches(self) -> list[Sequence[CompiledLiveness]]:
        """Up to 64 liveness properties at a time."""
        return [self.promises[i : i + PROPERTIES_AT_ONCE] for i in range(0, len(self.promises), PROPERTIES_AT_ONCE)]

    def code(self, compiler: Compiler, promises: Sequence[CompiledLiveness]) -> MachineCode:
        """The machine code of some of them."""
        return compiler.loaded(liveness_program_text(self.model, promises, self.fair), PROGRAM_LEVEL, False)

    def codes(self, compiler: Compiler) -> LivenessCode:
        """All that is asked, with its machine code; with the predicates that say where a run may end."""
        batches = [*self.batches, *(ends_asked(self.model).batches if self.deadlock else ())]
        return [(promises, self.code(compiler, promises)) for promises in batches]

    def units_under(self, assumed: Assumed) -> dict[str, tuple[Unit, ...]]:
        """The units of each liveness property."""
        return {name: units_of(self.model.protocol, assumed(member)) for name, member in self.members.items()}

    def fair_units(
        self, promises: Iterable[CompiledLiveness], units: Mapping[str, Sequence[Unit]]
    ) -> list[tuple[FairUnit, ...]]:
        """The units of some liveness properties by the labels of edges."""
        return [tuple(map(self._by_labels, units[promise.member.name])) for promise in promises]

    def _by_labels(self, unit: Unit) -> FairUnit:
        return FairUnit(frozenset(self._labels[n] for n in unit.instances if n in self._labels), unit.strong)

    def concerned(self, other: Without, promises: Iterable[CompiledLiveness]) -> int:
        """The bits of those liveness properties that assume what is left out."""
        return sum(1 << bit for bit, promise in enumerate(promises) if other.concerns(promise.member))

    def answer(self, cases: Sequence[CaseResult], without: Mapping[tuple[str, str], int]) -> Liveness:
        """What is known when every case is checked. `without` says for a liveness property, and an assumption that is
        left out, in
        how many states a run may then go on for ever."""
        of = {name: tuple(case for case in cases if case.member.name == name) for name in self.members}
        return Liveness(
            tuple(LivenessResult(member, of[name]) for name, member in self.members.items()),
            needs=tuple(
                Need(member, other.action, without.get((name, other.action), 0))
                for name, member in self.members.items()
                for other in self.others
                if other.concerns(member)
            ),
        )


class _Judge(Passes):
    """One check of some liveness properties."""

    def __init__(self, graph: NativeGraph, question: Question, folder: Path | None, check: Callable[[], None]) -> None:
        super().__init__(graph, check)
        self.states_of, self.question, self.folder = graph, question, folder

    def run(self) -> Liveness:
        """Check all of them."""
        arrays, graph, question = self.arrays, self.graph, self.question
        ends = 4 * graph.states if question.deadlock else 0
        if self.folder is not None and not arrays.allows(graph.needed + ends):
            arrays.folder = self.folder
        arrays.require(graph.needed + ends)
        self.pending = graph.pool.size > 1 and not arrays.folder and arrays.allows(graph.needed_at_once + ends)
        graph.make_edges(self.check)
        if not self.pending:
            self.find_components()
        cases: list[CaseResult] = []
        without: dict[tuple[str, str], int] = {}
        with arrays.taken({"waiting": 8 * graph.states, "without": 8 * graph.states}):
            for promises in question.batches:
                cases += self.judge(promises, without)
            found = ends_of(self.states_of, self.look_at, self.find_levels) if question.deadlock else None
        answer = question.answer(cases, without)
        return replace(answer, memory_bytes=arrays.most, file_bytes=arrays.filed, ends=found)

    def judge(self, promises: Sequence[CompiledLiveness], without: dict[tuple[str, str], int]) -> list[CaseResult]:
        """Check up to 64 liveness properties, and what becomes of them without each assumption."""
        self.look_at(promises)
        question, traces = self.question, dict[int, Trace]()

        def tell(bit: int) -> None:
            traces[bit] = self.lasso(promises[bit])

        found = self.verdicts(question.fair_units(promises, question.units), tell=tell)
        for other in question.others:
            if not (concerned := question.concerned(other, promises)):
                continue
            fair = question.fair_units(promises, question.units_under(other))
            for bit, verdict in enumerate(self.verdicts(fair, concerned)):
                if concerned >> bit & 1:
                    key = promises[bit].member.name, other.action
                    without[key] = without.get(key, 0) + verdict.doomed
        return [
            CaseResult(one.member, one.arguments, says.waiting, says.stopped, says.doomed, traces.get(bit))
            for bit, (one, says) in enumerate(zip(promises, found, strict=True))
        ]

    def look_at(self, promises: Sequence[CompiledLiveness]) -> None:
        """Find out where each of them waits. Raises LivenessFails."""
        if not self.look(self.question.code(self.states_of.native.compiler, promises)):
            raise self.failure(promises)

    def find_levels(self) -> None:
        """Have `levels` say how many steps a shortest run to each state has."""
        arrays, states = self.arrays, self.graph.states
        if arrays["levels"]:
            return
        with arrays.taken({"cost": 4 * states}):
            self.kernel.over_states("first_levels")
            self.relaxed("relax")
            arrays.take("levels", 4 * states)
            ctypes.memmove(arrays["levels"], arrays["cost"], 4 * states)

    def lasso(self, promise: CompiledLiveness) -> Trace:
        """A shortest run that breaks a liveness property."""
        arrays, kernel, graph, states = self.arrays, self.kernel, self.states_of, self.graph.states
        self.find_levels()
        with arrays.taken({"cost": 4 * states}):
            kernel.over_states("begin")
            self.relaxed("relax_waiting")
            self.graph.forget_best()
            kernel.over_states("nearest")
            doomed = arrays["best"]
            component = graph.narrow("doomed", doomed) & ~STAYS

            def before(state: int, steps: int) -> int:
                arrays["target"], arrays["wanted"] = state, steps
                self.graph.forget_best()
                kernel.over_states("before")
                return arrays["best"]

            doom = Doom(
                promise,
                self.question.units[promise.member.name],
                lambda state: graph.narrow("cost", state),
                before,
                doomed,
                lambda state: graph.narrow("doomed", state) & ~STAYS == component,
            )
            return lasso(graph, doom)

    def failure(self, promises: Sequence[CompiledLiveness]) -> LivenessFails:
        """The state of the shortest run in which a liveness property cannot be evaluated; of several, the one of least
        hash."""
        graph = self.states_of
        self.find_levels()
        self.graph.forget_best()
        self.kernel.over_states("first_failing")
        return LivenessFails(graph.run_to(self.arrays["best"]), promises)


def judge(
    native: NativeModel,
    pool: WorkerPool,
    run_to: RunTo,
    *,
    promises: Sequence[CompiledLiveness] | None = None,
    assumed: Assumed = needed,
    needs: bool = False,
    deadlock: bool = False,
    folder: Path | None = None,
    refuses: Refuses = lambda _: "",
    check: Callable[[], None] = lambda: None,
) -> Liveness:
    """Check liveness properties over all states that the workers have found: by default those that are not optional.

    `assumed` are the actions of which each assumes fairness; with `needs` the result says which of them it takes, with
    `deadlock` which states are ends. `run_to` gives the run that the search has kept to a state, by its name. `refuses`
    says why so many more bytes may not be used; with `folder` arrays are files there where memory is too little.
    `check` may raise NotJudged, or anything else, when it is enough. Raises LivenessFails.
    """
    started, begun = time.process_time(), time.monotonic()
    promises = native.model.promised if promises is None else promises
    if not promises and not deadlock:
        return Liveness()
    members = list({promise.member.name: promise.member for promise in promises}.values())
    try:
        graph = NativeGraph(native, pool, run_to, refuses)
        try:
            question = Question(native.model, promises, assumed, needs, deadlock)
            found = _Judge(graph, question, folder, check).run()
        finally:
            graph.close()
    except NotJudged as why:
        found = Liveness.not_judged(members, str(why), why.by_machine)
    return replace(found, cpu_seconds=time.process_time() - started, wall_seconds=time.monotonic() - begun)
