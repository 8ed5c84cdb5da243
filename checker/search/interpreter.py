"""Breadth-first search with the Python reading: slow, and the reference that the native search is compared with."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from checker.compile.layout import lay_out
from checker.compile.model import compile_protocol
from checker.compile.static import diagnose
from checker.properties import is_step_property
from checker.reading import Codes, PythonReading
from checker.trace.trace import Step, Trace
from spec.language import ActionInstance, EvaluationError, Member, Protocol
from spec.language.protocol import evaluated

from .budget import Budget
from .digest import Digest, instance_constant, state_hash, step_hash
from .initial import initial_states
from .measure import Stopwatch, peak_memory
from .properties import chosen_properties
from .result import ActionResult, CheckResult, EvaluationFinding, Options, Progress, PropertyResult

BATCH = 64


@dataclass
class _Search:
    """The state of one search."""

    protocol: Protocol
    options: Options
    reading: PythonReading
    properties: list[Member]
    open: dict[str, Member]
    parents: dict[Codes, tuple[Codes, ActionInstance] | None] = field(default_factory=dict)
    found: dict[str, tuple[Codes, Step | None]] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)
    new_states: dict[str, int] = field(default_factory=dict)
    states_digest: Digest = field(default_factory=Digest)
    steps_digest: Digest = field(default_factory=Digest)
    generated: int = 0
    dead_ends: int = 0
    left_constraint: int = 0
    depth: int = 0
    queue: int = 0
    error: EvaluationFinding | None = None

    def found_violation(self) -> bool:
        """Whether a property that must hold is known to be violated."""
        return any(m.name in self.found for m in self.properties if m.mark.kind != "reachable")

    def trace_to(self, codes: Codes, last: Step | None, property_id: str, verdict: str) -> Trace:
        """The path of first discovery, which is the first in canonical order among the shortest."""
        steps = [last] if last else []
        while (parent := self.parents[codes]) is not None:
            steps.append(Step(parent[1], codes))
            codes = parent[0]
        return Trace(self.protocol, codes, tuple(reversed(steps)), property_id, verdict)

    def judge_state(self, codes: Codes, base: Codes, last: Step | None) -> None:
        """Check the properties of single states that are still open."""
        pending = [m for m in self.open.values() if not is_step_property(m)]
        if not pending:
            return
        self._judge(pending, (self.protocol.at(codes),), base, last)

    def judge_step(self, before: Codes, step: Step) -> None:
        """Check the properties of steps that are still open."""
        pending = [m for m in self.open.values() if is_step_property(m)]
        if not pending:
            return
        self._judge(pending, (self.protocol.at(before), self.protocol.at(step.codes)), before, step)

    def _judge(self, pending: list[Member], states: tuple[Protocol, ...], base: Codes, last: Step | None) -> None:
        """Judge every property, then stop at the first that could not be evaluated."""
        failed: list[tuple[Member, EvaluationError]] = []
        for member in pending:
            try:
                shown = bool(evaluated(member.function, *states)) == (member.mark.kind == "reachable")
            except EvaluationError as error:
                failed.append((member, error))
                continue
            if shown:
                self.found[member.name] = (base, last)
                del self.open[member.name]
        for member, failure in failed:
            with _Finding(self, base, last, member.name):
                raise failure


class _Finding:
    """Turns an EvaluationError into a finding with its trace, and stops the search."""

    def __init__(self, search: _Search, base: Codes, last: Step | None, rule: str) -> None:
        self.search, self.base, self.last, self.rule = search, base, last, rule

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, EvaluationError):
            trace = self.search.trace_to(self.base, self.last, "", "error")
            self.search.error = EvaluationFinding(error.message, error.where, self.rule, trace)
            raise _Stop from error


class _Stop(Exception):
    """A rule failed; the search ends here."""


def check(protocol: Protocol, options: Options) -> CheckResult:
    """Explore every state within the bounds, or as far as the budgets allow."""
    wall, cpu = time.monotonic(), time.process_time()
    model = compile_protocol(protocol, options.lemmas)
    diagnostics = diagnose(model)
    properties = chosen_properties(protocol, options)
    search = _Search(protocol, options, PythonReading(protocol), properties, {m.name: m for m in properties})
    for action in protocol.members("action"):
        search.steps[action.name] = search.new_states[action.name] = 0
    watch = Stopwatch()
    cut = _explore(search, Budget(options, watch))
    search_cpu = watch.cpu_seconds()
    return CheckResult(
        protocol=protocol,
        engine="python",
        cut=cut,
        distinct_states=len(search.parents),
        generated_states=search.generated,
        depth=search.depth,
        state_digest=str(search.states_digest),
        step_digest=str(search.steps_digest),
        wall_seconds=time.monotonic() - wall,
        cpu_seconds=time.process_time() - cpu,
        search_cpu_seconds=search_cpu,
        peak_memory_bytes=peak_memory(),
        state_memory_bytes=0,
        properties=tuple(_property_result(search, m, exhaustive=not cut) for m in properties),
        actions=tuple(ActionResult(n, s, search.new_states[n]) for n, s in search.steps.items()),
        dead_ends=search.dead_ends,
        left_constraint=search.left_constraint,
        warnings=tuple(str(d) for d in diagnostics if not d.vacuous),
        vacuous=tuple(str(d) for d in diagnostics if d.vacuous),
        dead_actions=tuple(d.dead_action for d in diagnostics if d.dead_action),
        model=model,
        error=search.error,
    )


def _property_result(search: _Search, member: Member, exhaustive: bool) -> PropertyResult:
    witness = member.mark.kind == "reachable"
    if member.name in search.found:
        base, last = search.found[member.name]
        trace = search.trace_to(base, last, member.name, "reached" if witness else "violated")
        return PropertyResult(member, "holds" if witness else "violated", trace)
    if not exhaustive:
        return PropertyResult(member, "unknown")
    return PropertyResult(member, "violated" if witness else "holds")


def _explore(search: _Search, budget: Budget) -> str:
    """Run the search level by level; the reason why it is not exhaustive, or ""."""
    layout = lay_out(search.protocol.leaves)
    hashes: dict[Codes, int] = {}

    def admit(codes: Codes, parent: tuple[Codes, ActionInstance] | None) -> None:
        search.parents[codes] = parent
        words = layout.pack(codes)
        hashes[codes] = state_hash(words)
        search.states_digest = search.states_digest.add(hashes[codes], state_hash(words, 1))

    def take(before: Codes, step: Step, constant: int) -> bool:
        search.generated += 1
        search.steps[step.instance.action.name] += 1
        search.judge_step(before, step)
        fresh = step.codes not in search.parents
        if fresh:
            with _Finding(search, before, step, "state constraint"):
                inside = search.reading.within_constraint(step.codes)
        if fresh and not inside:
            search.left_constraint += 1
            search.judge_state(step.codes, before, step)
            return False
        if fresh:
            admit(step.codes, (before, step.instance))
            search.new_states[step.instance.action.name] += 1
            search.judge_state(step.codes, step.codes, None)
        pair = step_hash(hashes[before], constant, hashes[step.codes])
        search.steps_digest = search.steps_digest.add(*pair)
        return fresh

    constants = [instance_constant(i) for i in search.protocol.instances]
    level: list[Codes] = []
    try:
        for codes in initial_states(search.protocol):
            admit(codes, None)
            search.judge_state(codes, codes, None)
            level.append(codes)
        while level:
            search.depth += 1
            if not search.options.all_violations and search.found_violation():
                return "stopped at the first violation; --all-violations explores the rest"
            following: list[Codes] = []
            for done, before in enumerate(level):
                if done % BATCH == 0:
                    search.queue = len(level) - done + len(following)
                    if cut := budget.spent(_snapshot(search, budget)):
                        return cut
                ended = True
                with _Finding(search, before, None, ""):  # a step that fails stops the search after those before it
                    for instance, codes in search.protocol.successors(before):
                        ended = False
                        if take(before, Step(instance, codes), constants[instance.number]):
                            following.append(codes)
                search.dead_ends += ended
            level = following
    except _Stop:
        return "a rule could not be evaluated"
    except KeyboardInterrupt:
        return "interrupted"
    return ""


def _snapshot(search: _Search, budget: Budget) -> Progress:
    return budget.snapshot(len(search.parents), search.generated, search.depth, search.queue)
