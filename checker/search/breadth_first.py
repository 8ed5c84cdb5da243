"""Breadth-first search with machine code: exhaustive, level by level, by as many workers as there are processors.

Of all shortest runs to a state the least is kept, and of all findings of a level the least is reported, whoever finds
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
from ..native.runtime.redistribute import redistribute, segments_of
from ..native.runtime.worker_pool import Found, Totals, WorkerPool
from ..native.tuning import TUNING, Tuning
from .budget import Budget
from .checkpoint import CheckpointWriter, Known, identity_of, known_from, writing_alone
from .cross_check import cross_checked
from .errors import CheckpointError
from .findings import (
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
from .result import CheckResult, Counts, Options, Progress, action_results
from .resume import Checkpoint
from .stop import FIRST_VIOLATION, RULE_FAILED, StopReason
from .symmetry import reduction_of
from .unexplored import unexplored


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

    def __init__(
        self,
        native: NativeModel,
        kernel: MachineCode,
        options: Options,
        reduction: Reduction | None,
        tuning: Tuning = TUNING,
    ) -> None:
        self.reduction = reduction
        self.native, self.model, self.kernel, self.options = native, native.model, kernel, options
        self.tuning = tuning
        self.members = chosen_properties(native.model.protocol, options)
        chosen = {member.name for member in self.members}
        self.pending = sum(1 << i for i, p in enumerate(self.model.properties) if p.member.name in chosen)
        self.wanted = options.workers or available_workers()
        self.found = Findings()
        self.depth = 0
        nothing = (0,) * (len(self.model.instances) + 1)
        self.pool = self._workers(1, Totals(nothing, nothing))
        self.known: Known | None = None
        self.saved = False
        self.resumed_from = 0
        self.writer = self.writer_to(options.checkpoint) if options.checkpoint is not None else None

    def _workers(self, size: int, before: Totals) -> WorkerPool:
        options = self.options
        pool = WorkerPool(self.native, self.kernel, size, before, self.tuning, options.spill, options.compact)
        pool.look_for(self.pending)
        return pool

    def writer_to(self, folder: Path) -> CheckpointWriter:
        """What writes checkpoints of this search to a folder."""
        return CheckpointWriter(folder, self.identity, self.tuning.checkpoint_seconds)

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What tells this search from any other."""
        asked = [member.name for member in self.members]
        layout = self.model.layout
        return identity_of(self.model.protocol, self.native.text, layout.words, asked, self.options.all_violations)

    # -- running --------------------------------------------------------------------------------------------------

    def begin(self, patience: Patience) -> None:
        """Insert the initial states."""
        layout, beyond = self.model.layout, len(self.model.instances)
        initial = initial_states(self.model.protocol, patience)
        for codes in self.reduction.representatives(initial) if self.reduction else initial:
            words = layout.pack(codes)
            self.pool.insert(words, INITIAL << INSTANCE_BITS | beyond, state_hash(words))

    def run(self, budget: Budget) -> StopReason | None:
        """Explore level by level; why the search stopped before all was explored, None if it did not."""
        if self.options.resume is not None:
            self.resume(self.options.resume)
        else:
            with budget.patience.watching(FIRST_STATES):
                self.begin(budget.patience)
            self.end_level()
        while self.found.failure is None and not self.pool.level_done:
            self.depth += 1
            if not self.options.all_violations and self.found.violation_among(self.members):
                return FIRST_VIOLATION
            if self.pool.size == 1 and self.wanted > 1 and self.pool.count >= self.tuning.share_from:
                self.share()
            while not self.pool.level_done:
                if stopped := self.expand(budget):
                    self.note_findings()
                    return stopped
            self.end_level()
        return RULE_FAILED if self.found.failure is not None else None

    def end_level(self) -> None:
        """The next frontier is complete: take stock of it, and write a checkpoint if it is time."""
        self.note_findings()
        if self.found.failure is not None:
            return
        self.close_findings()
        self.pool.end_level()
        self.known = Known(self.depth, self.pool.totals(), Findings(dict(self.found.shown)))
        self.saved = False
        if self.writer is not None and self.writer.due:
            self.save(self.writer)

    def save(self, writer: CheckpointWriter) -> None:
        """Write what was known at the end of the last level."""
        if not self.saved and self.known is not None:
            writer.write(self.pool, self.known)
            self.saved = True

    def resume(self, folder: Path) -> None:
        """Go on from a checkpoint. Raises CheckpointError if that is not possible."""
        with Checkpoint.reading(folder, self.options.checkpoint) as checkpoint:
            checkpoint.require(self.identity)
            known = known_from(checkpoint.document, self.model.protocol)
            self.depth, self.found = known.depth, Findings(dict(known.found.shown))
            self.resumed_from = checkpoint.states
            self.pool.close()
            size = self.wanted if checkpoint.states >= self.tuning.share_from else 1
            self.pool = self._workers(size, known.totals)
            checkpoint.redistribute_to(self.pool, self.kernel, tables=not self.options.compact)
        self.known = (
            known  # not before: whoever is interrupted while states are redistributed must not write a checkpoint
        )
        self.close_findings()

    def share(self) -> None:
        """Let all workers take part."""
        alone, pool = self.pool, self._workers(self.wanted, self.pool.totals())
        redistribute(self.kernel, segments_of(alone), pool, tables=not self.options.compact)
        self.pool = pool
        alone.close()

    def expand(self, budget: Budget) -> StopReason | None:
        """Expand a part of the frontier; why to stop before, if there is a reason."""
        tuning, now = self.tuning, self.snapshot(budget)
        if stopped := budget.spent(now):
            return stopped
        if now.seconds > max(tuning.optimise_after, tuning.optimise_after_each * len(self.native.text)):
            self.native.optimise()
            if (better := self.native.renewed()) is not None:
                self.pool.use(better)
        if self.pool.full and (stopped := self.grow(budget)):
            return stopped
        self.pool.expand(min(max(tuning.quantum, self.pool.count >> 6), tuning.longest_quantum))
        return None

    def snapshot(self, budget: Budget) -> Progress:
        return budget.snapshot(self.pool.count, self.pool.transitions, self.depth, self.pool.queue)

    def grow(self, budget: Budget) -> StopReason | None:
        """Make room for more states; why that is not possible, if it is not."""
        if stopped := budget.refuses(budget.in_use() + self.pool.growth_bytes):
            return stopped
        try:
            self.pool.grow()
        except MemoryError as error:
            return StopReason(str(error), "memory")
        return None

    # -- findings -------------------------------------------------------------------------------------------------

    def note_findings(self) -> None:
        """Take over what the workers have found on this level."""
        for found in self.pool.findings():
            finding = self.finding(found)
            if found.slot == FAILURE:
                self.found.failure = finding
            else:
                self.found.shown[self.model.properties[found.slot].member.name] = finding

    def close_findings(self) -> None:
        """Look only for what has not been shown from now on."""
        shown = sum(1 << i for i, p in enumerate(self.model.properties) if p.member.name in self.found.shown)
        self.pending &= ~shown
        self.pool.look_for(self.pending)

    def finding(self, found: Found) -> Finding:
        """A finding with the run to its state."""
        instances = self.model.instances
        instance = None if found.instance is None else instances[found.instance].instance
        return Finding(found.key, self.run_to(found.name), instance)

    def run_to(self, name: int) -> Run:
        """The run to a state by the predecessors that were kept."""
        steps: list[Step] = []
        while True:
            codes = self.codes(name)
            parent, instance = self.pool.predecessor(name)
            if parent is None:
                return codes, tuple(reversed(steps))
            steps.append(Step(self.model.instances[instance].instance, codes))
            name = parent

    def codes(self, name: int) -> Codes:
        """The codes of a state."""
        return self.model.layout.unpack(self.pool.state(name))


