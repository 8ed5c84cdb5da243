"""Whether the rules of a model mean something else than those of its baseline where no search has come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from epochal.spec.loading import instantiate

from ..difference.difference import Unreached
from ..difference.rules import Rules, decode_rules, rules_of
from ..difference.unreached import shown_at_larger_bounds, unreached
from ..search.result import Options
from .record import Record
from .verdict import NOT_AT_HAND

RulesOfBase = Callable[[dict[str, int]], dict[str, Any] | None]
"""The rules of the baseline within other bounds, as plain data; None if they cannot be had."""


def unreached_rules(
    ours: Callable[[], Rules],
    record: Record,
    base: Record,
    old: dict[str, Any] | None,
    at: RulesOfBase | None,
    options: Options,
    narrowed: bool = False,
) -> Unreached | None:
    """How the rules of a model differ from those of the baseline, although its reachable steps do not; None if they do
    not either. Of one that is `narrowed`, whose steps are fewer, it is what its rules allow elsewhere and did not.

    `ours` gives the rules of the model. `old` are the baseline's, and `at` gives them within larger bounds, which are
    searched then.
    """
    if record.specification == base.specification or record.same_part(base, "rules"):
        return None
    if old is None:
        return Unreached(other=NOT_AT_HAND)
    rules = ours()
    found = unreached(decode_rules(old, rules.protocol), rules, gained=narrowed)
    if found is None or at is None:
        return found
    kind = type(rules.protocol)

    def both(bounds: dict[str, int]) -> tuple[Rules, Rules] | None:
        from ..compile.compiler import compile_protocol

        theirs = at(bounds)
        if theirs is None:
            return None
        larger = instantiate(kind, bounds)
        return decode_rules(theirs, larger), rules_of(compile_protocol(larger, only=()))

    return shown_at_larger_bounds(found, record.bounds, kind.bounds_type().declared(), both, options)
