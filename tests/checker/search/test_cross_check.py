"""The cross-check: what machine code says of reached states is repeated in Python while the verdict is made."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from epochal.api.check import repeated_in_words
from epochal.checker.crosscheck import cross_check
from epochal.checker.crosscheck.cross_check import SemanticsDisagree
from epochal.checker.ir.expression import Expression, Op
from epochal.checker.ir.graph import Graph
from epochal.checker.ir.layout import Layout
from epochal.checker.ir.model import CompiledLiveness, Failure, Model
from epochal.checker.liveness import native as of_liveness
from epochal.checker.native.llvm.instructions import TRUE, Bit, Instructions, Word
from epochal.checker.native.program.expressions import ExpressionWriter
from epochal.checker.native.program.program import liveness_program_text
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options, Progress
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.replay import replay
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.language import Protocol
from tests.checker.search.models import classic, middling, small_faulty
from tests.zoo import liveness
from tests.zoo.searched import Constrained, FailingJudge, Neighbours

Write = Callable[[ExpressionWriter, Expression], Word | Bit]

BROKEN: dict[Op, Write] = {
    Op.OFFSET: lambda w, n: w.function.add(w.word(n.args[0]), 0),
    Op.MIN: lambda w, n: w._extreme(w.function.sgt, n),
    Op.EQ: lambda w, n: w.function.uge(w.word(n.args[1]), w.word(n.args[0])),
    Op.LT: lambda w, n: w.function.uge(w.word(n.args[1]), w.word(n.args[0])),
    Op.NOT: lambda w, n: w.function.both(w.bit(n.args[0]), TRUE),
    Op.AND: lambda w, n: w._chain(w.function.either, n),
    Op.OR: lambda w, n: w._chain(w.function.both, n),
    Op.ITE: lambda w, n: w.function.select(w.bit(n.args[0]), w.word(n.args[2]), w.word(n.args[1])),
    Op.MEMBER: lambda w, n: w.function.ne(w.word(n.args[0]), 0),
    Op.UNION: lambda w, n: w.function.or_(w.word(n.args[0]), 0),
    Op.DIFFERENCE: lambda w, n: w.function.or_(w.word(n.args[0]), 0),
    Op.CARDINALITY: lambda w, n: w.function.add(w.word(n.args[0]), 1),
}
"""Every operator that the code of KIP-320 has, printed as another one."""


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[[Op], None]:
    """Print one operator wrongly."""
    honest = ExpressionWriter.__init__

    def breaking(op: Op) -> None:
        def lying(self: ExpressionWriter, function: Instructions, layout: Layout, words: Sequence[Word]) -> None:
            honest(self, function, layout, words)
            self._table[op] = lambda node: BROKEN[op](self, node)

        monkeypatch.setattr(ExpressionWriter, "__init__", lying)

    return breaking


SLOWEST = Tuning(cross_check_share=1e9)
"""No more states are repeated than on the slowest machine."""


def disagreement(protocol: Protocol, options: Options | None = None, tuning: Tuning = SLOWEST) -> str:
    """What a search says that must find its engine out."""
    with pytest.raises(SemanticsDisagree) as found:
        breadth_first.check(protocol, options or Options(), tuning=tuning)
    return str(found.value)


@pytest.mark.parametrize("op", BROKEN, ids=lambda op: op.name)
def test_a_broken_operator_is_found_by_an_ordinary_check(op: Op, broken: Callable[[Op], None]) -> None:
    broken(op)
    said = disagreement(Kip320())
    assert said.startswith("the semantics disagree on ")
    assert "[spec/classic/" in said and "\n  native: " in said and "\n  python: " in said
    assert "in the state:\n    next_record: " in said
    assert "No verdict counts" in said and "engine='python'" in said


def test_a_broken_graph_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the compiler gets wrong is the same in machine code, and is found there."""
    monkeypatch.setattr(Graph, "min", Graph.max)
    assert "the semantics disagree on" in disagreement(Kip320())


def test_the_first_difference_on_the_way_is_told_with_its_run(broken: Callable[[Op], None]) -> None:
    broken(Op.MIN)
    with pytest.raises(SemanticsDisagree) as found:
        breadth_first.check(Kip320(), Options(all_violations=True), tuning=SLOWEST)
    trace = found.value.disagreement.trace
    assert trace is not None
    assert replay(trace, [PythonSemantics(trace.protocol)]).ok


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("mode", ["plain", "spill", "compact", "symmetry"])
def test_every_mode_is_cross_checked(
    mode: str,
    workers: int,
    broken: Callable[[Op], None],
    tmp_path: Path,
) -> None:
    options = Options(
        workers=workers,
        spill=tmp_path if mode in ("spill", "compact") else None,
        compact=mode == "compact",
        symmetry=mode == "symmetry",
        cross_check=40,
    )
    tuning = replace(SLOWEST, share_from=300)
    result = breadth_first.check(middling(), options, tuning=tuning)
    assert result.cross_check is not None
    assert result.cross_check.states == 40 and result.cross_check.steps > 40
    broken(Op.LT)
    assert "the semantics disagree on" in disagreement(middling(), options, tuning)


