"""The branches of compiled actions: what a step takes, by the rules alone, is what Python comes to."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from epochal.checker.compile.compiler import ActionBranch, compile_branches
from epochal.checker.ir.expression import Evaluation
from epochal.checker.search.result import Options
from epochal.checker.search.shortest import shortest_runs
from epochal.checker.semantics.semantics import Codes, PythonSemantics
from epochal.spec.kraft.configuration import configured
from epochal.spec.language import ActionInstance, Protocol
from epochal.spec.language.errors import shown_path

ROOT = Path(__file__).resolve().parents[3]

BOUNDS = {"replication_factor": 2, "records": 2, "max_epoch": 4, "fencings": 2, "crashes": 1}


def lines_run(protocol: Protocol, codes: Codes, instance: ActionInstance) -> set[tuple[str, int]]:
    """The lines that Python comes to in a step."""
    found: set[tuple[str, int]] = set()

    def traced(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            found.add((shown_path(frame.f_code.co_filename), frame.f_lineno))
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        assert protocol.step(protocol.at(codes), instance) is not None
    finally:
        sys.settrace(before)
    return found


def test_a_step_takes_the_branches_that_python_comes_to() -> None:
    protocol = configured(kafka="4.4.0")(None, **BOUNDS)
    branches = compile_branches(protocol)
    semantics, dice = PythonSemantics(protocol), random.Random(5)
    codes, compared = protocol.initial_states()[0], set[ActionBranch]()
    for _ in range(120):
        possible = semantics.successors(codes)
        instance, after = dice.choice(possible)
        ways = branches.on_step[instance.number]
        answers = Evaluation(tuple(ways.values()))(codes)
        taken = {branch for branch, answer in zip(ways, answers, strict=True) if answer}
        lines = lines_run(protocol, codes, instance)
        come_to = {one for one in ways if (one.where.file, one.where.line) in lines and _on_one_line(one)}
        assert {one.where for one in taken if _on_one_line(one)} == {one.where for one in come_to}
        compared |= taken
        codes = after
    assert len(compared) > 100
    assert {one.taken for one in compared} == {True, False}


def test_branches_that_settings_rule_out_are_never_taken() -> None:
    protocol = configured(kafka="4.4.0", elr=True)(None, **BOUNDS)
    branches = compile_branches(protocol)
    never = branches.model.graph.false
    ways = [(branch, on) for some in branches.on_step.values() for branch, on in some.items()]
    without_elr = [on for branch, on in ways if branch.where.function == "eligible_leader_replicas" and branch.taken]
    assert never in without_elr and any(on is not never for on in without_elr)


def test_shortest_runs_end_when_everything_is_found() -> None:
    protocol = configured(kafka="4.4.0")(None, replication_factor=2, max_epoch=2)
    branches = compile_branches(protocol)
    graph = branches.model.graph
    (truncates,) = {one for ways in branches.on_step.values() for one in ways if _truncates(one)}
    wanted = {number: ways[truncates] for number, ways in branches.on_step.items() if truncates in ways}
    found = shortest_runs(branches.model, {"truncates": wanted}, Options(workers=1))
    run = found.runs["truncates"]
    assert run.steps[-1].instance.action.name == "fetch"
    before, after = (protocol.at(codes) for codes in run.states[-2:])
    assert any(after.end(one) < before.end(one) for one in before.brokers)
    assert not found.cut
    nothing = shortest_runs(branches.model, {"never": {}}, Options(workers=1))
    assert not nothing.runs and not nothing.cut and nothing.states > found.states
    cut = shortest_runs(branches.model, {"never": {0: graph.false}}, Options(workers=1, max_states=500))
    assert cut.cut == "the budget of 500 states is spent"


def _on_one_line(branch: ActionBranch) -> bool:
    """Whether the condition stands on the line of its `if`; of longer ones Python names another line."""
    return _text(branch).endswith(":") or " else " in _text(branch)


def _text(branch: ActionBranch) -> str:
    return (ROOT / branch.where.file).read_text().splitlines()[branch.where.line - 1]


def _truncates(branch: ActionBranch) -> bool:
    of_fetch = branch.action == branch.where.function == "fetch"
    return of_fetch and branch.taken and "diverges(" in _text(branch)
