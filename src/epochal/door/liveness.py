"""`epochal.liveness`: judge what must happen in the end, and say which fairness it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from epochal.checker.properties import liveness as promises_of
from epochal.door.check import CheckResult, check
from epochal.door.options import SearchKeywords, required
from epochal.errors import UsageError
from epochal.spec.language.suggestions import advice

if TYPE_CHECKING:
    from epochal.spec.language import Protocol


def liveness(
    protocol: Protocol, *, engine: str = "auto", reference: str | None = None, **options: Unpack[SearchKeywords]
) -> CheckResult:
    """Explore every reachable state of a protocol within its bounds, and judge its promises (`leads_to`) alone.

    `properties` are the ids of some of them, or of wishes; with `wishes` all of these are judged besides. With `needs`
    each is judged again without each action that it assumes to be taken fairly, and with nothing fair, over the states
    that were found once: `result.search.liveness.needs`.
    `engine` is "auto", "native" or "python", the other options are those of `check`.

    Raises UsageError for a protocol without promises and an id that is none, and whatever `check` raises.
    """
    protocol = required(protocol, "liveness")
    called, every = protocol.name or type(protocol).__name__, promises_of(protocol)
    known, promised = [one.name for one in every], [one.name for one in every if not one.mark.wish]
    if not known:
        raise UsageError(f"{called} says nothing about what must happen in the end", "Mark what it promises @leads_to.")
    properties = options.get("properties")
    if properties is None:
        asked = known if options.get("wishes") or not promised else promised
    else:
        asked = [properties] if isinstance(properties, str) else list(properties)
    options["properties"] = asked
    for name in asked:
        if name not in known:
            raise UsageError(f"{called} has no promise {name!r}", advice(name, known, "promises"))
    return check(protocol, engine=engine, reference=reference, **options)
