"""Which states can be reached, and in how many steps: as the breadth-first search of the Python reading says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.static import diagnose
from epochal.checker.identity.specification import property_digests, specification_digest
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.shortest import reach
from epochal.checker.search.simulate import simulate
from epochal.checker.semantics.semantics import Codes, PythonSemantics
from epochal.checker.solver.bounded import BoundedOptions, bounded_search
from epochal.exit_codes import ExitCode
from epochal.spec.language import Bounds, LanguageError, Protocol
from tests.checker.compile.test_readings_agree import WHOLE
from tests.checker.search.models import classic
from tests.zoo.searched import Broken, Clock, ClockBounds, Failing, Haunted, Silent, Undecided


def depths(protocol: Protocol) -> dict[Codes, int]:
    """The least number of steps to every state."""
    reading = PythonSemantics(protocol)
    level, found, depth = protocol.initial_states(), dict.fromkeys(protocol.initial_states(), 0), 0
    while level:
        depth += 1
        following = []
        for codes in level:
            for _, after in reading.successors(codes):
                if after not in found and reading.within_constraint(after):
                    found[after] = depth
                    following.append(after)
        level = following
    return found


@pytest.mark.parametrize(("protocol", "bounds"), WHOLE, ids=[p.__name__ for p, _ in WHOLE])
def test_every_state_is_reached_in_as_few_steps(protocol: type[Protocol], bounds: Bounds) -> None:
    """Constraints and several initial states included; one state that cannot be reached makes it go on to the end."""
    specification = protocol(bounds)
    size = breadth_first.check(specification, Options(all_violations=True)).distinct_states
    expected = depths(specification)
    model = compile_protocol(specification)
    last = max(expected.values())
    some = [codes for codes, depth in expected.items() if depth == last] + list(expected)[:: max(len(expected) // 9, 1)]
    unreachable = next((codes for codes in _typed(specification) if codes not in expected), None)
    found = reach(model, [*some, *([unreachable] if unreachable else [])], max_states=10**6)
    assert found.steps == {codes: expected[codes] for codes in some}
    assert found.exhaustive == (unreachable is not None)
    if unreachable is not None:
        assert found.states == len(expected) == size


def _typed(protocol: Protocol) -> list[Codes]:
    """A few typed states."""
    highest = tuple(leaf.domain.size - 1 for leaf in protocol.leaves)
    found = [protocol.at(highest).codes()]
    for at in range(len(highest)):
        found.append(protocol.at(tuple(code if i == at else 0 for i, code in enumerate(highest))).codes())
    return found


def test_a_budget_of_states_ends_the_search() -> None:
    """Then it is not exhaustive, and says how many states it saw; `progress` is called on the way."""
    protocol = classic("kip-320", 3, 2, 2, 1)
    model = compile_protocol(protocol)
    nowhere = tuple(leaf.domain.size - 1 for leaf in protocol.leaves)
    seen: list[int] = []
    found = reach(model, [protocol.at(nowhere).codes()], 9000, seen.append)
    assert (found.steps, found.states, found.exhaustive) == ({}, 9000, False)
    assert seen == [4096, 8192]
    every = reach(model, [protocol.at(nowhere).codes()], 10**6)
    assert (every.states, every.exhaustive) == (39_619, True)


def test_a_step_that_cannot_be_evaluated_is_not_taken() -> None:
    protocol = Failing()
    model = compile_protocol(protocol)
    assert any(compiled.failures for compiled in model.instances)
    wanted = [(5, 2, 1, 1), (2, 1, 1, 0), (1, 1, 1, 0)]
    found = reach(model, wanted, 10**6)
    assert found.steps == {(5, 2, 1, 1): 7, (2, 1, 1, 0): 3}
    assert found.exhaustive and found.states == 2 + 4 * 3


@pytest.mark.parametrize("max_states", [500, 10**6])
def test_the_nearest_state_differs_in_the_fewest_leaves(max_states: int) -> None:
    """Of those that were reached, as comparing leaf by leaf says; of what was reached, and not asked for, none."""
    protocol = classic("kip-279-proof", 2, 1, 1, 1)
    model = compile_protocol(protocol)
    known = list(depths(protocol))
    everything = reach(model, known, 10**6)
    unreachable = [codes for codes in _typed(protocol) if codes not in everything.steps]
    found = reach(model, [known[3], *unreachable], max_states, compared=[known[3], *unreachable[1:]])
    assert set(found.nearest) == set(unreachable[1:]) and len(unreachable) > 5
    for codes, nearest in found.nearest.items():
        assert nearest in everything.steps
        apart = [sum(a != b for a, b in zip(codes, one, strict=True)) for one in known]
        assert sum(a != b for a, b in zip(codes, nearest, strict=True)) >= min(apart) > 0
        if max_states > len(known):
            assert sum(a != b for a, b in zip(codes, nearest, strict=True)) == min(apart)


# What must be reachable under some bounds and settings only: elsewhere it does not apply, and must not happen.

CHECKS: dict[str, Callable[[Protocol, Options], CheckResult]] = {
    "native": breadth_first.check,
    "python": reference_engine.check,
}


def verdicts(result: CheckResult) -> dict[str, str]:
    return {p.member.name: p.verdict for p in result.properties}


@pytest.mark.parametrize("engine", CHECKS)
@pytest.mark.parametrize(
    ("kind", "heard", "length", "code"),
    [
        (Clock, "holds", 4, ExitCode.HOLDS),
        (Silent, "not applicable", None, ExitCode.HOLDS),
        (Haunted, "violated", 4, ExitCode.EXPECTATION_MISSED),
        (Broken, "violated", None, ExitCode.EXPECTATION_MISSED),
    ],
)
def test_it_happens_exactly_where_it_applies(
    engine: str, kind: type[Clock], heard: str, length: int | None, code: int
) -> None:
    result = CHECKS[engine](kind(), Options())
    (found,) = [p for p in result.properties if p.member.name == "heard"]
    assert (found.verdict, found.length, result.exit_code) == (heard, length, code)
    assert found.out_of_place == (kind is Haunted)
    assert verdicts(result)["two_ticks"] == "holds"


@pytest.mark.parametrize("engine", CHECKS)
def test_what_does_not_apply_is_not_vacuous_although_it_is_constant(engine: str) -> None:
    protocol = Clock(ClockBounds(1))
    result = CHECKS[engine](protocol, Options())
    assert verdicts(result) == {"small": "holds", "heard": "holds", "two_ticks": "not applicable"}
    assert (result.exit_code, result.vacuous) == (ExitCode.HOLDS, ())
    assert not [str(odd) for odd in diagnose(compile_protocol(protocol)) if odd.vacuous]


@pytest.mark.parametrize("engine", CHECKS)
def test_a_search_that_is_cut_says_not_applicable_and_not_open(engine: str) -> None:
    result = CHECKS[engine](Silent(), Options(max_states=1))
    assert not result.exhaustive
    assert verdicts(result) == {"small": "unknown", "heard": "not applicable", "two_ticks": "unknown"}


def test_whether_it_applies_counts_for_the_digests() -> None:
    one, other = compile_protocol(Clock()), compile_protocol(Haunted())
    assert specification_digest(one) != specification_digest(other)
    before, after = property_digests(one), property_digests(other)
    assert {name for name in before if before[name] != after[name]} == {"heard"}


def test_simulation_knows_it_too() -> None:
    silent, haunted = Silent(), Haunted()
    quiet = simulate(silent, PythonSemantics(silent), runs=3, depth=9, seed=1)
    loud = simulate(haunted, PythonSemantics(haunted), runs=3, depth=9, seed=1)
    assert {p.member.name: p.verdict for p in quiet.properties}["heard"] == "not applicable"
    assert (quiet.exit_code, loud.exit_code) == (ExitCode.HOLDS, ExitCode.EXPECTATION_MISSED)


@pytest.mark.parametrize("engine", CHECKS)
def test_a_condition_on_the_state_is_refused(engine: str) -> None:
    with pytest.raises(LanguageError) as refused:
        CHECKS[engine](Undecided(), Options())
    assert refused.value.message.startswith("only_if of late cannot be decided before there is a state: AttributeError")
    assert refused.value.where is not None and refused.value.where.function == "late"
    assert "settings of the class, not on state variables" in refused.value.advice


def test_a_bounded_search_by_the_solver_knows_it_too() -> None:
    for kind, verdict, code in ((Silent, "none", ExitCode.HOLDS), (Haunted, "reached", ExitCode.EXPECTATION_MISSED)):
        result = bounded_search(kind(), BoundedOptions(length=3, properties=("heard",)))
        (heard,) = result.properties
        assert (heard.verdict, result.exit_code) == (verdict, code)
        assert result.out_of_place == (("heard",) if kind is Haunted else ())
        assert not result.missing
    assert bounded_search(Broken(), BoundedOptions(length=3, properties=("heard",))).missing == ("heard",)
