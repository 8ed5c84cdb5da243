"""What every rule of an audit looks at: the cluster, its topics by class, and what is decided of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from epochal.spec.kraft.generations import NEWEST

from .cluster import Cluster, Topic
from .decided import Decider
from .fixes import promised
from .said import Said, short
from .topic_class import Case, Classified, Kind

MOST_NAMED = 6


@dataclass(frozen=True)
class Audited:
    """A cluster whose topics are classified. `elr` is what was taken; `elr_known` whether somebody said so.

    `classes` are the topics by each class that some of their partitions are, or may be, of; `rows` those that are alike
    in all.

    `releases` are those that are judged, `refused` those whose rules nobody knows here. `unknown` are topics without a
    replication factor.
    """

    cluster: Cluster
    topics: tuple[Classified, ...]
    classes: dict[Kind, list[Classified]]
    rows: dict[tuple[Case, ...], list[Classified]]
    unknown: tuple[Topic, ...]
    decider: Decider
    elr: bool
    elr_known: bool
    releases: tuple[str, ...]
    refused: tuple[Said, ...]
    point_known: bool

    @property
    def decides(self) -> bool:
        """Whether the release is one that is decided: known, and with KRaft."""
        return bool(self.releases) and not self.refused and self.cluster.zookeeper is None

    @property
    def release_shown(self) -> str:
        """The release or releases, for people."""
        if self.refused:
            return f"Kafka {' and '.join(short(one.value) for one in self.refused)}, whose rules are not known"
        return f"Kafka {' and '.join(self.releases)}" if self.releases else "Kafka of an unknown release"

    @property
    def newest(self) -> str:
        """The newest release whose rules are known."""
        return NEWEST

    def named(self, names: Sequence[str]) -> str:
        """Some names, and how many more."""
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        return ", ".join(names[:MOST_NAMED]) + more

    def certain(
        self, holds: Callable[[Kind], bool], among: Callable[[list[Kind]], Iterable[Kind]] = iter
    ) -> dict[Kind, list[Classified]]:
        """The topics of which something is true whatever the values are that no file says, by the classes of which it
        is: where several values may be in force, those of the largest. `among` chooses some of a topic's classes.
        """
        found: dict[Kind, list[Classified]] = {}
        for one in self.topics:
            true = [[kind for kind in case.kinds if holds(kind)] for case in one.cases]
            for kind in among(true[-1]) if all(true) else ():
                found.setdefault(kind, []).append(one)
        return found

    def limits(self, kinds: Iterable[Kind], topics: Sequence[Classified]) -> Iterator[str]:
        """Sentences that say of which partitions of a topic alone something is true, or with which value."""
        some = tuple(kinds)
        found: dict[str, list[str]] = {}
        for one in topics:
            for limit in one.only(some):
                found.setdefault(limit, []).append(one.topic.name)
        for limit, names in found.items():
            yield f"Of {self.named(names)} {limit}."

    def promised(self, kind: Kind, min_isr: int, copies: int | None = None) -> str:
        """What is decided of a class with another `min.insync.replicas`, or more replicas."""
        return promised(
            self.decider, replace(kind, min_isr=min_isr, copies=copies or kind.copies, acks_known=True, refuses=False)
        )
