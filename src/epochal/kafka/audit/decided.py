"""What is guaranteed to a class of topics, decided by searches: as this release is, as it was designed, and at best.

Three protocols are asked about the same faults. The release as it was shipped; the rules that it was designed with,
without the holes found later; and the newest design with the same settings. What the last loses is lost by the
settings; what the second loses besides, by the design of the release; what the first loses besides, by its holes.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from epochal.checker.search.result import Progress
from epochal.checker.trace.trace import Trace
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import FIRST_WITH_ELR, GENERATIONS, VERSIONS, generation_of, numbered
from epochal.spec.kraft.guarantees import BOUNDS, FAULTS, QUESTIONS, Fault, guarded
from epochal.spec.kraft.state import KraftBounds
from epochal.spec.language import SettingValue

from ..guarantees.cases import Asked, Case
from ..guarantees.decided import Decided, Guarantee, GuaranteeOptions, run_that_breaks
from ..guarantees.tables import Column, decided_table

if TYPE_CHECKING:
    from .topic_class import Kind

SHOWN = ("fencing", "clean", "two-clean", "lossy")
"""The faults that every topic is asked about: a broker restarts or is fenced, one crashes, two do, one loses data."""

DEEPER = ("none", "lossy-and-clean", "two-lossy")
"""Those that are asked besides, where it takes no search of minutes."""

EMPTIED: Mapping[str, str] = {
    "fencing": "lossy",
    "clean": "lossy",
    "two-clean": "two-lossy",
    "lossy-and-clean": "two-lossy",
}
"""What a fault is where a restart empties the disk: whoever comes back has lost its data."""

MANY_COPIES = 4
"""With so many replicas two faults are searched for minutes: the deeper ones are left out."""

NO_ACKS = "0"

Word = Literal["kept", "acked lost", "read lost", "logs differ", "no promise", "open"]


@dataclass(frozen=True)
class Outcome:
    """What a fault does: the worst that it can do within the bounds, and the states of a shortest such run.

    `behind` are the known bugs each of which, closed alone, stops that run. `writes` says whether a write can succeed
    while one broker is down, and while two are; None where the fault takes down fewer, or nobody knows. `reference`,
    `settings` and `bounds` say what was searched.
    """

    word: Word
    length: int | None = None
    behind: tuple[str, ...] = ()
    writes: tuple[bool | None, ...] = ()
    reference: str = ""
    bounds: Mapping[str, int] = field(default_factory=dict)
    cut: str = ""
    settings: Mapping[str, SettingValue] = field(default_factory=dict)

    @property
    def is_lost(self) -> bool:
        """Whether something is lost that should stay."""
        return self.word in ("acked lost", "read lost", "logs differ")


OPEN = Outcome("open")
REFUSED = Outcome("no promise", writes=(False, False))
"""Where every write is refused nobody is told of success, and nothing can be lost that somebody was told of."""


@dataclass(frozen=True)
class Answered:
    """What was decided of a class under one fault. `shipped` has the worst of the releases that run together.

    Where the design loses something already, nobody searches what its holes do besides: `shipped` may be open then.
    """

    fault: Fault
    shipped: Outcome
    designed: Outcome
    best: Outcome

    @property
    def worst(self) -> Outcome:
        """What is lost, as the table tells it: by design, or else by a hole of the release."""
        return self.designed if self.designed.is_lost else self.shipped

    @property
    def is_open(self) -> bool:
        """Whether nobody has decided it."""
        return self.designed.word == "open" or (self.shipped.word == "open" and not self.designed.is_lost)

    @property
    def by_settings(self) -> bool:
        """Whether the settings lose it: the newest design would, too."""
        return self.designed.is_lost and self.best.is_lost

    @property
    def by_design(self) -> bool:
        """Whether the design of the release loses it, and a newer one would not."""
        return self.designed.is_lost and self.best.word == "kept"

    @property
    def holes(self) -> tuple[str, ...]:
        """The known bugs by which the release breaks what its design keeps."""
        return self.shipped.behind if self.by_release else ()

    @property
    def by_release(self) -> bool:
        """Whether a hole of the release loses it, and its design would not."""
        return self.shipped.is_lost and not self.designed.is_lost


Searched = tuple[str, tuple[tuple[str, "SettingValue"], ...], int]
"""What a search is known by: the fault, what was said of the protocol, and the replication factor."""

KEPT: dict[Searched, Outcome] = {}
"""What was decided wholly in this process: no rule changes while it runs."""


@dataclass
class Decider:
    """Decides classes, each once. `releases` are those that run, oldest first; none: nobody says which.

    With `searches` what is not decided yet is searched; `stopped` is set when the user wants no further search.
    """

    releases: Sequence[str]
    options: GuaranteeOptions
    told: Callable[[str], None] = lambda _: None
    progress: Callable[[Progress], None] | None = None
    stopped: bool = False
    known: dict[tuple[Kind, str], Answered] = field(default_factory=dict)
    found: dict[Searched, Outcome] = field(default_factory=dict)

    def under(self, kind: Kind, fault_id: str) -> Answered:
        """What was or is decided of a class under a fault, or under what that fault is with its storage."""
        fault = fault_of(kind, fault_id)
        key = (kind, fault.id)
        if key not in self.known:
            self.known[key] = self._answered(kind, fault)
        return self.known[key]

    def all_of(self, kind: Kind) -> list[Answered]:
        """Every fault that is asked about a class, each once."""
        ids = {fault_of(kind, id).id for id in (*SHOWN, *(DEEPER if kind.copies < MANY_COPIES else ()))}
        return [self.under(kind, id) for id in sorted(ids, key=list(FAULT).index)]

    def writes(self, kind: Kind, down: int = 1) -> bool | None:
        """Whether a write can succeed while so many brokers are down; None if nobody knows. Storage decides nothing."""
        told = self.under(replace(kind, ephemeral=False), ("clean", "two-clean")[down - 1]).designed.writes
        return told[down - 1] if len(told) >= down else None

    def by_design(self, kind: Kind, fault_id: str) -> Outcome:
        """What the design of the releases does with a class under a fault: no release is asked."""
        return self._designs(kind, fault_of(kind, fault_id))[0]

    def keeps(self, kind: Kind) -> bool:
        """Whether the newest design keeps everything under the usual faults, and this release's design is decided."""
        both = [self._designs(kind, fault_of(kind, fault)) for fault in SHOWN]
        return all(best.word == "kept" and designed.word != "open" for designed, best in both)

    def _designs(self, kind: Kind, fault: Fault) -> tuple[Outcome, Outcome]:
        """By the design of the releases, and by the newest one."""
        if kind.refuses:
            return REFUSED, REFUSED
        designs = dict.fromkeys(design_of(one, kind.elr) for one in self.releases) or [design_of("", kind.elr)]
        designed = [self._outcome(one, _settings(kind), kind.copies, fault) for one in designs]
        best = self._outcome(NEWEST_DESIGN, {**_settings(kind), "elr": True}, kind.copies, fault)
        return worst(designed), best

    def _answered(self, kind: Kind, fault: Fault) -> Answered:
        designed, best = self._designs(kind, fault)
        if kind.refuses:
            return Answered(fault, REFUSED if self.releases else OPEN, designed, best)
        shipped = [
            self._outcome(
                one,
                {**_settings(kind), "elr": kind.elr and may_have_elr(one)},
                kind.copies,
                fault,
                searches=not designed.is_lost,
            )
            for one in self.releases
        ]
        return Answered(fault, worst(shipped) if shipped else OPEN, designed, best)

    def _outcome(
        self, kafka: str, settings: Mapping[str, SettingValue], copies: int, fault: Fault, searches: bool = True
    ) -> Outcome:
        if kafka in GENERATIONS:  # which says itself whether there are eligible leader replicas
            settings = {name: value for name, value in settings.items() if name != "elr"}
        said: dict[str, SettingValue] = {"kafka": kafka, **settings}
        key = (fault.id, tuple(said.items()), copies)
        if key not in self.found:
            found = KEPT.get(key) or self._searched(said, copies, fault, searches)
            if found.word == "open" and not searches:
                return found  # who really needs it may search it
            self.found[key] = found
        found = self.found[key]
        if found.word != "open" and not found.cut:
            KEPT[key] = found
        return found

    def _searched(self, said: dict[str, SettingValue], copies: int, fault: Fault, searches: bool) -> Outcome:
        if self.stopped or copies > most_copies():
            return OPEN
        bounds = {**BOUNDS, "replication_factor": copies}
        nothing_promised = said["acks"] == NO_ACKS
        if nothing_promised:  # the same steps as with 1, whose answers are known
            said = {**said, "acks": "1"}
        options = self.options if searches else replace(self.options, searches=False)
        table, missing = decided_table(Column("", ASKED, said), [fault], bounds, options, self.told, self.progress)
        self.stopped = self.stopped or missing > 0
        if not table.decided:  # Ctrl-C; or a fault that is part of all: unclean election is on already
            return OPEN
        one = table.decided[0]
        if nothing_promised:
            one = replace(one, answers={**one.answers, "acknowledged": Guarantee("nothing")})
        self.stopped = self.stopped or one.interrupted
        return replace(outcome(one), settings=said)

    def run_of(self, found: Outcome, fault: Fault) -> Trace | None:
        """A shortest run that loses what a fault loses, searched and replayed in both semantics.

        None if it was interrupted.
        """
        self.told(f"the run of {found.reference}: {fault.title}")
        kind = guarded({**found.settings, **fault.settings}, ASKED.kind)
        case = Case(ASKED, kind, fault, dict(found.bounds))
        return run_that_breaks(case, QUESTION_OF[found.word], self.options, self.progress)


