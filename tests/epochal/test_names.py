"""A class that says no name is called by what leads to it, wherever a person reads how it is called."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest

import epochal
from epochal import catalogue
from epochal.api.options import KEYWORDS, SearchKeywords, options_of
from epochal.checker.trace.output_folder import OutputFolder
from epochal.spec.language import Integers, Protocol, action, invariant, lemma, require
from tests.checker.solver.test_workers import CHECKOUT

HERE = "tests/epochal/test_names.py"


class Counter(Protocol):
    """A number that grows."""

    value: Annotated[int, Integers(0, 3)]

    @action
    def grow(self) -> None:
        """Once more."""
        require(self.value < 3)
        self.value += 1

    @lemma
    def below(self) -> bool:
        """It stays below what it can be."""
        return self.value < 3

    @invariant
    def small(self) -> bool:
        """It stays small."""
        return self.value < 2


class Faster(Counter):
    """A variant, which is not called as what it is a variant of."""

    def grow(self) -> None:
        require(self.value < 2)
        self.value += 2


@pytest.mark.parametrize("kind", [Counter, Faster])
def test_every_answer_names_the_class(kind: type[Counter], tmp_path: Path) -> None:
    name = f"{HERE}:{kind.__name__}"
    answers: list[epochal.Result] = [
        epochal.check(kind()),
        epochal.prove(kind(), workers=1, cached=False),
        epochal.bounded(kind(), length=3),
        epochal.simulate(kind(), runs=10),
        epochal.mutate(kind()),
    ]
    for answer in answers:
        assert answer.headline.startswith(f"{name}: "), answer.headline
        assert repr(answer) == f"<{type(answer).__name__}: {answer.headline}>"
        assert str(answer).lstrip().startswith(f"{name}: ")
        assert answer.to_dict()["protocol"] == name
        assert answer.counterexample is None or str(answer.counterexample).startswith(f"{name}: ")
    with pytest.raises(AssertionError, match=f"^{name}: small violated"):
        epochal.assert_holds(kind)


def test_next_names_the_file_that_will_be_there(tmp_path: Path) -> None:
    result = epochal.check(Counter())
    trace = Path(result.write(OutputFolder(tmp_path))["small"]).name
    page = trace.replace(".itf.json", ".html")
    assert f"--out found  # the run as a page: found/{page}" in str(result) and (tmp_path / page).is_file()
    assert trace == "tests-epochal-test-names-py-counter-small.itf.json"


def test_a_class_of_a_function_or_a_cell_has_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Local(Counter):
        """Of a function."""

    assert epochal.check(Local()).headline.startswith("Local: small violated")
    cell = types.ModuleType("a_notebook")
    monkeypatch.setitem(sys.modules, "a_notebook", cell)
    kip_320 = type(epochal.load("kip-320"))
    variant = type("Variant", (kip_320,), {"__module__": "a_notebook"})
    cell.__dict__["Variant"] = variant
    assert epochal.check(variant(replicas=2, max_epoch=1)).headline.startswith("Variant: ")
    assert epochal.check(kip_320(replicas=2, max_epoch=1)).headline.startswith("kip-320: ")


SCRIPT = """
import epochal
from typing import Annotated
from epochal.language import Integers, Protocol, action, invariant, require

class Buggy(Protocol):
    value: Annotated[int, Integers(0, 3)]

    @action
    def grow(self) -> None:
        require(self.value < 3)
        self.value += 1

    @invariant
    def atomic(self) -> bool:
        return self.value < 2

