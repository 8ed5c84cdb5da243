"""`epochal compare` and `epochal check --static`: reports, JSON, exit codes, and what can be asked wrongly."""

from __future__ import annotations

import builtins
import json
import os
import textwrap
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from epochal.checker.ir.expression import Op
from epochal.checker.native.program.expressions import ExpressionWriter
from epochal.cli.main import main
from epochal.exit_codes import ExitCode
from tests.checker.search.test_cross_check import BROKEN
from tests.cli.conftest import Run

SMALL = ("--replicas", "3", "--log-size", "1", "--records", "1", "--max-epoch", "1")

CHANGES = """
    from dataclasses import dataclass
    from typing import Annotated, ClassVar

    from counter import Counter, Fine
    from epochal.language import Bounds, Integers, Protocol, action, bound, require


    class Slow(Counter):
        \"\"\"It ends earlier.\"\"\"

        name: ClassVar[str] = "slow"

        def grow(self) -> None:
            require(self.value < 2)
            self.value += 1


    class Hurried(Counter):
        \"\"\"It grows under another name.\"\"\"

        name: ClassVar[str] = "hurried"
        grow = None

        @action
        def hurry(self) -> None:
            \"\"\"One more.\"\"\"
            require(self.value < self.bounds.most)
            self.value += 1


    class Unbounded(Protocol):
        \"\"\"Without bounds.\"\"\"

        bounds: Bounds
        value: Annotated[int, Integers(0, 3)]


    class Puzzle(Fine):
        \"\"\"An action that no number enables, which intervals do not see.\"\"\"

        name: ClassVar[str] = "puzzle"

        def never(self) -> None:
            require(self.value * self.value == 2)

        @action
        def late(self) -> None:
            \"\"\"Possible at a number that is never reached.\"\"\"
            require(self.value * self.value == 9)

        def grow(self) -> None:
            require(self.value < 2)
            self.value += 1
"""


@pytest.fixture
def changes(counter: Path, folder: Path) -> Path:
    """A user's file changes.py beside counter.py."""
    file = folder / "changes.py"
    file.write_text(textwrap.dedent(CHANGES), encoding="utf-8")
    return file


def test_what_kip_320_changed(run: Any, folder: Path) -> None:
    """The tables, the guard with its line, and a run for each difference that replays."""
    shown = run("compare", "kip-279", "kip-320", *SMALL, "--out", "found")
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == "kip-279 and kip-320: their behaviour differs"
    assert "Steps of kip-279 that kip-320 does not take" in lines
    cells = [line.split() for line in lines]
    assert ["leader_shrinks_isr", "-", "-"] in cells and ["leader_shrinks_isr", "own", "own"] in cells
    assert ["fetch", "own", "own"] in cells and ["elect_leader", "-", "-"] in cells
    place = next(i for i, line in enumerate(lines) if line.startswith("Fetch("))
    step = lines[place].removesuffix(", a step of kip-279 only")
    story = lines[place : place + 14]
    assert f"  kip-320 refuses {step} there" in story
    assert any("require(self.follows_epoch(follower, leader))  [spec/classic/kip_320.py:" in line for line in story)
    written = sorted(path.name for path in (folder / "found").iterdir() if path.suffix != ".html")
    assert written == [
        "kip-279-lost-advance-high-watermark.itf.json",
        "kip-279-lost-become-follower.itf.json",
        "kip-279-lost-fetch.itf.json",
        "kip-279-lost-leader-expands-isr.itf.json",
        "kip-320-gained-advance-high-watermark.itf.json",
        "kip-320-gained-leader-shrinks-isr.itf.json",
        "result.json",
    ]
    for name in written[:-1]:
        again = run("replay", f"found/{name}")
        assert again.exit_code == 0, again.output


def test_the_json(run: Any) -> None:
    """One object with both directions."""
    shown = run("compare", "kip-279-proof", "kip-320-proof", *SMALL, "--format", "json")
    document = json.loads(shown.stdout)
    assert shown.exit_code == document["exit_code"] == 0
    assert (document["verdict"], len(document["lemmas"])) == ("differs", 19)
    gained = {one["action"]: one for one in document["gained"]}
    assert [gained["advance_high_watermark"][scope] for scope in ("typed", "lemmas", "reachable")] == [
        "differs",
        "same",
        "same",
    ]
    example = gained["leader_shrinks_isr"]["example"]
    assert example["scope"] == "reachable" and example["guard"].startswith("require(not self.is_caught_up(")
    assert example["source"].startswith("spec/classic/leader.py:")
    assert document["explored"]["first"]["distinct_states"] > 9841
    assert document["replayed"] == ["python", "native"]


