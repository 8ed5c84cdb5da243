"""Which settings of a topic keep a promise: every class of settings that is searched, and what was decided of it.

A class is a replication factor, a `min.insync.replicas` and a choice of unclean election, as somebody sets them for a
topic. Each is classified and judged by the rules of an audit, so that a policy and an audit cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from epochal.checker.base.numbers import counted
from epochal.errors import UsageError
from epochal.spec.kraft.heeded import MIN_ISR, UNCLEAN
from epochal.spec.language.errors import advice

from ..audit.audited import Miss, Requirement, misses
from ..audit.cluster import Cluster, Topic
from ..audit.decided import FAULT, Decider, most_copies
from ..audit.said import FALSE, TRUE, Said, is_number
from ..audit.topic_class import DEFAULTS, classified
from ..evidence.place import Place

COPIES = "default.replication.factor"
MORE, UNSET = "more", "unset"
"""A `min.insync.replicas` above the replication factor; and none, so that any value may be in force."""

KNOWN_DEFAULTS = (COPIES, MIN_ISR, UNCLEAN)
"""What brokers may have set for topics that do not set it themselves."""

Verdict = Literal["admitted", "refused", "undecided"]
HERE = Place("policy")


@dataclass(frozen=True)
class SettingsClass:
    """The settings of some topics, and whether these keep the promise; `why` says what breaks it, or is not decided.

    `min_isr` is a number, MORE or UNSET. `holes` are known bugs by which the release breaks what its design keeps.
    """

    copies: int
    min_isr: str
    unclean: bool
    verdict: Verdict
    why: str = ""
    holes: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """`3/2/false`, which a policy looks up."""
        return f"{self.copies}/{self.min_isr}/{TRUE if self.unclean else FALSE}"


def settings_classes(kafka: str, elr: bool, required: Requirement, decider: Decider) -> tuple[SettingsClass, ...]:
    """Every class of settings, with what was decided of it for a release."""
    decider.releases = (kafka,)
    return tuple(
        _judged(copies, wanted, unclean, kafka, elr, required, decider)
        for copies in range(1, most_copies() + 1)
        for wanted in (*map(str, range(1, copies + 1)), MORE, UNSET)
        for unclean in (False, True)
    )


def _judged(
    copies: int, wanted: str, unclean: bool, kafka: str, elr: bool, required: Requirement, decider: Decider
) -> SettingsClass:
    cluster = Cluster("policy", elr=Said(TRUE if elr else FALSE, HERE), kraft=Said(TRUE, HERE))
    value = str(copies + 1) if wanted == MORE else wanted
    said = {} if wanted == UNSET else {MIN_ISR: Said(value, HERE)}
    own = {**said, UNCLEAN: Said(TRUE if unclean else FALSE, HERE)}
    cluster.topics["topic"] = Topic("topic", HERE, (copies,), own=own, told=True)
    topics, _ = classified(cluster, elr, (kafka,), most_copies())
    found = list(misses(decider, topics[0].cases, required))
    broken = [one for one in found if not one.is_open]
    verdict: Verdict = "refused" if broken else "undecided" if found else "admitted"
    why = "; ".join(map(_in_words, broken)) or ", ".join(dict.fromkeys(map(_asked, found)))
    answers = (decider.under(kind, fault) for fault in required.keep for kind in topics[0].kinds)
    holes = dict.fromkeys(hole for one in answers for hole in one.holes)
    return SettingsClass(copies, wanted, unclean, verdict, why, tuple(holes))


WORDS: Mapping[str, str] = {
    "acked lost": "an acknowledged record is lost",
    "read lost": "a record that was read is lost",
    "logs differ": "logs differ below the high watermark",
    "no promise": "nobody is told of success",
}


def _in_words(miss: Miss) -> str:
    supposed = "" if miss.supposed is None else f"if {MIN_ISR} is {miss.supposed}, "
    if not miss.fault:
        return f"{supposed}no write with acks=all succeeds while {_down(miss.down)}"
    length = f" ({counted(miss.outcome.length, 'state')})" if miss.outcome.length else ""
    return f"{supposed}{FAULT[miss.fault].title}: {WORDS[miss.outcome.word]}{length}"


def _asked(miss: Miss) -> str:
    return FAULT[miss.fault].title if miss.fault else f"writes while {_down(miss.down)}"


def _down(count: int) -> str:
    return f"{counted(count, 'broker')} {'is' if count == 1 else 'are'} down"


def promise_in_words(required: Requirement) -> Iterator[str]:
    """What is promised, a sentence for each part."""
    for fault in required.keep:
        yield f"No record that was acknowledged or read is lost: {FAULT[fault].title}."
    if required.writes_with_down:
        yield f"Writes with acks=all succeed while {_down(required.writes_with_down)}."


def read_defaults(given: Sequence[str]) -> dict[str, str]:
    """What brokers have set: `min.insync.replicas=2`. Raises UsageError for what is no such setting or value."""
    found: dict[str, str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if name not in KNOWN_DEFAULTS or not equals:
            raise UsageError(
                f"--default {one[:60]!r} is no default of a topic", advice(name, KNOWN_DEFAULTS, "defaults")
            )
        is_right = value in (TRUE, FALSE) if name == UNCLEAN else is_number(value, 9) and int(value) > 0
        if not is_right:
            meant = f"{TRUE} or {FALSE}" if name == UNCLEAN else "a number above zero"
            raise UsageError(f"--default {name} is {meant}, not {value[:60]!r}")
        if found.setdefault(name, value) != value:
            raise UsageError(f"--default {name} is {found[name]} and {value}: give one of them")
    return {UNCLEAN: DEFAULTS[UNCLEAN], **found}
