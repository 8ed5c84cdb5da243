"""A value that a file says, and where: every sentence of an audit can be traced to a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from epochal.spec.kraft.heeded import MIN_ISR, UNCLEAN

from ..evidence.place import EvidenceError, Place, escaped


@dataclass(frozen=True)
class Said:
    """A value as a file has it, the place, and where Kafka has it from (`STATIC_BROKER_CONFIG`), if the file says.

    `others` are different values that other files have of the same: each counts.
    """

    value: str
    place: Place
    source: str = ""
    others: tuple[Said, ...] = ()

    @property
    def each(self) -> tuple[Said, ...]:
        """Every value that files have of it, this one first, each for itself."""
        return (replace(self, others=()), *self.others) if self.others else (self,)


Settings = Mapping[str, Said]
"""Values by the names of Kafka's settings."""

DECIDING = (MIN_ISR, UNCLEAN)
"""Settings of a topic that decide what it is promised: it counts that a file lacks them."""

LONGEST_NAME = 249
"""Topic.MAX_NAME_LENGTH."""

LONGEST_SHOWN = 60
TRUE, FALSE = "true", "false"
KAFKA_TRIMS = "".join(map(chr, range(33)))
UNSET, SHOWN = "UNSET", "SHOWN"
"""The source of what is said by a file that does not have a setting, and of what is shown without its source."""


def either(place: Place) -> Said:
    """A truth value that is known only later."""
    return Said(TRUE, place, others=(Said(FALSE, place),))


def refuse(place: Place, wrong: str, advice: str = "") -> EvidenceError:
    """The error for what cannot be read at a place."""
    return EvidenceError(f"{place}: {wrong}", advice)


def short(text: str) -> str:
    """A text of a file as a sentence has it: who wrote it may have written megabytes."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def some_of(names: Sequence[str], most: int) -> str:
    """Some names, and how many more."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def quoted(text: str) -> str:
    """The beginning of a text in quotation marks, with what a terminal would obey written as in a source text."""
    return f"'{escaped(text[:LONGEST_SHOWN])}'"


def topic_name(text: str, place: Place) -> str:
    """The name of a topic. Raises EvidenceError for none, and one that is longer than Kafka allows."""
    if not text or len(text) > LONGEST_NAME:
        many = f" of {len(text):,} characters; Kafka allows {LONGEST_NAME}" if text else ""
        raise refuse(place, f"a topic with a name{many}" if text else "a topic without a name")
    return text


def trimmed(text: str) -> str:
    """A value without what Kafka leaves out around it: blanks, and not those that merely look like some."""
    return text.strip(KAFKA_TRIMS)


def is_number(text: str, digits: int = 10) -> bool:
    """Whether it is a number of 0 to 9 alone, and of no more digits: Python would read those of other scripts, too."""
    return text.isascii() and text.isdecimal() and len(text) <= digits


def number_of(said: Said, name: str) -> int:
    """A whole number above zero. Raises EvidenceError for anything else, as Kafka would not start with it."""
    text = trimmed(said.value)
    if not is_number(text, 9) or not 1 <= int(text) <= 1_000_000:
        raise refuse(said.place, f"{name} is {quoted(said.value)}, and not a number above zero")
    return int(text)


def yes(said: Said, name: str) -> bool:
    """A truth value, as Kafka reads it: in letters of any size. Raises EvidenceError for anything else."""
    text = trimmed(said.value).lower()
    if text not in (TRUE, FALSE):
        raise refuse(said.place, f"{name} is {quoted(said.value)}, and neither true nor false")
    return text == TRUE


def listed_in(text: str) -> list[str]:
    """The parts of a list with commas, without those that are empty."""
    return [part.strip() for part in text.split(",") if part.strip()]


def ids_of(text: str, place: Place) -> tuple[int, ...]:
    """Numbers of brokers, `1,2,3`; none for an empty text. Raises EvidenceError for anything else."""
    for part in (parts := listed_in(text)):
        if not is_number(part):
            raise refuse(place, f"{quoted(part)} is no number of a broker")
    return tuple(map(int, parts))
