"""Two releases in one recording: each stretch of the metadata log is judged by that of the controller that wrote it."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.evidence.metadata_log import MetadataLog
from epochal.kafka.validation.collected import Collected, collected, mark_of, terms_of
from epochal.kafka.validation.controller import (
    Cause,
    ControllerVerdict,
    Outline,
    RuleSet,
    Steps,
    controller_of,
    judge_controller,
)
from epochal.kafka.validation.detectors import detected, known_of
from epochal.kafka.validation.image import ELR_FEATURE, LOST_DIRECTORY, NOBODY
from epochal.kafka.validation.noticed import noticed
from epochal.kafka.validation.run.evidence import OfBroker, decided, evidence_of
from epochal.kafka.validation.run.judged_runs import PartitionRun, run_of
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS
from epochal.spec.language.configurable import with_configuration
from tests.conformance.evidence import FOLDER, Cluster, MadeUp, built, disk, of_archive

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


# ELR, min.insync.replicas and unclean election as on, off and on again: what is left from before is as in Kafka.

State = tuple[Outline, Cluster]
BROKERS = 2
EVERYBODY = (1 << BROKERS) - 1


def stepped(found: State, cause: Cause) -> set[Outline]:
    """Where Kafka's controller goes from a state."""
    was, cluster = found
    step, broker = cause
    mine = 1 << broker
    election = "UNCLEAN" if cluster.unclean else "ONLINE"
    if step in ("fence", "shut_down"):
        return set(built(was, cluster, was.isr & ~mine, mine, election=election)) if was.isr & mine else {was}
    if step == "unfence":
        now = replace(cluster, active=cluster.active | mine)
        return set(built(was, now, was.isr, election=election)) if was.leader == NOBODY else {was}
    if step == "lose_directory":
        return set(built(was, cluster, was.isr & ~mine, mine, election=election))
    assert step == "restart"  # whether it was shut down in good order no record tells
    clean = {was, *(built(was, cluster, was.isr & ~mine, mine, election=election) if was.isr & mine else ())}
    if cluster.elr and (was.isr | was.elr) & mine:
        return clean | set(built(was, cluster, was.isr & ~mine, unclean=mine, election=election))
    return clean


def requested(found: State) -> Iterator[Outline]:
    """What leaders and operators may bring about: AlterPartition, and an unclean election."""
    was, cluster = found
    election = "UNCLEAN" if cluster.unclean else "ONLINE"
    if was.leader == NOBODY:
        yield from (one for one in built(was, cluster, was.isr, election="UNCLEAN") if one.leader != NOBODY)
        return
    for isr in range(1, EVERYBODY + 1):
        if isr >> was.leader & 1 and not isr & ~cluster.active:
            yield from built(was, cluster, isr, election=election, recovered=True)


def happenings(cluster: Cluster, disks: bool) -> Iterator[tuple[Cause, Cluster]]:
    """What may happen to a broker, and what the controller knows of the brokers afterwards."""
    for broker in range(BROKERS):
        mine = 1 << broker
        if not cluster.active & mine:
            yield Cause("unfence", broker), replace(cluster, active=cluster.active | mine)
            yield Cause("restart", broker), replace(cluster, offline=cluster.offline & ~mine)
            continue
        yield Cause("fence", broker), replace(cluster, active=cluster.active & ~mine)
        if disks:
            yield Cause("lose_directory", broker), replace(cluster, offline=cluster.offline | mine)


def switched(found: State) -> Iterator[State]:
    """What an operator switches: a change of min.insync.replicas clears ELR and last known leader where ELR is on."""
    was, cluster = found
    yield was, replace(cluster, elr=not cluster.elr)
    yield was, replace(cluster, unclean=not cluster.unclean)
    cleared = was._replace(elr=0, last_known_leader=NOBODY) if cluster.elr else was
    yield cleared, replace(cluster, min_isr=3 - cluster.min_isr)


def has_something_left(found: State) -> bool:
    """Whether a partition has what no switch would leave where it never was another."""
    was, cluster = found
    if not cluster.elr:
        return bool(was.elr) or was.last_known_leader != NOBODY
    return (was.isr.bit_count() >= cluster.min_isr and was.leader == NOBODY) or (
        was.last_known_leader != NOBODY and was.leader != NOBODY
    )


def anew(shape: Outline) -> Outline:
    """A shape with its epoch counted from now."""
    return shape._replace(epoch=1)


