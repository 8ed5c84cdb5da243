"""The states and steps of a native search as a graph that runs are told from."""

from __future__ import annotations

import bisect
import ctypes
from collections.abc import Callable, Sequence

from epochal.spec.language import Protocol

from ..ir.digest import state_hash
from ..ir.evaluate import evaluate
from ..ir.model import CompiledInstance
from ..native.engine import NativeModel
from ..native.kernel import promise_vocabulary as vocabulary
from ..native.kernel.promise_kernel import promise_kernel_text
from ..native.kernel.vocabulary import LOCAL_BITS
from ..native.program.promise_program import labelled
from ..native.runtime.worker_pool import WorkerPool
from ..trace.trace import Codes, Step
from .edges import Edges
from .lasso import OUTSIDE, Explored
from .native_arrays import Refuses

Run = tuple[Codes, tuple[Step, ...]]
RunTo = Callable[[int], Run]


class NativeGraph(Edges):
    """All that a native search has found, with its model. `compiled` are the instances by their labels."""

    def __init__(self, native: NativeModel, pool: WorkerPool, run_to: RunTo, refuses: Refuses) -> None:
        self.native, self.model = native, native.model
        self.protocol: Protocol = native.model.protocol
        self._run_to = run_to
        self.compiled: tuple[CompiledInstance, ...] = labelled(self.model)
        text = promise_kernel_text(native.words, pool.size > 1)
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

    def run_to(self, state: int) -> Run:
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
