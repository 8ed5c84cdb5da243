"""The LLVM text of the kernels is what the compiler makes of their C."""

from __future__ import annotations

import pytest

from epochal.checker.native.kernel.kernel import written
from tests.checker.native.kernel.written import FOLDER, KERNELS, made


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_text_is_that_of_the_source(kernel: str) -> None:
    """Else `python -m tests.checker.native.kernel.written` writes it again."""
    assert (FOLDER / f"{kernel}.ll").read_text() == made(kernel)


def test_every_constant_is_given_and_no_other() -> None:
    """A search with a constant that nobody has filled in would read what is anywhere in memory."""
    for constants in ({"words": 1}, {"words": 1, "constrained": 0, "wordz": 1}):
        with pytest.raises(ValueError, match="the constants of the kernel superstep are"):
            written("superstep", **constants)
    assert "external constant" not in written("superstep", words=1, constrained=0)
