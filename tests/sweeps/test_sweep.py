"""Sweeps: the same rows wherever tasks run, once for the same question, and nothing lost when one ends."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import epochal
from epochal.api.result import Interrupted
from epochal.checker.mutation import result as mutants
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.errors import ConfigurationError
from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol
from epochal.sweeps import sweep as module
from epochal.sweeps import task as kinds
from epochal.sweeps.sweep import Progress, read_sweep, tasks_of
from epochal.sweeps.task import COLUMNS, MEASURES, Subject, Task
from tests.checker.identity.ways import RULES

SMALL = """
[[task]]
check = ["kip-101", "kip-320"]
bounds = { replicas = 2, log-size = [1, 2], records = 1, max-epoch = 1 }
properties = ["weak_isr"]
"""

EVERY = """
[[task]]
check = "truncate-to-hw"
bounds = { replicas = 2, log-size = 1, records = 1, max-epoch = 1 }

[[task]]
prove = "kip-320"
bounds = { replicas = 2, log-size = 1, records = 1, max-epoch = 0 }

[[task]]
mutate = "kip-320"
bounds = { replicas = 2, log-size = 1, records = 1, max-epoch = 1 }
only = "become_follower: drop require #1"

[[task]]
simulate = "truncate-to-hw"
bounds = { replicas = 2, log-size = 1, records = 1, max-epoch = 1 }
runs = 30
depth = 12
runs-in-task = 20
"""

LONGER = """
[[task]]
catalogue = ["S9 classic"]

