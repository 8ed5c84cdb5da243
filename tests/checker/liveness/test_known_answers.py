"""Promises of small protocols: kept or broken as thinking says, by the shortest run that breaks them."""

from __future__ import annotations

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.liveness.result import PromiseResult
from epochal.checker.trace.trace import Trace
from epochal.spec.language import Protocol
from tests.checker.liveness.judged import by_python
from tests.checker.liveness.zoo import KNOWN


def shape(trace: Trace) -> tuple[int, int]:
    """How many states lead to the round, its first one among them, and how many steps the round has."""
    assert trace.loop is not None
    return trace.loop + 1, trace.length - 1 - trace.loop + (trace.closing is not None)


@pytest.mark.parametrize(("kind", "name"), KNOWN, ids=lambda x: x if isinstance(x, str) else x.__name__)
def test_known_answers(kind: type[Protocol], name: str) -> None:
    found = by_python(compile_protocol(kind()))
    one: PromiseResult = next(one for one in found.promises if one.member.name == name)
    answer = KNOWN[kind, name]
    assert one.verdict == ("holds" if answer is None else "violated")
    assert (None if one.trace is None else shape(one.trace)) == answer
