"""Counterexamples of the model on real brokers: what is lost where the model loses it, and what is said of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.brokers.conftest import needed
from tests.brokers.evidence import unpack
from tests.brokers.process import NotReady
from tests.brokers.releases import release
from tests.brokers.reproduce import report, reproduce
from tests.brokers.reproduction import Outcome, Told, markers_in, values_in
from tests.brokers.reproductions import REPRODUCTIONS
from tests.brokers.test_evidence import check
from tests.brokers.transactions import transactions_in
from tests.house.test_architecture import ROOT


@pytest.mark.brokers
@pytest.mark.parametrize(
    ("name", "version", "lost"),
    [
        *(("S25", "newest", ("r2",)), ("S20", "oldest", ("r2",)), ("S20", "newest", ()), ("N1", "newest", ("r2",))),
        *(("S15", "newest", ("r3",)), ("H1", "newest", ("r2",)), ("S10", "4.0.0", ("r2",))),
        *(("H14", "newest", ("r2",)), ("H14b", "newest", ("r2",)), ("H15", "newest", ())),
        ("T1", "newest", ("r5", "r6", "r7", "r8")),
        ("T5", "newest", ("r1", "r2")),
    ],
)
def test_brokers_lose_what_the_model_loses(name: str, version: str, lost: tuple[str, ...], tmp_path: Path) -> None:
    outcome, archive = reproduce(REPRODUCTIONS[name], needed(release(version)), tmp_path)
    assert (outcome.lost, outcome.ended, outcome.as_foretold) == (lost, True, True), report(outcome)
    about = check(unpack(archive, tmp_path / "out"))
    assert about["reproduces"]["id"] == name and tuple(about["reproduces"]["lost"]) == lost


@pytest.mark.brokers
def test_brokers_skip_a_record_of_a_share_group_where_the_model_does(tmp_path: Path) -> None:
    outcome, archive = reproduce(REPRODUCTIONS["SG2"], needed(release("newest")), tmp_path)
    assert (outcome.verdict, outcome.as_foretold) == ("skipped", True), report(outcome)
    check(unpack(archive, tmp_path / "out"))


@pytest.mark.brokers
@pytest.mark.parametrize("name", ["T1-control", "T1-fixed", "T5-fixed", "SG2-control", "SG2-fixed"])
def test_nothing_is_lost_in_a_control_and_with_the_fix(name: str, tmp_path: Path) -> None:
    """In those of T1 and T5 nothing is lost but what went with the unclean election, and that is accepted."""
    outcome, archive = reproduce(REPRODUCTIONS[name], needed(release("newest")), tmp_path)
    assert (outcome.verdict, outcome.as_foretold) == ("kept", True), report(outcome)
    check(unpack(archive, tmp_path / "out"))


@pytest.mark.brokers
@pytest.mark.parametrize("name", ["X1", "X1-told-java"])
def test_brokers_tear_a_transaction_where_the_model_does(name: str, tmp_path: Path) -> None:
    outcome, archive = reproduce(REPRODUCTIONS[name], needed(release("newest")), tmp_path)
    assert (outcome.verdict, outcome.as_foretold) == ("torn", True), report(outcome)
    about = check(unpack(archive, tmp_path / "out"))
    assert f"X1-{about['reproduces']['variant']}".removesuffix("-") == name


FOLLOWED, REFUSED = Told("b1 leads", True, ""), Told("b2 leads", False, "broker 3 leads")


@pytest.mark.parametrize(
    ("told", "ended", "lost", "verdict", "as_foretold"),
    [
        ((FOLLOWED,), True, ("r1",), "lost", True),
        ((FOLLOWED, REFUSED), True, (), "kept", False),
        ((FOLLOWED, REFUSED), False, (), "could not be brought about: b2 leads: broker 3 leads", False),
    ],
)
def test_a_verdict(told: tuple[Told, ...], ended: bool, lost: tuple[str, ...], verdict: str, as_foretold: bool) -> None:
    outcome = Outcome(told, ended, True, lost, {"r1": (1, 2), "r0": ()})
    assert (outcome.verdict, outcome.as_foretold) == (verdict, as_foretold)
    said = report(outcome).splitlines()
    assert said[0] == "  1. b1 leads - followed"
    assert (said[1] == "  2. b2 leads - NOT FOLLOWED: broker 3 leads") == (REFUSED in told)
    assert f"  r1 was acknowledged, and is {'lost, and ' if lost else ''}in the segments of 1, 2" in said
    assert said[-1] == f"  verdict: {verdict} (the model: lost)"


@pytest.mark.parametrize(
    ("told", "ended", "verdict"),
    [
        ((FOLLOWED,), True, "resigns"),
        ((FOLLOWED, REFUSED), True, "kept"),
        ((FOLLOWED, REFUSED), False, "could not be brought about: b2 leads: broker 3 leads"),
    ],
)
def test_a_controller_resigns_only_if_every_step_was_followed(
    told: tuple[Told, ...], ended: bool, verdict: str
) -> None:
    outcome = Outcome(told, ended, True, (), {}, harm="resigns")
    assert (outcome.verdict, outcome.as_foretold) == (verdict, verdict == "resigns")


@pytest.mark.parametrize(
    ("there", "told", "verdict"),
    [
        ((True, True), True, "kept"),
        ((False, False), False, "kept"),
        ((True, False), False, "torn"),
        ((False, True), True, "torn"),
    ],
)
def test_a_transaction_is_torn_if_consumers_get_a_part_of_it(
    there: tuple[bool, bool], told: bool, verdict: str
) -> None:
    lines: list[dict[str, Any]] = [
        {"what": "sent", "topic": "d", "partition": 0, "value": "x-0", "transaction": "x"},
        {"what": "sent", "topic": "d", "partition": 1, "value": "x-1", "transaction": "x"},
        {"what": "read committed", "topic": "d", "partition": 0, "values": [], "last_stable_offset": 0},
    ]
    for number, seen in enumerate(there):
        values = [f"x-{number}"] if seen else []
        of = {"topic": "d", "partition": number, "last_stable_offset": 2}
        lines.append({"what": "read committed", **of, "values": values})
    lines += [{"what": "told committed", "transaction": "x"}] * told
    (transaction,) = transactions_in(lines)
    assert (transaction.told, tuple(transaction.visible.values())) == (told, there)
    outcome = Outcome((FOLLOWED,), True, True, (), {}, (transaction,), "torn")
    assert (outcome.verdict, outcome.as_foretold) == (verdict, verdict == "torn")
    first, second = ("committed" if seen else "aborted" for seen in there)
    said = f"  transaction x: {first} at d-0, {second} at d-1; its producer was {'' if told else 'not '}told that"
    assert report(outcome).splitlines()[-2:] == [f"{said} it is committed", f"  verdict: {verdict} (the model: torn)"]


def test_an_offset_of_a_group_is_a_part_of_a_transaction() -> None:
    sent = {"what": "offset sent", "group": "g", "topic": "source", "partition": 0, "offset": 1, "transaction": "x"}
    (aborted,), (committed,) = (
        transactions_in([sent, {"what": "group's offset", "group": "g", "topic": "source", "offset": offset}])
        for offset in (None, 1)
    )
    assert aborted.visible == {"the offset of group g in source-0": False}
    assert committed.visible == {"the offset of group g in source-0": True}


def test_markers_are_found_by_partition() -> None:
    dump = (
        "Dumping /x/data/d-1/00000000000000000000.log\n"
        "| offset: 3 keySize: 4 valueSize: 6 sequence: -1 headerKeys: [] endTxnMarker: ABORT coordinatorEpoch: 2\n"
        "| offset: 4 keySize: -1 valueSize: 3 sequence: 0 headerKeys: [] payload: x-1\n"
        "Dumping /x/data/d-0/00000000000000000000.log\n"
        "| offset: 5 keySize: 4 valueSize: 6 sequence: -1 headerKeys: [] endTxnMarker: COMMIT coordinatorEpoch: 1\n"
    )
    assert markers_in(dump) == {"d-1": ["ABORT coordinatorEpoch: 2"], "d-0": ["COMMIT coordinatorEpoch: 1"]}
    assert values_in(dump, ("d-0", "d-1")) == {"x-1"} and values_in(dump) == set()


def test_only_values_of_the_topic_are_found_in_a_dump() -> None:
    dump = (
        "Dumping /x/data/t-0/00000000000000000000.log\n"
        "| offset: 0 CreateTime: 17 keySize: -1 valueSize: 2 sequence: -1 headerKeys: [] payload: r1\n"
        "Dumping /x/data/__consumer_offsets-0/00000000000000000000.log\n"
        "| offset: 0 CreateTime: 17 keySize: -1 valueSize: 2 sequence: -1 headerKeys: [] payload: r2\n"
    )
    assert values_in(dump) == {"r1"}


def test_eligible_leader_replicas_are_asked_for_where_they_are_not_on() -> None:
    n2, s20 = REPRODUCTIONS["N2"], REPRODUCTIONS["S20"]
    assert n2.features(release("4.0.2")) == {"eligible.leader.replicas.version": 1} and n2.has_elr(release("4.0.2"))
    assert n2.features(release("4.1.2")) == {} and n2.has_elr(release("4.1.2"))
    assert not s20.has_elr(release("4.0.2"))
    with pytest.raises(NotReady, match=r"N2 is about eligible leader replicas, and Kafka 3\.9\.2 has none"):
        n2.features(release("3.9.2"))


def test_what_a_story_tells_is_in_its_evidence(tmp_path: Path) -> None:
    """N1 on 4.3.1: the first leader noted nothing of the term between, as it says itself."""
    folder = unpack(ROOT / "tests/evidence/reproduced-n1-4.3.1.tar.xz", tmp_path)
    told = json.loads((folder / "about.json").read_text())["reproduces"]
    assert told["verdict"] == "lost" and all(step["followed"] for step in told["story"])
    said = (folder / "node-1/logs/state-change.log").read_text()
    assert "Previous leader Some(1) and previous leader epoch was 0. " in said
    assert "Follower t-0 starts at leader epoch 3 from offset 2 with partition epoch 4 and high watermark 2. " in said
    assert told["copies"] == {"r1": [1, 2, 3], "r2": []} and told["lost"] == ["r2"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["S99"], 2, "nobody has written how S99 is played: S25, "),
        (["S25", "--kafka", "2.8"], 1, "no checksums are kept for Kafka 2.8: 3.9.2, "),
    ],
)
def test_what_cannot_be_played_is_said(words: list[str], code: int, said: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.brokers.reproduce", *words, "--to", str(tmp_path / "none")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code and said in done.stderr
    assert not (tmp_path / "none").exists()
