"""How the steps of a specification are named across versions, and the version of the definition of its digests."""

from __future__ import annotations

from typing import Final

from epochal.spec.language import ActionInstance

FORMAT: Final = 1
"""Changes when the definition of the digests does, so that digests of different definitions are never equal."""

Key = tuple[str, tuple[int, ...]]
"""An action's name with the positions of its arguments: which step it is, in any version of a specification."""


def positions(instance: ActionInstance) -> tuple[int, ...]:
    """The place of each argument of a step in its domain: with the action's name this tells the step from others."""
    return tuple(p.domain.index(a) for p, a in zip(instance.parameters, instance.arguments, strict=True))