def available_workers() -> int:
    """How many workers there are if nobody says: the processors this process may use."""
    try:
        return min(len(os.sched_getaffinity(0)), 255)
    except AttributeError:  # not every system tells
        return min(os.cpu_count() or 1, 255)


def check(protocol: Protocol, options: Options, *, tuning: Tuning = TUNING) -> CheckResult:
    """Explore every state within the bounds, or as far as the budgets allow.

    Raises ReadingsDisagree if the Python reading says otherwise of a state that was reached, CheckpointError if a
    checkpoint cannot be gone on from or another run is writing it.
    """
    with writing_alone(options.checkpoint):
        return _check(protocol, options, tuning)


def _check(protocol: Protocol, options: Options, tuning: Tuning) -> CheckResult:
    wall, cpu = time.monotonic(), time.process_time()
    chosen = [member.name for member in chosen_properties(protocol, options)]
    compiler, words = Compiler(), lay_out(protocol.leaves).words
    shape = Shape(words, bool(protocol.members("constraint")), compacted=options.compact, symmetric=options.symmetry)
    background = _Background(compiler, shape)
    patience = Patience(options.budget, options.max_memory, options.progress, options.begun)
    try:
        with patience.watching(COMPILING), without_collection():
            refuse_many_properties(all_properties(protocol, options.lemmas))
            model = compile_protocol(protocol, options.lemmas, patience)
            diagnostics = diagnose(model)
            reduction = reduction_of(model, chosen) if options.symmetry else None
            patience("turning the specification into machine code")
            native = NativeModel(model, compiler, reduction.form if reduction else None)
    except OutOfPatience as spent:
        return unexplored(protocol, options, "native", spent, wall, cpu)
    search = NativeSearch(native, background.result(), options, reduction, tuning)
    watch = Stopwatch()
    budget = Budget(options, watch, patience)
    stopped: StopReason | None
    try:
        stopped = search.run(budget)
    except KeyboardInterrupt as interruption:
        if not search.pool.count and not isinstance(interruption, OutOfPatience):  # there is nothing to report
            search.pool.close()
            raise
        stopped = why_stopped(interruption)
    except MemoryError as error:
        stopped = StopReason(str(error), "memory")
    except OSError as error:
        where = error.filename or options.spill or options.checkpoint
        stopped = StopReason(f"{error.strerror or error}: {where}", engine_failed=True)
    searched = watch.wall_seconds()
    search_cpu = watch.cpu_seconds() + search.pool.threads.helper_seconds
    try:
        repeated = cross_checked(search, time.monotonic() - wall, patience)
        result = replace(_result(search, model, stopped, diagnostics), cross_check=repeated)
        if not result.engine_failed:
            result = _save(search, result)
    finally:
        search.pool.close()
    return replace(
        result,
        search_wall_seconds=searched,
        search_cpu_seconds=search_cpu,
        wall_seconds=time.monotonic() - wall,
        cpu_seconds=time.process_time() - cpu,
    )


