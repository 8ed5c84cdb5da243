"""Where a search begins: what is said if it cannot."""

from __future__ import annotations

from types import ModuleType
from typing import Annotated

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
from epochal.spec.language import Bounds, Integers, LanguageError, Protocol, action, require

Small = Annotated[int, Integers(0, 2)]


class Nowhere(Protocol):
    """No choice passes."""

    bounds: Bounds
    x: Small

    def initial(self, first: Small) -> None:
        """Begins nowhere."""
        require(first > 2)
        self.x = first

    @action
    def up(self) -> None:
        """Counts."""
        self.x = min(self.x + 1, 2)


@pytest.mark.parametrize("engine", [breadth_first, reference_engine], ids=["native", "python"])
def test_no_initial_state_is_told_with_its_line(engine: ModuleType) -> None:
    """The message names the line of `initial`, and what to do."""
    with pytest.raises(LanguageError) as caught:
        engine.check(Nowhere(), Options())
    error = caught.value
    assert error.message == "Nowhere has no initial state"
    assert error.where is not None and error.where.function == "initial"
    assert error.where.file.endswith("tests/checker/search/test_initial.py")
    assert error.advice == "Let some choice of initial's parameters pass all of its requires."
