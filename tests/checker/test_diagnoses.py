"""Each refusal and each warning of the static checks, through every way to judge a protocol: the same verdict by all.

The rows are the places in `compile/static.py` where something is refused or told. One without a row is an error here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.checker.compile import static
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.language import LanguageError, Protocol
from tests.zoo.rows import Row, made, rows

Fine: type[Any] = made(
    globals(),
    "Protocol",
    """
    Most < Bounds: How far numbers go.
        most: int = bound(3, least=1, most=5, help="the greatest number")
    Small = Annotated[int, Integers(0, Most.most)]
    Fine: A register, and what was acknowledged; nothing is odd about it.
        bounds: Most
        x: Small
        past: Ghost[Small]
        action write(v: Small): It grows.
            require(v >= self.x)
            self.x = v
        action acknowledge: History.
            self.past = self.x
        lemma history_is_old: What was acknowledged is no more than what there is.
            return self.past <= self.x
        invariant not_lost: The same, to be proved.
            return self.past <= self.x
    """,
)


Nothing: type[Any] = made(
    globals(),
    "Protocol",
    """
    Nothing: A register alone.
        bounds: Most
        x: Small
    """,
)


REFUSED = rows(
    globals(),
    "Fine",
    """
    GhostGuard: _refuse_ghosts_in_rules 0 | a guard depends on the ghost variable past
        # History steers a guard.
        action write(v: Small)
            require(v >= self.x and self.past <= v)
            self.x = v
    GhostUpdate: _refuse_ghosts_in_rules 1 | the new value of x depends on the ghost variable past
        # History steers an effect.
        action write(v: Small)
            require(v >= self.x)
            if self.past <= v:
                self.x = v
    GhostLogUpdate: refuse_history 0 | the new value of x depends on the ghost variable written
        # History in a log steers an effect.
        written: Ghost[Annotated[Log[Small], Capacity(2)]]
        action write(v: Small)
            require(v >= self.x)
            if len(self.written) == 0:
                self.x = v
        invariant nothing_is_written
            return self.past <= self.x and len(self.written) <= 2
    CertainFailure: _refuse_certain_failures 0 | Leap can never be carried out
        # A step that leaves its domain whenever it is taken.
        action leap
            require(self.x == self.bounds.most)
            self.x += 1
    CertainFailureNever < CertainFailure: _refuse_certain_failures 0 | Leap can never be carried out
        # The same, where the lemmas say that it is never taken: all obligations of a proof are met.
        action write(v: Small)
            require(self.x <= v < self.bounds.most)
            self.x = v
        lemma below
            return self.x < self.bounds.most
    """,
)
ONLY_LEMMAS = "NoProperties has no (properties|invariant)|of properties NoProperties has only lemmas"
VACUOUS = rows(
    globals(),
    "Fine",
    f"""
    DeadAction: _dead_actions 0 | Never (cannot happen at these bounds|never happens)
        # A step that no state enables.
        action never(v: Small)
            require(self.x < v and v < self.x)
            self.x = v
    OfNoState: _empty_properties 0 | bounded_below is true whatever the state
        # An invariant that reads no state.
        invariant bounded_below
            return self.bounds.most >= 1
    OfTypesAlone: _empty_properties 0 | in_domain is true whatever the state
        # An invariant that no state of the types can break.
        invariant in_domain
            return 0 <= self.x <= self.bounds.most
    NoActions < Nothing: _nothing_declared 0 | NoActions has no actions
        lemma at_first
            return self.x == 0
        invariant low
            return self.x < 1
    NoProperties < Nothing: _nothing_declared 1 | {ONLY_LEMMAS}
        action write(v: Small)
            require(v >= self.x)
            self.x = v
        lemma typed
            return self.x >= 0
    """,
)
WARNED = rows(
    globals(),
    "Fine",
    """
    Unread: _unused_variables 0 | the state variable unread is never read
        # A variable that is written, and read by nobody.
        unread: Map[Small, bool]
        action note(v: Small)
            self.unread[v] = True
    """,
)
ROWS = [(row, ExitCode.STATIC_CHECKS) for row in REFUSED.values()]
ROWS += [(row, ExitCode.VACUOUS) for row in VACUOUS.values()]
ROWS += [(row, ExitCode.HOLDS) for row in WARNED.values()]
"""A protocol with something odd: where in static.py that is said, what is said, and the exit code of all."""

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
    assert sites() == {row.expected.partition(" | ")[0] for row, _ in ROWS} | remarks


@pytest.fixture(autouse=True)
def a_cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path))


def judged(kind: type[Protocol], way: str) -> tuple[ExitCode, str]:
    """The exit code and the report of one way to judge a protocol."""
    try:
        result = WAYS[way](kind())
    except EpochalError as error:
        return error.exit_code, str(error)
    return result.exit_code, str(result)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_odd_about_the_rest(way: str) -> None:
    code, report = judged(Fine, way)
    assert code == ExitCode.HOLDS
    assert "Warning" not in report


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("row", "right"), ROWS, ids=[row.kind.__name__ for row, _ in ROWS])
def test_the_verdict_is_the_same_by_all(row: Row, right: ExitCode, way: str) -> None:
    code, report = judged(row.kind, way)
    assert code == right, report
    assert re.search(row.expected.partition(" | ")[2], " ".join(report.split())), report


FAR_OFF = rows(
    globals(),
    "Fine",
    """
    HistoryFarOff: the new value of x
        # History steers an effect at bounds at which nobody looks: more than three.
        action write(v: Small)
            require(v >= self.x)
            if self.bounds.most <= 3 or self.past <= v:
                self.x = v
    GuardedFarOff: a guard
        # The same of a guard.
        action write(v: Small)
            require(v >= self.x)
            require(self.bounds.most <= 3 or self.past <= v)
            self.x = v
    TrueHere:
        # An invariant that says nothing at its bounds, and something at others; and an action likewise.
        invariant ordered
            return self.bounds.most <= 3 or self.past <= self.x
        action far
            require(self.bounds.most > 3)
            self.x = self.bounds.most
    """,
)


@pytest.mark.parametrize("name", ["HistoryFarOff", "GuardedFarOff"])
def test_history_steers_at_no_bounds(name: str) -> None:
    """Within these bounds nothing is wrong with it, and of these alone a search and a proof within bounds speak."""
    row = FAR_OFF[name]
    assert {judged(row.kind, way)[0] for way in WAYS if way != "prove, unbounded"} == {ExitCode.HOLDS}
    with pytest.raises(LanguageError, match=f"{row.expected} depends on the ghost variable past") as caught:
        epochal.prove(row.kind(), unbounded=True, workers=1)
    assert caught.value.where is not None and caught.value.where.file == row.file


def test_what_is_odd_at_these_bounds_alone_takes_nothing_from_a_proof_for_all() -> None:
    assert judged(FAR_OFF["TrueHere"].kind, "prove")[0] == ExitCode.VACUOUS
    code, report = judged(FAR_OFF["TrueHere"].kind, "prove, unbounded")
    assert code == ExitCode.HOLDS, report
    assert "not seen to happen: far" in report
