"""Known answers of the classic family, found with TLC on the community's TLA+ models of the same protocol.

Each row: protocol, bounds in the order of their declaration, distinct states, depth, and the length in states of the
shortest counterexample of each invariant that is violated (the others hold).
"""

from __future__ import annotations

from typing import NamedTuple


class KnownAnswer(NamedTuple):
    """One complete search."""

    protocol: str
    bounds: tuple[int, ...]
    distinct_states: int
    depth: int
    violated: dict[str, int]


KNOWN_ANSWERS = (
    KnownAnswer("async-isr", (2, 1, 1), 24, 7, {}),
    KnownAnswer("async-isr", (2, 2, 2), 84, 12, {}),
    KnownAnswer("async-isr", (3, 1, 1), 220, 10, {}),
    KnownAnswer("async-isr", (3, 1, 2), 1460, 14, {}),
    KnownAnswer("async-isr", (3, 2, 2), 4088, 17, {}),
    KnownAnswer("kip-101", (2, 1, 1, 1), 341, 12, {}),
    KnownAnswer("kip-101", (2, 2, 2, 1), 1177, 15, {}),
    KnownAnswer("kip-101", (3, 1, 1, 1), 9841, 18, {"strong_isr": 12}),
    KnownAnswer("kip-101", (3, 2, 2, 1), 59788, 22, {"strong_isr": 12}),
    KnownAnswer("kip-279", (2, 1, 1, 1), 341, 12, {}),
    KnownAnswer("kip-279", (2, 2, 2, 1), 1177, 15, {}),
    KnownAnswer("kip-279", (3, 1, 1, 1), 9841, 18, {"strong_isr": 12}),
    KnownAnswer("kip-279", (3, 2, 2, 1), 60106, 22, {"strong_isr": 12}),
    KnownAnswer("kip-320-m1", (2, 1, 1, 1), 313, 12, {}),
    KnownAnswer("kip-320-m1", (2, 2, 2, 1), 1035, 15, {}),
    KnownAnswer("kip-320-m1", (3, 1, 1, 1), 7891, 18, {}),
    KnownAnswer("kip-320-m1", (3, 2, 2, 1), 43771, 22, {}),
    KnownAnswer("kip-320-m2", (2, 1, 1, 1), 281, 12, {}),
    KnownAnswer("kip-320-m2", (2, 2, 2, 1), 981, 15, {}),
    KnownAnswer("kip-320-m2", (3, 1, 1, 1), 7099, 18, {"strong_isr": 12}),
    KnownAnswer("kip-320-m2", (3, 2, 2, 1), 42451, 22, {"strong_isr": 12}),
    KnownAnswer("kip-320-m3", (2, 1, 1, 1), 277, 12, {}),
    KnownAnswer("kip-320-m3", (2, 2, 2, 1), 957, 15, {}),
    KnownAnswer("kip-320-m3", (3, 1, 1, 1), 6805, 18, {}),
    KnownAnswer("kip-320-m3", (3, 2, 2, 1), 39769, 22, {}),
    KnownAnswer("kip-320", (2, 1, 1, 1), 277, 12, {}),
    KnownAnswer("kip-320", (2, 2, 2, 1), 957, 15, {}),
    KnownAnswer("kip-320", (3, 1, 1, 1), 6787, 18, {}),
    KnownAnswer("kip-320", (3, 2, 2, 1), 39619, 22, {}),
    KnownAnswer("kip-320-first-try", (2, 1, 1, 1), 337, 12, {}),
    KnownAnswer("kip-320-first-try", (2, 2, 2, 1), 1165, 15, {}),
    KnownAnswer("kip-320-first-try", (3, 1, 1, 1), 9661, 18, {}),
    KnownAnswer("kip-320-first-try", (3, 2, 2, 1), 59092, 22, {}),
    KnownAnswer("truncate-to-hw", (2, 1, 1, 1), 353, 12, {"strong_isr": 10, "weak_isr": 9}),
    KnownAnswer("truncate-to-hw", (2, 2, 2, 1), 1251, 16, {"strong_isr": 10, "weak_isr": 9}),
    KnownAnswer("truncate-to-hw", (3, 1, 1, 1), 10681, 17, {"strong_isr": 9, "weak_isr": 9}),
    KnownAnswer("truncate-to-hw", (3, 2, 2, 1), 67807, 21, {"strong_isr": 9, "weak_isr": 9}),
)

STATE_COUNTS = (
    ("kip-279", (2, 2, 3, 2), 14_915),
    ("kip-320", (2, 2, 3, 2), 10_595),
)
"""Bounds at which only the number of distinct states is known."""
