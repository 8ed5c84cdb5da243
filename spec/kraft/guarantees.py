"""What Kafka guarantees under which faults: the questions of `epochal guarantees`.

Each fault is a budget of what may go wrong, and everything that heals may happen besides: delays, restarts, elections
in place of a broker that is gone. One search within the budget decides every question about it.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from epochal.sentences import LONGEST

from ..language import BoundsError, Given, Protocol, SettingValue
from ..language.configurable import unheeded_by, with_configuration
from .configuration import SETTINGS, ConfigurableKraft
from .heeded import UNCLEAN
from .kraft import Kraft
from .options.availability import Availability
from .state import KraftBounds

QUESTIONS: dict[str, str] = {
    "acknowledged": "acknowledged_durable",
    "read": "leader_completeness",
    "logs": "log_matching",
}
"""The property that decides each question: do acknowledged records stay, does what a consumer could read stay, and do
logs match below both high watermarks."""

WRITES: tuple[str, ...] = ("written_without_one_broker", "written_without_two_brokers")
"""The witnesses of writes that succeed while so many brokers are down."""

EVER_ACKNOWLEDGED = "ever_acknowledged"
"""The witness without which it says nothing that acknowledged records stay. Of Epochal's own
protocols it is known (`record_acknowledged` is among what must be reachable); of others it is asked."""

BOUNDS: dict[str, int] = {
    "replication_factor": 3,
    "records": 1,
    "max_epoch": 3,
    "metadata_lag": 2,
    "shrinks": 1,
    "elections": 1,
}
"""The bounds that every fault shares. Slow followers are no fault: a leader may drop some from the ISR. Neither is an
election of the preferred leader while another leads, which Kafka makes by itself (auto.leader.rebalance.enable): with
it, and two changes that a broker has not replayed, what a leader forgets too late is within reach (N1)."""


BUDGETS: tuple[str, ...] = ("crashes", "lossy_crashes", "fencings")
"""The bounds that a fault has a budget of: none of what it does not name happens."""


@dataclass(frozen=True)
class Fault:
    """What may go wrong: a budget for each kind of perturbation (the bound of the same name), and settings with it."""

    id: str
    title: str
    budget: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, SettingValue] = field(default_factory=dict)

    @property
    def stops(self) -> int:
        """How many brokers this may take down with their data."""
        return self.budget.get("crashes", 0) + self.budget.get("fencings", 0)

    def bounds(self, shared: Mapping[str, int]) -> dict[str, int]:
        """The bounds of its search."""
        return {**shared, **dict.fromkeys(BUDGETS, 0), **self.budget}


IN_WORDS: dict[str, tuple[str, str]] = {
    "crashes": ("crash that loses nothing", "crashes that lose nothing"),
    "lossy_crashes": ("crash that loses data", "crashes that lose data"),
    "fencings": ("fencing or clean shutdown", "fencings or clean shutdowns"),
}
"""How one and several of each budget are called."""


def own_fault(said: str) -> Fault:
    """A fault that somebody makes up: `crashes=2,lossy_crashes=1`. Raises BoundsError if it is none."""
    declared = KraftBounds.declared()
    budget: dict[str, int] = {}
    for part in said.split(","):
        name, _, number = part.strip().partition("=")
        name = name.strip().replace("-", "_")
        if name not in BUDGETS or name in budget or not number.strip().isdecimal():
            raise BoundsError(
                (Given("fault"), f": {said[:LONGEST]!r} is no fault"),
                advice=f"Known: {', '.join(fault.id for fault in FAULTS)}; or a budget such as crashes=2,fencings=1 "
                f"of {', '.join(BUDGETS)}.",
            )
        budget[name] = int(number.strip()[:9])
        most = declared[name].most
        if budget[name] > most:
            raise BoundsError((Given("fault"), f": {name}={budget[name]} is more than the {most} that can be searched"))
    budget = {name: budget[name] for name in BUDGETS if budget.get(name)}
    title = ", ".join(f"{number} {IN_WORDS[name][number > 1]}" for name, number in budget.items())
    return Fault(",".join(f"{name}={number}" for name, number in budget.items()) or "none", title or NOTHING, budget)


NOTHING = "no broker fails"

SPARED: dict[str, SettingValue] = {"lossy_crashes_spare_last_member": True}

FAULTS: tuple[Fault, ...] = (
    Fault("none", NOTHING),
    Fault("clean", "a crash that loses nothing", {"crashes": 1}),
    Fault("two-clean", "two crashes that lose nothing", {"crashes": 2}),
    Fault("fencing", "a live broker is fenced, or shuts down", {"fencings": 1}),
    Fault(
        "lossy-spared", "a crash that loses data, but not at the last member of the ISR", {"lossy_crashes": 1}, SPARED
    ),
    Fault("lossy", "a crash that loses data", {"lossy_crashes": 1}),
    Fault("lossy-and-clean", "a crash that loses data, and one that loses nothing", {"lossy_crashes": 1, "crashes": 1}),
    Fault("two-lossy", "two crashes that lose data", {"lossy_crashes": 2}),
    Fault(
        "unclean",
        "two crashes that lose nothing, unclean election on",
        {"crashes": 2},
        {"unclean_leader_election": True},
    ),
)


def guarded(
    settings: Mapping[str, SettingValue], plain: type[ConfigurableKraft] = ConfigurableKraft
) -> type[ConfigurableKraft]:
    """The protocol of these settings, with the witnesses of writes. `plain` is the one that they configure.

    The high watermark waits for who was caught up lately, as Kafka's does: otherwise some of the runs would be shorter
    than any of Kafka's.
    """
    return _guarded(json.dumps(dict(settings), sort_keys=True), plain)


@functools.lru_cache(256)
def _guarded(settings: str, plain: type[ConfigurableKraft]) -> type[ConfigurableKraft]:
    """One class for one question, however often it is asked. Settings are JSON, in which 1 is not true."""
    said = {"waits_for_caught_up": True, **json.loads(settings)}
    return with_witnesses(cast("type[ConfigurableKraft]", with_configuration(plain, said)))


def with_witnesses(kind: type[ConfigurableKraft]) -> type[ConfigurableKraft]:
    """The same protocol with the witnesses of writes."""
    made: type[ConfigurableKraft] = type(kind.__name__, (kind, Availability), {"__doc__": kind.__doc__})
    return made


def faults_for(settings: Mapping[str, SettingValue]) -> tuple[Fault, ...]:
    """The faults that differ under these settings: with unclean election on, it is part of all."""
    return tuple(
        f for f in FAULTS if not f.settings or any(settings.get(name) != said for name, said in f.settings.items())
    )


def in_words(kind: type[Protocol], replication_factor: int) -> list[tuple[str, str]]:
    """The settings that decide what is guaranteed, as Kafka calls them. No more replicas can be waited for than
    exist."""
    s = cast("type[Kraft]", kind).settings
    unclean = str(s.unclean_leader_election).lower()
    effective = min(s.min_insync_replicas, replication_factor)
    counts = "" if effective == s.min_insync_replicas else f" ({effective} counts: there are no more replicas)"
    return [
        ("min.insync.replicas", f"{s.min_insync_replicas}{counts}"),
        ("acks", s.acks.value),
        (UNCLEAN, "; ".join(unheeded_by(kind)).removeprefix(f"{UNCLEAN}=") or unclean),
        ("eligible leader replicas", "on" if s.elr else "off"),
        ("strict high watermark", "on" if s.strict_hw else "off"),
    ]


MATRIX: dict[str, tuple[SettingValue, ...]] = {
    "kafka": ("G7", "G8", "G9"),
    "acks": ("1", "all"),
    "min_insync_replicas": (1, 2),
    "unclean_leader_election": (False, True),
}
"""What the matrix varies: neither ELR nor strict high watermark (G7), the latter (G8), both (G9)."""


def matrix(fixed: Mapping[str, SettingValue]) -> Iterator[dict[str, SettingValue]]:
    """Every choice of the settings in the matrix; what is `fixed` is not varied."""
    choices = {name: (fixed[name],) if name in fixed else values for name, values in MATRIX.items()}
    rest = {name: said for name, said in fixed.items() if name not in MATRIX}
    for values in itertools.product(*choices.values()):
        chosen = {**dict(zip(choices, values, strict=True)), **rest}
        yield {one.name: chosen[one.name] for one in SETTINGS if one.name in chosen}
