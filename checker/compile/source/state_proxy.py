"""What stands in for the state while a rule is read into terms: the proxy `self`, and a part that a rule assigns to."""

from __future__ import annotations

from typing import Any


class StateProxy:
    """What a rule sees as `self`; `read` and `assign` are its attributes."""

    def read(self, name: str) -> Any:
        """The attribute of this name: a variable, or something of the protocol's class."""
        raise NotImplementedError

    def assign(self, name: str, value: Any) -> None:
        """Assign a variable."""
        raise NotImplementedError


class Assigned:
    """A part of the state to whose fields a rule assigns. The `target` has a method `assign`, as a record has."""

    def __init__(self, target: Any) -> None:
        object.__setattr__(self, "_target", target)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__getattribute__(self, "_target").assign(name, value)
