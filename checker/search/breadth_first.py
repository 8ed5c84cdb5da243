"""Breadth-first search with machine code: exhaustive, level by level, by as many workers as there are processors.

Of all shortest runs to a state the least is kept, and of all findings of a level the least is reported, whoever finds
them first: see `checker.native.kernel.kernel`. So every figure and every trace is the same for any number of workers,
and the same as the Python engine's.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol

from ..compile.static import Diagnostic, diagnose
from ..host.measure import Stopwatch, outside_collection, peak_memory, without_collection
from ..ir.digest import Digest
from ..ir.layout import lay_out
from ..ir.model import Model
from ..ir.stored_model import GraphSize
from ..native.engine import NativeModel, load_kernel
from ..native.kernel.kernel import Shape
from ..native.llvm.jit import Compiler, MachineCode
from ..native.program.program import refuse_many_properties
from ..native.tuning import TUNING, Tuning
from .budget import Budget
from .checkpoint import writing_alone
from .cross_check import cross_checked
from .errors import CheckpointError
from .findings import (
    concrete,
    evaluation_finding,
    property_results,
)
from .kept_programs import Unkept, kept_program, program_key
from .native_search import NativeSearch
from .patience import COMPILING, OutOfPatience, Patience
from .promises import judged_natively
from .properties import chosen_properties, compiled_for, compiled_properties
from .result import CheckResult, Counts, Options, action_results
from .stop import StopReason
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


def check(protocol: Protocol, options: Options, *, tuning: Tuning = TUNING) -> CheckResult:
    """Explore every state within the bounds, or as far as the budgets allow.

    Raises ReadingsDisagree if the Python reading says otherwise of a state that was reached, CheckpointError if a
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
    patience = Patience(options.budget, options.max_memory, options.progress, options.begun)
    try:
        with patience.watching(COMPILING), without_collection():
            properties = compiled_properties(protocol, options)
            refuse_many_properties(properties)
            key = program_key(protocol, properties, chosen if options.symmetry else None)
            kept = kept_program(key, protocol)
            model = compiled_for(protocol, options, patience) if kept is None else kept.model
            diagnostics = diagnose(model)
            reduction = reduction_of(model, chosen, checked=kept is not None) if options.symmetry else None
            patience("turning the specification into machine code")
            form, text = reduction.form if reduction else None, None if kept is None else kept.text
            recipes = None if kept is None else kept.recipes
            native = NativeModel(model, compiler, form, text, keep=key is not None, recipes=recipes)
            program = Unkept(key, model, native.text, GraphSize.of(model.graph)) if key else None
            until_the_end.enter_context(outside_collection())
    except OutOfPatience as spent:
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
