"""Which known bugs a configuration of the modern protocol has open: those whose rule it lacks."""

from __future__ import annotations

from collections.abc import Mapping

from ..kraft.rules import KraftBug
from ..kraft.settings import Settings
from .kraft import BUGS


def open_holes(settings: Settings) -> tuple[KraftBug, ...]:
    """The known bugs whose rule these settings lack, in the order of the catalogue.

    What takes steps that a protocol has only if it is asked for, such as transactions, is none of its holes.
    """
    return tuple(bug for bug in BUGS if not bug.steps and _shows(settings, bug))


def _shows(settings: Settings, bug: KraftBug) -> bool:
    """Whether settings are without the rule of a bug, and no other rule closes it."""
    if (bug.only_with_elr and not settings.elr) or (bug.closed_by and _are(settings, bug.closed_by)):
        return False
    return bool(bug.rule) and _are(settings, bug.rule)


def _are(settings: Settings, values: Mapping[str, object]) -> bool:
    return all(getattr(settings, name) == value for name, value in values.items())
