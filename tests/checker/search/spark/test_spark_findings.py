"""What fails, violates or leaves the constraint is found and worded as by the native engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import epochal
from epochal.checker.crosscheck.cross_check import SemanticsDisagree
from epochal.checker.ir.expression import Op
from epochal.checker.ir.layout import Layout
from epochal.checker.liveness.edges import Arrays
from epochal.checker.native.llvm.instructions import Instructions, Word
from epochal.checker.native.program.expressions import ExpressionWriter
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.spark import walk as cross_check
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.replay import replay
from epochal.language import Protocol
from tests.checker.compile import zoo_failing as failures
from tests.checker.compile.zoo import Arithmetic, Logs, Maps, Sets
from tests.checker.search.models import classic, middling, small_faulty
from tests.checker.search.spark.faults import in_process, same_as_native, twice
from tests.checker.search.test_cross_check import BROKEN, Write
from tests.spec.classic.known_answers import KNOWN_ANSWERS, KnownAnswer
from tests.spec.classic.test_known_answers import compare, protocol_at
from tests.zoo import liveness as zoo
from tests.zoo.searched import Breaks, FailingJudge, Neighbours, Turns

FAILING = (
    failures.IndexBeyondEnd,
    failures.InABranchOnly,
    failures.InAnInvariant,
    failures.InAReachable,
    failures.InAnActionProperty,
    failures.InAConstraint,
    failures.InitialProperty,
    failures.FoundBefore,
    failures.ViolatedAndBroken,
    failures.ViolatedAndBrokenStep,
)


@pytest.mark.parametrize("all_violations", [True, False])
@pytest.mark.parametrize("specification", FAILING, ids=lambda kind: kind.__name__)
def test_rules_that_fail(specification: type[Protocol], all_violations: bool, cluster: Cluster) -> None:
    options = Options(all_violations=all_violations)
    protocol = specification()
    result = check(protocol, options, replace(cluster, start=in_process))
    same_as_native(result, protocol, options)
    assert result.error is not None or specification is failures.FoundBefore


@pytest.mark.parametrize("specification", [failures.InAConstraint, failures.InABranchOnly, Logs])
def test_tables_that_are_made_again(specification: type[Protocol], cluster: Cluster) -> None:
    """Every task runs twice: the second one expands again what was kept, and its failures are not counted twice."""
    protocol, options = specification(), Options(all_violations=True)
    same_as_native(check(protocol, options, replace(cluster, start=twice)), protocol, options)


@pytest.mark.parametrize("specification", [Arithmetic, Maps, Sets, Logs], ids=lambda kind: kind.__name__)
def test_the_zoo(specification: type[Protocol], cluster: Cluster) -> None:
    protocol, options = specification(), Options(all_violations=True)
    same_as_native(check(protocol, options, replace(cluster, start=in_process)), protocol, options)


@pytest.mark.parametrize("protocol", [small_faulty(), classic("kip-101", 3, 1, 1, 1)], ids=lambda p: p.name)
def test_the_first_violation_ends_the_search(protocol: Protocol, cluster: Cluster) -> None:
    result = check(protocol, Options(), replace(cluster, start=in_process))
    assert result.exit_code == 12 and not result.exhaustive
    same_as_native(result, protocol, Options())


@pytest.mark.parametrize("all_violations", [True, False])
@pytest.mark.parametrize("specification", [Turns, Breaks], ids=lambda kind: kind.__name__)
def test_a_last_level_that_shows_something_is_expanded_once(
    specification: type[Protocol], all_violations: bool, cluster: Cluster
) -> None:
    """Steps are counted once, and the search is over: nothing is left to explore."""
    protocol, options = specification(), Options(all_violations=all_violations)
    same_as_native(check(protocol, options, replace(cluster, start=in_process)), protocol, options)


def test_budgets(cluster: Cluster) -> None:
    """A spent budget is said, and a larger one goes on."""
    protocol = classic("kip-279", 3, 1, 1, 1)
    options = Options(all_violations=True)
    cluster = replace(cluster, start=in_process)
    cut = check(protocol, replace(options, max_states=1000), cluster)
    assert cut.cut == "the budget of 1,000 states is spent" and cut.exit_code == 30
    assert 1000 <= cut.distinct_states < 9841
    assert check(protocol, replace(options, budget=0.0), replace(cluster, resume=True)).cut.startswith(
        "the time budget"
    )
    result = check(protocol, options, replace(cluster, resume=True))
    assert result.resumed_from == cut.distinct_states
    same_as_native(result, protocol, options)


# The cross-check of a search on Spark: a sample of its log, by the driver.


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


# The published figures on Spark, with the digests of the native engine.

EVERYTHING = Options(all_violations=True)
ON_SPARK = (("truncate-to-hw", (2, 1, 1, 1)), ("kip-320", (3, 2, 2, 1)), ("async-isr", (3, 2, 2)))
SMALL = 12_000


def named(known: KnownAnswer) -> str:
    """The name of a case."""
    return f"{known.protocol}-{'/'.join(map(str, known.bounds))}"


@pytest.mark.parametrize("known", [k for k in KNOWN_ANSWERS if k.distinct_states <= SMALL], ids=named)
def test_tasks(known: KnownAnswer, cluster: Cluster) -> None:
    """Every small entry, with the tasks of four partitions from the first level on, in this process."""
    protocol = protocol_at(known.protocol, known.bounds)
    result = check(protocol, EVERYTHING, replace(cluster, start=in_process))
    compare(result, known)
    same_as_native(result, protocol, EVERYTHING)


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("known", [k for k in KNOWN_ANSWERS if (k.protocol, k.bounds) in ON_SPARK], ids=named)
def test_on_spark(known: KnownAnswer, cluster: Cluster, spark: str) -> None:
    """Some entries on Spark, from about their widest level on."""
    protocol = protocol_at(known.protocol, known.bounds)
    cluster = replace(cluster, master=spark, threshold=known.distinct_states // 10)
    result = check(protocol, EVERYTHING, cluster)
    compare(result, known)
    same_as_native(result, protocol, EVERYTHING)
    assert any(Path(cluster.cache).rglob("head")), "Spark did its part"


@pytest.mark.long
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("known", KNOWN_ANSWERS, ids=named)
def test_everything_on_spark(known: KnownAnswer, cluster: Cluster, spark: str) -> None:
    protocol = protocol_at(known.protocol, known.bounds)
    result = check(protocol, EVERYTHING, replace(cluster, master=spark, threshold=10))
    compare(result, known)
    same_as_native(result, protocol, EVERYTHING)


# Promises after a search on Spark: the same verdicts, counts and runs as of the native engine.

WHOLE = Options(all_violations=True, liveness=True)
ZOO = (
    zoo.Lift,
    zoo.Called,
    zoo.LiftWithADoorThatCloses,
    zoo.Counter,
    zoo.RealEnd,
    zoo.Constrained,
    zoo.Choice,
    zoo.Trip,
)


def judged(result: CheckResult) -> list[object]:
    """Everything that is known of its promises, runs included."""
    assert result.liveness.judged, result.liveness.reason
    return [
        (
            one.member.name,
            *(
                (
                    case.arguments,
                    case.waiting,
                    case.stopped,
                    case.doomed,
                    case.trace and (case.trace.states, case.trace.loop, case.trace.closing),
                )
                for case in one.cases
            ),
        )
        for one in result.liveness.promises
    ]


@pytest.mark.parametrize("kind", ZOO)
def test_tiny_protocols(kind: type[Protocol], cluster: Cluster) -> None:
    """With the tasks of four partitions in this process."""
    found = check(kind(), WHOLE, replace(cluster, start=in_process))
    assert judged(found) == judged(breadth_first.check(kind(), WHOLE))


@pytest.mark.parametrize("name", ["zookeeper-alter-isr", "zookeeper-version-first"])
def test_kafka_14144(name: str, cluster: Cluster) -> None:
    protocol = epochal.load(name, brokers=2, max_version=2, stops=0)
    found = check(protocol, WHOLE, replace(cluster, start=in_process))
    assert judged(found) == judged(breadth_first.check(protocol, WHOLE))
    broken = {one.member.name for one in found.liveness.broken}
    assert broken == ({"follower_joins_isr", "proposal_is_answered"} if name.endswith("first") else set())


@pytest.mark.parametrize("workers", [1, 2])
def test_many_states_are_shared_by_the_drivers_processors(workers: int, cluster: Cluster) -> None:
    protocol = epochal.load("kip-279", replicas=3, log_size=2, records=1, max_epoch=2)
    options = replace(WHOLE, workers=workers)
    found = check(protocol, options, replace(cluster, start=in_process))
    assert found.distinct_states > 1 << 16
    assert judged(found) == judged(breadth_first.check(protocol, options))


def test_resumed(cluster: Cluster) -> None:
    """A run that was finished before is judged from its log."""
    protocol = epochal.load("zookeeper-version-first", brokers=2, max_version=2, stops=0)
    cluster = replace(cluster, start=in_process)
    left_out = check(protocol, replace(WHOLE, liveness=False), cluster)
    assert not left_out.liveness.judged
    again = check(protocol, WHOLE, replace(cluster, resume=True))
    assert judged(again) == judged(breadth_first.check(protocol, WHOLE))


def test_in_files_where_memory_is_short(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = epochal.load("kip-279", replicas=3, log_size=2, records=1, max_epoch=2)
    expected = judged(breadth_first.check(protocol, WHOLE))
    monkeypatch.setattr(Arrays, "allows", lambda arrays, _: arrays.folder is not None)
    found = check(protocol, replace(WHOLE, spill=tmp_path), replace(cluster, start=in_process))
    assert judged(found) == expected
    assert found.liveness.file_bytes > 0


# A sweep on executors: the rows of processes here, each task one of Spark's.

SWEEP = """
[[task]]
check = ["kip-101", "kip-320"]
bounds = { replicas = 2, log-size = 1, records = 1, max-epoch = [0, 1] }

[[task]]
check = "kip-320"
bounds = { replicas = 2, log-size = 1, records = 1, max-epoch = 1 }
max-states = 10
"""


@pytest.mark.xdist_group("spark")
def test_executors_say_the_same(spark: str, tmp_path: Path) -> None:
    """Byte for byte; and what one place has answered the other does not ask again."""
    file = tmp_path / "sweep.toml"
    file.write_text(SWEEP)
    on_spark = epochal.sweep(file, out=tmp_path / "spark", engine="spark", master=spark)
    here = epochal.sweep(file, out=tmp_path / "here", workers=1)
    assert on_spark.sweep.failed == here.sweep.failed == []
    assert on_spark.exit_code == here.exit_code == 0 and on_spark.sweep.done == 5
    assert (tmp_path / "spark" / "results.jsonl").read_bytes() == (tmp_path / "here" / "results.jsonl").read_bytes()
    assert epochal.sweep(file, out=tmp_path / "spark", workers=1).sweep.done == 0
