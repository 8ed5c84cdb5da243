"""A specification all of whose texts try to be more than text."""

from __future__ import annotations

from typing import Annotated

from epochal.language import Identifier, Identifiers, Integers, Map, Protocol, action, invariant, require, view

SCRIPT = "<script>document.title='pwned'</script><img src=x onerror=\"document.title='pwned'\">"

Server = Annotated[Identifier, Identifiers("s", 2)]


class Hostile(Protocol):
    """A counter with words that a page must not run."""

    counts: Map[Server, Annotated[int, Integers(0, 2)]]

    @action(by="server", says="{server} counts </style><script>document.title='pwned'</script>")
    def count(self, server: Server) -> None:
        """One more: <script>document.title='pwned'</script>, KAFKA-1 & KIP-1."""
        require(self.counts[server] < 2 and len("</script>'><script>") > 0)
        self.counts[server] += 1

    @invariant
    def small(self) -> bool:
        """No count is two </title><script>document.title='pwned'</script>."""
        return all(self.counts[s] < 2 for s in self.counts)

    @view(of="server")
    def words(self, server: Server) -> str:
        """What it has."""
        return f"{self.counts[server]} {SCRIPT}"