[[task]]
guarantees = "kraft"
settings = { kafka = "3.9" }
bounds = { replication-factor = 2, max-epoch = 1, elections = 0 }
faults = ["none"]
"""


def _file(folder: Path, text: str) -> Path:
    file = folder / "sweep.toml"
    file.write_text(text)
    return file


def _rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


@pytest.mark.usefixtures("here")
def test_every_kind_says_what_its_question_says(tmp_path: Path) -> None:
    """A row for each property, with the verdict, length and digests of the command."""
    result = epochal.sweep(_file(tmp_path, EVERY), out=tmp_path / "out")
    assert (result.exit_code, result.sweep.failed) == (0, [])
    rows = _rows(tmp_path / "out")
    assert all(list(row) == [name for name, _ in COLUMNS] for row in rows)
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_kind.setdefault(row["kind"], []).append(row)

    small = epochal.load("truncate-to-hw", replicas=2, log_size=1, records=1, max_epoch=1)
    checked = epochal.check(small, all_violations=True)
    assert {row["property"]: row["verdict"] for row in by_kind["check"]} == checked.verdicts
    violated = {row["property"]: row for row in by_kind["check"] if row["verdict"] == "violated"}
    assert violated.keys() == checked.violated
    for name, row in violated.items():
        assert row["length"] == checked.traces[name].length == len(json.loads(row["trace"])["states"])
        assert row["state_digest"] == checked.search.state_digest and json.loads(row["bounds"])["replicas"] == 2

    assert {row["verdict"] for row in by_kind["prove"]} == {"proved"}
    (mutant,) = by_kind["mutate"]
    judged = epochal.mutate(
        epochal.load("kip-320", replicas=2, log_size=1, records=1, max_epoch=1), only="become_follower: drop require #1"
    ).mutation.outcomes[0]
    assert (mutant["verdict"], mutant["property"]) == (judged.verdict, judged.property)
    assert {row["about"] for row in by_kind["simulate"]} == {"seed 0", "seed 1"}
    assert {row["note"] for row in by_kind["simulate"]} == {"20 runs", "10 runs"}


@pytest.mark.long
@pytest.mark.usefixtures("here")
def test_the_catalogue_and_guarantees(tmp_path: Path) -> None:
    """An entry is two rows, a fault one for each promise."""
    assert epochal.sweep(_file(tmp_path, LONGER), out=tmp_path / "out").exit_code == 0
    rows = _rows(tmp_path / "out")
    assert [(row["note"], row["verdict"]) for row in rows if row["kind"] == "catalogue"] == [
        ("without the rule", "violated"),
        ("with the rule", "holds"),
    ]
    promises = [row for row in rows if row["kind"] == "guarantees"]
    decided = epochal.guarantees(kafka="3.9", replication_factor=2, max_epoch=1, elections=0, faults=["none"])
    (one,) = decided.tables[0].decided
    assert {row["property"]: (row["verdict"], row["length"]) for row in promises} == {
        asked: (promise.verdict, promise.length) for asked, promise in one.answers.items()
    }


@pytest.mark.usefixtures("here")
def test_a_second_run_does_what_is_missing(tmp_path: Path) -> None:
    """Only that, and the tables are the same bytes; what is damaged counts as missing."""
    file, out = _file(tmp_path, SMALL), tmp_path / "out"
    first = epochal.sweep(file, out=out)
    content = (out / "results.jsonl").read_bytes()
    assert (first.sweep.before, first.sweep.done) == (0, 4)
    second = epochal.sweep(file, out=out)
    assert (second.sweep.before, second.sweep.done) == (4, 0)
    damaged = sorted((out / "done").iterdir())[0]
    damaged.write_text(damaged.read_text().replace('"holds"', '"violated"').replace("weak_isr", "weak"))
    third = epochal.sweep(_file(tmp_path, SMALL.replace("max-epoch = 1", "max-epoch = [0, 1]")), out=out)
    assert (third.sweep.before, third.sweep.done) == (3, 5)
    assert epochal.sweep(_file(tmp_path, SMALL), out=out, to="json").sweep.done == 0
    assert (out / "results.jsonl").read_bytes() == content


@pytest.mark.usefixtures("here")
def test_parquet_says_the_same(tmp_path: Path) -> None:
    """With types, and measures beside it."""
    file = _file(tmp_path, SMALL)
    for to in ("json", "parquet"):
        epochal.sweep(file, out=tmp_path / "out", to=to)
    assert pq.read_table(tmp_path / "out" / "results.parquet").to_pylist() == _rows(tmp_path / "out")
    measures = pq.read_table(tmp_path / "out" / "measures.parquet")
    assert measures.column_names == [name for name, _ in MEASURES] and measures.num_rows == 4


def test_processes_say_the_same_and_ctrl_c_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was answered before is kept, and the rest comes with the next run."""
    file, out = _file(tmp_path, SMALL), tmp_path / "out"

    def press(now: Progress) -> None:
        if now.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        epochal.sweep(file, out=out, workers=2, progress=press)
    assert stopped.value.result.exit_code == ExitCode.INCONCLUSIVE
    assert len({row["task"] for row in _rows(out)}) == 2
    rest = epochal.sweep(file, out=out, workers=2)
    assert (rest.sweep.before, rest.sweep.done, rest.exit_code) == (2, 2, 0)

    monkeypatch.setattr(module, "apart", lambda *_: pytest.fail("everything is answered already"))
    assert epochal.sweep(file, out=out).sweep.before == 4


