"""What hides from a compiler: failures that nobody comes to, equal values that differ, names of something else."""

from __future__ import annotations

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.values.collections import SymMaybeStruct, SymStruct
from epochal.checker.compile.values.places import StructReference
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.solver.bounded import BoundedOptions, bounded_search
from epochal.spec.language import EvaluationError, LanguageError
from tests.spec.language.snippets import Load
from tests.spec.language.test_traps import agree, rules

FILL = "    @action\n    def fill(self, v: Small) -> None:\n        self.log = [v]\n        self.n = v\n"
BESIDE = """\
import functools
import math
import sys
from collections import namedtuple
from dataclasses import field

MODE = "fast"
ORDERS = ({1: 0, 2: 0}, {2: 0, 1: 0})
Q = namedtuple("Q", "a b")


class Named(Q):
    def __new__(cls, a, b):
        return super().__new__(cls, b, a)


class Stored(Q):
    def __init__(self, a, b):
        STORE.append(a)


class Inherited(Stored):
    pass


@dataclass(frozen=True)
class Rule:
    most: int
    extra: int = field(compare=False, default=0)


@dataclass
class Set_:
    x: int


Set_.x = property(lambda self: 1, lambda self, x: STORE.append(x))
STORE = []
ONE, TWO = Rule(1, 1), Rule(1, 2)


class Message(Struct):
    kind: Small
    type: bool


def two():
    return 2


class Holder:
    def pick(self):
        return 1

    @functools.cached_property
    def kept(self):
        return self.least


HOLDER = Holder()
HOLDER.pick = two
HOLDER.least = 1
HOLDER.kept
HOLDER.least = 2


class Counts:
    def __add__(self, other):
        STORE.append(other)
        return len(STORE)


DICE = Counts()
DEEP = [[[[[[[[[[DICE]]]]]]]]]]


class Lazy(type(sys)):
    def __getattr__(self, name):
        STORE.append(name)
        return len(STORE)


@functools.cache
def same(x, y):
    return x


def answers(text):
    module = Lazy("lazy")
    return module


LAZY = answers("")


def truth(bool):
    return bool(2)


def twice(n):
    return 2 * n


def kinds(kind, type, token, function, owner):
    return kind + type + token + function + owner


"""


def specification(body: str, beside: str = "") -> str:
    """A specification with more around it than usual."""
    return BESIDE + rules(body, beside) + FILL


READ = {
    "an entry that is not asked for": "self.flag = any(self.log[i] > 0 for i in range(3))",
    "not all of them": "self.flag = not all(1 // (v - i) < 0 for i in range(3))",
    "in a generator": "self.flag = v in (2 // q + self.n - 1 for q in (2, 0))",
    "the next of them": "self.n = next((i for i in range(3) if self.log[i] > 1), 3)",
    "one inside the other": "self.flag = any(any(self.log[i] > j for j in range(2)) for i in range(2))",
    "a text that is known": "self.n = 1 if MODE == 'fast' else 2\nself.flag = (MODE, 1) == ('fast', 1) and None != 'a'",
    "a comparison in a chain": "self.flag = 0 < self.n < v < 3",
    "a field that a data class does not compare": "self.n = ONE.extra if self.flag else TWO.extra\nself.flag = on",
    "fields with names of the checker": "m = Message(kind=v, type=on)\nself.n, self.flag = m.kind, m.type",
    "parameters with names of the checker": "self.n = min(kinds(kind=v, type=1, token=0, function=0, owner=0), 3)",
    "a function on an object": "self.n = HOLDER.pick()",
    "a value that was cached": "self.n = HOLDER.kept",
    "one of two equal tuples": "q = (Q(2, 1) if self.flag else Q(1, v)).b\nself.n = q\nself.flag = on",
    "a name that means something else": "self.flag = truth(twice) == 4",
}


