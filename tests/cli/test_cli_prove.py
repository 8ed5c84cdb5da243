"""`epochal prove`: the report, the JSON, the exit codes, and what can be asked wrongly."""

from __future__ import annotations

import builtins
import json
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.checker.base.z3_solver import accepted
from epochal.checker.crosscheck.same_steps import difference
from epochal.spec.registry import PROOFS, REGISTRY, proof_of, registered
from tests.cli.conftest import Run

SMALL = ("--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")

LAMP = """
    from typing import Annotated, ClassVar

    from epochal.language import Bounds, Integers, Protocol, action, action_property, invariant, lemma, require


    class Lamp(Protocol):
        \"\"\"A lamp that counts how often it was lit.\"\"\"

        name: ClassVar[str] = "lamp"
        bounds: Bounds
        count: Annotated[int, Integers(0, 3)]
        lit: bool

        @action
        def light(self) -> None:
            \"\"\"Light it.\"\"\"
            require(not self.lit)
            require(self.count < 3)
            self.lit = True
            self.count += 1

        @lemma
        def counted(self) -> bool:
            \"\"\"A lit lamp was lit.\"\"\"
            return not self.lit or self.count > 0

        @invariant
        def seldom(self) -> bool:
            \"\"\"It is lit once at most.\"\"\"
            return self.count < 2


    class Dark(Lamp):
        \"\"\"A lamp whose lemma is false at first.\"\"\"

        @lemma
        def already(self) -> bool:
            \"\"\"It was lit before.\"\"\"
            return self.count > 0


    class Asking(Lamp):
        \"\"\"A lamp whose lemma asks for more than a state.\"\"\"

        @lemma
        def counted(self, often: Annotated[int, Integers(0, 3)]) -> bool:
            \"\"\"Whatever.\"\"\"
            return self.count == often


    class Silent(Lamp):
        \"\"\"A lamp whose lemma reads nothing.\"\"\"

        @lemma
        def arithmetic(self) -> bool:
            \"\"\"One is less than two.\"\"\"
            return self.words() < 2

        def words(self) -> int:
            \"\"\"A number.\"\"\"
            return 1


    class Curious(Lamp):
        \"\"\"A lamp whose lemma refers to a parameter of an action.\"\"\"

        @action
        def turn(self, times: Annotated[int, Integers(0, 3)]) -> None:
            \"\"\"Turn it.\"\"\"
            require(self.lit and times < 3)

        @lemma
        def turned(self) -> bool:
            \"\"\"Whatever.\"\"\"
            return all(self.count <= times for _ in range(2))


    class Endless(Lamp):
        \"\"\"A lamp whose lemma does not end.\"\"\"

        @lemma
        def waits(self) -> bool:
            \"\"\"It waits.\"\"\"
            turns = 0
            while turns >= 0:
                turns += 1
            return self.count < turns
"""


@pytest.fixture
def lamp(folder: Path) -> Path:
    """A user's file with the protocols Lamp, Dark and Asking."""
    file = folder / "lamp.py"
    file.write_text(textwrap.dedent(LAMP), encoding="utf-8")
    return file


def test_a_proof(run: Any) -> None:
    """The headline, the verdicts, a row an action, and what is not said."""
    shown = run("prove", "kip-320-proof", "--max-epoch", "1")
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == (
        "kip-320-proof: weak_isr, strong_isr, leader_in_isr proved, for any number of steps at these bounds"
    )
    rows = {line.split()[0]: line.split() for line in lines if line.startswith("  ") and line.strip()}
    assert rows["advance_high_watermark"][1:21] == "+ . . . . . . . . + . . + + + + + + + +".split()  # noqa: SIM905
    assert rows["initially"][1:] == ["+"] * 19
    assert "obligations  1,042 obligations, of which" in shown.stdout
    assert "larger bounds" in shown.stdout
    assert "Counterexample" not in shown.stdout


def test_a_failed_proof_tells_a_counterexample_and_writes_them_all(run: Any, folder: Path) -> None:
    """KIP-279: crosses in the matrix, one story, a trace for each cross, which replays."""
    shown = run("prove", "kip-279-proof", "--max-epoch", "1", "--out", "found")
    assert shown.exit_code == 32
    assert shown.stdout.startswith("kip-279-proof: not proved: ")
    assert "  not proved  strong_isr" in shown.stdout
    assert "- LeaderExpandsIsr(b1, b2) preserves quorum_isr_holds_what_is_committed" in shown.stdout
    assert "0. Any state in which every lemma holds" in shown.stdout
    assert "replayed step by step in: python, native" in shown.stdout
    assert "a lemma is missing that says so" in shown.stdout
    written = list((folder / "found").glob("*.itf.json"))
    result = json.loads((folder / "found" / "result.json").read_text())
    crosses = [cell for cell in result["matrix"] if cell["verdict"] == "counterexample"]
    assert len(written) == len(crosses)
    one = "found/kip-279-proof-leader-expands-isr-quorum-isr-holds-what-is-committed.itf.json"
    again = run("replay", one)
    assert again.exit_code == 0, again.output
    story = run("trace", "show", one)
    assert story.exit_code == 0 and "which need not be reachable" in story.stdout


