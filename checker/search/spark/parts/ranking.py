"""The rank of a state, and the part of its rank: states on one cycle have both alike.

The rank adds up how far each leaf has gone that no step takes back. So no step leads to a lower rank, and one to the
same rank changes no such leaf. States of a rank are given out by the values of those leaves, so a step that stays in a
rank stays in its part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....ir.expression import Expression
from ....ir.graph import refuted
from ....ir.layout import Field, leaf_expressions
from ....ir.model import Model

# -- one way ----------------------------------------------------------------------------------------------------------
# Leaves that only ever rise, or only ever fall: epochs, counters of what bounds allow, ends of what was committed.
#
# A run cannot come back to where such a leaf had another value. So they cut the states into ranks: a run goes upwards,
# and every cycle lies in one of them.


@dataclass(frozen=True)
class OneWay:
    """A leaf that no step takes back: where it is in a state, the greatest code that it can have, and which way it
    goes."""

    leaf: int
    field: Field
    most: int
    rises: bool


def one_way(model: Model) -> tuple[OneWay, ...]:
    """The leaves that some step may change and of which intervals tell that none takes them back. Sets are not among
    them."""
    found = []
    for leaf, before in enumerate(leaf_expressions(model.graph, model.protocol)):
        changes = [
            (one.enabled, one.updates[leaf]) for one in model.instances if one.updates.get(leaf, before) != before
        ]
        if before.sort == "set" or before.is_const or not changes:
            continue
        for rises in (True, False):
            if all(_never(model, enabled, after, before, rises) for enabled, after in changes):
                found.append(OneWay(leaf, model.layout.fields[leaf], before.high, rises))
                break
    return tuple(found)


def _never(model: Model, enabled: Expression, after: Expression, before: Expression, rises: bool) -> bool:
    """Whether a step never takes a leaf back, as far as intervals tell."""
    graph = model.graph
    less, more = (after, before) if rises else (before, after)
    back = graph.lt(less, more) if before.sort == "int" else graph.and_(graph.not_(less), more)
    return refuted(graph.and_(enabled, back))


Words = NDArray[np.uint64]
"""A row of words for each state."""

MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number, the golden ratio's (Knuth): it spreads what is multiplied by it over the upper bits."""


@dataclass(frozen=True)
class Ranking:
    """The leaves that no step takes back: word, shift and bits of each, its greatest code, and whether it rises."""

    leaves: tuple[tuple[int, int, int, int, bool], ...]
    parts: int

    def places(self, states: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rank and the part of each state."""
        ranks = np.zeros(len(states), np.int64)
        keys = np.zeros(len(states), np.uint64)
        for word, shift, bits, most, rises in self.leaves:
            codes = states[:, word] >> np.uint64(shift) & np.uint64((1 << bits) - 1)
            far = codes.astype(np.int64)
            ranks += far if rises else most - far
            keys = (keys ^ codes) * MIX
            keys ^= keys >> np.uint64(29)
        parts = (keys >> np.uint64(32)) * np.uint64(self.parts) >> np.uint64(32)
        return ranks, parts.astype(np.int64)

    def sorted(self, states: Words, rows: NDArray[Any]) -> Iterator[tuple[int, int, NDArray[Any]]]:
        """The rows that belong to states, by rank and part; those of a part in their order."""
        if not len(states):
            return
        ranks, parts = self.places(states)
        places = ranks * self.parts + parts
        order = np.argsort(places, kind="stable")
        ends = [*np.flatnonzero(np.diff(places[order])) + 1, len(order)]
        first = 0
        for end in ends:
            rank, part = divmod(int(places[order[first]]), self.parts)
            yield rank, part, rows[order[first:end]]
            first = end


def ranking_of(model: Model, parts: int) -> Ranking:
    """The ranking of a model's states, with so many parts in each rank."""
    found = one_way(model)
    leaves = tuple((one.field.word, one.field.shift, one.field.bits, one.most, one.rises) for one in found)
    return Ranking(leaves, parts)
