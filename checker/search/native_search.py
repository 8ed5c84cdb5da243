"""One native search: the compiled model, the kernel, the workers, and what they have found so far.

`breadth_first` begins one and makes a result of it; `cross_check` repeats some of its states.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from epochal.spec.language import Member

from ..ir.digest import state_hash
from ..native.engine import NativeModel
from ..native.kernel.vocabulary import FAILURE, INITIAL
from ..native.llvm.jit import MachineCode
from ..native.program.program import INSTANCE_BITS
from ..native.runtime.redistribute import redistribute, segments_of
from ..native.runtime.worker import KernelFinding, Totals
from ..native.runtime.worker_pool import WorkerPool
from ..native.tuning import TUNING, Tuning
from ..reading import Codes
from ..symmetry.reduction import Reduction
from ..trace.trace import Step
from .better_code import BetterCode
from .budget import Budget
from .checkpoint import CheckpointWriter, Known, identity_of, known_from
from .findings import (
    Finding,
    Findings,
    Run,
)
from .initial import FIRST_STATES, initial_states
from .patience import OutOfPatience, Patience, why_stopped
from .properties import chosen_properties
from .result import Options, Progress
from .resume import Checkpoint
from .stop import FIRST_VIOLATION, RULE_FAILED, StopReason


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

    def begin(self, patience: Patience) -> None:
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
            if not self.pool.count and not isinstance(interruption, OutOfPatience):
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
