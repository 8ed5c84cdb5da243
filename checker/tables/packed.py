"""Packed states as numpy sees them: rows of words, their hashes, and the codes of their leaves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..ir.digest import SECRETS
from ..ir.layout import Layout

Words = NDArray[np.uint64]
"""A row of words for each state, or a word for each."""

HALF = np.uint64(32)
LOW = np.uint64((1 << 32) - 1)


def fold(a: Words, b: Words) -> Words:
    """`checker.ir.digest.fold` of many numbers: the halves of each 128-bit product, combined by exclusive or."""
    a_low, a_high, b_low, b_high = a & LOW, a >> HALF, b & LOW, b >> HALF
    low, first, second = a_low * b_low, a_low * b_high, a_high * b_low
    middle = (low >> HALF) + (first & LOW) + (second & LOW)
    high = a_high * b_high + (first >> HALF) + (second >> HALF) + (middle >> HALF)
    folded: Words = a * b ^ high
    return folded


def hashes(words: Words) -> Words:
    """`checker.ir.digest.state_hash` of many states."""
    first, second, third, last = (np.uint64(secret) for secret in SECRETS[:4])
    count, size = words.shape
    value = np.full(count, second, np.uint64)
    for i in range(0, size, 2):
        other = words[:, i + 1] if i + 1 < size else np.zeros(count, np.uint64)
        value = fold(words[:, i] ^ first, other ^ value)
    return fold(value ^ third, np.full(count, last, np.uint64))


def leaf_codes(words: Words, layout: Layout) -> list[Words]:
    """The codes of each leaf of many states."""
    return [words[:, f.word] >> np.uint64(f.shift) & np.uint64((1 << f.bits) - 1) for f in layout.fields]
