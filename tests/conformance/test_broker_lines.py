"""Logs as they are found: other layouts, rotated, compressed, cut, with garbage; and topics that are made anew."""

from __future__ import annotations

import gzip
import re
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import epochal
from epochal.api.conform import told_together
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.evidence.broker_log import (
    UNKNOWN_BROKER,
    CopyTruncated,
    LogRead,
    Process,
    RoleKept,
    RoleTaken,
    events_of,
    labels_of,
)
from epochal.kafka.evidence.place import Place
from epochal.kafka.validation.controller import MAY_BE, RuleSet, judge_controller, settled
from epochal.kafka.validation.image import BrokerChange
from epochal.kafka.validation.noticed import N1, N2, S27, SHORT, Noticed, Weight
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS
from tests.conformance.evidence import (
    FOLDER,
    MadeUp,
    changed,
    judged_brokers,
    judged_files,
    line_of,
    logs_of,
    of_archive,
)
from tests.conformance.test_noticed import BEGINNING, noticed_in, partition, record

NAME = "preferred-election-4.3.1"
STATE, SERVER = "node-2/logs/state-change.log", "node-1/logs/server.log"
GARBAGE = bytes(range(256)) * 3


def test_a_line_that_is_cut_in_the_middle(tmp_path: Path) -> None:
    """It is counted, with its place, and those around it are judged."""
    number = line_of(NAME, STATE, "Leader t-0")
    files = changed(NAME, STATE, number, lambda line: [line[: len(line) // 2] + b"\n"])
    verdict = judged_files(NAME, files, tmp_path)
    assert [str(place) for place in verdict.cut] == [f"{STATE}:{number}"]
    assert verdict.refused == [] and verdict.accepted == judged_brokers(NAME).accepted - 1


def test_a_log_that_ends_in_the_middle_of_a_number(tmp_path: Path) -> None:
    """ "version updated to 1" may have been 12: a last line without its end is not believed."""
    name, file = "isr-shrink-4.3.1", "node-1/logs/server.log"
    number = line_of(name, file, "version updated to 2")
    lines = logs_of(name)[file].splitlines(keepends=True)[:number]
    lines[-1] = lines[-1].split(b" (kafka")[0].replace(b"to 2", b"to 1")
    verdict = judged_files(name, {**logs_of(name), file: b"".join(lines)}, tmp_path)
    assert [str(place) for place in verdict.cut] == [f"{file}:{number}"] and verdict.refused == []


def test_garbage_between_lines(tmp_path: Path) -> None:
    """Zeros and other bytes are no lines of use, wherever they stand; the numbers of lines stay those of an editor."""
    files = {
        name: b"".join(GARBAGE + b"\n" + line for line in content.splitlines(keepends=True))
        for name, content in logs_of(NAME).items()
    }
    verdict = judged_files(NAME, files, tmp_path / "between")
    assert verdict.refused == [] and verdict.cut == () and verdict.accepted == judged_brokers(NAME).accepted
    number = line_of(NAME, STATE, "Leader t-0")
    content = files[STATE].replace(b"ISR [2,3]", b"ISR [2]")
    refused = judged_files(NAME, {**files, STATE: content}, tmp_path / "refused").refused
    garbage = GARBAGE.count(b"\n") + 1
    assert [str(one.place) for one in refused] == [f"{STATE}:{number * (garbage + 1)}"]


def test_a_field_that_is_not_there(tmp_path: Path) -> None:
    number = line_of(NAME, STATE, "Skipped the become-leader")
    files = changed(NAME, STATE, number, lambda line: [line.replace(b"isr=[", b"\xff=[")])
    verdict = judged_files(NAME, files, tmp_path)
    assert [str(place) for place in verdict.cut] == [f"{STATE}:{number}"] and verdict.refused == []


def test_other_layouts(tmp_path: Path) -> None:
    """Only the message is read: levels, loggers and threads may stand around it, and days may be written otherwise."""
    stamp = re.compile(rb"^\[(\S+) (\S+?),(\d+)\] (\w+) (.*?)( \([\w.$]+\))?$", re.MULTILINE)
    layouts = {
        "plain": rb"\1 \2,\3 \4 \5",
        "threads": rb"\1T\2.\3Z \4 [kafka-thread-1] some.logger - \5",
        "crlf": rb"[\1 \2,\3] \4 \5\6\r",
    }
    for name, layout in layouts.items():
        files = {file: stamp.sub(layout, content) for file, content in logs_of(NAME).items()}
        verdict = judged_files(NAME, files, tmp_path / name)
        assert verdict.refused == [] and verdict.cut == ()
        assert verdict.judged == judged_brokers(NAME).judged, name


def test_rotated_and_compressed_files_are_one_log(tmp_path: Path) -> None:
    """In the order in which they begin, whatever they are called: the other way round a broker would go back."""
    lines = logs_of(NAME)[STATE].splitlines(keepends=True)
    half = line_of(NAME, STATE, "Leader t-0")
    files = dict(logs_of(NAME))
    for ending in (".2026-11-23-00", ".1", ".2026-11-23-00.gz"):
        first = b"".join(lines[:half])
        files[STATE] = b"".join(lines[half:])
        put = {**files, STATE + ending: gzip.compress(first) if ending.endswith(".gz") else first}
        verdict = judged_files(NAME, put, tmp_path / ending)
        assert verdict.refused == [] and verdict.judged == judged_brokers(NAME).judged
    stamped = {
        **files,
        STATE: b"".join(lines[:half]).replace(b"2026-11-23", b"2026-11-24"),
        f"{STATE}.1": b"".join(lines[half:]),
    }
    refused = judged_files(NAME, stamped, tmp_path / "swapped").refused
    assert refused[0].place.file.startswith(STATE)


def test_several_brokers_in_one_file(tmp_path: Path) -> None:
    """Lines that name their broker are judged; of the others nobody knows who wrote them."""
    merged = b"".join(logs_of(NAME)[f"node-{number}/logs/server.log"] for number in (1, 2, 3))
    kept = {name: content for name, content in logs_of(NAME).items() if not name.endswith("server.log")}
    verdict = judged_files(NAME, {**kept, "all.log": merged}, tmp_path)
    assert verdict.refused == [] and verdict.brokers == {1, 2, 3}
    assert verdict.left_out == {"which broker wrote the line is not known": 5}
    events, _ = events_of([line + "\n" for line in merged.decode().splitlines()], "all.log")
    assert [one.event.end for one in events if one.broker == UNKNOWN_BROKER and isinstance(one.event, LogRead)] == [
        *(0, 2, 0, 0, 0)
    ]


def test_without_some_logs_the_others_are_judged(tmp_path: Path) -> None:
    files = {name: content for name, content in logs_of(NAME).items() if name.startswith("node-3")}
    verdict = judged_files(NAME, files, tmp_path)
    assert verdict.refused == [] and verdict.brokers == {3} and verdict.accepted > 0


def test_another_topic_of_the_same_name(tmp_path: Path) -> None:
    """A topic id that the metadata log does not have: lines of it are not judged, not even those without the id."""
    content = re.sub(rb"topic id (Some\()?[\w-]+", rb"topic id \1AAAAAAAAAAAAAAAAAAAAAA", logs_of(NAME)[STATE])
    verdict = judged_files(NAME, {STATE: content}, tmp_path)
    assert verdict.refused == [] and verdict.accepted == 0
    assert verdict.left_out == {"the metadata log here has no topic of that id": 7}


def test_both_forms_of_a_change_within_a_leader_epoch() -> None:
    """Kafka 3.9 prints the request of a ZooKeeper controller, 4.3 the registration."""
    for name in ("preferred-election-3.9.2", NAME):
        lines = logs_of(name)[STATE].decode().splitlines(keepends=True)
        kept = [one.event for one in events_of(lines, STATE)[0] if isinstance(one.event, RoleKept)]
        assert [(one.leader, one.leader_epoch, one.partition_epoch, one.high_watermark) for one in kept] == [
            (2, 1, 2, 4)
        ]
        assert kept[0].isr == kept[0].replicas == {1, 2, 3} and kept[0].adding == frozenset()
        assert kept[0].elr == (None if "3.9" in name else frozenset())


def test_no_leader_is_read() -> None:
    name, file = "unclean-election-4.3.1", "node-2/logs/state-change.log"
    lines = logs_of(name)[file].decode().splitlines(keepends=True)
    events = (one.event for one in events_of(lines, file)[0])
    roles = [event for event in events if isinstance(event, RoleTaken) and event.topic == "t"]
    assert [(one.leader, one.previous, one.previous_epoch) for one in roles] == [
        (1, None, -1),
        (-1, None, -1),
        (2, -1, 1),
    ]


def test_followers_that_a_leader_knows_nothing_of(tmp_path: Path) -> None:
    """Kafka prints "unknown" for a replica that it has no state of; several stand one after the other."""
    name, file = "isr-shrink-4.3.1", "node-1/logs/server.log"
    number = line_of(name, file, "Shrinking ISR")
    unknown = b"(brokerId: 2, endOffset: unknown, lastCaughtUpTimeMs: unknown) (brokerId: 3,"
    for after, refused in ((b"to 1.", False), (b"to 1,2.", True)):

        def edit(line: bytes, to: bytes = after) -> list[bytes]:
            return [line.replace(b"to 1,2.", to).replace(b"(brokerId: 3,", unknown)]

        verdict = judged_files(name, changed(name, file, number, edit), tmp_path / str(refused))
        assert [one.place.line for one in verdict.refused] == ([number] if refused else [])


def test_an_isr_below_its_least_size(tmp_path: Path) -> None:
    """The answer then says so between the ISR and its version."""
    name, file = "isr-shrink-4.3.1", "node-1/logs/server.log"
    number = line_of(name, file, "version updated to 2")
    files = changed(name, file, number, lambda line: [line.replace(b"1,2,3  and", b"1,2,3 (under-min-isr) and")])
    verdict = judged_files(name, files, tmp_path)
    assert verdict.cut == () and verdict.refused == [] and verdict.judged == judged_brokers(name).judged


def test_replicas_between_directories_are_no_followers() -> None:
    """A replica that moves to another log directory has a second log, which ends elsewhere and is truncated, too."""
    line = "[2026-11-23 00:00:00,000] INFO {} Truncating partition t-0 with TruncationState(offset=3, completed=true)\n"
    for whose in ("[ReplicaAlterLogDirsThread-0]", "[ReplicaAlterLogDirsThread-0]:"):
        (one,), cut = events_of([line.format(whose)], "server.log")
        assert isinstance(one.event, CopyTruncated) and cut == []
    moving = (
        "[2026-11-23 00:00:00,000] INFO Completed load of Log(dir=/data/t-0.0a1b-future, topicId=A, topic=t, "
        "partition=0, highWatermark=0) with 1 segments, local-log-start-offset 0 and log-end-offset 1 in 9ms\n",
        "[2026-11-23 00:00:00,000] INFO Created log for partition t-0 in /data/t-0.0a1b-future with properties {}\n",
    )
    assert events_of(moving, "server.log") == ([], [])
    assert len(events_of([line.replace(".0a1b-future", "") for line in moving], "server.log")[0]) == 2
    fetcher = "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0]"
    assert len(events_of([line.format(fetcher)], "server.log")[1]) == 1  # that one does not say why


# Whose line it is in a file that several brokers wrote: what stands beside a message, if it tells brokers apart.

AT = "[2026-11-23 00:34:48,346] INFO"
SPEAKS = AT + " [Broker id={}] Transitioning 1 partition(s) to local leaders. (state.change.logger)\n"
STARTS = AT + " Recovering 1 logs from /data since no clean shutdown file was found (kafka.log.LogManager)\n"
MADE = AT + " Created log for partition t-0 in /data/t-0 with properties {{}} (kafka.log.LogManager)\n"

BEFORE = {
    "docker compose": "kafka-{}  | ",
    "kubectl": "[pod/kafka-{}/kafka] ",
    "stern": "kafka-{} kafka ",
    "syslog": "Nov 23 00:34:4{} host-{} kafka[7]: ",
    "a time of its own": "2026-11-23T00:34:48.{}Z kafka-{} ",
}


@pytest.mark.parametrize("name", BEFORE)
def test_words_before_a_line(name: str) -> None:
    before = BEFORE[name]
    lines = [
        before.format(broker, broker) + line.format(broker) for line in (SPEAKS, STARTS, MADE) for broker in (1, 2)
    ]
    events, cut = events_of(lines, "all.log")
    assert cut == []
    assert [one.broker for one in events if isinstance(one.event, Process | LogRead)] == [1, 2, 1, 2]


def test_where_every_line_has_the_same_words() -> None:
    lines = [f"kafka | {SPEAKS.format(1)}", f"kafka | {SPEAKS.format(2)}", f"kafka | {STARTS}"]
    assert [one.broker for one in events_of(lines, "all.log")[0]] == [1, 2, UNKNOWN_BROKER]


def test_where_words_tell_different_things() -> None:
    """A name that stands before the lines of each of two brokers in another place."""
    lines = [f"a x | {SPEAKS.format(1)}", f"b y | {SPEAKS.format(2)}", f"a y | {STARTS}"]
    assert [one.broker for one in events_of(lines, "all.log")[0]] == [1, 2, UNKNOWN_BROKER]


THREAD = "[2026-11-23 00:34:48,346] [{}] INFO "
LAYOUTS = (THREAD, "00:34:48.346 [{}] INFO  ", "2026-11-23T00:34:48.346Z 00:34:48 [{}] INFO ", "[{}] INFO ")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_thread_is_no_broker(layout: str) -> None:
    """Two brokers, each of which has said its number in another thread; the line is of the first one's or of none's."""
    said = [
        layout.format(thread) + SPEAKS.format(at).partition("INFO ")[2] for at, thread in ((1, "main"), (2, "pool"))
    ]
    lines = [*said, layout.format("pool") + STARTS.partition("INFO ")[2]]
    assert [one.broker for one in events_of(lines, "all.log")[0]] == [1, 2, UNKNOWN_BROKER]
    named = [f"kafka-{at}  | {line}" for at, line in zip((1, 2, 1), lines, strict=True)]
    known = 1 if "00:34" in layout else UNKNOWN_BROKER
    assert [one.broker for one in events_of(named, "all.log")[0]] == [1, 2, known]


def test_one_broker_wrote_it_all() -> None:
    lines = [f"[main] {SPEAKS.format(3)}", f"[pool-7-thread-1] {STARTS}"]
    assert [one.broker for one in events_of(lines, "server.log")[0]] == [3, 3]


def test_fields_of_json_that_name_a_source() -> None:
    line = '{"kubernetes": {"pod_name": "kafka-1", "labels": {"app": "kafka"}}, "message": "text", "level": "INFO"}'
    assert labels_of(line) == {".kubernetes.pod_name": "kafka-1", ".kubernetes.labels.app": "kafka"}
    assert labels_of('{"message": ') == labels_of("[" * 9) == labels_of("no level and no time") == {}


# What logs tell without a metadata log; and of a cluster on ZooKeeper, which has none.

ROLE = (
    "[2026-07-01 03:12:0{second},001] INFO [Broker id=1] Leader t-0 with topic id Some(AAAAAAAAAAAAAAAAAAAAAA) starts "
    "at leader epoch {epoch} from offset 5 with partition epoch {epoch}, high watermark 5, ISR [1,2], adding "
    "replicas [] and removing replicas [] . Previous leader Some(1) and previous leader epoch was {before}. "
    "(state.change.logger)\n"
)
FOLLOWS = (
    "[2026-07-01 03:12:0{second},001] INFO [Broker id=2] Follower t-0 starts at leader epoch {epoch} from offset 5 "
    "with partition epoch {epoch} and high watermark 5. Current leader is {leader}. Previous leader Some(1) and "
    "previous leader epoch was 0. (state.change.logger)\n"
)
UNCLEAN = (
    "[2026-07-01 03:11:38,101] INFO [QuorumController id=1] UNCLEAN partition change for {name} with topic ID "
    "AAAAAAAAAAAAAAAAAAAAAA: {sets}leader: 1 -> 2, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 2 -> 3, "
    "{more}partitionEpoch: 5 -> 6 (org.apache.kafka.controller.ReplicationControlManager)\n"
)
BELOW = (
    "[2026-07-01 03:12:05,121] WARN {who} Truncating drill-0 to offset 31000 below high watermark 58000 (kafka.log)\n"
)


def conform(folder: Path, **files: str) -> epochal.Conformance:
    for name, text in files.items():
        (folder / f"{name}.log").write_text(text)
    return epochal.conform(folder)


@pytest.mark.parametrize(
    ("who", "broker"),
    [
        ("[UnifiedLog partition=drill-0, dir=/var/lib/kafka/data]", "a replica"),
        ("[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0]", "broker 1"),
    ],
)
def test_what_was_committed_is_cut_off(tmp_path: Path, who: str, broker: str) -> None:
    """The warning of 4.2 and newer, and that of older releases."""
    result = conform(tmp_path, server=BELOW.format(who=who))
    assert result.exit_code == ExitCode.INCONCLUSIVE
    assert result.headline.endswith(
        "nothing could be checked: there is no metadata log; of 1 partition a replica has cut off what was committed"
    )
    (one,) = result.judged.noticed
    assert (one.partition, str(one.place), one.weight) == ("drill-0", "server.log:1", Weight.GONE)
    assert one.says == (
        f"{broker}: truncation to 31000, and the high watermark was 58000: what was committed between is gone there"
    )
    assert one.about.startswith(f"{S27}, a crash") and N1 in one.about


def test_an_election_is_told_by_the_controller(tmp_path: Path) -> None:
    """It explains what a replica has cut off."""
    elected = UNCLEAN.format(name="drill-0", sets="isr: [1] -> [2], ", more="elr: [3] -> [], ")
    known = UNCLEAN.format(name="u-0", sets="isr: [] -> [2], ", more="lastKnownElr: [2] -> [], ")
    result = conform(tmp_path, controller=elected + known, server=BELOW.format(who="[ReplicaFetcher replicaId=1]"))
    cut, unclean, last_known = result.judged.noticed
    assert (cut.weight, cut.about) == (Weight.GONE, S27)
    assert (unclean.about, unclean.says) == (S27, "unclean election of broker 2: what only 1,3 had is lost")
    assert (last_known.partition, last_known.about) == ("u-0", N2)


def test_a_term_that_a_leader_missed(tmp_path: Path) -> None:
    """It says so itself; who led between, another broker may say."""
    missed = ROLE.format(second=1, epoch=0, before=-1) + ROLE.format(second=5, epoch=2, before=0)
    (one,) = conform(tmp_path, one=missed).judged.noticed
    assert one.about == N1 and "it is not known who led between" in one.says and one.place.line == 2
    (one,) = conform(tmp_path, two=FOLLOWS.format(second=3, epoch=1, leader=3)).judged.noticed
    assert "broker 3 led between" in one.says
    (tmp_path / "two.log").write_text(FOLLOWS.format(second=3, epoch=1, leader=-1))
    assert epochal.conform(tmp_path).judged.noticed == ()


def test_logs_alone_tell_what_they_tell_with_the_metadata_log(tmp_path: Path) -> None:
    """N1 on a real broker: the line that says so, and the truncation."""
    with tarfile.open(FOLDER / "reproduced-n1-4.3.1-tier-1.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    logs = [str(path) for path in tmp_path.glob("node-?/logs")]
    alone = {(one.partition, one.about, one.weight) for one in epochal.conform(*logs).judged.noticed}
    assert alone == {("t-0", N1, Weight.GONE), ("t-0", N1, Weight.OPENED)}


@pytest.mark.parametrize("kafka", [None, "2.8", "1.1"])
@pytest.mark.parametrize(
    "line",
    [
        "[2018-05-20 17:58:40,102] TRACE Broker 3 handling LeaderAndIsr request correlationId 34 from controller 2 "
        "epoch 12 starting the become-leader transition for partition orders-7 (state.change.logger)\n",
        "[2017-11-10 13:17:57,606] INFO [KafkaServer id=2] shutting down (kafka.server.KafkaServer)\n",
    ],
)
def test_a_cluster_on_zookeeper_has_no_metadata_log(tmp_path: Path, line: str, kafka: str | None) -> None:
    (tmp_path / "server.log").write_text(line)
    result = epochal.conform(tmp_path, kafka=kafka)
    assert result.exit_code == ExitCode.INCONCLUSIVE
    assert result.headline.endswith("nothing could be checked: its brokers were on ZooKeeper")
    assert "__cluster_metadata" not in str(result) and "server.log:1: only a cluster on ZooKeeper" in str(result)
    assert result.to_dict()["zookeeper"] == "server.log:1"


def test_no_broker_of_kraft_is_taken_for_one_on_zookeeper() -> None:
    for name in ("leader-change-3.9.2", "injected-3-3.9.2", "reassignment-4.3.1-tier-2"):
        assert of_archive(name).zookeeper is None


def test_a_version_is_asked_for_where_it_matters(tmp_path: Path) -> None:
    with tarfile.open(FOLDER / "leader-change-4.3.1.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    with pytest.raises(UsageError, match="which version of Kafka") as refused:
        epochal.conform(tmp_path / "dumps")
    assert "--kafka 3.9.2" in str(refused.value)


# What stands first in a report, and what is one line of it.


def short(name: str, event: BrokerChange | None = None) -> Noticed:
    says = "the ISR 1 is smaller than min.insync.replicas=2: acks=all is refused"
    return Noticed(Place("log", offset=7), 7, name, SHORT, says, Weight.REFUSED, event)


def lost(name: str, value: str) -> Noticed:
    says = f"{value!r} at offset 1 was acknowledged (acks=all); the log of broker 3, which leads, ends at 1"
    return Noticed(Place("history.jsonl", line=1), None, name, "N1", says, Weight.LOST)


def test_a_loss_does_not_drown() -> None:
    """However many partitions are short of replicas, and whatever stands first in the files."""
    event = BrokerChange(Place("log", offset=60), 3, "is fenced", BEGINNING[0])
    unclean = replace(short("t-9"), about="S27", says="unclean election of broker 2", weight=Weight.ELECTED)
    many = [short(f"t-{number}", event) for number in range(53)]
    lines = told_together([*many, unclean, lost("u-0", "a"), lost("u-0", "b"), lost("v-0", "c")])
    assert [str(line.place) + ": " + line.says for line in lines] == [
        "history.jsonl:1: u-0: 'a' at offset 1 was acknowledged (acks=all); the log of broker 3, which leads, ends at "
        "1; and 1 more record of it that clients were told of",
        f"history.jsonl:1: v-0: {lost('v-0', 'c').says}",
        f"{Place('log', offset=7)}: t-9: unclean election of broker 2",
        f"{Place('log', offset=60)}: broker 3 is fenced: 53 partitions below min.insync.replicas: acks=all is refused: "
        "t-0, t-1, t-2 and 50 more",
    ]


def test_two_events_are_two_lines() -> None:
    once, again = (BrokerChange(Place("log", offset=at), 3, "is fenced", BEGINNING[0]) for at in (60, 90))
    lines = told_together([short("t-0", once), short("t-1", once), short("t-0", again), short("t-2")])
    assert [line.says.partition(":")[0] for line in lines] == ["broker 3 is fenced", "t-0", "t-2"]


def test_a_change_knows_what_happened_to_its_broker() -> None:
    """The record of a broker that is fenced stands behind the changes, that of one that shuts down before them."""
    gone = {"partitionId": 0, "topicId": "T", "isr": [1]}
    change, again = (record(at, "PARTITION_CHANGE_RECORD", **gone) for at in (5, 6))
    config = record(4, "CONFIG_RECORD", resourceType=2, resourceName="t", name="min.insync.replicas", value="2")
    both = (*BEGINNING, partition(isr=[1, 2]), config)
    fenced = record(6, "BROKER_REGISTRATION_CHANGE_RECORD", brokerId=2, brokerEpoch=1, fenced=1)
    (one,) = noticed_in("leader-change-4.0.2", (*both, change, fenced))
    assert one.event is not None and (str(one.event), one.event.place) == ("broker 2 is fenced", fenced.place)
    leaves = record(5, "BROKER_REGISTRATION_CHANGE_RECORD", brokerId=2, brokerEpoch=1, inControlledShutdown=1)
    (one,) = noticed_in("leader-change-4.0.2", (*both, leaves, again))
    assert one.event is not None and (str(one.event), one.event.place) == ("broker 2 shuts down", leaves.place)
    another = record(6, "BROKER_REGISTRATION_CHANGE_RECORD", brokerId=1, brokerEpoch=0, fenced=1)
    for beside in (record(6, "NO_OP_RECORD"), another):  # the leader has asked for it, before something else happened
        (one,) = noticed_in("leader-change-4.0.2", (*both, change, beside))
        assert one.event is None


# A metadata log without the `server.properties` of a controller: what that sets may be anything that Kafka takes.

NODE = {"process.roles": "controller"}


def uncleanly_elected() -> MadeUp:
    """The leader is fenced, alone in the ISR, and another replica elected at once."""
    made = MadeUp(min_isr=1, eligible_leader_replicas_version=0)
    made.changes(isr=[1])
    made.changes(isr=[2], leader=2, leaderRecoveryState=1)
    made.is_fenced(1)
    return made


def migrates() -> MadeUp:
    """The ISR shrinks, and a leader epoch begins with it."""
    made = MadeUp(eligible_leader_replicas_version=0)
    made.changes(isr=[1, 2], leader=1)
    made.is_fenced(3)
    return made


def stays_eligible() -> MadeUp:
    """Who leaves an ISR that is too small then stays eligible: no record says how small that is."""
    made = MadeUp()
    made.records = [one for one in made.records if one.kind != "CONFIG_RECORD"]
    made.changes(isr=[1, 2])
    made.is_fenced(3)
    made.changes(isr=[1], eligibleLeaderReplicas=[2])
    made.is_fenced(2)
    return made


@pytest.mark.parametrize(
    ("made", "version", "name", "value"),
    [
        (uncleanly_elected, "4.3.1", "unclean.leader.election.enable", "true"),
        (uncleanly_elected, "3.9.2", "unclean.leader.election.enable", "true"),
        (migrates, "3.9.2", "zookeeper.metadata.migration.enable", "true"),
        (stays_eligible, "4.3.1", "min.insync.replicas", "2"),
    ],
)
def test_what_no_file_says_is_no_refusal(made: Callable[[], MadeUp], version: str, name: str, value: str) -> None:
    """And where the properties of a controller are here, they have said it."""
    log, rules = made().log(), RuleSet(ConfigurableKraft, VERSIONS[version], version)
    assert judge_controller(log, rules).refused != []
    settled_rules, verdict = settled(log, rules)
    assert verdict.refused == [] and settled_rules.static == verdict.assumed == {name: value}
    assert settled(log, rules.with_static({"process.roles": "broker"}))[1].refused == []
    for static in (NODE, {name: MAY_BE[name][0]}):
        assert settled(log, rules.with_static(static))[1].refused != []


def test_what_contradicts_every_setting_is_refused() -> None:
    made = MadeUp()
    made.changes(isr=[1, 2], leader=3)
    made.is_fenced(3)
    rules = RuleSet(ConfigurableKraft, VERSIONS["4.3.1"], "4.3.1")
    known, verdict = settled(made.log(), rules)
    assert verdict.refused != [] and known is rules
