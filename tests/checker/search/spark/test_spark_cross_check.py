"""The cross-check of a search on Spark: a sample of its log, by the driver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from epochal.checker.crosscheck.disagreement import SemanticsDisagree
from epochal.checker.ir.expression import Op
from epochal.checker.ir.layout import Layout
from epochal.checker.native.llvm.instructions import Instructions, Word
from epochal.checker.native.program.expressions import ExpressionWriter
from epochal.checker.search.result import Options
from epochal.checker.search.spark import walk as cross_check
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.replay import replay
from tests.checker.search.models import classic, middling, small_faulty
from tests.checker.search.neighbours import FailingJudge, Neighbours
from tests.checker.search.spark.in_process import in_process
from tests.checker.search.test_cross_check import BROKEN, Write


@pytest.mark.parametrize("op", [Op.MIN, Op.LT, Op.EQ, Op.MEMBER, Op.UNION], ids=lambda op: op.name)
def test_a_broken_operator_is_found(op: Op, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = ExpressionWriter.__init__
    write: Write = BROKEN[op]

    def lying(self: ExpressionWriter, function: Instructions, layout: Layout, words: Sequence[Word]) -> None:
        honest(self, function, layout, words)
        self._table[op] = lambda node: write(self, node)

    monkeypatch.setattr(ExpressionWriter, "__init__", lying)
    with pytest.raises(SemanticsDisagree) as found:
        check(classic("kip-320", 3, 2, 2, 1), Options(), replace(cluster, start=in_process))
    said = str(found.value)
    assert said.startswith("the semantics disagree on ")
    assert "\n  spark: " in said and "\n  python: " in said
    trace = found.value.disagreement.alone.trace
    assert trace is None or trace.start or replay(trace, [PythonSemantics(trace.protocol)]).outcomes[0].step != 0


def test_every_state_of_the_log(cluster: Cluster) -> None:
    result = check(small_faulty(), Options(all_violations=True, cross_check="all"), replace(cluster, start=in_process))
    assert result.cross_check is not None
    assert (result.cross_check.states, result.cross_check.steps) == (353, result.transitions)


def test_the_same_sample_each_time(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Of every depth, with every action; whether the driver searched or partitions did."""
    seen = []
    honest = cross_check.LoggedSample.repeat

    def told(self: cross_check.LoggedSample, one: cross_check._Logged) -> None:
        honest(self, one)
        seen.append((one.level, one.words, tuple(sorted(self.checker.enabled))))

    found = []
    for _ in range(2):
        storage = str(tmp_path_factory.mktemp("storage"))
        seen.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cross_check.LoggedSample, "repeat", told)
            result = check(middling(), Options(cross_check=60), replace(cluster, start=in_process, storage=storage))
        found.append(list(seen))
        assert result.cross_check is not None and result.cross_check.states == 60
        assert {level for level, _, _ in seen} == set(range(result.depth))
        assert seen[-1][2] == tuple(sorted(action.name for action in result.actions if action.steps))
    assert found[0] == found[1]


def test_off(cluster: Cluster) -> None:
    result = check(small_faulty(), Options(cross_check="off"), replace(cluster, start=in_process))
    assert result.cross_check is not None and result.cross_check.states == 0


@pytest.mark.parametrize("all_violations", [False, True])
def test_a_rule_that_fails_beside_a_violation_does_not_hide_it(all_violations: bool, cluster: Cluster) -> None:
    for kind in (Neighbours, FailingJudge):
        protocol, own = kind(), replace(cluster, start=in_process, storage=f"{cluster.storage}-{kind.__name__}")
        result = check(protocol, Options(all_violations=all_violations, cross_check="all"), own)
        assert result.exit_code == 12 and result.error is not None
        for trace in [p.trace for p in result.properties if p.trace is not None]:
            assert replay(trace, [PythonSemantics(protocol)]).ok
