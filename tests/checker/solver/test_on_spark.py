"""Proofs on Spark: the same answers as here, streamed, and nothing of a protocol on the executors."""

from __future__ import annotations

import enum
import os
import pickle
import pickletools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from epochal.checker.search.spark.master import ClusterError
from epochal.checker.search.spark.session import java_problem, open_session
from epochal.checker.solver.answer import Solver
from epochal.checker.solver.dispatch import Progress, QueryRunner, largest_first
from epochal.checker.solver.induction import RLIMIT, Questions, prepared, prove
from epochal.checker.unbounded.obligations import UnboundedPlan
from epochal.checker.unbounded.proof import unbounded_proof
from epochal.checker.workers.chosen_engine import Where
from epochal.checker.workers.on_spark import on_spark
from epochal.exit_codes import ExitCode
from epochal.spec.classic.kip_320_proof import Kip279Proof
from epochal.spec.classic.state import ClassicBounds
from tests.checker.solver.test_ask import Two, content
from tests.checker.unbounded.test_proof import Lock, LockBounds
from tests.zoo.rows import made

SMALL = ClassicBounds(2, 1, 1, 1)
MASTER = "local[2]"
CHEAP = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto",
    "spark.driver.memory": "1g",
}


class Door(enum.Enum):
    """What a door can be."""

    OPEN = "open"
    SHUT = "shut"


Doors: type[Any] = made(
    globals(),
    "Protocol",
    """
    Doors: A door that stays shut.
        name = "doors"
        door: Door
        def initial(self) -> None:
            # It is shut.
            self.door = Door.SHUT
        action shut_it: Again.
            require(self.door == Door.SHUT)
            self.door = Door.SHUT
        lemma stays: It is shut.
            return self.door == Door.SHUT
        invariant shut: It is shut.
            return self.door == Door.SHUT
    """,
)


pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture(scope="module")
def session() -> Iterator[object]:
    """Two executors' worth of threads, for all tests here."""
    assert java_problem() == ""
    opened = open_session(MASTER, CHEAP)
    yield opened
    opened.stop()


def test_spark_says_the_same(session: object) -> None:
    """Verdicts, counterexamples, used lemmas and their order; progress comes question by question."""
    told: list[Progress] = []
    here = prove(Kip279Proof(SMALL))
    there = prove(
        Kip279Proof(SMALL), ask=QueryRunner(on_spark(MASTER, Solver, largest_first), cached=False, progress=told.append)
    )
    assert here.failed and content(there) == content(here)
    questions = len(here.model.instances) + 3
    assert [now.done for now in told] == list(range(1, questions + 1))


def test_so_does_a_proof_for_every_choice_of_the_bounds(session: object) -> None:
    here = unbounded_proof(Lock(LockBounds()), ["alone"], cached=False)
    there = unbounded_proof(Lock(LockBounds()), ["alone"], cached=False, where=Where("spark", master=MASTER))
    assert here.exit_code == ExitCode.HOLDS
    assert [replace(cell, seconds=0) for cell in there.cells] == [replace(cell, seconds=0) for cell in here.cells]


def test_a_task_that_fails_is_told(session: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster's reason reaches the user; there is no proof."""
    monkeypatch.setattr("epochal.checker.workers.on_spark._answer", fails)
    with pytest.raises(ClusterError, match=r"gave up: .*out of order"):
        prove(Two(), ask=QueryRunner(on_spark(MASTER, Solver, largest_first), cached=False))


def fails(*_: object) -> None:
    """A task that cannot be done."""
    raise RuntimeError(f"out of order in {os.getpid()}")


def test_nothing_of_a_protocol_is_shipped() -> None:
    """Premises and questions are made of the checker's own types: a user's file need not be on executors."""
    plan = prepared(Two(), None)
    questions = Questions(plan, RLIMIT)
    shipped = [questions.premises, questions.of_property(plan.properties[0].holds, plan.lemmas)]
    shipped += [questions.of_instance(c, plan.lemmas, plan.affected(c)) for c in plan.model.instances]
    for one in shipped:
        data = pickle.dumps(one)
        names = [str(value) for code, value, _ in pickletools.genops(data) if "UNICODE" in code.name]
        modules = {name for name in names if name.startswith(("epochal.", "tests."))}
        assert modules and all(name.startswith(("epochal.checker.solver.", "epochal.checker.smt.")) for name in modules)
        assert pickle.loads(data) == one


def test_nor_for_every_choice_of_the_bounds() -> None:
    """Not even an enumeration of the protocol's."""
    questions = [one for obligation in UnboundedPlan(Doors, ["shut"]).obligations() for one in obligation.questions]
    data = pickle.dumps(questions)
    names = {str(value) for code, value, _ in pickletools.genops(data) if "UNICODE" in code.name}
    modules = {name for name in names if name.startswith(("epochal.", "tests."))}
    assert modules and all(name.startswith("epochal.checker.") for name in modules)
    assert pickle.loads(data) == questions
