"""Two releases in one recording: each stretch of the metadata log is judged by that of the controller that wrote it."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.evidence.metadata_log import MetadataLog
from epochal.kafka.validation.collected import collected, mark_of, terms_of
from epochal.kafka.validation.controller import ControllerVerdict, RuleSet, judge_controller
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS
from tests.conformance.evidence import FOLDER, of_archive
from tests.conformance.made_up import MadeUp, disk

OLD, NEW = "4.2.1", "4.3.1"


def judged(by_epoch: tuple[int, int], terms: Mapping[int, str]) -> ControllerVerdict:
    """A replica moves to another log directory twice while somebody is eligible: up to 4.2 that empties the ELR (H3).

    `by_epoch` are the epochs of the controllers that write this: first of the old release, then of the new one.
    """
    made = MadeUp()
    made.changes(isr=[1, 3])
    made.is_fenced(2)
    made.changes(isr=[1], eligibleLeaderReplicas=[3])
    made.is_fenced(3)
    first = len(made.records)
    made.changes(directories=[disk(1, 2), disk(2, 1), disk(3, 1)], eligibleLeaderReplicas=[])
    made.add("CONFIG_RECORD", resourceType=2, resourceName="t", name="min.insync.replicas", value="3")
    made.registers(3)
    made.is_unfenced(3)
    made.changes(isr=[1, 3])
    made.changes(isr=[1], eligibleLeaderReplicas=[3])
    made.is_fenced(3)
    made.changes(directories=[disk(1, 1), disk(2, 1), disk(3, 1)])
    records = [replace(one, epoch=by_epoch[one.offset > first]) for one in made.log().records]
    old = RuleSet(ConfigurableKraft, VERSIONS[OLD], OLD)
    rules = RuleSet(ConfigurableKraft, VERSIONS[NEW], NEW, others=(old,), terms=terms)
    return judge_controller(MetadataLog(tuple(records)), rules)


def test_each_controller_is_judged_by_its_release() -> None:
    verdict = judged((1, 2), {1: OLD, 2: NEW})
    assert verdict.refused == [] and verdict.left_out == {} and verdict.explained["assign_directory"] == 2


@pytest.mark.parametrize("terms", [{1: NEW, 2: NEW}, {1: OLD, 2: OLD}, {1: NEW, 2: OLD}])
def test_the_rules_of_the_other_release_refuse_it(terms: dict[int, str]) -> None:
    assert len(judged((1, 2), terms).refused) == sum(terms[epoch] != {1: OLD, 2: NEW}[epoch] for epoch in terms)


def test_where_nobody_says_which_release_it_was_only_what_both_allow_is_judged() -> None:
    verdict = judged((1, 2), {2: NEW})
    assert verdict.refused == [] and verdict.explained["assign_directory"] == 1
    (reason,) = verdict.left_out
    assert reason == (
        "the rules of 4.3.1 and 4.2.1 differ here, and no log says which of them led the metadata quorum in epoch 1: "
        "give server.log of the controllers"
    )


def test_a_log_says_which_release_led_in_which_epoch() -> None:
    """A process may lead before it says its version, and another one in the same file is upgraded."""
    lines = (
        "[ControllerServer id=101] Starting controller (kafka.server.ControllerServer)",
        "[RaftManager id=101] Completed transition to Leader(localReplicaKey=ReplicaKey(id=101), epoch=3, "
        "epochStartOffset=21, highWatermark=Optional.empty) from Candidate(epoch=3, retries=1)",
        "Kafka version: 4.2.1 (org.apache.kafka.common.utils.AppInfoParser)",
        "[ControllerServer id=101] Starting controller (kafka.server.ControllerServer)",
        "Kafka version: 4.3.1 (org.apache.kafka.common.utils.AppInfoParser)",
        "[RaftManager id=101] Completed transition to Leader(localVoterNode=VoterNode(id=101), epoch=5, epochElec=1)",
    )
    marks = [mark for line in lines for mark in mark_of(line)]
    assert terms_of([marks]) == {3: OLD, 5: NEW}
    assert terms_of([marks[3:]]) == {5: NEW}
    assert terms_of([[marks[1], marks[2], marks[4]]]) == {}


@pytest.mark.parametrize(("name", "terms"), [("controller-change-4.3.1", {1, 2}), ("controller-change-3.9.2", {2, 4})])
def test_real_controllers_say_it(name: str, terms: set[int]) -> None:
    evidence = of_archive(name)
    assert evidence.terms == dict.fromkeys(terms, evidence.versions[0])


def test_a_recording_of_two_releases_is_judged_as_it_is(tmp_path: Path) -> None:
    """Broker 3 has not been upgraded yet."""
    with tarfile.open(FOLDER / "leader-change-4.3.1.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    log = tmp_path / "node-3/logs/server.log"
    log.write_text(log.read_text().replace("Kafka version: 4.3.1", "Kafka version: 4.2.1"))
    result = epochal.conform(tmp_path)
    assert result.exit_code == 0 and result.judged.version == "4.2.1 and 4.3.1"
    assert result.controller is not None and result.controller.left_out == {}
    assert result.judged.runs is not None and "t-0" in [one.partition for one in result.judged.runs.whole]


SAYS = "[2026-11-23 00:30:00,000] INFO Kafka version: {} (org.apache.kafka.common.utils.AppInfoParser)\n"
SERVER = "[2026-11-23 00:30:00,001] INFO [BrokerServer id=3] Starting broker (kafka.server.BrokerServer)\n"


@pytest.mark.parametrize(
    ("files", "versions"),
    [
        ({"connect.log": SAYS.format("3.9.0"), "server.log": SERVER + SAYS.format(NEW)}, (NEW,)),
        ({"server.log": SERVER + SAYS.format(OLD), "node-1.log": SERVER + SAYS.format(NEW)}, (OLD, NEW)),
        ({"server.log.1": SERVER, "server.log": SAYS.format(NEW), "mirror.log": SAYS.format(OLD)}, (NEW,)),
        ({"server.log": SAYS.format(NEW)}, (NEW,)),
    ],
)
def test_only_brokers_and_controllers_say_which_version_it_is(
    files: dict[str, str], versions: tuple[str, ...], tmp_path: Path
) -> None:
    """Connect, MirrorMaker and every client have the library, and say its version; an excerpt may say no more."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert collected([tmp_path]).versions == versions


