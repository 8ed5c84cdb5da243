"""Settings in a question: `is acks=all with min.insync.replicas=1 safe` is one for `epochal guarantees`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from epochal.spec.kraft.configuration import ACKS_SYNONYMS, SETTINGS
from epochal.spec.kraft.generations import VERSIONS, known_as
from epochal.spec.kraft.settings import Acks
from epochal.spec.language.configurable import Setting, SettingValue
from epochal.spec.language.errors import BoundsError
from epochal.spec.language.reference import as_options

CALLED: Mapping[str, tuple[str, ...]] = {
    "min_insync_replicas": ("min.insync.replicas", "min isr", "min.in.sync.replicas"),
    "acks": ("acks",),
    "unclean_leader_election": ("unclean.leader.election.enable", "unclean.leader.election"),
    "elr": ("eligible.leader.replicas.version", "elr"),
}
"""The settings that an operator or a producer has, as they are called in a question."""

REPLICAS = Setting("replication_factor", "number", "how many replicas there are", "3")
REPLICAS_CALLED = ("replication.factor", "rf")

ACKS = frozenset((*(one.value for one in Acks), *ACKS_SYNONYMS))

SWITCHED: Mapping[str, bool] = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}

BETWEEN = r"[\s._-]*"
"""What may stand between the words of a name: `min.insync.replicas`, `min-insync-replicas`."""


def asked_settings(question: str) -> list[str]:
    """The options of `epochal guarantees` that a question means; none if no setting has a value in it.

    Two releases alone are an upgrade: `from 3.9 to 4.1`. One besides other settings is the one that is asked about.
    """
    releases = [name for name in re.findall(r"\b[0-9]+(?:\.[0-9]+)+\b", question) if known_as(name) in VERSIONS]
    said = dict(_said(question.lower()))
    if len(releases) == 2:
        return ["--from", releases[0], "--to", releases[1], *as_options(said)]
    if said and len(releases) == 1:
        said = {"kafka": releases[0], **said}
    return as_options(said)


def _said(question: str) -> Iterator[tuple[str, SettingValue]]:
    """The settings with a value in the question, in the order of their declaration."""
    called = [(REPLICAS, REPLICAS_CALLED), *((one, CALLED[one.name]) for one in SETTINGS if one.name in CALLED)]
    for setting, names in called:
        value = next((text for name in names for text in _values(question, name)), None)
        if value is None or (setting.name == "acks" and value not in ACKS):
            continue
        try:
            yield setting.name, setting.value(SWITCHED.get(value, value) if setting.kind == "switch" else value)
        except BoundsError:  # a word of the sentence, and no value
            continue


def _values(question: str, name: str) -> list[str]:
    """What stands after a name: `acks=all`, `acks: all`, `acks of all`, `acks all`."""
    words = BETWEEN.join(map(re.escape, re.split(r"[\s._-]", name)))
    return re.findall(rf"\b{words}\s*(?:=|:|\bof\b|\bis\b|\s)\s*(-?[a-z0-9]+)\b", question)
