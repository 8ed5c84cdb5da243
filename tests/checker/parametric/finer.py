"""A variant of a tiny protocol, and all of those that are beside the zoo."""

from __future__ import annotations

from epochal.language import Protocol
from tests.checker.parametric.more_zoo import Kinds, Node, Paths


class Finer(Paths):
    """Steps that do what those of the class before do, and more."""

    def sets(self, n: Node) -> None:
        """Before."""
        self.flag = not self.flag
        super().sets(n)

    def chosen(self, n: Node, flag: bool) -> None:
        """After, and the other way round."""
        super().chosen(n, not flag)
        self.leader = n


MORE: tuple[type[Protocol], ...] = (Kinds, Paths, Finer)
