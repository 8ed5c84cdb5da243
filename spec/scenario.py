"""An entry of the catalogue: a protocol that lacks one rule, the same with the rule, and the property that tells."""

from __future__ import annotations

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

    def had_by(self) -> str:
        """Which Kafka had it, in words."""
        word, _, rest = self.versions.partition("; ")
        return f"No released Kafka: {rest}" if word == "none" else f"Kafka {self.versions}"


@dataclass(frozen=True)
class NotSearched:
    """A bug that is known and that no protocol here can show, with the reason."""

    id: str
    title: str
    source: str
    versions: str
    reason: str
