"""What each operator takes away from a rule, and that it takes away nothing else."""

from __future__ import annotations

import ast
import inspect
import textwrap
from types import FunctionType
from typing import Any

from epochal.checker.mutation.mutants import Edit, LogNames, edited, edits
from epochal.spec.language import require
from epochal.spec.language import require as only_if

LOGS = LogNames(frozenset({"log"}), frozenset({"logs"}))


def taken(function: Any, logs: LogNames = LOGS) -> dict[str, str]:
    """The body of a function without its docstring after each of its edits, by label."""
    assert isinstance(function, FunctionType)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    before = ast.dump(tree)
    found = {}
    for edit in edits(function, tree, logs):
        made = edited(tree, edit)
        found[edit.label] = "; ".join(ast.unparse(statement) for statement in made.body)
    assert ast.dump(tree) == before
    return found


def guarded(self: Any, r: Any) -> None:
    require(r != self.leader)
    only_if(self.a(r) and all(self.b(f) and self.c(f) for f in self.isr))
    self.x = r


def test_requires_and_their_conjuncts() -> None:
    """Each require, all of them, and each operand of an `and` at any depth; `require` by another name too."""
    second = "only_if(self.a(r) and all((self.b(f) and self.c(f) for f in self.isr)))"
    assert taken(guarded) == {
        "drop require #1": f"{second}; self.x = r",
        "drop require #2": "require(r != self.leader); only_if(True); self.x = r",
        "drop all requires": "only_if(True); self.x = r",
        "drop require #2 conjunct #1": "require(r != self.leader); "
        "only_if(all((self.b(f) and self.c(f) for f in self.isr))); self.x = r",
        "drop require #2 conjunct #2": "require(r != self.leader); only_if(self.a(r)); self.x = r",
        "drop require #2 conjunct #3": "require(r != self.leader); "
        "only_if(self.a(r) and all((self.c(f) for f in self.isr))); self.x = r",
        "drop require #2 conjunct #4": "require(r != self.leader); "
        "only_if(self.a(r) and all((self.b(f) for f in self.isr))); self.x = r",
    }


def helper(self: Any, f: Any, o: int) -> bool:
    return self.follows(f) and (o == 0 or (self.has(f, o) and self.brokers[f].leader_epoch + 1 > self.epoch_of(f)))


def test_conjuncts_of_a_helper_and_epochs() -> None:
    """What a helper returns; a comparison of epochs that is an operand of `and` is not listed twice."""
    assert list(taken(helper)) == ["drop conjunct #1", "drop conjunct #2", "drop conjunct #3", "drop conjunct #4"]
    assert taken(helper)["drop conjunct #4"] == "return self.follows(f) and (o == 0 or self.has(f, o))"


def compared(self: Any, r: Any) -> None:
    if self.epochs[r] == self.view(r).epoch or self.leader == r:
        self.x = r


def test_a_comparison_of_epochs_that_is_no_conjunct() -> None:
    """It becomes true; what is not named after an epoch stays."""
    assert taken(compared) == {"epoch comparison #1 is true": "if True or self.leader == r:\n    self.x = r"}


def truncating(self: Any, r: Any) -> None:
    if self.x == r:
        self.brokers[r].log.truncate(0)
    self.brokers[r].log = self.empty
    self.logs[r] = self.empty
    self.brokers[r].log[0] = r
    self.others[r] = r


def test_truncations() -> None:
    """Statements that truncate, or write a whole log; writing an entry is none."""
    rest = "self.brokers[r].log[0] = r; self.others[r] = r"
    cut = "if self.x == r:\n    self.brokers[r].log.truncate(0)"
    log, logs = "self.brokers[r].log = self.empty", "self.logs[r] = self.empty"
    assert taken(truncating) == {
        "drop truncation #1": f"if self.x == r:\n    pass; {log}; {logs}; {rest}",
        "drop truncation #2": f"{cut}; {logs}; {rest}",
        "drop truncation #3": f"{cut}; {log}; {rest}",
    }
    assert list(taken(truncating, LogNames(frozenset(), frozenset()))) == ["drop truncation #1"]


def alone(self: Any) -> None:
    require(self.x)


def test_nothing_is_left() -> None:
    """A rule whose only statement goes away does nothing; one guard is not `all requires` as well."""
    assert taken(alone) == {"drop require #1": "pass"}


def test_lines_stay() -> None:
    """What is left stands on the lines where it stood."""
    tree = ast.parse("def f(self):\n    require(a)\n    require(b and\n            c)\n    x = 1").body[0]
    assert isinstance(tree, ast.FunctionDef)
    place = [i for i, node in enumerate(ast.walk(tree)) if isinstance(node, ast.Name) and node.id == "b"]
    made = edited(tree, Edit("", 3, "b", made_true=(place[0],)))
    assert [statement.lineno for statement in made.body] == [2, 3, 5]
    assert ast.unparse(made.body[1]) == "require(c)"
