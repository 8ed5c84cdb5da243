"""The options of a search as keywords, and what every question is about: a protocol within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

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
    spill: str | Path | None
    compact: bool
    checkpoint: str | Path | None
    checkpoint_on_stop: str | Path | None
    resume: str | Path | None
    symmetry: bool
    cross_check: Amount
    liveness: bool
    fair: str | Iterable[str]
    unfair: str | Iterable[str]
    needs: bool
    wishes: bool
    deadlock: bool
    begun: float | None


def required(protocol: object, asked: str) -> Protocol:
    """A protocol within bounds, whose class has a name from now on. Raises UsageError for anything else.

    What is given instead is above all a class, without its bounds.
    """
    if isinstance(protocol, Protocol):
        name_for_people(type(protocol))
        return protocol
    shown = f"{protocol.__name__}: write {protocol.__name__}()" if isinstance(protocol, type) else repr(protocol)
    raise UsageError(f"{asked} takes a protocol within bounds, such as epochal.load('kip-320'), not {shown}")
