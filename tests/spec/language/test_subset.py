"""What is outside the language is refused with its line and what to write instead."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.source.rewrite import REFUSED
from epochal.spec.language import LanguageError
from tests.spec.language.snippets import Load, action, compiled, refused, rule

STATEMENTS = {
    ast.Try: "try:  # here\n    self.n = 1\nexcept ValueError:\n    self.n = 2",
    ast.With: "with open('x') as f:  # here\n    self.n = 1",
    ast.Raise: "raise ValueError  # here",
    ast.Assert: "assert self.n == 1  # here",
    ast.Global: "global N  # here\nN = 1",
    ast.Import: "import os  # here\nself.n = 1",
    ast.ImportFrom: "from os import path  # here\nself.n = 1",
    ast.Delete: "x = 1\ndel x  # here",
    ast.Match: "match self.n:  # here\n    case 1:\n        self.n = 2",
    ast.FunctionDef: "def inner() -> int:  # here\n    return 1\nself.n = inner()",
    ast.AsyncFunctionDef: "async def inner() -> int:  # here\n    return 1\nself.n = 1",
    ast.ClassDef: "class Inner:  # here\n    pass\nself.n = 1",
    ast.Lambda: "f = lambda x: x + 1  # here\nself.n = 1",
    ast.NamedExpr: "if (x := self.n) > 1:  # here\n    self.n = x - 1",
    ast.JoinedStr: "x = f'{self.n}'  # here\nself.n = 1",
    ast.Slice: "x = (1, 2, 3)[1:]  # here\nself.n = 1",
    ast.Starred: "self.n = max(*(1, 2))  # here",
    ast.DictComp: "self.table = {k: 1 for k in self.table}  # here",
    ast.Break: "for n in self.table:\n    break  # here",
    ast.Continue: "for n in self.table:\n    continue  # here",
    ast.Yield: "yield 1  # here",
    ast.YieldFrom: "yield from (1, 2)  # here",
}


NOT_IN_A_METHOD = {ast.Nonlocal, ast.Await}
"""`nonlocal` and `await` do not parse in a plain method of a class."""


def test_every_refused_construct_is_tested() -> None:
    assert set(STATEMENTS) | NOT_IN_A_METHOD == set(REFUSED)


@pytest.mark.parametrize("construct", STATEMENTS, ids=lambda c: c.__name__)
def test_construct_is_refused(load: Load, construct: type[ast.AST]) -> None:
    what, advice = REFUSED[construct]
    error = refused(load, action(STATEMENTS[construct]))
    assert error.message == f"the specification language does not have {what}"
    assert error.advice == advice


PROPERTIES = {
    "require": ("invariant", "require(self.flag)  # here\nreturn True", "judge uses require, which only actions have"),
    "assignment": ("invariant", "self.n = 1  # here\nreturn True", "a property changes the state"),
    "assignment to a field": ("reachable", "self.point.x = 1  # here\nreturn True", "a property changes the state"),
    "append": ("constraint", "self.log.append(1)  # here\nreturn True", "a property changes the state"),
}


@pytest.mark.parametrize("case", PROPERTIES)
def test_property_is_refused(load: Load, case: str) -> None:
    kind, body, message = PROPERTIES[case]
    assert message in refused(load, rule(kind, body)).message


def test_property_that_assigns_to_the_new_state(load: Load) -> None:
    error = refused(load, rule("action_property", "new.n = 1  # here\nreturn True", "self, new: Self"))
    assert error.message == "a property changes the state"


def test_property_that_returns_nothing(load: Load) -> None:
    text = rule("invariant", "self.n == 1").replace("def judge", "def judge").replace("-> bool:", "-> bool:  # here")
    assert refused(load, text).message == "judge returns nothing"


def test_action_that_returns_a_value(load: Load) -> None:
    error = refused(load, action("return self.n").replace("def act(self) -> None:", "def act(self) -> None:  # here"))
    assert (error.message, error.advice) == ("an action returns a value", "Only helper methods return.")


def test_recursion(load: Load) -> None:
    text = (
        action("self.n = self.again(self.n)")
        + "\n    def again(self, n: int) -> int:\n        return self.again(n)  # here\n"
    )
    assert refused(load, text).message == "rules call each other without end"


def test_parameters_with_stars(load: Load) -> None:
    text = action("self.n = self.many(self.n)") + "\n    def many(self, *n: int) -> int:  # here\n        return 1\n"
    assert refused(load, text).message == "the specification language does not have a rule with * or ** parameters"


def test_cached_property(load: Load) -> None:
    text = action("self.n = self.cached  # here") + (
        "\n    @functools.cached_property\n    def cached(self) -> int:\n        return self.n\n"
    )
    assert refused(load, "import functools\n\n\n" + text).message == "cached cannot be read in a rule"


def test_error_in_a_helper_of_the_module(load: Load) -> None:
    text = "def twice(n: int) -> int:\n    return n @ n  # here\n\n\n" + action("self.n = twice(self.n)")
    assert "unsupported operand" in refused(load, text).message


def test_function_without_source() -> None:
    names: dict[str, Any] = {}
    exec(
        "from epochal.language import *\nclass Spec(Protocol):\n    flag: bool\n\n"
        "    @action\n    def act(self) -> None:\n        pass\n",
        names,
    )
    with pytest.raises(LanguageError, match="the source of act is not available"):
        compile_protocol(names["Spec"]())


ACCEPTED = {
    "a while with a known condition": "i = 3\nwhile i > 1:\n    i -= 1\nself.n = i",
    "a docstring and pass": '"""Does nothing."""\npass',
    "a list made anew": "x = [1]\nx = x + [2]\nself.n = len(x)",
    "a local of one branch": "if self.flag:\n    x = self.n\n    self.n = x\nelse:\n    y = 1\n    self.n = y",
    "a table behind a guard": "require(self.n < 2)\nself.n = (1, 2)[1]",
    "a record's fields before it is replaced": "x = self.point.x\nself.point = Point(x=1, on=False)\nself.n = x",
    "known values": "x = sorted([2, 1])\nself.n = x[0] + {1: 1}[1] + abs(-1) - round(1.2)",
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_rule_is_accepted(load: Load, case: str) -> None:
    model = compiled(load(action(ACCEPTED[case])))
    assert len(model.instances) == 1
