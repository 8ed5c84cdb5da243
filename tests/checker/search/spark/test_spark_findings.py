"""What fails, violates or leaves the constraint is found and worded as by the native engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Self

import pytest

from epochal.checker.search.result import Options
from epochal.checker.search.spark.driver import Cluster, check
from epochal.spec.language import Integers, Protocol, action, action_property, invariant
from tests.checker.compile import zoo_failing as failures
from tests.checker.compile.zoo import Arithmetic, Logs, Maps, Sets
from tests.checker.search.models import classic, small_faulty
from tests.checker.search.spark.comparison import same_as_native
from tests.checker.search.spark.in_process import in_process, twice

FAILING = (
    failures.IndexBeyondEnd,
    failures.InABranchOnly,
    failures.InAnInvariant,
    failures.InAReachable,
    failures.InAnActionProperty,
    failures.InAConstraint,
    failures.InitialProperty,
    failures.FoundBefore,
    failures.ViolatedAndBroken,
    failures.ViolatedAndBrokenStep,
)


@pytest.mark.parametrize("all_violations", [True, False])
@pytest.mark.parametrize("specification", FAILING, ids=lambda kind: kind.__name__)
def test_rules_that_fail(specification: type[Protocol], all_violations: bool, cluster: Cluster) -> None:
    """The same rule, in the same words, with the same run; and the same counts."""
    options = Options(all_violations=all_violations)
    protocol = specification()
    result = check(protocol, options, replace(cluster, start=in_process))
    same_as_native(result, protocol, options)
    assert result.error is not None or specification is failures.FoundBefore


@pytest.mark.parametrize("specification", [failures.InAConstraint, failures.InABranchOnly, Logs])
def test_tables_that_are_made_again(specification: type[Protocol], cluster: Cluster) -> None:
    """Every task runs twice: the second one expands again what was kept, and its failures are not counted twice."""
    protocol, options = specification(), Options(all_violations=True)
    same_as_native(check(protocol, options, replace(cluster, start=twice)), protocol, options)


@pytest.mark.parametrize("specification", [Arithmetic, Maps, Sets, Logs], ids=lambda kind: kind.__name__)
def test_the_zoo(specification: type[Protocol], cluster: Cluster) -> None:
    """Specifications that are not Kafka's."""
    protocol, options = specification(), Options(all_violations=True)
    same_as_native(check(protocol, options, replace(cluster, start=in_process)), protocol, options)


@pytest.mark.parametrize("protocol", [small_faulty(), classic("kip-101", 3, 1, 1, 1)], ids=lambda p: p.name)
def test_the_first_violation_ends_the_search(protocol: Protocol, cluster: Cluster) -> None:
    """With the level that shows it."""
    result = check(protocol, Options(), replace(cluster, start=in_process))
    assert result.exit_code == 12 and not result.exhaustive
    same_as_native(result, protocol, Options())


class Turns(Protocol):
    """The last level has no new state, and yet shows something."""

    on: bool
    count: Annotated[int, Integers(0, 1)]

    @action
    def turn(self, on: bool) -> None:
        """On or off."""
        self.on = on

    @action_property
    def never_off(self, new: Self) -> bool:
        """Nothing is turned off: shown by the steps from the last level."""
        return new.on or not self.on

    @invariant
    def counts(self) -> bool:
        """Nothing counts."""
        return self.count == 0


class Breaks(Turns):
    """The last level has no new state, and a rule fails in it."""

    @action
    def turn(self, on: bool) -> None:
        """On, and never off."""
        was = self.on
        self.on = on
        self.count = self.count if on or not was else 2


@pytest.mark.parametrize("all_violations", [True, False])
@pytest.mark.parametrize("specification", [Turns, Breaks], ids=lambda kind: kind.__name__)
def test_a_last_level_that_shows_something_is_expanded_once(
    specification: type[Protocol], all_violations: bool, cluster: Cluster
) -> None:
    """Steps are counted once, and the search is over: nothing is left to explore."""
    protocol, options = specification(), Options(all_violations=all_violations)
    same_as_native(check(protocol, options, replace(cluster, start=in_process)), protocol, options)


def test_budgets(cluster: Cluster) -> None:
    """A spent budget is said, and a larger one goes on."""
    protocol = classic("kip-279", 3, 1, 1, 1)
    options = Options(all_violations=True)
    cluster = replace(cluster, start=in_process)
    cut = check(protocol, replace(options, max_states=1000), cluster)
    assert cut.cut == "the budget of 1,000 states is spent" and cut.exit_code == 30
    assert 1000 <= cut.distinct_states < 9841
    assert check(protocol, replace(options, budget=0.0), replace(cluster, resume=True)).cut.startswith(
        "the time budget"
    )
    result = check(protocol, options, replace(cluster, resume=True))
    assert result.resumed_from == cut.distinct_states
    same_as_native(result, protocol, options)
