"""Traps: what is innocently written and could be read in two ways. Read alike in every reading, or refused."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.native.backend import NativeBackend
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
from epochal.checker.semantics.semantics import Codes
from epochal.exit_codes import ExitCode
from epochal.spec.language import LanguageError, Protocol
from tests.spec.language.snippets import HEAD, STATE, Load


def rules(body: str, beside: str = "") -> str:
    """A specification with one action and what else stands in its class."""
    act = "    @action\n    def act(self, v: Small, on: bool) -> None:\n" + textwrap.indent(
        textwrap.dedent(body), " " * 8
    )
    return STATE + act + "\n" + textwrap.indent(textwrap.dedent(beside), "    ")


def agree(protocol: type[Protocol]) -> ExitCode:
    """Assert that both engines find the same; the exit code."""
    options = Options(all_violations=True, max_states=3_000)
    one, other = breadth_first.check(protocol(), options), reference_engine.check(protocol(), options)
    assert (one.distinct_states, one.state_digest, one.step_digest) == (
        other.distinct_states,
        other.state_digest,
        other.step_digest,
    )
    verdicts = [[(p.member.name, p.verdict, p.length) for p in result.properties] for result in (one, other)]
    assert verdicts[0] == verdicts[1]
    assert one.exit_code == other.exit_code
    return one.exit_code


READ = {
    "entries after an append": rules(
        """\
        require(len(self.log) < 2)
        self.log.append(v)
        self.flag = sum(self.log) > 2
        require(all(e != 2 for e in self.log))
        """,
        """\
        @action_property
        def entries_stay(self, new: Self) -> bool:
            return all(e in new.log for e in self.log)
        """,
    ),
    "equality, last and index after an append": rules(
        """\
        require(len(self.log) < 2)
        self.log.append(v)
        self.n = self.log[len(self.log) - 1] if self.log == [v, v] else self.log.last
        self.flag = self.log == [1, 2] or len([e for e in reversed(self.log)]) == v
        """
    ),
    "an append after a truncation": rules(
        """\
        require(len(self.log) > 0)
        self.log.truncate(len(self.log) - 1)
        self.log.append(v)
        self.log = self.log if on else [v]
        self.flag = v in self.log
        """,
        """\
        @action
        def add(self, v: Small) -> None:
            require(len(self.log) < 2)
            self.log.append(v)
        """,
    ),
    "a generator over a log": rules(
        """\
        require(len(self.log) < 2)
        self.log.append(v)
        entries = (e for e in self.log)
        self.log.truncate(0)
        self.n = min(sum(entries), 3)
        """
    ),
    "a record chosen in a branch that changes it": rules(
        """\
        if on:
            p = self.point
        else:
            self.point.x = v
            p = Point(x=1, on=True)
        self.optional = p
        """
    ),
    "an optional truth value is a number": rules(
        "self.flag = self.maybe == on\nself.n = 1 if {True: self.flag, False: on}[True] == 1 else 2"
    ),
    "a name of the rule that is a name in it": STATE
    + "    @action\n    def Color_(self) -> None:\n        self.color = Color.BLUE\n\n    @action\n"
    + "    def random(self) -> None:\n        _then_1 = 3\n        if self.flag:\n            self.n = _then_1\n"
    + "        else:\n            self.flag = True\n",
    "a Set of a union": rules(
        """\
        both = Set({v, 1} | self.numbers)
        self.n = next(x for x in both)
        self.numbers = Set([v]).union(self.numbers) - frozenset([3])
        """
    ),
    "a text in a text": rules("self.flag = 'b' in 'abc' and 'bd' not in 'abc' and on"),
    "a tuple of conditions": rules("x, y = (1 if on else 2) + 0, self.n\nself.n = x if y > 1 else min(x + y, 3)"),
    "none in a range": rules("self.flag = self.maybe in range(v)\nself.maybe = v if on else None"),
    "a sum of what is there": rules(
        "self.maybe = v if on else None\nself.n = min(sum(x for x in (self.maybe, 1) if x is not None), 3)"
    ),
}


@pytest.mark.parametrize("case", READ)
def test_trap_is_read_as_python_reads_it(load: Load, case: str) -> None:
    assert agree(load(READ[case]).Spec) in (0, 12, 22)


FAILING = {
    "division by a parameter": "if on:\n    self.n = 1 // v\nelse:\n    self.n = 2\nself.flag = True",
    "entry of a tuple": "if self.flag:\n    self.n = (1, 2)[v]\nelse:\n    self.n = 2\nself.flag = on",
    "entry of a dictionary": "self.n = {0: 1}[v] if self.flag else 3\nself.flag = True",
    "operand": "self.flag = self.n > 1 or 2 % v == 1\nself.n = v",
    "element": "self.flag = all((1, 2)[i] > 0 for i in range(self.n))\nself.n = v",
}


@pytest.mark.parametrize("case", FAILING)
def test_what_fails_with_known_values_fails_where_a_run_comes_to_it(load: Load, case: str) -> None:
    """And nowhere else: the steps on the other paths are the same."""
    module = load(rules(FAILING[case]))
    specification = module.Spec()
    readings = NativeBackend(specification)
    seen: set[Codes] = set()
    failed = 0
    pending = specification.initial_states()
    while pending and len(seen) < 40:
        codes = pending.pop()
        seen.add(codes)
        python = list(specification.outcomes(codes))
        good = [(instance, after) for instance, after in python if isinstance(after, tuple)]
        failed += len(python) - len(good)
        if len(python) == len(good):
            assert readings.successors(codes) == good
        pending += [after for _, after in good if after not in seen]
    assert failed
    assert agree(module.Spec) == 75


def test_what_fails_in_python_fails(load: Load) -> None:
    """A helper that is called with what is known fails where a run comes to it, and not before."""
    beside = "@staticmethod\ndef first(q: int) -> int:\n    return next(v for v in [])"
    assert agree(load(rules("if v == 1:\n    self.n = self.first(0)", beside)).Spec) == 75


COUNTER = """\
class Counter:
    n = 0

    def __call__(self) -> int:
        self.n += 1
        return self.n


