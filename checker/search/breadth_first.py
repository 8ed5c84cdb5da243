"""Breadth-first search with machine code: exhaustive, level by level, in the canonical order of the specification.

The states of a level are expanded in the order of their discovery and their steps in the order of the instances, so the
path of first discovery to the first violation is, of all shortest counterexamples, the one whose actions come first in
the specification. The Python engine finds the same one.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from checker.compile.layout import lay_out
from checker.compile.model import Model, compile_protocol
from checker.compile.static import Diagnostic, diagnose
from checker.native.engine import WORD, Context, NativeModel, SuccessorBuffer, constants, load_kernel
from checker.native.kernel_text import FOUND_WORDS, GROW, NO_PARENT, STOPPED
from checker.native.machine import Compiler, MachineCode
from checker.native.store import StateStore
from checker.reading import Codes, evaluate_everything
from checker.trace.trace import Step, Trace
from spec.language import EvaluationError, Protocol

from .budget import Budget
from .digest import Digest, state_hash
from .initial import initial_states
from .measure import Stopwatch, peak_memory, resident_memory, without_collection
from .properties import chosen_properties
from .result import ActionResult, CheckResult, EvaluationFinding, Options, PropertyResult

BATCH = 96
STRETCH = 1 << 15
OPTIMISE_AFTER = 0.1
NO_INSTANCE = (1 << 64) - 1
RULE_FAILED = "a rule could not be evaluated"
FIRST_VIOLATION = "stopped at the first violation; --all-violations explores the rest"


@dataclass(frozen=True)
class _Found:
    """A finding of the kernel: which properties, and the state or step that shows it."""

    bits: int
    index: int
    instance: int | None
    failed: bool


class _Background:
    """The kernel, loaded while the specification is being compiled."""

    def __init__(self, compiler: Compiler, words: int, constrained: bool) -> None:
        self._load: Callable[[], MachineCode] = lambda: load_kernel(compiler, words, constrained)
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


class _Search:
    """One native search: the compiled model, the kernel and the states found so far."""

    def __init__(self, native: NativeModel, kernel: MachineCode, options: Options) -> None:
        self.native, self.model, self.options = native, native.model, options
        self.chosen = {m.name for m in chosen_properties(native.model.protocol, options)}
        self.context = Context()
        self.buffer = SuccessorBuffer(native, BATCH)
        self.store = StateStore(kernel, self.context, self.model.layout.words, self.buffer.entries)
        counters = len(self.model.instances) + 1
        self.steps, self.new_states = (WORD * counters)(), (WORD * counters)()
        self._constants = constants(self.model)
        self._findings = (WORD * (FOUND_WORDS * (len(self.model.properties) + 2)))()
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._explore = kernel.function("explore", word, pointer)
        self._settle = kernel.function("settle", word, pointer, word)
        context = self.context
        context["buffer"], context["buffer_entries"] = self.buffer.address, self.buffer.entries
        context["order"], context["out_degree"] = ctypes.addressof(self.buffer.order), native.out_degree
        context["steps"], context["new_states"] = ctypes.addressof(self.steps), ctypes.addressof(self.new_states)
        context["constants"] = ctypes.addressof(self._constants)
        context["found"] = ctypes.addressof(self._findings)
        context["open"] = sum(1 << i for i, p in enumerate(self.model.properties) if p.member.name in self.chosen)
        self._use(native.program)
        self.depth = 0
        self.queue = 0

    def _use(self, program: MachineCode) -> None:
        self._program = program
        for name in ("step", "judge", "within"):
            self.context[name] = program.address(name)

    # -- running --------------------------------------------------------------------------------------------------

    def begin(self) -> bool:
        """Admit the initial states; whether all rules could be evaluated on them."""
        layout, spare = self.model.layout, len(self.model.instances)
        for codes in initial_states(self.model.protocol):
            words = layout.pack(codes)
            self.buffer.order[0] = 0
            self.buffer.put(0, words, (spare, NO_PARENT, state_hash(words)))
            if self.store.context["count"] + self.buffer.entries > self.context["room"]:
                self.store.grow()
            if self._settle(self.context.address, 1) == STOPPED:
                return False
        return True

    def run(self, budget: Budget) -> str:
        """Explore level by level; the reason why the search is not exhaustive, or ""."""
        context = self.context
        if not self.begin():
            return RULE_FAILED
        while context["cursor"] < context["count"]:
            self.depth += 1
            if not self.options.all_violations and self.violation_found():
                return FIRST_VIOLATION
            context["level_end"] = context["count"]
            while context["cursor"] < context["level_end"]:
                if cut := self._stretch(budget):
                    return cut
        return ""

    def _stretch(self, budget: Budget) -> str:
        """Explore a part of a level; why to stop, or ""."""
        context = self.context
        now = budget.snapshot(context["count"], self.generated, self.depth, context["count"] - context["cursor"])
        if cut := budget.spent(now):
            return cut
        if now.seconds > OPTIMISE_AFTER:
            self.native.optimise()
            self._use(self.native.latest())
        context["stop_at"] = context["cursor"] + STRETCH
        result = self._explore(context.address)
        if result == GROW:
            return self._grow(budget)
        return RULE_FAILED if result == STOPPED else ""

    def _grow(self, budget: Budget) -> str:
        """Make room for more states; why that is not possible, or ""."""
        if cut := budget.refuses(resident_memory() + self.store.growth_bytes):
            return cut
        try:
            self.store.grow()
        except MemoryError as error:
            return str(error)
        return ""

    @property
    def generated(self) -> int:
        """How many steps have been taken."""
        return sum(self.steps[: len(self.model.instances)])

    # -- findings -------------------------------------------------------------------------------------------------

    def findings(self) -> list[_Found]:
        """What the kernel has found so far, in order."""
        made = []
        for i in range(self.context["found_count"]):
            bits, index, instance, failed = self._findings[i * FOUND_WORDS : (i + 1) * FOUND_WORDS]
            made.append(_Found(bits, index, None if instance == NO_INSTANCE else instance, bool(failed)))
        return made

    def violation_found(self) -> bool:
        """Whether a property that must hold is known to be violated."""
        safety = sum(1 << i for i, p in enumerate(self.model.properties) if p.member.mark.kind != "reachable")
        return any(found.bits & safety for found in self.findings())

    def codes(self, index: int) -> Codes:
        """The codes of a state."""
        return self.model.layout.unpack(self.store.state(index))

    def trace(self, found: _Found, property_id: str, verdict: str) -> Trace:
        """The path of first discovery to a finding."""
        steps: list[Step] = []
        if found.instance is not None and not found.failed:
            steps.append(self._step(found.index, found.instance))
        index = found.index
        while (parent := self.store.parent(index)) is not None:
            compiled = self.model.instances[self.store.action(index)]
            steps.append(Step(compiled.instance, self.codes(index)))
            index = parent
        return Trace(self.model.protocol, self.codes(index), tuple(reversed(steps)), property_id, verdict)

    def _step(self, index: int, instance: int) -> Step:
        """The step of an instance from a state, taken again in the Python reading."""
        protocol, taken = self.model.protocol, self.model.instances[instance].instance
        after = protocol.step(protocol.at(self.codes(index)), taken)
        assert after is not None, "the two readings disagree on whether a step is enabled"
        return Step(taken, after)

    def _step_that_succeeds(self, index: int, instance: int) -> Step | None:
        """The step of a finding, unless it is the step itself that cannot be evaluated."""
        try:
            return self._step(index, instance)
        except EvaluationError:
            return None

    def error(self) -> EvaluationFinding | None:
        """The rule that could not be evaluated, worded by the Python reading."""
        findings = self.findings()
        found = next((f for f in findings if f.failed), None)
        if found is None:
            return None
        trace = self.trace(found, "", "error")
        if found.instance is not None and (step := self._step_that_succeeds(found.index, found.instance)) is not None:
            trace = replace(trace, steps=(*trace.steps, step))
        members = [p.member for p in self.model.properties if p.member.name in self.chosen]
        shown = [any(f.bits >> i & 1 for f in findings) for i in range(len(self.model.properties))]
        still_open = [p.member for p, done in zip(self.model.properties, shown, strict=True) if not done]
        for judged in ([m for m in still_open if m in members], members):
            try:
                evaluate_everything(self.model.protocol, self.codes(found.index), judged)
            except EvaluationError as error:
                return EvaluationFinding(error.message, error.where, error.where.function if error.where else "", trace)
        raise AssertionError("the native reading fails where the Python reading does not")


def check(protocol: Protocol, options: Options) -> CheckResult:
    """Explore every state within the bounds, or as far as the budgets allow."""
    wall, cpu = time.monotonic(), time.process_time()
    chosen_properties(protocol, options)
    compiler = Compiler()
    background = _Background(compiler, lay_out(protocol.leaves).words, bool(protocol.members("constraint")))
    with without_collection():
        model = compile_protocol(protocol, options.lemmas)
        diagnostics = diagnose(model)
        native = NativeModel(model, compiler)
    search = _Search(native, background.result(), options)
    watch = Stopwatch()
    try:
        cut = search.run(Budget(options, watch))
    except KeyboardInterrupt:
        cut = "interrupted"
    search_cpu = watch.cpu_seconds()
    result = _result(search, model, cut, diagnostics)
    search.store.close()
    return result(time.monotonic() - wall, time.process_time() - cpu, search_cpu)


def _result(
    search: _Search, model: Model, cut: str, diagnostics: tuple[Diagnostic, ...]
) -> Callable[[float, float, float], CheckResult]:
    """The result, but for the times, which include making it."""
    context = search.context
    actions = {action.name: [0, 0] for action in model.protocol.members("action")}
    for i, compiled in enumerate(model.instances):
        actions[compiled.instance.action.name][0] += search.steps[i]
        actions[compiled.instance.action.name][1] += search.new_states[i]
    properties = tuple(_property_results(search, model, not cut))
    error = search.error()
    state_memory = search.store.bytes_for_states

    def finish(wall: float, cpu: float, search_cpu: float) -> CheckResult:
        return CheckResult(
            protocol=model.protocol,
            engine="native",
            cut=cut,
            distinct_states=context["count"],
            generated_states=search.generated,
            depth=search.depth,
            state_digest=str(Digest(context["digest_low"], context["digest_high"])),
            step_digest=str(Digest(context["steps_low"], context["steps_high"])),
            wall_seconds=wall,
            cpu_seconds=cpu,
            search_cpu_seconds=search_cpu,
            peak_memory_bytes=peak_memory(),
            state_memory_bytes=state_memory,
            properties=properties,
            actions=tuple(ActionResult(name, steps, new) for name, (steps, new) in actions.items()),
            dead_ends=context["dead_ends"],
            left_constraint=context["left_constraint"],
            warnings=tuple(str(d) for d in diagnostics if not d.vacuous),
            vacuous=tuple(str(d) for d in diagnostics if d.vacuous),
            dead_actions=tuple(d.dead_action for d in diagnostics if d.dead_action),
            model=model,
            error=error,
        )

    return finish


def _property_results(search: _Search, model: Model, exhaustive: bool) -> list[PropertyResult]:
    results = []
    for bit, property in enumerate(model.properties):
        member = property.member
        if member.name not in search.chosen:
            continue
        witness = member.mark.kind == "reachable"
        shown = next((found for found in search.findings() if found.bits >> bit & 1), None)
        if shown is not None:
            trace = search.trace(shown, member.name, "reached" if witness else "violated")
            results.append(PropertyResult(member, "holds" if witness else "violated", trace))
        elif not exhaustive:
            results.append(PropertyResult(member, "unknown"))
        else:
            results.append(PropertyResult(member, "violated" if witness else "holds"))
    return results
