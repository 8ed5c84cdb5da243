"""What is wrong with a declaration is said when the specification is loaded or compiled: annotations, bounds, names."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path
from typing import Annotated

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.spec.language import (
    Bounds,
    BoundsError,
    Capacity,
    EvaluationError,
    Given,
    Identifier,
    Identifiers,
    Integers,
    LanguageError,
    LoadError,
    Log,
    Protocol,
    SourceLine,
    SpecificationError,
    action,
    bound,
)
from epochal.spec.language.errors import shown_path
from epochal.spec.registry import registered
from tests.spec.language.snippets import Load, line_of

WIDE = "class Wide(Struct):\n    a: Small\n    b: Small\n    c: Annotated[int, Integers(0, 4)]\n\n\n"

DECLARATIONS = {
    "int": ("x: int", "Spec.x: int is unbounded", "Write Annotated[int, Integers(low, high)]."),
    "str": ("x: str", "Spec.x: <class 'str'> is not a domain", "Use bool, an Enum, a Struct"),
    "list": (
        "x: list[bool]",
        "Spec.x: list[bool] is not a domain",
        "Write Annotated[Log[bool], Capacity(n)], or Set[bool] where",
    ),
    "dict": (
        "x: dict[Node, bool]",
        "Spec.x: dict[.., bool] is not a domain",
        "Write Map[.., bool], which has a value for every key.",
    ),
    "plain set": ("x: set[Color]", "Spec.x: set[Color] is not a domain", "Write Set[Color]."),
    "log without capacity": (
        "x: Log[Small]",
        "Spec.x: a log needs a capacity",
        "Write Annotated[Log[Entry], Capacity(",
    ),
    "bare log": ("x: Log", "Spec.x: a log needs a capacity", "Write"),
    "log of logs": (
        "x: Annotated[Log[Annotated[Log[Small], Capacity(2)]], Capacity(2)]",
        "the entries of a log are scalars or records, not logs of at most 2 0..3",
        "",
    ),
    "log without room": ("x: Annotated[Log[Small], Capacity(0)]", "a log has room for 1 to 4,096 entries, not 0", ""),
    "no integers": ("x: Annotated[int, Integers(3, 2)]", "no integer lies between 3 and 2", ""),
    "no identifiers": (
        'x: Annotated[Identifier, Identifiers("n", 0)]',
        "0 names n1, n2, ...: 1 to 4,096 are possible",
        "",
    ),
    "map keyed by records": ("x: Map[Point, Small]", "Spec.x: the keys of a map must be scalars, not Point", ""),
    "union": ("x: Small | Node", "Spec.x: of unions only X | None and those of records are domains", "Write a record"),
    "three of a union": ("x: Small | Node | None", "Spec.x: of unions only X | None and those of records", ""),
    "optional map": ("x: Map[Node, Small] | None", "Spec.x: only scalars and records can be optional", ""),
    "optional set": ("x: Set[Node] | None", "Spec.x: a set cannot be optional", "Use the empty set"),
    "large set": (
        "x: Set[Wide]",
        "a set over Wide has 80 possible elements; at most 64 fit",
        "Use smaller bounds, or a map from part of the element to a set of the rest.",
    ),
    "set of maps": (
        "x: Set[Map[Node, Small]]",
        "a set cannot have maps from n1..n2 to 0..3 as elements",
        "Elements are scalars",
    ),
    "empty record": ("x: Empty", "Empty has no fields", ""),
    "variant": ("x: Variant", "Variant has exactly the fields tag and value", "Rename one of the fields."),
    "empty enumeration": ("x: Nothing", "Nothing has no members", ""),
    "enumeration of numbers": ("x: Numbered", "Numbered mixes an enumeration with another type", "Derive it from enum"),
    "limits": ("x: Annotated[int, Integers(0, 1.5)]", "the limits of Integers are whole numbers, not 0 and 1.5", ""),
    "large log": ("x: Annotated[Log[Small], Capacity(5000)]", "a log has room for 1 to 4,096 entries, not 5000", ""),
    "field": ("x: Bad", "Bad.y: int is unbounded", "Write Annotated"),
    "unknown name": (
        "x: Unknown",
        "the annotations of Spec cannot be evaluated: name 'Unknown' is not defined",
        "Import",
    ),
    "unknown name of a field": ("x: Worse", "the annotations of Worse cannot be evaluated", "Import every name"),
    "bounds": ("bounds: int", "Spec.bounds must be a Bounds dataclass", ""),
}
RECORDS = """\
class Empty(Struct):
    pass


