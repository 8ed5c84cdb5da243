"""Breadth-first search with machine code: exhaustive, level by level, by as many workers as there are processors.

Of all shortest runs to a state the least is kept, and of all findings of a level the least is reported, whoever finds
them first: see `checker.native.kernel.kernel`. So every figure and every trace is the same for any number of workers,
and the same as the Python engine's.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from epochal.exit_codes import ExitCode
from epochal.spec.language import ActionInstance, Member, Protocol

from ..base.machine import processors
from ..base.processes import Background
from ..crosscheck.cross_check import SEED, CrossChecker, ReachedStates
from ..dominance.budgets import Budgets
from ..ir.layout import Digest, lay_out, state_hash
from ..ir.model import CompiledLiveness
from ..liveness.result import Liveness
from ..native.backend import LivenessCode, MachineAnswers
from ..native.engine import KINDS, STEPS, BackgroundCode, CodeApart, Kind, NativeModel, load_kernel
from ..native.kernel.kernel import FAILURE, INITIAL, LOCAL_BITS, SLOT_INDEX, Shape
from ..native.llvm.instructions import LANES
from ..native.llvm.jit import Compiler, MachineCode
from ..native.program.program import INSTANCE_BITS
from ..native.runtime.worker_pool import KernelFinding, Totals, WorkerPool, redistribute, segments_of
from ..native.tuning import TUNING, Tuning
from ..semantics.properties import Assumptions
from ..semantics.semantics import Codes
from ..symmetry.canonical import Reduction
from ..trace.run import PlainRun, Step
from .budget import Budget, Deadline
from .checkpoint import Checkpoint, CheckpointError, CheckpointWriter, Known, identity_of, known_from, writing_alone
from .compile_cache import CompiledProgram
from .findings import FIRST_STATES, Finding, Findings, chosen_properties, initial_states
from .liveness import code_to_repeat, judged_natively
from .result import (
    EVERYTHING_FOUND,
    FIRST_VIOLATION,
    RULE_FAILED,
    CheckResult,
    Counts,
    Options,
    Progress,
    StopReason,
    action_results,
)
from .run import Engine, Frame

# -- better code ------------------------------------------------------------------------------------------------------
# Better code while a search runs: what takes LLVM longer is swapped in when it is there; no result depends on it.


@dataclass
class _ForEight:
    """Code for eight states at once of one kind, until it is taken and then."""

    kind: Kind
    background: BackgroundCode | None = None
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
        self._native, self._asked, self._tuning = native, asked, tuning
        self._kinds = [_ForEight(kind) for kind in KINDS]

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
                pool.use_eight(kind.kind, kind.code)
                if self._tuning.eight is None and not pool.eight_is_faster(kind.kind, self._tuning.tried_on):
                    pool.use_eight(kind.kind, None)
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
        """Begin to make code. That of steps takes as long to write as a small search takes, so it is written later."""
        if not kind.sought:
            known = self._native.kept_for_eight(kind.kind, self._asked)
            if known is None and kind.kind == STEPS and not self._worth_writing(seconds, spare):
                return
            kind.sought = True
            kind.background = self._native.for_eight(kind.kind, self._asked) if known is None else known
        if kind.background is None:
            return
        if self._tuning.eight or self._worthwhile(seconds, kind.background.text):
            kind.background.begin(wait=self._tuning.eight is True)
        if (made := kind.background.taken()) is not None:
            kind.code, kind.untried, kind.background = made, True, None


# -- native search ----------------------------------------------------------------------------------------------------
# One native search: the compiled model, the kernel, the workers, and what they have found so far.


class NativeSearch(Engine):
    """One native search: the compiled model, the kernel, the workers and what they have found.

    `members` are the properties that are looked for, in the order of the model, and `initial` the states that it begins
    in; None: those that the options ask for, and those of the protocol. With `program` the recipes of its code are
    kept, and with `budgets` states that others dominate are not expanded. If it `ends_when_found`, no state is looked
    at once all of them are shown.
    """

    name = "native"

    def __init__(
        self,
        native: NativeModel,
        kernel: MachineCode,
        options: Options,
        reduction: Reduction | None,
        tuning: Tuning = TUNING,
        members: Sequence[Member] | None = None,
        initial: Sequence[Codes] | None = None,
        program: CompiledProgram | None = None,
        budgets: Budgets | None = None,
    ) -> None:
        self.reduction, self.program, self.budgets = reduction, program, budgets
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
        self.ends_when_found = False
        self.known: Known | None = None
        self.saved = False
        self.resumed_from = 0
        self.writer = self.writer_to(options.checkpoint) if options.checkpoint is not None else None

    def _workers(self, size: int, before: Totals) -> WorkerPool:
        options = self.options
        spill, compact, budgets = options.spill, options.compact, self.budgets
        pool = WorkerPool(self.native.code, self.kernel, size, before, self.tuning, spill, compact, budgets)
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
        dominance = () if self.budgets is None else self.budgets.paths
        every = self.options.all_violations
        return identity_of(self.model.protocol, self.native.text, layout.words, asked, every, dominance)

    # -- running --------------------------------------------------------------------------------------------------

    def begin(self, patience: Deadline) -> None:
        """Insert the initial states."""
        layout, beyond = self.model.layout, len(self.model.instances)
        initial = initial_states(self.model.protocol, patience) if self.initial is None else self.initial
        for codes in self.reduction.representatives(initial) if self.reduction else initial:
            words = layout.pack(codes)
            self.pool.insert(words, INITIAL << INSTANCE_BITS | beyond, state_hash(words))

    def explore(self, budget: Budget) -> StopReason | None:
        try:
            return super().explore(budget)
        except MemoryError as error:
            return StopReason(str(error), "memory")
        except OSError as error:
            where = error.filename or self.options.spill or self.options.checkpoint
            return StopReason(f"{error.strerror or error}: {where}", engine_failed=True)

    def settle(self) -> None:
        self.pool.settle()
        self.note_findings()

    @property
    def state_count(self) -> int:
        return self.pool.count

    @property
    def helper_seconds(self) -> float:
        return self.pool.threads.helper_seconds

    def close(self) -> None:
        """End what the search still does, and free its memory. Better code is made until then."""
        try:
            self.better.close()
        finally:
            self.pool.close()

    def run(self, budget: Budget) -> StopReason | None:
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
            if self.ends_when_found and not self.pending:
                return EVERYTHING_FOUND
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
        # Not before: whoever is interrupted while states are redistributed must not write a checkpoint.
        self.known = known
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

    def run_to(self, name: int) -> PlainRun:
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

    # -- what the frame asks for ----------------------------------------------------------------------------------

    def counts(self) -> Counts:
        totals, pool, model = self.pool.totals(), self.pool, self.model
        return Counts(
            states=pool.count,
            transitions=pool.transitions,
            depth=self.depth,
            state_digest=Digest(*totals.state_digest),
            step_digest=Digest(*totals.step_digest),
            actions=action_results(model.protocol, model.instances, totals.steps, totals.discovered),
            terminal_states=totals.terminal_states,
            left_constraint=totals.left_constraint,
            dominated=totals.dominated,
        )

    def findings(self) -> Findings:
        return self.found

    def pending_properties(self) -> list[Member]:
        return [p.member for i, p in enumerate(self.model.properties) if self.pending >> i & 1]

    def reached(self, members: Sequence[Member], liveness: bool) -> NativeStates:
        return NativeStates(self, members, liveness)

    def judge(self, promises: Sequence[CompiledLiveness], assumed: Assumptions, budget: Budget) -> Liveness:
        return judged_natively(self.native, self.pool, self.run_to, self.options, promises, assumed, budget, self.depth)

    def facts(self) -> dict[str, Any]:
        workers = self.pool.workers
        return {
            "state_memory_bytes": sum(worker.store.memory_bytes for worker in workers),
            "state_file_bytes": sum(worker.store.file_bytes for worker in workers),
            "workers": self.pool.size,
            "compact": self.options.compact,
            "resumed_from": self.resumed_from,
        }

    def keep(self, result: CheckResult) -> CheckResult:
        """Write the last checkpoint, and the program with the recipes of the code that was made."""
        if not result.engine_failed:
            result = self._with_checkpoint(result)
        if self.program is not None and self.program.key is not None:
            self.program.keep(self.native.recipes_for_eight(self.asked, write=not self.program.cached))
            self.better.let_go()
        return result

    def _with_checkpoint(self, result: CheckResult) -> CheckResult:
        """Write the last checkpoint, or a first one if a budget has stopped the search (checkpoint-on-stop)."""
        writer, folder = self.writer, self.options.checkpoint_on_stop
        if writer is None and folder is not None and result.cut and result.exit_code == ExitCode.INCONCLUSIVE:
            writer = self.writer_to(folder)
        if writer is None or self.known is None:
            return result
        try:
            with writing_alone(writer.folder if writer is not self.writer else None):
                self.save(writer)
        except CheckpointError as error:
            return replace(result, warnings=(*result.warnings, f"no checkpoint is kept: {str(error).splitlines()[0]}"))
        except OSError as error:
            return replace(
                result, cut=f"no checkpoint can be written: {error.strerror}: {writer.folder}", engine_failed=True
            )
        return replace(result, checkpoint=writer.folder)


def available_workers() -> int:
    """How many workers there are if nobody says: the processors this process may use."""
    return min(processors(), 255)


# -- cross check ------------------------------------------------------------------------------------------------------
# The cross-check of a native search: a sample of what it has reached, repeated in the Python semantics.


class NativeStates(ReachedStates[int]):
    """The states of a search by their names, repeated through the machine code that it has used last."""

    def __init__(self, search: NativeSearch, members: Sequence[Member], liveness: bool) -> None:
        model, reduction, totals = search.model, search.reduction, search.pool.totals()
        form = None if reduction is None else reduction.form
        dominance = search.budgets is not None and bool(search.budgets.paths)

        def code() -> LivenessCode:
            return code_to_repeat(model, search.options, search.native.compiler, dominance) if liveness else ()

        answers = MachineAnswers(search.name, model, search.native.program, members, form, code)
        super().__init__(CrossChecker(model.protocol, members, answers, form), whole=reduction is None)
        self._search = search
        actions = tuple(compiled.instance.action.name for compiled in model.instances)
        self._sample = Sample(
            search.pool,
            actions,
            tuple(dict.fromkeys(name for name, steps in zip(actions, totals.steps, strict=False) if steps)),
            lambda name: {actions[entry.place] for entry in answers.stepper.entries(search.codes(name), 0)},
            lambda name: self.checker.enabled[name],
            compacted=search.options.compact,
            seed=SEED,
        )

    def some(self) -> Iterable[int]:
        """A sample. The runs to what the search has found are followed before, step by step."""
        for finding in (*self._search.found.shown.values(), self._search.found.failure):
            if finding is not None:
                self.follow(finding.run)
        return self._sample

    def every(self) -> Iterable[int]:
        self.some()
        return self._sample.every()

    def codes(self, state: int) -> Codes:
        return self._search.codes(state)

    def came_from(self, state: int) -> tuple[Codes, ActionInstance] | None:
        parent, place = self._search.pool.predecessor(state)
        return None if parent is None else (self.codes(parent), self._search.model.instances[place].instance)

    def run_to(self, state: int) -> PlainRun:
        return self._search.run_to(state)


# -- the engine -------------------------------------------------------------------------------------------------------


def check(protocol: Protocol, options: Options, *, tuning: Tuning = TUNING) -> CheckResult:
    """Explore every state within the bounds, or as far as the budgets allow.

    Raises SemanticsDisagree if the Python semantics says otherwise of a state that was reached, CheckpointError if a
    checkpoint cannot be gone on from or another run is writing it.
    """
    with writing_alone(options.checkpoint):
        return Frame(protocol, options).search(NativeSearch.name, lambda frame: _prepare(frame, tuning))


def _prepare(frame: Frame, tuning: Tuning) -> Callable[[], NativeSearch]:
    """Compile a protocol, and load the kernel meanwhile."""
    protocol, options, compiler = frame.protocol, frame.options, Compiler()
    words, constrained = lay_out(protocol.leaves).words, bool(protocol.members("constraint"))
    shape = Shape(words, constrained, options.compact, options.symmetry, options.dominance)
    kernel = Background("kernel", lambda: load_kernel(compiler, shape), daemon=False)
    program = CompiledProgram(protocol, options, frame.patience, frame.symmetric)
    reduction = frame.examine(program.model, checked=program.cached)
    frame.patience("turning the specification into machine code")
    form, keep = reduction.form if reduction else None, program.key is not None
    native = NativeModel(program.model, compiler, form, program.text(form), keep=keep, recipes=program.recipes)
    budgets = frame.budgets(program.model, reduction, program.budgets)
    return lambda: NativeSearch(native, kernel.result(), options, reduction, tuning, program=program, budgets=budgets)


# -- sample -----------------------------------------------------------------------------------------------------------
# Which of the states of a search are repeated by the cross-check: spread over depths and over actions.
#
# A state is drawn by its hash: the one in the visited table that follows a seeded number, whichever worker found it and
# wherever it lies. With its ancestors, by the predecessors that were kept, it is a run; such runs have a state of every
# depth, and for each of their steps a state in which that step is enabled. So the same search has the same sample for
# any number of workers. Few states, and those of a search with hash compaction, which has no such table, are drawn by
# their place instead; with several workers such a search may have another sample each time.

RUNS = 8
"""How many runs are drawn at a time."""

FEW = 1 << 8
"""How many states the last level may have for one of them to be looked for."""

SCANNED = 1 << 12
"""How many slots of a table are read at a time."""

SEARCHED = 400
"""In how many states a step of an action is looked for that no run takes."""


class Sample:
    """The states of a search in the order in which they are to be repeated.

    `actions` has the name of each instance's action by its place in the model, `taken` the actions that some step
    takes, and `enabled` says which of these are enabled in a state. `covered` says in how many repeated states an
    action was enabled.
    """

    def __init__(
        self,
        pool: WorkerPool,
        actions: tuple[str, ...],
        taken: tuple[str, ...],
        enabled: Callable[[int], set[str]],
        covered: Callable[[str], int],
        compacted: bool,
        seed: int,
    ) -> None:
        self._pool, self._actions, self._enabled, self._covered = pool, actions, enabled, covered
        self._count = pool.count
        self._by_place = compacted or self._count <= pool.tuning.drawn_by_place
        self._random = random.Random(seed)
        self._levels: dict[int, list[int]] = {}
        self._before: dict[str, list[int]] = {name: [] for name in taken}
        self._known: dict[int, None] = {}

    def __iter__(self) -> Iterator[int]:
        """The names of the states: in turn one that an action is enabled in and one of the next depth."""
        told: set[int] = set()
        while len(told) < self._count:
            if not self._draw():
                yield from (name for name in self.every() if name not in told)
                return
            depths = spread(sorted(self._levels))
            while (name := self._of_action()) is not None or any(self._levels.values()):
                if name is not None and name not in told:
                    told.add(name)
                    yield name
                depth = next((d for d in depths if self._levels[d]), None)
                if depth is None:
                    continue
                depths.append(depths.pop(depths.index(depth)))
                name = self._levels[depth].pop(0)
                if name not in told:
                    told.add(name)
                    yield name

    def every(self) -> Iterator[int]:
        """Every state, worker by worker."""
        for number, worker in enumerate(self._pool.workers):
            for index in range(worker.store.count):
                yield number << LOCAL_BITS | index

    def _of_action(self) -> int | None:
        """A state before a step of the action that was enabled in the fewest states so far, if there is one left."""
        left = [name for name, states in self._before.items() if states]
        return self._before[min(left, key=self._covered)].pop(0) if left else None

    # -- drawing --------------------------------------------------------------------------------------------------

    def _draw(self) -> bool:
        """Draw some runs; whether they had any state that was not drawn before."""
        before = len(self._known)
        if not before:
            for deepest in self._deepest():
                self._add_run(deepest)
        for _ in range(RUNS):
            self._add_run(self._by_index() if self._by_place else self._following(self._random.getrandbits(64)))
        for name in [name for name, states in self._before.items() if not states and not self._covered(name)]:
            found = next((one for one in islice(self._known, SEARCHED) if name in self._enabled(one)), None)
            self._before[name] += [] if found is None else [found]
        return len(self._known) > before

    def _add_run(self, name: int) -> None:
        """Sort a state and its ancestors by their depths and by the actions that lead from them."""
        run = [name]
        while (before := self._pool.predecessor(run[-1]))[0] is not None:
            action = self._actions[before[1]]
            if before[0] not in self._known or run[-1] not in self._known:
                self._before.setdefault(action, []).append(before[0])
            run.append(before[0])
        for depth, one in enumerate(reversed(run)):
            if one not in self._known:
                self._known[one] = None
                self._levels.setdefault(depth, []).append(one)

    def _deepest(self) -> list[int]:
        """A state of the last level, unless that has so many states that some will be drawn anyway."""
        ends = [(0,) * self._pool.size, *self._pool.ends]
        for before, end in reversed(list(pairwise(ends))):
            if any(end[i] > before[i] for i in range(self._pool.size)):
                if sum(end) - sum(before) > FEW:
                    return []
                names = [i << LOCAL_BITS | at for i in range(self._pool.size) for at in range(before[i], end[i])]
                return [min(names, key=lambda name: state_hash(self._pool.state(name)))]
        return []

    def _by_index(self) -> int:
        """A state by its place among all of them."""
        index = self._random.randrange(self._count)
        for number, worker in enumerate(self._pool.workers):
            if index < worker.store.count:
                return number << LOCAL_BITS | index
            index -= worker.store.count
        raise AssertionError("there are fewer states than are counted")

    def _following(self, hash: int) -> int:
        """The state whose hash is the first from this one on, by the upper halves."""
        top = hash >> 32
        found = (_following(*worker.store.table[:2], top) for worker in self._pool.workers)
        slot = min((one for one in found if one is not None), key=lambda one: (one >> 32 < top, one))
        index, bits = (slot & SLOT_INDEX) - 1, self._pool.workers[0].context["index_bits"]
        return (index >> bits) << LOCAL_BITS | index & (1 << bits) - 1


def _following(address: int, slots: int, top: int) -> int | None:
    """The least slot of a table whose upper half is at least `top`; the least of all if there is none; None if empty.

    A slot lies in its bucket or beyond, with no free one between.
    """
    for first in (top, 0):
        least: int | None = None
        at = LANES * (first * (slots // LANES) >> 32)
        while at < slots:
            length = min(SCANNED, slots - at)
            for slot in (ctypes.c_uint64 * length).from_address(address + 8 * at):
                if slot and slot >> 32 >= first and (least is None or slot >> 32 < least >> 32):
                    least = slot
                if not slot and least is not None:
                    return least
            at += length
        if least is not None:
            return least
    return None


def spread(depths: list[int]) -> list[int]:
    """Depths in an order whose beginnings are spread over all of them: the middle, the quarters, the eighths."""
    found: list[int] = []
    pieces = [(0, len(depths))]
    for low, high in pieces:
        if low < high:
            middle = (low + high) // 2
            found.append(depths[middle])
            pieces += [(low, middle), (middle + 1, high)]
    return found
