"""Epochal's own specifications are known by what stands in this process, and their answers by the engine as well."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from pathlib import Path
from typing import cast

import pytest

from epochal.checker.gate import cache
from epochal.checker.identity import engine
from epochal.checker.identity.specification import as_in_files, reached, written
from epochal.checker.search.result import CheckResult
from epochal.kafka.guarantees.cases import (
    ASKED,
    FAMILY,
    found_by_meaning,
    found_by_text,
    keep_by_meaning,
    keep_by_text,
    not_searched,
)
from epochal.kafka.guarantees.decide_recoveries import usual_recoveries
from epochal.kafka.guarantees.recovery import recoveries
from epochal.spec.classic.follower import longest_common_prefix
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.kraft import leader
from epochal.spec.kraft.guarantees import BOUNDS, FAULTS, Fault, guarded
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.leader import Leader
from epochal.spec.language import Protocol
from epochal.spec.loading import instantiate, load
from epochal.sweeps.task import meaning_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own, and sources that nobody changes while it runs."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(engine, "STARTED", engine.STARTED + 1e9)
    return tmp_path


def test_another_engine_decides_guarantees_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the text of Epochal's own specifications, and by what any other was compiled to."""
    answer = not_searched(ASKED)
    own = written(Kip320())
    keep_by_text(own, answer)
    keep_by_meaning(Kip320(), {**answer, "specification": "a digest"})
    assert found_by_text(own, "") is not None and found_by_meaning("a digest", Kip320(), "") is not None
    told = engine.versions()
    monkeypatch.setattr(engine, "versions", lambda: {**told, "z3-solver": "another"})
    assert found_by_text(own, "") is None and found_by_meaning("a digest", Kip320(), "") is None


def test_all_modules_of_kraft_are_what_their_files_say() -> None:
    """Whichever of them are loaded: else usual answers would be searched."""
    package = importlib.import_module("epochal.spec.kraft")
    for one in pkgutil.walk_packages(package.__path__, "epochal.spec.kraft."):
        importlib.import_module(one.name)
    assert as_in_files(FAMILY)


def test_no_file_of_the_specifications_asserts() -> None:
    """In a user's pytest it would run otherwise than it is written: pytest rewrites what a plugin's package asserts."""
    files = sorted(engine.folder_of("spec").rglob("*.py"))
    found = [
        f"{one}:{node.lineno}"
        for one in files
        for node in ast.walk(ast.parse(one.read_bytes()))
        if isinstance(node, ast.Assert)
    ]
    assert files and not found


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_what_guarantees_and_audits_ask_about_can_be_told(fault: Fault) -> None:
    """Else each question would be compiled to find its answer."""
    kind = guarded({"min_insync_replicas": 2, **fault.settings})
    assert written(instantiate(kind, fault.bounds(BOUNDS))) is not None


def nothing_in_common(protocol: Protocol, a: object, b: object) -> int:
    """Put in the place of a function that says how long two logs agree."""
    return 0


def test_a_function_of_a_module_that_was_replaced_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the module of a specification, in one that it imports from, and as a constant: no file has changed."""
    keys = [written(Kip320())]
    for name in sorted({kind.__module__ for kind in Kip320.__mro__} | {longest_common_prefix.__module__}):
        if hasattr(sys.modules[name], "longest_common_prefix"):
            with monkeypatch.context() as patched:
                patched.setattr(sys.modules[name], "longest_common_prefix", nothing_in_common)
                keys.append(written(Kip320()))
    assert len(keys) > 2 and all(key != keys[0] for key in keys[1:]) and written(Kip320()) == keys[0]


@pytest.mark.parametrize(
    ("place", "name", "value"),
    [
        (Leader, "may_join", lambda self, leader, follower: True),
        (Leader, "may_join", Leader.may_propose),
        (leader, "UNKNOWN", 0),
        (Leader.may_join, "__defaults__", (0,)),
    ],
    ids=["a method", "another's method", "a constant", "a default"],
)
def test_usual_answers_are_not_believed_of_rules_that_were_replaced(
    place: object, name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They come with the package, for the rules as its files have them."""
    settings, bounds = next(iter(usual_recoveries().values()))
    protocol = instantiate(guarded(settings), bounds)

    def refused(_: tuple[str, ...]) -> CheckResult:
        raise AssertionError("searched")

    assert recoveries(cast("Kraft", protocol), refused, registered=True)
    monkeypatch.setattr(place, name, value)
    monkeypatch.setattr(cache, "find_answer", lambda *_, part="": None)
    with pytest.raises(AssertionError, match="searched"):
        recoveries(cast("Kraft", protocol), refused, registered=True)
    monkeypatch.undo()
    assert recoveries(cast("Kraft", protocol), refused, registered=True)


HIDDEN = """
import os
from typing import Annotated
from epochal.language import Integers, Protocol, action, invariant, require

STOP = VALUE
OLD = False


class Other:
    def __init__(self):
        self.stop = VALUE

    def __call__(self):
        return self.stop


UNKNOWN = Other()


class P(Protocol):
    a: Annotated[int, Integers(0, 9)]

    @action
    def inc(self) -> None:
        require(OLD and self.a < HOW)
        self.a += 1

    @action
    def stay(self) -> None:
        require(self.a < 9)

    @invariant
    def low(self) -> bool:
        return self.a <= 3
"""


@pytest.mark.parametrize(("how", "told"), [("STOP", True), ("UNKNOWN()", False)])
def test_what_a_mutant_brings_back_counts(how: str, told: bool, folder: Path) -> None:
    """A guard that is never true hides the rest of a rule from the compiler, and a mutant takes it away."""
    file = folder / "p.py"
    found: dict[str, object] = {}
    for value in ("3", "5"):
        file.write_text(HIDDEN.replace("VALUE", value).replace("HOW", how))
        protocol = load(f"{file}:P")
        assert meaning_of(protocol, "check") == found.setdefault("check", meaning_of(protocol, "check"))
        found[value] = reached(protocol)
    assert (found["3"] is not None) == told and (found["3"] != found["5"]) == told


def test_code_that_is_reached_has_no_path(folder: Path) -> None:
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "p.py").write_text(HIDDEN.replace("VALUE", "3").replace("HOW", "STOP"))
    one, two = (reached(load(f"{folder / name / 'p.py'}:P")) for name in ("one", "two"))
    assert one == two is not None
