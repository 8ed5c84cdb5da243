"""What `epochal guarantees` asks, case by case, and what is known of a case before anything is searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from epochal.checker.gate import cache
from epochal.checker.identity.in_files import as_in_files
from epochal.checker.identity.reached import reached
from epochal.kafka.behind import holes_key
from epochal.kafka.rules_key import rules_key
from epochal.kafka.usual_answers import FAMILY, Answer, find_usual
from epochal.spec.kraft.guarantees import EVER_ACKNOWLEDGED, QUESTIONS, WRITES, Fault
from epochal.spec.language import SettingValue
from epochal.spec.language.configurable import with_configuration
from epochal.spec.language.reference import reference_to
from epochal.spec.registry import is_registered, registered

if TYPE_CHECKING:
    from epochal.spec.kraft.configuration import ConfigurableKraft
    from epochal.spec.language import Protocol

ABOUT = "guarantees and what is behind"
ASKED = (*QUESTIONS.values(), *WRITES)
"""The properties that one search decides."""
OF_OTHERS = (*ASKED, EVER_ACKNOWLEDGED)
"""Those of a protocol that is not Epochal's own."""


@dataclass(frozen=True)
class Asked:
    """Whose promises are asked about: kraft, or a class that derives from it, and its name without settings."""

    kind: type[ConfigurableKraft]
    name: str

    @property
    def is_registered(self) -> bool:
        """Whether it is the protocol of Epochal that has this name."""
        return is_registered(self.name) and registered(self.name) is self.kind

    def configured(self, settings: Mapping[str, SettingValue]) -> type[ConfigurableKraft]:
        """The protocol of these settings."""
        return cast("type[ConfigurableKraft]", with_configuration(self.kind, settings))

    def reference(self, settings: Mapping[str, SettingValue]) -> str:
        """How the protocol of these settings is called."""
        return reference_to(self.name, self.configured(settings))


@dataclass(frozen=True)
class Case:
    """What one search decides: a protocol with the witnesses of writes, a fault, and the bounds with its budget."""

    asked: Asked
    kind: type[ConfigurableKraft]
    fault: Fault
    bounds: dict[str, int]
    closed: tuple[str, ...] = ()

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties that its search decides."""
        return ASKED if self.asked.is_registered else OF_OTHERS

    @property
    def reference(self) -> str:
        """How the command line names the protocol; nothing there says which bugs are closed."""
        return reference_to(self.asked.name, self.kind)


def is_undecided(case: Case) -> bool:
    """Whether a case of a registered protocol has to be searched, as far as that can be told without compiling it."""
    return kept_answer(case) is None


def kept_answer(case: Case) -> Answer | None:
    """What comes with the package, or this machine has kept, about a case of a registered protocol."""
    holes = holes_key(case.kind, case.bounds, ASKED)
    usual = find_usual(rules_key(case.kind, case.bounds, ASKED), holes)
    if usual is not None:
        return usual
    return found_by_text(source_of(case), holes)


def keep(case: Case, answer: Answer) -> None:
    """Keep the answer to a case that another process has searched, if its search has seen every state."""
    if not answer["cut"]:
        keep_by_text(source_of(case), answer)


def found_by_text(source: list[str] | None, holes: str) -> Answer | None:
    """The kept answer about a registered protocol that stands so in this process; None if there is none."""
    found = None if source is None else cache.find_answer(ABOUT, source, holes, ASKED, part="answers by text")
    return cast("Answer | None", found)


def keep_by_text(source: list[str] | None, answer: Answer) -> None:
    """Keep the answer about a registered protocol, as it stands in this process."""
    if source is not None:
        cache.keep_answer(dict(answer), ABOUT, source, answer["holes"], ASKED, part="answers by text")


def found_by_meaning(digest: str, protocol: Protocol, holes: str) -> Answer | None:
    """The kept answer about any protocol that was compiled to this digest; None if there is none.

    What is behind a run is found by taking it again with other settings, so code counts that these settings hide.
    """
    code = reached(protocol)
    return None if code is None else cast("Answer | None", cache.find_answer(ABOUT, digest, code, holes, ASKED))


def keep_by_meaning(protocol: Protocol, answer: Answer) -> None:
    """Keep the answer about any protocol by what it was compiled to, and by its code."""
    code = reached(protocol)
    if code is not None:
        cache.keep_answer(dict(answer), ABOUT, answer["specification"], code, answer["holes"], ASKED)


def source_of(case: Case) -> list[str] | None:
    """What a registered protocol is known by without compiling it; of any other class nobody knows what has made it.

    While the rules that run are those of the files, which are part of the engine, its name and settings tell it.
    """
    if not (case.asked.is_registered and as_in_files(FAMILY)):
        return None
    return [case.reference, *case.closed, repr(case.kind.settings), repr(sorted(case.bounds.items()))]
