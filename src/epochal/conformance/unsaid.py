"""Settings of the controllers that no file here says: their `server.properties` is not among what people bring.

They stay as they are while a cluster runs. So they are taken as Kafka ships them, and where a change contradicts that,
as one of the other values under which no change does, if there is one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from epochal.evidence.metadata_log import MetadataLog
from epochal.spec.kraft.heeded import UNCLEAN

from .collected import ROLES
from .controller import ControllerVerdict, judge_controller
from .meter import SILENT, Meter
from .rules import MIGRATION, MIN_ISR, Rules

MAY_BE: Mapping[str, tuple[str, ...]] = {
    MIN_ISR: ("1", "2", "3"),
    MIGRATION: ("false", "true"),
    UNCLEAN: ("false", "true"),
}
"""What a controller decides by and a properties file may set, the value that Kafka ships first."""


def settled(log: MetadataLog, rules: Rules, meter: Meter = SILENT) -> tuple[Rules, ControllerVerdict]:
    """What the controller did, and the rules under the settings by which it decided."""
    found = rules, judge_controller(log, rules, meter)
    if found[1].refused:
        for assumed in _others(rules):
            other = rules.with_static({**assumed, **rules.static})
            verdict = judge_controller(log, other, meter)
            if not verdict.refused:
                verdict.assumed = assumed
                return other, verdict
    return found


def _others(rules: Rules) -> Iterator[Mapping[str, str]]:
    """What else may be set, if the properties of a controller are not here."""
    if "controller" in rules.static.get(ROLES, ""):
        return
    as_shipped, *others = itertools.product(*MAY_BE.values())
    for values in others:
        changed = dict(zip(MAY_BE, values, strict=True)).items() - dict(zip(MAY_BE, as_shipped, strict=True)).items()
        if not rules.static.keys() & {name for name, _ in changed}:
            yield dict(sorted(changed))
