"""The kernels as LLVM text, which `python -m tests.checker.native.kernel.written` makes of their C.

So nothing of a C compiler is needed to run or to install them.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

OPEN = re.compile(r"@(\w+) = external constant i64,")


def written(kernel: str, **constants: int) -> str:
    """Return the LLVM module of a kernel in which the constants that the C leaves open have these values."""
    text = text_of(kernel)
    left = set(OPEN.findall(text))
    if left != constants.keys():
        raise ValueError(f"the constants of the kernel {kernel} are {sorted(left)}, not {sorted(constants)}")
    return OPEN.sub(lambda one: f"@{one[1]} = internal constant i64 {int(constants[one[1]])},", text)


@cache
def text_of(kernel: str) -> str:
    return (files(__package__) / f"{kernel}.ll").read_text(encoding="ascii")
