"""Which model of a share group stands beside a Kafka: one with the rules of its release.

A protocol of the catalogue lacks one rule, and has all others, also those that no Kafka has. What Kafka does where it
lacks such a rule is added here, as far as it changes what a step does. Rules that only forbid steps stay: a run that
does without them is one of Kafka as well.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.kraft.generations import numbered
from epochal.spec.language import require
from epochal.spec.registry import registered
from epochal.spec.share_groups.group import ShareGroup
from epochal.spec.share_groups.state import ShareGroupState, Slot
from epochal.spec.share_groups.switches import ShareAddedPartition, ShareStartNotPersisted, ShareStateEpochAgain

from ..judged import model_of

Has = Callable[[tuple[int, ...]], bool]


def _since(*first: int) -> Has:
    return lambda version: version >= first


RULES: dict[str, Has] = {
    "keeps_greatest_start": _since(4, 4),
    "forgets_lost_writes": lambda version: (4, 2, 2) <= version < (4, 3) or version >= (4, 3, 1),
    "start_waits_for_transitions": _since(4, 1, 1),
    "start_only_grows": _since(4, 2),
    "acquires_gaps": _since(4, 1),
}
"""Which releases have the rules that some release has, and that change what a step does."""

FIRST_WITH_GROUP_COORDINATOR = (4, 1)
"""The first release whose group coordinator initializes the state, in which offsets can be altered."""


FIRST_THAT_NOTES_EXPIRY = (4, 2)
"""The first release in which an acquisition lock notes that it has expired (AcquisitionLockTimerTask.hasExpired)."""


def version_of(release: str) -> tuple[int, ...]:
    """The numbers of the release whose rules a version has."""
    return numbered(model_of(release))


class LocksOutliveWrites(ShareGroup):
    """Share groups before 4.2: a lock that expires while its record's new state is written is not noted.

    If the write fails the record stays with its member. Runs here have no such lock.
    """

    def give_up(self, slot: Slot, expired: bool) -> None:
        """As always, before the lock has expired."""
        require(not expired)
        super().give_up(slot, expired)


class OffsetsAreAltered(ShareGroup):
    """No group is made anew: the state epoch with which it begins in Kafka is another hole (SG4)."""

    def make_anew(self) -> None:
        """Not here."""
        require(False)


def _started(kind: type[ShareGroupState], release: str) -> type[ShareGroupState]:
    """A protocol whose leaders persist no start offset before they serve, as in every Kafka.

    A group that begins with the earliest record loses nothing by that, so it begins there, unless the protocol is about
    where it begins (SG2, KAFKA-20742). Nor does a share coordinator that forgets a leader epoch with an Initialize.
    """
    is_about_start = issubclass(kind, (ShareStartNotPersisted, ShareAddedPartition))
    latest = () if is_about_start else (("begins_at_log_end", False),)
    changed = _changed(kind, (("persists_first_start", False), ("initialize_knows_leader", False), *latest))
    if not issubclass(kind, ShareStateEpochAgain):
        changed = _with(OffsetsAreAltered, changed)
    return changed if version_of(release) >= FIRST_THAT_NOTES_EXPIRY else _with(LocksOutliveWrites, changed)


@cache
def _with(more: type[ShareGroup], kind: type[ShareGroupState]) -> type[ShareGroupState]:
    return type(kind.__name__, (more, kind), {"__doc__": kind.__doc__, "__module__": kind.__module__})


@cache
def _changed(kind: type[ShareGroupState], rules: tuple[tuple[str, bool], ...]) -> type[ShareGroupState]:
    members: dict[str, Any] = {"__doc__": kind.__doc__, "__module__": kind.__module__, **dict(rules)}
    return type(kind.__name__, (kind,), members)


def released(kind: type[ShareGroupState], release: str) -> type[ShareGroupState]:
    """A protocol with all that this release does where it lacks a rule."""
    rules = tuple((name, has(version_of(release))) for name, has in RULES.items())
    return _changed(_started(kind, release), rules)


def own_model(protocol: ShareGroupState, release: str, bug: KnownBug) -> ShareGroupState:
    """The protocol of a hole, whether a release has it or not, as far as a Kafka of this release can follow it.

    It lacks no other rule of the release that the same property needs, so that a run of it is one of this hole, and a
    release that has mended it leaves the run by that rule.
    """
    kind = registered(bug.without_rule)
    assert issubclass(kind, ShareGroupState)
    return _within(_started(kind, release), protocol)


def released_model(protocol: ShareGroupState, release: str, bug: KnownBug) -> ShareGroupState:
    """The protocol of a hole with all rules of a release: with the hole, if the release has it."""
    return _within(released(kind_of(bug, release), release), protocol)


def _within(kind: type[ShareGroupState], protocol: ShareGroupState) -> ShareGroupState:
    bounds = protocol.bounds.as_dict()
    return kind(None, **{name: bounds[name] for name in kind.bounds_type().declared()})


def kind_of(bug: KnownBug, release: str) -> type[ShareGroupState]:
    """Which of the two protocols of a hole a release has, by the catalogue."""
    kind = registered(bug.without_rule if bug.was_in(model_of(release)) else bug.with_rule)
    assert issubclass(kind, ShareGroupState)
    return kind