def _save(search: NativeSearch, result: CheckResult) -> CheckResult:
    """Write the last checkpoint, or a first one if a budget has stopped the search (checkpoint-on-stop)."""
    options, writer = search.options, search.writer
    if writer is None and options.rescue is not None and result.cut and result.exit_code == ExitCode.INCONCLUSIVE:
        writer = search.writer_to(options.rescue)
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
    search: NativeSearch, model: Model, stopped: StopReason | None, diagnostics: tuple[Diagnostic, ...]
) -> CheckResult:
    totals, pool, protocol = search.pool.totals(), search.pool, model.protocol
    found = concrete(search.found, search.reduction)
    pending = [p.member for i, p in enumerate(model.properties) if search.pending >> i & 1]
    counts = Counts(
        states=pool.count,
        transitions=pool.transitions,
        depth=search.depth,
        state_digest=Digest(*totals.state_digest),
        step_digest=Digest(*totals.step_digest),
        actions=action_results(protocol, model.instances, totals.steps, totals.discovered),
        terminal_states=totals.terminal_states,
        left_constraint=totals.left_constraint,
    )
    result = CheckResult.of(
        protocol,
        "native",
        stopped,
        counts,
        property_results(protocol, search.members, found, exhaustive=stopped is None, engine="native"),
        model=model,
        diagnostics=diagnostics,
        error=None if found.failure is None else evaluation_finding(protocol, pending, found.failure, "native"),
    )
    return replace(
        result,
        peak_memory_bytes=peak_memory(),
        state_memory_bytes=sum(worker.store.memory_bytes for worker in pool.workers),
        state_file_bytes=sum(worker.store.file_bytes for worker in pool.workers),
        workers=pool.size,
        compact=search.options.compact,
        resumed_from=search.resumed_from,
        interchangeable=search.reduction.interchangeable if search.reduction else (),
    )
