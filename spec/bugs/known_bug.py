"""A known bug or design hole of Kafka's replication: which rule was missing, who had it, and how it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

UNREPORTED: Final = "; no ticket known"
"""How the first of the tickets ends if it is the place in Kafka, or the KIP, of a bug that nobody has reported."""


@dataclass(frozen=True, eq=False, kw_only=True)
class KnownBug:
    """A bug of a released or proposed protocol, as two protocols within the same bounds.

    `id` is its number in the project's fact sheet, perhaps with the family that shows it (`S9 classic`); "" if it has
    none. `tickets` are where it was reported or corrected. `versions` says which Kafka had it; `none; ...` if no
    release had it, and why it is known.

    `without_rule` and `with_rule` are the registered names of both ("": no protocol here is the same with the rule).
    The first of `properties` tells them apart: a shortest run of the former violates it, the latter holds it in every
    state; the others break as well. `bounds` are those that are not the defaults of the protocol: within which no
    shorter bug hides this one.

    `story` tells the run in a few sentences, if the steps need it, and `lesson` what it teaches beyond itself: the rule
    that was missing, in a sentence or two that say nothing that the entry, its rule or its tickets do not say.

    `interchangeable` are brokers but where a protocol singles one out, such as a leader that never changes.

    `shown_on` are the releases of Apache Kafka on which running brokers did it: acknowledged records lost, or
    skipped by a share group, a transaction torn, or a controller that resigns. Each has its evidence
    (`tests/evidence`); docs/kafka/reproduced.md tells what was done to the brokers.
    """

    id: str
    title: str
    tickets: tuple[str, ...]
    versions: str
    properties: tuple[str, ...]
    without_rule: str
    with_rule: str = ""
    lesson: str
    bounds: Mapping[str, int] = field(default_factory=dict)
    story: str = ""
    shown_on: tuple[str, ...] = ()
    interchangeable: bool = True

    @property
    def property_id(self) -> str:
        """The property that tells the two protocols apart."""
        return self.properties[0]

    @property
    def source(self) -> str:
        """Where it was reported or corrected, in one line."""
        return ", ".join(self.tickets)

    @property
    def name(self) -> str:
        """What people call it: its ticket or KIP, or the place in Kafka where no ticket is known, then its number."""
        return called(self.id, self.tickets)

    @property
    def also(self) -> str:
        """Where else it was reported or corrected, in one line, and on which releases brokers have shown it."""
        return "; ".join(filter(None, (besides(self.tickets), self.shown)))

    @property
    def shown(self) -> str:
        """On which releases running brokers have shown it; "" if nobody has seen that."""
        return f"reproduced on Apache Kafka {', '.join(self.shown_on)}" if self.shown_on else ""

    @property
    def other_bounds(self) -> tuple[tuple[str, int], ...]:
        """The bounds that are not the defaults of the registered protocols."""
        return tuple(self.bounds.items())

    def references(self) -> tuple[str, ...]:
        """The KIPs and tickets of its source, such as KIP-320 and KAFKA-6880."""
        return references_in(self.source)

    def was_in(self, version: str) -> bool:
        """Whether this Kafka version had it: 3.5, or 3.5.1, as a release was called."""
        said = re.split(r"[;,(]", self.versions)[0].strip()
        if said in ("none", "all"):
            return said == "all"
        return any(_within(_numbers(version), part) for part in said.split(" and "))

    def had_by(self) -> str:
        """Which Kafka had it, as a sentence without its end."""
        word, _, rest = self.versions.partition("; ")
        if word == "none":
            return f"No released Kafka: {rest}"
        every = self.versions.removeprefix("all")
        return f"Kafka {self.versions}" if every == self.versions else f"Every Kafka{every}"

    def seen_in(self) -> str:
        """Which Kafka had it, and its other tickets, as a sentence without its end."""
        return f"{self.had_by()}; {self.also}" if self.also else self.had_by()


def called(id: str, tickets: Sequence[str]) -> str:
    """What people call a bug: `KAFKA-18991 (S10)`, `KIP-497 (S11)`, `Replica.resetReplicaState (N1)`.

    Where no ticket is known the first of `tickets` says so of a place in Kafka or a KIP: those after it are related.
    """
    first = tickets[0].removesuffix(UNREPORTED) if tickets else id
    if tickets and first == tickets[0]:
        first = next((ticket for ticket in tickets if ticket.startswith("KAFKA-")), first)
    return first if id in ("", first) else f"{first} ({id})"


def besides(tickets: Sequence[str]) -> str:
    """The tickets of a bug by which it is not called, in one line.

    Of a bug that has none of its own it says so, and calls the others related.
    """
    name = called("", tickets)
    others = ", ".join(one for one in tickets if one.removesuffix(UNREPORTED) != name)
    if not tickets or not tickets[0].endswith(UNREPORTED):
        return others
    return UNREPORTED.removeprefix("; ") + (f" (related: {others})" if others else "")


def references_in(text: str) -> tuple[str, ...]:
    """The KIPs and JIRA tickets that a text names."""
    return tuple(re.findall(r"\b(?:KIP|KAFKA)-[0-9]+", text))


def is_reference(text: str) -> bool:
    """Whether a text is a KIP or a ticket, and nothing else."""
    return references_in(text) == (text,)


def _within(asked: tuple[int, ...], said: str) -> bool:
    """Whether a version is within `before 2.1`, `2.7 to 3.9.0`, or is one called `4.0`."""
    named = [_numbers(word) for word in re.findall(r"[0-9][0-9.]*", said)]
    if said.startswith("before "):
        return asked < named[0]
    first, last = named[0], named[-1]
    return first[: len(asked)] <= asked[: len(first)] and asked[: len(last)] <= last


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)
