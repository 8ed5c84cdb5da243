"""An entry of the catalogue: a protocol that lacks one rule, the same with the rule, and the property that tells."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Scenario:
    """A known bug or design hole, as two searches within the same bounds.

    `faulty` and `sound` are registered protocols, without the rule and with it. Of `faulty` a shortest run violates
    `property`; `sound` holds it in every state. `bounds` are those that are not the protocols' defaults. `versions`
    says which Kafka had it, `source` where it was reported or corrected, and `told` is the story of the run in a few
    sentences for people, if the steps need one.
    """

    id: str
    title: str
    source: str
    versions: str
    property: str
    faulty: str
    sound: str
    bounds: tuple[tuple[str, int], ...] = ()
    told: str = ""

    def references(self) -> tuple[str, ...]:
        """The KIPs and tickets of its source, such as KIP-320 and KAFKA-6880."""
        return references_in(self.source)

    def was_in(self, version: str) -> bool:
        """Whether this Kafka version had it: 3.5, or 3.5.1, as a release was called."""
        said = re.split(r"[;,(]", self.versions)[0].strip()
        if said in ("none", "all"):
            return said == "all"
        asked = _numbers(version)
        named = [_numbers(word) for word in re.findall(r"[0-9][0-9.]*", said)]
        if said.startswith("before "):
            return asked < named[0]
        if " to " in said:
            return named[0][: len(asked)] <= asked[: len(named[0])] and asked[: len(named[1])] <= named[1]
        return any(asked[: len(one)] == one[: len(asked)] for one in named)

    def had_by(self) -> str:
        """Which Kafka had it, in words."""
        word, _, rest = self.versions.partition("; ")
        return f"No released Kafka: {rest}" if word == "none" else f"Kafka {self.versions}"


def references_in(text: str) -> tuple[str, ...]:
    """The KIPs and JIRA tickets that a text names."""
    return tuple(re.findall(r"\b(?:KIP|KAFKA)-[0-9]+", text))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)


@dataclass(frozen=True)
class NotSearched:
    """A bug that is known and that no protocol here can show, with the reason."""

    id: str
    title: str
    source: str
    versions: str
    reason: str
