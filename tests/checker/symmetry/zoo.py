"""Tiny specifications with interchangeable identifiers, in every place where an identifier can be stored."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from epochal.spec.language import Protocol
from epochal.spec.language.domains import Domain, LogDomain, MapDomain, OptionalStruct, Scalar, StructDomain
from tests.zoo.rows import made

Everywhere: type[Any] = made(
    globals(),
    "Protocol",
    """
    ZooBounds < Bounds: How many of each.
        nodes: int = bound(3, least=1, most=5, help="the number of nodes")
        clients: int = bound(2, least=1, most=3, help="the number of clients")
    B = ZooBounds
    Node = Annotated[Identifier, Identifiers("n", B.nodes)]
    Client = Annotated[Identifier, Identifiers("c", B.clients)]
    Small = Annotated[int, Integers(0, 3)]
    Claim < Struct: A record that names nodes.
        holder: Node
        backup: Node | None
        weight: Small
    Pair < Struct: A record that sets are made of.
        of: Node
        on: bool
    Everywhere: Identifiers of two kinds alone, optional, in sets, logs, records, optional records, as keys in keys.
        name: ClassVar[str] = "everywhere"
        bounds: ZooBounds
        peers: Map[Node, Node | None]
        views: Map[Node, Set[Node]]
        current: Node
        queue: Annotated[Log[Node], Capacity(3)]
        claims: Annotated[Log[Claim], Capacity(2)]
        claim: Claim | None
        pairs: Set[Pair]
        grid: Map[Node, Map[Client, Small]]
        owner: Map[Client, Node | None]
        count: Map[Node, Small]
        def initial(self, first: Node) -> None:
            # Any node comes first.
            self.current = first
        constraint short: Few things happen at once.
            things = len(self.queue) + len(self.claims) + len(self.pairs) + sum(self.count[n] for n in self.count)
            views, owned = sum(len(self.views[n]) for n in self.views), sum(1 for c in self.owner if self.owner[c])
            claimed = 0 if self.claim is None else 1
            return things + views + owned + claimed <= 2 and all(
                self.grid[n][c] == 0 for n in self.grid for c in self.owner
            )
        action enqueue(node: Node): A node waits; the current one changes with the first.
            require(len(self.queue) < 3)
            require(all(other != node for other in self.queue))
            self.queue.append(node)
            self.current = self.queue[0]
        action dequeue: The last in the queue leaves it, and the one before is remembered.
            require(len(self.queue) > 0)
            self.peers[self.current] = self.queue.last
            self.queue.truncate(len(self.queue) - 1)
        action see(a: Node, b: Node): A node sees another that has not seen itself.
            require(b not in self.views[b])
            require(len(self.views[a]) < 1)
            self.views[a] = self.views[a] | {b}
        action claim_it(node: Node): A node claims what nobody has, with the current one behind it.
            require(self.claim is None)
            require(node != self.current)
            self.claim = Claim(holder=node, backup=self.current, weight=1)
        action record: The claim is written down and given up.
            if self.claim is not None:
                require(len(self.claims) < 2)
                self.claims.append(self.claim)
                self.claim = None
            else:
                require(len(self.claims) > 0)
                self.claims.truncate(0)
        action pair(chosen: Pair): A pair comes or goes.
            self.pairs = self.pairs - {chosen} if chosen in self.pairs else self.pairs | {chosen}
        action write(client: Client, node: Node): A client writes to a node that it owns, or owns it from now on.
            if self.owner[client] == node:
                require(self.grid[node][client] == 0)
                self.grid[node][client] = 1
            else:
                require(self.owner[client] is None)
                self.owner[client] = node
        action balance(node: Node): The least loaded node works.
            require(self.count[node] == min(self.count[n] for n in self.count))
            require(self.count[node] < 3)
            self.count[node] += 1
        invariant balanced: No node works two more than another.
            return max(self.count[n] for n in self.count) <= 1 + min(self.count[n] for n in self.count)
        invariant owners_see_nothing: An owned node has an empty view: not so.
            return all(len(self.views[n]) == 0 for n in self.views if any(self.owner[c] == n for c in self.owner))
        action_property peers_stay: A peer is never forgotten.
            return all(self.peers[n] is None or new.peers[n] is not None for n in self.peers)
        reachable two_owners: Different clients own different nodes.
            return any(
                self.owner[a] is not None and self.owner[a] != self.owner[b] for a in self.owner for b in self.owner
            )
    """,
)
ZooBounds: type[Any] = Everywhere.bounds_type()


def random_codes(domain: Domain, chance: random.Random) -> list[int]:
    """A random value of a domain in its canonical form, as codes."""
    if isinstance(domain, Scalar):
        return [chance.randrange(domain.size)]
    if isinstance(domain, StructDomain):
        return [code for part in domain.field_domains.values() for code in random_codes(part, chance)]
    if isinstance(domain, MapDomain):
        return [code for _ in domain.keys for code in random_codes(domain.value, chance)]
    if isinstance(domain, OptionalStruct):
        present = chance.random() < 0.5
        return [1, *random_codes(domain.element, chance)] if present else [0] * domain.leaf_count
    assert isinstance(domain, LogDomain)
    end = chance.randint(0, domain.capacity)
    used = [code for _ in range(end) for code in random_codes(domain.entry, chance)]
    return [end, *used, *[0] * (domain.leaf_count - 1 - len(used))]


def random_state(protocol: Protocol, chance: random.Random) -> tuple[int, ...]:
    """A random typed state, reachable or not."""
    return tuple(code for v in protocol.variables.values() for code in random_codes(v.domain, chance))


def brute_force(keys: Any, pack: Any, orbit: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The first of an orbit by keys, then words."""
    return min(orbit, key=lambda codes: (keys(pack(codes)), pack(codes)))
