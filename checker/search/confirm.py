"""What is done with the traces of a search before anybody sees them: told where they are from, and replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..trace.explain import claim
from ..trace.trace import Trace

if TYPE_CHECKING:
    from epochal.spec.language import Protocol

    from ..crosscheck.cross_check import Disagreement
    from ..ir.model import Model
    from ..semantics.semantics import Semantics
    from ..trace.replay import Replay
    from .result import CheckResult, EvaluationFinding
    from .simulate import SimulationResult


@dataclass(frozen=True)
class Replayed:
    """In which semantics all traces were replayed exactly, and why not in the others."""

    readings: tuple[str, ...]
    sentence: str


def found_traces(result: CheckResult, witnesses: bool = True) -> list[Trace]:
    """The traces of a result: of violations, of a rule that failed and, if wanted, of witnesses."""
    found = [p.trace for p in result.properties if p.trace and (witnesses or p.verdict == "violated")]
    found += [one.trace for one in result.liveness.broken if one.trace is not None]
    if result.liveness.ends is not None and result.liveness.ends.trace is not None:
        found.append(result.liveness.ends.trace)
    return [*found, result.error.trace] if result.error else found


def with_facts(result: CheckResult, reference: str) -> CheckResult:
    """The same result, whose traces say how their protocol is called, who found them, and that they are shortest."""

    def told(trace: Trace) -> Trace:
        facts = {**trace.facts, "protocol": reference, "engine": result.engine, "shortest": True}
        return replace(trace, facts=facts)

    properties = tuple(replace(p, trace=told(p.trace)) if p.trace else p for p in result.properties)
    promises = result.liveness.telling(told)
    return replace(result, properties=properties, liveness=promises, error=_told_error(result.error, told))


def _told_error(error: EvaluationFinding | None, told: Callable[[Trace], Trace]) -> EvaluationFinding | None:
    """A rule that failed, whose trace says why."""
    if error is None:
        return None
    return replace(error, trace=replace(told(error.trace), note=error.message))


def every_semantics(protocol: Protocol, model: Model | None = None) -> tuple[list[Semantics], str]:
    """All semantics that this machine has of a protocol, and why the others are missing ("" if none is).

    A specification may be outside the compiled language and still run as Python.
    """
    from epochal.spec.language import LanguageError

    from .engines import NATIVE, PYTHON, EngineMissing, semantics_of

    readings = [semantics_of(PYTHON, protocol)]
    try:
        readings.append(semantics_of(NATIVE, protocol, model))
    except (EngineMissing, LanguageError) as error:
        return readings, f"native: {error.message.splitlines()[0]}"
    return readings, ""


def replay_all(protocol: Protocol, traces: Iterable[Trace], model: Model | None = None) -> Replayed:
    """Replay traces that a search has found, before anybody sees them. Raises SemanticsDisagree for a difference.

    `model` is the compiled protocol, if there is one already.
    """
    from ..crosscheck.cross_check import SemanticsDisagree
    from ..trace.replay import replay

    found = list(traces)
    if not found:
        return Replayed((), "")
    readings, missing = every_semantics(protocol, model)
    for trace in found:
        outcome = replay(trace, readings)
        if not outcome.ok:
            raise SemanticsDisagree(_not_replayed(trace, outcome))
    names = tuple(reading.name for reading in readings)
    count = "1 trace" if len(found) == 1 else f"{len(found)} traces"
    sentence = f"{count} replayed step by step in: {', '.join(names)}"
    return Replayed(names, f"{sentence} (not {missing})" if missing else sentence)


def _not_replayed(trace: Trace, found: Replay) -> Disagreement:
    """What the semantics say of a run that not all of them take."""
    from ..crosscheck.cross_check import Disagreement
    from ..trace.explain import property_of

    member = property_of(trace)
    last = min(len(trace.steps) if outcome.step is None else max(outcome.step - 1, 0) for outcome in found.outcomes)
    answers = [(str(trace.facts.get("engine", "the search")), claim(trace))]
    for outcome in found.outcomes:
        says = "; ".join(line.removeprefix(f"{outcome.reading}: ").strip() for line in outcome.lines())
        answers.append((f"{outcome.reading}, step by step", says))
    return Disagreement(
        f"the run found for {trace.property_id or 'the rule that failed'}",
        None if member is None else member.where,
        trace.protocol,
        trace.states[last],
        tuple(answers),
        trace=trace,
    )


def simulated_traces(result: SimulationResult) -> list[Trace]:
    """The traces of a simulation: of violations, of witnesses and of a rule that failed."""
    found = [p.trace for p in result.properties if p.trace]
    return [*found, result.error.trace] if result.error else found


def with_seed(result: SimulationResult, reference: str) -> SimulationResult:
    """The same result, whose traces say how their protocol is called, who found them and with which seed."""

    def told(trace: Trace) -> Trace:
        return replace(
            trace, facts={**trace.facts, "protocol": reference, "engine": result.engine, "seed": result.seed}
        )

    properties = tuple(replace(p, trace=told(p.trace)) if p.trace else p for p in result.properties)
    traces = tuple(map(told, result.traces))
    return replace(result, properties=properties, error=_told_error(result.error, told), traces=traces)
