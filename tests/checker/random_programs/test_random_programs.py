"""Random programs mean the same in every reading; and what finds and shrinks a disagreement works."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.compile.execution import Execution, Place
from epochal.checker.ir.expression import Expression, Op
from epochal.checker.ir.graph import Graph
from epochal.checker.native.llvm.instructions import Bit
from epochal.checker.native.program.expressions import ExpressionWriter
from epochal.checker.smt.terms import TERM
from tests.checker.random_programs.campaign import Campaign
from tests.checker.random_programs.finding import smallest
from tests.checker.random_programs.program import program
from tests.checker.random_programs.running import Outcome, run

CHUNKS, CHUNK = 8, 20
LONG = range(10_000, 14_000)


def _told(outcomes: dict[int, Outcome]) -> str:
    """The failures, each with the command that shows it again."""
    failed = {seed: one for seed, one in outcomes.items() if one.verdict == "failed"}
    command = "python -m tests.checker.random_programs --seeds {}:{} writes the smallest program"
    return "\n".join(f"{one.cause}\n{one.detail}\n{command.format(seed, seed + 1)}" for seed, one in failed.items())


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_readings_agree(chunk: int) -> None:
    """Some hundred programs: Python, graph, machine code and Z3, states, searches and refusals."""
    outcomes = {}
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        made = program(seed)
        outcomes[seed] = run(made.text, str(seed), symmetric=made.symmetric)
    assert not _told(outcomes), _told(outcomes)
    comparable = [one for one in outcomes.values() if one.verdict == "comparable"]
    assert len(comparable) > CHUNK // 2, "most programs are refused: the generator should write others"
    assert sum(one.states for one in comparable) > 5 * len(comparable), "there is little to search"


@pytest.mark.long
def test_thousands_of_programs_agree(tmp_path: Path) -> None:
    """The same for thousands, by two processes; what is found is made small and told."""
    summary = Campaign(LONG, 2, tmp_path, 600, print).run()
    found = "\n\n".join(file.read_text() for file in tmp_path.glob("*.py"))
    assert not summary.failures, f"{summary.line()}\n{found}"
    assert summary.verdicts["comparable"] > 0.7 * summary.programs


OF_SEEDS = """
from tests.checker.random_programs.program import program
from tests.checker.random_programs.running import Effort, run
for seed in range(60):
    print(program(seed).text)
for seed in range(12):
    outcome = run(program(seed).text, str(seed), effort=Effort(typed=0, walked=0, bounded=False))
    print(outcome.verdict, outcome.cause, outcome.detail, outcome.states, outcome.steps, outcome.digests)
"""


def test_nothing_depends_on_the_hash_seed() -> None:
    """A seed is one program, else what was found could not be found again; and Python's digests are always the same."""
    told = set()
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        made = subprocess.run([sys.executable, "-c", OF_SEEDS], env=environment, capture_output=True, check=True)
        told.add(made.stdout)
    assert len(told) == 1


def _failing(seeds: range) -> Iterator[tuple[int, str]]:
    """The seeds whose programs fail, and why."""
    for seed in seeds:
        made = program(seed)
        outcome = run(made.text, str(seed), symmetric=made.symmetric)
        if outcome.verdict == "failed":
            yield seed, outcome.cause


def _lesser(graph: Graph, a: Expression, b: Expression) -> Expression:
    return a if a.high <= b.high else b


def _without_alternatives(execution: Execution, place: Place, offset: int = 0) -> Expression:
    return place.view.leaves[place.alternatives[-1][1] + offset]


def _not_less(writer: ExpressionWriter, node: Expression) -> Bit:
    return writer.function.not_(writer.function.sgt(writer.word(node.args[0]), writer.word(node.args[1])))


DEFECTS: dict[str, tuple[Any, Any, Any]] = {
    "the lesser of two numbers is guessed": (Graph, "min", _lesser),
    "an entry that the state chooses is the last": (Execution, "read_leaf", _without_alternatives),
    "machine code takes equal numbers for lesser ones": (ExpressionWriter, "_less", _not_less),
    "no Z3 term for the greater of two numbers": (TERM, Op.MAX, TERM[Op.MIN]),
}


QUICK = 2
"""So many defects are tried in each run of the suite, and the others by `make test-long`."""


@pytest.mark.parametrize(
    "defect", [pytest.param(d, marks=[pytest.mark.long] if n >= QUICK else []) for n, d in enumerate(DEFECTS)]
)
def test_a_defect_is_found_and_made_small(defect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one rule of the compiler or of an engine broken, one of a few programs fails, and can be made smaller."""
    owner, name, wrong = DEFECTS[defect]
    if isinstance(owner, dict):
        monkeypatch.setitem(owner, name, wrong)
    else:
        monkeypatch.setattr(owner, name, wrong)
    seed, cause = next(_failing(range(60)))
    text, outcome = smallest(seed, cause, 12)
    assert outcome.verdict == "failed"
    assert len(text.splitlines()) < len(program(seed).text.splitlines())
