"""What must be reachable under some bounds and settings only: elsewhere it does not apply, and must not happen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.static import diagnose
from epochal.checker.identity.meaning import property_digests, specification_digest
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.simulate import simulate
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.solver.bounded import BoundedOptions, bounded_search
from epochal.exit_codes import ExitCode
from epochal.spec.language import (
    Bounds,
    Integers,
    LanguageError,
    Protocol,
    action,
    bound,
    invariant,
    reachable,
    require,
)

CHECKS: dict[str, Callable[[Protocol, Options], CheckResult]] = {
    "native": breadth_first.check,
    "python": reference_engine.check,
}


@dataclass(frozen=True)
class ClockBounds(Bounds):
    """How often the clock ticks."""

    ticks: int = bound(2, least=0, most=5, help="ticks")


class Clock(Protocol):
    """Ticks, and may strike; whether it has a bell is a setting."""

    bounds: ClockBounds
    bell: ClassVar[bool] = True
    strikes: ClassVar[bool] = True
    x: Annotated[int, Integers(0, 5)]
    struck: bool

    @action
    def tick(self) -> None:
        """Ticks."""
        require(self.x < self.bounds.ticks)
        self.x += 1

    @action
    def strike(self) -> None:
        """Strikes once, if it does."""
        require(self.strikes and self.x == self.bounds.ticks and not self.struck)
        self.struck = True

    @invariant
    def small(self) -> bool:
        """Stays within its ticks."""
        return self.x <= self.bounds.ticks

    @reachable(only_if=lambda self: self.bell)
    def heard(self, new: Self) -> bool:
        """The bell is heard."""
        return new.struck and not self.struck

    @reachable(only_if=lambda self: self.has_time())
    def two_ticks(self) -> bool:
        """Two ticks: an ordinary method decides."""
        return self.bounds.ticks >= 2 and self.x == 2

    def has_time(self) -> bool:
        """Whether there is time for two ticks."""
        return self.bounds.ticks >= 2


class Silent(Clock):
    """Has no bell, and does not strike."""

    bell = False
    strikes = False
    strike = None  # type: ignore[assignment]  # none takes the rule away


class Haunted(Clock):
    """Has no bell, and strikes all the same."""

    bell = False


class Broken(Clock):
    """Has a bell, and does not strike."""

    strikes = False


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


class Undecided(Clock):
    """Asks the state whether the property applies."""

    @reachable(only_if=lambda self: self.x > 0)
    def late(self) -> bool:
        """It is late."""
        return self.x == 2


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