def test_users_files_exit_codes_and_renames(run: Any, changes: Path) -> None:
    """The same; different, which is an error only if asked; renamed; open because of a budget."""
    same = run("compare", "counter.py:Counter", "counter.py:Fine", "--most", "2", "--fail-on-difference")
    assert same.exit_code == 0, same.output
    assert same.stdout.startswith(
        "counter.py:Counter and counter.py:Fine: the same steps in every typed state at these bounds\n"
        "  bounds: --most 2\n"
    )
    pair = ("compare", "counter.py:Counter", "changes.py:Slow")
    assert run(*pair).exit_code == 0
    different = run(*pair, "--fail-on-difference")
    assert different.exit_code == 20
    assert "require(self.value < 2)  [changes.py:" in different.stdout
    assert run(*pair, "--max-states", "1").exit_code == 30
    assert run("compare", "counter.py:Counter", "changes.py:Hurried", "--fail-on-difference").exit_code == 20
    renamed = ("compare", "counter.py:Counter", "changes.py:Hurried", "--rename", "grow=hurry")
    shown = run(*renamed, "--fail-on-difference")
    assert shown.exit_code == 0, shown.output
    assert "grow (there hurry)" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("counter.py:Counter",), 2, "missing argument 'OTHER'"),
        (("counter.py:Counter", "kpi-320"), 150, "Did you mean kip-320?"),
        (("kip-320", "async-isr"), 2, "different bounds: only kip-320 has log_size"),
        (("kip-320", "kip-320-proof"), 120, "the first has no more where the second has commit_epoch"),
        (("counter.py:Counter", "changes.py:Unbounded"), 2, "only counter.py:Counter has most"),
        (("counter.py:Counter", "changes.py:Slow", "--rename", "grow"), 2, "--rename grow has no '='"),
        (("counter.py:Counter", "changes.py:Slow", "--rename", "grew=grow"), 2, "counter has no action 'grew'"),
        (("counter.py:Counter", "changes.py:Slow", "--rename", "grow=gro"), 2, "slow has no action 'gro'"),
        (
            ("counter.py:Counter", "changes.py:Slow", "--rename", "grow=grow", "--rename", "never=grow"),
            2,
            "renamed already",
        ),
        (("counter.py:Counter", "changes.py:Slow", "--most", "10"), 2, "most"),
    ],
)
def test_mistakes(run: Any, changes: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    """Each with its exit code and what to do."""
    shown = run("compare", *arguments)
    assert shown.exit_code == code, shown.output
    assert said in shown.stderr, shown.stderr


def test_check_asks_why_an_action_is_never_taken(run: Any, changes: Path) -> None:
    """By itself only about actions that the search never took; the answer tells the impossible from the unreached."""
    shown = run("check", "changes.py:Puzzle", "--property", "small")
    assert shown.exit_code == 22
    assert "asked: whether any typed state enables never, late, which the search never took" in shown.stdout
    assert "Never cannot happen at these bounds: no typed state enables it (checked by Z3)" in shown.stdout
    assert "never possible within these bounds: late." in shown.stdout
    document = json.loads(run("check", "changes.py:Puzzle", "--property", "small", "--format", "json").stdout)
    answers = {one["subject"]: one["verdict"] for one in document["static"]["answers"]}
    assert answers == {"never": "impossible", "late": "possible"}
    assert document["never_taken"] == ["never", "late"]


def test_check_asks_nothing_where_nothing_is_open(run: Any) -> None:
    """A check of KIP-320 does not ask; with --static it asks everything and says so."""
    plain = run("check", "kip-320", "--replicas", "2", "--max-epoch", "1")
    assert plain.exit_code == 0 and "Checked by Z3" not in plain.stdout
    shown = run("check", "kip-320", "--replicas", "2", "--max-epoch", "1", "--static")
    assert shown.exit_code == 0
    assert "asked: indices and domains, actions and properties, in any typed state" in shown.stdout
    assert "checked at run time: the value is outside 0..1 [spec/classic/state.py:" in shown.stdout
    assert "actions that some typed state enables: 9 of 9" in shown.stdout


def test_without_z3(run: Any, changes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What needs it says what to install; a check that would only have liked to ask says that it did not."""
    honest = builtins.__import__

    def without_z3(name: str, *rest: Any, **named: Any) -> Any:
        if name == "z3" or name.startswith("z3."):
            raise ModuleNotFoundError("No module named 'z3'", name="z3")
        return honest(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_z3)
    for command in (
        ("bmc", "counter.py:Counter", "--length", "1"),
        ("compare", "counter.py:Counter", "counter.py:Fine"),
        ("check", "counter.py:Fine", "--static"),
    ):
        shown = run(*command)
        assert shown.exit_code == 153, shown.output
        assert "pip install 'z3-solver" in shown.stderr
    shown = run("check", "changes.py:Puzzle", "--property", "small")
    assert shown.exit_code == 22
    assert "whether never, late could happen at all is not known: the solver Z3 cannot be loaded" in shown.stdout


# --cross-check and exit code 40 on the command line: what is told where the semantics disagree.

TWO = ("--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """`min` is `max` in machine code."""
    honest = ExpressionWriter.__init__

    def lying(self: ExpressionWriter, *arguments: Any) -> None:
        honest(self, *arguments)
        self._table[Op.MIN] = lambda node: BROKEN[Op.MIN](self, node)

    monkeypatch.setattr(ExpressionWriter, "__init__", lying)


def test_the_report_says_how_many(run: Run) -> None:
    told = run("check", "kip-320", *TWO, "--cross-check", "30").stdout
    assert "cross-check      30 states with " in told
    assert "repeated in the Python semantics, without a difference" in told
    document = json.loads(run("check", "kip-320", *TWO, "--cross-check", "30", "--format", "json").stdout)
    assert document["cross_check"]["states"] == 30 < document["cross_check"]["steps"]
    assert "cross-check      off: no state was repeated" in run("check", "kip-320", *TWO, "--cross-check", "off").stdout
    every = json.loads(run("check", "kip-320", *TWO, "--cross-check", "all", "--format", "json").stdout)
    assert every["cross_check"] == {"states": every["distinct_states"], "steps": every["generated_states"]}
    python = json.loads(run("check", "kip-320", *TWO, "--engine", "python", "--format", "json").stdout)
    assert python["cross_check"] is None


@pytest.mark.parametrize("wrong", ["0", "-3", "some", "1.5"])
def test_what_is_no_number_of_states_is_refused(run: Run, wrong: str) -> None:
    result = run("check", "kip-320", f"--cross-check={wrong}")
    assert result.exit_code == 2
    assert f"{wrong!r} is no number of states. Write a whole number from 1 on, 'all' or 'off'." in result.stderr


def test_where_it_makes_no_sense(run: Run) -> None:
    result = run("check", "kip-320", "--engine", "python", "--cross-check", "10")
    assert result.exit_code == 2
    assert "--cross-check is for the other engines: they are compared with the Python semantics." in result.stderr
    for command in (("bmc", "kip-320", "--length", "1"), ("prove", "kip-320-proof")):
        result = run(*command, "--cross-check", "all")
        assert result.exit_code == 2
        assert "there are more typed states than anybody can repeat.\n  Give a number" in result.stderr


def test_a_disagreement_has_its_own_exit_code_and_no_verdict(run: Run, broken: None) -> None:
    result = run("check", "kip-320", "--progress", "none")
    assert result.exit_code == ExitCode.READINGS_DISAGREE.value == 40
    assert result.stdout == ""
    told = result.stderr.splitlines()
    assert told[0].startswith("epochal: the semantics disagree on ") and "[spec/classic/" in told[0]
    assert told[1].strip().startswith("native: ") and told[2].strip().startswith("python: ")
    assert "in the state:" in told[3]
    assert any("b1: log " in line for line in told)
    assert "This is a bug in Epochal: report it with these lines and the file of the specification." in result.stderr
    python = "epochal check kip-320 --replicas 3 --log-size 2 --records 2 --max-epoch 2 --engine python"
    assert told[-1].strip() == f"The Python semantics define what the specification means: {python}"
    (line,) = [line for line in told if "the run to it: " in line]
    file = line.split("the run to it: ")[1].split(" (")[0]
    assert run("trace", "show", file).exit_code == 0
    replayed = run("replay", file)
    assert replayed.exit_code == 20
    assert "python: every step is possible" in replayed.stdout and "native: step " in replayed.stdout


def test_json_and_the_folder_have_it(run: Run, broken: None, tmp_path: Path) -> None:
    result = run("check", "kip-320", "--format", "json", "--out", "found")
    assert result.exit_code == 40
    document = json.loads(result.stdout)
    assert document == json.loads(Path("found/result.json").read_text())
    assert document["exit_code"] == 40 and "properties" not in document
    found = document["disagreement"]
    assert [one["reading"] for one in found["answers"]] == ["native", "python"]
    assert found["source"].startswith("spec/classic/") and found["trace"]["#meta"]["protocol"] == "kip-320"
    assert Path(found["file"]).parent == Path("found") and Path(found["file"]).is_file()


@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "kip-320", "--runs", "200"),
        ("mutate", "kip-320", "--only", "become_follower"),
        ("compare", "kip-320", "kip-279"),
    ],
    ids=lambda words: words[0],
)
def test_other_commands_give_no_verdict_either(run: Run, broken: None, words: tuple[str, ...]) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (40, "")
    assert "the semantics disagree on " in result.stderr


def test_the_code_is_explained(run: Run) -> None:
    told = run("explain", "40").stdout
    assert "the semantics disagree" in told and "--engine python" in told


def test_the_gate_has_no_verdict_and_keeps_nothing(run: Run, broken: None, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("epochal.toml").write_text('[model.mine]\nprotocol = "kip-320"\n')
    refused = run("baseline", "update")
    assert refused.exit_code == 40 and "the semantics disagree on " in refused.stderr
    assert not Path("epochal.lock.json").exists()
    Path("epochal.lock.json").write_text('{"format": "epochal-lock", "version": 1, "models": {}}\n')
    for _ in range(2):  # nothing was kept
        result = run("gate", "--format", "json", "--out", "report")
        assert result.exit_code == 40
        (model,) = json.loads(result.stdout)["models"]
        assert (model["verdict"], model["exit_code"]) == ("semantics disagree", 40)
        assert "holds" not in result.stdout
    sarif = next(Path("report").rglob("*sarif*")).read_text()
    assert "An engine gives another result for a state than the Python semantics." in sarif
    junit = next(Path("report").rglob("TEST-*.xml")).read_text()
    assert '<error type="semantics disagree"' in junit


# `epochal check --symmetry` as users meet it: the report, the JSON, the refusal, the trace.


def run(*arguments: str) -> Result:
    """One command."""
    return CliRunner().invoke(main, list(arguments))


def test_the_report_says_that_symmetry_is_on() -> None:
    """And what the counts mean."""
    done = run("check", "kip-320", *TWO, "--symmetry")
    assert "symmetry reduction over b1..b2" in done.stdout
    assert "representatives (one of all states that differ in names only)" in done.stdout
    assert "no symmetry reduction" in run("check", "kip-320", *TWO).stdout


def test_json_says_it_too() -> None:
    """With the identifiers that are interchangeable."""
    document = json.loads(run("check", "kip-320", *TWO, "--symmetry", "--format", "json").stdout)
    assert document["symmetry"] is True and document["interchangeable"] == ["b1..b2"]
    assert document["distinct_states"] < 277
    plain = json.loads(run("check", "kip-320", *TWO, "--format", "json").stdout)
    assert plain["symmetry"] is False and plain["interchangeable"] == []
    assert [(p["id"], p["verdict"], p["length"]) for p in document["properties"]] == [
        (p["id"], p["verdict"], p["length"]) for p in plain["properties"]
    ]


def test_a_protocol_that_tells_replicas_apart_is_refused() -> None:
    """With the line, the reason and what to do: the static checks' exit code."""
    done = run("check", "async-isr", "--symmetry")
    assert done.exit_code == 120
    assert "b1 and b2 are not symmetric" in done.stderr
    assert "spec/classic/async_isr.py:" in done.stderr
    assert "without --symmetry" in done.stderr


def test_the_trace_replays(tmp_path: Path) -> None:
    """The counterexample is a run of the protocol; the command told next has the option."""
    out = tmp_path / "found"
    done = run("check", "truncate-to-hw", *TWO, "--symmetry", "--out", str(out))
    assert done.exit_code == 12
    assert "replayed step by step in: python, native" in done.stdout
    for file in sorted(out.glob("*.itf.json")):
        assert run("replay", str(file)).exit_code == 0
    assert "--symmetry --out found" in run("check", "truncate-to-hw", *TWO, "--symmetry").stdout


# `--engine spark` on the command line: mistakes are told, and nothing is started for them.

OF_KIP_320 = (
    "kip-320",
    "--replicas",
    "2",
    "--log-size",
    "1",
    "--records",
    "1",
    "--max-epoch",
    "1",
    "--progress",
    "none",
)


def check(*arguments: str) -> Result:
    """`epochal check` at small bounds."""
    return CliRunner().invoke(main, ["check", *OF_KIP_320, *arguments], prog_name="epochal")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--engine", "native", "--master", "local[2]"), "are for --engine spark, not native"),
        (("--engine", "spark", "--master", "spark://nowhere:7077"), "needs --storage"),
        (("--engine", "spark", "--conf", "fast"), "--conf 'fast' is no setting"),
        (("--engine", "spark", "--conf", "spark.epochal.speed=1"), "there is no setting spark.epochal.speed"),
        (("--engine", "spark", "--conf", "spark.epochal.partitions=0"), "must be a whole number from 1"),
        (("--engine", "spark", "--conf", "spark.epochal.threshold=many"), "must be a whole number"),
        (("--engine", "spark", "--resume", "last"), "--resume last needs --storage"),
        (("--engine", "spark", "--resume", "a", "--storage", "b"), "names another storage"),
        (("--engine", "spark", "--workers", "2"), "The master says how many processors"),
        (("--engine", "python", "--workers", "2"), "--workers needs the native engine"),
        (("--engine", "spark", "--compact"), "--compact needs the native engine"),
        (("--engine", "spark", "--symmetry"), "--symmetry needs the native engine"),
    ],
)
def test_mistakes_on_spark(arguments: tuple[str, ...], said: str) -> None:
    """Each is one message and exit code 2."""
    done = check(*arguments)
    assert done.exit_code == 2 and said in done.stderr


