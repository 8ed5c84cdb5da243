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
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.checker.base.installed import accepted
from epochal.checker.crosscheck.cross_check import difference
from epochal.checker.native.backend import NativeBackend
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.solver.induction import first_state, matrix, ranked
from epochal.checker.trace.replay import replay
from epochal.checker.trace.trace import Step
from epochal.spec.language import EvaluationError
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
    """The quorum has two: one of all its invariants, and one of its elections alone, with fewer lemmas."""
    assert {*PROOFS.values(), "quorum-proof"} == {n for n in REGISTRY if registered(n).members("lemma")}
    small = {"voters": 2, "observers": 1, "log_size": 1, "max_epoch": 1}
    assert difference(epochal.load("quorum", **small), epochal.load("quorum-proof", **small))[0] == ""


def test_the_counterexamples_that_are_not_told_are_announced(run: Any, folder: Path) -> None:
    """One is told as a story; a command writes them all."""
    shown = run("prove", "kip-279", *SMALL, "--progress", "none")
    command = "epochal prove kip-279-proof --replicas 2 --log-size 1 --records 1 --max-epoch 1 --out found"
    told = re.search(r"There are (\d+) more counterexamples; --out writes them all\.\n\nNext\n  (.*)\n$", shown.stdout)
    assert shown.exit_code == 32 and told is not None and told[2] == command
    written = run(*command.split()[1:], "--progress", "none")
    assert len(list((folder / "found").glob("*.itf.json"))) == int(told[1]) + 1
    assert "more counterexamples" not in written.stdout


# What `epochal prove` says of a proof that fails, or that somebody brings lemmas for: cells, first states, files.

QUEUES = """
    from typing import Annotated

    from epochal.language import (
        Bounds, Capacity, Identifier, Identifiers, Integers, Log, Map, Protocol, action, invariant, lemma, require
    )

    Node = Annotated[Identifier, Identifiers("n", 2)]
    Length = Annotated[int, Integers(0, 2)]


    class Queues(Protocol):
        \"\"\"Two queues; one of them is pushed to without looking whether there is room.\"\"\"

        bounds: Bounds
        queues: Map[Node, Annotated[Log[Length], Capacity(2)]]
        pushed: Annotated[int, Integers(0, 2)]
        done: Annotated[int, Integers(0, 3)]

        @action
        def push(self, node: Node) -> None:
            \"\"\"Append what the number is.\"\"\"
            require(self.pushed < 2)
            self.queues[node].append(self.pushed)
            self.pushed += 1

        @action
        def work(self) -> None:
            \"\"\"Count one that is done, pushed or not.\"\"\"
            require(self.done < 3)
            self.done += 1

        @lemma
        def done_was_pushed(self) -> bool:
            \"\"\"No more is done than was pushed.\"\"\"
            return self.done <= self.pushed

        @invariant
        def seldom(self) -> bool:
            \"\"\"Done at most twice.\"\"\"
            return self.done <= 2
"""

BESIDE = """
    from epochal.language import lemma


    @lemma
    def seldom_done(self) -> bool:
        \"\"\"Done at most thrice.\"\"\"
        return self.done <= 3


    @lemma
    def never_both(self) -> bool:
        \"\"\"One queue is empty.\"\"\"
        return any(len(self.queues[n]) == 0 for n in self.queues)
"""


@pytest.fixture
def queues(folder: Path) -> Path:
    """A user's file with the protocol Queues, and one with lemmas that stand beside it."""
    (folder / "beside.py").write_text(textwrap.dedent(BESIDE), encoding="utf-8")
    file = folder / "queues.py"
    file.write_text(textwrap.dedent(QUEUES), encoding="utf-8")
    return file


def test_a_counterexample_replays_its_own_step_only(run: Any, queues: Path, folder: Path) -> None:
    """In its first state, in which all lemmas hold, another action fails: that says nothing of the step."""
    shown = run("prove", "queues.py:Queues", "--out", "found", "--max-states", "0")
    assert shown.exit_code == 32, shown.output
    assert "- Push(n1) can be evaluated, and 1 instance more" in shown.stdout
    assert "- Work() preserves done_was_pushed" in shown.stdout
    for file in sorted((folder / "found").glob("*.itf.json")):
        assert run("replay", str(file), "--protocol", "queues.py:Queues").exit_code == 0


def test_a_step_is_replayed_where_another_fails(queues: Path) -> None:
    """The state is one in which the other action cannot be evaluated, and the step of the counterexample can."""
    protocol = epochal.load(f"{queues}:Queues")
    result = epochal.prove(protocol, max_states=0)
    shown = {cell.row: cell.shown.trace for cell in ranked(matrix(result.proof)) if cell.shown is not None}
    full, found = shown["push"], shown["work"]
    assert full is not None and found is not None
    push = next(one for one in protocol.instances if one.label == "Push(n1)")
    with pytest.raises(EvaluationError):
        protocol.step(protocol.at(full.initial), push)
    work = found.steps[0].instance
    after = protocol.step(protocol.at(full.initial), work)
    assert after is not None
    outcome = replay(
        replace(found, initial=full.initial, steps=(Step(work, after),)),
        [PythonSemantics(protocol), NativeBackend(protocol)],
    )
    assert outcome.ok, outcome.lines()