CONTROLLER = (
    "[2026-11-23 00:30:00,001] INFO [ControllerServer id={}] Starting controller (kafka.server.ControllerServer)\n"
)
BROKER = "[2026-11-23 00:30:00,002] INFO [BrokerServer id={}] Starting broker (kafka.server.BrokerServer)\n"
UP = "[2026-11-23 00:30:00,004] INFO [KafkaRaftServer nodeId={}] Kafka Server started (kafka.server.KafkaRaftServer)\n"
LEADING = (
    "[2026-11-23 00:30:00,003] INFO [RaftManager id={}] Completed transition to Leader(epoch={}, epochStartOffset=0)\n"
)
OTHER = SAYS.format("3.7.0")
"""What Connect, MirrorMaker, or any client says of itself."""

BEFORE: Mapping[str, Callable[[str, str], str]] = {
    "nothing": lambda who, line: line,
    "compose": lambda who, line: f"{who}  | {line}",
    "kubectl": lambda who, line: f"[pod/{who}-0/main] {line}",
    "syslog": lambda who, line: f"Nov 23 00:30:00 host {who}[7]: {line}",
    "json": lambda who, line: (
        json.dumps({"kubernetes": {"pod": who}, "level": "INFO", "@timestamp": "", "message": line.rstrip()}) + "\n"
    ),
    "json with the file of the source": lambda who, line: (
        json.dumps({"file": line[-20:], "level": "INFO", "@timestamp": "", "message": line.rstrip()}) + "\n"
    ),
}
"""What stands before the lines of a program, in a file of several of them."""


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("at", [1, 3, 4, 6])
def test_another_program_in_the_file_of_a_node_is_no_node(before: str, at: int, tmp_path: Path) -> None:
    """Wherever it says its version, unless that is between what the node says and that it is up.

    Before the first start it may be that of a process whose start is in another file.
    """
    says = [BROKER.format(1), SAYS.format(NEW), UP.format(1), BROKER.format(1), SAYS.format(NEW), UP.format(1)]
    lines = [BEFORE[before]("kafka", line) for line in says]
    lines.insert(at, BEFORE[before]("connect", OTHER))
    (tmp_path / "all.log").write_text("".join(lines))
    assert collected([tmp_path]).versions == (NEW,)


