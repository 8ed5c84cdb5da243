"""The leaves of an arbitrary typed state as expressions: what every rule and every condition on states is built of."""

from __future__ import annotations

from epochal.spec.language import Protocol
from epochal.spec.language.domains import BooleanDomain, SetDomain

from .expression import Expression
from .graph import Graph


def leaf_expressions(graph: Graph, protocol: Protocol, first: int = 0) -> list[Expression]:
    """A field for each leaf of a state of the protocol, in the order of the leaves, numbered from `first`.

    Conditions on several states number the leaves of the second after those of the first, and so on.
    """
    leaves = []
    for at, leaf in enumerate(protocol.leaves, first):
        domain = leaf.domain
        if isinstance(domain, SetDomain):
            leaves.append(graph.field(at, "set", domain.size - 1))
        elif isinstance(domain, BooleanDomain):
            leaves.append(graph.field(at, "bool", 1))
        else:
            leaves.append(graph.field(at, "int", domain.size - 1))
    return leaves
