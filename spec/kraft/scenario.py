"""A scenario of the catalogue as two protocols: the modern one without a rule and with it, at the scenario's bounds."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from epochal.spec.language import bound
from epochal.spec.scenario import Scenario

from .configuration import with_settings
from .kraft import Kraft
from .settings import Settings
from .state import KraftBounds
from .stories import STORIES

PREFIX = "kraft-"
FIXED = "-fixed"
"""`kraft-s15` is the protocol without the rule of S15, `kraft-s15-fixed` the same with it."""


@dataclass(frozen=True)
class KraftScenario:
    """One entry: the settings without and with the rule, and where to look.

    Bounds that are not named are as small as can be, with two replicas and one record.
    """

    id: str
    title: str
    source: str
    versions: str
    faulty: Settings
    sound: Settings
    property: str
    bounds: dict[str, int] = field(default_factory=dict)
    base: type[Kraft] = Kraft

    def name(self, rule: bool) -> str:
        """How the protocol with or without the rule is registered."""
        return f"{PREFIX}{self.id.lower()}{FIXED if rule else ''}"

    def kind(self, rule: bool) -> type[Kraft]:
        """The protocol with or without the rule; its bounds default to those of the scenario."""
        settings = self.sound if rule else self.faulty
        made = with_settings(self.base, settings, self.name(rule))
        made.__doc__ = f"{self.title} ({self.source}): {'with' if rule else 'without'} the rule.\n\n{self._told(rule)}"
        made.__annotations__ = {"bounds": self._bounds()}
        return made

    def protocol(self, rule: bool) -> Kraft:
        """The protocol with or without the rule, at the scenario's bounds."""
        kind = self.kind(rule)
        return kind(kind.bounds_type()())

    def entry(self) -> Scenario:
        """The scenario as the catalogue of all families lists it."""
        return Scenario(
            self.id,
            self.title,
            self.source,
            self.versions,
            self.property,
            self.name(rule=False),
            self.name(rule=True),
            told=STORIES.get(self.id, ""),
        )

    def _bounds(self) -> type[KraftBounds]:
        """The bounds of the protocol with other defaults."""
        base: Any = self.base.bounds_type()
        chosen = {"replication_factor": 2, "records": 1, **self.bounds}
        declared = {
            name: bound(chosen.get(name, one.least), least=one.least, most=one.most, help=one.help, why=one.why)
            for name, one in base.declared().items()
        }
        body = {"__annotations__": dict.fromkeys(declared, int), "__doc__": base.__doc__, **declared}
        made: type[KraftBounds] = dataclass(frozen=True)(type(f"BoundsOf{self.id.upper()}", (base,), body))
        return made

    def _told(self, rule: bool) -> str:
        """Which settings are not those of the newest Kafka, and which of them is the rule."""
        newest, settings = Settings(), self.sound if rule else self.faulty
        other = [f.name for f in fields(Settings) if getattr(settings, f.name) != getattr(newest, f.name)]
        rules = [f.name for f in fields(Settings) if getattr(self.faulty, f.name) != getattr(self.sound, f.name)]
        values = {f.name: getattr(settings, f.name) for f in fields(Settings)}
        said = [f"The rule is {' and '.join(f'{name} = {values[name]}' for name in rules)}."]
        beside = [f"{name} = {values[name]}" for name in other if name not in rules]
        if beside:
            said.append(f"Other settings that are not those of the newest Kafka: {', '.join(beside)}.")
        return " ".join(said)