NEWEST_DESIGN = next(reversed(GENERATIONS))
WITHOUT_ELR = list(GENERATIONS)[-2]
"""The newest design where eligible leader replicas are off."""

QUESTION_OF: Mapping[str, str] = {
    "acked lost": QUESTIONS["acknowledged"],
    "read lost": QUESTIONS["read"],
    "logs differ": QUESTIONS["logs"],
}
"""The property that a run breaks which does that."""

ASKED = Asked(ConfigurableKraft, "kraft")
FAULT: Mapping[str, Fault] = {fault.id: fault for fault in FAULTS}


def fault_of(kind: Kind, fault_id: str) -> Fault:
    """What a fault is for a class: with storage that a restart empties, each restart and crash loses data."""
    return FAULT[EMPTIED.get(fault_id, fault_id) if kind.ephemeral else fault_id]


@functools.cache
def most_copies() -> int:
    """The largest replication factor that is searched."""
    return KraftBounds.declared()["replication_factor"].most


def known_release(release: str) -> bool:
    """Whether the rules of a release are known: one with KRaft, up to the newest."""
    return release in VERSIONS


def may_have_elr(release: str) -> bool:
    """Whether eligible leader replicas can be on (KIP-966)."""
    return numbered(release) >= FIRST_WITH_ELR


