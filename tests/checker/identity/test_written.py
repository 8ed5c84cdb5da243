"""Epochal's own specifications are known by what stands in this process, and their answers by the engine as well."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from epochal.checker.identity import engine
from epochal.checker.identity.written import written
from epochal.kafka.cases import ASKED, found_by_meaning, found_by_text, keep_by_meaning, keep_by_text
from epochal.kafka.comes_back import key_of
from epochal.kafka.decide_recoveries import usual_recoveries
from epochal.kafka.usual_answers import not_searched
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.kraft.guarantees import guarded
from epochal.spec.kraft.leader import Leader
from epochal.spec.language import Protocol


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
    keep_by_meaning({**answer, "specification": "a digest"})
    assert found_by_text(own, "") is not None and found_by_meaning("a digest", "") is not None
    told = engine.versions()
    monkeypatch.setattr(engine, "versions", lambda: {**told, "z3-solver": "another"})
    assert found_by_text(own, "") is None and found_by_meaning("a digest", "") is None


def nothing_in_common(protocol: Protocol, a: object, b: object) -> int:
    """Put in the place of a function that says how long two logs agree."""
    return 0


def test_a_function_of_a_module_that_was_replaced_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the module of a specification, in one that it imports from, and as a constant: no file has changed."""
    keys = [written(Kip320())]
    for place in [one for one in sys.modules.values() if one.__name__.startswith("epochal.spec.")]:
        if hasattr(place, "longest_common_prefix"):
            with monkeypatch.context() as patched:
                patched.setattr(place, "longest_common_prefix", nothing_in_common)
                keys.append(written(Kip320()))
    assert len(keys) > 1 and all(key != keys[0] for key in keys[1:]) and written(Kip320()) == keys[0]


def test_usual_answers_are_not_believed_of_rules_that_were_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """They come with the package, for the rules as its files have them."""
    settings, bounds = next(iter(usual_recoveries().values()))
    kind = guarded(settings)
    before = key_of(kind, bounds)
    monkeypatch.setattr(Leader, "may_join", lambda self, leader, follower: True)
    assert key_of(kind, bounds) != before
    monkeypatch.undo()
    assert key_of(kind, bounds) == before
