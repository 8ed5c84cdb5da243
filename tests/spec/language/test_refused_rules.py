"""What a rule does not allow, although each of its words is in the language: refused with its line and an advice."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.source.rewrite import REFUSED
from epochal.checker.native.backend import NativeBackend
from epochal.spec.language import EvaluationError, LanguageError
from tests.spec.language.snippets import Load, action, compiled, refused, rule
from tests.spec.language.test_traps import agree, rules

REFUSALS = {
    "while": (
        "i = self.n\nwhile i != 50:  # here\n    i = i + 1 if self.flag else i",
        "after 32 rounds the condition of this while may still be true, as far as the compiler sees",
        "Write a for loop over a range that is long enough, and break out of it.",
    ),
    "while without end": (
        "i = 1\nwhile i > 0:  # here\n    i += 1",
        "go round more than 100,000 times, if they end at all",
        "Write a for loop over a finite domain or a range.",
    ),
    "expression indexed": (
        "self.n = self.n[0]  # here",
        "an integer that depends on the state cannot be indexed",
        "Index a Map",
    ),
    "division of many": (
        "self.n = 3 // (self.n * self.n * 20 + 1)  # here",
        "this division has more than 64 possible values on the right",
        "Use a smaller domain, or a constant.",
    ),
    "negative power": (
        "self.n = 2 ** (self.n - 1)  # here",
        "a power whose exponent may be negative is no integer",
        "Guard the exponent",
    ),
    "power of a great number": (
        "require(self.n ** 40 > 1)  # here",
        "a value can exceed 62 bits",
        "Use smaller domains",
    ),
    "tuple of a length of the state": (
        "x = (1, 2, 3)[self.n :]  # here",
        "a tuple whose length depends on the state",
        "Cut it out of list(...).",
    ),
    "limit of a slice": ("self.log = self.log[self.maybe :]  # here", "a limit of this slice is no integer here", ""),
    "index that may be none": ("self.n = [1, 2, 3][self.maybe]  # here", "this index is no integer here", ""),
    "assignment to a slice": (
        "self.log[1:] = [2]  # here",
        "does not have an assignment to a slice",
        "Assign a new list.",
    ),
    "function of a finished element": (
        "fs = [lambda: i for i in range(2)]\nself.n = fs[0]()  # here",
        "a function that a comprehension has made is called after its element",
        "Call it in the comprehension",
    ),
    "tie in a plain set": (
        "self.n = max({1, self.n}, key=lambda x: x // 2)  # here",
        "elements of a plain set may have the same key, and Python defines no order for them in max",
        "Write Set(...) around it.",
    ),
    "many elements of a plain set": (
        "t = 0\nfor x in {self.n, 5, 6, 7}:  # here\n    t += x",
        "Python defines no order for the elements of a plain set",
        "Write Set(...) around it",
    ),
    "texts in order": (
        "x = 'a' if self.flag else 'b'\nrequire(x < 'b')  # here",
        "this operator is not defined for a text",
        "",
    ),
    "super in a function": (
        "g = lambda: super().act()  # here\ng()",
        "super() inside a comprehension, as Python 3.11 has not, or inside a function of a rule",
        "Call it in the rule itself",
    ),
    "class of an unfit pattern": (
        "match self.point:\n    case Point(0, True, 1):  # here\n        self.n = 1",
        "a pattern of Point with 3 parts without names",
        "Name the fields",
    ),
    "unknown variable": ("self.m = 1  # here", "there is no state variable 'm'", "Variables: n, flag, node"),
    "unknown variable read": (
        "self.n = self.m  # here",
        "Spec has no variable or method 'm'",
        "Variables: n, flag, node",
    ),
    "unknown method": ("self.n = self.help(1)  # here", "Spec has no variable or method 'help'", "Variables: n"),
    "unknown field": ("self.n = self.point.y  # here", "Point has no field 'y'; it has x, on", ""),
    "unknown field written": ("self.point.y = 1  # here", "Point has no field 'y'; it has x, on", ""),
    "unknown field of entry": ("self.n = self.points.last.y  # here", "Point has no field 'y'; it has x, on", ""),
    "unknown attribute": ("self.n = self.color.value  # here", "a value of Color has no attribute 'value'", ""),
    "add to a set": (
        "self.numbers.add(self.n)  # here",
        "a set has no attribute 'add'",
        "Write self.numbers = self.numbers | {self.n}.",
    ),
    "discard from a set": (
        "self.numbers.discard(1)  # here",
        "a set has no attribute 'discard'",
        "Write self.numbers = self.numbers - {1}.",
    ),
    "append to a set": (
        "self.numbers.append(1)  # here",
        "a set has no attribute 'append'",
        "Write self.numbers = self.numbers | {1}.",
    ),
    "update of a set": (
        "self.numbers.update({1})  # here",
        "a set has no attribute 'update'",
        "Write self.numbers = self.numbers | {1}.",
    ),
    "remove from a log": (
        "self.log.remove(1)  # here",
        "has no attribute 'remove'",
        "Write i = self.log.index(1), and then self.log = self.log[:i] + self.log[i + 1:].",
    ),
    "the first of a queue": (
        "self.n = self.log.pop(0)  # here",
        "has no attribute 'pop'",
        "Write entry = self.log.first, and then self.log = self.log[1:].",
    ),
    "the last of a stack": (
        "self.n = self.log.pop()  # here",
        "has no attribute 'pop'",
        "Write entry = self.log.last, and then self.log.truncate(len(self.log) - 1).",
    ),
    "extend of a log": (
        "self.log.extend([self.n])  # here",
        "has no attribute 'extend'",
        "Write self.log += [self.n].",
    ),
    "a log in a variable that is added to": (
        "log = self.log\nlog += [1]  # here",
        "this gives the name a list, and leaves the log as it was",
        "Append to the log",
    ),
    "a slice that is added to": (
        "entries = self.log[1:]\nentries += [1]  # here",
        "a list cannot be changed in place",
        "Assign a new one",
    ),
    "a log and a tuple": (
        "self.log = self.log + (self.n,)  # here",
        "a list and a tuple are added",
        "Write list(...) around the tuple.",
    ),
    "a log that is taken apart": (
        "first, *others = self.log  # here\nself.n = first",
        "of which the length depends on the state, is taken apart",
        "Write first = log[0] and others = log[1:].",
    ),
    "an entry that is deleted": (
        "del self.log[0]  # here",
        "does not have del",
        "Assign the value it should have: log =",
    ),
    "update of a map": (
        "self.table.update({self.node: 1})  # here",
        "has no attribute 'update'",
        "Write self.table[key] = value for each entry.",
    ),
    "unknown name": (
        "self.n = unknown  # here",
        "NameError: name 'unknown' is not defined",
        "The name unknown means nothing here: define or import it, or correct it.",
    ),
    "wrong arguments": ("self.n = self.helper(self.n, 2)  # here", "takes 2 positional arguments but 3 were given", ""),
    "wrong fields": ("self.point = Point(x=self.n)  # here", "Point takes the fields x, on", ""),
    "wrong record": ("self.point = self.n  # here", "an integer that depends on the state is not a Point", ""),
    "wrong kind": ("self.n = self.flag  # here", "a truth value cannot be stored where 0..3 is expected", ""),
    "wrong known kind": ("self.node = 1  # here", "1 cannot be stored where n1..n2 is expected", ""),
    "wrong enumeration": ("self.color = self.node  # here", "cannot be stored where Color is expected", ""),
    "wrong set": (
        "self.numbers = self.n  # here",
        "an integer that depends on the state cannot be stored where sets of 0..3",
        "",
    ),
    "wrong log": ("self.log = self.n  # here", "an integer that depends on the state is not a log", ""),
    "wrong map": ("self.table = self.log  # here", "is not a map", ""),
    "partial map": ("self.table = {self.member(Node, 0): 1}  # here", "the value does not map exactly n1..n2", ""),
    "order of identifiers": (
        "require(self.node < self.node)  # here",
        "this operator is not defined for a value of n1..n2",
        "",
    ),
    "order of known identifiers": (
        "require(self.member(Node, 0) < self.member(Node, 1))  # here",
        "n1 has no order: identifiers can only be compared with == and !=",
        "Use an integer domain if the order matters.",
    ),
    "is": (
        "require(self.n is self.n)  # here",
        "is compares with None, True, False and members of enumerations only",
        "Write == instead.",
    ),
    "a Python function": (
        "self.n = round(self.n)  # here",
        "round cannot be called with values that depend on the state",
        "Use all",
    ),
    "unpacking": (
        "a, b = self.numbers  # here",
        "this use iterates over a value that depends on the state",
        "Use a for loop",
    ),
    "minimum of names": (
        "self.node = min(self.table)  # here",
        "n2 has no order: identifiers can only be compared",
        "",
    ),
    "range with a step": (
        "for i in range(0, self.n, 2):  # here\n    pass",
        "a range that depends on the state takes no step",
        "",
    ),
    "records in a union of sets": (
        "some = {self.point} | {Point(x=1, on=True)}\nself.point.x = 2\nself.flag = len(some) == 2  # here",
        "an element of this set is a record of the state, chosen before a part of it was changed",
        "Read the fields you need",
    ),
    "records in a difference of sets": (
        "some = {self.point} - Set([Point(x=1, on=True)])\nself.point.x = 2\nrequire(some)  # here",
        "an element of this set is a record of the state, chosen before a part of it was changed",
        "Read the fields you need",
    ),
    "order of lists": (
        "require([n for n in self.log if n > 1] < [2])  # here",
        "this operator is not defined for a list",
        "Compare its elements",
    ),
    "comparison of a range": (
        "require(range(self.n) == range(2))  # here",
        "a range cannot be compared",
        "Compare its bounds.",
    ),
    "used up generator": (
        "g = (n for n in self.log)\nrequire(any(n > 1 for n in g))\nrequire(all(n < 3 for n in g))  # here",
        "a generator is used up after its first use",
        "Make it a list",
    ),
    "not assigned on every path": (
        "if self.flag:\n    x = 1\nself.n = x  # here",
        "a variable is read that is not assigned on every path",
        "Assign it before the if.",
    ),
    "compared though not assigned": (
        "if self.flag:\n    x = None\nrequire(x is None)  # here",
        "a variable is read that is not assigned on every path",
        "Assign it before the if.",
    ),
    "different kinds": (
        "x = 1 if self.flag else self.node\nself.n = x  # here",
        "a variable to which the branches give different kinds of values cannot be stored",
        "",
    ),
    "and of different kinds": (
        "x = self.log and self.n  # here",
        "the operands of this and or or are of different kinds",
        "Compare",
    ),
    "list changed in place": (
        "x = [1]\nx.append(2)  # here\nself.n = len(x)",
        "a list cannot be changed in place",
        "Assign a new",
    ),
    "list extended in place": (
        "x = [1]\nx += [2]  # here\nself.n = len(x)",
        "a list cannot be changed in place",
        "Assign a new",
    ),
    "list entry assigned": (
        "x = [1]\nx[0] = 2  # here\nself.n = x[0]",
        "[1] is not a part of the state",
        "Make a new value",
    ),
    "record changed in place": (
        "p = Point(x=1, on=True)\np.x = 2  # here\nself.point = p",
        "is not a part of the state and cannot be changed in place",
        "Make a new value",
    ),
    "entry changed in place": (
        "require(len(self.points) > 0)\nself.points[0].x = 2  # here",
        "this Point is a value, not a place in the state, and cannot be changed in place",
        "Write the whole record to its place.",
    ),
    "optional changed in place": (
        "require(self.optional is not None)\nself.optional.x = 2  # here",
        "an optional record read into a variable cannot be changed in place",
        "",
    ),
    "replaced since": (
        "old = self.point\nself.point = Point(x=1, on=False)\nself.n = old.x  # here",
        "this value of Point was replaced in the state since it was read",
        "Read it again",
    ),
    "strict zip": (
        "x = list(zip(self.log, self.log, strict=True))  # here",
        "zip cannot be strict here",
        "Compare the lengths",
    ),
    "zip of a set": (
        "x = list(zip(self.numbers, self.log))  # here",
        "the length of what zip takes cannot depend",
        "Use a list.",
    ),
    "reversed set": ("x = list(reversed(self.numbers))  # here", "a set has no order and cannot be reversed", ""),
    "iterator stored": (
        "self.log = reversed(self.log)  # here",
        "an iterator that depends on the state is not a log",
        "",
    ),
    "length of an iterator": ("self.n = len(zip(self.log, self.log))  # here", "an iterator has no length", ""),
    "used up iterator": (
        "pairs = enumerate(self.log)\nx = list(pairs)\ny = list(pairs)  # here",
        "an iterator is used up after its first use",
        "Make it a list.",
    ),
    "method of a set": (
        "self.numbers = Set([1]).copy(self.numbers)  # here",
        "sets have no method copy",
        "",
    ),
    "set of different kinds": (
        "x = len({self.n, self.node})  # here",
        "the elements of this set are of different kinds",
        "Store",
    ),
    "union with a number": (
        "self.numbers = self.numbers | self.n  # here",
        "an integer that depends on the state is not a set",
        "",
    ),
    "length of a number": ("self.n = len(self.n)  # here", "an integer has no length", ""),
    "loop over a number": ("for i in self.n:  # here\n    pass", "an integer cannot be iterated", ""),
    "offset": ("self.n = self.log[self.node]  # here", "is not an offset", ""),
    "length to truncate to": ("self.log.truncate(self.flag == 2)  # here", "is not a length", ""),
    "sum of names": ("self.n = sum(self.table)  # here", "n1 is not a number", ""),
    "target": (
        "self.n = sum(a for (a, (b, c)) in [(1, (2, 3))])  # here",
        "this target of a comprehension",
        "Use plain names, each once.",
    ),
    "name of a later for": (
        "a = 1\nself.n = sum(b for b in self.log if a > 0 for a in self.log)  # here",
        "a name that a later for of the same comprehension binds",
        "Use another name.",
    ),
    "name of a later for, in its source": (
        "a = 1\nself.n = sum(a for b in range(3) for a in range(a))  # here",
        "a name that a later for of the same comprehension binds",
        "Use another name.",
    ),
    "taken apart": ("self.n = sum(a for a, b in self.log)  # here", "cannot be taken apart into 2 names", ""),
    "super": ("super().act()  # here", "no base class has a method 'act'", ""),
    "write in an operand": (
        "x = [self.log.append(n) for n in self.log]  # here",
        "the state is changed inside an operand or a comprehension",
        "Assign in a statement of its own",
    ),
    "require in a comprehension": (
        "x = [require(n > 1) for n in self.log]  # here",
        "require stands inside an operand or a comprehension",
        "Write require(...) as a statement of its own.",
    ),
    "output": (
        "print(1)  # here",
        "print cannot be used in a rule: print is not part of the language: a rule depends on the state alone",
        "A rule depends on the state alone",
    ),
    "chance": (
        "self.n = random.randint(0, 1)  # here",
        "random cannot be used in a rule: the module random is not part of the language",
        "A rule depends on the state alone",
    ),
    "float": ("require(self.n == 0.5)  # here", "0.5 is compared with a value of the state", "Values are integers"),
    "text": ("require(self.color == 'red')  # here", "'red' is compared with a value of the state", "Values are"),
    "too wide": ("require(self.n * 2**61 * 3 > 1)  # here", "a value can exceed 62 bits", "Use smaller domains"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_rule_is_refused(load: Load, case: str) -> None:
    body, message, advice = REFUSALS[case]
    error = refused(load, action(body))
    assert message in error.message
    assert error.advice.startswith(advice)


# None where a value is needed: evaluation fails, also where the result would lie in its domain, in every reading.

GIVE = "@action\ndef give(self, v: Small) -> None:\n    self.maybe = v\n"
USED = {
    "self.n = self.maybe + 1": "unsupported operand type(s) for +: 'NoneType' and 'int'",
    "self.n = 1 + self.maybe": "unsupported operand type(s) for +: 'int' and 'NoneType'",
    "self.n += self.maybe": "unsupported operand type(s) for +=: 'int' and 'NoneType'",
    "self.n = self.maybe - v + 3": "unsupported operand type(s) for -: 'NoneType' and 'int'",
    "self.n = 1 - self.maybe": "unsupported operand type(s) for -: 'int' and 'NoneType'",
    "self.n = self.maybe * 2 + 2": "unsupported operand type(s) for *: 'NoneType' and 'int'",
    "self.n = self.maybe // 2 + 1": "unsupported operand type(s) for //: 'NoneType' and 'int'",
    "self.n = self.maybe % 2": "unsupported operand type(s) for %: 'NoneType' and 'int'",
    "self.n = -self.maybe": "bad operand type for unary -: 'NoneType'",
    "self.n = abs(self.maybe)": "bad operand type for abs(): 'NoneType'",
    "self.n = max(self.maybe, 1)": "'>' not supported between instances of 'int' and 'NoneType'",
    "self.n = min(self.maybe, 1) + 1": "'<' not supported between instances of 'int' and 'NoneType'",
    "self.n = max([1, self.maybe])": "'>' not supported between instances of 'NoneType' and 'int'",
    "self.n = sum([self.maybe]) + 1": "unsupported operand type(s) for +: 'int' and 'NoneType'",
    "self.n = sum(x for x in (2, self.maybe))": "unsupported operand type(s) for +: 'int' and 'NoneType'",
    "self.n = 1 + (self.maybe if v < 4 else 1)": "unsupported operand type(s) for +: 'int' and 'NoneType'",
    "self.flag = self.maybe < 2": "'<' not supported between instances of 'NoneType' and 'int'",
    "self.flag = self.maybe <= 2": "'<=' not supported between instances of 'NoneType' and 'int'",
    "self.flag = 2 > self.maybe": "'>' not supported between instances of 'int' and 'NoneType'",
    "self.flag = self.maybe >= v": "'>=' not supported between instances of 'NoneType' and 'int'",
    "self.flag = -2 < self.maybe < 2": "'<' not supported between instances of 'int' and 'NoneType'",
    "self.flag = self.maybe - 1 in self.numbers": "unsupported operand type(s) for -: 'NoneType' and 'int'",
    "require(self.maybe < 3)": "'<' not supported between instances of 'NoneType' and 'int'",
    "self.n = len(range(self.maybe))": "'NoneType' object cannot be interpreted as an integer",
    "self.log = [i for i in range(self.maybe, 1)]": "'NoneType' object cannot be interpreted as an integer",
    "self.n = self.log[self.maybe + 1] if v > 3 else self.log[self.maybe]": "None is not an offset",
    "self.log.truncate(self.maybe + 1)": "unsupported operand type(s) for +: 'NoneType' and 'int'",
    "self.n = self.maybe": "n: None is outside 0..3",
}


@pytest.mark.parametrize("body", USED)
def test_none_used_as_a_value_fails(load: Load, body: str) -> None:
    specification = load(rules(body, GIVE)).Spec()
    native = NativeBackend(specification)
    (nothing,) = specification.initial_states()
    raised = []
    for reading in (specification, native):
        with pytest.raises(EvaluationError) as caught:
            list(reading.successors(nothing))
        raised.append((caught.value.message, caught.value.where))
    assert raised[0] == raised[1]
    assert USED[body] in raised[0][0]


@pytest.mark.parametrize("body", USED)
def test_a_value_that_may_be_none_is_used_where_it_is_there(load: Load, body: str) -> None:
    """The same steps, or the same failure for another reason."""
    specification = load(rules(body, GIVE)).Spec()
    native = NativeBackend(specification)
    (nothing,) = specification.initial_states()
    given = [after for made, after in specification.outcomes(nothing) if made.action.name == "give"]
    assert len(given) == 4
    for codes in given:
        assert isinstance(codes, tuple)
        python = list(specification.outcomes(codes))
        if all(isinstance(after, tuple) for _, after in python):
            assert native.successors(codes) == python
        else:
            with pytest.raises(EvaluationError):
                native.successors(codes)


GUARDED = "require(self.maybe is not None and self.maybe > 0 or v > 0 and on)\nself.n = self.maybe or v"


def test_none_that_is_asked_for_first_does_not_fail(load: Load) -> None:
    assert agree(load(rules(GUARDED, GIVE)).Spec) == 22


# What is outside the language is refused with its line and what to write instead.

STATEMENTS = {
    ast.Try: "try:  # here\n    self.n = 1\nexcept ValueError:\n    self.n = 2",
    ast.With: "with open('x') as f:  # here\n    self.n = 1",
    ast.Raise: "raise ValueError  # here",
    ast.Assert: "assert self.n == 1  # here",
    ast.Global: "global N  # here\nN = 1",
    ast.Import: "import os  # here\nself.n = 1",
    ast.ImportFrom: "from os import path  # here\nself.n = 1",
    ast.Delete: "x = 1\ndel x  # here",
    ast.AsyncFunctionDef: "async def inner() -> int:  # here\n    return 1\nself.n = 1",
    ast.ClassDef: "class Inner:  # here\n    pass\nself.n = 1",
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
