"""Symmetry reduction for a search, with Z3 as what decides where expressions are not the same nodes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from epochal.spec.language import Protocol

from ..ir.expression import Expression
from ..ir.graph import Graph
from ..ir.model import Model
from ..symmetry.canonical import Reduction
from ..symmetry.invariance import Decider


def reduction_of(model: Model, properties: Collection[str], checked: bool = False) -> Reduction:
    """The representatives of a model's states. Raises LanguageError if it tells identifiers apart.

    With `checked` it is known that it does not.
    """
    return Reduction(model, properties, _z3, checked)


def _z3(graph: Graph, protocol: Protocol, leaves: Sequence[Expression]) -> Decider:
    """Z3, which is loaded only where it is needed."""
    from ..smt.equivalence import Z3Decider

    return Z3Decider(graph, protocol, leaves)
