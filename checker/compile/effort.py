"""Calls of Python's own functions that would take too long: nothing can end them, neither a budget nor Ctrl-C."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

from .execution import ROUND_LIMIT

GROWING = frozenset({math.factorial, math.comb, math.perm, itertools.islice})
"""The functions whose work grows with the numbers that they are given, and not with their lengths."""


def too_much(function: Any, arguments: Iterable[Any]) -> bool:
    """Whether a function that is called with known values may take very long."""
    return any(is_long(value) or (function in GROWING and _is_great(value)) for value in arguments)


def is_long(value: Any) -> bool:
    """Whether something to go through is far longer than loops of a rule may be."""
    return isinstance(value, range) and (value.stop - value.start) // value.step > ROUND_LIMIT


def _is_great(value: Any) -> bool:
    return isinstance(value, int) and abs(value) > ROUND_LIMIT
