"""Proofs on Spark: the same answers as here, streamed, and nothing of a protocol on the executors."""

from __future__ import annotations

import os
import pickle
import pickletools
from collections.abc import Iterator

import pytest

from epochal.checker.search.spark.errors import ClusterError
from epochal.checker.search.spark.session import java_problem, open_session
from epochal.checker.solver.dispatch import Progress, QueryRunner
from epochal.checker.solver.encoding import Questions
from epochal.checker.solver.induction import RLIMIT, prepared, prove
from epochal.checker.solver.on_spark import on_spark
from epochal.spec.classic.kip_320_proof import Kip279Proof
from epochal.spec.classic.state import ClassicBounds
from tests.checker.solver.test_ask import Two, content

SMALL = ClassicBounds(2, 1, 1, 1)
MASTER = "local[2]"
CHEAP = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto",
    "spark.driver.memory": "1g",
}

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
    there = prove(Kip279Proof(SMALL), ask=QueryRunner(on_spark(MASTER), cached=False, progress=told.append))
    assert here.failed and content(there) == content(here)
    questions = len(here.model.instances) + 3
    assert [now.done for now in told] == list(range(1, questions + 1))


def test_a_task_that_fails_is_told(session: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster's reason reaches the user; there is no proof."""
    monkeypatch.setattr("epochal.checker.solver.on_spark._answer", fails)
    with pytest.raises(ClusterError, match=r"gave up on the proof: .*out of order"):
        prove(Two(), ask=QueryRunner(on_spark(MASTER), cached=False))


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
        assert modules and all(name.startswith("epochal.checker.solver.") for name in modules)
        assert pickle.loads(data) == one
