"""The lists of long and of slow tests name tests that exist: one that is renamed is not left out, or let in, unseen."""

from __future__ import annotations

import pytest

from tests.conftest import LONG, SLOW, function_of
from tests.house.test_architecture import ROOT


@pytest.mark.parametrize("names", [LONG, SLOW], ids=["long", "slow"])
def test_every_one_exists(names: frozenset[str]) -> None:
    assert names
    for name in names:
        path, _, function = function_of(name).partition("::")
        assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), name
