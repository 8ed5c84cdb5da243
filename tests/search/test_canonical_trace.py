"""The counterexample that is printed: shortest, and of the shortest the one whose actions come first."""

from __future__ import annotations

import pytest

from checker.reading import PythonReading
from checker.search import breadth_first
from checker.search.result import Options
from spec.language import Protocol
from tests.search.models import classic, small_faulty

Codes = tuple[int, ...]


def first_shortest(protocol: Protocol, property_id: str) -> list[int]:
    """The numbers of the instances of that run, by brute force: levels, then backwards marks, then forwards choices."""
    reading = PythonReading(protocol)
    levels: list[set[Codes]] = [set(protocol.initial_states())]
    seen = set(levels[0])
    while not any(property_id in reading.violated(codes) for codes in levels[-1]):
        following = {after for codes in levels[-1] for _, after in reading.successors(codes)} - seen
        seen |= following
        levels.append(following)
    wanted = [{codes for codes in levels[-1] if property_id in reading.violated(codes)}]
    for level in reversed(levels[:-1]):
        wanted.insert(0, {c for c in level if any(after in wanted[0] for _, after in reading.successors(c))})
    (now,) = wanted[0]
    numbers = []
    for level in wanted[1:]:
        instance, now = next((i, after) for i, after in reading.successors(now) if after in level)
        numbers.append(instance.number)
    return numbers


@pytest.mark.parametrize("property_id", ["weak_isr", "strong_isr"])
@pytest.mark.parametrize("protocol", [small_faulty(), classic("truncate-to-hw", 2, 2, 2, 1)], ids=["one", "two"])
def test_the_first_of_the_shortest(protocol: Protocol, property_id: str) -> None:
    """The native search finds the run that brute force finds."""
    result = breadth_first.check(protocol, Options(all_violations=True))
    trace = next(p.trace for p in result.properties if p.member.name == property_id)
    assert trace is not None
    assert [step.instance.number for step in trace.steps] == first_shortest(protocol, property_id)