def test_cells_are_listed_and_the_barest_is_told_first(run: Any) -> None:
    """One line for each action and lemma, however many instances; the story is of the one with least in it."""
    shown = run("prove", "kip-279-proof", "--max-epoch", "1")
    lines = shown.stdout.splitlines()
    start = lines.index("Open, by action and lemma")
    listed = lines[start + 1 : lines.index("", start)]
    document = json.loads(run("prove", "kip-279-proof", "--max-epoch", "1", "--format", "json").stdout)
    crosses = [cell for cell in document["matrix"] if cell["verdict"] == "counterexample"]
    assert len(listed) == len(crosses) == 9
    assert all(any(f" preserves {cell['column']}" in line for line in listed) for cell in crosses)
    assert ", and 5 instances more; state 0 is not reachable within these bounds" in shown.stdout
    told = re.search(r"Not proved: (.*)\. All lemmas hold", shown.stdout)
    assert told is not None and listed[0].startswith(f"  - {told[1]}")


def test_the_nearest_state_that_was_reached(run: Any) -> None:
    """What differs from it says what a missing lemma may be about; it is there in JSON, too."""
    shown = run("prove", "kip-279-proof", *SMALL)
    assert re.search(r"reached the nearest differs in \d+ values?: \S+ is .* there, not ", shown.stdout)

    document = json.loads(run("prove", "kip-279-proof", *SMALL, "--format", "json").stdout)
    for cell in document["matrix"]:
        assert (cell["nearest"] is not None) == str(cell["first_state"] or "").startswith("not ")


def test_a_state_that_is_reached_is_told_before_others(queues: Path) -> None:
    """It is a bug, and no lemma excludes it."""
    result = epochal.prove(epochal.load(f"{queues}:Queues"))
    said = [first_state(cell.shown) for cell in ranked(matrix(result.proof)) if cell.shown is not None]
    assert [one.partition(" ")[0] for one in said] == ["reached", "not"]
    assert result.counterexample is not None and result.counterexample.property_id == "done_was_pushed"


def test_lemmas_from_a_file(run: Any, queues: Path) -> None:
    """They stand beside the protocol, and must all be inductive."""
    shown = run("prove", "queues.py:Queues", "--lemmas", "beside.py", "--out", "found")
    assert shown.exit_code == 32
    assert "seldom_done" in shown.stdout
    assert "- Push(n1) preserves never_both, and 1 instance more; state 0 is " in shown.stdout
    assert "true of every state at these bounds" in shown.stdout
    again = run("replay", "found/queues-py-queues-push-never-both.itf.json", "--protocol", "queues.py:Queues")
    assert again.exit_code != 0 and "It is a lemma of 'beside.py'" in again.output
    missing = run("prove", "queues.py:Queues", "--lemmas", "nowhere.py")
    assert missing.exit_code == 150 and "nowhere.py" in missing.stderr
    both = run("prove", "queues.py:Queues", "--lemmas", "beside.py", "--houdini", "beside.py")
    assert both.exit_code == 2 and "exclude each other" in both.stderr


def test_lemmas_for_a_protocol_that_has_none(run: Any, folder: Path) -> None:
    """No class is needed."""
    (folder / "of_kip_101.py").write_text(
        textwrap.dedent(
            """
            from epochal.language import lemma


            @lemma
            def isr_has_the_leader(self) -> bool:
                \"\"\"The leader that the quorum names is in its ISR.\"\"\"
                return self.quorum.leader is None or self.quorum.leader in self.quorum.isr
            """
        ),
        encoding="utf-8",
    )
    none = run("prove", "kip-101", *SMALL)
    assert none.exit_code == 2 and "bring some with --lemmas" in none.stderr
    shown = run("prove", "kip-101", *SMALL, "--property", "leader_in_isr", "--lemmas", "of_kip_101.py")
    assert "isr_has_the_leader" in shown.stdout and shown.exit_code in (0, 32)


def test_what_a_proof_rests_on(run: Any) -> None:
    """Bounds, the solver, the reading; and that lemmas and actions are about something."""
    shown = run("prove", "kip-320", *SMALL)
    assert "- trusted: Z3 5." in shown.stdout and "compared in 8 states" in shown.stdout
    assert "- not empty: the lemmas hold in 1 initial state" in shown.stdout
    assert "- not idle: each of 9 actions can happen" in shown.stdout
    unchecked = run("prove", "kip-320", *SMALL, "--cross-check", "off")
    assert "not compared (--cross-check)" in unchecked.stdout


