"""One test of many cases names each that failed, and cannot pass unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import LONG, SLOW, function_of
from tests.each import for_each
from tests.house.test_architecture import ROOT


def test_each_case_that_failed_is_named_and_the_others_run() -> None:
    ran = []

    @for_each("first, second", [(1, 1), (1, 2), (2, 2), (2, 3)])
    def same(first: int, second: int) -> None:
        ran.append((first, second))
        assert first == second

    with pytest.raises(AssertionError, match=r"(?s)^2 of 4 cases .*\n1, 2: AssertionError.*\n2, 3: Assert") as failed:
        same()
    assert len(ran) == 4 and isinstance(failed.value.__cause__, AssertionError)


@pytest.mark.parametrize("end", [pytest.skip, pytest.fail])
def test_a_case_that_skips_has_failed(end: object) -> None:
    @for_each("case", ["one"])
    def ended(case: str) -> None:
        end(case)  # type: ignore[operator]

    with pytest.raises(AssertionError, match="one: "):
        ended()


def test_without_cases_there_is_no_test() -> None:
    with pytest.raises(ValueError, match="no case of name"):
        for_each("name", [])


@for_each("outer", ["a", "b"])
@for_each("inner", [1, 2])
def test_fixtures_are_given_and_each_case_has_its_folder(outer: str, inner: int, tmp_path: Path) -> None:
    assert list(tmp_path.iterdir()) == []
    (tmp_path / f"{outer}{inner}").touch()


# The lists of long and of slow tests name tests that exist: one that is renamed is not left out, or let in, unseen.


@pytest.mark.parametrize("names", [LONG, SLOW], ids=["long", "slow"])
def test_every_one_exists(names: frozenset[str]) -> None:
    assert names
    for name in names:
        path, _, function = function_of(name).partition("::")
        assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), name