@functools.cache
def design_of(release: str, elr: bool) -> str:
    """The generation that a release was designed as; of an unknown one the newest, as far as it is configured."""
    generation = generation_of(release, elr) if release else NEWEST_DESIGN
    return WITHOUT_ELR if generation == NEWEST_DESIGN and not elr else generation


def _settings(kind: Kind) -> dict[str, SettingValue]:
    return {"min_insync_replicas": kind.min_isr, "acks": kind.acks, "unclean_leader_election": kind.unclean}


def outcome(decided: Decided) -> Outcome:
    """The worst that a search has found, and that it has looked at everything if it has found nothing."""
    common = (decided.writes, decided.reference, decided.bounds, decided.cut)
    for asked, word in WORDS.items():
        promise = decided.answers[asked]
        if promise.verdict == "violated":
            return Outcome(word, promise.length, promise.behind, *common)
    verdicts = {promise.verdict for promise in decided.answers.values()}
    if "open" in verdicts:
        return Outcome("open", None, (), *common)
    return Outcome("no promise" if "nothing" in verdicts else "kept", None, (), *common)


def worst(several: Sequence[Outcome]) -> Outcome:
    """The worst of several outcomes: one that is lost in the fewest states, else one that is open.

    A write succeeds only where it does in each.
    """
    found = min(several, key=severity)
    many = [one.writes for one in several]
    if all(one == found.writes for one in many):
        return found
    columns = itertools.zip_longest(*many)
    return replace(found, writes=tuple(False if False in one else None if None in one else True for one in columns))


def severity(one: Outcome) -> tuple[int, int]:
    """What the worst of several is chosen by: the least is the worst."""
    return ORDER.index(one.word), one.length or 0


WORDS: Mapping[str, Word] = {"acknowledged": "acked lost", "read": "read lost", "logs": "logs differ"}
"""What it is called when the answer to a question is no."""

ORDER: tuple[Word, ...] = ("acked lost", "read lost", "logs differ", "open", "no promise", "kept")
"""From the worst on."""