def test_a_representative_that_is_none_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from epochal.checker.native.program import program
    from epochal.checker.native.program.program import canonical_text as honest

    text = "define void @canonical(ptr %state) {\n  ret void\n}\n"
    monkeypatch.setattr(program, "canonical_text", lambda form: text if honest(form) else "")
    said = disagreement(middling(), Options(symmetry=True, cross_check=200))
    assert "the semantics disagree on" in said


def test_a_search_that_goes_on_is_cross_checked(tmp_path: Path) -> None:
    begun = breadth_first.check(middling(), Options(max_states=4_000, checkpoint=tmp_path, workers=1))
    assert begun.checkpoint == tmp_path
    resumed = breadth_first.check(middling(), Options(resume=tmp_path, workers=1, cross_check=30))
    assert resumed.cross_check is not None and resumed.cross_check.states == 30
    assert resumed.distinct_states == 39_619


def repeated(result: CheckResult) -> tuple[int, int]:
    """How many states and steps were repeated."""
    assert result.cross_check is not None
    return result.cross_check.states, result.cross_check.steps


def test_the_same_search_has_the_same_sample() -> None:
    """For any number of workers, where states are found by their hashes."""
    tuning = Tuning(drawn_by_place=100, share_from=300)
    options = [Options(workers=n, cross_check=60) for n in (1, 1, 2, 3)]
    assert len({repeated(breadth_first.check(middling(), one, tuning=tuning)) for one in options}) == 1


def test_how_many() -> None:
    protocol = small_faulty()
    every = breadth_first.check(protocol, Options(all_violations=True, cross_check="all"))
    assert repeated(every) == (every.distinct_states, every.transitions) == (353, 682)
    assert repeated(breadth_first.check(protocol, Options(all_violations=True, cross_check=1_000))) == (353, 682)
    assert repeated(breadth_first.check(protocol, Options(cross_check="off"))) == (0, 0)
    assert reference_engine.check(protocol, Options()).cross_check is None
    assert repeated(breadth_first.check(protocol, Options(), tuning=SLOWEST))[0] == cross_check.LEAST
    at_once = replace(SLOWEST, cross_check_seconds=0.0)
    assert repeated(breadth_first.check(protocol, Options(), tuning=at_once))[0] == 1


def test_the_sample_has_every_action_and_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also an action whose steps lead only to what is known already."""
    from epochal.checker.search import native as of_searches

    seen: set[int] = set()
    actions: set[str] = set()
    honest = of_searches.NativeStates.repeat

    def told(self: of_searches.NativeStates, name: int) -> None:
        honest(self, name)
        seen.add(len(self._search.run_to(name)[1]))
        actions.update(self.checker.enabled)

    monkeypatch.setattr(of_searches.NativeStates, "repeat", told)
    result = breadth_first.check(classic("kip-320", 3, 1, 1, 1), Options(cross_check=40))
    assert actions == {action.name for action in result.actions if action.steps}
    assert seen == set(range(result.depth))


def negated(model: Model, asked: Sequence[CompiledLiveness], which: str, number: int) -> list[CompiledLiveness]:
    """The same liveness properties, one of them with another premise or goal, or one that cannot be evaluated."""
    wrong = asked[number]
    other = model.graph.not_
    made = {
        "premise": replace(wrong, premise=other(wrong.premise)),
        "goal": replace(wrong, goal=other(wrong.goal)),
        "failures": replace(wrong, failures=(Failure(wrong.goal, "wrong", None),)),
    }[which]
    return [*asked[:number], made, *asked[number + 1 :]]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("which", ["premise", "goal", "failures"])
@pytest.mark.parametrize("number", [0, -1])
def test_premises_and_goals_are_cross_checked(
    which: str, number: int, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Machine code that is wrong of where one liveness property waits, and nothing else."""
    honest = liveness_program_text
    monkeypatch.setattr(
        of_liveness,
        "liveness_program_text",
        lambda model, asked, fair: honest(model, negated(model, asked, which, number), fair),
    )
    options = Options(workers=workers, liveness=True)
    said = disagreement(liveness.Lift(), options)
    name = ("arrives", "stays")[number]
    assert (
        said.startswith(f"the semantics disagree on {name} ") and "\n  native: " in said and "\n  python: the" in said
    )
    for cut in (replace(options, max_states=2), replace(options, compact=True), replace(options, liveness=False)):
        breadth_first.check(liveness.Lift(), cut)  # nobody asks