@pytest.mark.parametrize("case", READ)
def test_it_is_read_as_python_reads_it(load: Load, case: str) -> None:
    assert agree(load(specification(READ[case])).Spec) in (0, 22, 30, 75)


def test_what_is_not_asked_for_is_found_by_z3_too(load: Load) -> None:
    """It ended the rule once, and a violation with it."""
    module = load(
        specification(
            "self.flag = any(self.log[i] > 1 for i in range(3))",
            "def initial(self) -> None:\n    self.log = [2]\n\n"
            "@invariant\ndef never(self) -> bool:\n    return not self.flag\n",
        )
    )
    found = breadth_first.check(module.Spec(), Options())
    assert [(p.verdict, p.length) for p in found.properties] == [("violated", 2)]
    (judged,) = bounded_search(module.Spec(), BoundedOptions(length=1)).properties
    assert judged.verdict == "violated"


MIXED = "a variable to which the branches give different kinds of values"
REFUSED = {
    "an effect in a chain": ("self.flag = 0 < self.n < self.change()", "the state is changed inside an operand"),
    "dictionaries in two orders": ("d = ORDERS[0] if self.flag else ORDERS[1]\nself.n = [q for q in d][0]", MIXED),
    "True and 1 in a record": ("p = Point(x=1, on=on) if self.flag else Point(x=True, on=on)\nself.n = p.x", MIXED),
    "data that differs where it is not compared": ("self.n = (ONE if self.flag else TWO).extra", MIXED),
    "two zeros": ("x = 0.0 if self.flag else -0.0\nself.n = 1 if math.copysign(1, x) > 0 else 2", "copysign"),
    "a named tuple or none": ("q = Q(2, 1) if self.flag else (2, 1)\nself.n = q[0]", MIXED),
    "a function with a memory": ("self.n = same(v, 0)", "it keeps what it has computed"),
    "super in a comprehension": ("self.flag = any(super().ok(q) for q in self.log)", "super() inside a comprehension"),
    "a name that a comprehension binds, outside it": (
        "self.flag = any(DICE > 1 for DICE in self.log)\nself.n = (DICE + 0) % 4",
        "DICE cannot be used in a rule",
    ),
    "what is hidden deep inside": ("self.n = (DEEP[0][0][0][0][0][0][0][0][0][0] + 0) % 4", "nested more than 8 deep"),
    "a module that answers": ("self.n = LAZY.count", "has no attribute 'count' that a rule can use"),
    "a named tuple that is made in a way of its own": ("self.n = Named(v, 1).a", "Named is not part of the language"),
    "what is done when it is made": ("self.n = Inherited(v, 1).a", "Inherited is not part of the language"),
    "what is done when a field is set": ("self.n = Set_(v).x", "Set_ is not part of the language"),
    "a great factorial": ("self.n = math.factorial(10**8) % 4", "factorial would go through more than 100,000 values"),
    "a long range": ("self.flag = 1.5 in range(10**10)", "1.5 is looked for in a long range"),
    "a float in a range of the state": (
        "self.flag = 1.0 in range(self.n)",
        "1.0 is looked for in a range of the state",
    ),
    "a complex number in one": ("self.flag = (1+0j) not in range(v, len(self.log))", "is looked for in a range"),
    "a long range of something": ("self.n = math.prod(range(10**9))", "prod would go through more than 100,000 values"),
    "an argument too many": ("require(on, v)", "require is not called with these arguments"),
    "divided by the state": ("self.n = 5 // (self.n * 30 - 1)", "this division has more than 64 possible values"),
    "a number that is none": ("self.flag = self.n < math.inf", "between instances of an integer and 'float'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused(load: Load, case: str) -> None:
    body, message = REFUSED[case]
    module = load(specification(body, "def change(self) -> int:\n    self.n = 0\n    return 3\n"))
    with pytest.raises(LanguageError) as caught:
        compile_protocol(module.Spec())
    assert message in caught.value.message
    assert caught.value.advice and caught.value.where is not None
    assert caught.value.where.file.endswith(module.path.name)


@pytest.mark.parametrize(
    "beside",
    [
        "two.__code__ = two.__code__.replace(co_consts=(None, 3))\n",
        "text = chr(10) * (two.__code__.co_firstlineno - 1) + 'def two():\\n    return 3\\n'\n"
        "exec(compile(text, __file__, 'exec'))\n",
    ],
)
def test_code_that_is_not_that_of_the_source(load: Load, beside: str) -> None:
    module = load("def two():\n    return 2\n\n\n" + beside + "\n\n" + rules("self.n = two()"))
    with pytest.raises(LanguageError, match="two does something else than what its source says"):
        compile_protocol(module.Spec())


def test_a_name_without_a_value(load: Load) -> None:
    module = load(
        "def make():\n    def extra(self):\n        return q < 1\n    return extra\n    q = 1\n\n\n"
        + rules("self.n = v")
        + "    extra = invariant(make())\n"
    )
    with pytest.raises(LanguageError, match="q has no value in extra"):
        compile_protocol(module.Spec())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("self.n = math.factorial(2000)", "an integer of 19,053 bits is outside 0..3"),
        ("q = 0\nfor _ in range(60):\n    q = (q, q)\nself.n = q", "((((((...), "),
    ],
)
def test_great_values_are_shown_in_short(load: Load, body: str, message: str) -> None:
    module = load(specification(body))
    try:
        error = breadth_first.check(module.Spec(), Options()).error
    except LanguageError as refused:
        told = refused.message
    else:
        assert error is not None
        told = error.message
        with pytest.raises(EvaluationError, match="integer of"):
            module.Spec().step(module.Spec(), module.Spec().instances[0])
    assert message in told and len(told) < 3_000


