"""What Kafka promises: the predictions come out as said, or the prediction says why not; and so does the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import epochal
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.cli.commands import guarantees as command
from epochal.cli.main import main
from epochal.spec.kraft.configuration import ConfigurableKraft, configured
from epochal.spec.kraft.guarantees import BOUNDS, FAULTS, QUESTIONS, faults_for, in_words, matrix
from epochal.spec.kraft.state import Replica
from epochal.spec.language import action
from epochal.spec.registry import registered
from tests.spec.kraft.predictions import OTHER_FAMILIES, PREDICTIONS, OtherFamily, Prediction

QUICK = ("6", "9", "12 m=2 n=2", "28")
SMALL = ("guarantees", "--replication-factor", "2", "--metadata-lag", "1", "--elections", "0", "--progress", "none")
DESIGN = (*SMALL, "--kafka", "G9")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def judged(prediction: Prediction) -> tuple[bool, bool]:
    """Whether acknowledged records stay, and what consumers read, by a search of every state."""
    asked = (QUESTIONS["acknowledged"], QUESTIONS["read"])
    result = breadth_first.check(prediction.protocol(), Options(asked, all_violations=True, symmetry=True))
    assert result.exhaustive
    verdicts = {one.member.name: one.verdict == "holds" for one in result.properties}
    return verdicts[asked[0]], verdicts[asked[1]]


@pytest.mark.parametrize(
    "prediction",
    [pytest.param(p, marks=() if p.row in QUICK else pytest.mark.long, id=p.row) for p in PREDICTIONS],
)
def test_predictions(prediction: Prediction) -> None:
    acknowledged, read = judged(prediction)
    expected = prediction.expected
    assert (None if expected[0] is None else acknowledged, read) == expected


@pytest.mark.parametrize("row", [pytest.param(r, marks=pytest.mark.long, id=r.row) for r in OTHER_FAMILIES])
def test_older_families(row: OtherFamily) -> None:
    result = breadth_first.check(registered(row.protocol)(), Options((row.property,), symmetry=True))
    assert [one.verdict for one in result.properties] == ["holds" if row.holds else "violated"]


def test_a_contradicted_prediction_says_why() -> None:
    for prediction in PREDICTIONS:
        contradicted = prediction.found not in (None, (prediction.acknowledged, prediction.read))
        assert contradicted == bool(prediction.why), prediction.row


def test_every_row_is_there() -> None:
    rows = [*(one.row for one in PREDICTIONS), *(one.row for one in OTHER_FAMILIES)]
    assert {int(row.split()[0]) for row in rows} == set(range(1, 29))


def test_the_help_knows_the_bounds_of_the_table() -> None:
    assert command.BOUNDS == BOUNDS
    assert tuple(fault.id for fault in FAULTS) == command.FAULTS


def test_faults_that_are_the_same_are_asked_once() -> None:
    assert faults_for({}) == FAULTS
    assert [f.id for f in FAULTS if f not in faults_for({"unclean_leader_election": True})] == ["unclean"]


def test_the_matrix_varies_what_is_not_given() -> None:
    assert len(list(matrix({}))) == 3 * 2 * 2 * 2
    fixed = list(matrix({"kafka": "3.9", "acks": "all", "unclean_leader_election": False}))
    assert fixed == [
        {"kafka": "3.9", "min_insync_replicas": n, "acks": "all", "unclean_leader_election": False} for n in (1, 2)
    ]


def test_settings_in_words() -> None:
    said = dict(in_words(configured(kafka="G8", acks="1"), 3))
    assert said["acks"] == "1"
    assert (said["eligible leader replicas"], said["strict high watermark"]) == ("off", "on")


def test_no_more_replicas_are_waited_for_than_there_are() -> None:
    assert dict(in_words(configured(), 1))["min.insync.replicas"] == "2 (1 counts: there are no more replicas)"


def test_the_table_and_its_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two brokers, one record: what is lost, and the run that shows it, which replays. Then the kept answers."""
    monkeypatch.chdir(tmp_path)
    chosen = [part for fault in ("clean", "lossy", "lossy-and-clean") for part in ("--fault", fault)]
    result = run(*DESIGN, *chosen, "--format", "json", "--out", "found")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    (table,) = document["tables"]
    lost = {one["fault"]: one["answers"]["acknowledged"]["length"] for one in table["faults"]}
    assert lost == {"clean": None, "lossy": None, "lossy-and-clean": 12}
    clean = table["faults"][0]
    assert clean["writes_with_one_down"] is False, "min.insync.replicas=2 of two replicas"
    assert all(one["exhaustive"] for one in table["faults"])
    (trace,) = Path("found").glob("*lossy-and-clean-acknowledged-durable.itf.json")
    assert run("replay", str(trace)).exit_code == 0
    assert trace.with_name(trace.name.replace(".itf.json", ".md")).read_text().startswith("# kraft")
    told = run(*DESIGN, *chosen).stdout
    assert "a crash that loses data, and one that loses nothing  NO, 12 states: N2   NO, 12 states: N2  no " in told
    assert run(*DESIGN, *chosen).stdout == told


