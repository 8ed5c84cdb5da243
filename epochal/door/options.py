"""The options of a search as keywords, checked: what means nothing is refused before anything is searched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from epochal.checker.search.result import Options
from epochal.door.names import name_for_people
from epochal.errors import UsageError
from epochal.spec.language import Protocol

if TYPE_CHECKING:
    from epochal.checker.cross_check import Amount
    from epochal.checker.search.result import Progress


class SearchKeywords(TypedDict, total=False):
    """The keywords of `epochal.Options`."""

    properties: str | Iterable[str] | None
    all_violations: bool
    budget: float | None
    max_states: int | None
    max_memory: int | None
    progress: Callable[[Progress], None] | None
    lemmas: bool
    workers: int | None
    spill: Path | None
    compact: bool
    checkpoint: Path | None
    rescue: Path | None
    resume: Path | None
    symmetry: bool
    cross_check: Amount
    begun: float | None


def search_options(given: dict[str, Any]) -> Options:
    """The options of a search. Raises TypeError for an unknown keyword, UsageError for a wrong value."""
    properties = given.get("properties")
    if properties is not None:
        given = {**given, "properties": (properties,) if isinstance(properties, str) else tuple(properties)}
    options = Options(**given)
    for name in ("budget", "max_states", "max_memory", "workers"):
        value = getattr(options, name)
        if value is not None and not value > 0:
            raise UsageError(f"{name} is more than 0, not {value!r}")
    amount = options.cross_check
    if amount not in ("some", "all", "off") and not (type(amount) is int and amount > 0):
        raise UsageError(f"cross_check is a number of states, 'some', 'all' or 'off', not {amount!r}")
    return options


def required(protocol: object, asked: str) -> Protocol:
    """A protocol within bounds, whose class has a name from now on. Raises UsageError for anything else.

    What is given instead is above all a class, without its bounds.
    """
    if isinstance(protocol, Protocol):
        name_for_people(type(protocol))
        return protocol
    shown = f"{protocol.__name__}: write {protocol.__name__}()" if isinstance(protocol, type) else repr(protocol)
    raise UsageError(f"{asked} takes a protocol within bounds, such as epochal.load('kip-320'), not {shown}")
