"""The kernels as LLVM text, which `python -m tests.checker.native.kernel.written` makes of their C.

So nothing of a C compiler is needed to run or to install them.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def written(kernel: str, **constants: int) -> str:
    """Return the LLVM module of a kernel in which the constants that the C leaves open have these values."""
    text = text_of(kernel)
    for name, value in constants.items():
        text = text.replace(f"@{name} = external constant i64,", f"@{name} = internal constant i64 {int(value)},")
    assert " = external constant" not in text, f"the kernel {kernel} needs more constants than {sorted(constants)}"
    return text


@cache
def text_of(kernel: str) -> str:
    return (files(__package__) / f"{kernel}.ll").read_text(encoding="ascii")