def test_the_json(run: Any) -> None:
    """One object, with the matrix and the exit code."""
    shown = run("prove", "kip-320-proof", *SMALL, "--property", "strong_isr", "--format", "json")
    document = json.loads(shown.stdout)
    assert shown.exit_code == document["exit_code"] == 0
    assert document["bounds"] == {"replicas": 2, "log_size": 1, "records": 1, "max_epoch": 1}
    assert [(p["id"], p["verdict"]) for p in document["properties"]] == [("strong_isr", "proved")]
    assert len(document["lemmas"]) == 19
    assert [one["id"] for one in document["lemmas"] if one["trivial"]] == ["log_matching"]
    cells = {(cell["action"], cell["column"]): cell for cell in document["matrix"]}
    assert cells["fetch", "quorum_is_the_latest_request"]["verdict"] == "untouched"
    assert cells["fetch", "record_epochs"] == {
        "action": "fetch",
        "column": "record_epochs",
        "verdict": "proved",
        "obligations": 2,
        "seconds": cells["fetch", "record_epochs"]["seconds"],
        "counterexample": None,
        "first_state": None,
        "nearest": None,
        "trace": None,
    }
    assert cells["implication", "strong_isr"]["verdict"] == "proved"
    assert document["obligations"] == sum(cell["obligations"] for cell in document["matrix"])


def test_a_spent_limit_is_exit_code_31(run: Any) -> None:
    """Unknown is never success, and names the obligations."""
    shown = run("prove", "kip-320-proof", "--max-epoch", "1", "--rlimit", "1")
    assert shown.exit_code == 31
    assert "inconclusive: the solver gave up on" in shown.stdout
    assert ": unknown (the resource limit is spent)" in shown.stdout
    assert "Next: --rlimit 10 gives the solver more." in shown.stdout
    assert "more (--format json names all)" in shown.stdout
    assert "  not proved  strong_isr" in shown.stdout


def test_a_property_that_the_lemmas_do_not_imply(run: Any, lamp: Path) -> None:
    """A user's protocol: the counterexample is a state, and nothing is said to be violated."""
    shown = run("prove", "lamp.py:Lamp")
    assert shown.exit_code == 32
    assert "- the lemmas imply seldom" in shown.stdout
    assert "lamp.py:Lamp: seldom is not proved (1 state; no bounds)" in shown.stdout
    assert "violated" not in shown.stdout


def test_a_lemma_that_is_false_at_first_is_violated(run: Any, lamp: Path) -> None:
    """That state is reachable: exit code 12."""
    shown = run("prove", "lamp.py:Dark")
    assert shown.exit_code == 12
    assert shown.stdout.startswith("lamp.py:Dark: a lemma is false in an initial state")
    assert "already is violated" in shown.stdout


@pytest.mark.parametrize(
    ("name", "message", "advice"),
    [
        ("Silent", "the lemma arithmetic reads no state variable", "Say something about count, lit"),
        ("Curious", "the lemma turned refers to times, which is a parameter of the action turn", "quantify with all"),
        ("Endless", "the loops of this rule go round more than 100,000 times", "Write a for loop"),
    ],
)
def test_lemmas_that_are_none(name: str, message: str, advice: str, run: Any, lamp: Path) -> None:
    """Refused with file and line and what to write instead: exit code 120."""
    refused = run("prove", f"lamp.py:{name}")
    assert refused.exit_code == 120
    assert re.match(r"epochal: .*lamp\.py:\d+: ", refused.stderr)
    assert message in refused.stderr and advice in refused.stderr


def test_mistakes(run: Any, lamp: Path) -> None:
    """Each with its exit code and what to do."""
    none = run("prove", "kip-101")
    assert none.exit_code == 2
    assert "kip-101 has no lemmas" in none.stderr and "with lemmas: kip-320-proof" in none.stderr
    steps = run("prove", "kip-320-proof", *SMALL, "--property", "epochs_only_grow")
    assert steps.exit_code == 2
    assert "epochs_only_grow is no invariant, and only invariants are proved" in steps.stderr
    asking = run("prove", "lamp.py:Asking")
    assert asking.exit_code == 120
    assert "the lemma counted takes parameters" in asking.stderr and "lamp.py:" in asking.stderr
    both = run("prove", "kip-320-proof", *SMALL, "--minimize", "--houdini", "lamp.py")
    assert both.exit_code == 2 and "exclude each other" in both.stderr
    master = run("prove", "kip-320-proof", *SMALL, "--master", "local[2]")
    assert master.exit_code == 2 and "--master is for --engine spark" in master.stderr


