"""The kernels that judge promises, as one module for a size of states."""

from __future__ import annotations

from .kernel import DECLARATIONS
from .promise_components import component_texts
from .promise_edges import edges_text
from .promise_ends import end_texts
from .promise_parts import part_texts
from .promise_passes import pass_texts


def promise_kernel_text(words: int, shared: bool) -> str:
    """The LLVM module; `shared` says that several workers have searched, whose table has parts."""
    passes = (*pass_texts(words), *component_texts(words), *end_texts(words), *part_texts(words, shared))
    return "\n".join([*DECLARATIONS, edges_text(words, shared), *passes])
