"""From the settings of a configuration to a protocol: versions, `acks`, `min.insync.replicas` and so on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, ClassVar, Self, TypeVar, cast

from ..language import BoundsError, Configurable, Given, Setting, SettingValue
from ..language.configurable import with_configuration
from .generations import (
    CLASSIC,
    FIRST_WITH_ELR,
    GENERATIONS,
    NEWEST,
    RELEASES,
    TOLD,
    VERSIONS,
    known_as,
    numbered,
    older,
)
from .heeded import AT_MOST_COPIES, ELECTS, MIN_ISR, UNCLEAN, heeds, since
from .kraft import Kraft
from .options.needed import about_its_steps, loses_answers, missing_steps
from .reductions import void
from .settings import Acks, Settings
from .state import KraftBounds, KraftState

K = TypeVar("K", bound=Kraft)

ACKS_SYNONYMS = {"-1": "all"}
"""What a producer's configuration may say instead (ProducerConfig, `acks`)."""


def with_settings(base: type[K], settings: Settings, name: str = "") -> type[K]:
    """The same protocol under other settings, with the steps that they need."""
    made = with_steps(base, settings)
    names = {"settings": settings, "name": name or base.name, "__doc__": base.__doc__, "__module__": __name__}
    return type(base.__name__, (made,), names)


def with_steps(base: type[K], settings: Settings) -> type[K]:
    """The same protocol with the steps that these settings need; those of a rule in place would only cost time."""
    made = base
    while missing := missing_steps(made, settings):  # a rule may need steps of two kinds
        wanted = dict.fromkeys(missing.values())
        made = with_more(
            made, *(one for one in wanted if not any(issubclass(more, one) for more in wanted.keys() - {one}))
        )
    return made


def with_more(base: type[K], *steps: type[KraftState]) -> type[K]:
    """The same protocol with these steps before its own."""
    return type(base.__name__, (*steps, base), {"__doc__": base.__doc__, "__module__": __name__}) if steps else base


ELR_NEEDS_STRICT_HW = (
    "eligible leader replicas without the strict high watermark lose what consumers have read (KIP-966), and no Kafka "
    "runs so"
)

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "kafka",
        "text",
        "a release as it was shipped, such as 3.9 or 3.9.1, or a generation as its KIPs describe it, G4 to G9",
        "G9",
    ),
    Setting("min_insync_replicas", "number", "min.insync.replicas of the topic", "2"),
    Setting("acks", "text", "acks of every producer: 0, 1 or all, which is also called -1", "all"),
    Setting("unclean_leader_election", "switch", "unclean.leader.election.enable", "off"),
    Setting("elr", "switch", "eligible leader replicas (KIP-966)", "as in the version"),
    Setting("strict_hw", "switch", "the high watermark waits for min.insync.replicas (KIP-966)", "as in the version"),
    Setting("lossy_crashes_spare_last_member", "switch", "a crash of the ISR's only member loses no data", "off"),
    Setting("fetch_answers_lost", "switch", "the answer to a fetch may be lost", "off"),
    Setting("waits_for_caught_up", "switch", "the high watermark waits for who was caught up lately", "off"),
)
"""What an operator, a producer or the choice of a version says. All but the version are fields of `Settings`."""


SMALL_BOUNDS: Mapping[str, int] = {
    "replication_factor": 2,
    "records": 1,
    "max_epoch": 3,
    "metadata_lag": 2,
    "crashes": 0,
    "lossy_crashes": 1,
    "fencings": 1,
    "shrinks": 1,
    "elections": 1,
}
"""The least at which every action and every mechanism happens in every version. Before 3.6 an ISR that shrinks takes a
leader epoch, so it takes three."""


