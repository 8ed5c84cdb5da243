"""Every recording is one run of the specification; what contradicts another broker's log is refused by it."""

from __future__ import annotations

import re
import shutil
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

import epochal
from epochal.checker.trace.itf import dumps
from epochal.checker.trace.itf_reader import decode
from epochal.kafka.evidence.broker_log import (
    BrokerEvent,
    Event,
    FetcherAdded,
    Process,
    RoleKept,
    RoleTaken,
    Truncated,
)
from epochal.kafka.evidence.disks import OffsetRange
from epochal.kafka.evidence.metadata_log import MetadataRecord
from epochal.kafka.evidence.place import Place
from epochal.kafka.validation.collected import Collected, collected
from epochal.kafka.validation.controller import RuleSet, controller_of
from epochal.kafka.validation.image import FENCED, REGISTERED, UNFENCED
from epochal.kafka.validation.run.as_trace import told
from epochal.kafka.validation.run.evidence import (
    ChangedTo,
    DecidedPartition,
    Decision,
    Life,
    LifeStart,
    OfBroker,
    PartitionEvidence,
)
from epochal.kafka.validation.run.judged_runs import RunsVerdict, judge_runs, run_of
from epochal.kafka.validation.run.model import WIDEST, Argument, from_the_mildest
from epochal.kafka.validation.run.search import RunSearch
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.language.configurable import with_configuration
from epochal.spec.loading import load_protocol
from epochal.spec.registry import registered
from tests.conformance.evidence import (
    ARCHIVES,
    FOLDER,
    Edit,
    changed,
    judged_files,
    line_of,
    logs_of,
    of_archive,
    put,
)
from tests.conformance.grown import Grown

STATE, SERVER = "node-{}/logs/state-change.log", "node-{}/logs/server.log"


def runs_of(
    evidence: Collected, logs: Collected | None = None, kind: type[ConfigurableKraft] = ConfigurableKraft
) -> RunsVerdict:
    """The runs of a recording, or of it with other logs."""
    assert evidence.metadata is not None
    version = evidence.versions[0]
    judging = with_configuration(controller_of(kind, kind.settings), {"kafka": version})
    rules = RuleSet(kind, cast("type[ConfigurableKraft]", judging).settings, version, evidence.static)
    with_logs = evidence if logs is None else Collected(**{**vars(evidence), "logs": logs.logs})
    return judge_runs(kind, with_logs, evidence.metadata, rules)


def test_one_run_explains_random_faults() -> None:
    """Kills, cuts, elections and reassignments of a seed, on Kafka 3.9.2: 371 decisions and lines."""
    verdict = runs_of(of_archive("injected-3-3.9.2"))
    assert {one.partition: one.evidence.events for one in verdict.whole}.items() >= {("t-0", 155), ("beside-0", 171)}
    assert verdict.refused == verdict.undecided == []


def test_a_process_takes_roles_before_it_registers() -> None:
    """A held heartbeat of the process before it, which was killed, unfences its broker: it is elected, and dead.

    The next process leads in that epoch, by the metadata that it reads, until it registers. No other broker has the
    partition, so that nobody counts as behind.
    """
    verdict = runs_of(of_archive("injected-4-clean-4.4.0"))
    assert {one.partition for one in verdict.whole} == {"__consumer_offsets-0", "beside-0", "t-0"}
    assert verdict.refused == verdict.undecided == []


@pytest.mark.parametrize("name", ["reproduced-n2-4.0.2", "reproduced-h3-4.1.2"])
def test_a_trace_is_named_by_the_settings_of_its_partition(name: str) -> None:
    """ELR was off by default then; and a change of log directory emptied it, which is a rule of the version (H3)."""
    evidence = of_archive(name)
    (run,) = (one for one in runs_of(evidence).whole if one.partition == "t-0")
    trace = told(run, evidence.versions[0]).trace
    assert trace is not None
    reference = str(trace.facts["protocol"])
    assert reference.startswith("kraft-observed --kafka ") and " --elr" in reference
    again = cast(type[ConfigurableKraft], load_protocol(reference)).settings
    assert again == cast(ConfigurableKraft, trace.protocol).settings and not again.directory_change_keeps_elr


def test_a_run_whose_settings_change_is_judged_all_the_same() -> None:
    """No protocol with a name has all of it; every state is judged under the settings that it was in."""
    evidence = of_archive("injected-4-4.3.1")
    (run,) = (one for one in runs_of(evidence).whole if one.partition == "t-0")
    found = told(run, evidence.versions[0])
    assert found.trace is None and found.is_judged
    assert found.why_not == (
        "its settings change on the way, and a trace has the same from end to end: min_insync_replicas 2, then 1; "
        "unclean_leader_election off, then on"
    )


