"""What a broker says in its logs of the partitions it holds: `state-change.log` and `server.log` of Kafka 3.9 to 4.3.

A line is recognised by its message, wherever in the line that begins: layouts of log4j differ. Who speaks is in the
message, too; where it is not (what a log says of itself), it is the one broker that writes the file, or of several the
one that what stands beside the message tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import msgspec

from .place import OfNamed, Place

COMPLETED = "Completed request:"
NO_ERROR = 0
PROPOSING, FETCHING = '"requestApiKeyName":"ALTER_PARTITION"', '"requestApiKeyName":"FETCH"'
END_OF_OBJECT = "}"

METADATA = ("__cluster_metadata", "AAAAAAAAAAAAAAAAAAAAAQ")
"""The topic of the metadata log, and its id: Raft replicates it, by fetches of its own rules."""


@dataclass(frozen=True, slots=True)
class Request(OfNamed):
    """A request of a broker about a partition. `topic` is its id, or its name in versions that have no ids."""

    place: Place
    topic: str
    number: int
    error: int
    sender: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The partition as the controller answers it is."""

    leader: int
    leader_epoch: int
    isr: frozenset[int]
    partition_epoch: int


@dataclass(frozen=True, slots=True)
class Proposed(Request):
    """AlterPartition: a leader asks for an ISR, at the partition epoch that it knows. No answer beside an error."""

    leader_epoch: int
    partition_epoch: int
    isr: frozenset[int]
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Fetched(Request):
    """A fetch of a follower. `high_watermark` is None where the answer has none: an error, or logs that diverge."""

    leader_epoch: int
    offset: int
    high_watermark: int | None


class Cut(Exception):
    """A line that does not end, or lacks a field."""


def requests_in(message: str, place: Place) -> Iterator[Request]:
    """The requests of which a line tells. Raises Cut."""
    begins = message.find(COMPLETED)
    if begins < 0 or not (PROPOSING in message or FETCHING in message):
        return
    text = message[begins + len(COMPLETED) : message.rfind(END_OF_OBJECT) + 1]
    try:
        said = msgspec.json.decode(text)
        yield from _proposed(said, place) if PROPOSING in message else _fetched(said, place)
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise Cut from error


def _proposed(said: dict[str, Any], place: Place) -> Iterator[Proposed]:
    request, answers = said["request"], _answers(said["response"]["topics"])
    for topic, one in _partitions(request["topics"]):
        number = int(one["partitionIndex"])
        answered = answers.get((topic, number))
        if answered is None:  # the whole request is refused
            continue
        members = one["newIsr"] if "newIsr" in one else [of["brokerId"] for of in one["newIsrWithEpochs"]]
        error = int(answered["errorCode"])
        answer = Answer(
            int(answered["leaderId"]),
            int(answered["leaderEpoch"]),
            frozenset(map(int, answered["isr"])),
            int(answered["partitionEpoch"]),
        )
        yield Proposed(
            place,
            topic,
            number,
            error,
            sender=int(request["brokerId"]),
            leader_epoch=int(one["leaderEpoch"]),
            partition_epoch=int(one["partitionEpoch"]),
            isr=frozenset(map(int, members)),
            answer=answer if error == NO_ERROR else None,
        )


def _fetched(said: dict[str, Any], place: Place) -> Iterator[Fetched]:
    request = said["request"]
    if "replicaId" not in request and "replicaState" not in request:  # since version 15 nobody but a replica says it
        return
    follower = int(request["replicaState"]["replicaId"] if "replicaState" in request else request["replicaId"])
    if follower < 0:  # a consumer
        return
    answers = _answers(said["response"]["responses"])
    for topic, one in _partitions(request["topics"]):
        number = int(one["partition"])
        answered = answers.get((topic, number))
        if answered is None:  # a session of fetches answers what has changed only
            continue
        hw = int(answered["highWatermark"])
        yield Fetched(
            place,
            topic,
            number,
            int(answered["errorCode"]),
            sender=follower,
            leader_epoch=int(one["currentLeaderEpoch"]),
            offset=int(one["fetchOffset"]),
            high_watermark=hw if hw >= 0 and int(answered["errorCode"]) == NO_ERROR else None,
        )


