"""The LLVM text of the kernels is what the compiler makes of their C."""

from __future__ import annotations

import pytest

from tests.checker.native.kernel.written import FOLDER, KERNELS, made


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_text_is_that_of_the_source(kernel: str) -> None:
    """Else `python -m tests.checker.native.kernel.written` writes it again."""
    pytest.importorskip("ziglang")
    assert (FOLDER / f"{kernel}.ll").read_text() == made(kernel)