def test_a_trace_says_which_settings_were_not_the_same_all_the_time() -> None:
    """The run is also one under the first of them, and nothing fails in either reading."""
    evidence = of_archive("raised-min-isr-4.3.1")
    (run,) = (one for one in runs_of(evidence).whole if one.partition == "t-0")
    found = told(run, evidence.versions[0])
    assert found.trace is not None and found.violated == ()
    assert found.trace.facts["settings"] == "these change on the way: min_insync_replicas 1, then 2"


def test_each_step_is_told_under_the_release_that_decided_it() -> None:
    """In a rolling upgrade: of another release than the one that is named for all."""
    evidence = of_archive("reproduced-h3-4.2.1")
    (run,) = (one for one in runs_of(evidence).whole if one.partition == "t-0")
    assert set(run.evidence.decided.controllers.values()) == {"4.2.1"}
    assert told(run, "4.3.1").violated == told(run, "4.2.1").violated != ()


def test_what_a_run_may_lose_is_what_the_evidence_shows() -> None:
    """Lines of a process that had more than the next one finds: a crash has lost that, whatever else happened."""
    (mildest, *others) = from_the_mildest([[life(said=5), life(kept=5)]], any_acks=False)
    assert (mildest.losses, mildest.forgets, mildest.any_acks) == (0, False, False)
    assert [one.losses for one in others] == [0, 1, None] and others[-1] == WIDEST
    lost = from_the_mildest([[life(said=5), life(kept=4)], [life(said=2), life(kept=1), life(kept=1)]], any_acks=True)
    assert [one.losses for one in lost] == [2, 2, 3, None]
    forgotten = from_the_mildest([[life(said=5), life(kept=5, stored=3)]], any_acks=True)
    assert [(one.losses, one.forgets) for one in forgotten] == [(0, True), (1, True), (None, True)]


def test_what_was_cut_off_is_not_lost_by_a_crash() -> None:
    cut = Truncated("t", 0, leader=2, offset=3, completed=True, high_watermark=None, leader_end=3)
    mildest, *_ = from_the_mildest([[life(5, cut), life(kept=3)]], any_acks=True)
    assert mildest.losses == 0


def life(said: int = 0, *more: Event, kept: int | None = None, stored: int | None = None) -> Life:
    """A process that finds so much on its disk, and says that its log ends there and that all of it is committed."""
    role = RoleTaken("t", 0, False, 2, 0, 0, said, said, None, None, None, None, -1, None)
    lane = tuple(BrokerEvent(Place("log"), 1, event) for event in (role, *more)) if said else ()
    return Life(LifeStart(Process(False), kept, stored), (lane,))


def taken_away(line: bytes) -> list[bytes]:
    """The edit that takes a line away."""
    return []


Line = tuple[str, str, tuple[str, ...]]
ELECTED, CHANGED, N1 = "preferred-election-4.3.1", "leader-change-4.3.1", "reproduced-n1-4.3.1"
FOLLOWER: Line = (ELECTED, STATE.format(3), ("Follower t-0", "leader epoch 1"))
LEADER: Line = (ELECTED, STATE.format(2), ("Leader t-0", "leader epoch 1"))
RECOVERS: Line = (CHANGED, SERVER.format(1), ("Recovering 1 logs",))
ON_DISK: Line = (CHANGED, SERVER.format(1), ("log-end-offset 3",))
CUT_BACK: Line = (N1, SERVER.format(1), ("Truncating partition t-0", "EpochEndOffset"))


