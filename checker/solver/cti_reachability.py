"""Whether the first states of counterexamples to induction can be reached: said in their traces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..host.numbers import counted
from ..reading import Codes
from ..search.reachability import Reach, reach
from ..trace.trace import NOT_INDUCTIVE
from .induction import ObligationResult, ProofResult

FACT = "first_state"
"""The fact of a trace that says whether its first state can be reached."""


def with_reach(result: ProofResult, max_states: int, progress: Callable[[int], None] | None = None) -> ProofResult:
    """The same result, whose counterexamples to induction say whether a search of so many states reaches them."""
    wanted = {a.trace.initial for a in result.failed if a.trace is not None and a.trace.verdict == NOT_INDUCTIVE}
    if not wanted or not max_states:
        return result
    found = reach(result.model, sorted(wanted), max_states, progress)
    return replace(result, answers=tuple(_told(answer, found) for answer in result.answers))


def _told(answer: ObligationResult, found: Reach) -> ObligationResult:
    if answer.trace is None or answer.trace.verdict != NOT_INDUCTIVE:
        return answer
    said = in_words(answer.trace.initial, found)
    trace = replace(
        answer.trace, note=f"{answer.trace.note}\nState 0 is {said}.", facts={**answer.trace.facts, FACT: said}
    )
    return replace(answer, trace=trace)


def in_words(codes: Codes, found: Reach) -> str:
    """What the search says of a state: `reached in a run of 8 states: a real bug, of the protocol or of the lemma`."""
    steps = found.steps.get(codes)
    if steps is not None:
        return f"reached in a run of {counted(steps + 1, 'state')}: a real bug, of the protocol or of the lemma"
    if found.exhaustive:
        return f"not reachable within these bounds (exhaustive: all {found.states:,} states)"
    return f"not found within {found.states:,} states"
