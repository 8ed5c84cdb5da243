"""What a rule does not allow, although each of its words is in the language: refused with its line and an advice."""

from __future__ import annotations

import pytest

from tests.spec.language.snippets import Load, action, refused

REFUSALS = {
    "connective and": (
        "if (self.n > 1) & self.flag:  # here\n    self.n = 1",
        "& and | bind tighter",
        "Write and, or, not.",
    ),
    "connective or": ("require((self.n > 1) | self.flag)  # here", "& and | bind tighter", "Write and, or, not."),
    "while": (
        "i = self.n\nwhile i > 0:  # here\n    i -= 1",
        "the condition of this while depends on the state",
        "Write a for loop over a finite domain or a range.",
    ),
    "while without end": (
        "i = 1\nwhile i > 0:\n    i += 1  # here",
        "go round more than 100,000 times, if they end at all",
        "Write a for loop over a finite domain or a range.",
    ),
    "else after while": (
        "i = 1\nwhile i > 0:  # here\n    i -= 1\nelse:\n    i = 3",
        "return or else in a while",
        "Assign a",
    ),
    "return in while": ("i = 1\nwhile i > 0:  # here\n    return", "return or else in a while", "Assign a variable"),
    "return in for": (
        "for n in self.table:  # here\n    if self.table[n] > 1:\n        return",
        "return inside a for loop",
        "Use next",
    ),
    "else after for": (
        "for n in self.table:  # here\n    pass\nelse:\n    self.n = 1",
        "else after for",
        "Write the statements",
    ),
    "list by state": (
        "limits = [1, 2, 3, 0]\nself.n = limits[self.n]  # here",
        "a Python list or range cannot be indexed or sized by a value that depends on the state",
        "Use a Map or a Log of the state, or a conditional expression.",
    ),
    "dictionary by state": (
        "self.n = {0: 1, 1: 2}[self.n]  # here",
        "a Python dictionary or set cannot be searched",
        "Use a Map",
    ),
    "expression indexed": (
        "self.n = self.n[0]  # here",
        "an integer that depends on the state cannot be indexed",
        "Index a Map",
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
        "Write self.log.truncate(length): a log shrinks at its end.",
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
    "arithmetic on booleans": ("self.n = self.flag + 1  # here", "this operator is not defined for a truth value", ""),
    "power": ("self.n = self.n**2  # here", "this operator is not defined for an integer", ""),
    "division by state": ("self.n = 3 // self.n  # here", "// and % need a positive constant on the right", ""),
    "division by variable": ("self.n = self.n // self.n  # here", "// and % need a positive constant on the right", ""),
    "division by negative": ("self.n = self.n % -2  # here", "// and % need a positive constant on the right", ""),
    "is": ("require(self.n is self.n)  # here", "is compares with None only", "Write == instead."),
    "a Python function": (
        "self.n = round(self.n)  # here",
        "round cannot be called with values that depend on the state",
        "Use all",
    ),
    "a Python method": ("self.n = (1, 2).index(self.n)  # here", "index cannot be called with values", "Use all"),
    "unpacking": (
        "a, b = self.numbers  # here",
        "this use iterates over a value that depends on the state",
        "Use a for loop",
    ),
    "key argument": ("self.n = min(self.numbers, key=abs)  # here", "min and max take no key here", ""),
    "minimum of names": ("self.node = min(self.table)  # here", "n1 is not a number", ""),
    "range with a step": (
        "for i in range(0, self.n, 2):  # here\n    pass",
        "a range that depends on the state takes no step",
        "",
    ),
    "index of a list": (
        "self.n = [n for n in self.log if n > 1][0]  # here",
        "a list that depends on the state cannot be",
        "Index",
    ),
    "comparison of a list": (
        "require([n for n in self.log if n > 1] == [])  # here",
        "a list cannot be compared",
        "Compare its",
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
    "keywords": (
        "self.n = self.helper(**{'value': 1})  # here",
        "the specification language does not have a ** argument",
        "Name",
    ),
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