def test_a_process_that_dies_costs_its_task_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the exit code says so."""
    monkeypatch.setattr("epochal.checker.workers.pool.WORKER", "tests.checker.workers.losing_worker")
    monkeypatch.setenv("EPOCHAL_TEST_WORKER", "dies")
    result = epochal.sweep(_file(tmp_path, SMALL), out=tmp_path / "out", workers=1)
    assert [outcome.ended for _, outcome in result.sweep.failed] == ["lost"] * 4
    assert result.exit_code == ExitCode.ENGINE_FAILURE and "does what is missing" in str(result)


@pytest.mark.usefixtures("here")
def test_what_is_refused_is_told_and_tried_again(tmp_path: Path) -> None:
    """A specification outside the language costs its task, with its exit code; its key is that of its rules."""
    mine = tmp_path / "mine.py"
    right = "from epochal.spec.classic.kip_320 import Kip320\n\n\nclass Mine(Kip320):\n    pass\n"
    mine.write_text(right + "\n    def append(self, r, record):\n        import os\n")
    file = _file(tmp_path, SMALL.replace('["kip-101", "kip-320"]', f'"{mine}:Mine"').replace("[1, 2]", "1"))
    result = epochal.sweep(file, out=tmp_path / "out")
    assert result.exit_code == ExitCode.STATIC_CHECKS and len(result.sweep.failed) == 1
    mine.write_text(right)
    mended = epochal.sweep(file, out=tmp_path / "out")
    assert (mended.exit_code, mended.sweep.done) == (0, 1)
    (task,) = tasks_of(file)
    mine.write_text(mine.read_text() + "# another text\n")
    assert tasks_of(file)[0].key == task.key == replace(task).key
    mine.write_text(right.replace("pass", "def initial(self):\n        super().initial()"))
    assert tasks_of(file)[0].key != task.key


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "text",
    [
        SMALL.replace('["kip-101", "kip-320"]', '"kip-101"').replace("[1, 2]", "1"),
        "[[task]]\nmutate = 'kip-320'\nonly = 'become_follower: drop require #1'",
        "[[task]]\nguarantees = 'kraft'\nfaults = ['none']\nbounds = { replication-factor = 2, elections = 2 }",
        "[[task]]\ncatalogue = ['S9 classic']",
    ],
)
def test_what_lacks_memory_is_told_and_tried_again(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that was cut by the machine is none: with more memory it is another."""
    monkeypatch.setattr(module, "_limits", lambda _: {"max_memory": 1})
    result = epochal.sweep(_file(tmp_path, text), out=tmp_path / "out")
    ((_, outcome),) = result.sweep.failed
    assert (outcome.ended, result.exit_code, result.sweep.done) == ("refused", ExitCode.ENGINE_FAILURE, 0)
    assert "memory budget" in outcome.message and _rows(tmp_path / "out") == []


@pytest.mark.usefixtures("here")
def test_an_open_mutant_that_lacked_memory_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its original was searched, so it is the mutant that wanted more."""
    monkeypatch.setattr(CheckResult, "cut_by_machine", property(lambda result: bool(result.cut)))
    text = "[[task]]\nmutate = 'kip-320'\nonly = 'become_follower: drop require #1'\n"
    bounds = "bounds = { replicas = 2, log-size = 1, records = 1, max-epoch = 1 }\n"
    original = breadth_first.check

    def check(protocol: Protocol, options: Options) -> CheckResult:
        found = original(protocol, options)
        return found if options.all_violations else replace(found, cut="no memory", properties=())

    monkeypatch.setattr(breadth_first, "check", check)
    mutants.judge_of.cache_clear()
    result = epochal.sweep(_file(tmp_path, text + bounds), out=tmp_path / "out")
    mutants.judge_of.cache_clear()
    assert result.exit_code == ExitCode.ENGINE_FAILURE and "no memory" in result.sweep.failed[0][1].message


@pytest.mark.usefixtures("here")
def test_an_unexpected_error_costs_its_task_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are answered, and it is told with its kind."""
    check = kinds.KINDS["check"]

    def failing(task: Task, subject: Subject, limits: kinds.Limits) -> Any:
        if task.protocol == "kip-101":
            raise RuntimeError("a mistake")
        return check(task, subject, limits)

    monkeypatch.setattr(kinds, "KINDS", {**kinds.KINDS, "check": failing})
    result = epochal.sweep(_file(tmp_path, SMALL), out=tmp_path / "out")
    assert (result.exit_code, result.sweep.done, len(result.sweep.failed)) == (ExitCode.INTERNAL_ERROR, 2, 2)
    assert result.sweep.failed[0][1].message.startswith("RuntimeError: a mistake")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "asks nothing"),
        ("[[task", "not valid TOML"),
        ("[[task]]\nbounds = {}", r"task\[1\] asks nothing"),
        ("[[task]]\ncheck = 'kip-320'\nprove = 'kip-320'", "asks check and prove"),
        ("[[task]]\ncheck = 'kip-320'\nsymetry = true", "unknown key 'symetry' beside check. Did you mean symmetry"),
        ("[[task]]\ncheck = 'kip-320'\nbounds = { replicas = 'x' }", "bounds.replicas must be a whole number"),
        ("[[task]]\ncheck = 'kip-320'\nbounds = { replica = 2 }", "has no bound 'replica'. Did you mean replicas"),
        ("[[task]]\ncheck = 'kip-320'\nbounds = { replicas = 9 }", r"task\[1\]: replicas = 9"),
        ("[[task]]\ncheck = 'kip-320'\nproperties = ['weak']", "has no property 'weak'"),
        ("[[task]]\ncheck = 'kip-320'\n[[task]]\ncheck = 'kip-32'", r"task\[2\]: no protocol is named 'kip-32'"),
        ("[[task]]\nsimulate = 'kip-320'\nruns = 0", "runs must be more than 0"),
        ("[[task]]\nguarantees = 'kip-320'", "decided for kraft"),
        ("[[task]]\ncatalogue = ['S999']", "no entry of the catalogue"),
        ("[[task]]\ncheck = 'kraft'\nsettings = { kafka = '0.7' }", r"task\[1\]: kafka"),
        ("[[task]]\nmutate = 'kip-320'\nonly = 'nothing like it'", "no mutant"),
        ("tasks = 1\n[[task]]\ncheck = 'kip-320'", "unknown key 'tasks'"),
    ],
)
def test_mistakes_are_told_with_their_place(text: str, said: str, tmp_path: Path) -> None:
    """Before anything runs."""
    with pytest.raises(ConfigurationError, match=said) as refused:
        tasks_of(_file(tmp_path, text))
    assert "sweep.toml" in str(refused.value) and refused.value.exit_code == ExitCode.BAD_CONFIGURATION