@pytest.mark.parametrize("before", ["compose", "kubectl", "syslog", "json"])
def test_words_tell_that_it_is_another_program(before: str, tmp_path: Path) -> None:
    """Also where no line says that the node is up."""
    lines = [BROKER.format(1), SAYS.format(NEW), BROKER.format(1)]
    said = [
        BEFORE[before]("connect", OTHER),
        *(BEFORE[before]("kafka", line) for line in lines),
        BEFORE[before]("connect", OTHER),
    ]
    (tmp_path / "all.log").write_text("".join(said))
    assert collected([tmp_path]).versions == (NEW,)


@pytest.mark.parametrize(
    "lines",
    [
        (BROKER.format(1), SAYS.format(OLD), UP.format(1), BROKER.format(1), SAYS.format(NEW), UP.format(1)),
        (BROKER.format(1), SAYS.format(OLD), UP.format(1), SAYS.format(NEW), UP.format(1)),
        (SAYS.format(OLD), BROKER.format(1), SAYS.format(NEW), UP.format(1)),
        (BROKER.format(1), SAYS.format(OLD), UP.format(1), BROKER.format(1), SAYS.format(NEW)),
        (BROKER.format(1), BROKER.format(2), SAYS.format(OLD), SAYS.format(NEW), UP.format(1), UP.format(2)),
        (BROKER.format(1), BROKER.format(2), SAYS.format(OLD), UP.format(1), SAYS.format(NEW)),
    ],
)
def test_no_version_of_a_node_is_taken_for_that_of_another_program(lines: tuple[str, ...], tmp_path: Path) -> None:
    """A node that is upgraded, also where lines are missing, and two nodes side by side."""
    (tmp_path / "server.log").write_text("".join(lines))
    assert collected([tmp_path]).versions == (OLD, NEW)


def test_controllers_in_one_file_are_told_apart(tmp_path: Path) -> None:
    """Each leads in its epochs, whoever starts between; one that is a broker as well starts once."""
    lines = (
        *(CONTROLLER.format(101), SAYS.format(OLD), UP.format(101), CONTROLLER.format(102), LEADING.format(101, 3)),
        *(BROKER.format(102), LEADING.format(102, 4), SAYS.format(NEW), UP.format(102), OTHER, LEADING.format(102, 7)),
    )
    (tmp_path / "all.log").write_text("".join(lines))
    assert collected([tmp_path]).terms == {3: OLD, 4: NEW, 7: NEW}


@pytest.mark.parametrize("upgrades", [False, True])
def test_other_versions_that_change_nothing_excuse_nothing(upgrades: bool, tmp_path: Path) -> None:
    """A contradiction stays one beside a worker of Connect, and beside a broker of a release with the same rules."""
    with tarfile.open(FOLDER / "preferred-election-4.3.1.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    roles = tmp_path / "node-3/logs/state-change.log"
    (line,) = (one for one in roles.read_text().splitlines() if "Follower t-0" in one and "leader epoch 1 " in one)
    roles.write_text(roles.read_text().replace(line, line.replace("from offset 2", "from offset 5")))
    (tmp_path / "connect.log").write_text(SAYS.format("3.9.0"))
    if upgrades:
        log = tmp_path / "node-1/logs/server.log"
        log.write_text(log.read_text().replace("Kafka version: 4.3.1", "Kafka version: 4.3.0"))
    result = epochal.conform(tmp_path)
    assert result.exit_code == ExitCode.DRIFTED
    assert result.judged.version == ("4.3.0 and 4.3.1" if upgrades else "4.3.1")
