"""Breadth-first search with machine code: exhaustive, level by level, by as many workers as there are processors.

Of all shortest ways to a state the least is kept, and of all findings of a level the least is reported, whoever finds
them first: see `checker.native.kernel.kernel`. So every figure and every trace is the same for any number of workers,
and the same as the Python engine's.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from epochal.checker.compile.static import Diagnostic, diagnose
from epochal.checker.native.engine import NativeModel, load_kernel
from epochal.checker.properties import all_properties
from epochal.checker.reading import Codes
from epochal.checker.symmetry.reduction import Reduction
from epochal.checker.trace.trace import Step
from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol

from ..compile.compiler import compile_protocol
from ..host.measure import Stopwatch, peak_memory, without_collection
from ..ir.digest import Digest, state_hash
from ..ir.layout import lay_out
from ..ir.model import Model
from ..native.kernel.kernel import Shape
from ..native.kernel.vocabulary import FAILURE, INITIAL
from ..native.llvm.jit import Compiler, MachineCode
from ..native.program.program import INSTANCE_BITS, refuse_many_properties
from ..native.runtime.redistribute import deal, segments_of
from ..native.runtime.worker_pool import Crew, Found, Totals
from .budget import Budget
from .checkpoint import CheckpointWriter, Known, identity_of, known_from, writing_alone
from .cross_check import cross_checked
from .errors import CheckpointError
from .findings import (
    FIRST_VIOLATION,
    RULE_FAILED,
    Finding,
    Findings,
    Run,
    concrete,
    evaluation_finding,
    property_results,
)
from .initial import FIRST_STATES, initial_states
from .patience import COMPILING, OutOfPatience, Patience, why_stopped
from .properties import chosen_properties
from .result import ActionResult, CheckResult, Options, Progress
from .resume import Checkpoint
from .symmetry import reduction_of
from .unexplored import unexplored

STRETCH, LONGEST_STRETCH = 1 << 15, 1 << 17
"""How many states each worker explores before anybody looks at the budgets: more when a search is large, but not by the
clock, so that a budget of states ends a search of one worker at the same place every time."""
OPTIMISE_AFTER, OPTIMISE_AFTER_EACH = 0.1, 0.5e-6
"""Seconds of searching after which better code is compiled: so many at least, and so many for each byte of its text. A
megabyte takes LLVM some two seconds, which a search that ends before has no use for."""
TOGETHER_FROM = 1 << 16
"""A search is begun by one worker; from this many states on all of them take part."""


class _Background:
    """The kernel, loaded while the specification is being compiled."""

    def __init__(self, compiler: Compiler, shape: Shape) -> None:
        self._load: Callable[[], MachineCode] = lambda: load_kernel(compiler, shape)
        self._kernel: MachineCode | None = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="kernel")
        self._thread.start()

    def _run(self) -> None:
        try:
            self._kernel = self._load()
        except BaseException as error:  # raised again in `result`
            self._failure = error

    def result(self) -> MachineCode:
        """The kernel, when it is there."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        assert self._kernel is not None
        return self._kernel


