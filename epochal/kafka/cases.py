"""What `epochal guarantees` asks, case by case, and what is known of a case before anything is searched."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from epochal.checker.gate import cache
from epochal.checker.gate.fingerprint import fingerprint
from epochal.kafka.behind import holes_key
from epochal.kafka.rules_key import rules_key
from epochal.kafka.usual_answers import Answer, find_usual
from epochal.spec.kraft.guarantees import QUESTIONS, WRITES, Fault
from epochal.spec.language import SettingValue
from epochal.spec.language.configurable import with_configuration
from epochal.spec.language.reference import reference_to
from epochal.spec.registry import is_registered, registered

if TYPE_CHECKING:
    from epochal.spec.kraft.configuration import ConfigurableKraft

ASKED = (*QUESTIONS.values(), *WRITES)
"""The properties that one search decides."""


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
    source = source_of(case)
    kept = None if source is None else cache.find_answer(source)
    found = None if kept is None else cache.find_answer(question_of(str(kept["specification"]), holes))
    return cast("Answer | None", found)


def keep(case: Case, answer: Answer) -> None:
    """Keep the answer to a case that another process has searched, if its search has seen every state."""
    source = source_of(case)
    if not answer["cut"] and source is not None:
        cache.keep_answer(question_of(answer["specification"], answer["holes"]), dict(answer))
        cache.keep_answer(source, {"specification": answer["specification"]})


def question_of(digest: str, holes: str) -> str:
    """What a kept answer is the answer to: of a protocol with this digest, and of the known bugs with this key."""
    return json.dumps(["guarantees and what is behind", digest, holes, ASKED])


def source_of(case: Case) -> str | None:
    """What the digest of a registered protocol is known by, so that it is not compiled again: its source files.

    Of any other class nobody knows what has made it.
    """
    return fingerprint(json.dumps(["guarantees of", case.reference, case.closed, case.bounds]), [])
