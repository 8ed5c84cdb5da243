"""What is too large is refused before it is made, with the number and the line of what causes it."""

from __future__ import annotations

import linecache

import pytest

from epochal.spec.language import BoundsError, LanguageError
from tests.spec.language.snippets import Load, line_of

TOO_LARGE = {
    "keys": (
        "Map[Annotated[int, Integers(0, 10**10)], bool]",
        "Spec.x: a map over 0..10000000000 has 10,000,000,001 keys; at most 4,096 are possible",
        "Use smaller bounds, or a log of the entries that differ.",
    ),
    "keys that are sets": (
        "Map[Set[Annotated[int, Integers(0, 30)]], bool]",
        "Spec.x: a map over sets of 0..30 has 2,147,483,648 keys",
        "Use smaller bounds",
    ),
    "maps of maps": (
        "Map[Annotated[int, Integers(1, 4000)], Map[Annotated[int, Integers(1, 4000)], bool]]",
        "Spec.x makes a state of 16,000,001 values; it has room for 10,000",
        "Use smaller bounds: x alone has 16,000,000 (maps from 1..4000 to maps from 1..4000 to booleans).",
    ),
    "records of records": ("Deep40", "Spec.x makes a state of 1,099,511,627,777 values", "Use smaller bounds: x alone"),
    "logs": (
        "Annotated[Log[Small], Capacity(10**6)]",
        "Spec.x: a log has room for 1 to 4,096 entries, not 1000000",
        "",
    ),
    "elements": (
        "Set[Annotated[int, Integers(0, 10**10)]]",
        "Spec.x: a set over 0..10000000000 has 10,000,000,001 possible elements; at most 64 fit",
        "Use smaller bounds",
    ),
    "integers": (
        "Annotated[int, Integers(0, 2**64)]",
        "Spec.x: the limits of Integers lie within 2**64",
        "Use a smaller domain.",
    ),
    "a log of what is none": (
        "Annotated[Log, Capacity(2)]",
        "Spec.x: Capacity is for logs",
        "Write Annotated[Log[Entry], Capacity(3)].",
    ),
}
DEEP = "class Deep0(Struct):\n    on: bool\n\n\n" + "".join(
    f"class Deep{i}(Struct):\n    a: Deep{i - 1}\n    b: Deep{i - 1}\n\n\n" for i in range(1, 41)
)


@pytest.mark.parametrize("case", TOO_LARGE)
def test_too_large_for_a_state(load: Load, case: str) -> None:
    annotation, message, advice = TOO_LARGE[case]
    module = load(DEEP + f"class Spec(Protocol):\n    n: Small\n    x: {annotation}  # here\n")
    with pytest.raises(LanguageError) as caught:
        module.Spec()
    assert caught.value.message.startswith(message)
    assert caught.value.advice.startswith(advice)
    assert caught.value.where is not None and caught.value.where.line == line_of(module.path)


def test_too_many_initial_choices(load: Load) -> None:
    wide = "Annotated[int, Integers(1, 10**12)]"
    module = load(f"class Spec(Protocol):\n    x: Small\n\n    def initial(self, v: {wide}):  # here\n        pass\n")
    with pytest.raises(LanguageError) as caught:
        module.Spec().initial_states()
    assert caught.value.message == "initial can be chosen in 1,000,000,000,000 ways; at most 16,777,216 are tried"
    assert caught.value.advice == "Use smaller bounds, or derive a parameter from the others."
    assert caught.value.where is not None and caught.value.where.line == line_of(module.path)


@pytest.mark.parametrize("word", ["self.each(WIDE)", "self.member(WIDE, 0)"])
def test_too_many_values_to_go_through(load: Load, word: str) -> None:
    module = load(
        "WIDE = Annotated[int, Integers(1, 10**12)]\n\n\n"
        f"class Spec(Protocol):\n    x: Small\n\n    def initial(self):\n        self.x = 1 if {word} else 2\n"
    )
    with pytest.raises(LanguageError) as caught:
        module.Spec().initial_states()
    assert "goes through the 1,000,000,000,000 values of 1..1000000000000; at most 100,000" in caught.value.message
    assert caught.value.advice == "Use smaller bounds."


def test_a_large_enumeration_is_looked_up_by_name(load: Load) -> None:
    from epochal.spec.language.domains import EnumDomain

    module = load('Many = enum.Enum("Many", [f"m{i}" for i in range(3000)])\n')
    domain = EnumDomain(module.Many)
    assert [domain.code(member) for member in module.Many] == list(range(3000))
    assert domain.code(3) is None


# -- texts of records ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("'{zork} {'", "{zork} is no field"),
        ("'{on} {'", "Single '{' encountered in format string"),
        ("'}'", "Single '}' encountered in format string"),
        ("'{}'", "{} is no field"),
        ("'{0}'", "{0} is no field"),
        ("'{on.real}'", "{on.real} is no field"),
        ("'{on[0]}'", "{on[0]} is no field"),
        ("'{on!r}'", "on has a format"),
        ("'{on:>9}'", "on has a format"),
        ("5", "it is no text, but int"),
    ],
)
def test_texts_that_cannot_be_filled_in(load: Load, text: str, reason: str) -> None:
    module = load(f"class Told(Struct, text={text}):  # here\n    on: bool\n\n\nclass Spec(Protocol):\n    x: Told\n")
    with pytest.raises(LanguageError) as caught:
        module.Spec()
    assert f"the text of Told cannot be filled in: {reason}" in caught.value.message
    assert caught.value.advice == "In braces may stand only its fields: on. A brace itself is written twice."
    assert caught.value.where is not None and caught.value.where.line == line_of(module.path)


# -- bounds that are none -----------------------------------------------------------------------------------------


