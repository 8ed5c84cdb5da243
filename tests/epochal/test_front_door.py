"""The front door: protocols by name and bounds by keyword, from Python."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pytest

import epochal
from epochal.api.options import reference_of
from epochal.language import BoundsError, Integers, LoadError, Protocol, action, invariant, require
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.language.configurable import with_configuration
from epochal.spec.registry import REGISTRY

MINE = """\
from dataclasses import dataclass
from typing import Annotated

from epochal.language import Bounds, Integers, Protocol, action, bound, invariant, require


@dataclass(frozen=True)
class CounterBounds(Bounds):
    most: int = bound(3, least=1, most=9, help="the greatest value")


class Counter(Protocol):
    bounds: CounterBounds
    value: Annotated[int, Integers(0, CounterBounds.most)]

    @action
    def grow(self) -> None:
        require(self.value < self.bounds.most)
        self.value += 1
"""


def test_protocols_have_names() -> None:
    assert epochal.protocols() == tuple(REGISTRY)
    assert type(epochal.load("kip-320")) is Kip320


def test_bounds_are_named() -> None:
    assert epochal.load("kip-320", replicas=2, max_epoch=1).bounds == ClassicBounds(replicas=2, max_epoch=1)
    assert Kip320(replicas=2).bounds == ClassicBounds(replicas=2)
    assert Kip320(ClassicBounds(records=1), replicas=2).bounds == ClassicBounds(replicas=2, records=1)


def test_words_are_named_too() -> None:
    made = epochal.load("kraft", kafka="3.5", crashes=0)
    assert made.bounds.as_dict()["crashes"] == 0
    assert made.name == "kraft-3.5"


def test_a_class_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    made = epochal.load(f"{tmp_path / 'mine.py'}:Counter", most=5)
    made.value = 4
    assert str(made) == "value: 4"
    assert repr(made) == "<Counter(most=5): value: 4>"


def test_a_file_that_was_edited_is_read_again(tmp_path: Path) -> None:
    """As in a notebook: no reading keeps the source that the file had before."""
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    assert epochal.check(epochal.load(f"{tmp_path / 'mine.py'}:Counter")).states == 4
    (tmp_path / "mine.py").write_text(MINE.replace("self.value += 1", "self.value = 3  # at once"), encoding="utf-8")
    assert epochal.check(epochal.load(f"{tmp_path / 'mine.py'}:Counter")).states == 2


def test_a_state_is_told_as_in_traces() -> None:
    state = Kip320(replicas=2, log_size=1)
    state = state.at(state.initial_states()[0])
    assert str(state).splitlines()[:2] == ["next_record: 0", "b1: log [], hw 0, epoch -1, leader -, isr {}"]
    assert repr(state).startswith("<Kip320(replicas=2, log_size=1, records=2, max_epoch=2): next_record: 0; b1: log []")


@pytest.mark.parametrize(
    ("reference", "settings", "error", "told"),
    [
        ("kip320", {}, LoadError, "no protocol is named 'kip320'\n  Did you mean kip-320?"),
        (
            "kip-320",
            {"replica": 2},
            BoundsError,
            "replica is no bound and no setting of kip-320\n  Did you mean replicas?",
        ),
        (f"{'a' * 300}.py:X", {}, LoadError, "there is no file aaa"),
        (f"{'a/' * 3000}b.py:X", {}, LoadError, "it has 6,006 characters"),
        ("kip-320", {"replicas": 99}, BoundsError, "the number of replicas must be at most 5"),
        ("kip-320", {"replicas": "2"}, BoundsError, "must be a whole number, not '2'"),
        ("kip-320", {"kafka": "3.5"}, BoundsError, "kafka is no bound and no setting of kip-320"),
        ("kraft", {"kafca": "3.5"}, BoundsError, "Did you mean kafka?"),
    ],
)
def test_what_is_wrong_is_told(reference: str, settings: dict[str, object], error: type[Exception], told: str) -> None:
    with pytest.raises(error) as caught:
        epochal.load(reference, **settings)
    assert told in str(caught.value)


def test_a_bound_that_a_protocol_does_not_have() -> None:
    with pytest.raises(BoundsError, match="replica is no bound of ClassicBounds\n  Did you mean replicas"):
        Kip320(replica=2)


ROOT = Path(__file__).resolve().parents[2]
SMALL = {"replicas": 2, "log_size": 1, "records": 1, "max_epoch": 1}


def test_a_violation_and_its_run() -> None:
    result = epochal.check(epochal.load("truncate-to-hw", **SMALL))
    assert (result.violated, result.verdicts["weak_isr"], result.exit_code) == ({"weak_isr"}, "violated", 12)
    assert (result.holds, result.states, result.exhaustive) == (False, 301, False)
    run = result.counterexample
    assert run is not None and repr(run) == "<Trace of weak_isr: violated, 9 states>"
    assert str(run).startswith("truncate-to-hw: weak_isr is violated (9 states; replicas 2, log_size 1, records 1")
    assert "4. LeaderWrite(b2)  b2 appends a record  [spec/classic/leader.py:34]" in str(run)
    assert repr(result) == "<CheckResult: truncate-to-hw: weak_isr violated>"
    assert str(result).splitlines()[0] == "truncate-to-hw: weak_isr violated"
    assert result.to_dict()["properties"][0]["verdict"] == "violated"
    assert result._repr_html_().startswith("<pre>truncate-to-hw: weak_isr violated\n")
    assert result._repr_html_().endswith("</iframe>")
    assert "```mermaid" in result._repr_markdown_()
    with pytest.raises(AssertionError) as caught:
        result.raise_for_violation()
    assert "\n4. LeaderWrite(b2)  b2 appends a record" in str(caught.value)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_everything_holds(engine: str) -> None:
    result = epochal.check(epochal.load("kip-320", **SMALL), engine=engine, properties=["strong_isr", "weak_isr"])
    result.raise_for_violation()
    assert result.verdicts == {"weak_isr": "holds", "strong_isr": "holds"}
    assert result.counterexample is None and result.exhaustive
    assert repr(result) == "<CheckResult: kip-320: all checked properties hold within these bounds>"


def test_a_cut_search_is_no_success() -> None:
    result = epochal.check(epochal.load("kip-320"), max_states=100)
    with pytest.raises(AssertionError, match="the budget of 100 states is spent"):
        result.raise_for_violation()


def test_a_protocol_that_has_no_name_is_called_by_its_place(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE.replace("class Counter(", "class Other(") + FAILING, encoding="utf-8")
    kind = type(epochal.load(f"{tmp_path / 'mine.py'}:Other"))
    kind.name = ""
    run = epochal.check(kind()).counterexample
    assert run is not None and str(run).startswith(
        f"{tmp_path / 'mine.py'}:Other: small is violated (3 states; most 3)"
    )


FAILING = """
    @invariant
    def small(self) -> bool:
        return self.value < 2
