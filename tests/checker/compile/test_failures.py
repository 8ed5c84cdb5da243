"""A rule that cannot be evaluated is a finding with its line and its trace, the same for both engines."""

from __future__ import annotations

import inspect

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

LENGTHS = {"InitialProperty": 1, "InAnActionProperty": 3, "InAnInvariant": 3, "InAReachable": 3, "UpToItems": 3}
LENGTHS |= {"IndexBeyondEnd": 3, "NumberOutside": 3}


def failing_line(specification: type[Protocol]) -> int:
    """The line of the class that says it fails."""
    lines, first = inspect.getsourcelines(specification)
    return first + next(i for i, line in enumerate(lines) if "# fails" in line)


def finding(specification: type[Protocol], engine: str) -> EvaluationFinding:
    """The failure that an engine finds."""
    check = {"native": breadth_first.check, "python": reference_engine.check}[engine]
    result = check(specification(), Options())
    assert result.exit_code == ExitCode.EVALUATION_FAILED
    assert not result.exhaustive
    assert result.error is not None
    return result.error


@pytest.mark.parametrize("specification", FAILING, ids=lambda s: s.__name__)
def test_both_engines_report_the_failure(specification: type[Protocol]) -> None:
    native, python = finding(specification, "native"), finding(specification, "python")
    assert (native.message, native.where) == (python.message, python.where)
    assert native.trace.states == python.trace.states
    assert [s.instance.label for s in native.trace.steps] == [s.instance.label for s in python.trace.steps]
    assert native.where is not None
    assert native.where.file == "tests/checker/compile/zoo_failing.py"
    assert native.where.line == failing_line(specification)
    if specification.__name__ in LENGTHS:
        assert native.trace.length == LENGTHS[specification.__name__]


@pytest.mark.parametrize("specification", FAILING, ids=lambda s: s.__name__)
def test_single_steps_fail_likewise(specification: type[Protocol]) -> None:
    """Where the search stops, the native reading of single states raises what the Python reading raises."""
    error = finding(specification, "python")
    reading = NativeBackend(specification())
    everything = (1 << len(reading.model.properties)) - 1
    with pytest.raises(EvaluationError) as raised:
        for codes in error.trace.states:
            reading.judged(codes, everything)
            reading.within_constraint(codes)
            reading.tagged_successors(codes, everything)
    assert (raised.value.message, raised.value.where) == (error.message, error.where)


@pytest.mark.parametrize("check", [breadth_first.check, reference_engine.check], ids=["native", "python"])
def test_initial_state_that_cannot_be_made(check: object) -> None:
    result = breadth_first.check if check is breadth_first.check else reference_engine.check
    with pytest.raises(EvaluationError, match=r"x: 4 is outside 0\.\.3"):
        result(FailsInitially(), Options())


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
