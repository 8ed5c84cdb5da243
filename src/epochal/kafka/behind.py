"""What is behind a run that loses something: the known bugs each of which, closed alone, stops it.

The steps of the run are taken again by the same protocol with one rule put in place. If a step is refused then, or the
property holds at the end, the run needs that the rule is missing. That says nothing of longer runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from epochal.checker.reading import PythonReading
from epochal.kafka.rules_key import digest_of, rules_key
from epochal.spec.bugs.open_holes import open_holes, rule_of
from epochal.spec.kraft.configuration import with_settings
from epochal.spec.kraft.settings import Settings

if TYPE_CHECKING:
    from epochal.checker.trace.trace import Trace
    from epochal.spec.bugs.known_bug import KnownBug
    from epochal.spec.kraft.kraft import Kraft


def behind(trace: Trace) -> tuple[str, ...]:
    """The ids of the known bugs without which this run of a Kafka would not do harm, in the order of the catalogue."""
    kind = cast("type[Kraft]", type(trace.protocol))
    return tuple(bug.id for bug in open_holes(kind.settings) if _stops(bug, kind, trace))


def holes_key(kind: type[Kraft], bounds: Mapping[str, int], asked: Sequence[str]) -> str:
    """What `behind` reads beside a run: which known bugs are open, and the rules with each of them closed.

    An answer that was kept under another key may name bugs that are not behind its run, or miss some that are.
    """
    of = kind.settings
    return digest_of(
        [[bug.id, rules_key(with_settings(kind, closed(bug, of)), bounds, asked)] for bug in open_holes(of)]
    )


def closed(bug: KnownBug, settings: Settings) -> Settings:
    """Settings with the rule of a bug in place. Eligible leader replicas come with the strict high watermark."""
    assert isinstance(bug.sound, Settings)
    with_rule = replace(settings, **{name: getattr(bug.sound, name) for name in rule_of(bug)})
    return replace(with_rule, strict_hw=True) if with_rule.elr else with_rule


def _stops(bug: KnownBug, kind: type[Kraft], trace: Trace) -> bool:
    """Whether the run is refused, or ends well, with the rule of the bug in place."""
    protocol = with_settings(kind, closed(bug, kind.settings))(trace.protocol.bounds)
    reading = PythonReading(protocol)
    instances = {instance.label: instance for instance in protocol.instances}
    codes = trace.initial
    for step in trace.steps:
        after = reading.taken(codes, instances[step.instance.label])
        if after is None:
            return True
        codes = after
    member = next(one for one in protocol.members("invariant") if one.name == trace.property_id)
    return not reading.violates(member, codes)
