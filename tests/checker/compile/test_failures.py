"""A rule that cannot be evaluated is a finding with its line and its trace, the same for both engines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epochal.checker.native.backend import NativeBackend
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import EvaluationFinding, Options
from epochal.exit_codes import ExitCode
from epochal.spec.language import EvaluationError, Protocol
from tests.checker.compile.zoo_failing import (
    FAILING,
    FailsInitially,
    FoundBefore,
    Idle,
    ViolatedAndBroken,
    ViolatedAndBrokenStep,
)
from tests.zoo.rows import Row


def finding(specification: type[Protocol], engine: str) -> EvaluationFinding:
    """The failure that an engine finds."""
    check = {"native": breadth_first.check, "python": reference_engine.check}[engine]
    result = check(specification(), Options())
    assert result.exit_code == ExitCode.EVALUATION_FAILED
    assert not result.exhaustive
    assert result.error is not None
    return result.error


@pytest.mark.parametrize("row", FAILING.values(), ids=FAILING)
def test_both_engines_report_the_failure(row: Row) -> None:
    native, python = finding(row.kind, "native"), finding(row.kind, "python")
    assert (native.message, native.where) == (python.message, python.where)
    assert native.message == row.expected
    assert native.trace.states == python.trace.states
    assert [s.instance.label for s in native.trace.steps] == [s.instance.label for s in python.trace.steps]
    assert native.where is not None
    assert (native.where.file, {native.where.line: "fails"}) == (row.file, row.marks)
    assert native.trace.length == (1 if row is FAILING["InitialProperty"] else 3)


@pytest.mark.parametrize("row", FAILING.values(), ids=FAILING)
def test_single_steps_fail_likewise(row: Row) -> None:
    """Where the search stops, the native reading of single states raises what the Python reading raises."""
    error = finding(row.kind, "python")
    reading = NativeBackend(row.kind())
    everything = (1 << len(reading.model.properties)) - 1
    with pytest.raises(EvaluationError) as raised:
        for codes in error.trace.states:
            reading.judged(codes, everything)
            reading.within_constraint(codes)
            reading.tagged_successors(codes, everything)
    assert (raised.value.message, raised.value.where) == (error.message, error.where)


@pytest.mark.parametrize("check", [breadth_first.check, reference_engine.check], ids=["native", "python"])
def test_initial_state_that_cannot_be_made(check: Callable[..., object]) -> None:
    with pytest.raises(EvaluationError, match=r"x: 4 is outside 0\.\.3"):
        check(FailsInitially(), Options())


def test_what_is_not_evaluated_does_not_fail() -> None:
    native, python = breadth_first.check(Idle(), Options()), reference_engine.check(Idle(), Options())
    assert native.error is None and python.error is None
    assert native.distinct_states == python.distinct_states == 4


def test_a_property_that_is_settled_is_not_evaluated_again() -> None:
    native, python = breadth_first.check(FoundBefore(), Options()), reference_engine.check(FoundBefore(), Options())
    for result in (native, python):
        assert result.error is None and result.exhaustive
        assert [p.length for p in result.properties if p.member.mark.kind == "reachable"] == [2, 2]


@pytest.mark.parametrize(
    ("specification", "violated"),
    [(ViolatedAndBroken, "apart"), (ViolatedAndBrokenStep, "slow")],
    ids=["state", "step"],
)
def test_a_violation_beside_a_failure_is_reported(specification: type[Protocol], violated: str) -> None:
    for check in (breadth_first.check, reference_engine.check):
        result = check(specification(), Options(all_violations=True))
        assert result.exit_code == ExitCode.VIOLATED
        assert result.error is not None and result.error.where is not None
        assert result.error.where.function == "broken" and result.error.trace.length == 3
        verdicts = {p.member.name: (p.verdict, p.length) for p in result.properties}
        assert verdicts[violated] == ("violated", 3)
        assert verdicts["broken"] == ("unknown", None)
