"""What a rule chooses: between functions, between sets of several classes, and among the values of a parameter."""

from __future__ import annotations

import textwrap

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.exit_codes import ExitCode
from epochal.spec.language import LanguageError
from tests.checker.compile.agreement import Agreement
from tests.each import for_each
from tests.spec.language.snippets import STATE, Load
from tests.spec.language.test_traps import agree, rules

FUNCTIONS = {
    "a conditional expression": "f = (lambda: 1) if self.flag else (lambda: 2)\nself.n = f()",
    "a definition under a condition": """\
if self.flag:
    def f():
        return 1
else:
    def f():
        return 2
self.n = f()""",
    "an entry of a list": "self.n = [lambda: 1, lambda: 2][self.flag]()",
    "an entry of a dictionary": "self.n = {False: lambda: 1, True: lambda: 2}[self.flag]()",
    "a match": """\
match self.color:
    case Color.RED:
        f = lambda: 1
    case _:
        f = lambda: 2
self.n = f()""",
    "a loop that ends early": """\
f = lambda: 0
for i in range(2):
    f = (lambda: 1) if i else (lambda: 2)
    if self.flag:
        break
self.n = f()""",
    "a method": "f = self.helper if self.flag else self.member\nself.n = f(1)",
    "the first that is found": "self.n = next(f for f, on in ((lambda: 1, self.flag), (lambda: 2, True)) if on)()",
}


@for_each("choice", FUNCTIONS)
def test_a_choice_between_functions_is_no_choice_of_the_first(choice: str, load: Load) -> None:
    module = load(rules(FUNCTIONS[choice]))
    with pytest.raises(LanguageError, match=r"depends on the state|different") as refused:
        compile_protocol(module.Spec())
    assert refused.value.advice


def test_one_function_is_chosen_whatever_the_state(load: Load) -> None:
    body = (
        "f = lambda: self.n\ng = f if self.flag else f\nh = self.helper if on else self.helper\nself.n = min(g(), h(v))"
    )
    agree(load(rules(body)).Spec)


CLASSES = {
    "of a variable, or another": "s = self.numbers if self.flag else frozenset({1})\nself.flag = isinstance(s, Set)",
    "frozen, or not": "self.flag = isinstance(frozenset({1}) if self.flag else {1}, frozenset)",
    "the first that has members": "self.flag = isinstance(self.numbers or frozenset({1}), Set)",
    "a pattern": """\
match self.numbers if self.flag else {1}:
    case Set():
        self.flag = True
    case _:
        self.flag = False""",
}


@for_each("choice", CLASSES)
def test_a_set_that_is_chosen_has_no_class(choice: str, load: Load) -> None:
    module = load(rules(CLASSES[choice]))
    with pytest.raises(LanguageError, match="the class of this set depends on the state"):
        compile_protocol(module.Spec())


PARAMETERS = {
    "an entry, under a condition": "if self.flag:\n    self.n = order[0]\nelse:\n    self.n = 2",
    "the last entry, under a condition": "if self.flag:\n    self.n = order.last\nelse:\n    self.n = 2",
    "an entry in an operand": "self.flag = self.n > 0 and order[1] == 1",
    "an entry in a comprehension": "self.flag = any(order[i] == 1 for i in range(2) if i < len(order) or self.flag)",
    "an offset of the state": "require(self.n < len(order))\nself.n = order[self.n]",
    "an offset that may be none": "self.n = order[self.n]",
    "an offset that may be negative": "self.n = order[self.n - 1]",
    "entries from an offset of the state on": "self.log = order[self.n:]",
    "a key of the state": "self.n = to[self.node]",
    "a key under a condition": "if self.flag:\n    self.n = to[self.maybe]",
    "as a tuple": "self.flag = order == (self.n, 1)",
    "as no tuple": "self.flag = order != (self.n, 1)",
    "as a list": "self.flag = [self.n, 1] == order",
    "as one of several": "self.flag = order in ((self.n, 1), (0, 0), [1])",
    "as a whole": "self.log = order\nself.table = to",
    "as a log of the state": "self.flag = self.log == order and self.table == to",
}
LOG = "Annotated[Log[Annotated[int, Integers(0, 1)]], Capacity(2)]"
MAP = "Map[Node, Annotated[int, Integers(0, 1)]]"
VARY = """\
    @action
    def vary(self, v: Small, on: bool, node: Node) -> None:
        self.n = v
        self.flag = on
        self.node = node
        self.log = [v, 1] if on else []
"""


@for_each("use", PARAMETERS)
def test_a_parameter_is_used_as_python_does(use: str, load: Load) -> None:
    """Where it cannot be used the rule fails, there and nowhere else."""
    body = textwrap.indent(PARAMETERS[use], " " * 8)
    module = load(STATE + f"    @action\n    def act(self, order: {LOG}, to: {MAP}) -> None:\n{body}\n\n{VARY}")
    if agree(module.Spec) is ExitCode.EVALUATION_FAILED:
        return
    readings = Agreement(module.Spec())
    codes = readings.protocol.initial_states()[0]
    for _ in range(4):
        codes = readings.compare(codes)[-1][1]
