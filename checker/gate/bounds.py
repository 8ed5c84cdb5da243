"""The bounds of a model: which it takes if nobody says any, and which would do where those that were said do not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from epochal.spec.language import Protocol
from epochal.spec.language.configurable import small_bounds
from epochal.spec.language.reference import as_options
from epochal.spec.loading import instantiate

from ..difference.unreached import ALL_SECONDS, MOST_STATES, larger_bounds, where_available
from ..search.result import Options
from .verdict import GateFinding

MOST_REFUSED = 3
"""How many bounds are tried that reach it and are refused for something else."""


def bounds_of(protocol: Protocol, said: bool) -> dict[str, int]:
    """The bounds that a model is recorded with. If nobody has `said` any, those at which everything happens."""
    return {**protocol.bounds.as_dict(), **({} if said else small_bounds(type(protocol)))}


@dataclass(frozen=True)
class Reaching:
    """Bounds at which something is reached, as options, and why a model is `refused` there all the same, if it is."""

    bounds: str
    refused: Sequence[GateFinding] = field(default=())


def bounds_that_reach(
    protocol: Protocol,
    names: Sequence[str],
    refused: Callable[[Protocol], Sequence[GateFinding]],
    budget: float | None,
    begun: float,
) -> Reaching | None:
    """Bounds at which all these properties are reached, by short searches; None if none was found.

    They are such that a model is recorded there, which `refused` checks; else the first that reach it, with what else
    is wrong there. `budget` is in seconds since `begun`, for the whole command.
    """
    from ..search.native import check

    kind, own = type(protocol), time.monotonic()
    first, tried = None, 0
    for bounds in _candidates(protocol):
        passed = time.monotonic() - own
        if tried == MOST_REFUSED or passed > ALL_SECONDS or (budget is not None and time.monotonic() - begun > budget):
            break
        with where_available():
            larger = instantiate(kind, bounds)
            found = check(larger, Options(tuple(names), max_states=MOST_STATES, budget=budget, begun=begun))
            if found.interrupted:
                break
            if found.error is None and all(one.verdict == "holds" for one in found.properties):
                reaching = Reaching(" ".join(as_options(bounds)), refused(larger))
                if not reaching.refused:
                    return reaching
                first, tried = first or reaching, tried + 1
    return first


def _candidates(protocol: Protocol) -> Iterator[dict[str, int]]:
    present = protocol.bounds.as_dict()
    small = {**present, **small_bounds(type(protocol))}
    if small != present:
        yield small
    yield from larger_bounds(present, type(protocol).bounds_type().declared())