class Variant(Struct):
    tag: bool
    value: bool


class Nothing(enum.Enum):
    pass


class Numbered(enum.IntEnum):
    ONE = 1


class Bad(Struct):
    y: int


class Worse(Struct):
    y: Unknown


"""


@pytest.mark.parametrize("case", DECLARATIONS)
def test_declaration_is_refused(load: Load, case: str) -> None:
    declaration, message, advice = DECLARATIONS[case]
    module = load(WIDE + RECORDS + f"class Spec(Protocol):\n    {declaration}\n")
    with pytest.raises(LanguageError) as caught:
        compile_protocol(module.Spec())
    assert message in caught.value.message
    assert caught.value.advice.startswith(advice)


def test_parameter_without_annotation(load: Load) -> None:
    module = load(
        "class Spec(Protocol):\n    x: Small\n\n    @action\n    def act(self, y):  # here\n        self.x = y\n"
    )
    with pytest.raises(LanguageError, match="parameter y of act has no domain") as caught:
        compile_protocol(module.Spec())
    assert caught.value.where is not None and caught.value.where.line == line_of(module.path)
    assert caught.value.advice == "Annotate it: def act(self, y: Replica)."


@pytest.mark.parametrize(
    ("key", "ways"),
    [("Integers(0, 9)", "1,048,576"), ("Integers(0, 4000)", r"more than 10\*\*15")],
)
def test_a_map_of_too_many_values(load: Load, key: str, ways: str) -> None:
    module = load(
        "class Spec(Protocol):\n    x: Small\n\n"
        f"    @action\n    def act(self, y: Map[Annotated[int, {key}], Small]) -> None:\n        pass\n"
    )
    with pytest.raises(LanguageError, match=f"act can be chosen in {ways} ways; at most 20,000"):
        compile_protocol(module.Spec())


def test_too_many_instances(load: Load) -> None:
    many = "Annotated[int, Integers(0, 199)]"
    head = "class Spec(Protocol):\n    x: Small\n\n    @action\n"
    text = head + f"    def act(self, a: {many}, b: {many}) -> None:  # here\n        pass\n"
    module = load(text)
    with pytest.raises(LanguageError, match=r"act can be chosen in 40,000 ways; at most 20,000 in all") as caught:
        compile_protocol(module.Spec())
    assert caught.value.where is not None and caught.value.where.line == line_of(module.path)


def test_state_that_does_not_fit(load: Load) -> None:
    wide = "Annotated[Log[Set[Annotated[int, Integers(0, 63)]]], Capacity(40)]"
    module = load(f"class Spec(Protocol):\n    x: {wide}\n")
    with pytest.raises(LanguageError, match=r"a state takes 2,566 bits; at most 2,048 fit") as caught:
        compile_protocol(module.Spec())
    assert caught.value.advice == "Use smaller bounds."


RESERVED = {
    "method": ("    x: Small\n\n    def step(self) -> None:  # here\n        pass\n", "step"),
    "variable": ("    leaves: Small\n", "leaves"),
    "action": ("    x: Small\n\n    @action\n    def load(self) -> None:  # here\n        pass\n", "load"),
}


@pytest.mark.parametrize("name", [name for name in vars(Bounds) if not name.startswith("_")])
def test_names_that_all_bounds_have(name: str) -> None:
    with pytest.raises(LanguageError, match=f"Own cannot have a bound named '{name}'"):
        type("Own", (Bounds,), {name: bound(1, help="a number")})


@pytest.mark.parametrize("case", RESERVED)
def test_names_that_every_protocol_has(load: Load, tmp_path: Path, case: str) -> None:
    body, name = RESERVED[case]
    text = f"class Spec(Protocol):{'' if '# here' in body else '  # here'}\n{body}"
    with pytest.raises(LanguageError, match=f"cannot have a variable or method named '{name}'") as caught:
        load(text)
    path = next(tmp_path.glob("*.py"))
    assert caught.value.where is not None and caught.value.where.line == line_of(path)


def test_field_names_that_every_record_has(load: Load) -> None:
    with pytest.raises(LanguageError, match="Spec cannot have a field named 'fields'"):
        load("class Spec(Struct):\n    fields: Small\n")


def test_errors_of_plain_python_use() -> None:
    class Pair(Protocol):
        x: Annotated[int, Integers(0, 3)]
        log: Annotated[Log[bool], Capacity(2)]

    state = Pair()
    with pytest.raises(LanguageError, match="Pair has no state variable 'y'; it has x, log"):
        state.y = 1
    with pytest.raises(EvaluationError, match=r"x: 4 is outside 0\.\.3"):
        state.x = 4
    with pytest.raises(EvaluationError, match="there is no member 2 among 2 values"):
        state.member(bool, 2)
    with pytest.raises(LanguageError, match="Pair takes Bounds, not str"):
        Pair("large")  # type: ignore[arg-type]  # no number, on purpose
    assert state.member(Annotated[Identifier, Identifiers("n", 2)], 1) == Identifier("n", 1)


# -- bounds -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Sizes(Bounds):
    nodes: int = bound(3, most=7, help="the number of nodes", why="each doubles the states")
    log_size: int = bound(2, least=0, most=4, help="the size of a log")


@dataclass(frozen=True)
class MoreSizes(Sizes):
    extra: int = bound(1, help="what else there is")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"nodes": 0}, "nodes=0: the number of nodes must be at least 1 (each doubles the states)"),
        ({"nodes": 8}, "nodes=8: the number of nodes must be at most 7 (each doubles the states)"),
        ({"log_size": 5}, "log_size=5: the size of a log must be at most 4"),
        ({"log_size": -1}, "log_size=-1: the size of a log must be at least 0"),
        ({"nodes": "3"}, "nodes must be a whole number, not '3'"),
        ({"nodes": True}, "nodes must be a whole number, not True"),
        ({"nodes": 2.5}, "nodes must be a whole number, not 2.5"),
    ],
)
def test_bounds_outside_their_limits(values: dict[str, int], message: str) -> None:
    with pytest.raises(BoundsError) as caught:
        Sizes(**values)
    assert caught.value.message == message


def test_a_refused_bound_is_data_too() -> None:
    with pytest.raises(BoundsError) as caught:
        Sizes(log_size=5)
    assert caught.value.given == (Given("log_size", 5),)
    assert caught.value.allowed == (0, 4)
    assert caught.value.told(lambda one: f"<{one.name}>") == "<log_size>: the size of a log must be at most 4"


def test_bounds_have_defaults_and_an_order() -> None:
    assert MoreSizes().as_dict() == {"nodes": 3, "log_size": 2, "extra": 1}
    assert list(MoreSizes.declared()) == ["nodes", "log_size", "extra"]
    assert Sizes(nodes=7) == Sizes(7) != Sizes()
    with pytest.raises(FrozenInstanceError):
        Sizes().nodes = 2  # type: ignore[misc]  # frozen


def test_sizes_are_computed_from_bounds() -> None:
    size = 2 * Sizes.nodes + Sizes.log_size - 1
    assert size.at(Sizes(nodes=4)) == 9  # type: ignore[attr-defined]  # read on the class, a bound is a Size
    assert repr(size) == "(nodes) * 2 + log_size - 1"
    assert Integers(0, Sizes.nodes - 1) != Integers(0, 2)


# -- errors -------------------------------------------------------------------------------------------------------
def test_an_error_reads_line_message_advice() -> None:
    where = SourceLine("mine.py", 12, "act")
    assert str(SpecificationError("it is wrong", where, "Do it right.")) == "mine.py:12: it is wrong\n  Do it right."
    assert str(SpecificationError("it is wrong")) == "it is wrong"


def test_paths_are_shown_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown_path(__file__) == "tests/spec/language/test_declarations.py"
    monkeypatch.chdir(tmp_path)
    assert shown_path(str(tmp_path / "mine.py")) == "mine.py"
    assert shown_path("/elsewhere/mine.py") == "/elsewhere/mine.py"


def test_a_name_that_is_not_registered() -> None:
    with pytest.raises(LoadError, match="no protocol is named 'kip-0'") as caught:
        registered("kip-0")
    assert "kip-320" in caught.value.advice


class Fair(Protocol):
    """A step that is taken fairly."""

    done: bool

    @action(fair="strong", says="done")
    def do(self) -> None:
        """It is done."""
        self.done = True


class OtherWords(Fair):
    """The same with other words, which say nothing of fairness."""

    @action(says="done otherwise")
    def do(self) -> None:
        """It is done."""
        super().do()


class Weaker(OtherWords):
    """The same, less fair."""

    @action(fair="weak")
    def do(self) -> None:
        """It is done."""
        super().do()


def test_a_step_is_as_fair_as_what_it_takes_the_place_of() -> None:
    marks = {kind: kind.members("action")[0].mark for kind in (Fair, OtherWords, Weaker)}
    assert [mark.fair for mark in marks.values()] == ["strong", "strong", "weak"]
    assert [mark.says for mark in marks.values()] == ["done", "done otherwise", "done otherwise"]


# What is wrong with the body of a protocol's class is said while the class is made, with its line.

SPEC = "class Spec(Protocol):\n    x: Small\n\n"
MARKS = ("action", "invariant", "action_property", "reachable", "constraint", "lemma")

REFUSED = {
    "two actions": (
        "    @action\n    def act(self): pass\n\n    @action\n    def act(self): self.x = 1  # here\n",
        "Spec has two members named 'act': the first, in line 30, would vanish",
        "Give one of them another name, or remove it.",
    ),
    "action, then helper": (
        "    @action\n    def act(self): pass\n\n    def act(self): self.x = 1  # here\n",
        "Spec has two members named 'act': the first",
        "Give one",
    ),
    "helper, then invariant": (
        "    def act(self): pass\n\n    @invariant\n    def act(self): return self.x > 1  # here\n",
        "Spec has two members named 'act': the first",
        "Give one",
    ),
    "two helpers": (
        "    def act(self): pass\n\n    def act(self): return self.x > 1  # here\n",
        "Spec has two members named 'act': the first",
        "Give one",
    ),
    "a mark that is overwritten": (
        "    @action\n    def act(self): pass\n\n    act = 5  # here\n",
        "Spec has two members named 'act': the first",
        "Give one",
    ),
    "static": (
        "    @staticmethod\n    @invariant\n    def fine():  # here\n        return True\n",
        "Spec.fine is marked @invariant, but staticmethod hides the mark",
        "Write @invariant directly above a plain method: def fine(self, ...).",
    ),
    "property": (
        "    @property\n    @invariant\n    def fine(self):  # here\n        return True\n",
        "Spec.fine is marked @invariant, but property hides the mark",
        "Write @invariant directly",
    ),
    "cached": (
        "    @functools.cache\n    @invariant\n    def fine(self):  # here\n        return True\n",
        "Spec.fine is marked @invariant, but _lru_cache_wrapper hides the mark",
        "Write @invariant directly",
    ),
    "twice": (
        "    @action\n    @invariant\n    def fine(self):  # here\n        return True\n",
        "fine is marked twice: @invariant and @action",
        "Write two methods, one for each mark.",
    ),
    "wrapped": (
        "    def fine(self): return True\n    fine.__wrapped__ = 5\n    fine = invariant(fine)  # here\n",
        "@invariant stands on fine, which a decorator has wrapped",
        "Write @invariant directly above def fine(self, ...), without other decorators.",
    ),
    "says": (
        "    @action(says=5)  # here\n    def act(self): pass\n",
        "@action takes texts: by, to, sends, receives and says, and fair, which is weak or strong",
        "Write @action(by=",
    ),
    "fair": (
        "    @action(fair='very')  # here\n    def act(self): pass\n",
        "@action takes texts",
        "Write @action(by=",
    ),
    "leads to": (
        "    @leads_to(fair='act')  # here\n    def end(self): return True, True\n",
        "leads_to takes the names of actions, not str",
        'Write @leads_to(fair=("fetch", "restart")).',
    ),
    "initial is a value": (
        "    initial = 5\n",
        "Spec.initial is no plain method",
        "Write def initial(self): and set the variables there.",
    ),
    "initial is static": ("    @staticmethod\n    def initial(): pass\n", "Spec.initial is no plain method", "Write"),
    "initial is a generator": (
        "    def initial(self):  # here\n        yield\n",
        "Spec.initial is a generator or asynchronous, so calling it sets nothing",
        "Write def initial(self): and set the variables there, without yield, async or await.",
    ),
    "initial waits": ("    async def initial(self):  # here\n        pass\n", "Spec.initial is a generator", "Write"),
    "name": ("    name = 5\n", "the name of Spec is no text", 'Write name = "my-protocol", or leave it out.'),
    "a method called name": ("    def name(self): pass\n", "the name of Spec is no text", "Write name"),
    "bounds": (
        "    bounds = Bounds()\n",
        "Spec.bounds is a value",
        "Bounds are declared by their class, as an annotation: bounds: MyBounds.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_class_bodies_are_refused(load: Load, tmp_path: Path, case: str) -> None:
    body, message, advice = REFUSED[case]
    spec = SPEC if "# here" in body else SPEC.replace(":\n", ":  # here\n", 1)
    with pytest.raises(LanguageError) as caught:
        load("import functools\n\n" + spec + body)
    assert caught.value.message.startswith(message)
    assert caught.value.advice.startswith(advice)
    assert caught.value.where is not None
    assert caught.value.where.line == line_of(next(tmp_path.glob("*.py")))


@pytest.mark.parametrize("mark", MARKS)
def test_marks_stand_on_plain_functions(load: Load, tmp_path: Path, mark: str) -> None:
    for body, what in (
        (f"    @{mark}  # here\n    class Act: pass\n", "a class"),
        (f"    @{mark}  # here\n    @staticmethod\n    def act(): pass\n", "staticmethod, which is no plain function"),
        (f"    act = {mark}(5)  # here\n", "int, which is no plain function"),
        (f"    act = {mark}(len)  # here\n", "builtin_function_or_method, which is no plain function"),
    ):
        with pytest.raises(LanguageError) as caught:
            load(SPEC + body)
        assert caught.value.message == f"@{mark} stands on {what}"
        assert caught.value.advice == f"Write @{mark} directly above def name(self, ...)."
        assert caught.value.where is not None
        assert caught.value.where.line == line_of(sorted(tmp_path.glob("*.py"))[-1])


def test_what_is_no_second_member(load: Load) -> None:
    """Overrides in subclasses, a mark that is put on afterwards, a method taken away, the parts of a property."""
    module = load(
        SPEC
        + "    def act(self): pass\n    act = action(act)\n\n"
        + "    @property\n    def half(self): return self.x // 2\n\n"
        + "    @half.setter\n    def half(self, value): self.x = value\n\n\n"
        + "class Below(Spec):\n    def act(self): self.x = 1\n\n\n"
        + "class Without(Below):\n    act = None\n"
    )
    assert [m.name for m in module.Spec.members("action")] == ["act"]
    assert [m.function.__qualname__ for m in module.Below.members("action")] == ["Below.act"]
    assert module.Without.members("action") == []


def test_an_action_is_overridden_by_a_method(load: Load) -> None:
    module = load(SPEC + "    @action\n    def act(self): pass\n\n\nclass Below(Spec):\n    act = 5\n")
    with pytest.raises(
        LanguageError, match=r"Below\.act takes the place of an @action, and is no plain method"
    ) as caught:
        module.Below.members("action")
    assert caught.value.advice == "Override it with def act(self, ...), or take it away with act = None."


def test_hostile_attributes_of_a_class_are_left_alone(load: Load) -> None:
    module = load(
        "class Hostile:\n    def __getattr__(self, name): raise ValueError(name)\n\n\n"
        + SPEC
        + "    hostile = Hostile()\n\n    @action\n    def act(self): self.x = 1\n"
    )
    assert [m.name for m in module.Spec.members("action")] == ["act"]
