"""Which bits of a state say what partition owns it: those of fields that few steps change, where that spreads states.

A step that changes none of them leads to a state of the same partition, which need not be sent. They are chosen once,
by measuring a sample of what the driver has found before Spark takes over, and stand in the manifest from then on.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir.layout import MASK, SECRETS, Field, Layout, state_hash
from ...native.program.program import EXTRA_WORDS
from .log import Owning
from .program import Loaded

SAMPLE = 1 << 16
"""How many states the spread over partitions is measured on."""

STEPPED = 1 << 12
"""How many of them steps are taken from."""

FULLEST = 1.25
"""How many times the mean the fullest partition of the sample may have, beside what chance adds."""

FINE = 8
"""Into how many partitions states are to be spread so, at least: later levels are not quite like the sample."""

WORTH = 0.7
"""The largest share of steps that may change the fields: beyond it, little is spared."""

HALF = (1 << 32) - 1


def whole(words: int) -> Owning:
    """All bits of a state."""
    return (MASK,) * words


def owner_of(owning: Owning, words: Sequence[int], shards: int) -> int:
    """The partition that owns a state. The kernel computes the same (`superstep.c`)."""
    hash = state_hash([word & bits for word, bits in zip(words, owning, strict=True)])
    return (hash & HALF) * shards >> 32


def chosen(code: Loaded, layout: Layout, packed: Any, count: int, shards: int) -> Owning:
    """The bits to go by, from a sample of `count` packed states; all of them if little is gained by fewer."""
    words = layout.words
    states = np.frombuffer(packed, np.uint64, count * words).reshape(count, words)[:: -(-count // SAMPLE)]
    changes = _changes(code, states[:: -(-len(states) // STEPPED)])
    changed = {field: _part(changes, field) != 0 for field in layout.fields if np.ptp(_part(states, field))}
    slowest = sorted(changed, key=lambda field: (int(changed[field].sum()), field.word, field.shift))
    parts = max(shards, FINE)
    mean = len(states) / parts
    fullest = FULLEST * mean + math.sqrt(2 * math.log(parts) * mean)  # so many more has the fullest by chance alone
    leaving = np.zeros(len(changes), bool)
    for number, field in enumerate(slowest, 1):
        leaving |= changed[field]
        if leaving.sum() > WORTH * len(changes):
            break
        bits = _bits(slowest[:number], words)
        if np.bincount(owners_of(bits, states, parts)).max() <= fullest:
            return bits
    return whole(words)


def owners_of(owning: Owning, states: Any, shards: int) -> Any:
    """The partitions that own some states, which are rows of words."""
    hashes = hashes_of(states & np.array(owning, np.uint64)) & np.uint64(HALF)
    return (hashes * np.uint64(shards) >> np.uint64(32)).astype(np.int64)


def _part(states: Any, field: Field) -> Any:
    return states[:, field.word] & np.uint64(field.mask)


def _bits(fields: Sequence[Field], words: int) -> Owning:
    found = [0] * words
    for field in fields:
        found[field.word] |= field.mask
    return tuple(found)


def _changes(code: Loaded, states: Any) -> Any:
    """The bits that each step from some states changes: a row of words for each step."""
    program = code.program
    entries = np.zeros((program.out_degree, program.words + EXTRA_WORDS), np.uint64)
    step = code.model.function("step", ctypes.c_uint64, *[ctypes.c_void_p] * 2, ctypes.c_uint64)
    found = [np.zeros((0, program.words), np.uint64)]
    for state in np.ascontiguousarray(states):
        after = entries[: step(state.ctypes.data, entries.ctypes.data, 0)]
        taken = after[after[:, program.words].view(np.int64) >= 0]  # the others cannot be evaluated
        found.append(taken[:, : program.words] ^ state)
    return np.concatenate(found)


def hashes_of(states: Any) -> Any:
    """`checker.ir.layout.state_hash` of every row."""
    first, second, third, last = (np.uint64(secret) for secret in SECRETS[:4])
    value, none = np.full(len(states), second), np.zeros(len(states), np.uint64)
    for word in range(0, states.shape[1], 2):
        other = states[:, word + 1] if word + 1 < states.shape[1] else none
        value = folded(states[:, word] ^ first, other ^ value)
    return folded(value ^ third, np.full(len(states), last))


def folded(one: Any, other: Any) -> Any:
    """`checker.ir.layout.fold`: the upper half of each product is put together from products of halves."""
    half, low = np.uint64(32), np.uint64(HALF)
    a, b, c, d = one >> half, one & low, other >> half, other & low
    cross = (b * d >> half) + (a * d & low) + b * c
    return one * other ^ a * c + (a * d >> half) + (cross >> half)