def mirrored(found: State) -> State:
    """The same with the brokers the other way round, if that comes first: who is who does not matter."""
    was, cluster = found

    def other(some: int) -> int:
        return some >> 1 | (some & 1) << 1

    swapped = was._replace(
        leader=was.leader if was.leader == NOBODY else 1 - was.leader,
        last_known_leader=was.last_known_leader if was.last_known_leader == NOBODY else 1 - was.last_known_leader,
        isr=other(was.isr),
        elr=other(was.elr),
    )
    there = replace(cluster, active=other(cluster.active), offline=other(cluster.offline))
    return min(found, (swapped, there), key=lambda one: (one[0], one[1].active, one[1].offline))


def visited(version: str, keeps_up: bool, compares: Callable[[State], bool], switches: bool, elr: bool) -> int:
    """Visit every state, and compare in those that are asked for: how many these are."""
    steps: dict[tuple[bool, int, bool], Steps] = {}
    first = Cluster(elr=elr, min_isr=1, unclean=False, keeps_up=keeps_up, active=EVERYBODY)
    waiting: list[State] = [(Outline(0, 1, EVERYBODY, EVERYBODY, 0, 0, 0, NOBODY, False), first)]
    seen, compared = set(waiting), 0
    while waiting:
        was, cluster = found = waiting.pop()
        key = (cluster.elr, cluster.min_isr, cluster.unclean)
        if key not in steps:
            settings = replace(
                VERSIONS[version],
                elr=cluster.elr,
                min_insync_replicas=cluster.min_isr,
                unclean_leader_election=cluster.unclean,
                last_known_leader_is_kept_up=keeps_up,
            )
            steps[key] = Steps(ConfigurableKraft, settings)
        following = list(switched(found)) if switches else []
        of_brokers = [(cause, then, stepped(found, cause)) for cause, then in happenings(cluster, not switches)]
        of_requests = set(requested(found)) - {was}
        if compares(found):
            compared += 1
            for cause, _, expected in of_brokers:
                given = (BROKERS, was, cluster.active, cause, cluster.offline)
                reached = set(steps[key].by_cause(*given))
                reached |= {was} if cause.step == "restart" else set()
                assert reached == expected, (found, cause)
            allowed = steps[key].free(BROKERS, was, cluster.active, cluster.offline)
            assert of_requests <= allowed.keys(), found
        following += [(anew(one), then) for _, then, expected in of_brokers for one in expected]
        following += [(anew(one), cluster) for one in of_requests]
        for state in map(mirrored, following):
            if state not in seen:
                seen.add(state)
                waiting.append(state)
    return compared


@pytest.mark.parametrize(("version", "keeps_up", "states"), [("4.1", True, 220), ("4.3.1", False, 260)])
def test_every_state_that_switches_leave_is_as_in_kafka(version: str, keeps_up: bool, states: int) -> None:
    assert visited(version, keeps_up, has_something_left, switches=True, elr=True) == states


@pytest.mark.parametrize(("version", "elr", "states"), [("3.9.2", False, 34), ("4.3.1", True, 68)])
def test_every_state_with_a_directory_that_failed_is_as_in_kafka(version: str, elr: bool, states: int) -> None:
    assert visited(version, True, lambda found: True, switches=False, elr=elr) == states


# Recordings of brokers under the hands of operators: a log directory fails, ELR is switched off and on, and a broker
# that lost its log registers before its session has ended.

DISK, ELR_OFF = "log-dir-fails-4.3.1", "elr-off-4.3.1"


@cache
def of(name: str) -> tuple[Collected, MetadataLog, RuleSet]:
    """A recording, its metadata log, and the rules of its release."""
    evidence = collected([FOLDER / "operated" / f"{name}.tar.xz"])
    assert evidence.metadata is not None
    judging = with_configuration(controller_of(ConfigurableKraft, ConfigurableKraft.settings), {"kafka": "4.3.1"})
    settings = cast("type[ConfigurableKraft]", judging).settings
    return evidence, evidence.metadata, RuleSet(ConfigurableKraft, settings, "4.3.1", evidence.static)


