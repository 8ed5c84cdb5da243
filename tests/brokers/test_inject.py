"""Random faults: a plan follows from its seed, every fault ends, and what brokers leave is judged from outside."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.brokers.conftest import needed
from tests.brokers.evidence import unpack
from tests.brokers.history import Journal
from tests.brokers.inject import Injected, inject, lossy
from tests.brokers.injection import BROKERS, CONTROLLER, Injection
from tests.brokers.plan import Planner, Step
from tests.brokers.record import EVIDENCE
from tests.brokers.releases import release
from tests.each import for_each
from tests.house.test_architecture import ROOT

KEPT = sorted(EVIDENCE.glob("injected-*.tar.xz"))


def plan(seed: int, seconds: float = 120, clean: bool = False) -> list[Step]:
    """The plan of a seed."""
    return Planner(seed, seconds, BROKERS, CONTROLLER, clean=clean).make()


def test_a_plan_follows_from_its_seed() -> None:
    assert plan(3) == plan(3)
    assert [step.to_dict() for step in plan(3)] == [step.to_dict() for step in plan(3)]
    assert len({str(plan(seed)) for seed in range(20)}) == 20


@for_each("seed", range(30))
def test_every_fault_ends_and_can_be_done(seed: int) -> None:
    ends = {"kill": "start_again", "crash": "start_again", "begin_stop": "start_again", "pause": "resume"}
    ends |= {"cut": "release", "hold": "release", "delay": "release"}
    under_way: dict[Any, str] = {}
    for step in plan(seed):
        assert 0 < step.at <= 120
        replicas = step.facts.get("replicas", ())
        facts = {name: value for name, value in step.facts.items() if name not in {"replicas", "way", "api"}}
        inspect.signature(getattr(Injection, step.what)).bind(None, *replicas, **facts)
        of = step.facts.get("node") or (step.facts.get("source"), step.facts.get("target"))
        if step.what in ends:
            assert of not in under_way
            under_way[of] = ends[step.what]
        elif step.what in ends.values():
            assert under_way.pop(of) == step.what
        if of in under_way and isinstance(of, tuple):
            assert of[0] != of[1] and of[0] != CONTROLLER
    assert under_way == {}


def test_a_clean_plan_loses_nothing() -> None:
    """Nothing by which a record of `min.insync.replicas` replicas may be lost, if brokers do as they should."""
    steps = [step for seed in range(30) for step in plan(seed, clean=True)]
    assert {step.what for step in steps}.isdisjoint({"crash", "configure"})
    assert {step.facts["kind"] for step in steps if step.what == "elect"} == {"preferred"}


def test_plans_have_every_fault() -> None:
    found = Counter((step.what, step.facts.get("api")) for seed in range(30) for step in plan(seed))
    assert set(found) == {
        *((what, None) for what in ("kill", "crash", "begin_stop", "start_again", "pause", "resume")),
        *((what, None) for what in ("cut", "hold", "delay", "release", "elect", "reassign", "configure")),
        ("hold", "FETCH"),
        ("hold", "ALTER_PARTITION"),
    }
    assert min(found.values()) > 10


def check_injected(folder: Path) -> dict[str, Any]:
    """Assert that the evidence of a run agrees with itself; what `about.json` says."""
    about: dict[str, Any] = json.loads((folder / "about.json").read_text())
    assert about["scenario"] == f"injected-{about['seed']}{'-clean' if about.get('clean') else ''}"
    assert all(f"Kafka version: {about['kafka']} " in log.read_text() for log in folder.glob("node-?/logs/server.log"))
    history = Journal(folder / "history.jsonl").read()
    lines = {what: [line for line in history if line["what"] == what] for what in ("sent", "acknowledged", "read")}
    sent, acknowledged, read = ([line["value"] for line in lines[what]] for what in lines)
    assert len(set(sent)) == len(sent) and set(acknowledged) | set(read) <= set(sent)
    lost = [value for value in acknowledged if value not in set(read)]
    assert sorted(lost) == sorted([*about["lost"]["all"], *about["lost"]["1"]])
    assert [line["offset"] for line in lines["read"]] == list(range(len(read)))
    done = {step["what"] for step in Journal(folder / "steps.jsonl").read()}
    assert {"create topic", "kill", "start", "heal", "seen", "read", "end: kill all"} <= done
    return about


def conform(archive: Path) -> subprocess.CompletedProcess[str]:
    """`epochal conform` of an archive, as anybody runs it."""
    command = [sys.executable, "-m", "epochal", "conform", str(archive)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("archive", KEPT, ids=lambda path: path.name.removesuffix(".tar.xz"))
def test_what_a_run_left_agrees_with_itself(archive: Path, tmp_path: Path) -> None:
    about = check_injected(unpack(archive, tmp_path))
    assert archive.name == f"{about['scenario']}-{about['kafka']}.tar.xz"
    planned = plan(about["seed"], 60 * about["minutes"], clean=about.get("clean", False))
    assert about["plan"] == [step.to_dict() for step in planned]
    found = lossy(tmp_path)
    assert found == () if about.get("clean") else found[-1].startswith("tails that were lost: ")
    assert archive.stat().st_size <= 100_000 and sum(path.is_file() for path in tmp_path.rglob("*")) <= 15


def test_a_loss_that_nothing_explains_is_said() -> None:
    run = Injected(Path("x"), 9, 1, {"all": 5, "1": 7}, {"all": ("a3",), "1": ()}, ("lost tails: 1",), True)
    assert "  acks=all: 5 acknowledged, 1 lost (a3)" in run.told() and "acks=1: 7 acknowledged, none lost" in run.told()
    assert "what may lose acks=all: lost tails: 1" in run.told()
    assert "NOTHING: this wants to be looked into" in replace(run, lossy=()).told()
    assert "what may lose" not in replace(run, lost={"all": (), "1": ()}).told()


@pytest.mark.brokers
@pytest.mark.parametrize(
    ("seed", "version", "clean"), [(1, "newest", False), (2, "oldest", False), (4, "newest", True)]
)
def test_brokers_under_random_faults_do_what_the_specification_allows(
    seed: int, version: str, clean: bool, tmp_path: Path
) -> None:
    """A clean run that loses acks=all is S15, N1, or news: releases have these open, and chance may find them."""
    injected = inject(seed, 0.6, needed(release(version)), tmp_path, clean=clean)
    assert not (clean and injected.lost["all"]), injected.told()
    assert injected.healed and min(injected.acknowledged.values()) > 0, injected.told()
    check_injected(unpack(injected.archive, tmp_path / "out"))
    said = conform(injected.archive)
    assert said.returncode == 0 and "accepted: " in said.stdout, said.stdout + said.stderr


def test_what_cannot_be_run_is_said(tmp_path: Path) -> None:
    words = ["--seed", "1", "--kafka", "2.8", "--to", str(tmp_path / "none")]
    command = [sys.executable, "-m", "tests.brokers.inject", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "no checksums are kept for Kafka 2.8: 3.9.2, " in done.stderr
    assert not (tmp_path / "none").exists()
