"""A counterexample of the model, played on a real cluster: its story step by step, and what became of the records.

A step is told in the words of the model. If the brokers cannot be brought to it, the story ends there and says what
stood in the way. A step that brokers may refuse to take, because of a rule of their release, is written down as it
was, and the story goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.brokers.cluster import Cluster
from tests.brokers.configuration import Shape
from tests.brokers.process import NotReady
from tests.brokers.releases import Release
from tests.brokers.scenario import TOPIC, Stage
from tests.brokers.tools import ToolFailed
from tests.brokers.transactions import TransactionSeen

ELR = "eligible.leader.replicas.version"
"""The feature of KIP-966: in no release before 4.0, off in new clusters of 4.0, on in those of 4.1 and newer."""


class NotFollowed(Exception):
    """The brokers did something else than the story needs."""


class StoryEnds(Exception):
    """A step could not be brought about; what stood in the way is written down in the story."""


@dataclass(frozen=True)
class Told:
    """A step of the story: what the model says, whether the brokers followed, and what was seen."""

    says: str
    followed: bool
    seen: str


class Story(Stage):
    """A cluster on which a counterexample is played."""

    def __init__(self, cluster: Cluster, folder: Path, topic: str = TOPIC) -> None:
        super().__init__(cluster, folder, topic)
        self.told: list[Told] = []

    @contextmanager
    def step(self, says: str) -> Iterator[None]:
        """A step that the story needs. StoryEnds if it cannot be brought about."""
        self.steps.write("story", says=says)
        with self.needed(says):
            yield
        self._tell(says, True, "")

    def seen(self, says: str, followed: bool, seen: str) -> None:
        """A step that brokers take or do not take by themselves, and what was seen of it."""
        self._tell(says, followed, seen)

    def leads(self, broker: int, says: str, seconds: float = 40) -> int:
        """Wait until the partition has a leader: the broker that the model elects, or another. Which it is."""
        with self.needed(f"{says}, or another does"):
            found = self.wait_leader(seconds)
        self.seen(says, found == broker, f"broker {found} leads")
        return found

    def finish(self, *isr: int) -> None:
        """All come back, and a consumer reads what there is."""
        with self.needed("all brokers are back and in sync, and a consumer reads"):
            self.wait(isr=isr)
            self.read()

    @contextmanager
    def needed(self, says: str) -> Iterator[None]:
        """A part of the story that is told only where it cannot be brought about."""
        try:
            yield
        except (NotReady, NotFollowed, ToolFailed) as error:
            self._tell(says, False, " ".join(str(error).split())[:400])
            raise StoryEnds(says) from error

    def _tell(self, says: str, followed: bool, seen: str) -> None:
        self.steps.write("told", says=says, followed=followed, seen=seen)
        self.told.append(Told(says, followed, seen))


@dataclass(frozen=True)
class Reproduction:
    """How a counterexample is played. `loses` is what the model foretells, given the release and whether ELR is on.

    `variant` tells those of one bug apart. `topic` is the one whose partition is led by one broker after the other, and
    `data` are the partitions with the records of clients, if those are others. `harm` is what is done to them: records
    are `lost` or a share group's members are never given them (`skipped`), a transaction is `torn`, or the controller
    `resigns`. `accepted` are records whose loss is none of it:
    they go before, with an unclean election.
    """

    id: str
    tells: str
    play: Callable[[Story], None]
    loses: Callable[[Release, bool], bool]
    shape: Shape = field(default_factory=Shape)
    needs_elr: bool = False
    variant: str = ""
    topic: str = TOPIC
    data: tuple[str, ...] = (f"{TOPIC}-0",)
    harm: str = "lost"
    accepted: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        """What it is asked for by."""
        return f"{self.id}-{self.variant}" if self.variant else self.id

    @property
    def name(self) -> str:
        """The name of its evidence."""
        return f"reproduced-{self.called.lower()}"

    def features(self, release: Release) -> Mapping[str, int]:
        """The features of the cluster beside those of a new one: ELR where it has to be asked for."""
        if self.needs_elr and release.number < (4, 0):
            raise NotReady(f"{self.id} is about eligible leader replicas, and Kafka {release.version} has none")
        return {ELR: 1} if self.needs_elr and release.number < (4, 1) else {}

    def has_elr(self, release: Release) -> bool:
        """Whether the cluster has eligible leader replicas."""
        return release.number >= (4, 1) or ELR in self.features(release)


@dataclass(frozen=True)
class Outcome:
    """What became of a counterexample: `lost` are acknowledged records that a consumer does not read at the end.

    `copies` are the brokers that have each acknowledged record in a segment at the end. `transactions` are those of the
    clients, as consumers see them at the end. `foretold` is whether the model does the `harm`. `ended` is whether the
    story was played to its end; its last step says why not.
    """

    told: tuple[Told, ...]
    ended: bool
    foretold: bool
    lost: tuple[str, ...]
    copies: Mapping[str, tuple[int, ...]]
    transactions: tuple[TransactionSeen, ...] = ()
    harm: str = "lost"

    @property
    def verdict(self) -> str:
        """`torn`, `lost`, `skipped`, `resigns`, `kept`, or `could not be brought about` with what stood in the way."""
        if not self.ended:
            return f"could not be brought about: {self.told[-1].says}: {self.told[-1].seen}"
        if self.harm in ("resigns", "skipped"):
            return self.harm if all(one.followed for one in self.told) else "kept"
        if any(one.torn for one in self.transactions):
            return "torn"
        return "lost" if self.lost else "kept"

    @property
    def as_foretold(self) -> bool:
        """Whether the brokers did the harm where the model does it, and none where it does not."""
        return self.verdict == (self.harm if self.foretold else "kept")


def lines_of(dump: str) -> Iterator[tuple[str, str]]:
    """The lines of `kafka-dump-log` of the segments of a broker, each with the partition that it is about."""
    partition = ""
    for line in dump.splitlines():
        if line.startswith("Dumping "):
            partition = Path(line.removeprefix("Dumping ")).parent.name
        else:
            yield partition, line


def values_in(dump: str, partitions: Collection[str] = (f"{TOPIC}-0",)) -> set[str]:
    """The values of the records of these partitions in the dump of a broker's segments."""
    found = (re.search(r"\bpayload: (\S+)$", line) for of, line in lines_of(dump) if of in partitions)
    return {payload[1] for payload in found if payload}


def markers_in(dump: str) -> dict[str, list[str]]:
    """The markers of transactions in the dump of a broker's segments, by partition, as `kafka-dump-log` tells them."""
    found: dict[str, list[str]] = {}
    for partition, line in lines_of(dump):
        if marker := re.search(r"\bendTxnMarker: (.+)$", line):
            found.setdefault(partition, []).append(marker[1])
    return found