class NativeSearch:
    """One native search: the compiled model, the kernel, the workers and what they have found."""

    def __init__(self, native: NativeModel, kernel: MachineCode, options: Options, reduction: Reduction | None) -> None:
        self.reduction = reduction
        self.native, self.model, self.kernel, self.options = native, native.model, kernel, options
        self.members = chosen_properties(native.model.protocol, options)
        chosen = {member.name for member in self.members}
        self.open = sum(1 << i for i, p in enumerate(self.model.properties) if p.member.name in chosen)
        self.wanted = options.workers or available_workers()
        self.found = Findings()
        self.depth = 0
        nothing = (0,) * (len(self.model.instances) + 1)
        self.crew = self._crew(1, Totals(nothing, nothing))
        self.known: Known | None = None
        self.saved = False
        self.resumed_from = 0
        self.writer = CheckpointWriter(options.checkpoint, self.identity) if options.checkpoint is not None else None

    def _crew(self, size: int, before: Totals) -> Crew:
        crew = Crew(self.native, self.kernel, size, before, self.options.spill, self.options.compact)
        crew.open(self.open)
        return crew

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What tells this search from any other."""
        asked = [member.name for member in self.members]
        layout = self.model.layout
        return identity_of(self.model.protocol, self.native.text, layout.words, asked, self.options.all_violations)

    # -- running --------------------------------------------------------------------------------------------------

    def begin(self, patience: Patience) -> None:
        """Admit the initial states."""
        layout, spare, worker = self.model.layout, len(self.model.instances), self.crew.workers[0]
        initial = initial_states(self.model.protocol, patience)
        for codes in self.reduction.representatives(initial) if self.reduction else initial:
            words = layout.pack(codes)
            worker.buffer.put(0, words, (INITIAL << INSTANCE_BITS | spare, state_hash(words), 0))
            if worker.store.needs(self.crew.spare):
                self.crew.grow()
            self.crew.settle(worker.context.address, worker.buffer.address, 1)

    def run(self, budget: Budget) -> str:
        """Explore level by level; the reason why the search is not exhaustive, or ""."""
        if self.options.resume is not None:
            self.resume(self.options.resume)
        else:
            with budget.patience.watching(FIRST_STATES):
                self.begin(budget.patience)
            self.end_level()
        while self.found.failure is None and not self.crew.level_done:
            self.depth += 1
            if not self.options.all_violations and self.found.violation_among(self.members):
                return FIRST_VIOLATION
            if self.crew.size == 1 and self.wanted > 1 and self.crew.count >= TOGETHER_FROM:
                self.share_out()
            while not self.crew.level_done:
                if cut := self.stretch(budget):
                    self.note_findings()
                    return cut
            self.end_level()
        return RULE_FAILED if self.found.failure is not None else ""

    def end_level(self) -> None:
        """What has been found is a level: take stock of it, and write a checkpoint if it is time."""
        self.note_findings()
        if self.found.failure is not None:
            return
        self.close_findings()
        self.crew.end_level()
        self.known = Known(self.depth, self.crew.totals(), Findings(dict(self.found.shown)))
        self.saved = False
        if self.writer is not None and self.writer.due:
            self.save(self.writer)

    def save(self, writer: CheckpointWriter) -> None:
        """Write what was known at the end of the last level."""
        if not self.saved and self.known is not None:
            writer.write(self.crew, self.known)
            self.saved = True

    def resume(self, folder: Path) -> None:
        """Go on from a checkpoint. Raises CheckpointError if that is not possible."""
        with Checkpoint.reading(folder, self.options.checkpoint) as checkpoint:
            checkpoint.require(self.identity)
            known = known_from(checkpoint.document, self.model.protocol)
            self.depth, self.found = known.depth, Findings(dict(known.found.shown))
            self.resumed_from = checkpoint.states
            self.crew.close()
            self.crew = self._crew(self.wanted if checkpoint.states >= TOGETHER_FROM else 1, known.totals)
            checkpoint.deal_to(self.crew, self.kernel, tables=not self.options.compact)
        self.known = known  # not before: whoever is interrupted while states are dealt out must not write a checkpoint
        self.close_findings()

    def share_out(self) -> None:
        """Let all workers take part."""
        alone, crew = self.crew, self._crew(self.wanted, self.crew.totals())
        deal(self.kernel, segments_of(alone), crew, tables=not self.options.compact)
        self.crew = crew
        alone.close()

    def stretch(self, budget: Budget) -> str:
        """Explore a part of a level; why to stop, or ""."""
        now = self.snapshot(budget)
        if cut := budget.spent(now):
            return cut
        if now.seconds > max(OPTIMISE_AFTER, OPTIMISE_AFTER_EACH * len(self.native.text)):
            self.native.optimise()
            if (better := self.native.renewed()) is not None:
                self.crew.use(better)
        if self.crew.crowded and (cut := self.grow(budget)):
            return cut
        self.crew.explore(min(max(STRETCH, self.crew.count >> 6), LONGEST_STRETCH))
        return ""

    def snapshot(self, budget: Budget) -> Progress:
        """The progress now."""
        return budget.snapshot(self.crew.count, self.crew.generated, self.depth, self.crew.queue)

    def grow(self, budget: Budget) -> str:
        """Make room for more states; why that is not possible, or ""."""
        if cut := budget.refuses(budget.in_use() + self.crew.growth_bytes):
            return cut
        try:
            self.crew.grow()
        except MemoryError as error:
            budget.reached = "memory"
            return str(error)
        return ""

    # -- findings -------------------------------------------------------------------------------------------------

    def note_findings(self) -> None:
        """Take over what the workers have found on this level."""
        for found in self.crew.findings():
            finding = self.finding(found)
            if found.slot == FAILURE:
                self.found.failure = finding
            else:
                self.found.shown[self.model.properties[found.slot].member.name] = finding

    def close_findings(self) -> None:
        """Judge only what has not been shown from now on."""
        shown = sum(1 << i for i, p in enumerate(self.model.properties) if p.member.name in self.found.shown)
        self.open &= ~shown
        self.crew.open(self.open)

    def finding(self, found: Found) -> Finding:
        """A finding with the run to its state."""
        instances = self.model.instances
        instance = None if found.instance is None else instances[found.instance].instance
        return Finding(found.key, self.run_to(found.name), instance)

    def run_to(self, name: int) -> Run:
        """The run to a state by the ways that were kept."""
        steps: list[Step] = []
        while True:
            codes = self.codes(name)
            parent, instance = self.crew.way(name)
            if parent is None:
                return codes, tuple(reversed(steps))
            steps.append(Step(self.model.instances[instance].instance, codes))
            name = parent

    def codes(self, name: int) -> Codes:
        """The codes of a state."""
        return self.model.layout.unpack(self.crew.state(name))


def available_workers() -> int:
    """How many workers there are if nobody says: the processors this process may use."""
    try:
        return min(len(os.sched_getaffinity(0)), 255)
    except AttributeError:  # not every system tells
        return min(os.cpu_count() or 1, 255)


def check(protocol: Protocol, options: Options) -> CheckResult:
    """Explore every state within the bounds, or as far as the budgets allow.

    Raises ReadingsDisagree if the Python reading says otherwise of a state that was reached, CheckpointError if a
    checkpoint cannot be gone on from or another run is writing it.
    """
    with writing_alone(options.checkpoint):
        return _check(protocol, options)


def _check(protocol: Protocol, options: Options) -> CheckResult:
    wall, cpu = time.monotonic(), time.process_time()
    judged = [member.name for member in chosen_properties(protocol, options)]
    compiler, words = Compiler(), lay_out(protocol.leaves).words
    shape = Shape(words, bool(protocol.members("constraint")), compact=options.compact, symmetric=options.symmetry)
    background = _Background(compiler, shape)
    patience = Patience(options.budget, options.max_memory, options.progress, options.begun)
    try:
        with patience.watching(COMPILING), without_collection():
            refuse_many_properties(all_properties(protocol, options.lemmas))
            model = compile_protocol(protocol, options.lemmas, patience)
            diagnostics = diagnose(model)
            reduction = reduction_of(model, judged) if options.symmetry else None
            patience("turning the specification into machine code")
            native = NativeModel(model, compiler, reduction.form if reduction else None)
    except OutOfPatience as spent:
        return unexplored(protocol, options, "native", spent, wall, cpu)
    search = NativeSearch(native, background.result(), options, reduction)
    watch = Stopwatch()
    budget, failed = Budget(options, watch, patience), False
    try:
        cut = search.run(budget)
    except KeyboardInterrupt as stopped:
        if not search.crew.count and not isinstance(stopped, OutOfPatience):  # there is nothing to report
            search.crew.close()
            raise
        cut, budget.reached = why_stopped(stopped)
    except MemoryError as error:
        cut, budget.reached = str(error), "memory"
    except OSError as error:
        cut, failed = f"{error.strerror or error}: {error.filename or options.spill or options.checkpoint}", True
    searched = watch.wall_seconds()
    search_cpu = watch.cpu_seconds() + search.crew.team.helped
    try:
        repeated = cross_checked(search, time.monotonic() - wall, patience)
        result = _result(search, model, cut, diagnostics, search_cpu)
        result = replace(result, limit=budget.reached, cross_check=repeated)
        if not failed:
            result = _save(search, result)
    finally:
        search.crew.close()
    return replace(
        result,
        engine_failed=result.engine_failed or failed,
        search_wall_seconds=searched,
        wall_seconds=time.monotonic() - wall,
        cpu_seconds=time.process_time() - cpu,
    )


def _save(search: NativeSearch, result: CheckResult) -> CheckResult:
    """Write the last checkpoint, or a first one if a budget has ended the search."""
    options, writer = search.options, search.writer
    if writer is None and options.rescue is not None and result.cut and result.exit_code == ExitCode.INCONCLUSIVE:
        writer = CheckpointWriter(options.rescue, search.identity)
    if writer is None or search.known is None:
        return result
    try:
        with writing_alone(writer.folder if writer is not search.writer else None):
            search.save(writer)
    except CheckpointError as error:
        return replace(result, warnings=(*result.warnings, f"no checkpoint is kept: {str(error).splitlines()[0]}"))
    except OSError as error:
        return replace(
            result, cut=f"no checkpoint can be written: {error.strerror}: {writer.folder}", engine_failed=True
        )
    return replace(result, checkpoint=writer.folder)


def _result(
    search: NativeSearch, model: Model, cut: str, diagnostics: tuple[Diagnostic, ...], search_cpu: float
) -> CheckResult:
    totals, crew, protocol = search.crew.totals(), search.crew, model.protocol
    actions = {action.name: [0, 0] for action in protocol.members("action")}
    for i, compiled in enumerate(model.instances):
        actions[compiled.instance.action.name][0] += totals.steps[i]
        actions[compiled.instance.action.name][1] += totals.new_states[i]
    found = concrete(search.found, search.reduction)
    judged = [p.member for i, p in enumerate(model.properties) if search.open >> i & 1]
    return CheckResult(
        protocol=protocol,
        engine="native",
        cut=cut,
        distinct_states=crew.count,
        generated_states=crew.generated,
        depth=search.depth,
        state_digest=str(Digest(*totals.state_digest)),
        step_digest=str(Digest(*totals.step_digest)),
        wall_seconds=0.0,
        cpu_seconds=0.0,
        search_cpu_seconds=search_cpu,
        peak_memory_bytes=peak_memory(),
        state_memory_bytes=sum(worker.store.memory_bytes for worker in crew.workers),
        properties=property_results(protocol, search.members, found, exhaustive=not cut, engine="native"),
        actions=tuple(ActionResult(name, steps, new) for name, (steps, new) in actions.items()),
        dead_ends=totals.dead_ends,
        left_constraint=totals.left_constraint,
        warnings=tuple(str(d) for d in diagnostics if not d.vacuous),
        vacuous=tuple(str(d) for d in diagnostics if d.vacuous),
        dead_actions=tuple(d.dead_action for d in diagnostics if d.dead_action),
        model=model,
        error=None if found.failure is None else evaluation_finding(protocol, judged, found.failure, "native"),
        workers=crew.size,
        state_file_bytes=sum(worker.store.file_bytes for worker in crew.workers),
        compact=search.options.compact,
        resumed_from=search.resumed_from,
        interchangeable=search.reduction.interchangeable if search.reduction else (),
    )
