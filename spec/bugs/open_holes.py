"""Which known bugs a configuration of the modern protocol has open: those whose rule it lacks."""

from __future__ import annotations

from dataclasses import fields

from ..kraft.settings import ReassignmentEnds, Settings
from .known_bug import KnownBug
from .kraft import BUGS

ONLY_WITH_ELR = frozenset(
    {
        "directory_change_keeps_elr",
        "elects_last_known_leader",
        "elr_has_only_replicas",
        "known_leader_must_be_active",
        "leader_min_insync_replicas",
        "min_isr_follows_log",
        "missing_directory_is_unclean",
        "strict_hw",
    }
)
"""Rules without which nothing is lost where eligible leader replicas are off."""

CLOSED_OTHERWISE: dict[str, dict[str, object]] = {"H7": {"reassignment_ends": ReassignmentEnds.ALL_TARGETS}}
"""Settings with which a bug does not show, although its rule is lacking. From Kafka 3.8 to 4.2 a reassignment waits for
the replicas that stay, and nobody asks who is added (KAFKA-15665): so it completes, whatever an override left there."""


def rule_of(bug: KnownBug) -> dict[str, object]:
    """The settings that take the rule away, with the values that do: those in which the two protocols differ."""
    faulty, sound = bug.faulty, bug.sound
    if not isinstance(faulty, Settings) or not isinstance(sound, Settings):
        return {}
    return {
        one.name: getattr(faulty, one.name)
        for one in fields(Settings)
        if getattr(faulty, one.name) != getattr(sound, one.name)
    }


def open_holes(settings: Settings) -> tuple[KnownBug, ...]:
    """The known bugs whose rule these settings lack, in the order of the catalogue.

    What takes steps that a protocol has only if it is asked for, such as transactions, is none of its holes.
    """
    return tuple(bug for bug in BUGS if not bug.steps and _lacks(settings, rule_of(bug)) and _shows(settings, bug))


def _shows(settings: Settings, bug: KnownBug) -> bool:
    """Whether no other rule of these settings closes a bug."""
    closed = CLOSED_OTHERWISE.get(bug.id, {})
    return not closed or any(getattr(settings, name) != to for name, to in closed.items())


def _lacks(settings: Settings, rule: dict[str, object]) -> bool:
    """Whether settings are without a rule, and it matters to them."""
    if not rule or (not settings.elr and not rule.keys().isdisjoint(ONLY_WITH_ELR)):
        return False
    return all(getattr(settings, name) == to for name, to in rule.items())
