"""Counterexamples of the model on real brokers: what is lost where the model loses it, and what is said of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.brokers.conftest import needed
from tests.brokers.evidence import unpack
from tests.brokers.process import NotReady
from tests.brokers.releases import release
from tests.brokers.reproduce import report, reproduce
from tests.brokers.reproduction import Outcome, Told, values_in
from tests.brokers.reproductions import REPRODUCTIONS
from tests.brokers.test_evidence import check
from tests.house.test_architecture import ROOT


@pytest.mark.brokers
@pytest.mark.parametrize(
    ("name", "version", "lost"),
    [
        *(("S25", "newest", ("r2",)), ("S20", "oldest", ("r2",)), ("S20", "newest", ()), ("N1", "newest", ("r2",))),
        *(("S15", "newest", ("r3",)), ("H1", "newest", ("r2",)), ("S10", "4.0.0", ("r2",))),
    ],
)
def test_brokers_lose_what_the_model_loses(name: str, version: str, lost: tuple[str, ...], tmp_path: Path) -> None:
    outcome, archive = reproduce(REPRODUCTIONS[name], needed(release(version)), tmp_path)
    assert (outcome.lost, outcome.ended, outcome.as_foretold) == (lost, True, True), report(outcome)
    about = check(unpack(archive, tmp_path / "out"))
    assert about["reproduces"]["id"] == name and tuple(about["reproduces"]["lost"]) == lost


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