def test_small_models_need_no_cluster(tmp_path: Path) -> None:
    """Levels below the threshold are searched by the driver; the run is resumed, and refused without --resume."""
    storage = str(tmp_path / "run")
    first = check("--engine", "spark", "--storage", storage)
    assert first.exit_code == 0 and "spark (compiled, distributed)" in first.stdout
    (took,) = [line for line in first.stdout.splitlines() if line.startswith("  time ")]
    assert "on the clock" in took and "of processor time" not in took
    assert "liveness properties hold" in first.stdout
    assert "levels by the driver itself, no task of Spark: they were small, or done" in first.stdout
    assert "277 distinct" in first.stdout and "261cd329a11792804669a385da652f08" in first.stdout
    again = check("--engine", "spark", "--storage", storage)
    assert again.exit_code == 2 and "holds a run of kip-320 (277 states)" in again.stderr
    assert check("--engine", "spark", "--resume", storage).exit_code == 0
    assert check("--engine", "spark", "--storage", storage, "--resume", "last").exit_code == 0
    other = check("--engine", "spark", "--storage", storage, "--resume", "last", "--all-violations")
    assert other.exit_code == 2
    assert "all_violations: False there, True asked for" in other.stderr
    larger = check("--engine", "spark", "--storage", storage, "--resume", "last", "--max-epoch", "2")
    assert larger.exit_code == 2 and "max_epoch 1 there, replicas 2" in larger.stderr