EDITS: dict[str, tuple[Line, Edit, str]] = {
    "a follower that has more than any leader had": (FOLLOWER, put("from offset 2", "from offset 5"), "log end 5"),
    "a leader that has less than is committed": (LEADER, put("from offset 2", "from offset 1"), "log end 1"),
    "a log at the start that is longer than later": (ON_DISK, put("offset 3", "offset 9"), "after a crash: log end 9"),
    "a clean shutdown that forgets a high watermark": (
        RECOVERS,
        put("Recovering", "Skipping recovery of"),
        "watermark 0",
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_what_contradicts_another_broker_is_refused(what: str, tmp_path: Path) -> None:
    """Each line by itself agrees with the metadata log, and with all that its own broker says; and none is missing."""
    (name, file, words), edit, found = EDITS[what]
    files = changed(name, file, line_of(name, file, *words), edit)
    assert judged_files(name, files, tmp_path).refused == []
    verdict = runs_of(of_archive(name), collected([tmp_path]))
    (refused,) = verdict.refused
    blamed = refused.stopped[0]
    assert found in f"{blamed.found}; {blamed.expected}"


KILLED = "between the lines of broker 2 before node-2/logs/state-change.log:7"
NEVER_BACK = "state-change.log of broker 3"
INCOMPLETE = {
    **dict.fromkeys(("cleared-elr-4.1.2", "cleared-elr-4.3.1-tier-2", "raised-min-isr-4.3.1"), KILLED),
    **{name: NEVER_BACK for name in ARCHIVES if name.startswith("reproduced-h15-")},
}
"""The broker was killed after the line that announces a role, and before the role: a line may be left out as well. Or
it was dead when it got its replica, which nobody had noticed."""


LEFT_OUT: dict[str, tuple[Line, str]] = {
    "a role of a follower": (FOLLOWER, "not here: in which leader epochs broker 3 follows, or fetches"),
    "a role of a leader": (LEADER, "not here: between the lines of broker 2 before node-2/logs/state-change.log:7"),
}


@pytest.mark.parametrize("what", LEFT_OUT)
def test_a_line_that_is_not_there_is_no_contradiction(what: str, tmp_path: Path) -> None:
    """Who cuts an excerpt leaves lines out: no run explains the others without it, and that is said."""
    (name, file, words), why = LEFT_OUT[what]
    judged_files(name, changed(name, file, line_of(name, file, *words), taken_away), tmp_path)
    verdict = runs_of(of_archive(name), collected([tmp_path]))
    assert verdict.refused == []
    (undecided,) = verdict.undecided
    assert undecided.partition == "t-0" and why in undecided.given_up


def test_a_truncation_that_alone_is_missing_is_named(tmp_path: Path) -> None:
    """Nothing else says that a line is missing."""
    name, file, words = CUT_BACK
    judged_files(name, changed(name, file, line_of(name, file, *words), taken_away), tmp_path)
    (run,) = (one for one in runs_of(of_archive(name), collected([tmp_path])).runs if one.partition == "t-0")
    assert not run.evidence.missing and not run.is_refused
    assert re.search(r"state-change.log:\d+: a line may be missing before it: a truncation to 1: ", run.given_up)


def test_a_follower_that_never_cuts_its_log_back_is_refused(tmp_path: Path) -> None:
    """No line of a truncation is missing where the disk has still what should have been cut off."""
    name, file, words = CUT_BACK
    judged_files(name, changed(name, file, line_of(name, file, *words), taken_away), tmp_path)
    recorded = of_archive(name)
    (mine,) = (one for one in recorded.replicas if (one.topic, one.broker) == ("t", 1))
    old = replace(mine, stretches=(OffsetRange(0, 0, 0), OffsetRange(1, 1, 2)), end=2, epochs=((0, 0), (2, 1)))
    replicas = tuple(old if one is mine else one for one in recorded.replicas)
    verdict = runs_of(replace(recorded, replicas=replicas), collected([tmp_path]))
    assert "t-0" in [one.partition for one in verdict.refused], verdict


def test_a_run_of_real_brokers_is_a_counterexample() -> None:
    """N1 on Apache Kafka 4.3.1: what the logs tell is a run in which a committed record is lost, step by step."""
    evidence = of_archive("reproduced-n1-4.3.1")
    (run,) = (one for one in runs_of(evidence).whole if one.partition == "t-0")
    trace = told(run, evidence.versions[0])
    violated = dict(trace.violated)
    assert {"leader_candidate_completeness", "acknowledged_durable", "committed_never_lost"} <= violated.keys()
    shown = trace.counterexample("committed_never_lost", violated["committed_never_lost"])
    assert [step.instance.action.name for step in shown.steps[-1:]] == ["fetch"]
    again = decode(dumps(shown), lambda name: registered(name.partition(" ")[0]))
    assert [step.codes for step in again.steps] == [step.codes for step in shown.steps]
    assert shown.facts["brokers"] == "b1 is broker 1, b2 is broker 2, b3 is broker 3"


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_random_run_is_found_again(seed: int) -> None:
    """What a random run of the specification would tell is explained: nothing that can be is refused."""
    evidence = Grown(seed).grow(60)
    run = run_of(ConfigurableKraft, evidence)
    assert run.is_whole and run.explained == evidence.events >= 60


def test_no_step_that_is_tried_changes_what_another_finds() -> None:
    """Every step from the moments of a run, one after the other, is as from a state that nobody has seen."""
    evidence = Grown(1).grow(30)
    search = RunSearch(ConfigurableKraft, evidence)
    model, codes = search.model(evidence.decided.created.settings), search._start().codes
    tried = 0
    for step in search.found(1_000).steps[:12]:
        for (action, arguments), instance in model._instances.items():
            alone = model.at(codes)
            if action == "produce":
                alone.next_record = model.end(codes, place_of(arguments))
            after = model.protocol.step(alone, instance)
            assert model.step(codes, action, *arguments) == (None if after is None else model.forgetful(after))
            tried += after is not None
        following = model.step(codes, step.action, *step.arguments)
        assert following is not None and model.read(codes).codes() == codes
        codes = following
    assert tried > 100


def place_of(arguments: tuple[Argument, ...]) -> int:
    """The broker that a step is of, by its place."""
    (place,) = arguments
    assert isinstance(place, int)
    return place


@pytest.mark.parametrize("seed", [2, 7])
def test_what_nobody_needs_is_left_behind(seed: int) -> None:
    """With place for a part of the logs only the run is found as well, and its steps are those of a whole one."""
    evidence = Grown(seed, calm=1.0).grow(150)
    search = RunSearch(ConfigurableKraft, evidence, room=14)
    found = search.found(20_000)
    assert found.whole and found.furthest.base > 0
    whole = RunSearch(ConfigurableKraft, evidence, room=len(evidence.offsets))
    codes = whole._start().codes
    model = whole.model(evidence.decided.created.settings)
    for step in found.steps:
        after = model.step(codes, step.action, *step.arguments)
        assert after is not None, step
        codes = after
    last, base = found.furthest.codes, found.furthest.base
    for place in range(len(model.ids)):
        assert model.end(codes, place) == search.model_at(found.furthest).end(last, place) + base


def test_a_process_that_dies_before_it_hears_of_the_partition() -> None:
    """It was there when the partition was made, and the lines are all of the next one."""
    grown = Grown(1)
    settings, was, everybody, nobody = grown.settings, grown.partition, frozenset({1, 2, 3}), frozenset[int]()
    records = [MetadataRecord(number, 0, "", {}, Place("metadata", offset=number)) for number in range(5)]
    decisions: tuple[Decision, ...] = (
        ChangedTo(records[0], replace(was, isr=frozenset({1, 2}), partition_epoch=1), settings),
        *(OfBroker(records[at], 3, says, settings) for at, says in enumerate((FENCED, REGISTERED, UNFENCED), start=1)),
        ChangedTo(records[4], replace(was, partition_epoch=2), settings),
    )
    follows = RoleTaken("t", 0, False, 1, 0, 1, 0, 0, None, None, None, None, -1, None)
    stays = RoleKept("t", 0, False, 1, 0, 2, everybody, nobody, nobody, everybody, None, None, 0, None, "id")
    roles = (BrokerEvent(Place("node-3", line=1), 3, follows), BrokerEvent(Place("node-3", line=2), 3, stays))
    fetches = BrokerEvent(Place("node-3/server", line=1), 3, FetcherAdded("t", 0, 1, 0, "id"))
    found = DecidedPartition(("id", 0), "t-0", grown.created, decisions, (1, 2, 3))
    lives = {3: (Life(LifeStart(Process(False), 0, 0), (roles, (fetches,))),)}
    run = run_of(ConfigurableKraft, PartitionEvidence(found, lives, 0))
    assert run.is_whole
    assert [step.action for step in run.steps if step.action in ("crash", "restart")] == ["crash", "restart"]


def test_a_log_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    """Each node's folder once more, under another name: what was said once would have to happen twice."""
    name = "reproduced-s15-4.3.1"
    with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    for node in sorted(tmp_path.glob("node-*")):
        shutil.copytree(node, node.with_name(f"copy-of-{node.name}"))
    result, once = epochal.conform(tmp_path), epochal.conform(FOLDER / f"{name}.tar.xz")
    assert len(result.judged.evidence.copies) > 3 and once.judged.evidence.copies == ()
    assert result.judged.accepted == once.judged.accepted
    assert result.judged.runs is not None and once.judged.runs is not None
    explained = [(one.partition, one.explained, one.is_whole) for one in result.judged.runs.runs]
    assert explained == [(one.partition, one.explained, one.is_whole) for one in once.judged.runs.runs]
    assert "left out: the same as another, line by line" in str(result)


def test_a_broker_without_a_replica_takes_no_role(tmp_path: Path) -> None:
    files = {
        file.replace("node-3", "node-9"): content.replace(b"[Broker id=3]", b"[Broker id=9]")
        for file, content in logs_of(CHANGED).items()
        if file == STATE.format(3)
    }
    refused = judged_files(CHANGED, {**logs_of(CHANGED), **files}, tmp_path).refused
    assert refused and {one.broker for one in refused} == {9}
    assert refused[0].found == "broker 9 follows"
    assert refused[0].expected.startswith("replicas 1,2,3 at partition epoch")