def test_acks_0_promises_nothing_and_one_replica_serves_alone() -> None:
    words = ("--acks", "0", "--min-insync-replicas", "1", "--fault", "clean", "--fault", "none")
    document = json.loads(run(*DESIGN, *words, "--format", "json").stdout)
    faults = {one["fault"]: one for one in document["tables"][0]["faults"]}
    assert faults["none"]["answers"]["acknowledged"]["verdict"] == "nothing"
    assert faults["clean"]["writes_with_one_down"] is True
    assert faults["none"]["writes_with_one_down"] is None


def test_a_spent_budget_is_no_answer() -> None:
    result = run("guarantees", "--records", "2", "--budget", "0.01s", "--fault", "two-clean", "--progress", "none")
    assert result.exit_code == 30
    assert "open" in result.stdout
    assert "Open: two crashes that lose nothing: the time budget of" in result.stdout


CHANGED = """\
from epochal.language import action
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.state import Replica


class Forgetful(ConfigurableKraft):
    \"\"\"A Kafka whose brokers may forget their logs at any time.\"\"\"

    @action
    def forget(self, broker: Replica) -> None:
        {body}
"""


def changed(body: str) -> str:
    """The file of a class with one action more."""
    return CHANGED.format(body=body)


def test_a_class_of_ones_own_is_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own steps are judged, and an answer is kept for the program that it is the answer to, not for its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    asked = (*SMALL, "mine.py:Forgetful", "--max-epoch", "1", "--fault", "none", "--format", "json")

    def answers() -> dict[str, str]:
        result = run(*asked)
        assert result.exit_code == 0, result.stderr
        (table,) = json.loads(result.stdout)["tables"]
        assert table["reference"] == "mine.py:Forgetful"
        return {question: one["verdict"] for question, one in table["faults"][0]["answers"].items()}

    Path("mine.py").write_text(changed("self.brokers[broker].log.truncate(0)"))
    assert answers()["read"] == "violated"
    assert answers()["read"] == "violated", "as it was kept"
    Path("mine.py").write_text(changed("self.brokers[broker].log.truncate(len(self.brokers[broker].log))"))
    assert answers()["read"] == "holds"
    told = run(*asked[:-2]).stdout
    assert told.startswith("mine.py:Forgetful, replication factor 2: what is guaranteed")
    told = run(*asked[:-2], "--kafka", "3.9").stdout
    assert told.startswith("mine.py:Forgetful --kafka 3.9, replication factor 2: what is guaranteed")


def test_a_class_that_no_name_leads_to_is_asked_about() -> None:
    class Forgetful(ConfigurableKraft):
        @action
        def forget(self, broker: Replica) -> None:
            self.brokers[broker].log.truncate(0)

    small: dict[str, Any] = {
        "replication_factor": 2,
        "records": 1,
        "max_epoch": 1,
        "metadata_lag": 1,
        "shrinks": 0,
        "elections": 0,
    }
    assert epochal.guarantees(ConfigurableKraft(**small), faults="none").headline.endswith("kraft: 0 guarantees broken")
    for cached in (False, True, True):
        result = epochal.guarantees(Forgetful(**small), faults="none", cached=cached)
        assert "Forgetful: 3 guarantees broken" in result.headline and str(result)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--crashes 1", "kraft has no option --crashes; its bounds are --replication-factor, --records"),
        ("--fault fire", "there is no fault 'fire'"),
        ("--fault crashes=9", "--fault: crashes=9 is more than the 3 that can be searched"),
        ("--fault crashes=1,fire=2", "--fault: 'crashes=1,fire=2' is no fault"),
        ("--from 3.9", "--from and --to go together"),
        ("--from 3.9 --to 4.0 --kafka 4.1", "--kafka 4.1 beside two versions to compare"),
        ("--from 3.9 --to 9", "no version or generation is called '9'"),
        ("--matrix --against kraft", "are three questions: ask one"),
        ("--against kip-320", "kip-320 is not kraft: guarantees are decided for kraft"),
        ("--kafka 9", "--kafka: no version or generation is called '9'"),
        ("--kafka 3.6 --min-insync-replicas 4", "--min-insync-replicas 4 with --replication-factor 3"),
        ("kip-320", "kip-320 is not kraft: the command is about kraft and what derives from"),
        ("kraft kip-320", "unexpected extra argument (kip-320)"),
        ("--matrix --acks 3", "--acks 3: producers know 0, 1, all"),
    ],
)
def test_mistakes(arguments: str, message: str) -> None:
    result = run("guarantees", *arguments.split())
    assert message in result.stderr
    assert (result.stdout, result.exit_code) == ("", 2)