class ConfigurableKraft(Configurable, Kraft):
    """KRaft with eligible leader replicas as designed: every rule of Kafka 4.1 and newer, and N1 and S15 closed.

    Every release has these two holes open: `--kafka 4.4` is what was shipped. Its settings make it an older version, or
    one that is configured otherwise.
    """

    declared_settings: ClassVar[tuple[Setting, ...]] = SETTINGS

    @classmethod
    def configured(cls, configuration: Mapping[str, SettingValue]) -> type[Self]:
        """The protocol that these settings mean.

        What is not given is as in the version (`3.5`, as it was shipped) or generation (`G7`, as its KIPs describe it),
        and without either as in the newest generation; `acks` is all, `min.insync.replicas` 2 (or the replication
        factor, if that is less), unclean election off. The steps that a hole of a version needs come with it. A class
        that derives from this one keeps its own steps, properties and rules under every setting. What a release accepts
        and does not heed (`heeded`) changes nothing but the name. Raises BoundsError for what Kafka does not know or
        would refuse.
        """
        if configuration.get("acks") in ACKS_SYNONYMS:
            configuration = {**configuration, "acks": ACKS_SYNONYMS[str(configuration["acks"])]}
        if "kafka" in configuration:
            configuration = {**configuration, "kafka": known_as(str(configuration["kafka"]))}
        changes: dict[str, Any] = {name: value for name, value in configuration.items() if name != "kafka"}
        kafka = configuration.get("kafka")
        own = cls.settings
        settings = own if kafka is None else _with_own_rules(own, about_its_steps(cls, _settings_of(str(kafka))))
        if "acks" in changes:
            changes["acks"] = _acks(changes["acks"])
        if changes.get("min_insync_replicas", 1) < 1:
            raise BoundsError((Given("min_insync_replicas", changes["min_insync_replicas"]), ": at least 1 is needed"))
        _refuse_impossible_elr(changes, kafka, settings)
        if kafka is not None and not heeds(str(kafka), UNCLEAN, ELECTS):
            changes.pop("unclean_leader_election", None)
        settings = replace(settings, **changes)
        made = with_settings(cls, settings, _named(cls.name, configuration))
        made.configuration = dict(configuration)
        return made

    @classmethod
    def has_its_steps(cls) -> bool:
        """Whether it has the steps that its settings need, and its own rules."""
        return not missing_steps(cls, cls.settings)

    @classmethod
    def taken_apart(cls) -> Mapping[str, SettingValue]:
        """A fetch and its answer, where that may be lost."""
        return {"fetch_answers_lost": True} if loses_answers(cls) else {}

    @classmethod
    def small_bounds(cls) -> Mapping[str, int]:
        """64,000 states of the newest rules, and 380,000 of Kafka 3.9, with a crash that loses data among them."""
        return SMALL_BOUNDS if cls.bounds_type() is KraftBounds else {}

    @classmethod
    def remarks(cls) -> tuple[str, ...]:
        """What its own rules make of the steps that the protocol joins (`reductions`)."""
        return tuple(map(str, void(cls)))

    @classmethod
    def unheeded(cls) -> tuple[str, ...]:
        """Unclean election, where KRaft does not heed its setting yet."""
        if not cls.configuration.get("unclean_leader_election") or cls.settings.unclean_leader_election:
            return ()
        return (f"{UNCLEAN}=true is not heeded before Kafka {since(UNCLEAN).release} (KAFKA-12670): it elects nobody",)

    @classmethod
    def check_bounds(cls, bounds: KraftBounds) -> None:
        """Whether as many replicas can be in sync as a write waits for.

        Since 3.7 no more are waited for than there are; before, every write with acks=all was refused.
        """
        wanted, there = cls.configuration.get("min_insync_replicas", 0), bounds.replication_factor
        kafka = str(cls.configuration.get("kafka", NEWEST))
        if int(wanted) > there and cls.settings.acks == Acks.ALL and not heeds(kafka, MIN_ISR, AT_MOST_COPIES):
            first = since(MIN_ISR, AT_MOST_COPIES)
            raise BoundsError(
                (
                    Given("min_insync_replicas", wanted),
                    " with ",
                    Given("replication_factor", there),
                    f": before Kafka {first.release} every write with acks=all is refused, NOT_ENOUGH_REPLICAS, "
                    f"although all brokers are up ({first.source})",
                ),
                advice=f"Choose 1 to {there}.",
            )


