"""Leaves that only ever rise, or only ever fall: epochs, counters of what bounds allow, ends of what was committed.

A run cannot come back to where such a leaf had another value. So they cut the states into ranks: a run goes upwards,
and every cycle lies in one of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from .expression import Expression
from .layout import Field
from .leaves import leaf_expressions
from .model import Model
from .ranges import refuted


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