# `epochal bmc`: the report, the JSON, the traces, other starts, and what can be asked wrongly.


def test_a_bug(run: Any, folder: Path) -> None:
    """The story of a shortest violation; files that replay; nothing on stderr that took no time."""
    shown = run("bmc", "truncate-to-hw", *SMALL, "--length", "9", "--property", "weak_isr", "--out", "found")
    assert shown.exit_code == 12
    lines = shown.stdout.splitlines()
    assert lines[0] == "truncate-to-hw: weak_isr violated in a run of 9 states"
    assert (
        "truncate-to-hw: weak_isr is violated (9 states; replicas 2, log_size 1, records 1, max_epoch 1)"
        in shown.stdout
    )
    assert "0. Initial state" in shown.stdout
    assert "1 trace replayed step by step in: python, native" in shown.stdout
    assert "- runs of more than 9 states" in shown.stdout
    again = run("replay", "found/truncate-to-hw-weak-isr.itf.json")
    assert again.exit_code == 0, again.output
    result = json.loads((folder / "found" / "result.json").read_text())
    assert [(p["id"], p["verdict"], p["steps"]) for p in result["properties"]] == [("weak_isr", "violated", 8)]
    assert result["properties"][0]["trace"]["#meta"]["engine"] == "z3"


def test_none_within_so_many_steps(run: Any) -> None:
    """The headline says within what; the JSON has a time for every length."""
    text = run("bmc", "truncate-to-hw", *SMALL, "--length", "3")
    assert text.exit_code == 0
    assert text.stdout.startswith(
        "truncate-to-hw: nothing is violated in runs of at most 4 states, within these bounds\n"
    )
    assert "none found  strong_isr" in text.stdout and "within 4 states" in text.stdout
    shown = run("bmc", "truncate-to-hw", *SMALL, "--length", "3", "--actions", "--format", "json")
    document = json.loads(shown.stdout)
    assert shown.exit_code == document["exit_code"] == 0
    assert [one["steps"] for one in document["lengths"]] == [0, 1, 2, 3]
    assert all(one["seconds"] >= 0 for one in document["lengths"])
    assert document["complete_to"] == document["length"] == 3
    taken = {one["name"]: one["first_taken"] for one in document["actions"]}
    assert taken["elect_leader"] == 1 and taken["fetch"] is None
    assert document["start"] == "the initial states" and document["start_is_reachable"] is True


def test_progress(run: Any) -> None:
    """One object for each length, on stderr."""
    shown = run("bmc", "kip-320", *SMALL, "--length", "2", "--progress", "json")
    told = [json.loads(line) for line in shown.stderr.splitlines()]
    assert [(one["steps"], one["verdict"]) for one in told] == [(0, "none"), (1, "none"), (2, "none")]
    assert run("bmc", "kip-320", *SMALL, "--length", "2", "--progress", "none").stderr == ""


def test_a_spent_limit(run: Any) -> None:
    """Exit code 31, said in words."""
    shown = run("bmc", "truncate-to-hw", *SMALL, "--length", "8", "--rlimit", "20000")
    assert shown.exit_code == 31
    assert "inconclusive: the solver gave up on runs of" in shown.stdout


def test_a_witness_that_is_missed(run: Any) -> None:
    """A property that must be reachable is looked for if it is named."""
    shown = run("bmc", "kip-320", *SMALL, "--length", "2", "--property", "record_committed")
    assert shown.exit_code == 21
    assert shown.stdout.startswith("kip-320: record_committed cannot be reached within 3 states")


def test_a_rule_that_fails(run: Any, counter: Path) -> None:
    """The run that leads to it, and exit code 75."""
    shown = run("bmc", "counter.py:Overflow", "--length", "5")
    assert shown.exit_code == 75
    assert shown.stdout.startswith("overflow: a rule of the specification could not be evaluated")
    assert "value: 4 is outside 0..3 (counter.py:" in shown.stdout
    assert "The run that leads to it" in shown.stdout


START = """
    def late(self) -> bool:
        \"\"\"Where the counter is at one.\"\"\"
        return self.value == 1


    def wrong(self, more) -> bool:
        return True
"""


