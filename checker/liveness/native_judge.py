"""Judging promises with machine code: bits of words for many at once, components found once (Tarjan 1972).

Every step is made again once, for the edges. Then who waits for which goal spreads along them, for up to 64 promises at
a time. A promise is broken where no fair step is possible in a waiting state, or in a fair component of waiting states;
the components of the whole graph are found once, and only what lies in one of several states is looked at again.
Verdicts and runs are those of `reference`.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from epochal.checker.trace.trace import Trace
from epochal.spec.language import Member

from ..fairness import Assumed, Unit, needed, units_of
from ..ir.evaluate import evaluate
from ..ir.model import CompiledPromise
from ..native.engine import NativeModel
from ..native.kernel.promise_vocabulary import STAYS
from ..native.llvm.jit import MachineCode
from ..native.program.promise_program import PROMISES_AT_ONCE, promise_program_text
from ..native.runtime.context import Words
from ..native.runtime.worker_pool import WorkerPool
from .lasso import Doom, lasso
from .native_arrays import NotJudged, Refuses
from .native_ends import ends_of
from .native_graph import NativeGraph, Run, RunTo
from .needs import left_out
from .result import CaseResult, Liveness, Need, PromiseResult

ALL = (1 << 64) - 1
PROGRAM_LEVEL = 2


class PromiseFails(Exception):
    """A promise cannot be evaluated in the last state of a run."""

    def __init__(self, run: Run, promises: Sequence[CompiledPromise]) -> None:
        super().__init__("a promise cannot be evaluated")
        self.run, self.promises = run, promises


class _Judge:
    """One judging of some promises."""

    def __init__(
        self,
        graph: NativeGraph,
        promises: Sequence[CompiledPromise],
        assumed: Assumed,
        needs: bool,
        deadlock: bool,
        folder: Path | None,
        check: Callable[[], None],
    ) -> None:
        self.graph, self.promises, self.deadlock, self.check = graph, promises, deadlock, check
        self.folder = folder
        self.arrays, self.kernel = graph.arrays, graph.kernel
        self.members: dict[str, Member] = {promise.member.name: promise.member for promise in promises}
        self.units = self.units_under(assumed)
        self.others = left_out(graph.protocol, list(self.members.values()), assumed) if needs else ()
        self.without = {
            (name, other.action): 0
            for name, one in self.members.items()
            for other in self.others
            if other.concerns(one)
        }
        self.fair = {number for units in self.units.values() for unit in units for number in unit.instances}
        self.numbers = [compiled.instance.number for compiled in graph.labels]
        if deadlock:  # then it matters of every step whether a bound alone stops it
            self.fair = set(self.numbers)
        self._counts = Words(PROMISES_AT_ONCE)
        self.arrays["counts"] = self._counts.address
        self.cyclic, self.pending = 0, False
        self._program: MachineCode | None = None  # as long as it is called

    def units_under(self, assumed: Assumed) -> dict[str, tuple[Unit, ...]]:
        """The units of each promise."""
        return {name: units_of(self.graph.protocol, assumed(member)) for name, member in self.members.items()}

    def run(self) -> Liveness:
        """Judge all of them."""
        arrays, states = self.arrays, self.graph.states
        ends = 4 * states if self.deadlock else 0
        if self.folder is not None and not arrays.allows(self.graph.needed + ends):
            arrays.folder = self.folder
        arrays.require(self.graph.needed + ends)
        self.pending = (
            self.graph.pool.size > 1 and not arrays.folder and arrays.allows(self.graph.needed_at_once + ends)
        )
        self.graph.make_edges(self.check)
        if not self.pending:
            self.find_components()
        cases: list[CaseResult] = []
        with arrays.taken({"waiting": 8 * states, "without": 8 * states}):
            for first in range(0, len(self.promises), PROMISES_AT_ONCE):
                cases += self.judge(self.promises[first : first + PROMISES_AT_ONCE])
            found = ends_of(self.graph, self.look, self.find_levels) if self.deadlock else None
        of = {name: tuple(case for case in cases if case.member.name == name) for name in self.members}
        return Liveness(
            tuple(PromiseResult(member, of[name]) for name, member in self.members.items()),
            memory_bytes=arrays.most,
            file_bytes=arrays.filed,
            ends=found,
            needs=tuple(Need(self.members[name], action, doomed) for (name, action), doomed in self.without.items()),
        )

    def find_components(self, meanwhile: Callable[[], None] | None = None) -> None:
        """Number the components of several states of the whole graph; keep the numbers if there are any.

        With several workers something is done meanwhile.
        """
        arrays, states = self.arrays, self.graph.states
        self.check()
        arrays.take("component", 4 * states)
        frames = {"frames": 4 * states, "cursors": 8 * states}
        for name, size in frames.items():
            arrays.take(name, size, used=0)
        with arrays.taken({"low": 4 * (states + 1), "stack": 4 * states}):
            arrays["components"] = 0
            names = ("components", "condense")
            if meanwhile is None:
                for name in names:
                    self.kernel.over_edges(name)
            else:
                arrays["components"] = self.kernel.beside(meanwhile, names)["components"]
        arrays.free(*frames)
        self.cyclic = arrays["components"]
        if not self.cyclic:
            arrays.free("component")

    def judge(self, promises: Sequence[CompiledPromise]) -> list[CaseResult]:
        """Judge up to 64 promises."""
        self.look(promises)
        cases = self.verdicts(promises, self.units)
        for other in self.others:
            asked = [promise.member.name for promise in promises if other.concerns(promise.member)]
            for case in self.verdicts(promises, self.units_under(other), asked, told=False) if asked else ():
                if case.member.name in asked:
                    self.without[case.member.name, other.action] += case.doomed
        return cases

    def look(self, promises: Sequence[CompiledPromise]) -> None:
        """Find out where each of them waits."""
        arrays, kernel, model = self.arrays, self.kernel, self.graph.model
        self.check()
        compiler = self.graph.native.compiler
        text = promise_program_text(model, promises, self.fair)
        program = self._program = compiler.load(compiler.compile_and_keep(text, PROGRAM_LEVEL, False))
        for name in ("premises", "goals", "failing", "stopped"):
            arrays[name] = program.address(name)
        arrays["failed"] = 0
        if self.pending and self.graph.pool.size == 2:
            self.pending = False
            self.find_components(lambda: self.mark_and_spread(kernel.over_states))
        else:
            kernel.over_states_at_once("marks")
            if self.pending and not arrays["failed"]:
                self.pending = False
                self.find_components(self.spread)
            else:
                self.spread()
        if arrays["failed"]:
            raise self.failure(promises)

    def mark_and_spread(self, over_states: Callable[[str], None]) -> None:
        """Find out where premises hold without their goals, and then who waits: one of two workers, while the other
        finds the components."""
        over_states("marks")
        self.spread()

    def spread(self) -> None:
        """Whoever comes from where somebody waits waits too."""
        self._relaxed("spread")

    def verdicts(
        self,
        promises: Sequence[CompiledPromise],
        units: Mapping[str, Sequence[Unit]],
        asked: Collection[str] | None = None,
        told: bool = True,
    ) -> list[CaseResult]:
        """Judge promises that assume these units to be fair, if only some are asked for those, and `told` with runs."""
        arrays, kernel = self.arrays, self.kernel
        of_instance = dict.fromkeys(self.numbers, 0)
        for bit, promise in enumerate(promises):
            for unit in units[promise.member.name]:
                for number in unit.instances:
                    of_instance[number] = of_instance.get(number, 0) | 1 << bit
        by = [of_instance[number] for number in self.numbers]
        self.graph.by.put(by)
        arrays["found"] = 0
        self._counts.clear()
        kernel.over_states_at_once("stay")
        staying, stopped = arrays["found"], self._counts[:]
        arrays["found"] = 0
        self._counts.clear()
        arrays["components"] = self.cyclic
        kernel.over_states_at_once("tally")
        waiting, turning = self._counts[:], arrays["found"]
        cases = []
        for bit, promise in enumerate(promises):
            doomed: int = 0
            trace: Trace | None = None
            concerned = asked is None or promise.member.name in asked
            if concerned and (staying | turning) >> bit & 1:
                self.graph.by.put(by)
                fair = units[promise.member.name]
                ends, rounds = (bool(found >> bit & 1) for found in (staying, turning))
                doomed, trace = self.doom(promise, bit, ends, rounds, fair, told)
            cases.append(CaseResult(promise.member, promise.arguments, waiting[bit], stopped[bit], doomed, trace))
        return cases

    def doom(
        self, promise: CompiledPromise, bit: int, staying: bool, turning: bool, units: Sequence[Unit], told: bool
    ) -> tuple[int, Trace | None]:
        """How many states are doomed, and, if it is `told`, the run that shows it."""
        arrays, kernel, states = self.arrays, self.kernel, self.graph.states
        self.check()
        with arrays.taken({"doomed": 4 * states}):
            arrays["bit"] = 1 << bit
            if staying:
                kernel.over_states("doom_staying")
            if turning:
                self.doom_turning(units)
            kernel.everywhere()
            doomed = kernel.call("count_doomed")
            return doomed, self.lasso(promise) if doomed and told else None

    def doom_turning(self, units: Sequence[Unit]) -> None:
        """Mark the states of fair components: of the whole graph's, those parts where the promise waits."""
        arrays, _kernel, states = self.arrays, self.kernel, self.graph.states
        groups = [units[first : first + 64] for first in range(0, len(units), 64)]
        whole = arrays["component"]
        names = ("within", "left", "low", "stack", "frames")
        sizes = dict.fromkeys(names, 4 * (states + 1)) | {"cursors": 8 * states}
        with arrays.taken(sizes):
            ctypes.memmove(arrays["within"], whole, 4 * states)
            arrays.require(4 * states)
            own = arrays.region(4 * states)
            arrays["component"] = own.address
            try:
                arrays["wanted"] = 0
                while self._turn(groups):
                    self.check()
            finally:
                own.close()
                arrays["component"] = whole

    def _turn(self, groups: Sequence[Sequence[Unit]]) -> bool:
        """Look at the components inside `within` once; whether parts of some must be looked at again."""
        arrays, kernel = self.arrays, self.kernel
        arrays["components"] = 0
        ctypes.memset(arrays["component"], 0, 4 * self.graph.states)
        for name in ("low", "left"):
            arrays.clear(name)
        kernel.over_edges("components_within")
        kernel.over_edges("condense")
        count = arrays["components"]
        if not count:
            return False
        with arrays.taken(dict.fromkeys(("always", "taken", "ever", "verdicts"), 8 * (count + 1))):
            for group in groups or [[]]:
                self.graph.by.put([sum(1 << i for i, u in enumerate(group) if n in u.instances) for n in self.numbers])
                arrays["weak"] = sum(1 << i for i, unit in enumerate(group) if not unit.strong)
                arrays["strong"] = sum(1 << i for i, unit in enumerate(group) if unit.strong)
                ctypes.memset(arrays["always"], 0xFF, 8 * (count + 1))
                arrays.clear("taken")
                arrays.clear("ever")
                kernel.over_states("weigh")
                kernel.over_edges("settle")
                kernel.over_states("leave")
            arrays["found"] = 0
            kernel.over_edges("mark")
        arrays["wanted"] += count
        return arrays["found"] > 0

    def find_levels(self) -> None:
        """Have `levels` say how many steps a shortest run to each state has."""
        arrays, states = self.arrays, self.graph.states
        if arrays["levels"]:
            return
        with arrays.taken({"cost": 4 * states}):
            self.kernel.over_states("first_levels")
            self._relaxed("relax")
            arrays.take("levels", 4 * states)
            ctypes.memmove(arrays["levels"], arrays["cost"], 4 * states)

    def lasso(self, promise: CompiledPromise) -> Trace:
        """A shortest run that breaks a promise."""
        arrays, kernel, graph, states = self.arrays, self.kernel, self.graph, self.graph.states
        self.find_levels()
        with arrays.taken({"cost": 4 * states}):
            kernel.over_states("begin")
            self._relaxed("relax_waiting")
            self._forget_best()
            kernel.over_states("nearest")
            doomed = arrays["best"]
            component = graph.narrow("doomed", doomed) & ~STAYS

            def before(state: int, steps: int) -> int:
                arrays["target"], arrays["wanted"] = state, steps
                self._forget_best()
                kernel.over_states("before")
                return arrays["best"]

            doom = Doom(
                promise,
                self.units[promise.member.name],
                lambda state: graph.narrow("cost", state),
                before,
                doomed,
                lambda state: graph.narrow("doomed", state) & ~STAYS == component,
            )
            return lasso(graph, doom)

    def failure(self, promises: Sequence[CompiledPromise]) -> PromiseFails:
        """The state of the shortest run in which a promise cannot be evaluated; of several, the one of least hash."""
        graph = self.graph
        self.find_levels()
        bad = [failure.condition for promise in promises for failure in promise.failures]
        failing = [state for state in range(graph.states) if any(evaluate(bad, graph.codes(state)))]
        least = min(failing, key=lambda state: (graph.level(state), graph.hash(state)))
        return PromiseFails(graph.run_to(least), promises)

    def _relaxed(self, sweep: str) -> None:
        while True:
            self.check()
            self.arrays["found"] = 0
            self.kernel.sweep(sweep)
            if not self.arrays["found"]:
                return

    def _forget_best(self) -> None:
        for name in ("best_cost", "best_kind", "best_hash"):
            self.arrays[name] = ALL


