"""Registered protocols and known bugs: a search with dominance says what a search of every state says."""

from __future__ import annotations

import pytest

from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.checker.symmetry.canonical import has_identifiers
from epochal.kafka.catalogue import asking, sides
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.language import LanguageError, Protocol
from epochal.spec.registry import REGISTRY, registered
from tests.checker.dominance.comparison import refuse_differences

MOST = 150_000
"""As many states are found without dominance; what both searches have come to is compared."""

BUDGETS = {
    "kraft": ("used.lossy_crashes", "used.fencings", "used.shrinks", "used.elections"),
    "zookeeper": ("stopped",),
    "kip-320": (),
    "quorum": ("commit_epoch",),
}


def compared(protocol: Protocol, **asked: object) -> None:
    """Search with dominance and without."""
    options = {"max_states": MOST, "all_violations": True, "cross_check": "off", **asked}
    every = check(protocol, Options(**options))  # type: ignore[arg-type]
    fewer = check(protocol, Options(**options, dominance=True))  # type: ignore[arg-type]
    refuse_differences(every, fewer)
    assert fewer.dominance is not None
    if not fewer.dominance.left_out and every.exhaustive:
        assert (fewer.state_digest, fewer.step_digest) == (every.state_digest, every.step_digest)


@pytest.mark.parametrize("name", REGISTRY)
def test_protocols(name: str) -> None:
    protocol = registered(name)()
    compared(protocol)
    if has_identifiers(protocol):
        try:
            compared(protocol, symmetry=True)
        except LanguageError as error:
            assert "not symmetric" in str(error)


@pytest.mark.parametrize("name", BUDGETS)
def test_their_budgets(name: str) -> None:
    """They are found from the compiled form and, for the fencings of `kraft`, by the solver."""
    result = check(registered(name)(), Options(max_states=1, symmetry=True, dominance=True, cross_check="off"))
    assert result.dominance is not None and result.dominance.budgets == BUDGETS[name]


@pytest.mark.parametrize("bug", CATALOGUE, ids=lambda bug: bug.id.replace(" ", "-"))
def test_known_bugs(bug: KnownBug) -> None:
    """The first lengths of all properties, as far as the level on which the bug shows itself."""
    faulty, _ = sides(bug)
    symmetry = asking(bug, faulty, Options()).symmetry
    compared(faulty, symmetry=symmetry, all_violations=False, max_states=4 * MOST)
