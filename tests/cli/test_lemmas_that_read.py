"""Whether a lemma reads the state, also by functions that stand elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

BY_NAME = '''from typing import Annotated

from epochal.language import *
IMPORT


def value(state) -> int:
    return 0


class Mine(Protocol):
    a: Annotated[int, Integers(0, 2)]
    b: Annotated[int, Integers(0, 2)]

    @action
    def grow(self) -> None:
        """It grows."""
        require(self.b < 2)
        self.b += 1

    @invariant
    def small(self) -> bool:
        """It is small."""
        return self.b < 3 and self.a == 0

    @lemma
    def bounded_by_both(self) -> bool:
        return value(self) == 0 and CALL >= 0 and CALL < 3
'''
OTHER = """def value(state):
    return state.b


def helper(state):
    return value(state)
"""


@pytest.mark.parametrize(
    ("imported", "call"),
    [
        ("from functions_of_lemmas import helper", "helper(self)"),
        ("import functions_of_lemmas", "functions_of_lemmas.helper(self)"),
    ],
)
def test_a_lemma_may_read_by_a_function_of_a_name_that_it_knows_already(
    imported: str, call: str, run: Any, folder: Path
) -> None:
    """Two functions called value: the second reads the state."""
    (folder / "functions_of_lemmas.py").write_text(OTHER, encoding="utf-8")
    (folder / "named.py").write_text(BY_NAME.replace("IMPORT", imported).replace("CALL", call), encoding="utf-8")
    shown = run("prove", "named.py:Mine")
    assert "reads no state variable" not in shown.stderr
    assert "bounded_by_both" in shown.stdout
