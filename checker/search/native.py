"""Breadth-first search with machine code: exhaustive, level by level, by as many workers as there are processors.

Of all shortest runs to a state the least is kept, and of all findings of a level the least is reported, whoever finds
them first: see `checker.native.kernel.kernel`. So every figure and every trace is the same for any number of workers,
and the same as the Python engine's.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from epochal.exit_codes import ExitCode
from epochal.spec.language import Member, Protocol

from ..base.machine import Stopwatch, outside_collection, peak_memory, without_collection
from ..compile.static import Diagnostic, diagnose
from ..crosscheck.cross_check import SEED, CrossCheck, CrossChecker, repeated
from ..crosscheck.disagreement import SemanticsDisagree
from ..ir.digest import Digest, state_hash
from ..ir.layout import lay_out
from ..ir.model import GraphSize, Model
from ..native.background import BackgroundCode, CodeApart
from ..native.engine import NativeModel, load_kernel
from ..native.kernel.kernel import Shape
from ..native.kernel.vocabulary import FAILURE, INITIAL
from ..native.llvm.jit import Compiler, MachineCode
from ..native.program.program import INSTANCE_BITS, refuse_many_properties
from ..native.runtime.sample import Sample
from ..native.runtime.worker import KernelFinding, Totals
from ..native.runtime.worker_pool import WorkerPool, redistribute, segments_of
from ..native.stepper import MachineAnswers
from ..native.tuning import TUNING, Tuning
from ..semantics.semantics import Codes
from ..symmetry.canonical import Reduction
from ..trace.run import Step
from .budget import COMPILING, Budget, BudgetExceeded, Deadline, why_stopped
from .checkpoint import Checkpoint, CheckpointError, CheckpointWriter, Known, identity_of, known_from, writing_alone
from .compile_cache import Unkept, cached_program, program_key
from .findings import (
    FIRST_STATES,
    Finding,
    Findings,
    Run,
    chosen_properties,
    compiled_for,
    compiled_properties,
    concrete,
    evaluation_finding,
    initial_states,
    property_results,
)
from .liveness import judged_natively
from .result import CheckResult, Counts, Options, Progress, action_results
from .stop import FIRST_VIOLATION, RULE_FAILED, StopReason
from .symmetry import reduction_of
from .unexplored import unexplored

# -- better code ------------------------------------------------------------------------------------------------------
# Better code while a search runs: what takes LLVM longer is swapped in when it is there; no result depends on it.


@dataclass
class _ForEight:
    """Code for eight states at once: how it is begun with, used, and compared with looking at each alone.

    `kept` is the code, if it is in the cache and can be found without its text. If `slow`, the text takes as long to
    write as a small search takes, so that is done only later.
    """

    begin: Callable[[], BackgroundCode | CodeApart | None]
    kept: Callable[[], BackgroundCode | None]
    use: Callable[[WorkerPool, MachineCode | None], None]
    faster: Callable[[WorkerPool, int], bool]
    slow: bool = False
    background: BackgroundCode | CodeApart | None = None
    code: MachineCode | None = None
    sought: bool = False
    untried: bool = False


class BetterCode:
    """The code of a search that looks for the properties with the bits `asked`.

    It gets optimised code of the program, in a long search that of LLVM's passes, and code that evaluates the
    properties or takes the steps of eight states at once, where that is faster here: which of the two it is depends on
    the processor and on what there is to compute, so both are timed on states of the search.
    """

    def __init__(self, native: NativeModel, asked: int, tuning: Tuning) -> None:
        self._native, self._tuning = native, tuning
        self._kinds = [
            _ForEight(
                lambda: native.eight(asked),
                lambda: native.kept_eight(asked),
                WorkerPool.use_eight,
                WorkerPool.eight_is_faster,
            ),
            _ForEight(
                lambda: native.eight_steps(asked),
                lambda: native.kept_eight_steps(asked),
                WorkerPool.use_eight_steps,
                WorkerPool.eight_steps_are_faster,
                slow=True,
            ),
        ]

    def swap_in(self, pool: WorkerPool, seconds: float, spare: int) -> None:
        """Let workers use what is there after so many seconds of searching, and begin to compile what is worth it.

        `spare` is the memory in bytes that may be used for it.
        """
        kinds = [] if self._tuning.eight is False else self._kinds if pool.grouped else self._kinds[:1]
        if pool.count >= self._tuning.eight_from or self._tuning.eight:
            for kind in kinds:
                self._seek(kind, seconds, spare)
        if self._worthwhile(seconds, self._native.text):
            self._native.optimise()
            if self._deserves_passes(seconds, spare):
                self._native.optimise_thoroughly()
            if (better := self._native.renewed()) is not None:
                pool.use(better)
                self.hand_on()
        for kind in kinds:
            if kind.untried and kind.code is not None:
                kind.use(pool, kind.code)
                if self._tuning.eight is None and not kind.faster(pool, self._tuning.tried_on):
                    kind.use(pool, None)
                kind.untried = False

    def hand_on(self) -> None:
        """There is a new pool, which looks at one state at a time until it is told otherwise, or there is new code."""
        for kind in self._kinds:
            kind.untried = True

    def let_go(self) -> None:
        """The command is over: code for the steps of eight states that is being made will be there for the next one.

        It takes LLVM a second or two. The code of its passes takes ten, and is not waited for by anybody.
        """
        for kind in self._kinds:
            if isinstance(kind.background, CodeApart):
                kind.background.let_go()

    def close(self) -> None:
        """Make nothing more."""
        self._native.close()
        for kind in self._kinds:
            if isinstance(kind.background, CodeApart):
                kind.background.close()

    def _worthwhile(self, seconds: float, text: str) -> bool:
        return seconds > max(self._tuning.optimise_after, self._tuning.optimise_after_each * len(text))

    def _worth_writing(self, seconds: float, spare: int) -> bool:
        """Whether to write a text for eight states: that of a large program takes the search a quarter of a second."""
        if self._tuning.eight is True:
            return True
        if not self._native.large:
            return seconds > self._tuning.optimise_after
        after = self._tuning.write_eight_after_each * len(self._native.text)
        return seconds > max(self._tuning.optimise_after, after) and spare > self._native.thorough_bytes

    def _deserves_passes(self, seconds: float, spare: int) -> bool:
        after = self._tuning.optimise_thoroughly_after_each * len(self._native.text)
        return seconds > after and spare > self._native.thorough_bytes

    def _seek(self, kind: _ForEight, seconds: float, spare: int) -> None:
        if not kind.sought:
            known = kind.kept()
            if known is None and kind.slow and not self._worth_writing(seconds, spare):
                return
            kind.sought = True
            kind.background = kind.begin() if known is None else known
        if kind.background is None:
            return
        if self._tuning.eight or self._worthwhile(seconds, kind.background.text):
            kind.background.begin(wait=self._tuning.eight is True)
        if (made := kind.background.taken()) is not None:
            kind.code, kind.untried, kind.background = made, True, None


# -- native search ----------------------------------------------------------------------------------------------------
# One native search: the compiled model, the kernel, the workers, and what they have found so far.
#
# `breadth_first` begins one and makes a result of it; `cross_check` repeats some of its states.


class NativeSearch:
    """One native search: the compiled model, the kernel, the workers and what they have found.

    `members` are the properties that are looked for, in the order of the model, and `initial` the states that it begins
    in; None: those that the options ask for, and those of the protocol.
    """

    def __init__(
        self,
        native: NativeModel,
        kernel: MachineCode,
        options: Options,
        reduction: Reduction | None,
        tuning: Tuning = TUNING,
        members: Sequence[Member] | None = None,
        initial: Sequence[Codes] | None = None,
    ) -> None:
        self.reduction = reduction
        self.native, self.model, self.kernel, self.options = native, native.model, kernel, options
        self.tuning, self.initial = tuning, initial
        self.members = chosen_properties(native.model.protocol, options) if members is None else list(members)
        chosen = {member.name for member in self.members}
        self.pending = sum(1 << i for i, p in enumerate(self.model.properties) if p.member.name in chosen)
        self.wanted = options.workers or available_workers()
        self.asked = self.pending
        self.better = BetterCode(native, self.asked, tuning)
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
        self.better.hand_on()
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

    def begin(self, patience: Deadline) -> None:
        """Insert the initial states."""
        layout, beyond = self.model.layout, len(self.model.instances)
        initial = initial_states(self.model.protocol, patience) if self.initial is None else self.initial
        for codes in self.reduction.representatives(initial) if self.reduction else initial:
            words = layout.pack(codes)
            self.pool.insert(words, INITIAL << INSTANCE_BITS | beyond, state_hash(words))

    def explore(self, budget: Budget) -> StopReason | None:
        """Explore as far as possible; why not every state was explored, None if all were.

        Raises KeyboardInterrupt if the user ends it before there is anything to report.
        """
        try:
            return self.run(budget)
        except KeyboardInterrupt as interruption:
            if not self.pool.count and not isinstance(interruption, BudgetExceeded):
                raise
            self.pool.settle()
            self.note_findings()
            return why_stopped(interruption)
        except MemoryError as error:
            return StopReason(str(error), "memory")
        except OSError as error:
            where = error.filename or self.options.spill or self.options.checkpoint
            return StopReason(f"{error.strerror or error}: {where}", engine_failed=True)

    def close(self) -> None:
        """End what the search still does, and free its memory. Better code is made until then."""
        try:
            self.better.close()
        finally:
            self.pool.close()

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
            if self.pool.size == 1 and self.wanted > 1 and self.pool.count >= self.tuning.shared_from(self.wanted):
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
        """Write what was known at the end of the last level, and what was found since."""
        if self.known is None:
            return
        known = self.known.found.shown
        later = {name: finding for name, finding in self.found.shown.items() if name not in known}
        if later or not self.saved:
            writer.write(self.pool, self.known, Findings(later))
            self.saved = True

    def resume(self, folder: Path) -> None:
        """Go on from a checkpoint. Raises CheckpointError if that is not possible."""
        with Checkpoint.reading(folder, self.options.checkpoint) as checkpoint:
            checkpoint.require(self.identity)
            known = known_from(checkpoint.document, self.model.protocol)
            self.depth, self.found = known.depth, Findings(dict(known.found.shown))
            self.resumed_from = checkpoint.states
            size = self.wanted if checkpoint.states >= self.tuning.shared_from(self.wanted) else 1
            before, self.pool = self.pool, self._workers(size, known.totals)
            before.close()
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
        self.better.swap_in(self.pool, now.seconds, budget.memory - now.memory_bytes)
        if self.pool.full and (stopped := self.grow(budget)):
            return stopped
        self.pool.expand(min(max(tuning.quantum, self.pool.count >> 4), tuning.longest_quantum))
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
        self.pool.forget_findings()

    def close_findings(self) -> None:
        """Look only for what has not been shown from now on."""
        shown = sum(1 << i for i, p in enumerate(self.model.properties) if p.member.name in self.found.shown)
        self.pending &= ~shown
        self.pool.look_for(self.pending)

    def finding(self, found: KernelFinding) -> Finding:
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


# -- cross check ------------------------------------------------------------------------------------------------------
# The cross-check of a native search: a sample of what it has reached, repeated in the Python reading.


def cross_checked(search: NativeSearch, run_seconds: float, patience: Deadline) -> CrossCheck:
    """Repeat some of the states of a search, through the machine code that it has used last. Raises SemanticsDisagree.

    The runs to what the search has found are followed besides, step by step. `run_seconds` is what the run has taken.
    `patience` hears how far it is, and has the budgets.
    """
    amount = search.options.cross_check
    if amount == "off":
        return CrossCheck()
    model, reduction = search.model, search.reduction
    form = None if reduction is None else reduction.form
    members = chosen_properties(model.protocol, search.options)
    answers = MachineAnswers("native", model, search.native.program, members, form)
    checker = CrossChecker(model.protocol, members, answers, form)
    states = _States(search, checker, answers)
    for finding in (*search.found.shown.values(), search.found.failure):
        if finding is not None:
            _follow(checker, finding.run, whole=reduction is None)
    chosen = states.sample.every() if amount == "all" else states.sample
    tuning = search.tuning
    return repeated(
        checker,
        chosen,
        states.repeat,
        amount,
        run_seconds,
        told=patience.repeating,
        share=tuning.cross_check_share,
        longest=tuning.cross_check_seconds,
    )


def _follow(checker: CrossChecker, run: Run, whole: bool) -> None:
    """Repeat a run step by step. `whole` says that its states are those of the protocol, not representatives."""
    initial, steps = run
    before = initial
    for number, step in enumerate(steps):
        try:
            checker.led_to(before, step.instance, step.codes)
        except SemanticsDisagree as found:
            raise (found.after(steps[:number], initial) if whole else found) from None
        before = step.codes


class _States:
    """The states of a search: a sample of them, and how one is repeated."""

    def __init__(self, search: NativeSearch, checker: CrossChecker, answers: MachineAnswers) -> None:
        self._search, self._checker = search, checker
        model, totals = search.model, search.pool.totals()
        actions = tuple(compiled.instance.action.name for compiled in model.instances)
        self.sample = Sample(
            search.pool,
            actions,
            tuple(dict.fromkeys(name for name, steps in zip(actions, totals.steps, strict=False) if steps)),
            lambda name: {actions[entry.place] for entry in answers.stepper.entries(search.codes(name), 0)},
            lambda name: checker.enabled[name],
            compacted=search.options.compact,
            seed=SEED,
        )

    def repeat(self, name: int) -> None:
        """Repeat a state, and the step by which it was reached. Of a disagreement the first on the way is told."""
        try:
            self._led_to(name)
            self._checker.repeat(self._search.codes(name))
        except SemanticsDisagree as found:
            raise self._first_on_the_way_to(name, found) from None

    def _first_on_the_way_to(self, name: int, found: SemanticsDisagree) -> SemanticsDisagree:
        """The first disagreement on the way to a state, with the run to it."""
        path = [name]
        while (parent := self._search.pool.predecessor(path[-1])[0]) is not None:
            path.append(parent)
        for at in reversed(path):
            try:
                self._checker.repeat(self._search.codes(at))
            except SemanticsDisagree as first:
                return self._with_run(at, first)
        return found

    def _led_to(self, name: int) -> None:
        parent, place = self._search.pool.predecessor(name)
        if parent is not None:
            instance = self._search.model.instances[place].instance
            self._checker.led_to(self._search.codes(parent), instance, self._search.codes(name))

    def _with_run(self, name: int, found: SemanticsDisagree) -> SemanticsDisagree:
        """A disagreement in a state with the run to it; without a run where states are representatives."""
        state = found.disagreement.state
        initial, steps = self._search.run_to(name)
        if self._search.reduction is not None or state != self._search.codes(name):
            return found
        return found.after(steps, initial)


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


def check(protocol: Protocol, options: Options, *, tuning: Tuning = TUNING) -> CheckResult:
    """Explore every state within the bounds, or as far as the budgets allow.

    Raises SemanticsDisagree if the Python reading says otherwise of a state that was reached, CheckpointError if a
    checkpoint cannot be gone on from or another run is writing it.
    """
    with writing_alone(options.checkpoint), ExitStack() as until_the_end:
        return _check(protocol, options, tuning, until_the_end)


def _check(protocol: Protocol, options: Options, tuning: Tuning, until_the_end: ExitStack) -> CheckResult:
    wall, cpu = time.monotonic(), time.process_time()
    chosen = [member.name for member in chosen_properties(protocol, options)]
    compiler, words = Compiler(), lay_out(protocol.leaves).words
    shape = Shape(words, bool(protocol.members("constraint")), compacted=options.compact, symmetric=options.symmetry)
    background = _Background(compiler, shape)
    patience = Deadline(options.budget, options.max_memory, options.progress, options.begun)
    try:
        with patience.watching(COMPILING), without_collection():
            properties = compiled_properties(protocol, options)
            refuse_many_properties(properties)
            key = program_key(protocol, properties, chosen if options.symmetry else None)
            kept = cached_program(key, protocol)
            model = compiled_for(protocol, options, patience) if kept is None else kept.model
            diagnostics = diagnose(model)
            reduction = reduction_of(model, chosen, checked=kept is not None) if options.symmetry else None
            patience("turning the specification into machine code")
            form, text = reduction.form if reduction else None, None if kept is None else kept.text
            recipes = None if kept is None else kept.recipes
            native = NativeModel(model, compiler, form, text, keep=key is not None, recipes=recipes)
            program = Unkept(key, model, native.text, GraphSize.of(model.graph)) if key else None
            until_the_end.enter_context(outside_collection())
    except BudgetExceeded as spent:
        return unexplored(protocol, options, "native", spent, wall, cpu)
    search = NativeSearch(native, background.result(), options, reduction, tuning)
    watch = Stopwatch()
    budget = Budget(options, watch, patience)
    try:
        stopped = search.explore(budget)
        searched = watch.wall_seconds()
        search_cpu = watch.cpu_seconds() + search.pool.threads.helper_seconds
        repeated = cross_checked(search, time.monotonic() - wall, patience)
        result = replace(_result(search, model, stopped, diagnostics), cross_check=repeated)
        if not result.engine_failed:
            result = replace(judged_natively(search, result, budget), peak_memory_bytes=peak_memory())
            result = _save(search, result)
        if program is not None:
            recipes = native.recipes_for_eight(search.asked, write=kept is None)
            if kept is None or recipes != kept.recipes:
                program.keep(recipes)
            search.better.let_go()
    finally:
        search.close()
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
    folder = options.checkpoint_on_stop
    if writer is None and folder is not None and result.cut and result.exit_code == ExitCode.INCONCLUSIVE:
        writer = search.writer_to(folder)
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
