"""The readings give the same steps, verdicts and encodings: in random reachable states, and in whole searches."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
from epochal.spec.classic.async_isr import AsyncIsrBounds
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.language import Bounds, Protocol
from epochal.spec.registry import registered
from tests.checker.compile.agreement import agreement
from tests.checker.compile.zoo import PROTOCOLS, ZOO, ZooBounds
from tests.checker.random_programs.searches import compare_searches
from tests.families import SPREAD

SIZES = {
    "Arithmetic": ZooBounds(nodes=1, high=2),
    "Truths": ZooBounds(nodes=1, high=3),
    "Optionals": ZooBounds(nodes=1, high=1),
    "Maps": ZooBounds(nodes=1, high=1),
    "Enumerations": ZooBounds(nodes=3, high=3),
    "Sets": ZooBounds(nodes=1, high=2),
    "Logs": ZooBounds(nodes=1, high=2),
    "Loops": ZooBounds(nodes=2, high=3),
    "Derived": ZooBounds(),
    "Elsewhere": ZooBounds(nodes=1),
    "Sequences": ZooBounds(),
    "Order": ZooBounds(),
    "Names": ZooBounds(),
}
WHOLE: list[tuple[type[Protocol], Bounds]] = [
    *((PROTOCOLS[name].kind, bounds) for name, bounds in SIZES.items()),
    (registered("truncate-to-hw"), ClassicBounds(replicas=2, log_size=1, records=1, max_epoch=1)),
    (registered("kip-101"), ClassicBounds(replicas=2, log_size=1, records=1, max_epoch=1)),
    (registered("kip-279"), ClassicBounds(replicas=2, log_size=2, records=1, max_epoch=1)),
    (registered("kip-320-first-try"), ClassicBounds(replicas=2, log_size=1, records=1, max_epoch=1)),
    (registered("kip-320"), ClassicBounds(replicas=2, log_size=1, records=1, max_epoch=1)),
    (registered("async-isr"), AsyncIsrBounds(replicas=2, max_offset=1, max_version=1)),
]
pytestmark = pytest.mark.xdist_group("agreement")
SETTINGS = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("protocol", [*ZOO, *(registered(name) for name in SPREAD)], ids=lambda p: p.__name__)
def test_readings_agree_in_reachable_states(protocol: type[Protocol]) -> None:
    readings = agreement(protocol)
    initial = readings.protocol.initial_states()
    assert initial

    @SETTINGS
    @given(st.data())
    def walk(data: st.DataObject) -> None:
        codes = data.draw(st.sampled_from(initial))
        for _ in range(data.draw(st.integers(4, 14))):
            steps = readings.compare(codes)
            inside = [after for _, after in steps if readings.native.within_constraint(after)]
            if not inside:
                break
            codes = data.draw(st.sampled_from(inside))

    walk()


@pytest.mark.parametrize("everything", [True, False], ids=["all-violations", "first-violation"])
@pytest.mark.parametrize(("protocol", "bounds"), WHOLE, ids=[p.__name__ for p, _ in WHOLE])
def test_engines_find_the_same(protocol: type[Protocol], bounds: Bounds, everything: bool) -> None:
    specification, options = protocol(bounds), Options(all_violations=everything)
    native, python = breadth_first.check(specification, options), reference_engine.check(specification, options)
    compare_searches(python, native)
    assert native.error is None


def test_the_zoo_has_every_outcome() -> None:
    """The zoo is no use if everything in it holds: properties are violated and witnessed, and every action is taken."""
    for protocol in ZOO:
        result = breadth_first.check(protocol(), Options(all_violations=True))
        assert result.exhaustive
        assert not result.never_taken, protocol
        assert not result.vacuous, protocol
    verdicts = {
        (p.member.mark.kind, p.verdict, p.trace is not None)
        for protocol in ZOO
        for p in breadth_first.check(protocol(), Options(all_violations=True)).properties
    }
    assert {("invariant", "holds", False), ("invariant", "violated", True)} <= verdicts
    assert {("action_property", "holds", False), ("action_property", "violated", True)} <= verdicts
    assert ("reachable", "holds", True) in verdicts
