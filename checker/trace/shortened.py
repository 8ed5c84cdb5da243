"""A run made shorter: steps are left out for as long as what is left is a run and shows the same.

This is delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002) over steps:
halves are left out, then quarters, down to single steps. At the end none can be left out alone. Another run, of other
steps, may be shorter still: only a search that goes through all states of a depth can say that none is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from epochal.spec.language import EvaluationError

from ..reading import Reading
from .replay import evaluate_the_end, not_shown
from .trace import Step, Trace

Shows = Callable[[Trace], bool]


def shortened(trace: Trace, reading: Reading) -> Trace:
    """The trace without steps that it does not need; the fact `shortened_from` is how many states it had.

    What is left begins in the same state, can be taken step by step, and shows at its end what the trace shows: the
    same property violated or reached, or the same rule that fails for the same reason. A run of one state is the
    shortest there is.
    """
    shows = _fails_alike(trace, reading) if trace.verdict == "error" else lambda found: not not_shown(found, reading)
    steps = _fewest(trace, reading, shows) if shows(trace) else trace.steps
    facts = {**trace.facts, "shortest": not steps}
    if len(steps) < len(trace.steps):
        facts["shortened_from"] = trace.length
    return replace(trace, steps=steps, facts=facts)


def _fewest(trace: Trace, reading: Reading, shows: Shows) -> tuple[Step, ...]:
    """The steps that are left when no part of any size can be left out."""
    steps, size = trace.steps, max(len(trace.steps) // 2, 1)
    while True:
        before, at = len(steps), 0
        while at < len(steps):
            rest = _taken(trace, reading, (*steps[:at], *steps[at + size :]))
            if rest is not None and shows(replace(trace, steps=rest)):
                steps = rest
            else:
                at += size
        if size == 1 and len(steps) == before:
            return steps
        size = max(size // 2, 1)


def _taken(trace: Trace, reading: Reading, steps: Sequence[Step]) -> tuple[Step, ...] | None:
    """The run that the same steps make from the first state; None if one is impossible, or would be taken outside the
    constraint."""
    now, taken = trace.initial, []
    try:
        for step in steps:
            after = reading.taken(now, step.instance) if reading.within_constraint(now) else None
            if after is None:
                return None
            now = after
            taken.append(Step(step.instance, now))
    except EvaluationError:
        return None
    return tuple(taken)


def _fails_alike(trace: Trace, reading: Reading) -> Shows:
    """Whether what fails first at the end of a run is what fails first at the end of the trace."""

    def failure(found: Trace) -> tuple[str, str] | None:
        try:
            evaluate_the_end(found, reading)
        except EvaluationError as error:
            return error.message, str(error.where)
        return None

    wanted = failure(trace)
    return lambda found: wanted is not None and failure(found) == wanted