def test_without_z3(run: Any, lamp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that is missing: exit code 153, what to install, and doctor says the same."""
    honest = builtins.__import__

    def without_z3(name: str, *rest: Any, **named: Any) -> Any:
        if name == "z3":
            raise ModuleNotFoundError("No module named 'z3'", name="z3")
        return honest(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_z3)
    missing = run("prove", "lamp.py:Lamp")
    assert missing.exit_code == 153
    assert "Z3 cannot be loaded: No module named 'z3'" in missing.stderr
    assert "pip install 'z3-solver>=5.4,<6'" in missing.stderr
    doctor = run("doctor")
    assert doctor.exit_code == 153 and "PROBLEM  Z3" in doctor.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("prove", "kip-320-proof"),
        ("bmc", "kip-320", "--length", "1"),
        ("compare", "kip-279", "kip-320"),
        ("check", "kip-320", "--static", "--max-epoch", "0"),
        ("counterexamples", "--check"),
        ("check", "kraft-s1", "--symmetry", "--replication-factor", "2"),
    ],
    ids=lambda arguments: " ".join(arguments[:3]),
)
def test_a_fresh_process_without_z3(arguments: tuple[str, ...], folder: Path) -> None:
    """Every command that needs the solver says so."""
    (folder / "broken" / "z3").mkdir(parents=True)
    (folder / "broken" / "z3" / "__init__.py").write_text("raise ImportError('no libz3.so')", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "broken"), *sys.path])}
    command = [sys.executable, "-m", "epochal.cli.main", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 153, done.stderr
    assert "the solver Z3 cannot be loaded: no libz3.so." in done.stderr


@pytest.mark.parametrize("version", [(4, 15, 3, 0), (6, 0, 0, 0)])
def test_another_version_of_z3(version: tuple[int, ...], run: Any, lamp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version outside the range is refused, and named."""
    monkeypatch.setattr("z3.get_version", lambda: version)
    other = run("prove", "lamp.py:Lamp")
    shown = ".".join(map(str, version))
    assert other.exit_code == 153
    assert f"Z3 is version {shown}, and proofs are tested with z3-solver>=5.4,<6" in other.stderr


def test_the_range_of_versions_is_that_of_the_package() -> None:
    """The range that is checked at run time is the one that pip obeys."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert accepted() in project["project"]["dependencies"]


def test_doctor_knows_z3(run: Any) -> None:
    """The version, and that it can decide something."""
    assert re.search(r"ok +Z3 +5\.\d+", run("doctor").stdout)


def test_a_protocol_finds_its_proof(run: Run) -> None:
    """`prove kip-320` proves kip-320-proof, says so, and says that the steps are the same."""
    result = run("prove", "kip-320", *SMALL, "--property", "strong_isr")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "kip-320-proof: strong_isr proved, for any number of steps at these bounds"
    assert lines[1].startswith(
        "  kip-320 with 2 history variables and 19 lemmas (kip-320-proof); its steps are kip-320's"
    )
    own = run("prove", "kip-320-proof", *SMALL, "--property", "strong_isr").stdout.splitlines()
    assert own[1] == lines[2]


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("kip-320", {"replicas": 2, "log_size": 1, "records": 1, "max_epoch": 1}),
        ("kip-279", {"replicas": 2, "log_size": 1, "records": 1, "max_epoch": 1}),
        ("quorum", {"voters": 2, "observers": 1, "log_size": 1, "max_epoch": 1}),
        ("quorum-vote-not-persisted", {"voters": 2, "observers": 1, "log_size": 1, "max_epoch": 1}),
    ],
)
def test_the_steps_of_a_proof_are_those_of_its_protocol(name: str, bounds: dict[str, int]) -> None:
    """In every reachable state, up to the history: of every protocol that has a proof elsewhere."""
    plain, proof = epochal.load(name, **bounds), epochal.load(PROOFS[name], **bounds)
    wrong, states = difference(plain, proof)
    assert wrong == "" and states > 50
    assert proof_of(type(plain)) is registered(PROOFS[name])


def test_a_proof_of_other_steps_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROOFS, "kip-320", "kip-279-proof")
    result = run("prove", "kip-320", *SMALL)
    assert result.exit_code == 23
    assert "kip-279-proof does not take the steps of kip-320: " in result.stderr


def test_every_protocol_with_a_proof_is_known() -> None:
    """The quorum has two: one of its elections, and one of its logs, with more lemmas."""
    assert {*PROOFS.values(), "quorum-commit-proof"} == {n for n in REGISTRY if registered(n).members("lemma")}
    small = {"voters": 2, "observers": 1, "log_size": 1, "max_epoch": 1}
    assert difference(epochal.load("quorum", **small), epochal.load("quorum-commit-proof", **small))[0] == ""


def test_the_counterexamples_that_are_not_told_are_announced(run: Any, folder: Path) -> None:
    """One is told as a story; a command writes them all."""
    shown = run("prove", "kip-279", *SMALL, "--progress", "none")
    command = "epochal prove kip-279-proof --replicas 2 --log-size 1 --records 1 --max-epoch 1 --out found"
    told = re.search(r"There are (\d+) more counterexamples; --out writes them all\.\n\nNext\n  (.*)\n$", shown.stdout)
    assert shown.exit_code == 32 and told is not None and told[2] == command
    written = run(*command.split()[1:], "--progress", "none")
    assert len(list((folder / "found").glob("*.itf.json"))) == int(told[1]) + 1
    assert "more counterexamples" not in written.stdout
