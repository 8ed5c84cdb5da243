"""What is raised where two readings of a program differ."""

from __future__ import annotations


class Disagreement(Exception):
    """Two readings of a program differ. `cause` is short, and the same for all disagreements of one kind."""

    def __init__(self, cause: str, where: str, python: object = None, other: object = None) -> None:
        super().__init__(f"{cause}: {where}\n    python: {python}\n    other:  {other}")
        self.cause = cause


def expect(cause: str, python: object, other: object, where: str = "") -> None:
    """Raise Disagreement unless two readings say the same."""
    if python != other:
        raise Disagreement(cause, where, python, other)