def judge(
    native: NativeModel,
    pool: WorkerPool,
    run_to: RunTo,
    *,
    promises: Sequence[CompiledPromise] | None = None,
    assumed: Assumed = needed,
    needs: bool = False,
    deadlock: bool = False,
    folder: Path | None = None,
    refuses: Refuses = lambda _: "",
    check: Callable[[], None] = lambda: None,
) -> Liveness:
    """Judge promises, or all that a model has but wishes, over all states that its workers have found.

    `assumed` are the actions of which each assumes fairness; with `needs` the result says which of them it takes, with
    `deadlock` which states are ends. `run_to` gives the run that the search has kept to a state, by its name. `refuses`
    says why so many more bytes may not be used; with `folder` arrays are files there where memory is too little.
    `check` may raise NotJudged, or anything else, when it is enough. Raises PromiseFails.
    """
    started, begun = time.process_time(), time.monotonic()
    promises = native.model.promised if promises is None else promises
    if not promises and not deadlock:
        return Liveness()
    members = list({promise.member.name: promise.member for promise in promises}.values())
    try:
        graph = NativeGraph(native, pool, run_to, refuses)
        try:
            found = _Judge(graph, promises, assumed, needs, deadlock, folder, check).run()
        finally:
            graph.close()
    except NotJudged as why:
        found = Liveness.not_judged(members, str(why))
    return replace(found, cpu_seconds=time.process_time() - started, wall_seconds=time.monotonic() - begun)
