"""What dominance must not change: verdicts, least lengths, rules that fail, and actions that are never taken."""

from __future__ import annotations

import math

from epochal.checker.search.result import CheckResult


def horizon(result: CheckResult) -> float:
    """Up to which length of runs a search has found everything."""
    return math.inf if result.exhaustive else result.depth


def refuse_differences(every: CheckResult, fewer: CheckResult) -> None:
    """Fail unless a search with dominance says what that of every state says, as far as both have come."""
    for one, other in zip(every.properties, fewer.properties, strict=True):
        assert one.member.name == other.member.name
        for here, there, beyond in ((one, other, horizon(fewer)), (other, one, horizon(every))):
            if here.length is not None and here.length <= beyond:
                assert (here.verdict, here.length) == (there.verdict, there.length), here.member.name
        if every.exhaustive and fewer.exhaustive:
            assert one.verdict == other.verdict, one.member.name
    if every.exhaustive and fewer.exhaustive:
        assert (every.exit_code, every.never_taken) == (fewer.exit_code, fewer.never_taken)
        assert fewer.distinct_states <= every.distinct_states
    assert (every.error is None) == (fewer.error is None)
    if every.error is not None and fewer.error is not None:
        assert every.error.trace.length == fewer.error.trace.length
