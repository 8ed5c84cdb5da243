"""What the commands do with the traces of a search: name their origin, and replay them in every reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from checker.trace.trace import Trace

from . import codes
from .boundary import Failure

if TYPE_CHECKING:
    from checker.compile.model import Model
    from checker.reading import Reading
    from checker.search.result import CheckResult, EvaluationFinding
    from checker.search.simulate import SimulationResult
    from spec.language import Protocol


@dataclass(frozen=True)
class Replayed:
    """In which readings all traces were replayed exactly, and why not in the others."""

    readings: tuple[str, ...]
    sentence: str


def found_traces(result: CheckResult, witnesses: bool = True) -> list[Trace]:
    """The traces of a result: of violations, of a rule that failed and, if wanted, of witnesses."""
    found = [p.trace for p in result.properties if p.trace and (witnesses or p.verdict == "violated")]
    return [*found, result.error.trace] if result.error else found


def with_facts(result: CheckResult, reference: str) -> CheckResult:
    """The same result, whose traces say how their protocol is called, who found them, and that they are shortest."""

    def told(trace: Trace) -> Trace:
        facts = {**trace.facts, "protocol": reference, "engine": result.engine, "shortest": True}
        return replace(trace, facts=facts)

    properties = tuple(replace(p, trace=told(p.trace)) if p.trace else p for p in result.properties)
    return replace(result, properties=properties, error=_told_error(result.error, told))


def _told_error(error: EvaluationFinding | None, told: Callable[[Trace], Trace]) -> EvaluationFinding | None:
    """A rule that failed, whose trace says why."""
    if error is None:
        return None
    return replace(error, trace=replace(told(error.trace), note=error.message))


def every_reading(protocol: Protocol, model: Model | None = None) -> tuple[list[Reading], str]:
    """All readings that this machine has of a protocol, and why the others are missing ("" if none is).

    A specification may be outside the compiled language and still run as Python.
    """
    from spec.language import LanguageError

    from .engines import reading_of

    readings = [reading_of("python", protocol)]
    try:
        readings.append(reading_of("native", protocol, model))
    except (Failure, LanguageError) as error:
        return readings, f"native: {error.message.splitlines()[0]}"
    return readings, ""


def replay_all(protocol: Protocol, traces: Iterable[Trace], model: Model | None = None) -> Replayed:
    """Replay traces that a search has found, before anybody sees them. A difference is a bug of this tool.

    `model` is the compiled protocol, if there is one already.
    """
    from checker.trace.replay import replay

    found = list(traces)
    if not found:
        return Replayed((), "")
    readings, missing = every_reading(protocol, model)
    for trace in found:
        outcome = replay(trace, readings)
        if not outcome.ok:
            about = trace.property_id or "the rule that failed"
            details = "\n  ".join(outcome.lines())
            raise Failure(
                codes.INTERNAL,
                f"internal error: the run found for {about} does not replay, so it is not shown.\n  {details}\n"
                "  This is a bug in Epochal. Report it with the command that you typed.",
            )
    names = tuple(reading.name for reading in readings)
    count = "1 trace" if len(found) == 1 else f"{len(found)} traces"
    sentence = f"{count} replayed step by step in: {', '.join(names)}"
    return Replayed(names, f"{sentence} (not {missing})" if missing else sentence)


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
    return replace(result, properties=properties, error=_told_error(result.error, told))