def run(name: str, topic: str, number: int) -> PartitionRun:
    """The run of one partition."""
    evidence, log, rules = of(name)
    (one,) = decided(log, rules, {(topic, number)})
    return run_of(ConfigurableKraft, evidence_of(one, evidence.logs, evidence.replicas))


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        (DISK, {"assign_directory": 12, "lose_directory": 2, "fence": 2, "handle_alter_partition": 6}),
        (
            ELR_OFF,
            {
                "fence": 24,
                "shut_down": 6,
                "unfence": 2,
                "elect_uncleanly": 5,
                "elect_preferred_leader": 5,
                "handle_alter_partition": 23,
            },
        ),
    ],
)
def test_the_controller_is_accepted(name: str, steps: dict[str, int]) -> None:
    _, log, rules = of(name)
    verdict = judge_controller(log, rules)
    assert verdict.refused == [] and verdict.left_out == {}
    assert verdict.explained == steps


@pytest.mark.parametrize("number", [1, 2])
def test_a_run_explains_that_a_disk_fails(number: int) -> None:
    """Under a follower (j-1) and under the leader (j-2), whose log is there again when it restarts."""
    found = run(DISK, "j", number)
    assert found.is_whole and found.explained == found.evidence.events
    lost = [one for one in found.evidence.decided.decisions if isinstance(one, OfBroker) and one.says == LOST_DIRECTORY]
    assert [one.broker for one in lost] == [3]
    steps = [step.action for step in found.steps]
    assert steps.count("lose_directory") == steps.count("name_directory") == 1


@pytest.mark.parametrize(("version", "forgets"), [("4.0.2", True), ("4.1", True), ("4.1.1", False), ("4.3.1", False)])
def test_a_last_known_leader_that_switches_left_is_judged_by_the_release(version: str, forgets: bool) -> None:
    """Broker 1 was elected while ELR was off, so that it is still kept as last known leader, and takes broker 2 in.

    The classes of 4.0.2 forget it at that change, those of 4.1.2 to 4.4.0 keep it until the next election.
    """

    def log(**last: Any) -> MadeUp:
        made = MadeUp()
        made.changes(isr=[1, 2])
        made.is_fenced(3)
        made.changes(isr=[1], eligibleLeaderReplicas=[2])
        made.is_fenced(2)
        made.changes(leader=-1, isr=[], eligibleLeaderReplicas=[1, 2], lastKnownElr=[1])
        made.is_fenced(1)
        made.add("FEATURE_LEVEL_RECORD", name=ELR_FEATURE, featureLevel=0)
        made.is_unfenced(1)
        made.changes(leader=1, isr=[1], eligibleLeaderReplicas=[])
        made.add("FEATURE_LEVEL_RECORD", name=ELR_FEATURE, featureLevel=1)
        made.is_unfenced(2)
        made.changes(isr=[1, 2], **last)
        return made

    right, wrong = (log(lastKnownElr=[]), log()) if forgets else (log(), log(lastKnownElr=[]))
    assert right.judged(version).refused == []
    assert len(wrong.judged(version).refused) == 1


def test_a_run_explains_that_elr_is_switched_off_and_on() -> None:
    """Who was eligible is elected cleanly after that, and the last known leader stays until the next election."""
    found = run(ELR_OFF, "u", 1)
    assert found.is_whole and found.explained == found.evidence.events


def test_a_broker_registers_before_it_was_fenced() -> None:
    """One change for both, with one leader epoch more (ClusterControlManager.registerBroker), on brokers of 4.4.0."""
    result = epochal.conform(FOLDER / "operated" / "registers-at-once-4.4.0.tar.xz")
    controller, runs = result.judged.controller, result.judged.runs
    assert result.exit_code == 0 and controller is not None and runs is not None
    assert controller.explained == {"fence": 2, "handle_alter_partition": 2, "restart": 1, "unfence": 1}
    assert not runs.refused and "t-0" in {one.partition for one in runs.whole}


def test_what_an_unclean_election_lost_is_told_and_so_is_the_disk() -> None:
    for name, lost, disks in (
        (ELR_OFF, {"u-0": 75}, []),
        (DISK, {}, ["lost the log directory", "has the log directory"]),
    ):
        evidence, log, rules = of(name)
        events, clients = detected(evidence, known_of(evidence, log, "4.3.1"), noticed(log, rules), ())
        assert clients is not None and clients.left_out == {}
        partitions = [one.partition for one in clients.lost]
        assert {one: partitions.count(one) for one in partitions} == lost
        of_disks = [one for one in events if one.partition == "broker 3"]
        assert [" ".join(one.says.split()[:4]) for one in of_disks] == disks
        assert all(Path(one.place.file).suffix == ".log" for one in of_disks)