class Dice:
    @property
    def thrown(self) -> int:
        return random.randint(0, 1)

    def __add__(self, other: int) -> int:
        return random.randint(0, 1)


COUNTER = Counter()
DICE = Dice()
SEEN = []


def grow(to, value):
    to |= {value}


"""

REFUSED = {
    "record by next": (
        rules(
            "p = next((p for p in self.points if p.on), self.point)\nself.point.x = v\nself.optional = p",
        ),
        "this Point is a record of the state, chosen before a part of it was changed",
    ),
    "record by or": (
        rules("p = self.optional or self.point\nself.point.x = v\nself.optional = p"),
        "this Point is a record of the state, chosen before a part of it was changed",
    ),
    "record in a tuple": (
        rules("q = self.point\nself.point.x, self.optional = v, q"),
        "this Point is a record of the state, chosen before a part of it was changed",
    ),
    "set of records": (
        rules("both = {self.point, Point(x=1, on=on)}\nself.point.x = v\nself.n = len(both)"),
        "this Point is a record of the state, chosen before a part of it was changed",
    ),
    "order of a set comprehension": (
        rules("for x in {y for y in self.numbers if y > 1}:\n    self.n = x"),
        "Python defines no order for the elements of a plain set",
    ),
    "order of a constant set": (
        COUNTER + "BOTH = frozenset({1, 2})\n\n\n" + rules("self.n = list(BOTH)[0]"),
        "Python defines no order for the elements of a plain set",
    ),
    "order of a union": (
        rules("self.n = next((x for x in {3, 1} | self.numbers), 0)"),
        "Python defines no order for the elements of a plain set",
    ),
    "parts of a set": (rules("x, y = {3, 1}\nself.n = x"), "Python defines no order for the elements of a plain set"),
    "set of a caller": (
        COUNTER + rules("seen = {self.n}\ngrow(seen, v)\nself.numbers = seen"),
        "a plain set is changed in place by this",
    ),
    "helper with a memory": (
        COUNTER + rules("self.n = min(COUNTER(), 3)"),
        "a Counter is not a part of the state and cannot be changed in place",
    ),
    "property with chance": (
        COUNTER + rules("self.n = DICE.thrown"),
        "DICE cannot be used in a rule: Dice defines __add__",
    ),
    "list by its class": (
        COUNTER + rules("list.append(SEEN, 1)\nself.n = min(len(SEEN), 3)"),
        "list has no attribute 'append' that a rule can use",
    ),
    "texts": (rules("self.flag = len('%s' % self.n) > 3"), "the specification language does not have formatted texts"),
    "class of a value": (rules("self.flag = self.n.__class__ != int"), "does not have the name __class__"),
    "dictionary of the state": (rules("self.flag = len(self.__dict__) > 3"), "does not have the name __dict__"),
    "length of a log": (rules("self.n = self.log.length()"), "has no attribute 'length'"),
    "slot of a log": (rules("self.n = self.log.slot(0)"), "has no attribute 'slot'"),
    "none of an optional": (rules("self.flag = self.maybe.is_none()"), "has no attribute 'is_none'"),
    "expression of a set": (rules("self.flag = self.numbers.expression is None"), "has no attribute 'expression'"),
    "codes of the state": (rules("self.flag = len(self.codes()) > 3"), "Spec has no variable or method 'codes'"),
    "private helper": (
        rules("self.n = self.__helper()", "def __helper(self) -> int:\n    return 1"),
        "the specification language does not have the name __helper",
    ),
    "huge power": (rules("self.n = 10 ** (10**9) % 4"), "a value can exceed 62 bits"),
    "huge list": (rules("self.n = len([1] * 10**10) % 4"), "a result of more than 100,000 elements"),
    "attribute of a log": (rules("self.log.name = 1"), "is not a part of the state and cannot be changed in place"),
    "list in a set": (rules("self.flag = [1] in self.numbers"), "are no elements of sets and no keys"),
    "map of a log": (rules("self.flag = self.log in {1, 2}"), "are no elements of sets and no keys"),
    "a class that is asked": (rules("self.flag = self.color in Color"), "a class is asked whether it has a value"),
    "a target named twice": (
        rules("self.flag = all(x < 2 for x, x in zip(self.log, self.log))"),
        "does not have this target of a comprehension",
    ),
    "index by an optional truth value": (
        STATE.replace("    maybe: Small | None", "    maybe: Small | None\n    truth: bool | None")
        + "    @action\n    def act(self) -> None:\n        self.n = self.log[self.truth]\n",
        "is not an offset",
    ),
    "read where it may not be assigned": (
        rules("if on:\n    p = v\nq = p\nself.n = v"),
        "a variable is read that is not assigned on every path",
    ),
    "a plain set as a key": (
        STATE.replace("    maybe: Small | None", "    maybe: Small | None\n    sets: Map[Set[Small], Small]")
        + "    @action\n    def act(self, v: Small) -> None:\n        self.sets[{v}] = 1\n",
        "a plain set is no key",
    ),
    "next of a list": (rules("self.n = next([1, 2])"), "next takes a generator"),
    "reversed generator": (
        rules("self.log = list(reversed(e for e in self.log))"),
        "a generator cannot be reversed",
    ),
    "default beside several": (rules("self.n = max(self.n, 1, default=0)"), "max of these takes no default"),
    "chance in initial": (
        STATE + "    def initial(self) -> None:\n        self.n = random.randint(0, 1)\n",
        "random cannot be used in a rule: the module random is not part of the language",
    ),
    "output in initial": (
        STATE + "    def initial(self) -> None:\n        print(1)\n",
        "print cannot be used in a rule",
    ),
    "many returns": (
        rules(
            "".join(f"if self.n == {i % 4}:\n    if self.flag:\n        return\n" for i in range(24)) + "self.n = v\n"
        ),
        "what follows an if that may return is written out for each way to get there, which is more than 1,000 times",
    ),
    "many branches": (
        rules("if v == 0:\n    self.n = 0\n" + "".join(f"elif v == {i}:\n    self.n = 1\n" for i in range(1, 900))),
        "does not have statements that are nested more than 80 deep",
    ),
    "a deep expression": (rules("self.n = 1" + " + 0" * 600), "an expression is nested too deeply"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_trap_is_refused(load: Load, case: str) -> None:
    text, message = REFUSED[case]
    module = load(text)
    with pytest.raises(LanguageError) as caught:
        compile_protocol(module.Spec())
    assert message in caught.value.message
    assert caught.value.advice
    assert caught.value.where is not None
    assert caught.value.where.file.endswith(module.path.name)
    assert " at 0x" not in str(caught.value)


CLASSES = {
    "record": (
        "class Own(Struct):\n    x: Small\n\n    def __eq__(self, other: object) -> bool:\n        return True\n",
        "__eq__",
    ),
    "truth of a record": (
        "class Own(Struct):\n    x: Small\n\n    def __bool__(self) -> bool:\n        return False\n",
        "__bool__",
    ),
    "making of a record": (
        "class Own(Struct):\n    x: Small\n\n    def __init__(self) -> None:\n        pass\n",
        "__init__",
    ),
    "protocol": (
        "class Own(Protocol):\n    x: Small\n\n    def __setattr__(self, name: str, to: Any) -> None:\n        pass\n",
        "__setattr__",
    ),
    "mixin": (
        "class Mixed:\n    def __getattribute__(self, name: str) -> Any:\n        return 1\n\n\n"
        "class Own(Mixed, Struct):\n    x: Small\n",
        "__getattribute__",
    ),
    "enumeration": (
        "class Kind(enum.Enum):\n    A = 1\n\n    def __bool__(self) -> bool:\n        return False\n\n\n"
        "class Own(Protocol):\n    x: Kind\n\n\nOwn()\n",
        "__bool__",
    ),
}


@pytest.mark.parametrize("case", CLASSES)
def test_class_with_operators_of_its_own_is_refused(load: Load, case: str) -> None:
    text, hook = CLASSES[case]
    with pytest.raises(LanguageError, match=f"defines {hook}, and would have a meaning of its own") as caught:
        load(text)
    assert caught.value.where is not None and caught.value.where.function == hook
    assert caught.value.advice.startswith("Write a helper")


def test_protocol_without_variables_is_refused(load: Load) -> None:
    module = load("class Spec(Protocol):\n    @action\n    def act(self) -> None:\n        pass\n")
    with pytest.raises(LanguageError, match="Spec declares no state variable") as caught:
        compile_protocol(module.Spec())
    assert caught.value.where is not None and caught.value.where.function == "Spec"
    assert caught.value.advice == "Annotate one: count: bool"


def test_3000_statements(load: Load) -> None:
    assert agree(load(rules("self.n = v\n" * 3_000)).Spec) == 22


SEEDED = HEAD + rules(
    "for color in Set({Color.BLUE, Color.RED}):\n    self.color = color\nself.numbers = {v, 3} | self.numbers",
    "@invariant\ndef red(self) -> bool:\n    return len({self.color, Color.RED}) == 1",
)
RUN = """\
import sys
sys.path.insert(0, sys.argv[1])
import seeded
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
found = reference_engine.check(seeded.Spec(), Options(all_violations=True, max_states=500))
print(found.distinct_states, found.state_digest, found.step_digest, found.exit_code)
"""


def test_python_engine_does_not_depend_on_hashes(tmp_path: Path) -> None:
    (tmp_path / "seeded.py").write_text(SEEDED, encoding="utf-8")
    said = {
        subprocess.run(
            [sys.executable, "-c", RUN, str(tmp_path)],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            cwd=Path(__file__).resolve().parents[3],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(said) == 1 and said.pop().strip()
