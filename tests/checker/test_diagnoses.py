"""Each refusal and each warning of the static checks, through every way to judge a protocol: the same verdict by all.

The rows are the places in `compile/static.py` where something is refused or told. One without a row is an error here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest

import epochal
from epochal.checker.compile import static
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.language import (
    Bounds,
    Capacity,
    Ghost,
    Integers,
    LanguageError,
    Log,
    Map,
    Protocol,
    action,
    bound,
    invariant,
    lemma,
    require,
)


@dataclass(frozen=True)
class Most(Bounds):
    """How far numbers go."""

    most: int = bound(3, least=1, most=5, help="the greatest number")


Small = Annotated[int, Integers(0, Most.most)]


class Fine(Protocol):
    """A register, and what was acknowledged; nothing is odd about it."""

    bounds: Most
    x: Small
    past: Ghost[Small]

    @action
    def write(self, v: Small) -> None:
        """It grows."""
        require(v >= self.x)
        self.x = v

    @action
    def acknowledge(self) -> None:
        """History."""
        self.past = self.x

    @lemma
    def history_is_old(self) -> bool:
        """What was acknowledged is no more than what there is."""
        return self.past <= self.x

    @invariant
    def not_lost(self) -> bool:
        """The same, to be proved."""
        return self.past <= self.x


class GhostGuard(Fine):
    """History steers a guard."""

    @action
    def write(self, v: Small) -> None:
        """It looks back."""
        require(v >= self.x and self.past <= v)
        self.x = v


class GhostUpdate(Fine):
    """History steers an effect."""

    @action
    def write(self, v: Small) -> None:
        """It looks back."""
        require(v >= self.x)
        if self.past <= v:
            self.x = v


class GhostLogUpdate(Fine):
    """History in a log steers an effect."""

    written: Ghost[Annotated[Log[Small], Capacity(2)]]

    @action
    def write(self, v: Small) -> None:
        """It looks back."""
        require(v >= self.x)
        if len(self.written) == 0:
            self.x = v

    @invariant
    def nothing_is_written(self) -> bool:
        """What was to be remembered."""
        return self.past <= self.x and len(self.written) <= 2


class CertainFailure(Fine):
    """A step that leaves its domain whenever it is taken."""

    @action
    def leap(self) -> None:
        """Too far."""
        require(self.x == self.bounds.most)
        self.x += 1


class CertainFailureNever(CertainFailure):
    """The same, where the lemmas say that it is never taken: all obligations of a proof are met."""

    @action
    def write(self, v: Small) -> None:
        """It stays below the end."""
        require(self.x <= v < self.bounds.most)
        self.x = v

    @lemma
    def below(self) -> bool:
        """It does not come to its end."""
        return self.x < self.bounds.most


class DeadAction(Fine):
    """A step that no state enables."""

    @action
    def never(self, v: Small) -> None:
        """It contradicts itself."""
        require(self.x < v and v < self.x)
        self.x = v


class NoActions(Protocol):
    """Nothing ever happens."""

    bounds: Most
    x: Small

    @lemma
    def at_first(self) -> bool:
        """As it begins."""
        return self.x == 0

    @invariant
    def low(self) -> bool:
        """As it begins."""
        return self.x < 1


class NoProperties(Protocol):
    """Nothing is asked."""

    bounds: Most
    x: Small

    @action
    def write(self, v: Small) -> None:
        """Anything."""
        require(v >= self.x)
        self.x = v

    @lemma
    def typed(self) -> bool:
        """Nothing is negative."""
        return self.x >= 0


class OfNoState(Fine):
    """An invariant that reads no state."""

    @invariant
    def bounded_below(self) -> bool:
        """Of the bounds alone."""
        return self.bounds.most >= 1


class OfTypesAlone(Fine):
    """An invariant that no state of the types can break."""

    @invariant
    def in_domain(self) -> bool:
        """As every number is."""
        return 0 <= self.x <= self.bounds.most


class Unread(Fine):
    """A variable that is written, and read by nobody."""

    unread: Map[Small, bool]

    @action
    def note(self, v: Small) -> None:
        """For nobody."""
        self.unread[v] = True


@dataclass(frozen=True)
class Row:
    """A protocol with something odd: where that is said in static.py, what is said, and the exit code of all."""

    site: str
    kind: type[Protocol]
    said: str
    code: ExitCode


ONLY_LEMMAS = "NoProperties has no (properties|invariant)|of properties NoProperties has only lemmas"
ROWS = (
    Row("_refuse_ghosts_in_rules 0", GhostGuard, "a guard depends on the ghost variable past", ExitCode.STATIC_CHECKS),
    Row(
        "_refuse_ghosts_in_rules 1",
        GhostUpdate,
        "the new value of x depends on the ghost variable past",
        ExitCode.STATIC_CHECKS,
    ),
    Row(
        "refuse_history 0",
        GhostLogUpdate,
        "the new value of x depends on the ghost variable written",
        ExitCode.STATIC_CHECKS,
    ),
    Row("_refuse_certain_failures 0", CertainFailure, "Leap can never be carried out", ExitCode.STATIC_CHECKS),
    Row("_refuse_certain_failures 0", CertainFailureNever, "Leap can never be carried out", ExitCode.STATIC_CHECKS),
    Row("_dead_actions 0", DeadAction, "Never (cannot happen at these bounds|never happens)", ExitCode.VACUOUS),
    Row("_nothing_declared 0", NoActions, "NoActions has no actions", ExitCode.VACUOUS),
    Row("_nothing_declared 1", NoProperties, ONLY_LEMMAS, ExitCode.VACUOUS),
    Row("_empty_properties 0", OfNoState, "bounded_below is true whatever the state", ExitCode.VACUOUS),
    Row("_empty_properties 0", OfTypesAlone, "in_domain is true whatever the state", ExitCode.VACUOUS),
    Row("_unused_variables 0", Unread, "the state variable unread is never read", ExitCode.HOLDS),
)

WAYS: dict[str, Callable[[Protocol], Any]] = {
    "check, native": lambda protocol: epochal.check(protocol, engine="native"),
    "check, python": lambda protocol: epochal.check(protocol, engine="python"),
    "bounded": lambda protocol: epochal.bounded(protocol, length=2),
    "prove": lambda protocol: epochal.prove(protocol, workers=1),
    "prove, unbounded": lambda protocol: epochal.prove(protocol, workers=1, unbounded=True),
}


def sites() -> set[str]:
    """The places in static.py where something is refused or told, by their function and a number."""
    tree = ast.parse(Path(str(static.__file__)).read_text(encoding="utf-8"))
    found = set()
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        telling = [c for c in calls if ast.unparse(c.func) in ("Diagnostic", "LanguageError", "refuse_history")]
        found |= {f"{function.name} {number}" for number in range(len(telling))}
    return found


def test_every_diagnosis_has_a_row() -> None:
    remarks = {"diagnose 0"}  # of a protocol itself, such as those of tests/spec/kraft/test_reductions.py
    assert sites() == {row.site for row in ROWS} | remarks


@pytest.fixture(autouse=True)
def a_cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path))


def judged(kind: type[Protocol], way: str) -> tuple[ExitCode, str]:
    """The exit code and the report of one way to judge a protocol."""
    try:
        result = WAYS[way](kind(Most()))
    except EpochalError as error:
        return error.exit_code, str(error)
    return result.exit_code, str(result)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_odd_about_the_rest(way: str) -> None:
    code, report = judged(Fine, way)
    assert code == ExitCode.HOLDS
    assert "Warning" not in report


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind.__name__)
def test_the_verdict_is_the_same_by_all(row: Row, way: str) -> None:
    code, report = judged(row.kind, way)
    assert code == row.code, report
    assert re.search(row.said, " ".join(report.split())), report


class HistoryFarOff(Fine):
    """History steers an effect at bounds at which nobody looks: more than three."""

    @action
    def write(self, v: Small) -> None:
        """It looks back, if it can go far."""
        require(v >= self.x)
        if self.bounds.most <= 3 or self.past <= v:
            self.x = v


class GuardedFarOff(Fine):
    """The same of a guard."""

    @action
    def write(self, v: Small) -> None:
        """It looks back, if it can go far."""
        require(v >= self.x)
        require(self.bounds.most <= 3 or self.past <= v)
        self.x = v


@pytest.mark.parametrize(
    ("kind", "said"), [(HistoryFarOff, "the new value of x"), (GuardedFarOff, "a guard")], ids=["effect", "guard"]
)
def test_history_steers_at_no_bounds(kind: type[Protocol], said: str) -> None:
    """Within these bounds nothing is wrong with it, and of these alone a search and a proof within bounds speak."""
    assert {judged(kind, way)[0] for way in WAYS if way != "prove, unbounded"} == {ExitCode.HOLDS}
    with pytest.raises(LanguageError, match=f"{said} depends on the ghost variable past") as caught:
        epochal.prove(kind(Most()), unbounded=True, workers=1)
    assert caught.value.where is not None and Path(caught.value.where.file).name == Path(__file__).name


class TrueHere(Fine):
    """An invariant that says nothing at its bounds, and something at others; and an action likewise."""

    @invariant
    def ordered(self) -> bool:
        """With one number more it says something."""
        return self.bounds.most <= 3 or self.past <= self.x

    @action
    def far(self) -> None:
        """With one number more it happens."""
        require(self.bounds.most > 3)
        self.x = self.bounds.most


def test_what_is_odd_at_these_bounds_alone_takes_nothing_from_a_proof_for_all() -> None:
    assert judged(TrueHere, "prove")[0] == ExitCode.VACUOUS
    code, report = judged(TrueHere, "prove, unbounded")
    assert code == ExitCode.HOLDS, report
    assert "not seen to happen: far" in report