RECORD_NAMES = sorted(
    {
        name
        for kind in (SymStruct, SymMaybeStruct, StructReference)
        for name in (*dir(kind), *(name for base in kind.__mro__ for name in vars(base).get("__annotations__", ())))
        if not name.startswith("_")
    }
)
"""What the compiler calls the parts and the methods of its own records."""


def test_fields_may_have_any_name_of_the_compilers_records(load: Load) -> None:
    """A rule that reads or writes such a field gets the field: of a place, of a choice, and of a record or none."""
    assert {"present", "record", "truth", "family", "place"} <= set(RECORD_NAMES)
    fields = "".join(f"    {name}: bool\n" for name in RECORD_NAMES)
    given = ", ".join(f"{name}=v" for name in RECORD_NAMES)
    body = "".join(f"        self.odd.{name} = v\n" for name in RECORD_NAMES)
    read = " and ".join(f"chosen.{name} == maybe.{name} == self.odd.{name}" for name in RECORD_NAMES)
    text = (
        f"class Odd(Struct):\n{fields}\n\nclass Spec(Protocol):\n    odd: Odd\n    other: Odd\n    maybe: Odd | None\n"
        f"    same: bool\n\n    @action\n    def act(self, v: bool) -> None:\n{body}"
        f"        self.maybe = Odd({given})\n        maybe = self.maybe\n"
        f"        chosen = self.odd if self.same else self.other\n        self.same = {read}\n"
    )
    assert agree(load(text).Spec) in (0, 22)


@pytest.mark.parametrize("method", ["truth", "guarded", "length", "smallest_domain", "members", "hashable", "family"])
@pytest.mark.parametrize("value", ["self.numbers", "self.log", "self.table", "self.n", "self.node", "self.maybe"])
def test_methods_of_the_compilers_values_are_no_words_of_the_language(load: Load, value: str, method: str) -> None:
    """A rule cannot reach them, whatever it calls."""
    with pytest.raises(LanguageError, match=f"has no attribute '{method}'"):
        compile_protocol(load(rules(f"self.flag = {value}.{method}() == v")).Spec())
