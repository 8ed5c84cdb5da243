"""The bounds of a model: which it takes if nobody says any, and which would do where those that were said do not."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from epochal.spec.language import Protocol
from epochal.spec.language.configurable import small_bounds
from epochal.spec.language.reference import as_options
from epochal.spec.loading import instantiate

from ..difference.unreached import ALL_SECONDS, MOST_STATES, larger_bounds, where_available
from ..search.result import Options


def bounds_of(protocol: Protocol, said: bool) -> dict[str, int]:
    """The bounds that a model is recorded with. If nobody has `said` any, those at which everything happens."""
    return {**protocol.bounds.as_dict(), **({} if said else small_bounds(type(protocol)))}


def bounds_that_reach(protocol: Protocol, names: Sequence[str], budget: float | None, begun: float) -> str:
    """Bounds at which all these properties are reached, as options, by short searches; "" if none was found.

    `budget` is in seconds since `begun`, for the whole command.
    """
    from ..search.breadth_first import check

    kind, own = type(protocol), time.monotonic()
    for bounds in _candidates(protocol):
        passed = time.monotonic() - own
        if passed > ALL_SECONDS or (budget is not None and time.monotonic() - begun > budget):
            return ""
        options = Options(tuple(names), max_states=MOST_STATES, budget=budget, begun=begun)
        with where_available():
            found = check(instantiate(kind, bounds), options)
            if found.interrupted:
                return ""
            if found.error is None and all(one.verdict == "holds" for one in found.properties):
                return " ".join(as_options(bounds))
    return ""


def _candidates(protocol: Protocol) -> Iterator[dict[str, int]]:
    present = protocol.bounds.as_dict()
    small = {**present, **small_bounds(type(protocol))}
    if small != present:
        yield small
    yield from larger_bounds(present, type(protocol).bounds_type().declared())
