"""Which of its assumptions a promise takes: each action that it assumes to be fair left out in turn, and all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from epochal.spec.language import Member, Protocol

from ..fairness import Assumed, Strength

ANY = ""
"""What is left out where nothing at all is assumed."""


@dataclass(frozen=True)
class Without:
    """What a promise assumes, but for one action, or for ANY."""

    assumed: Assumed
    action: str

    def __call__(self, promise: Member) -> Mapping[str, Strength]:
        """The actions that are left."""
        found = self.assumed(promise)
        said: Mapping[str, Strength] = found if isinstance(found, Mapping) else dict.fromkeys(found, "")
        return {} if self.action == ANY else {name: how for name, how in said.items() if name != self.action}

    def concerns(self, promise: Member) -> bool:
        """Whether the promise assumes that the action is fair."""
        return self.action == ANY or self.action in self.assumed(promise)


def left_out(protocol: Protocol, promises: Collection[Member], assumed: Assumed) -> tuple[Without, ...]:
    """What is assumed without each action, in the order of the protocol, and in the end without any."""
    named = {name for promise in promises for name in assumed(promise)}
    actions: Iterable[str] = (action.name for action in protocol.members("action") if action.name in named)
    return tuple(Without(assumed, action) for action in (*actions, ANY))
