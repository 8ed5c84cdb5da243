"""What several files say of one thing: equal values are one, different ones are told, and each of them counts.

That a setting is not set is something that a file says, too: then what would be in force without it counts beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from .cluster import MIN_ISR, UNCLEAN, Cluster, Contradiction
from .said import FALSE, TRUE, UNSET, Place, Said

DECIDING = (MIN_ISR, UNCLEAN)
"""Settings of which it counts that a file lacks them."""

NOT_SET = "not set"
LOW = (UNSET, "DEFAULT_CONFIG")
"""Sources that say what is so if nobody sets anything."""


def add(found: Cluster, values: dict[str, Said], about: str, name: str, said: Said, why: str = "") -> None:
    """Add what a file says of a setting to what others say of it, and tell where that is something else."""
    before = values.get(name) or found.unset.get((id(values), name))
    if before is not None:
        tell(found, about, name, before, said, why)
    values[name] = said if before is None else beside(before, said)


def add_all(
    found: Cluster, values: dict[str, Said], about: str, settings: Mapping[str, Said], lacking: Iterable[str], at: Place
) -> None:
    """Add all that a file says of something, and that it has no value for the names that are `lacking`."""
    for name, said in settings.items():
        add(found, values, about, name, said)
    for name in lacking:
        if name not in settings:
            unset = Said(NOT_SET, at, UNSET)
            if name in values:
                add(found, values, about, name, unset)
            else:
                found.unset.setdefault((id(values), name), unset)


def beside(before: Said, said: Said) -> Said:
    """Both as one, in which each value is there once. First comes what somebody has set."""
    several: dict[str, Said] = {}
    for one in (*before.each, *said.each):
        several.setdefault(_plain(one), one)
    first = min(several.values(), key=lambda one: one.source in LOW)
    return replace(first, others=tuple(one for one in several.values() if _plain(one) != _plain(first)))


def tell(found: Cluster, about: str, name: str, before: Said, said: Said, why: str = "") -> None:
    """Note that two files say different things of a setting, each pair once."""
    known = {_plain(one) for one in before.each}
    for other in said.each:
        if _plain(other) not in known:
            one = Contradiction(about, name, replace(before, others=()), other, why or _why(about, name))
            if not any(_pair(one) == _pair(told) for told in found.contradictions):
                found.contradictions.append(one)


COPIES = "spec.replicas"
JUDGED = (*DECIDING, COPIES)


def _why(about: str, name: str) -> str:
    """How it may be that two files say different things, and what is made of it."""
    so = "The broker has not been started with its file since" if about.startswith("node ") else ""
    moments = f"{so}, or the files are of two moments" if so else "The files are of two moments, or of two clusters"
    return (
        f"{moments}: each value is judged, and the worst of each column is told." if name in JUDGED else f"{moments}."
    )


def _pair(one: Contradiction) -> tuple[str, str, frozenset[str]]:
    return one.about, one.setting, frozenset((_plain(one.left), _plain(one.right)))


def _plain(said: Said) -> str:
    """A value as it is compared: Kafka reads truth values in letters of any size."""
    text = said.value.strip()
    return text.lower() if text.lower() in (TRUE, FALSE) else text
