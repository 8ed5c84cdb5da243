"""Why a protocol does not take a step that another one takes: the guard that refuses it, or where it leads instead."""

from __future__ import annotations

from dataclasses import dataclass

from epochal.checker.trace.explain import Change, differences
from epochal.checker.trace.replay import Refusal, refusal
from epochal.checker.trace.trace import Trace
from epochal.spec.language import EvaluationError

from .sides import ActionDifference, counterparts


@dataclass(frozen=True)
class Refused:
    """Why a step is not taken: in one sentence, with the guard, or with the leaves that would be different."""

    reason: str
    guard: Refusal | None = None
    changes: tuple[Change, ...] = ()


def refused(difference: ActionDifference, trace: Trace) -> Refused:
    """Why the protocol that lacks the last step of a trace does not take it, by its Python reading.

    The guard is the first one in the text of the action that is false in the state before the step. A step that is
    compared with several choices of parameters is explained by the first of them.
    """
    lacks, step = difference.lacks, trace.steps[-1]
    before = trace.states[-2]
    choices = counterparts(step.instance, lacks, difference.counterpart)
    if not choices:
        return Refused(f"{lacks.name} has no such action")
    instance = choices[0]
    others = f", nor any other choice of {len(choices)}" if len(choices) > 1 else ""
    try:
        guard = refusal(lacks, before, instance)
        after = None if guard is not None else lacks.step(lacks.at(before), instance)
    except EvaluationError as error:
        return Refused(f"{lacks.name} cannot evaluate {instance.label} there: {error}{others}")
    if guard is not None:
        return Refused(f"{lacks.name} refuses {instance.label} there{others}", guard)
    assert after is not None and (len(choices) > 1 or after != step.codes), "the step does not differ"
    changes = differences(lacks, step.codes, after)
    return Refused(f"{lacks.name} leads to another state by {instance.label}{others}", changes=changes)
