"""Whether first states of counterexamples to induction can be reached, and what is like them: said in their traces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..base.numbers import counted
from ..search.shortest import Reach, reach
from ..semantics.semantics import Codes
from ..trace.explain import Change, differences
from ..trace.trace import NOT_INDUCTIVE
from .induction import FACT, REACHED, ObligationResult, ProofResult, matrix

NEAREST = "nearest_reached_state"
"""The fact that says where the nearest state that was reached differs from a first state that was not."""

MOST_DIFFERENCES = 4
"""So many differences are told; all stand in the facts."""


def with_reach(result: ProofResult, max_states: int, progress: Callable[[int], None] | None = None) -> ProofResult:
    """The same result, whose counterexamples to induction say whether a search of so many states reaches them."""
    wanted = {a.trace.initial for a in result.failed if a.trace is not None and a.trace.verdict == NOT_INDUCTIVE}
    if not wanted or not max_states:
        return result
    shown = [cell.shown.trace for cell in matrix(result) if cell.shown is not None]
    compared = {trace.initial for trace in shown if trace is not None} & wanted
    found = reach(result.model, sorted(wanted), max_states, progress, compared)
    return replace(result, answers=tuple(_told(answer, found) for answer in result.answers))


def _told(answer: ObligationResult, found: Reach) -> ObligationResult:
    if answer.trace is None or answer.trace.verdict != NOT_INDUCTIVE:
        return answer
    said = in_words(answer.trace.initial, found)
    note, facts = f"{answer.trace.note}\nState 0 is {said}.", {**answer.trace.facts, FACT: said}
    nearest = found.nearest.get(answer.trace.initial)
    if nearest is not None:
        apart = differences(answer.trace.protocol, answer.trace.initial, nearest)
        note += f"\n{_nearest_in_words(apart)}"
        facts[NEAREST] = "; ".join(map(_there, apart))
    return replace(answer, trace=replace(answer.trace, note=note, facts=facts))


def _nearest_in_words(apart: tuple[Change, ...]) -> str:
    """`Of the states that were reached the nearest differs in 2 values: b1.hw is 0 there, not 1; ...`."""
    told = "; ".join(map(_there, apart[:MOST_DIFFERENCES]))
    more = f"; and {len(apart) - MOST_DIFFERENCES} more" if len(apart) > MOST_DIFFERENCES else ""
    return f"Of the states that were reached the nearest differs in {counted(len(apart), 'value')}: {told}{more}."


def _there(change: Change) -> str:
    return f"{change.path} is {change.after} there, not {change.before}"


def in_words(codes: Codes, found: Reach) -> str:
    """What the search says of a state: `reached in a run of 8 states: a real bug, of the protocol or of the lemma`."""
    steps = found.steps.get(codes)
    if steps is not None:
        return f"{REACHED} in a run of {counted(steps + 1, 'state')}: a real bug, of the protocol or of the lemma"
    if found.exhaustive:
        return f"not reachable within these bounds (exhaustive: all {found.states:,} states)"
    return f"not found within {found.states:,} states"