def _partitions(topics: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for topic in topics:
        of = topic.get("topicId") or topic.get("topicName") or topic["topic"]
        if of in METADATA:
            continue
        for one in topic["partitions"]:
            yield str(of), one


def _answers(topics: list[dict[str, Any]]) -> dict[tuple[str, int], dict[str, Any]]:
    return {(topic, int(one["partitionIndex"])): one for topic, one in _partitions(topics)}


# -- events -----------------------------------------------------------------------------------------------------------
# What a broker may say of a partition it holds: one type for each kind of line. All numbers are as printed.

Brokers = frozenset[int]

UNKNOWN_BROKER = -1
"""Who speaks where a message does not say it, and several brokers write the file, or none that says who it is."""


@dataclass(frozen=True, slots=True)
class OfPartition(OfNamed):
    """Something that is said of a partition, by the name of its topic."""

    topic: str
    number: int


@dataclass(frozen=True, slots=True)
class PartitionMade(OfPartition):
    """A process has taken up a partition: it has just started, or got a replica ("Creating new partition")."""

    topic_id: str


@dataclass(frozen=True, slots=True)
class RoleTaken(OfPartition):
    """A broker leads, or follows `leader`, in a new leader epoch ("Leader ... starts at", "Follower ... starts at").

    `offset` is the end of its log. Only a leader says the ISR and what a reassignment does, and the topic's id.
    `previous` is None without one. A follower before Kafka 4.2 prints the new leader there (KAFKA-19776).
    """

    leads: bool
    leader: int
    leader_epoch: int
    partition_epoch: int
    offset: int
    high_watermark: int
    isr: Brokers | None
    adding: Brokers | None
    removing: Brokers | None
    previous: int | None
    previous_epoch: int
    topic_id: str | None


@dataclass(frozen=True, slots=True)
class RoleKept(OfPartition):
    """The partition has changed within a leader epoch ("Skipped the become-leader state change", or -follower).

    `already` is the leader epoch in which it has this role. A leader adds its high watermark, and `now`: the ISR, the
    replicas added and removed that it goes on with. Kafka 4.3 prints the eligible leader replicas, too.
    """

    leads: bool
    leader: int
    leader_epoch: int
    partition_epoch: int
    isr: Brokers
    adding: Brokers
    removing: Brokers
    replicas: Brokers
    elr: Brokers | None
    high_watermark: int | None
    already: int
    now: tuple[Brokers, ...] | None
    topic_id: str


@dataclass(frozen=True, slots=True)
class IsrUpdated(OfPartition):
    """The answer to AlterPartition has come ("ISR updated to ... and version updated to").

    `is_short` says whether that is fewer than the leader's `min.insync.replicas` ("(under-min-isr)").
    """

    isr: Brokers
    partition_epoch: int
    is_short: bool


@dataclass(frozen=True, slots=True)
class AnswerIgnored(OfPartition):
    """The answer to AlterPartition has come, and the leader no longer has that proposal (logged at DEBUG).

    Nothing changes by that. The proposal was made in a leader epoch and at a partition epoch; `added` is whom it adds
    to the ISR, None if it drops members. `isr` is the one that the leader knows by now, None if it has already proposed
    another.
    """

    added: int | None
    leader_epoch: int
    partition_epoch: int
    isr: Brokers | None


@dataclass(frozen=True, slots=True)
class IsrShrinks(OfPartition):
    """A leader asks to drop followers. `slow` are these, each with the end of its log if the leader knows it."""

    before: Brokers
    after: Brokers
    high_watermark: int
    end: int
    slow: tuple[tuple[int, int | None], ...]


@dataclass(frozen=True, slots=True)
class HighWatermarkMoved(OfPartition):
    """The high watermark of a leader has risen (logged at DEBUG)."""

    before: int
    high_watermark: int


@dataclass(frozen=True, slots=True)
class LogRead(OfPartition):
    """A log was read from disk at the start of a process ("Completed load of"), or is new and empty ("Created log")."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LogLoaded(OfPartition):
    """A replica takes up its log, with the high watermark of the checkpoint ("Log loaded for partition")."""

    high_watermark: int


@dataclass(frozen=True, slots=True)
class Truncated(OfPartition):
    """A follower cuts its log back to `offset`: because of its own high watermark, or of an end that the leader said.

    If it is not `completed`, it asks again.
    """

    leader: int
    offset: int
    completed: bool
    high_watermark: int | None
    leader_end: int | None


@dataclass(frozen=True, slots=True)
class LogCut(OfPartition):
    """The log itself says where it is cut ("Truncating to offset"), which its fetcher has just said.

    `largest` is its last offset, if that is before the place, so that there is nothing to cut.
    """

    offset: int
    largest: int | None


@dataclass(frozen=True, slots=True)
class CopyTruncated(OfPartition):
    """The copy of a log that moves to another directory is cut: a log of the same name, which speaks as this one."""


@dataclass(frozen=True, slots=True)
class CutBelow(OfPartition):
    """A log is cut below its high watermark ("Truncating ... to offset ... below high watermark")."""

    offset: int
    high_watermark: int


@dataclass(frozen=True, slots=True)
class ElectedUncleanly(OfPartition):
    """A controller has elected a leader outside the ISR ("UNCLEAN partition change").

    `could_lead` are ISR and eligible leader replicas before, `last_known` the last known leader.
    """

    leader: int
    could_lead: Brokers
    last_known: Brokers


@dataclass(frozen=True, slots=True)
class FetcherAdded(OfPartition):
    """A broker begins to fetch from a leader in a leader epoch ("Added fetcher to broker")."""

    leader: int
    leader_epoch: int
    topic_id: str


@dataclass(frozen=True, slots=True)
class FetcherRemoved(OfPartition):
    """It no longer does ("Removed fetcher for partitions")."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process reads its logs when it starts.

    `clean` says whether the one before it was shut down; None if it finds no logs, so that nothing says it.
    """

    clean: bool | None


@dataclass(frozen=True, slots=True)
class RolesFollow:
    """A broker takes so many roles next ("Transitioning n partition(s) to local leaders", or followers)."""

    number: int


Event = (
    PartitionMade
    | RoleTaken
    | RoleKept
    | IsrUpdated
    | AnswerIgnored
    | IsrShrinks
    | HighWatermarkMoved
    | LogRead
    | LogLoaded
    | Truncated
    | LogCut
    | CopyTruncated
    | CutBelow
    | ElectedUncleanly
    | FetcherAdded
    | FetcherRemoved
    | Process
    | RolesFollow
)

ASIDES = (AnswerIgnored, CutBelow, ElectedUncleanly)
"""What tells of no step, and matters to detectors alone."""


@dataclass(frozen=True, slots=True)
class BrokerEvent:
    """What a broker says, and where it stands."""

    place: Place
    broker: int
    event: Event


# -- layouts ----------------------------------------------------------------------------------------------------------
# Layouts of logs: the message of a line, and when it was written, however log4j was told to print them.
#
# A pattern layout prints the message as it is, with other words around it: nothing needs to be taken away. A JSON
# layout (JsonLayout, JsonTemplateLayout, logstash) has an object a line, and so has what Docker and Kubernetes write of
# a container's output.

MESSAGES = ("message", "msg", "log", "short_message", "full_message", "textPayload", "body", "line", "MESSAGE")
"""What the message is called in JSON; `log` is Docker's, `line` Loki's, and `MESSAGE` that of the journal."""

BESIDE = {
    *(
        "level",
        "log.level",
        "severity",
        "levelname",
        "level_value",
        "loggerName",
        "logger_name",
        "log.logger",
        "logger",
    ),
    *("@timestamp", "timestamp", "timeMillis", "instant", "time", "stream", "ts"),
}
"""What stands beside it in a log: without any of these an object is something else."""

DEEPEST = 3
"""A line of JSON may be the message of another one: that of a container."""

STAMP = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]?\d*")
SECONDS = re.compile(
    r'"(?:epochSecond|timeMillis|timestamp|time|ts)"\s*:\s*"?(?P<whole>\d{10})(?:\.?(?P<part>\d{1,9}))?[",}\s]'
)

LINE = re.compile(
    r"^\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d"
    r"|\b(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b.*?\b(?:kafka\.|org\.apache\.kafka\.|state\.change\.logger)"
    r'|"(?:loggerName|logger_name|log\.logger|logger)"\s*:\s*"(?:kafka\.|org\.apache\.kafka\.|state\.change\.logger)'
    r"|\[Broker id=\d+\] |\[Partition \S+-\d+ broker=\d+\] "
)
"""A line of a log in whatever layout: when it was written; or its level and its logger; or who speaks."""


def is_log(text: str) -> bool:
    """Whether a file that begins so is a log, as far as its layout tells. Other JSON may quote one."""
    return any(
        _message(line, DEEPEST) is not None if line.startswith("{") else LINE.search(line) is not None
        for line in text.splitlines()
    )


def message_of(line: str) -> str:
    """The message of a line of JSON, in one line; any other line as it is."""
    if not line.startswith("{"):
        return line
    found = _message(line, DEEPEST)
    return line if found is None else " ".join(found.splitlines()) + line[len(line.rstrip("\n")) :]


BEFORE_DUMP = re.compile(
    r"(?:[ \t]|\d{4}-\d\d-\d\dT[\d:.,]{8,20}(?:Z|[+-]\d\d:?\d\d)? |[\w.-]{1,253} +\| |\[pod/[^\]\s]{1,600}\] ){1,100}"
    r"(?=Dumping |baseOffset: |\|? ?offset: )"
)
"""What a paste, Docker Compose or Kubernetes writes before a line of kafka-dump-log."""


def of_dump(line: str) -> str:
    """A line of kafka-dump-log without what others have written before it."""
    found = BEFORE_DUMP.match(line)
    return line if found is None else line[found.end() :]


def _message(line: str, deepest: int) -> str | None:
    try:
        said: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(said, dict) or not BESIDE & said.keys():
        return None
    found = next((said[name] for name in MESSAGES if isinstance(said.get(name), str)), None)
    if found is None or not found.startswith("{") or deepest == 0:
        return found
    return _message(found, deepest - 1) or found


def written_at(line: str) -> str | None:
    """When a line was written: a text that can be compared with that of another line of the same log.

    A local time stays as it is: the files of one log are all of one place.
    """
    if (stamp := STAMP.search(line)) is not None:
        return stamp[0].replace("T", " ").replace(",", ".")
    if (seconds := SECONDS.search(line)) is not None:
        at = datetime.fromtimestamp(int(seconds["whole"]), UTC).strftime("%Y-%m-%d %H:%M:%S")
        return f"{at}.{seconds['part'] or ''}"
    return None


# -- whose ------------------------------------------------------------------------------------------------------------
# Whose line it is, in a file that has the lines of several brokers: what a container's or a shipper's log says of it.
#
# `docker compose logs` and `kubectl logs --prefix` write a name before each line, syslog a host, and log stores have a
# field for it in JSON. Which of these words tell one broker from another the lines themselves show: those in which a
# broker says its number. A word is believed if it never stands before the lines of two brokers.

Labels = Mapping[str, str]
"""What stands beside a message, by where: the words before it by their places, the fields of JSON by their names."""

LEVEL = re.compile(r"\b(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b")
TIME = re.compile(rf"{STAMP.pattern}|\d\d:\d\d:\d\d[.,]?\d*|^[A-Z][a-z]{{2}} +\d{{1,2}} ")
NAMES_A_SOURCE = re.compile(
    r"pod|container|host|node|instance|source|broker|service|label|unit|stream|identifier|task|machine|file|path",
    re.IGNORECASE,
)
"""What a field of JSON is called that says from where a line is."""

MOST_WORDS, DEEPEST_WRITER = 4, 3


def labels_of(line: str) -> Labels:
    """What stands beside the message of a line."""
    if line.startswith("{"):
        try:
            return dict(_fields(msgspec.json.decode(line), "", DEEPEST_WRITER))
        except (msgspec.DecodeError, RecursionError):
            return {}
    until = _own_words(line)
    if until is None:
        return {}
    words = TIME.sub(" ", line[: until.start()]).split()
    return {f"word {place}": word for place, word in enumerate(islice(words, MOST_WORDS))}


def _own_words(line: str) -> re.Match[str] | None:
    """Where the words of Kafka's own layout begin, which may have the thread's name among them: with the last time
    before the level. Where there is none nobody can tell them from others."""
    level = LEVEL.search(line)
    if level is None:
        return STAMP.search(line)
    return next(iter([*TIME.finditer(line, 0, level.start())][-1:]), None)


def _fields(said: Any, name: str, deepest: int) -> Iterator[tuple[str, str]]:
    """The texts and numbers of an object whose names are of a source, or lie in one of such a name."""
    if isinstance(said, dict) and deepest:
        for key, value in said.items():
            yield from _fields(value, f"{name}.{key}", deepest - 1)
    elif isinstance(said, str | int) and NAMES_A_SOURCE.search(name):
        yield name, str(said)


@dataclass
class Speakers:
    """The brokers that speak in a file. `heard` are for each label and each value of it the brokers that it is of."""

    brokers: set[int] = field(default_factory=set)
    heard: dict[str, dict[str, set[int]]] = field(default_factory=dict)

    def hears(self, broker: int, labels: Labels) -> None:
        """A line in which a broker says its number."""
        self.brokers.add(broker)
        for label, value in labels.items():
            self.heard.setdefault(label, {}).setdefault(value, set()).add(broker)

    def whose(self, labels: Labels) -> int:
        """The broker that wrote a line which does not say it; UNKNOWN_BROKER if nothing tells, or not alike."""
        if len(self.brokers) == 1:
            return next(iter(self.brokers))
        said = {broker for label, value in labels.items() for broker in self._of(label, value)}
        return said.pop() if len(said) == 1 else UNKNOWN_BROKER

    def _of(self, label: str, value: str) -> set[int]:
        """The broker of whose lines a label has this value, if the label tells brokers apart."""
        values = self.heard.get(label, {})
        return values.get(value, set()) if all(len(brokers) == 1 for brokers in values.values()) else set()


@dataclass(frozen=True)
class BrokerLog:
    """A log of brokers in the order in which it was written. `cut` are lines whose message begins and does not end.

    `asides` are lines that tell of no step, and matter to detectors alone; `requests` those of a request log.
    """

    name: str
    events: tuple[BrokerEvent, ...]
    cut: tuple[Place, ...] = ()
    asides: tuple[BrokerEvent, ...] = ()
    requests: tuple[Request, ...] = ()

    @property
    def all(self) -> tuple[Told, ...]:
        """What stands in it."""
        return (*self.events, *self.asides, *self.requests, *self.cut)

    def changed(self, change: Callable[[Sequence[Told]], Iterable[Told]]) -> BrokerLog:
        """The same with each of the four otherwise."""
        parts: dict[str, Any] = {
            name: tuple(change(getattr(self, name))) for name in ("events", "cut", "asides", "requests")
        }
        return replace(self, **parts)


Told = BrokerEvent | Place | Request
"""What stands in a log."""

_Of = TypeVar("_Of", bound=Event)


def told(logs: Iterable[BrokerLog], kind: type[_Of]) -> Iterator[tuple[BrokerEvent, _Of]]:
    """What lines of one kind say, log by log, each in its order."""
    for one in (one for log in logs for one in (*log.events, *log.asides)):
        if isinstance(one.event, kind):
            yield one, one.event


BROKER = r"\[Broker id=(?P<broker>\d+)\] "
PARTITION = r"\[Partition (?P<topic>\S+)-(?P<number>\d+) broker=(?P<broker>\d+)\] "
OF = r"(?P<topic>\S+)-(?P<number>\d+)"
PREVIOUS = (
    r"Previous leader (?:None|Some\((?P<previous>-?\d+)\)) and previous leader epoch was (?P<previous_epoch>-?\d+)\."
)

WHOSE = re.compile(r"\[(?:BrokerServer id|SharedServer id|KafkaRaftServer nodeId)=(?P<broker>\d+)\]")

TAKES_OVER = re.compile(
    rf"{BROKER}(?P<leads>Leader) {OF} with topic id Some\((?P<topic_id>[\w-]+)\) starts at leader epoch "
    r"(?P<leader_epoch>\d+) from offset (?P<offset>\d+) with partition epoch (?P<partition_epoch>\d+), "
    r"high watermark (?P<high_watermark>\d+), ISR \[(?P<isr>[\d, ]*)\], adding replicas \[(?P<adding>[\d, ]*)\] "
    rf"and removing replicas \[(?P<removing>[\d, ]*)\].*?{PREVIOUS}"
)
FOLLOWS = re.compile(
    rf"{BROKER}Follower {OF} starts at leader epoch (?P<leader_epoch>\d+) from offset (?P<offset>\d+) "
    r"with partition epoch (?P<partition_epoch>\d+) and high watermark (?P<high_watermark>\d+)\. "
    rf"Current leader is (?P<leader>-?\d+)\. {PREVIOUS}"
)
KEEPS = re.compile(
    rf"{BROKER}Skipped the become-(?:(?P<leads>leader)|follower) state change for {OF} "
    r"with topic id Some\((?P<topic_id>[\w-]+)\)"
    r"(?: and partition state|, partition registration) \w+\((?P<fields>[^()]*)\) (?:and isNew=\w+ )?"
    r"since it is already (?:the leader|a follower) with leader epoch (?P<already>\d+)\."
    r"(?: Current high watermark (?P<high_watermark>\d+), (?P<now>ISR \[[\d, ]*\], adding replicas \[[\d, ]*\] "
    r"and removing replicas \[[\d, ]*\])\.)?"
)
FIELD = re.compile(r"(\w+)=(?:\[([^\]]*)\]|([^,]*))")
FIELDS = {
    "leaderEpoch": "leader_epoch",
    "partitionEpoch": "partition_epoch",
    "addingReplicas": "adding",
    "removingReplicas": "removing",
}
IS_NEWER = re.compile(r"since the (?:leader|follower) is already at a newer partition epoch")
MADE = re.compile(rf"{BROKER}Creating new partition {OF} with topic id (?P<topic_id>[\w-]+)\.")
EXPECTED = re.compile(
    rf"{BROKER}Expected partition {OF} with topic id (?P<topic_id>[\w-]+) to exist, but it was missing"
)
UPDATED = re.compile(
    rf"{PARTITION}ISR updated to (?P<isr>[\d,]+) (?P<is_short>\(under-min-isr\))?"
    r".*?and version updated to (?P<partition_epoch>\d+)(?!\d)"
)
IGNORES = re.compile(
    rf"{PARTITION}Ignoring failed ISR update to Pending(?:Expand|Shrink)Isr\((?:newInSyncReplicaId=(?P<added>\d+))?"
    r".*?leaderEpoch=(?P<leader_epoch>\d+),.*?partitionEpoch=(?P<partition_epoch>\d+)\).*"
    r" since we have already updated state to (?:CommittedPartitionState[\[(]isr=\w*[\[(](?P<isr>[\d, ]*)[\])]|Pending)"
)
SHRINKS = re.compile(
    rf"{PARTITION}Shrinking ISR from (?P<before>[\d,]+) to (?P<after>[\d,]+)\. "
    r"Leader: \(highWatermark: (?P<high_watermark>\d+), endOffset: (?P<end>\d+)\)\. "
    r"Out of sync replicas: (?P<slow>.*\))\."
)
SLOW = re.compile(r"\(brokerId: (\d+), endOffset: (?:(-?\d+)|unknown),")
LOADED = re.compile(
    rf"{PARTITION}Log loaded for partition \S+ with initial high watermark (?P<high_watermark>\d+)(?!\d)"
)
MOVED = re.compile(
    rf"{PARTITION}High watermark updated from \(offset=(?P<before>\d+)[, ].* to \(offset=(?P<high_watermark>\d+)[, ]"
)
READ = re.compile(
    r"Completed load of Log\(dir=[^,]*(?<!-future)(?<!-delete)(?<!-stray), "
    r".*?topic=(?P<topic>[^,]+), partition=(?P<number>\d+),.*?\) with \d+ segments, "
    r"local-log-start-offset (?P<start>\d+) and log-end-offset (?P<end>\d+) in "
)
CREATED = re.compile(rf"Created log for partition {OF} in \S+(?<!-future) with ")
CUT_BACK = re.compile(
    r"\[ReplicaFetcher replicaId=(?P<broker>\d+), leaderId=(?P<leader>\d+), fetcherId=\d+\] "
    rf"Truncating partition {OF} with TruncationState\(offset=(?P<offset>\d+), "
    r"completed=(?:(?P<completed>true)|\w+)\) due to "
    r"(?:local high watermark (?P<high_watermark>\d+)(?!\d)"
    r"|leader epoch and offset EpochEndOffset\(.*?endOffset=(?P<leader_end>-?\d+)\))"
)
COPY_CUT = re.compile(rf"\[ReplicaAlterLogDirsThread-\d+\]:? Truncating partition {OF} with ")
LOG_CUT = re.compile(
    r"\[UnifiedLog partition=(?P<topic>\S+)-(?P<number>\d+), dir=[^\]]*\] Truncating to "
    r"(?P<cuts>offset )?(?P<offset>\d+)(?!\d)"
    r"(?(cuts)| has no effect as the largest offset in the log is (?P<largest>-?\d+)(?!\d))"
)
BELOW = re.compile(rf"Truncating {OF} to offset (?P<offset>\d+) below high watermark (?P<high_watermark>\d+)(?!\d)")
BELOW_BY = re.compile(r"\[ReplicaFetcher replicaId=(\d+)")
UNCLEAN = re.compile(
    rf"UNCLEAN partition change for {OF} with topic ID [\w-]+: (?P<sets>.*?leader: -?\d+ -> (?P<leader>\d+)\b.*)"
)
SET_BEFORE = re.compile(r"\b(isr|elr|lastKnownElr): \[([\d, ]*)\] -> ")
FETCHES = re.compile(
    r"\[ReplicaFetcherManager on broker (?P<broker>\d+)\] Added fetcher to broker (?P<leader>\d+) for (?P<of>.*)",
    re.DOTALL,
)
FETCHED = re.compile(
    r"(?P<topic>[\w.-]+)-(?P<number>\d+) -> InitialFetchState\(Some\((?P<topic_id>[\w-]+)\),"
    r"BrokerEndPoint.*?[\])],(?P<leader_epoch>\d+),(?P<offset>\d+)\)"
)
FETCHES_NO_MORE = re.compile(
    r"\[ReplicaFetcherManager on broker (?P<broker>\d+)\] Removed fetcher for partitions \w+\((?P<of>[^()]*)\)"
)
FETCHED_NO_MORE = re.compile(rf"{OF}(?:,|$)")
ANNOUNCES = re.compile(rf"{BROKER}Transitioning (?P<number>\d{{1,9}}) partition\(s\) to local (?:leaders|followers)\.")
READS_LOGS = re.compile(
    r"(?:(?P<clean>Skipping recovery of)|(?P<unclean>Recovering)) \d+ logs from \S+ since "
    r"|No logs found to be loaded in "
)

Groups = Mapping[str, Any]
"""What the groups of a pattern have, by their names: those of the fields of an event. None, if one took no part."""


def _brokers(text: str) -> frozenset[int]:
    return frozenset(int(one) for one in text.replace(" ", "").split(",") if one)


VALUES: Mapping[str, Callable[[str], Any]] = {
    "bool": bool,
    "int": int,
    "str": str,
    "Brokers": _brokers,
    "tuple[Brokers, ...]": lambda text: tuple(map(_brokers, re.findall(r"\[([\d, ]*)\]", text))),
    "tuple[tuple[int, int | None], ...]": lambda text: tuple(
        (int(one[1]), None if one[2] is None else int(one[2])) for one in SLOW.finditer(text)
    ),
}
"""How a field of an event is read, by its type. One that may be None or false is so where its group took no part."""


@cache
def _fields_of(kind: type[Any]) -> tuple[tuple[str, Callable[[str], Any], Any], ...]:
    """The names of the fields, how each is read, and what it is without its group: `...` where there must be one."""
    types = {one.name: str(one.type) for one in fields(kind)}
    without = {"bool": False}
    return tuple(
        (name, VALUES[of.removesuffix(" | None")], None if of.endswith(" | None") else without.get(of, ...))
        for name, of in types.items()
    )


def _made(kind: Any, said: Groups) -> Event:
    """An event of the groups of its pattern. Raises KeyError and ValueError where one is missing, or no number."""
    found: dict[str, Any] = {}
    for name, read, without in _fields_of(kind):
        text = said[name] if without is ... else said.get(name)
        found[name] = without if text is None else read(text)
    made: Event = kind(**found)
    return made


def _kept(said: Groups) -> Iterator[Event]:
    inside = {FIELDS.get(name, name): some or one for name, some, one in FIELD.findall(said["fields"])}
    yield _made(RoleKept, {**inside, **said, "leader": inside["leader"]})


def _elected(said: Groups) -> Iterator[Event]:
    sets = {name: _brokers(some) for name, some in SET_BEFORE.findall(said["sets"])}
    isr, elr, last_known = (sets.get(name, frozenset[int]()) for name in ("isr", "elr", "lastKnownElr"))
    yield ElectedUncleanly(said["topic"], int(said["number"]), int(said["leader"]), isr | elr, last_known)


class LineForm(NamedTuple):
    """A form that a message may have, and the events that one tells of."""

    pattern: re.Pattern[str]
    events: Callable[[Groups], Iterable[Event]]

    @staticmethod
    def of(pattern: re.Pattern[str], kind: type[Event], **more: str) -> LineForm:
        """A form of one event, with what its message does not say."""
        return LineForm(pattern, lambda said: (_made(kind, {**more, **said}),))

    @staticmethod
    def several(pattern: re.Pattern[str], each: re.Pattern[str], kind: type[Event]) -> LineForm:
        """A form with a list (`of`) of events."""
        return LineForm(
            pattern, lambda said: (_made(kind, {**said, **one.groupdict()}) for one in each.finditer(said["of"]))
        )


class Phrase(NamedTuple):
    """The forms of messages that have some words. Where other lines may have them, too, `speaks` tells which are meant,
    were they not cut off."""

    forms: tuple[LineForm, ...]
    speaks: re.Pattern[str] | None = None


_READS_LOGS = Phrase(
    (LineForm(READS_LOGS, lambda said: (Process(True if said["clean"] else False if said["unclean"] else None),)),),
    READS_LOGS,
)
_WHOSE = Phrase((LineForm(WHOSE, lambda said: ()),), WHOSE)
_COPY_CUT = LineForm.of(COPY_CUT, CopyTruncated)

BEGINS: Mapping[str, Phrase] = {
    "] Transitioning ": Phrase((LineForm.of(ANNOUNCES, RolesFollow),), re.compile(rf"{BROKER}Transitioning \d+ part")),
    "] Leader ": Phrase((LineForm.of(TAKES_OVER, RoleTaken),), re.compile(rf"{BROKER}Leader ")),
    "] Follower ": Phrase((LineForm.of(FOLLOWS, RoleTaken),), re.compile(rf"{BROKER}Follower ")),
    "] Skipped the become-": Phrase((LineForm(KEEPS, _kept), LineForm(IS_NEWER, lambda said: ()))),
    "] Creating new partition ": Phrase((LineForm.of(MADE, PartitionMade),)),
    "] Expected partition ": Phrase((LineForm.of(EXPECTED, PartitionMade),)),
    "] ISR updated to ": Phrase((LineForm.of(UPDATED, IsrUpdated),)),
    "] Ignoring failed ISR update to ": Phrase((LineForm.of(IGNORES, AnswerIgnored),)),
    "] Shrinking ISR from ": Phrase((LineForm.of(SHRINKS, IsrShrinks),)),
    "] Log loaded for partition ": Phrase((LineForm.of(LOADED, LogLoaded),)),
    "] High watermark updated from ": Phrase((LineForm.of(MOVED, HighWatermarkMoved),)),
    "Completed load of Log(": Phrase(
        (LineForm.of(READ, LogRead),), re.compile(r"Log\(dir=[^,]*(?<!-future)(?<!-delete)(?<!-stray)(?:,|$)")
    ),
    "Created log for partition ": Phrase(
        (LineForm.of(CREATED, LogRead, start="0", end="0"),), re.compile(r"Created log for partition (?!.*-future )")
    ),
    "] Truncating partition ": Phrase(
        (LineForm.of(CUT_BACK, Truncated), _COPY_CUT), re.compile(r"\[ReplicaFetcher replicaId=")
    ),
    "]: Truncating partition ": Phrase((_COPY_CUT,), re.compile(r"\[ReplicaAlterLogDirsThread-")),
    "] Truncating to ": Phrase((LineForm.of(LOG_CUT, LogCut),), re.compile(r"\[UnifiedLog partition=")),
    " below high watermark ": Phrase((LineForm.of(BELOW, CutBelow),), re.compile(r"\bTruncating \S+-\d+ to offset ")),
    "UNCLEAN partition change for ": Phrase((LineForm(UNCLEAN, _elected),)),
    "[ReplicaFetcherManager on broker ": Phrase(
        (
            LineForm.several(FETCHES, FETCHED, FetcherAdded),
            LineForm.several(FETCHES_NO_MORE, FETCHED_NO_MORE, FetcherRemoved),
        ),
        re.compile(r"(?:Added fetcher to|Removed fetcher for) "),
    ),
    " logs from ": _READS_LOGS,
    "No logs found to be loaded in ": Phrase(_READS_LOGS.forms),
    "Server id=": _WHOSE,
    "KafkaRaftServer nodeId=": _WHOSE,
}
"""The words with which a message begins that is of use."""


def events_of(lines: Iterable[str], name: str) -> tuple[list[BrokerEvent], list[Place]]:
    """What the lines of one file tell, in their order, and where a message is cut off."""
    return events_in(((number, line, line) for number, line in enumerate(lines, start=1)), name)


def events_in(numbered: Iterable[tuple[int, str, str]], name: str) -> tuple[list[BrokerEvent], list[Place]]:
    """The same of messages with their numbers and whole lines: those without a word of `BEGINS` may be left out.

    A last line without its end may be cut in a number, and counts as cut.
    """
    events: list[BrokerEvent] = []
    cut: list[Place] = []
    speakers = Speakers()
    unsaid: dict[int, Labels] = {}
    for number, line, whole in numbered:
        for begins, words in BEGINS.items():
            if begins not in line:
                continue
            place = Place(name, line=number)
            matches = ((form, found) for form in words.forms if (found := form.pattern.search(line)) is not None)
            form, found = next(matches, (None, None))
            if form is not None and found is not None and line.endswith("\n"):
                try:
                    said = found.groupdict()
                    by = BELOW_BY.search(line) if found.re is BELOW else None
                    broker = int(by[1] if by is not None else said.get("broker") or UNKNOWN_BROKER)
                    told = [BrokerEvent(place, broker, event) for event in form.events({"leader": broker, **said})]
                except (KeyError, ValueError):  # a field is missing, or no number
                    cut.append(place)
                    break
                if broker != UNKNOWN_BROKER and (told or form.pattern is WHOSE):
                    speakers.hears(broker, labels_of(whole))
                elif told:
                    unsaid[number] = labels_of(whole)
                events += told
                break
            if words.speaks is None or words.speaks.search(line):
                cut.append(place)
                break
    whose = {number: speakers.whose(labels) for number, labels in unsaid.items()}
    for at, one in enumerate(events):
        if one.broker == UNKNOWN_BROKER:
            events[at] = replace(one, broker=whose[one.place.line or 0])
    return events, cut


# -- zookeeper --------------------------------------------------------------------------------------------------------
# Lines of a cluster on ZooKeeper: no broker or controller of KRaft writes them.

WORDS = ("LeaderAndIsr request", "UpdateMetadata request", "[KafkaServer id=")
"""Requests by which such a controller tells brokers what it has decided, and the name of their process."""


def is_of_zookeeper(message: str) -> bool:
    """Whether only a process of ZooKeeper's time says that."""
    return any(word in message for word in WORDS)
