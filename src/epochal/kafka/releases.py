"""Which releases of Kafka have a rule: yes or no, from the first with KRaft to the newest that is known."""

from __future__ import annotations

import itertools
from typing import Final

from epochal.spec.kraft.generations import FIRST_WITH_ELR, RELEASES, VERSIONS, Version, numbered
from epochal.spec.kraft.settings import Settings

NO, ASKED_FOR, YES = "no", "off unless asked for", "yes"

SINCE: Final[dict[str, Version]] = {
    "decides_on_one_fetch": (3, 5),
    "elr_has_only_replicas": FIRST_WITH_ELR,
    "known_leader_must_be_active": FIRST_WITH_ELR,
    "override_starts_anew": (3, 0),
    "reassignment_ends": (3, 0),
}
"""The first version in which there is something to rule: broker epochs in proposals, ELR, reassignments with KRaft."""


def in_releases(rule: str) -> str:
    """`2.8 to 3.6: no; 3.7 to 4.4: yes`; "" for a rule of which no release is known to lack it.

    Then nothing is said: a hole may be known to the catalogue alone, or lie in what somebody sets.
    """
    asked = [version for version in VERSIONS if numbered(version) >= SINCE.get(rule, ())]
    groups = [(has, list(found)) for has, found in itertools.groupby(asked, lambda one: _has(rule, one))]
    if [has for has, _ in groups] == [YES]:
        return ""
    return "; ".join(f"{_from_to(found)}: {has}" for has, found in groups)


def _has(rule: str, version: str) -> str:
    if getattr(VERSIONS[version], rule) == getattr(Settings(), rule):
        return YES
    return ASKED_FOR if rule == "elr" and numbered(version) >= FIRST_WITH_ELR else NO


def _from_to(found: list[str]) -> str:
    """`3.7 to 4.4` of versions with all their releases, `3.9.1 to 3.9.2` of some of them."""
    first, last = found[0], found[-1]
    if _minor(first) == _minor(last) and numbered(last)[2] < RELEASES[_minor(last)]:
        first = ".".join(map(str, numbered(first)))
    if numbered(last)[2] < RELEASES[_minor(last)]:
        last = ".".join(map(str, numbered(last)))
    elif _minor(first) != _minor(last) or first == _minor(last):
        last = _minor(last)
    return first if first == last else f"{first} to {last}"


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])
