"""A rule is rewritten once in a process, and again where it or its names mean something else."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import FunctionType

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.source import rewrite
from epochal.checker.compile.source.admitted import TREE, Sources
from epochal.checker.compile.source.rewrite import rewritten
from epochal.checker.difference.difference import encode_rules, rules_of
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.language import LanguageError

LIMIT = 3
"""A number that a rule reads."""


def small(a: int) -> bool:
    return bool(a < LIMIT)


def other(a: int) -> bool:
    return bool(a > LIMIT)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that are rewritten from now on."""
    names: list[str] = []
    make = rewrite._written

    def noted(function: FunctionType, *more: object) -> object:
        names.append(function.__name__)
        return make(function, *more)  # type: ignore[arg-type]  # what the original gets

    monkeypatch.setattr(rewrite, "_written", noted)
    monkeypatch.setattr(rewrite, "_KEPT", type(rewrite._KEPT)())
    return names


def again(function: Callable[..., object]) -> FunctionType:
    """The symbolic form of a function, for a compilation of its own."""
    assert isinstance(function, FunctionType)
    return rewritten(function, object(), Sources())


def test_a_second_compilation_rewrites_nothing_and_is_the_same(written: list[str]) -> None:
    first = encode_rules(rules_of(compile_protocol(Kip320())))
    assert len(written) == len(set(written)) > 20
    del written[:]
    assert encode_rules(rules_of(compile_protocol(Kip320()))) == first
    assert encode_rules(rules_of(compile_protocol(Kip320(replicas=2)))) != first
    assert written == []


def test_each_compilation_has_a_function_of_its_own(written: list[str]) -> None:
    one, two = again(small), again(small)
    assert one is not two and one.__code__ is two.__code__
    assert one.__globals__ is not two.__globals__
    assert written == ["small"]


def test_other_code_is_not_taken_for_what_was_rewritten(written: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    again(small)
    monkeypatch.setattr(small, "__code__", other.__code__)
    with pytest.raises(LanguageError, match="small is not a plain function"):
        again(small)
    assert written == ["small", "small"]


def test_a_name_that_means_something_else_is_seen(written: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    again(small)
    monkeypatch.setitem(globals(), "LIMIT", random)
    with pytest.raises(LanguageError, match="LIMIT cannot be used in a rule"):
        again(small)
    monkeypatch.setitem(globals(), "LIMIT", 4)
    assert again(small).__globals__["LIMIT"] == 4
    assert written == ["small"]
    monkeypatch.setitem(globals(), "bool", int)
    again(small)
    assert written == ["small", "small"]


def test_a_function_with_a_tree_of_its_own_is_rewritten_each_time(
    written: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small, TREE, Sources().tree(other), raising=False)  # type: ignore[arg-type]  # a function
    again(small)
    again(small)
    assert written == ["small", "small"]
    assert len(rewrite._KEPT) == 0