def test_json_and_toml_ask_the_same(tmp_path: Path) -> None:
    """JSON is for programs that write such files."""
    import tomllib

    (tmp_path / "sweep.json").write_text(json.dumps(tomllib.loads(EVERY + LONGER)))
    from_json = read_sweep(tmp_path / "sweep.json")
    assert [replace(one, place="") for one in from_json] == [
        replace(one, place="") for one in read_sweep(_file(tmp_path, EVERY + LONGER))
    ]


def test_what_would_be_refused_again_is_not_said_to_be_missing(tmp_path: Path) -> None:
    """Mutants of what cannot be searched completely within these limits: the same command alone changes nothing."""
    file = _file(
        tmp_path,
        '[[task]]\nmutate = "kip-320"\nbounds = { log-size = 1, records = 1, max-epoch = 1 }\n'
        'max-states = 100\nonly = "Controller.elect_leader: drop require #1"\n',
    )
    told = str(epochal.sweep(file, out=tmp_path / "out", workers=1))
    assert "itself cannot be searched completely" in told and "Use smaller bounds, or larger limits." in told
    assert "The same command again does what is missing" not in told
    assert "refused again unless you do first what the message says" in told


# A specification that means something else where its task runs is not answered for.

MINE = """
from pathlib import Path

PLACE = Path({place!r})
STOP = int(PLACE.read_text())
PLACE.write_text(str({after}))
"""


@pytest.mark.parametrize(("after", "code"), [(5, ExitCode.INCONCLUSIVE), (3, ExitCode.HOLDS)])
@pytest.mark.parametrize("apart", [False, True])
def test_it_is_told_and_nothing_is_kept(
    after: int, code: ExitCode, apart: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: None
) -> None:
    """The file is read when the sweep begins, and again where the task runs."""
    if apart:
        monkeypatch.undo()
    place, file, out = tmp_path / "stop.txt", tmp_path / "s.toml", tmp_path / "out"
    place.write_text("3")
    (tmp_path / "p.py").write_text(MINE.format(place=str(place), after=after) + RULES)
    file.write_text(f'[[task]]\ncheck = "{tmp_path / "p.py"}:P"\n')
    result = epochal.sweep(file, out=out, workers=1)
    assert result.exit_code == code and len(list((out / "done").iterdir())) == (code == ExitCode.HOLDS)
    if code:
        assert "means something else than when the sweep began" in result.sweep.failed[0][1].message
