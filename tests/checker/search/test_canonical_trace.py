"""The counterexample that is printed: shortest, and of the shortest the one that a fixed order decides."""

from __future__ import annotations

import pytest

from epochal.checker.ir.digest import state_hash
from epochal.checker.ir.layout import lay_out
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.spec.language import Protocol
from tests.checker.search.models import classic, small_faulty

Codes = tuple[int, ...]


def canonical(protocol: Protocol, property_id: str) -> list[int]:
    """The numbers of the instances of that run, by brute force: levels, then backwards the least step at each."""
    reading, layout = PythonSemantics(protocol), lay_out(protocol.leaves)

    def hashed(codes: Codes) -> int:
        return state_hash(layout.pack(codes))

    levels: list[set[Codes]] = [set(protocol.initial_states())]
    seen = set(levels[0])
    while not any(property_id in reading.violated(codes) for codes in levels[-1]):
        following = {after for codes in levels[-1] for _, after in reading.successors(codes)} - seen
        seen |= following
        levels.append(following)
    now = min((codes for codes in levels[-1] if property_id in reading.violated(codes)), key=hashed)
    numbers: list[int] = []
    for level in reversed(levels[:-1]):
        ways = [(i.number, hashed(c), c) for c in level for i, after in reading.successors(c) if after == now]
        number, _, now = min(ways)
        numbers.insert(0, number)
    return numbers


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
@pytest.mark.parametrize("property_id", ["weak_isr", "strong_isr"])
@pytest.mark.parametrize("protocol", [small_faulty(), classic("truncate-to-hw", 2, 2, 2, 1)], ids=["one", "two"])
def test_the_least_of_the_shortest(protocol: Protocol, property_id: str, workers: int) -> None:
    """The native search, with any number of workers, and the Python engine find the run that brute force finds."""
    options = Options(all_violations=True, workers=workers or None)
    if workers:
        result = breadth_first.check(protocol, options, tuning=Tuning(share_from=0))
    else:
        result = reference_engine.check(protocol, options)
    trace = next(p.trace for p in result.properties if p.member.name == property_id)
    assert trace is not None
    assert [step.instance.number for step in trace.steps] == canonical(protocol, property_id)