def test_bounds_that_are_no_dataclass(load: Load) -> None:
    module = load(
        "class B(Bounds):\n    n: int = bound(2, help='x')\n\n\nclass Spec(Protocol):\n    bounds: B\n    x: Small\n"
    )
    with pytest.raises(LanguageError, match=r"B\.n is no field of a dataclass") as caught:
        module.Spec()
    assert caught.value.advice.startswith("Write @dataclass(frozen=True) above the class of the bounds")


def test_bounds_whose_constructor_sets_nothing(load: Load) -> None:
    module = load(
        "@dataclass(frozen=True)\nclass B(Bounds):\n    n: int = bound(2, help='x')\n"
        "    def __init__(self): pass\n\n\n"
        "class Spec(Protocol):\n    bounds: B\n    x: Annotated[int, Integers(0, B.n)]\n"
    )
    with pytest.raises(BoundsError, match=r"B gives n no value") as caught:
        module.Spec()
    assert caught.value.advice.startswith("Write @dataclass(frozen=True)")


def test_bounds_that_are_told_in_other_things(load: Load) -> None:
    for bound in ("bound('a', help='x')", "bound(2, least='a', help='x')", "bound(2, help=5)"):
        with pytest.raises(LanguageError, match="a bound is given in whole numbers, and shown as text") as caught:
            load(f"class B(Bounds):\n    n: int = {bound}\n")
        assert caught.value.advice.startswith("Write n: int = bound(2,")


def test_identifiers_that_are_told_in_other_things(load: Load) -> None:
    for marker in ("Identifiers(5, 2)", "Identifiers('n', 2, 'a')"):
        module = load(f"class Spec(Protocol):\n    x: Annotated[Identifier, {marker}]\n")
        with pytest.raises(LanguageError, match=r"Spec\.x: Identifiers takes a prefix and the first number, not"):
            module.Spec()


def test_a_bound_of_another_class(load: Load) -> None:
    module = load(
        "@dataclass(frozen=True)\nclass B(Bounds):\n    n: int = bound(2, help='x')\n\n\n"
        "class Spec(Protocol):\n    x: Annotated[int, Integers(0, B.n)]\n"
    )
    with pytest.raises(BoundsError, match=r"B\.n is no bound of Bounds, which the protocol declares") as caught:
        module.Spec()
    assert caught.value.advice == "Declare them in the class of the protocol: bounds: B."
    assert caught.value.where is not None
    assert linecache.getline(caught.value.where.file, caught.value.where.line).strip().startswith("x: Annotated[int")


def test_a_bound_of_another_class_in_a_parameter(load: Load) -> None:
    module = load(
        "@dataclass(frozen=True)\nclass B(Bounds):\n    n: int = bound(2, help='x')\n\n\n"
        "class Spec(Protocol):\n    x: bool\n\n    @action\n"
        "    def act(self, by: Annotated[int, Integers(0, B.n)]) -> None:\n        self.x = by > 1\n"
    )
    with pytest.raises(BoundsError, match=r"B\.n is no bound of Bounds") as caught:
        module.Spec().instances  # noqa: B018
    assert caught.value.where is not None and caught.value.where.function == "act"


def test_a_state_that_was_taken_apart(load: Load) -> None:
    from epochal.spec.language import EvaluationError

    module = load("class Spec(Protocol):\n    x: Small\n\n    def initial(self):\n        del self.x\n")
    with pytest.raises(EvaluationError, match=r"Spec is no state any more \(KeyError: 'x'\)"):
        module.Spec().initial_states()


# -- words and promises ---------------------------------------------------------------------------------------------

SETTINGS = (
    "from epochal.language import Configurable, Setting\n\n\nclass Spec(Configurable):{}\n"
    "    x: Small\n    declared_settings = {}\n"
)


@pytest.mark.parametrize("settings", ["5", "'a'", "('a',)", "['a']"])
def test_settings_that_are_none(load: Load, settings: str) -> None:
    from epochal.spec.language.configurable import settings_of

    module = load(SETTINGS.format("  # here", settings))
    with pytest.raises(LanguageError, match="the declared_settings of Spec are no tuple of settings") as caught:
        settings_of(module.Spec)
    assert caught.value.advice == "Write declared_settings = (Setting(...), ...)."
    assert caught.value.where is not None and caught.value.where.line == line_of(module.path)


@pytest.mark.parametrize(
    "setting",
    [
        "Setting(5, 'text', 'h', 'd')",
        "Setting('a b', 'text', 'h', 'd')",
        "Setting('', 'text', 'h', 'd')",
        "Setting('a', 'zork', 'h', 'd')",
        "Setting('a', 'text', 5, 'd')",
        "Setting('a', 'text', 'h', 5)",
        "Setting('a', 'text', 'h', 'd', 5)",
        "Setting('a', 'text', 'h', 'd', (5,))",
    ],
)
def test_a_setting_that_is_none(load: Load, setting: str) -> None:
    with pytest.raises(LanguageError, match="is no setting") as caught:
        load(SETTINGS.format("", f"({setting},)"))
    assert caught.value.advice.startswith('Write Setting("acks", "text", ')


def test_a_promise_with_too_many_choices(load: Load) -> None:
    from epochal.checker.compile.compiler import compile_protocol

    module = load(
        "class Spec(Protocol):\n    x: Small\n\n    @action(fair='weak')\n    def act(self): self.x = 1\n\n"
        "    @leads_to(fair=('act',))\n"
        "    def end(self, v: Annotated[int, Integers(1, 10**10)]):  # here\n        return self.x == v, self.x == 1\n"
    )
    with pytest.raises(LanguageError, match="end can be chosen in 10,000,000,000 ways; at most 20,000 are") as caught:
        compile_protocol(module.Spec())
    assert caught.value.where is not None and caught.value.where.line == line_of(module.path)