print(epochal.check(Buggy()).headline)
"""


def test_a_class_of_a_script_is_called_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "two_phase.py").write_text(SCRIPT)
    command = [sys.executable, "two_phase.py"]
    done = subprocess.run(command, cwd=tmp_path, env=CHECKOUT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "two_phase.py:Buggy: atomic violated\n", "")


def test_a_name_of_its_own_stays() -> None:
    class Named(Counter):
        name = "named"

    assert epochal.check(Named()).headline.startswith("named: ")


def test_a_trace_is_replayed_on_its_class(tmp_path: Path) -> None:
    file = tmp_path / "bug.itf.json"
    trace = epochal.check(Counter()).counterexample
    assert trace is not None
    trace.save(file)
    assert epochal.replay(file, protocols=[Counter]).ok
    assert epochal.replay(file, protocols=Counter).ok
    assert epochal.replay(file, protocols=f"{HERE}:Counter").ok
    with pytest.raises(epochal.EpochalError, match=r"protocols are classes or references such as .*, not <.*Counter"):
        epochal.replay(file, protocols=[Counter()])  # type: ignore[list-item]


def test_python_says_how_python_names_a_protocol(tmp_path: Path) -> None:
    """As a keyword; the command line says `--protocol`, pytest says what its configuration has."""
    file = tmp_path / "bug.itf.json"
    trace = epochal.check(Counter()).counterexample
    assert trace is not None
    trace.save(file)
    with pytest.raises(epochal.EpochalError) as caught:
        epochal.replay(file)
    assert str(caught.value).endswith(f"If you trust its file, name it: protocols=['{HERE}:Counter']")
    with pytest.raises(epochal.EpochalError) as caught:
        epochal.replay(file, protocols=[Faster])
    assert f"not of {HERE}:Faster\n  Name the protocol that it is of: protocols=['FILE:NAME']" in str(caught.value)
    assert str(caught.value).endswith(f". To replay it on another: against='{HERE}:Faster'")


class Fixed(Counter):
    """A counter that stops where it should."""

    def grow(self) -> None:
        require(self.value < 1)
        self.value += 1


@pytest.mark.parametrize("against", [Fixed, Fixed(), f"{HERE}:Fixed"], ids=["class", "protocol", "reference"])
@pytest.mark.parametrize("stored", [True, False])
def test_a_trace_of_a_bug_is_replayed_on_the_fix(
    against: type[Protocol] | Protocol | str, stored: bool, tmp_path: Path
) -> None:
    """The guard that refuses it is named: whether the file says whose trace it is, or Python has it."""
    trace = epochal.check(Counter()).counterexample
    assert trace is not None
    trace.save(tmp_path / "bug.itf.json")
    result = epochal.replay(tmp_path / "bug.itf.json" if stored else trace, against=against)
    assert result.exit_code == 20 and result.headline.endswith(f" does not replay on {HERE}:Fixed")
    said = str(result)
    assert f"\n  {HERE}:Counter, no bounds: small is violated\n" in said
    assert "step 2, Grow(), is not possible in state 1" in said and "require(self.value < 1)" in said
    assert result.to_dict()["against"] == f"{HERE}:Fixed"
    same = epochal.replay(trace, against=Counter)
    assert same.ok and same.headline == f"the trace: replays exactly on {HERE}:Counter"


def test_a_trace_is_not_replayed_on_a_protocol_with_other_states() -> None:
    trace = epochal.check(Counter()).counterexample
    assert trace is not None
    with pytest.raises(epochal.EpochalError, match=r"it is no run of kip-320: #meta\.bounds: there is no replicas"):
        epochal.replay(trace, against="kip-320")


# The keywords of the front door: each is checked, in every question, before anything is asked.

B = {"replicas": 2, "log_size": 1, "records": 1, "max_epoch": 1}
PROOF = {"replicas": 2, "max_epoch": 1}

QUESTIONS: tuple[Callable[..., Any], ...] = (
    *(epochal.assert_holds, epochal.bounded, epochal.check, epochal.compare, epochal.gate, epochal.guarantees),
    *(epochal.mutate, epochal.prove, epochal.replay, epochal.simulate, catalogue),
)


def wrong() -> Protocol:
    return epochal.load("truncate-to-hw", **B)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.__name__)
def test_every_keyword_is_checked(question: Callable[..., Any]) -> None:
    own = set(inspect.getclosurevars(question).nonlocals["known"])
    named = [one for one in inspect.signature(question).parameters.values() if one.kind is one.KEYWORD_ONLY]
    assert {one.name for one in named} <= own, question.__name__


def test_the_keywords_of_a_search_are_checked() -> None:
    assert set(inspect.signature(epochal.Options).parameters) <= set(KEYWORDS)
    assert set(inspect.signature(epochal.Options).parameters) == set(SearchKeywords.__annotations__)


def test_python_and_commands_have_the_same_defaults() -> None:
    """But for `engine`: a command says auto where Python need not."""
    more: tuple[Callable[..., Any], ...] = (epochal.audit, epochal.export, epochal.graph, epochal.sweep)
    for query in (*QUESTIONS, *more):
        declared = options_of(query.__name__)
        for name, one in inspect.signature(query).parameters.items():
            if name in declared and name != "engine" and declared[name].default is not None:
                assert one.default == declared[name].default, (query.__name__, name)


NUMBER = "is a whole number, not"
REFUSED: tuple[tuple[Callable[..., Any], dict[str, object], str], ...] = (
    (epochal.check, {"budget": "5m"}, "budget is a number of seconds, not '5m'"),
    (epochal.check, {"budget": float("nan")}, "budget is a number of seconds, not nan"),
    (epochal.check, {"budget": True}, "budget is a number of seconds, not True"),
    (epochal.check, {"workers": "2"}, f"workers {NUMBER} '2'"),
    (epochal.check, {"workers": 256}, "workers is at most 255, not 256"),
    (epochal.check, {"max_states": "100"}, f"max_states {NUMBER} '100'"),
    (epochal.check, {"max_states": 1e3}, f"max_states {NUMBER} 1000.0"),
    (epochal.check, {"max_memory": "6G"}, f"max_memory {NUMBER} '6G'"),
    (epochal.check, {"properties": 5}, "properties is an id or several, not 5"),
    (epochal.check, {"properties": [5]}, "properties has ids alone in it, not 5"),
    (epochal.check, {"properties": []}, "properties names nothing, so that there is nothing to check"),
    (epochal.check, {"begun": 1e12}, r"begun is a moment of time.monotonic\(\) that has passed, not"),
    (epochal.check, {"all_violations": "no"}, "all_violations is True or False, not 'no'"),
    (epochal.check, {"checkpoint": b"x"}, "checkpoint is a path, not b'x'"),
    (epochal.check, {"checkpoint": ""}, "checkpoint is a path, not ''"),
    (epochal.check, {"progress": 3}, "progress is a function, not 3"),
    (epochal.check, {"engine": 1}, "engine is one of auto, native, spark, python, not 1"),
    (epochal.check, {"reference": 3}, "reference is a text, not 3"),
    (epochal.assert_holds, {"properties": []}, "properties names nothing"),
    (epochal.assert_holds, {"violated": None}, "violated is an id or several, not None"),
    (epochal.assert_holds, {"bounds": 5}, r"bounds is a dict of bounds such as \{'replicas': 3\}, not 5"),
    (epochal.bounded, {"properties": []}, "properties names nothing"),
    (epochal.bounded, {"properties": ["typo"]}, "has no property 'typo'"),
    (epochal.bounded, {"properties": ["weak_isr", "typo"]}, "has no property 'typo'"),
    (epochal.bounded, {"properties": "weak-isr"}, "has no property 'weak-isr'\n  Did you mean weak_isr?"),
    (epochal.bounded, {"length": -1}, "length is at least 0, not -1"),
    (epochal.bounded, {"rlimit": "x"}, f"rlimit {NUMBER} 'x'"),
    (epochal.bounded, {"rlimit": -1}, "rlimit is more than 0, not -1"),
    (epochal.bounded, {"cross_check": "typo"}, "cross_check is a number of states, 'some', 'all' or 'off', not 'typo'"),
    (epochal.bounded, {"cross_check": 0}, "cross_check is a number of states, 'some', 'all' or 'off', not 0"),
    (epochal.bounded, {"cross_check": "all"}, "cross_check='all' is for searches"),
    (epochal.prove, {"properties": []}, "properties names nothing"),
    (epochal.prove, {"cross_check": "typo"}, "cross_check is a number of states"),
    (epochal.prove, {"engine": "native"}, "engine is one of local, spark, not 'native'"),
    (epochal.prove, {"workers": -1}, "workers is more than 0, not -1"),
    (epochal.prove, {"max_states": -1}, "max_states is at least 0, not -1"),
    (epochal.simulate, {"properties": []}, "properties names nothing"),
    (epochal.simulate, {"runs": 0}, "runs is more than 0, not 0"),
    (epochal.simulate, {"runs": -3}, "runs is more than 0, not -3"),
    (epochal.simulate, {"runs": float("nan")}, f"runs {NUMBER} nan"),
    (epochal.simulate, {"depth": 0}, "depth is more than 0, not 0"),
    (epochal.simulate, {"seed": None}, f"seed {NUMBER} None"),
    (epochal.simulate, {"engine": "spark"}, "engine is one of auto, native, python, not 'spark'"),
    (epochal.simulate, {"cross_check": -1}, "cross_check is a number of states"),
    (epochal.mutate, {"properties": []}, "properties names nothing"),
    (epochal.mutate, {"budget": float("nan")}, "budget is a number of seconds, not nan"),
    (epochal.guarantees, {"budget": float("nan")}, "budget is a number of seconds, not nan"),
    (epochal.guarantees, {"faults": 3}, "faults is an id or several, not 3"),
)


@pytest.mark.parametrize(("question", "given", "told"), REFUSED, ids=lambda one: getattr(one, "__name__", str(one)))
def test_what_means_nothing_is_refused(question: Callable[..., Any], given: dict[str, Any], told: str) -> None:
    with pytest.raises(epochal.EpochalError, match=told) as caught:
        question(wrong(), **given)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("trace", "told"),
    [
        ("none.itf.json", "there is no trace none.itf.json"),
        (".", "is a folder"),
        (None, "replay takes a trace, or the path of one, not None"),
        (5, "not 5"),
        (b"x", "not b'x'"),
    ],
    ids=repr,
)
def test_what_is_no_trace(trace: Any, told: str) -> None:
    with pytest.raises(epochal.EpochalError, match=told):
        epochal.replay(trace)


NO_SUCH_NUMBER = "budget is a number of seconds, not nan"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"budget": float("nan")}, NO_SUCH_NUMBER),
        ({"max_states": -1}, "max_states is more than 0, not -1"),
        ({"references": ("a",)}, r"references is how both are called, two texts, not \('a',\)"),
        ({"renamed": [1]}, "renamed is a dict from actions of the first"),
        ({"renamed": {"no_such_action": "fetch"}}, "truncate-to-hw has no action 'no_such_action'."),
        ({"renamed": {"fetch": "neither"}}, "truncate-to-hw has no action 'neither'."),
        ({"renamed": {"fetch": "fetch", "become_leader": "fetch"}}, "two actions are renamed to 'fetch'"),
    ],
)
def test_keywords_of_a_comparison(given: dict[str, Any], told: str) -> None:
    with pytest.raises(epochal.EpochalError, match=told):
        epochal.compare(wrong(), wrong(), **given)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"fail_on": "narowed"}, "fail_on is one of narrowed, refactored, new, inconclusive, not 'narowed'"),
        ({"profile": "typo"}, "profile is one of pr, nightly, release, not 'typo'"),
        ({"engine": "spark"}, "engine is one of auto, native, python, not 'spark'"),
        ({"budget": float("nan")}, NO_SUCH_NUMBER),
    ],
)
def test_keywords_of_the_gate(given: dict[str, Any], told: str) -> None:
    with pytest.raises(epochal.EpochalError, match=told):
        epochal.gate(**given)


def test_keywords_of_the_catalogue() -> None:
    with pytest.raises(epochal.EpochalError, match=NO_SUCH_NUMBER):
        catalogue("S1", budget=float("nan"))


class Two:
    """A whole number of another library."""

    def __index__(self) -> int:
        return 2


def test_whole_numbers_of_any_kind() -> None:
    assert epochal.simulate(wrong(), runs=Two(), depth=Two(), seed=Two()).to_dict()["runs"] == 2  # type: ignore[arg-type]


def test_a_bound_may_be_a_whole_number_of_any_kind() -> None:
    made = epochal.load("kip-320", replicas=Two())
    assert made.bounds.as_dict()["replicas"] == 2 and type(made.bounds.as_dict()["replicas"]) is int


def test_advice_names_keywords(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same messages name the options in a shell."""
    with pytest.raises(epochal.EpochalError, match="after and start exclude each other"):
        epochal.bounded(wrong(), after="x", start="weak_isr")
    with pytest.raises(epochal.EpochalError, match="Write after='path/to/trace"):
        epochal.bounded(wrong(), after="none.itf.json")
    with pytest.raises(epochal.EpochalError, match="or bring some with lemmas"):
        epochal.prove(epochal.load("async-isr"))
    (tmp_path / "epochal.toml").write_text('[model.one]\nprotocol = "kip-320"\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(epochal.EpochalError, match="base='main'"):
        epochal.gate(base="main")


def test_a_search_of_the_catalogue_that_was_cut_is_no_surprise() -> None:
    result = epochal.catalogue("S1", budget=1e-9)
    assert (
        result.exit_code == 30 and "1 of 1 entry not decided, as a search was cut: KAFKA-1211 (S1)" in result.headline
    )


def test_an_id_needs_no_list() -> None:
    assert list(epochal.bounded(wrong(), length=8, properties="weak_isr").verdicts) == ["weak_isr"]
    assert epochal.bounded(wrong(), length=1, properties="weak_isr", start="strong_isr").exit_code in (0, 12)
    assert "strong_isr" in str(epochal.prove(epochal.load("kip-320-proof", **PROOF), properties="strong_isr"))
    assert epochal.simulate(wrong(), runs=1, properties="weak_isr").to_dict()["properties"][0]["id"] == "weak_isr"


def test_a_path_is_a_text_too(tmp_path: Path) -> None:
    epochal.check(wrong(), properties="record_committed", checkpoint=str(tmp_path / "kept"))
    assert epochal.check(wrong(), properties="record_committed", resume=str(tmp_path / "kept")).states > 0


def test_places_where_nothing_can_be_written_are_told(tmp_path: Path) -> None:
    found = epochal.check(wrong(), properties="weak_isr")
    assert set(found.write(str(tmp_path / "out"))) == {"weak_isr", "result"}
    (tmp_path / "file").write_text("")
    run = found.counterexample
    assert run is not None
    for write in (
        lambda: run.save(str(tmp_path / "none" / "found.itf.json")),
        lambda: found.write(str(tmp_path / "file" / "out")),
        lambda: epochal.check(wrong(), checkpoint=str(tmp_path / "file" / "kept")),
        lambda: epochal.check(wrong(), spill=str(tmp_path / "file" / "spilt")),
        lambda: epochal.check(wrong(), resume=str(tmp_path / "none")),
        lambda: epochal.mutate(wrong(), survivors=str(tmp_path / "none.toml")),
    ):
        with pytest.raises(epochal.EpochalError, match=str(tmp_path)):
            write()


@pytest.mark.parametrize(
    "result",
    [lambda: epochal.check(wrong()), lambda: epochal.simulate(wrong(), runs=1), lambda: catalogue(listed=True)],
    ids=["check", "simulate", "catalogue"],
)
def test_no_answer_is_true_or_false(result: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=r"neither true nor false: write result\.\w+.*raise_for_violation\(\)"):
        assert result()


# -- Ctrl-C -----------------------------------------------------------------------------------------------------------
def pressed(*_: object) -> None:
    raise KeyboardInterrupt


def test_ctrl_c_ends_a_search_that_keeps_its_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        epochal.check(epochal.load("kip-320"), progress=pressed, checkpoint=tmp_path / "kept", max_states=100_000)
    assert caught.value.result.exit_code == 30 and caught.value.result.interrupted  # type: ignore[attr-defined]
    assert list((tmp_path / "kept").iterdir())


def test_ctrl_c_ends_runs_and_a_bounded_search(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        epochal.simulate(wrong(), runs=10_000, depth=2, progress=pressed)
    assert "interrupted" in str(caught.value.result)  # type: ignore[attr-defined]
    monkeypatch.setattr("epochal.checker.solver.bounded.Unrolling.ask", pressed)
    with pytest.raises(KeyboardInterrupt):
        epochal.bounded(wrong(), length=5)


def test_ctrl_c_ends_what_asks_others() -> None:
    with pytest.raises(KeyboardInterrupt):
        epochal.assert_holds("kip-320", progress=pressed)
    with pytest.raises(KeyboardInterrupt):
        catalogue("S1", progress=pressed)


# -- budgets ----------------------------------------------------------------------------------------------------------
def test_a_spent_budget_ends_no_session() -> None:
    first, second = (epochal.load(name, replicas=3, log_size=3) for name in ("kip-279", "kip-320"))
    with pytest.raises(epochal.EpochalError, match=r"1e-06 s is spent.*nothing was explored") as caught:
        epochal.compare(first, second, budget=1e-6)
    assert caught.value.exit_code == 30
    pickle.loads(pickle.dumps(caught.value))