def test_from_a_trace_and_from_a_condition(run: Any, counter: Path, folder: Path) -> None:
    """After a step of a trace, told with the way there; from a condition of one's own, which need not be reachable."""
    assert run("check", "counter.py:Counter", "--out", "found").exit_code == 12
    trace = "found/counter-small.itf.json"
    after = run("bmc", "counter.py:Counter", "--length", "3", "--from", f"{trace}:1")
    assert after.exit_code == 12
    assert after.stdout.startswith("counter: small violated in a run of 2 states, from where it was to begin")
    assert "small is violated (3 states; most 3)" in after.stdout
    assert "State 1 of counter-small.itf.json" in after.stdout
    (folder / "start.py").write_text(textwrap.dedent(START), encoding="utf-8")
    own = run("bmc", "counter.py:Counter", "--length", "3", "--start", "start.py:late", "--out", "other")
    assert own.exit_code == 12
    assert "0. Any typed state in which late holds" in own.stdout
    assert "whether the first state can be reached at all" in own.stdout
    file, named = "other/counter-small.itf.json", ("--protocol", "counter.py:Counter")
    again = run("replay", file, *named)
    assert again.exit_code == 0, again.output
    assert "Any typed state in which late holds" in run("trace", "show", file, *named).stdout
    sibling = run("bmc", "counter.py:Fine", "--length", "1", "--from", f"{trace}:1")
    assert sibling.exit_code == 22, sibling.output  # as of check: it has an action that never happens
    assert "nothing is violated in runs of at most 2 states, from where it was to begin" in sibling.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "missing option '--length'"),
        (("--length", "-1"), 2, "-1 is not in the range"),
        (("--length", "1", "--property", "smal"), 2, "Did you mean small?"),
        (("--length", "1", "--rlimit", "0"), 2, "0 is not in the range"),
        (("--length", "1", "--from", "nowhere.itf.json"), 2, "there is no trace nowhere.itf.json"),
        (("--length", "1", "--from", "counter.py"), 2, "the file is not JSON"),
        (("--length", "1", "--from", "a.itf.json", "--start", "small"), 2, "--from and --start exclude each other"),
        (("--length", "1", "--start", "full", "--start", "larg"), 2, "'larg' is no condition on states of counter"),
        (("--length", "1", "--start", "nowhere.py:late"), 150, "there is no file nowhere.py"),
        (("--length", "1", "--start", "start.py:lat"), 150, "has no function lat Did you mean late?"),
        (("--length", "1", "--start", "start.py:wrong"), 2, "wrong does not take the state alone"),
        (("--length", "1", "--start", "start.py"), 150, "Write path/to/file.py:function."),
    ],
)
def test_mistakes_of_bmc(
    run: Any, counter: Path, folder: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    """Each with its exit code and what to do."""
    (folder / "start.py").write_text(textwrap.dedent(START), encoding="utf-8")
    shown = run("bmc", "counter.py:Counter", *arguments)
    assert shown.exit_code == code, shown.output
    assert said in shown.stderr.replace("\n  ", " "), shown.stderr


def test_a_trace_without_such_a_state_or_of_other_states(run: Any, counter: Path) -> None:
    """An index beyond the end; a trace of a protocol with other states."""
    run("check", "counter.py:Counter", "--out", "found")
    beyond = run("bmc", "counter.py:Counter", "--length", "1", "--from", "found/counter-small.itf.json:7")
    assert beyond.exit_code == 2 and "has no state 7" in beyond.stderr
    run("check", "kip-279", "--max-epoch", "1", "--property", "strong_isr", "--out", "found")
    other = run("bmc", "counter.py:Counter", "--length", "1", "--from", "found/kip-279-strong-isr.itf.json")
    assert other.exit_code == 2
    assert "differ: the first has value where the second has next_record" in other.stderr


# Whether a lemma reads the state, also by functions that stand elsewhere.

BY_NAME = '''from typing import Annotated

from epochal.language import *
IMPORT


def value(state) -> int:
    return 0


class Mine(Protocol):
    a: Annotated[int, Integers(0, 2)]
    b: Annotated[int, Integers(0, 2)]

    @action
    def grow(self) -> None:
        """It grows."""
        require(self.b < 2)
        self.b += 1

    @invariant
    def small(self) -> bool:
        """It is small."""
        return self.b < 3 and self.a == 0

    @lemma
    def bounded_by_both(self) -> bool:
        return value(self) == 0 and CALL >= 0 and CALL < 3
'''
OTHER = """def value(state):
    return state.b


def helper(state):
    return value(state)
"""


@pytest.mark.parametrize(
    ("imported", "call"),
    [
        ("from functions_of_lemmas import helper", "helper(self)"),
        ("import functions_of_lemmas", "functions_of_lemmas.helper(self)"),
    ],
)
def test_a_lemma_may_read_by_a_function_of_a_name_that_it_knows_already(
    imported: str, call: str, run: Any, folder: Path
) -> None:
    """Two functions called value: the second reads the state."""
    (folder / "functions_of_lemmas.py").write_text(OTHER, encoding="utf-8")
    (folder / "named.py").write_text(BY_NAME.replace("IMPORT", imported).replace("CALL", call), encoding="utf-8")
    shown = run("prove", "named.py:Mine")
    assert "reads no state variable" not in shown.stderr
    assert "bounded_by_both" in shown.stdout