def test_a_storage_that_cannot_be_used(tmp_path: Path) -> None:
    """One message and exit code 153."""
    (tmp_path / "file").touch()
    done = check("--engine", "spark", "--storage", str(tmp_path / "file" / "run"))
    assert done.exit_code == 153 and "cannot be used" in done.stderr and "shared path" in done.stderr


JAVA = "#!/bin/sh\necho 'openjdk version \"{}\"' >&2\n"


@pytest.mark.parametrize(("version", "said"), [(None, "there is no Java"), ("11.0.2", "is Java 11"), ("1.8.0_2", "8")])
def test_java(version: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing or too old: `check` says what to install, and `doctor` says it beforehand."""
    if version is not None:
        (tmp_path / "java").write_text(JAVA.format(version), encoding="ascii")
        (tmp_path / "java").chmod(0o755)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}:/nowhere" if version is None else f"{tmp_path}:{os.environ['PATH']}")
    done = check("--engine", "spark")
    assert done.exit_code == 153 and said in done.stderr and "Install Java 17 or newer" in done.stderr
    report = CliRunner().invoke(main, ["doctor"], prog_name="epochal")
    assert report.exit_code == 153 and "Install Java 17 or newer" in report.stdout


def test_auto_offers_spark() -> None:
    """Where memory ends the native search, the report says how to go on."""
    done = check("--max-memory", "1M")
    assert done.exit_code == 30 and "Spark keeps states on disk" in done.stdout


def test_auto_takes_spark(tmp_path: Path) -> None:
    """If the command line says where, and tells why."""
    done = check("--max-memory", "1M", "--storage", str(tmp_path / "run"))
    assert done.exit_code == 0 and "277 distinct" in done.stdout
    assert "the native engine stopped: the memory budget of 1 MiB is spent" in done.stderr
