"""A class that says no name is called by what leads to it, wherever a person reads how it is called."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path
from typing import Annotated

import pytest

import epochal
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