def test_the_choice_of_parameters_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a run that can be asked again, as every disagreement has one."""
    honest = liveness_program_text
    monkeypatch.setattr(
        of_liveness,
        "liveness_program_text",
        lambda model, asked, fair: honest(model, negated(model, asked, "goal", -1), fair),
    )
    with pytest.raises(SemanticsDisagree) as found:
        breadth_first.check(liveness.Ping(), Options(liveness=True), tuning=SLOWEST)
    assert str(found.value).startswith("the semantics disagree on arrives(")
    alone = found.value.disagreement.alone
    assert alone.trace is not None and len(alone.trace.arguments) == 1 and "arrives(" in str(alone.trace)


def test_ctrl_c_while_that_code_is_compiled_keeps_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(model: Model, asked: Sequence[CompiledLiveness], fair: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(of_liveness, "liveness_program_text", interrupted)
    result = breadth_first.check(liveness.Lift(), Options(liveness=True))
    assert result.exhaustive and not result.liveness.judged and result.liveness.reason == "interrupted"
    assert result.cross_check is not None and result.cross_check.cut == "interrupted"


def test_where_runs_may_end_is_cross_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = of_liveness.ends_asked

    def wrong(model: Model) -> of_liveness.EndsAsked:
        found = honest(model)
        return replace(found, judged=tuple(negated(model, found.judged, "goal", 0)))

    monkeypatch.setattr(of_liveness, "ends_asked", wrong)
    assert "the semantics disagree on done " in disagreement(liveness.Declared(), Options(liveness=True, deadlock=True))


def test_what_is_off_finds_nothing(broken: Callable[[Op], None]) -> None:
    broken(Op.CARDINALITY)
    assert breadth_first.check(middling(), Options(properties=("weak_isr",), cross_check="off")).exit_code in (0, 22)


def test_ctrl_c_ends_the_cross_check_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = cross_check.CrossChecker.repeat

    def interrupted(self: cross_check.CrossChecker, codes: tuple[int, ...]) -> None:
        if self.states == 7:
            raise KeyboardInterrupt
        honest(self, codes)

    monkeypatch.setattr(cross_check.CrossChecker, "repeat", interrupted)
    result = breadth_first.check(middling(), Options(cross_check="all"))
    assert result.exhaustive and repeated(result)[0] == 7
    assert result.interrupted and not replace(result, cross_check=None).interrupted


def test_a_long_cross_check_tells_how_far_it_is_and_heeds_the_budget() -> None:
    told: list[Progress] = []
    options = Options(cross_check="all", budget=5, begun=time.monotonic() - 3, progress=told.append)
    result = breadth_first.check(Kip320(), options)
    assert result.exhaustive and result.exit_code == 0 and not result.interrupted
    assert result.cross_check is not None and 12 <= result.cross_check.states < result.distinct_states
    assert result.cross_check.cut == "the time budget of 5 s is spent while repeating states in the Python semantics"
    assert repeated_in_words(result.cross_check).endswith(
        f", without a difference; ended early: {result.cross_check.cut}"
    )
    doing = [progress.doing for progress in told if progress.doing.startswith("repeating")]
    assert doing
    assert all(re.fullmatch(r"repeating states in the Python semantics, [\d,]+ so far", line) for line in doing)


# -- rules that fail ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("all_violations", [False, True])
@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("search", [breadth_first.check, reference_engine.check], ids=["native", "python"])
def test_a_rule_that_fails_beside_a_violation_does_not_hide_it(
    search: Callable[[Protocol, Options], CheckResult], symmetry: bool, all_violations: bool
) -> None:
    from epochal.checker.native.backend import NativeBackend

    for kind in (Neighbours, FailingJudge):
        protocol = kind()
        result = search(protocol, Options(all_violations=all_violations, symmetry=symmetry))
        assert result.exit_code == 12
        assert result.error is not None
        assert {p.member.name: p.length for p in result.properties if p.verdict == "violated"}["below_three"] == 4
        traces = [p.trace for p in result.properties if p.trace is not None] + [result.error.trace]
        for trace in traces:
            assert replay(trace, [PythonSemantics(protocol), NativeBackend(protocol)]).ok


def test_states_outside_the_constraint_are_repeated_too() -> None:
    protocol = Constrained()
    options = Options(all_violations=True, cross_check="all")
    result, python = breadth_first.check(protocol, options), reference_engine.check(protocol, options)
    assert result.left_constraint == python.left_constraint > 0
    assert [(p.verdict, p.length) for p in result.properties] == [(p.verdict, p.length) for p in python.properties]
    assert result.exit_code == python.exit_code == 12