"""


def test_no_run_is_seen_that_does_not_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    from epochal.checker.crosscheck.cross_check import SemanticsDisagree
    from epochal.checker.search import native as breadth_first
    from epochal.checker.search.result import CheckResult

    def lying(protocol: Protocol, options: epochal.Options) -> CheckResult:
        found = breadth_first.check(protocol, options)
        (one, *others) = found.properties
        assert one.trace is not None
        cut = replace(one, trace=replace(one.trace, steps=one.trace.steps[:-2]))
        return replace(found, properties=(cut, *others))

    monkeypatch.setattr("epochal.api.check.search_of", lambda *_: lying)
    with pytest.raises(SemanticsDisagree):
        epochal.check(epochal.load("truncate-to-hw", **SMALL))


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"engine": "quick"}, epochal.EpochalError, "engine is one of auto, native, spark, python, not 'quick'"),
        ({"budgett": 3}, TypeError, "budgett"),
        ({"budget": -1}, epochal.EpochalError, "budget is more than 0, not -1"),
        ({"max_states": 0}, epochal.EpochalError, "max_states is more than 0, not 0"),
        ({"workers": 0}, epochal.EpochalError, "workers is more than 0, not 0"),
        (
            {"cross_check": "sum"},
            epochal.EpochalError,
            "cross_check is a number of states, 'some', 'all' or 'off', not 'sum'",
        ),
        ({"cross_check": True}, epochal.EpochalError, "cross_check is a number of states"),
        ({"properties": "weak"}, epochal.EpochalError, "has no property 'weak'\n  Did you mean weak_isr?"),
        ({"properties": ["strong-isr"]}, epochal.EpochalError, "strong-isr"),
    ],
)
def test_options_that_do_not_exist(options: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        epochal.check(epochal.load("kip-320", **SMALL), **options)


@pytest.mark.parametrize(("wrong", "told"), [(Kip320, r"not Kip320: write Kip320\(\)"), ("kip-320", "not 'kip-320'")])
def test_what_is_no_protocol(wrong: Any, told: str) -> None:
    with pytest.raises(epochal.EpochalError, match=rf"check takes a protocol within bounds, .* {told}"):
        epochal.check(wrong)
    with pytest.raises(TypeError, match="load takes a name such as 'kip-320'"):
        epochal.load(Kip320)  # type: ignore[arg-type]  # no text, on purpose


def test_one_property_needs_no_list() -> None:
    assert list(epochal.check(epochal.load("kip-320", **SMALL), properties="weak_isr").verdicts) == ["weak_isr"]


def test_nothing_is_imported_before_it_is_used() -> None:
    program = "import sys, epochal; dir(epochal); print([m for m in sys.modules if m.startswith('epochal.')])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"
    with pytest.raises(AttributeError, match="module 'epochal' has no attribute 'chek'"):
        _ = epochal.chek  # type: ignore[attr-defined]  # as it should be


# -- the other questions ----------------------------------------------------------------------------------------------


def test_a_proof() -> None:
    result = epochal.prove(epochal.load("kip-320-proof", **SMALL), properties=["strong_isr"], max_states=0)
    assert (result.proved, result.exit_code, result.counterexample) == (True, 0, None)
    assert repr(result) == "<ProofResult: kip-320-proof: strong_isr proved, for any number of steps at these bounds>"
    assert result.to_dict()["exit_code"] == 0 and str(result).startswith("kip-320-proof: strong_isr proved")


def test_a_bounded_search() -> None:
    result = epochal.bounded(epochal.load("truncate-to-hw", **SMALL), length=8, properties=["weak_isr"])
    assert (result.violated, result.exit_code) == ({"weak_isr"}, 12)
    assert result.counterexample is not None and result.counterexample.length == 9
    with pytest.raises(AssertionError, match="LeaderWrite"):
        result.raise_for_violation()


def test_a_simulation() -> None:
    result = epochal.simulate(epochal.load("kip-101", **SMALL), runs=5, depth=5, seed=3)
    assert result.to_dict()["seed"] == 3 and str(result).startswith("kip-101: ")


def test_a_comparison() -> None:
    bounds = {**SMALL, "replicas": 2}
    result = epochal.compare(epochal.load("kip-279", **bounds), epochal.load("kip-320", **bounds), strict=True)
    assert (result.same, result.exit_code) == (False, 20)
    assert result.counterexample is not None and "kip-279 and kip-320: " in repr(result)
    assert "\nComparison\n" in str(result)
    assert result.to_dict()["exit_code"] == 20


def test_a_trace_is_a_file_and_a_drawing(tmp_path: Path) -> None:
    run = epochal.check(epochal.load("truncate-to-hw", **SMALL)).counterexample
    assert run is not None
    run.save(tmp_path / "found.itf.json")
    again = epochal.replay(tmp_path / "found.itf.json").trace
    assert again.to_dict() == run.to_dict() and str(again) == str(run)
    assert "```mermaid" in run._repr_markdown_()


def test_a_replay(tmp_path: Path) -> None:
    stored = ROOT / "counterexamples" / "kip-279-strong-isr.itf.json"
    result = epochal.replay(stored)
    assert result.ok and str(result).startswith(f"{stored}: replays exactly\n  kip-279, replicas 3")
    assert result.to_dict()["replays"] and [one["reading"] for one in result.to_dict()["readings"]] == [
        "python",
        "native",
    ]
    shorter = replace(result.trace, steps=result.trace.steps[1:])
    with pytest.raises(AssertionError, match="no longer replays"):
        epochal.replay(shorter).raise_for_violation()


def test_mutants() -> None:
    result = epochal.mutate(epochal.load("kip-320", **SMALL), only="elect_leader")
    assert len(result.killed) > 0 and result.exit_code in (0, 21)
    assert str(result).startswith("kip-320: ") and result.to_dict()["protocol"] == "kip-320"


def test_guarantees() -> None:
    kraft = epochal.load("kraft", kafka="G9", replication_factor=2, records=1, max_epoch=2)
    result = epochal.guarantees(kraft, faults=["none"], runs=True)
    assert result.exit_code == 0 and [one.fault.id for one in result.tables[0].decided] == ["none"]
    assert [table.column.title for table in result.tables] == ["G9"]
    said = epochal.guarantees(kafka="3.9", acks="1", replication_factor=2, records=1, max_epoch=2, faults=["none"])
    assert said.tables[0].column.reference == "kraft --kafka 3.9 --acks 1" and said.bounds["elections"] == 1
    with pytest.raises(epochal.EpochalError, match=r"already: give kafka to epochal\.load"):
        epochal.guarantees(kraft, kafka="3.9")
    with pytest.raises(epochal.EpochalError, match="kafkas is no bound and no setting of kraft\n  Did you mean kafka"):
        epochal.guarantees(kafkas="3.9")
    with pytest.raises(epochal.EpochalError, match="fault: 'fire' is no fault"):
        epochal.guarantees(kraft, faults=["fire"])
    with pytest.raises(epochal.EpochalError, match="guarantees are decided for kraft"):
        epochal.guarantees(epochal.load("kip-320"))


def test_the_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    with pytest.raises(epochal.EpochalError, match="no model is configured"):
        epochal.gate()
    text = '[model.mine]\nprotocol = "kip-320"\nbounds = { replicas = 2, log-size = 1, records = 1, max-epoch = 1 }\n'
    (tmp_path / "epochal.toml").write_text(text, encoding="utf-8")
    (tmp_path / "epochal.lock.json").write_text(
        '{"format": "epochal-lock", "version": 1, "models": {}}', encoding="utf-8"
    )
    result = epochal.gate()
    assert result.verdicts == {"mine": "new"} and result.exit_code == 20
    assert "result.json" in " ".join(result.write(tmp_path / "found")) and str(result)


def test_an_assertion() -> None:
    epochal.assert_holds("kip-320", bounds=SMALL)
    epochal.assert_holds(Kip320, bounds=SMALL, properties=["weak_isr"])
    epochal.assert_holds("truncate-to-hw", bounds=SMALL, violated="weak_isr", properties=["weak_isr"])
    with pytest.raises(AssertionError, match=r"weak_isr violated\n(.|\n)*LeaderWrite"):
        epochal.assert_holds("truncate-to-hw", bounds=SMALL)
    with pytest.raises(AssertionError, match="expected to be violated: weak_isr; was: nothing"):
        epochal.assert_holds("kip-320", bounds=SMALL, violated="weak_isr")
    larger = {**SMALL, "replicas": 3}
    with pytest.raises(AssertionError, match="not known, as the search was cut: leader_in_isr"):
        epochal.assert_holds("truncate-to-hw", bounds=larger, violated=("weak_isr", "strong_isr"), max_states=3_000)
    epochal.assert_holds(
        "truncate-to-hw", bounds=larger, violated="weak_isr", properties=["weak_isr"], max_states=3_000
    )
    with pytest.raises(epochal.EpochalError, match="has its bounds already"):
        epochal.assert_holds(Kip320(), bounds=SMALL)
    with pytest.raises(epochal.EpochalError, match=r"assert_holds takes a protocol, its class or .* not 5"):
        epochal.assert_holds(5)  # type: ignore[arg-type]


class Stumbling(Protocol):
    """It violates a property, and later a rule of it cannot be evaluated."""

    value: Annotated[int, Integers(0, 3)]

    @action
    def grow(self) -> None:
        self.value += 1

    @invariant
    def never_two(self) -> bool:
        return self.value != 2


def test_a_violation_that_is_expected_does_not_hide_a_rule_that_failed() -> None:
    assert epochal.check(Stumbling(), all_violations=True).violated == {"never_two"}
    with pytest.raises(AssertionError, match="violated: never_two; the rest is not known, as a rule failed"):
        epochal.assert_holds(Stumbling, violated="never_two")


class Counted(Protocol):
    """A protocol of a file, with a name of its own."""

    name = "counted"
    value: Annotated[int, Integers(0, 3)]

    @action
    def grow(self) -> None:
        require(self.value < 3)
        self.value += 1

    @invariant
    def small(self) -> bool:
        return self.value < 2


def test_a_protocol_is_called_by_what_loads_it(tmp_path: Path) -> None:
    """With its settings, or by the file of its class: so that what Python saves replays on the command line."""
    configured = epochal.load("kraft", kafka="3.5", acks="1", replication_factor=2, records=1)
    assert reference_of(configured) == "kraft --kafka 3.5 --acks 1"
    assert reference_of(with_configuration(type(configured), {"elr": False})()) == "kraft --kafka 3.5 --acks 1 --no-elr"
    assert reference_of(epochal.load("kraft-s1")) == "kraft-s1"
    assert reference_of(Counted()) == "tests/epochal/test_front_door.py:Counted"

    class Local(Counted):
        name = "local"

    assert reference_of(Local()) == "local"
    trace = epochal.check(configured, properties="fenced_not_in_isr").counterexample
    assert trace is not None
    trace.save(tmp_path / "found.itf.json")
    assert epochal.replay(tmp_path / "found.itf.json").exit_code == 0
