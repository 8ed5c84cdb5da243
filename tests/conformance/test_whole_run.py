"""Every recording is one run of the specification; what contradicts another broker's log is refused by it."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path
from typing import cast

import pytest

import epochal
from epochal.checker.trace.itf import dumps
from epochal.checker.trace.itf_reader import decode
from epochal.conformance.collected import Collected, collected
from epochal.conformance.model import controller_of
from epochal.conformance.rules import Rules
from epochal.conformance.whole_run.as_trace import told
from epochal.conformance.whole_run.judged_runs import RunsVerdict, judge_runs, run_of
from epochal.conformance.whole_run.search import RunSearch
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.language.configurable import with_configuration
from epochal.spec.registry import registered
from tests.conformance.broker_logs import Edit, changed, judged_files, line_of, logs_of
from tests.conformance.evidence import ARCHIVES, FOLDER, of_archive
from tests.conformance.grown import Grown

STATE, SERVER = "node-{}/logs/state-change.log", "node-{}/logs/server.log"


def runs_of(
    evidence: Collected, logs: Collected | None = None, kind: type[ConfigurableKraft] = ConfigurableKraft
) -> RunsVerdict:
    """The runs of a recording, or of it with other logs."""
    assert evidence.metadata is not None
    version = evidence.versions[0]
    judging = with_configuration(controller_of(kind, kind.settings), {"kafka": version})
    rules = Rules(kind, cast("type[ConfigurableKraft]", judging).settings, version, evidence.static)
    with_logs = evidence if logs is None else Collected(**{**vars(evidence), "logs": logs.logs})
    return judge_runs(kind, with_logs, evidence.metadata, rules)


UNDECIDED = {
    "reproduced-h1-4.0.2": "settings change on the way, and a leader may learn that later (H1)",
    "reproduced-h1-4.1.2": "settings change on the way, and a leader may learn that later (H1)",
    "reproduced-h1-4.3.1": "settings change on the way, and a leader may learn that later (H1)",
    "reproduced-h1-4.4.0": "settings change on the way, and a leader may learn that later (H1)",
    "reproduced-s10-4.0.0": "the version has rules for steps that are in no run: late_answers_dropped",
}
"""Recordings of steps that runs do not have."""

LOST = (
    *("reproduced-n1", "reproduced-n2-4.3.1", "reproduced-n2-4.4.0"),
    *("reproduced-s15", "reproduced-s2", "unclean-election"),
)
"""Where brokers lost what was committed, or what a producer was told of."""


@pytest.mark.parametrize("name", ARCHIVES)
def test_one_run_explains_all(name: str) -> None:
    """Decisions of the controller, lines of all brokers, and what lies on their disks.

    What the specification says is lost in the run is lost on the brokers.
    """
    evidence = of_archive(name)
    verdict = runs_of(evidence)
    assert verdict.refused == []
    assert [one.given_up for one in verdict.undecided] == ([UNDECIDED[name]] if name in UNDECIDED else [])
    (run,) = (one for one in verdict.runs if one.partition == "t-0")
    if name not in UNDECIDED:
        assert run.explained == run.evidence.events > 10
        trace = told(run, evidence.versions[0], evidence.histories)
        assert not trace.violated or name.startswith(LOST), trace.violated


def test_one_run_explains_random_faults() -> None:
    """Kills, cuts, elections and reassignments of a seed, on Kafka 3.9.2: 371 decisions and lines."""
    verdict = runs_of(of_archive("injected-3-3.9.2"))
    assert {one.partition: one.evidence.events for one in verdict.whole}.items() >= {("t-0", 155), ("beside-0", 171)}
    assert verdict.refused == verdict.undecided == []


def put(old: str, new: str) -> Edit:
    """The edit that puts one text in the place of another, once."""

    def edit(line: bytes) -> list[bytes]:
        assert line.count(old.encode()) >= 1, line
        return [line.replace(old.encode(), new.encode(), 1)]

    return edit


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
MOVED: Line = (ELECTED, SERVER.format(3), ("Added fetcher to broker 2", "t-0"))

EDITS: dict[str, tuple[Line, Edit, str]] = {
    "a follower that has more than any leader had": (FOLLOWER, put("from offset 2", "from offset 5"), "log end 5"),
    "a leader that has less than is committed": (LEADER, put("from offset 2", "from offset 1"), "log end 1"),
    "a log at the start that is longer than later": (ON_DISK, put("offset 3", "offset 9"), "after a crash: log end 9"),
    "a truncation that is not told": (CUT_BACK, taken_away, "a truncation to 1"),
    "a follower that fetches and takes no role": (FOLLOWER, taken_away, "high watermark"),
    "a leader that asks before it leads": (LEADER, taken_away, "leader 2 in leader epoch 1"),
    "a clean shutdown that forgets a high watermark": (
        RECOVERS,
        put("Recovering", "Skipping recovery of"),
        "watermark 0",
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_what_contradicts_another_broker_is_refused(what: str, tmp_path: Path) -> None:
    """Each line by itself agrees with the metadata log, and with all that its own broker says."""
    (name, file, words), edit, found = EDITS[what]
    files = changed(name, file, line_of(name, file, *words), edit)
    assert judged_files(name, files, tmp_path).refused == []
    verdict = runs_of(of_archive(name), collected([tmp_path]))
    (refused,) = verdict.refused
    blamed = refused.stopped[0]
    assert found in f"{blamed.found}; {blamed.expected}"


def test_a_run_of_real_brokers_is_a_counterexample() -> None:
    """N1 on Apache Kafka 4.3.1: what the logs tell is a run in which a committed record is lost, step by step."""
    evidence = of_archive("reproduced-n1-4.3.1")
    (run,) = (one for one in runs_of(evidence).whole if one.partition == "t-0")
    trace = told(run, evidence.versions[0], evidence.histories)
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


@pytest.mark.parametrize("seed", [1, 7])
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