def configured(**said: SettingValue) -> type[ConfigurableKraft]:
    """The protocol that these settings mean, by name: `configured(kafka="3.5", acks="1")`. Raises BoundsError."""
    return cast("type[ConfigurableKraft]", with_configuration(ConfigurableKraft, said))


def _acks(said: str) -> Acks:
    """What producers wait for. Raises BoundsError for what Kafka does not know."""
    known = {one.value: one for one in Acks}
    if said not in known:
        raise BoundsError((Given("acks", said), f": producers know {', '.join(known)} (INVALID_REQUIRED_ACKS)"))
    return known[said]


def _refuse_impossible_elr(changes: Mapping[str, Any], kafka: SettingValue | None, settings: Settings) -> None:
    """Raise BoundsError for eligible leader replicas in a Kafka that cannot have them."""
    if changes.get("elr") and kafka is not None and not _knows_elr(str(kafka)):
        raise BoundsError(
            (
                Given("elr", True),
                " with ",
                Given("kafka", kafka),
                ": eligible leader replicas (KIP-966) came with Kafka 4.0",
            ),
            advice=("Choose ", Given("kafka"), " 4.0 or newer, or G9, or leave ", Given("elr"), " out."),
        )
    if changes.get("strict_hw") is False and "elr" not in changes and settings.elr:
        raise BoundsError(
            (Given("strict_hw", False), f": {ELR_NEEDS_STRICT_HW}"),
            advice=("Say ", Given("elr", False), " as well, or ", Given("elr", True), " to see what goes wrong."),
        )


def _with_own_rules(own: Settings, version: Settings) -> Settings:
    """The settings of a version, but for those that a class has changed itself: these are its own rules."""
    designed = Settings()
    changed = {f.name: getattr(own, f.name) for f in fields(Settings)}
    return replace(version, **{name: to for name, to in changed.items() if to != getattr(designed, name)})


def _named(name: str, configuration: Mapping[str, SettingValue]) -> str:
    """What the protocol is called: `kraft-3.5-acks-1-no-elr`."""
    parts = [name]
    for said in (setting.name for setting in SETTINGS if setting.name in configuration):
        value, shown = configuration[said], said.replace("_", "-")
        if isinstance(value, bool):
            parts.append(shown if value else f"no-{shown}")
        else:
            parts.append(str(value).lower() if said == "kafka" else f"{shown}-{value}")
    return "-".join(parts)


def _settings_of(kafka: str) -> Settings:
    """The settings that a version or generation stands for."""
    found = VERSIONS.get(kafka) or GENERATIONS.get(kafka.upper())
    if found is not None:
        return found
    before = older(kafka) or CLASSIC.get(kafka.upper())
    if before is not None:
        raise BoundsError(
            (Given("kafka", kafka), " is older than KRaft, which came with Kafka 2.8"),
            advice=f"Its protocol is {before!r}: give that name instead of kraft.",
        )
    said = f": no version or generation is called {kafka[:40]!r}"
    raise BoundsError((Given("kafka"), said), advice=_nearest_release(kafka))


def _nearest_release(kafka: str) -> str:
    """What there is instead of a release that is not known: the newest one, or the newest of that version."""
    if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3}){0,2}", kafka):
        minor = ".".join(kafka.split(".")[:2])
        if minor in RELEASES:
            return f"The newest release of {minor} that is known here is {minor}.{RELEASES[minor]}."
        if numbered(kafka) > numbered(NEWEST):
            return f"The newest version that is known here is {NEWEST}."
    return f"Known: {', '.join((*TOLD, *GENERATIONS))}."


def _knows_elr(kafka: str) -> bool:
    """Whether a version or generation has eligible leader replicas, on or off."""
    if kafka.upper() in GENERATIONS:
        return GENERATIONS[kafka.upper()].elr
    return numbered(kafka) >= FIRST_WITH_ELR
