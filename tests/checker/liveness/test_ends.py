"""States where nothing more happens: told apart alike by both judges, and told as a run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import pytest
from click.testing import CliRunner

from epochal.api.check import check
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.liveness import reference as ends_in_python
from epochal.checker.liveness.result import Ends
from epochal.checker.trace import itf, itf_reader
from epochal.checker.trace.trace import Trace
from epochal.cli.main import main
from epochal.errors import UsageError
from epochal.spec.balancing.policies import KraftBalancing
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.language import Integers, LanguageError, Protocol
from tests.checker.liveness.judged import by_machine, python_graph
from tests.checker.liveness.test_fairness import least
from tests.checker.liveness.test_known_answers import why_refused
from tests.house.test_architecture import ROOT
from tests.zoo.liveness import KNOWN, Bounded, Declared, DeclaredTwice, EndsInSteps, Fails, Tasks, Unfinished

Done = Annotated[int, Integers(0, 3)]


ANSWERS: dict[type[Protocol], tuple[int, int, int, int | None]] = {
    Tasks: (0, 0, 2, 3),
    Declared: (1, 0, 1, 3),
    DeclaredTwice: (2, 0, 0, None),
    Unfinished: (0, 2, 1, 3),
}
"""Ends that are all right, by a bound, others, and the states of a shortest run to one of those."""


def told(found: Ends | None) -> tuple[object, ...]:
    """What both judges must agree on."""
    assert found is not None
    run = None if found.trace is None else (found.trace.states[-1], found.trace.length)
    return found.kept, found.bounded, found.others, [m.name for m in found.declared], found.promised, run


def test_both_engines_tell_the_same_run() -> None:
    by_engine = [check(Declared(), deadlock=True, engine=engine).counterexample for engine in ("native", "python")]
    assert str(by_engine[0]) == str(by_engine[1])


def in_python(protocol: Protocol) -> Ends:
    """What the Python judge says."""
    model = compile_protocol(protocol)
    return ends_in_python.by_python(python_graph(model), model.promises)


@pytest.mark.parametrize("kind", ANSWERS, ids=lambda kind: kind.__name__)
def test_known_answers(kind: type[Protocol]) -> None:
    found = in_python(kind())
    length = None if found.trace is None else found.trace.length
    assert (found.kept, found.bounded, found.others, length) == ANSWERS[kind]


KINDS: list[type[Protocol]] = [*ANSWERS, Bounded, *dict.fromkeys(kind for kind, _ in KNOWN)]
SMALL: list[Protocol] = [*(kind() for kind in KINDS), KraftBalancing(brokers=2, failures=1)]


@pytest.mark.parametrize("protocol", SMALL, ids=lambda one: type(one).__name__)
def test_both_judges_agree(protocol: Protocol) -> None:
    wanted = told(in_python(protocol))
    for workers in (1, 2, 3):
        assert told(by_machine(protocol, workers=workers, deadlock=True).ends) == wanted


def test_a_bound_alone_makes_no_deadlock() -> None:
    found = in_python(Bounded())
    assert found.bounded > 0
    kraft = check(Kraft(least(fencings=1)), deadlock=True).search.liveness.ends
    assert kraft is not None
    assert (kraft.kept, kraft.others, kraft.promised) == (4, 0, True)


def deadlocked() -> Trace:
    """The run to a deadlock."""
    trace = check(Declared(), deadlock=True).counterexample
    assert trace is not None
    return trace


def test_a_run_to_a_deadlock_is_read_again_and_replays() -> None:
    trace = deadlocked()
    again = itf_reader.decode(itf.dumps(trace), lambda _: Declared)
    assert (again.verdict, again.states) == ("deadlock", trace.states)
    assert why_refused(again) == []
    told = str(again)
    assert "nothing more can happen (3 states; no bounds)" in told
    assert "GoLeft: require(self.left_first != 1 or self.right_first in (0, 3))" in told


def test_what_is_no_deadlock_is_refused() -> None:
    trace = deadlocked()
    short = replace(trace, steps=trace.steps[:1])
    assert [why.partition(":")[0] for why in why_refused(short)] == ["something more can happen"] * 2
    allowed = why_refused(replace(trace, protocol=DeclaredTwice()))
    assert allowed == ["here a run may end, as stuck says"] * 2
    bound = next(codes for codes in python_graph(compile_protocol(Bounded())).states if codes == (2, 0))
    outside = replace(trace, protocol=Bounded(), initial=bound, steps=(), start="Anywhere")
    assert why_refused(outside) == ["only a bound of the model stops what could happen"] * 2


DECLARED = f"{ROOT}/tests/zoo/liveness.py:Declared"


def test_the_command_ends_with_its_code(tmp_path: Path) -> None:
    for engine in ("native", "python"):
        words = ["check", DECLARED, "--deadlock", "--engine", engine]
        shown = CliRunner().invoke(main, [*words, "--out", str(tmp_path / engine)])
        assert shown.exit_code == 11, shown.output
        assert "2 terminal states: 1 where a run may end (done), 0 by a bound alone, 1 deadlock." in shown.stdout
        assert "- deadlock" not in shown.stdout
        (file,) = (tmp_path / engine).glob("*-deadlock.itf.json")
        assert CliRunner().invoke(main, ["replay", str(file), "--protocol", DECLARED]).exit_code == 0
        document = json.loads((tmp_path / engine / "result.json").read_text())
        assert document["exit_code"] == 11
        assert {k: v for k, v in document["ends"].items() if k != "trace"} == {
            "total": 2, "kept": 1, "bounded": 0, "others": 1, "declared": ["done"], "length": 3,
        }  # fmt: skip


def test_a_deadlock_that_cannot_be_looked_for_is_no_success() -> None:
    shown = CliRunner().invoke(main, ["check", "balancing-kraft", "--brokers", "2", "--symmetry", "--deadlock"])
    assert shown.exit_code == 30, shown.output
    assert "inconclusive: deadlock not checked: symmetry" in shown.stdout
    with pytest.raises(UsageError, match="which is left out"):
        check(Declared(), deadlock=True, liveness=False)


def test_where_a_run_may_end_is_a_predicate_of_a_state() -> None:
    with pytest.raises(LanguageError, match="where a run may end takes self alone"):
        compile_protocol(EndsInSteps())


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_predicate_that_fails_is_told(engine: str) -> None:
    found = check(Fails(), deadlock=True, engine=engine)
    assert found.exit_code == 75
    assert found.search.error is not None
    assert found.search.error.rule == "done"
