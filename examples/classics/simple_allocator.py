"""Clients that share resources, any number of which are given at a time.

Source: tlaplus/Examples, `allocator/SimpleAllocator`; S. Merz, "The Specification Language TLA+".
States:
    SimpleAllocator(clients=3, resources=2): 400, depth 6
Awkward: fairness of one instance of an action, WF(Return(c, alloc[c])), needs an action of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from epochal.language import (
    Bounds,
    Identifier,
    Identifiers,
    Map,
    Protocol,
    Set,
    action,
    bound,
    invariant,
    leads_to,
    require,
)


@dataclass(frozen=True)
class AllocatorBounds(Bounds):
    clients: int = bound(3, least=1, most=4, help="the number of clients")
    resources: int = bound(2, least=1, most=3, help="the number of resources")


Client = Annotated[Identifier, Identifiers("c", AllocatorBounds.clients)]
Resource = Annotated[Identifier, Identifiers("r", AllocatorBounds.resources)]


class SimpleAllocator(Protocol):
    """A client that has nothing asks for resources, gets what is free, and gives it back.

    To give back everything is an action of its own (`give_all_back`), because fairness is of an action, and that of the
    original is of giving back all that one has. The step is one of `give_back` as well, so no state is new.
    """

    bounds: AllocatorBounds
    wanted: Map[Client, Set[Resource]]
    held: Map[Client, Set[Resource]]

    def is_free(self, resource: Resource) -> bool:
        return all(resource not in self.held[c] for c in self.held)

    @action(by="client", says="{client} asks for {asked}")
    def ask(self, client: Client, asked: Set[Resource]) -> None:
        require(self.wanted[client] == set() and self.held[client] == set() and len(asked) > 0)
        self.wanted[client] = asked

    @action(by="the allocator", to="client", fair="strong", each=("client",), says="{client} gets {given}")
    def give(self, client: Client, given: Set[Resource]) -> None:
        require(len(given) > 0 and all(r in self.wanted[client] and self.is_free(r) for r in given))
        self.held[client] = self.held[client] | given
        self.wanted[client] = self.wanted[client] - given

    @action(by="client", says="{client} gives back {returned}")
    def give_back(self, client: Client, returned: Set[Resource]) -> None:
        require(len(returned) > 0 and returned <= self.held[client])
        self.held[client] = self.held[client] - returned

    @action(by="client", fair="weak", says="{client} gives back all that it has")
    def give_all_back(self, client: Client) -> None:
        require(self.held[client] != set())
        self.held[client] = Set()

    @invariant
    def one_client_has_it(self) -> bool:
        """No two clients have the same resource."""
        return all(c == d or not self.held[c] & self.held[d] for c in self.held for d in self.held)

    @leads_to(fair=("give_all_back", "give"))
    def clients_return(self, client: Client) -> tuple[bool, bool]:
        """A client that wants nothing more gives back what it has."""
        return self.wanted[client] == set(), self.held[client] == set()

    @leads_to(fair=("give_all_back", "give"))
    def clients_obtain(self, client: Client, resource: Resource) -> tuple[bool, bool]:
        """A client that wants a resource gets it."""
        return resource in self.wanted[client], resource in self.held[client]

    @leads_to(fair=("give_all_back", "give"))
    def satisfied_again(self, client: Client) -> tuple[bool, bool]:
        """A client wants nothing again and again."""
        return True, self.wanted[client] == set()
