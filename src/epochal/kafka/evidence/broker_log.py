"""What a broker says in its logs of the partitions it holds: `state-change.log` and `server.log` of Kafka 3.9 to 4.3.

A line is recognised by its message, wherever in the line that begins: layouts of log4j differ. Who speaks is in the
message, too; where it is not (what a log says of itself), it is the one broker that writes the file, or of several the
one that what stands beside the message tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import msgspec

from .broker_events import (
    UNKNOWN_BROKER,
    AnswerIgnored,
    BrokerEvent,
    CopyTruncated,
    CutBelow,
    ElectedUncleanly,
    Event,
    FetcherAdded,
    FetcherRemoved,
    HighWatermarkMoved,
    IsrShrinks,
    IsrUpdated,
    LogCut,
    LogLoaded,
    LogRead,
    PartitionMade,
    Process,
    RoleKept,
    RolesFollow,
    RoleTaken,
    Truncated,
)
from .place import Place
from .request_log import Request

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


def messages(lines: Iterable[str]) -> Iterator[str]:
    """The messages, a line each."""
    return map(message_of, lines)


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
# `docker compose logs` and `kubectl logs --prefix` write a name before each line, syslog a host, and log stores have
# a
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


BROKER = r"\[Broker id=(?P<broker>\d+)\] "
PARTITION = r"\[Partition (?P<topic>\S+)-(?P<number>\d+) broker=(?P<broker>\d+)\] "
OF = r"(?P<topic>\S+)-(?P<number>\d+)"
PREVIOUS = (
    r"Previous leader (?:None|Some\((?P<previous>-?\d+)\)) and previous leader epoch was (?P<epoch_before>-?\d+)\."
)

WHOSE = re.compile(r"\[(?:BrokerServer id|SharedServer id|KafkaRaftServer nodeId)=(\d+)\]")

TAKES_OVER = re.compile(
    rf"{BROKER}Leader {OF} with topic id Some\((?P<id>[\w-]+)\) starts at leader epoch (?P<epoch>\d+) "
    r"from offset (?P<offset>\d+) with partition epoch (?P<partition_epoch>\d+), high watermark (?P<hw>\d+), "
    r"ISR \[(?P<isr>[\d, ]*)\], adding replicas \[(?P<adding>[\d, ]*)\] and removing replicas \[(?P<removing>[\d, ]*)\]"
    rf".*?{PREVIOUS}"
)
FOLLOWS = re.compile(
    rf"{BROKER}Follower {OF} starts at leader epoch (?P<epoch>\d+) from offset (?P<offset>\d+) "
    r"with partition epoch (?P<partition_epoch>\d+) and high watermark (?P<hw>\d+)\. "
    rf"Current leader is (?P<leader>-?\d+)\. {PREVIOUS}"
)
KEEPS = re.compile(
    rf"{BROKER}Skipped the become-(?P<role>leader|follower) state change for {OF} with topic id Some\((?P<id>[\w-]+)\)"
    r"(?: and partition state|, partition registration) \w+\((?P<fields>[^()]*)\) (?:and isNew=\w+ )?"
    r"since it is already (?:the leader|a follower) with leader epoch (?P<epoch>\d+)\."
    r"(?: Current high watermark (?P<hw>\d+), ISR \[(?P<isr>[\d, ]*)\], adding replicas \[(?P<adding>[\d, ]*)\] "
    r"and removing replicas \[(?P<removing>[\d, ]*)\]\.)?"
)
FIELD = re.compile(r"(\w+)=(?:\[([^\]]*)\]|([^,]*))")
IS_NEWER = re.compile(r"since the (?:leader|follower) is already at a newer partition epoch")
MADE = re.compile(
    rf"{BROKER}(?:Creating new partition {OF} with topic id (?P<id>[\w-]+)\."
    r"|Expected partition (?P<other>\S+)-(?P<another>\d+) with topic id (?P<known>[\w-]+) "
    r"to exist, but it was missing)"
)
UPDATED = re.compile(
    rf"{PARTITION}ISR updated to (?P<isr>[\d,]+) (?P<short>\(under-min-isr\))?"
    r".*?and version updated to (?P<epoch>\d+)(?!\d)"
)
IGNORES = re.compile(
    rf"{PARTITION}Ignoring failed ISR update to Pending(?:Expand|Shrink)Isr\((?:newInSyncReplicaId=(?P<added>\d+))?"
    r".*?leaderEpoch=(?P<epoch>\d+),.*?partitionEpoch=(?P<partition_epoch>\d+)\).*"
    r" since we have already updated state to (?:CommittedPartitionState[\[(]isr=\w*[\[(](?P<isr>[\d, ]*)[\])]|Pending)"
)
SHRINKS = re.compile(
    rf"{PARTITION}Shrinking ISR from (?P<before>[\d,]+) to (?P<after>[\d,]+)\. "
    r"Leader: \(highWatermark: (?P<hw>\d+), endOffset: (?P<end>\d+)\)\. Out of sync replicas: (?P<slow>.*\))\."
)
SLOW = re.compile(r"\(brokerId: (\d+), endOffset: (?:(-?\d+)|unknown),")
LOADED = re.compile(rf"{PARTITION}Log loaded for partition \S+ with initial high watermark (?P<hw>\d+)(?!\d)")
MOVED = re.compile(
    rf"{PARTITION}High watermark updated from \(offset=(?P<before>\d+)[, ].* to \(offset=(?P<hw>\d+)[, ]"
)
READ = re.compile(
    r"Completed load of Log\(dir=[^,]*(?<!-future)(?<!-delete)(?<!-stray), "
    r".*?topic=(?P<topic>[^,]+), partition=(?P<number>\d+),.*?\) with \d+ segments, "
    r"local-log-start-offset (?P<start>\d+) and log-end-offset (?P<end>\d+) in "
)
CREATED = re.compile(rf"Created log for partition {OF} in \S+(?<!-future) with ")
CUT_BACK = re.compile(
    r"\[ReplicaFetcher replicaId=(?P<broker>\d+), leaderId=(?P<leader>\d+), fetcherId=\d+\] "
    rf"Truncating partition {OF} with TruncationState\(offset=(?P<offset>\d+), completed=(?P<completed>\w+)\) due to "
    r"(?:local high watermark (?P<hw>\d+)(?!\d)|leader epoch and offset EpochEndOffset\(.*?endOffset=(?P<end>-?\d+)\))"
)
COPY_CUT = re.compile(rf"\[ReplicaAlterLogDirsThread-\d+\]:? Truncating partition {OF} with ")
LOG_CUT = re.compile(
    r"\[UnifiedLog partition=(?P<topic>\S+)-(?P<number>\d+), dir=[^\]]*\] Truncating to "
    r"(?:offset (?P<offset>\d+)(?!\d)"
    r"|(?P<end>\d+) has no effect as the largest offset in the log is (?P<largest>-?\d+)(?!\d))"
)
BELOW = re.compile(rf"Truncating {OF} to offset (?P<offset>\d+) below high watermark (?P<hw>\d+)(?!\d)")
BELOW_BY = re.compile(r"\[ReplicaFetcher replicaId=(\d+)")
UNCLEAN = re.compile(
    rf"UNCLEAN partition change for {OF} with topic ID [\w-]+: (?P<sets>.*?leader: -?\d+ -> (?P<leader>\d+)\b.*)"
)
SET_BEFORE = re.compile(r"\b(isr|elr|lastKnownElr): \[([\d, ]*)\] -> ")
FETCHES = re.compile(
    r"\[ReplicaFetcherManager on broker (?P<broker>\d+)\] Added fetcher to broker (?P<leader>\d+) for "
)
FETCHED = re.compile(
    r"(?P<topic>[\w.-]+)-(?P<number>\d+) -> InitialFetchState\(Some\((?P<id>[\w-]+)\),"
    r"BrokerEndPoint.*?[\])],(?P<epoch>\d+),(?P<offset>\d+)\)"
)
FETCHES_NO_MORE = re.compile(
    r"\[ReplicaFetcherManager on broker (?P<broker>\d+)\] Removed fetcher for partitions \w+\((?P<of>[^()]*)\)"
)
ANNOUNCES = re.compile(rf"{BROKER}Transitioning (?P<many>\d{{1,9}}) partition\(s\) to local (?:leaders|followers)\.")
READS_LOGS = re.compile(
    r"(?:(?P<clean>Skipping recovery of)|(?P<unclean>Recovering)) \d+ logs from \S+ since "
    r"|No logs found to be loaded in "
)

BEGINS: Mapping[str, tuple[re.Pattern[str], ...]] = {
    "] Transitioning ": (ANNOUNCES,),
    "] Leader ": (TAKES_OVER,),
    "] Follower ": (FOLLOWS,),
    "] Skipped the become-": (KEEPS, IS_NEWER),
    "] Creating new partition ": (MADE,),
    "] Expected partition ": (MADE,),
    "] ISR updated to ": (UPDATED,),
    "] Ignoring failed ISR update to ": (IGNORES,),
    "] Shrinking ISR from ": (SHRINKS,),
    "] Log loaded for partition ": (LOADED,),
    "] High watermark updated from ": (MOVED,),
    "Completed load of Log(": (READ,),
    "Created log for partition ": (CREATED,),
    "] Truncating partition ": (CUT_BACK, COPY_CUT),
    "]: Truncating partition ": (COPY_CUT,),
    "] Truncating to ": (LOG_CUT,),
    " below high watermark ": (BELOW,),
    "UNCLEAN partition change for ": (UNCLEAN,),
    "[ReplicaFetcherManager on broker ": (FETCHES, FETCHES_NO_MORE),
    " logs from ": (READS_LOGS,),
    "No logs found to be loaded in ": (READS_LOGS,),
    "Server id=": (WHOSE,),
    "KafkaRaftServer nodeId=": (WHOSE,),
}
"""How a message begins that is of use, and the forms it may have."""

SPEAKS = {
    "] Transitioning ": re.compile(rf"{BROKER}Transitioning \d+ part"),
    "] Leader ": re.compile(rf"{BROKER}Leader "),
    "] Follower ": re.compile(rf"{BROKER}Follower "),
    "[ReplicaFetcherManager on broker ": re.compile(r"(?:Added fetcher to|Removed fetcher for) "),
    "] Truncating partition ": re.compile(r"\[ReplicaFetcher replicaId="),
    "]: Truncating partition ": re.compile(r"\[ReplicaAlterLogDirsThread-"),
    "] Truncating to ": re.compile(r"\[UnifiedLog partition="),
    " below high watermark ": re.compile(r"\bTruncating \S+-\d+ to offset "),
    "Completed load of Log(": re.compile(r"Log\(dir=[^,]*(?<!-future)(?<!-delete)(?<!-stray)(?:,|$)"),
    "Created log for partition ": re.compile(r"Created log for partition (?!.*-future )"),
    " logs from ": READS_LOGS,
    "Server id=": WHOSE,
    "KafkaRaftServer nodeId=": WHOSE,
}
"""Where other lines may have such words, too: what makes them the ones that are meant, were they not cut off."""


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
        for begins, forms in BEGINS.items():
            if begins not in line:
                continue
            place = Place(name, line=number)
            found = next((match for form in forms if (match := form.search(line)) is not None), None)
            if found is not None and line.endswith("\n"):
                try:
                    if found.re is WHOSE:
                        speakers.hears(int(found[1]), labels_of(whole))
                        break
                    told = [BrokerEvent(place, broker, event) for broker, event in _events(found, line)]
                    if told and told[0].broker == UNKNOWN_BROKER:
                        unsaid[number] = labels_of(whole)
                    elif told:
                        speakers.hears(told[0].broker, labels_of(whole))
                    events += told
                except (KeyError, ValueError):  # a field is missing, or no number
                    cut.append(place)
                break
            if begins not in SPEAKS or SPEAKS[begins].search(line):
                cut.append(place)
                break
    whose = {number: speakers.whose(labels) for number, labels in unsaid.items()}
    for at, one in enumerate(events):
        if one.broker == UNKNOWN_BROKER:
            events[at] = replace(one, broker=whose[one.place.line or 0])
    return events, cut


def _events(found: re.Match[str], line: str) -> Iterator[tuple[int, Event]]:
    """What a line tells, each with its broker."""
    said = found.groupdict()
    by = BELOW_BY.search(line) if found.re is BELOW else None
    broker = int(by[1] if by is not None else said.get("broker") or UNKNOWN_BROKER)
    if found.re is ANNOUNCES:
        yield broker, RolesFollow(int(said["many"]))
    elif found.re is READS_LOGS:
        yield broker, Process(True if said["clean"] else False if said["unclean"] else None)
    elif found.re is FETCHES:
        for one in FETCHED.finditer(line, found.end()):
            leader, epoch = int(said["leader"]), int(one["epoch"])
            yield broker, FetcherAdded(one["topic"], int(one["number"]), leader, epoch, one["id"])
    elif found.re is FETCHES_NO_MORE:
        for of in re.finditer(r"(\S+)-(\d+)(?:,|$)", said["of"]):
            yield broker, FetcherRemoved(of[1], int(of[2]))
    elif found.re is MADE and said["other"] is not None:
        yield broker, PartitionMade(said["other"], int(said["another"]), said["known"])
    elif found.re is not IS_NEWER:
        yield broker, _of_partition(found, said)


def _of_partition(found: re.Match[str], said: Mapping[str, str]) -> Event:
    """What a line tells of one partition."""
    topic, number = said["topic"], int(said["number"])
    if found.re in (TAKES_OVER, FOLLOWS):
        return _role(topic, number, said)
    if found.re is KEEPS:
        return _role_kept(topic, number, said)
    if found.re is UPDATED:
        return IsrUpdated(topic, number, _brokers(said["isr"]), int(said["epoch"]), said["short"] is not None)
    if found.re is IGNORES:
        added = None if said["added"] is None else int(said["added"])
        isr = None if said["isr"] is None else _brokers(said["isr"])
        return AnswerIgnored(topic, number, added, int(said["epoch"]), int(said["partition_epoch"]), isr)
    if found.re is SHRINKS:
        slow = tuple((int(one[1]), None if one[2] is None else int(one[2])) for one in SLOW.finditer(said["slow"]))
        before, after = _brokers(said["before"]), _brokers(said["after"])
        return IsrShrinks(topic, number, before, after, int(said["hw"]), int(said["end"]), slow)
    if found.re is LOADED:
        return LogLoaded(topic, number, int(said["hw"]))
    if found.re is MOVED:
        return HighWatermarkMoved(topic, number, int(said["before"]), int(said["hw"]))
    if found.re is CREATED:
        return LogRead(topic, number, 0, 0)
    if found.re is READ:
        return LogRead(topic, number, int(said["start"]), int(said["end"]))
    if found.re is CUT_BACK:
        hw, end = (None if said[name] is None else int(said[name]) for name in ("hw", "end"))
        completed = said["completed"] == "true"
        return Truncated(topic, number, int(said["leader"]), int(said["offset"]), completed, hw, end)
    if found.re is COPY_CUT:
        return CopyTruncated(topic, number)
    if found.re is LOG_CUT:
        largest = None if said["largest"] is None else int(said["largest"])
        return LogCut(topic, number, int(said["offset"] or said["end"]), largest)
    if found.re is BELOW:
        return CutBelow(topic, number, int(said["offset"]), int(said["hw"]))
    if found.re is UNCLEAN:
        sets = {name: _brokers(some) for name, some in SET_BEFORE.findall(said["sets"])}
        isr, elr, last_known = (sets.get(name, frozenset[int]()) for name in ("isr", "elr", "lastKnownElr"))
        return ElectedUncleanly(topic, number, int(said["leader"]), isr | elr, last_known)
    return PartitionMade(topic, number, said["id"])


def _role(topic: str, number: int, said: Mapping[str, str]) -> RoleTaken:
    leads = "leader" not in said
    return RoleTaken(
        topic,
        number,
        leads=leads,
        leader=int(said["broker"] if leads else said["leader"]),
        leader_epoch=int(said["epoch"]),
        partition_epoch=int(said["partition_epoch"]),
        offset=int(said["offset"]),
        high_watermark=int(said["hw"]),
        isr=_brokers(said["isr"]) if leads else None,
        adding=_brokers(said["adding"]) if leads else None,
        removing=_brokers(said["removing"]) if leads else None,
        previous=None if said["previous"] is None else int(said["previous"]),
        previous_epoch=int(said["epoch_before"]),
        topic_id=said.get("id"),
    )


def _role_kept(topic: str, number: int, said: Mapping[str, str]) -> RoleKept:
    fields: dict[str, str] = {name: some or one for name, some, one in FIELD.findall(said["fields"])}
    return RoleKept(
        topic,
        number,
        leads=said["role"] == "leader",
        leader=int(fields["leader"]),
        leader_epoch=int(fields["leaderEpoch"]),
        partition_epoch=int(fields["partitionEpoch"]),
        isr=_brokers(fields["isr"]),
        adding=_brokers(fields["addingReplicas"]),
        removing=_brokers(fields["removingReplicas"]),
        replicas=_brokers(fields["replicas"]),
        elr=_brokers(fields["elr"]) if "elr" in fields else None,
        high_watermark=None if said["hw"] is None else int(said["hw"]),
        already=int(said["epoch"]),
        now=None if said["hw"] is None else tuple(_brokers(said[name]) for name in ("isr", "adding", "removing")),
        topic_id=said["id"],
    )


def _brokers(text: str) -> frozenset[int]:
    return frozenset(int(one) for one in text.replace(" ", "").split(",") if one)


# -- zookeeper --------------------------------------------------------------------------------------------------------
# Lines of a cluster on ZooKeeper: no broker or controller of KRaft writes them.

WORDS = ("LeaderAndIsr request", "UpdateMetadata request", "[KafkaServer id=")
"""Requests by which such a controller tells brokers what it has decided, and the name of their process."""


def is_of_zookeeper(message: str) -> bool:
    """Whether only a process of ZooKeeper's time says that."""
    return any(word in message for word in WORDS)
