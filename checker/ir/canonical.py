"""What the codes of a state's leaves say of each other: each state of a protocol has one canonical form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epochal.spec.language import Protocol
from epochal.spec.language.domains import Domain, LogDomain, MapDomain, OptionalStruct, StructDomain

from .expression import Expression
from .graph import Graph


def canonical(graph: Graph, protocol: Protocol, leaves: Sequence[Expression]) -> list[Expression]:
    """That a state has its one canonical form: slots beyond the end of a log, and absent records, are 0 throughout.

    `leaves` are the expressions of the state's leaves.
    """
    found: list[Expression] = []
    for variable in protocol.variables.values():
        found += _canonical(graph, variable.domain, variable.first_leaf, leaves)
    return found


def _canonical(graph: Graph, domain: Domain, at: int, leaves: Sequence[Expression]) -> Iterator[Expression]:
    if isinstance(domain, MapDomain):
        for i in range(len(domain.keys)):
            yield from _canonical(graph, domain.value, at + i * domain.value.leaf_count, leaves)
    elif isinstance(domain, StructDomain):
        for name, field in domain.field_domains.items():
            yield from _canonical(graph, field, at + domain.offsets[name], leaves)
    elif isinstance(domain, OptionalStruct):
        yield from (graph.or_(leaves[at], _zero(graph, leaf)) for leaf in leaves[at + 1 : at + domain.leaf_count])
        yield from _canonical(graph, domain.element, at + 1, leaves)
    elif isinstance(domain, LogDomain):
        step = domain.entry.leaf_count
        for i in range(domain.capacity):
            first = at + 1 + i * step
            used = graph.lt(graph.integer(i), leaves[at])
            yield from (graph.or_(used, _zero(graph, leaf)) for leaf in leaves[first : first + step])
            yield from _canonical(graph, domain.entry, first, leaves)


def _zero(graph: Graph, leaf: Expression) -> Expression:
    if leaf.sort == "bool":
        return graph.not_(leaf)
    return graph.eq(leaf, graph.integer(0) if leaf.sort == "int" else graph.mask(0))
