"""What `epochal prove` says of a proof that fails, or that somebody brings lemmas for: cells, first states, files."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.checker.native.backend import NativeBackend
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.solver.induction import first_state, matrix, ranked
from epochal.checker.trace.replay import replay
from epochal.checker.trace.trace import Step
from epochal.spec.language import EvaluationError

SMALL = ("--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")

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
