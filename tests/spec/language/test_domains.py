"""Domains: one canonical encoding of every value, and values that are checked and copied when they are stored."""

from __future__ import annotations

import enum
import linecache
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.spec.language import (
    Bounds,
    BoundsError,
    Capacity,
    EvaluationError,
    Identifier,
    Identifiers,
    Integers,
    LanguageError,
    Log,
    Map,
    Protocol,
    Set,
    Struct,
    bound,
)
from epochal.spec.language.annotations import resolve
from epochal.spec.language.domains import (
    Domain,
    LogDomain,
    MapDomain,
    OptionalStruct,
    Scalar,
    SetDomain,
    StructDomain,
    UnionDomain,
)
from epochal.spec.language.values import sort_key
from tests.spec.language.snippets import Load, line_of


@dataclass(frozen=True)
class Sizes(Bounds):
    nodes: int = bound(3, help="the number of nodes")


class Color(enum.Enum):
    GREEN = "g"
    DARK_RED = "r"


Node = Annotated[Identifier, Identifiers("n", Sizes.nodes, first=0)]
Number = Annotated[int, Integers(-2, 4)]


class Inner(Struct, text="<{number}>"):
    number: Number
    node: Node | None


class Also(Struct):
    """A record of another class, with a field of the same name."""

    number: Number


class Outer(Struct):
    inner: Inner
    colors: Set[Color]
    maybe: Inner | None


Entries = Annotated[Log[Inner], Capacity(3)]
ANNOTATIONS: dict[str, Any] = {
    "integers": Number,
    "one integer": Annotated[int, Integers(5, 5)],
    "booleans": bool,
    "identifiers": Node,
    "enumeration": Color,
    "optional integer": Number | None,
    "optional boolean": bool | None,
    "optional identifier": Node | None,
    "set of integers": Set[Number],
    "set of records": Set[Inner],
    "set of sets": Set[Set[Node]],
    "set of optionals": Set[Number | None],
    "record": Outer,
    "records of two classes": Inner | Also,
    "set of records of two classes": Set[Also | Inner],
    "optional record": Outer | None,
    "map": Map[Color, Number],
    "map keyed by optionals": Map[Number | None, bool],
    "map keyed by sets": Map[Set[Node], bool],
    "nested map": Map[Node, Map[bool, Outer]],
    "log of scalars": Annotated[Log[Set[Node]], Capacity(2)],
    "log of records": Entries,
    "map of logs": Map[Node, Entries],
}
DOMAINS = {name: resolve(annotation, Sizes(), name) for name, annotation in ANNOTATIONS.items()}
NAMES = st.sampled_from(sorted(DOMAINS))


@st.composite
def values(draw: st.DrawFn, domain: Domain) -> Any:
    """Plain Python values of a domain, not yet stored."""
    if isinstance(domain, Scalar):
        return domain.value(draw(st.integers(0, domain.size - 1)))
    if isinstance(domain, StructDomain):
        return domain.type(**{name: draw(values(part)) for name, part in domain.field_domains.items()})
    if isinstance(domain, UnionDomain):
        return draw(values(draw(st.sampled_from(domain.kinds))))
    if isinstance(domain, OptionalStruct):
        return draw(st.none() | values(domain.element))
    if isinstance(domain, MapDomain):
        return {key: draw(values(domain.value)) for key in domain.keys}
    assert isinstance(domain, LogDomain)
    return draw(st.lists(values(domain.entry), max_size=domain.capacity))


def flat(domain: Domain, value: Any) -> list[int]:
    """The codes of a value."""
    into: list[int] = []
    domain.flatten(value, into)
    return into


@given(st.data())
def test_values_survive_storing_and_encoding(data: st.DataObject) -> None:
    domain = DOMAINS[data.draw(NAMES)]
    value = data.draw(values(domain))
    stored = domain.stored(value, None)
    codes = flat(domain, stored)
    assert len(codes) == domain.leaf_count == len(domain.leaves)
    assert all(0 <= code < leaf.domain.size for code, leaf in zip(codes, domain.leaves, strict=True))
    again = domain.unflatten([7, *codes], 1, None)
    assert stored == again == value
    assert flat(domain, again) == codes
    assert flat(domain, domain.stored(again, None)) == codes
    assert isinstance(domain.show(stored), str)


@given(st.data())
def test_equal_values_have_equal_codes(data: st.DataObject) -> None:
    domain = DOMAINS[data.draw(NAMES)]
    a, b = (domain.stored(data.draw(values(domain)), None) for _ in range(2))
    assert (a == b) == (flat(domain, a) == flat(domain, b))


@pytest.mark.parametrize("name", [name for name, domain in DOMAINS.items() if domain.cardinality < 5_000])
def test_enumeration_is_canonical(name: str) -> None:
    domain = DOMAINS[name]
    found = list(domain.values())
    assert len(found) == domain.cardinality
    assert [domain.index(value) for value in found] == list(range(len(found)))
    assert len({tuple(flat(domain, value)) for value in found}) == len(found)
    if domain.can_be_element:
        assert found == sorted(found, key=sort_key)
    if isinstance(domain, Scalar):
        assert [domain.code(value) for value in found] == list(range(len(found)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("map", {Color.GREEN: 1}),
        ("map", None),
        ("log of records", [5]),
        ("log of records", [Inner(number=1, node=None)] * 4),
        ("log of records", 3),
        ("optional record", 3),
    ],
)
def test_what_is_not_in_a_domain_has_no_place_in_it(name: str, value: Any) -> None:
    with pytest.raises(EvaluationError):
        DOMAINS[name].index(value)


def test_the_first_value_is_the_default() -> None:
    """Of domains with few values: the values of each part are listed before the first of the whole is there."""
    for domain in (one for one in DOMAINS.values() if one.cardinality < 5_000):
        assert flat(domain, next(domain.values())) == flat(domain, domain.default())


def test_a_chosen_value_is_changed_by_nobody() -> None:
    maps, logs = DOMAINS["map"], DOMAINS["log of records"]
    with pytest.raises(LanguageError, match="a parameter cannot be changed in place"):
        next(maps.values())[Color.GREEN] = 1
    with pytest.raises(LanguageError, match="a parameter cannot be changed in place"):
        next(logs.values()).append(Inner(number=1, node=None))


def test_default_is_zero_everywhere() -> None:
    for domain in DOMAINS.values():
        assert set(flat(domain, domain.default())) == {0}


def test_leaf_paths() -> None:
    assert [leaf.path for leaf in DOMAINS["optional record"].leaves] == [
        ".present", ".inner.number", ".inner.node", ".colors", ".maybe.present", ".maybe.number", ".maybe.node",
    ]  # fmt: skip
    assert [leaf.path for leaf in DOMAINS["log of records"].leaves][:3] == [".end", "[0].number", "[0].node"]
    assert [leaf.path for leaf in DOMAINS["map"].leaves] == ["[green]", "[dark-red]"]


def test_records_of_several_classes_are_ordered_by_their_names() -> None:
    domain = DOMAINS["records of two classes"]
    assert [type(value).__name__ for value in domain.values()] == ["Also"] * 7 + ["Inner"] * 28
    assert domain.show(Also(number=1)) == "Also(number 1)" and domain.show(Inner(number=1, node=None)) == "<1>"
    with pytest.raises(EvaluationError, match=r"3 is not a Also or Inner"):
        domain.stored(3, None)


def test_unused_slots_are_zero() -> None:
    log, entry = DOMAINS["log of records"], Inner(number=4, node=Identifier("n", 2))
    stored = log.stored([entry, entry], None)
    stored.truncate(1)
    assert flat(log, stored) == [1, 6, 3, 0, 0, 0, 0]
    optional = DOMAINS["optional record"]
    assert flat(optional, None) == [0] * optional.leaf_count


REFUSED = [
    ("integers", 5, r"x: 5 is outside -2\.\.4"),
    ("integers", True, r"x: True is outside -2\.\.4"),
    ("integers", None, r"x: None is outside -2\.\.4"),
    ("booleans", 1, "x: 1 is outside booleans"),
    ("identifiers", Identifier("n", 3), r"x: n4 is outside n0\.\.n2"),
    ("identifiers", Identifier("m", 0), r"x: m1 is outside n0\.\.n2"),
    ("enumeration", "g", "x: 'g' is outside Color"),
    ("optional integer", 5, r"x: 5 is outside -2\.\.4 or none"),
    ("set of integers", {5}, r"x: \{5\} is outside sets of -2\.\.4"),
    ("set of integers", [1], r"x: \[1\] is outside sets of -2\.\.4"),
    ("record", Inner(number=1, node=None), r"x: Inner\(number=1, node=None\) is not a Outer"),
    ("record", None, "x: None is not a Outer"),
    ("map", {Color.GREEN: 1}, "x: .* does not map exactly Color"),
    ("map", 3, "x: 3 does not map exactly Color"),
    ("log of records", 3, "x: 3 is not a log"),
    ("log of records", [Inner(number=1, node=None)] * 4, "x: 4 entries in a log of 3"),
]


@pytest.mark.parametrize(("name", "value", "message"), REFUSED)
def test_values_outside_are_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        DOMAINS[name].stored(value, None, "x")


class State(Protocol):
    """Two variables of each mutable kind."""

    bounds: Sizes
    a: Outer
    b: Outer
    logs: Map[Node, Entries]
    first: Inner
    maybe: Inner | None


def test_stored_values_share_nothing() -> None:
    state, given_record = State(), Inner(number=1, node=None)
    state.first = given_record
    given_record.number = 2
    assert state.first.number == 1
    state.a.inner = state.first
    state.b = state.a
    state.maybe = state.first
    state.first.number = 3
    state.a.inner.number = 4
    assert (state.first.number, state.a.inner.number, state.b.inner.number) == (3, 4, 1)
    assert state.maybe is not None and state.maybe.number == 1
    n0, n1, _ = state.logs
    state.logs[n0].append(state.first)
    state.logs[n1] = state.logs[n0]
    state.first.number = 0
    state.logs[n0].append(state.first)
    assert [len(log) for log in state.logs.values()] == [2, 1, 0]
    assert state.logs[n1][0].number == 3


def test_states_share_nothing() -> None:
    state = State()
    other = state.at(state.codes())
    other.a.inner.number = 2
    other.logs[Identifier("n", 0)].append(other.first)
    assert state.a.inner.number == -2 and len(state.logs[Identifier("n", 0)]) == 0
    assert other.codes() != state.codes() and state.at(other.codes()).codes() == other.codes()


def test_entries_of_a_log_are_frozen() -> None:
    state = State()
    log = state.logs[Identifier("n", 0)]
    log.append(Inner(number=1, node=None))
    loaded = state.at(state.codes()).logs[Identifier("n", 0)]
    for entry in (log[0], log.last, next(iter(log)), loaded[0]):
        with pytest.raises(LanguageError, match="was read from a log and cannot be changed in place"):
            entry.number = 2
    log[0] = Inner(number=2, node=None)
    assert log == [Inner(number=2, node=None)]


def test_fields_are_checked_when_they_are_assigned() -> None:
    state = State()
    with pytest.raises(EvaluationError, match=r"number: 5 is outside -2\.\.4"):
        state.first.number = 5
    with pytest.raises(LanguageError, match="Inner has no field 'size'; it has number, node"):
        state.first.size = 5
    with pytest.raises(EvaluationError, match=r"n4 is not a key of this map \(n0..n2\)"):
        state.logs[Identifier("n", 3)] = []  # type: ignore[assignment]  # no log of the state
    with pytest.raises(EvaluationError, match="is not a key of this map"):
        state.logs[[]]  # type: ignore[index]  # no key, on purpose


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda log: log[2], "offset 2 is outside the log, which ends at 1"),
        (lambda log: log[-1], "offset -1 is outside the log, which ends at 1"),
        (lambda log: log[True], "True is not an offset"),
        (lambda log: log["0"], "'0' is not an offset"),
        (lambda log: log.truncate(2), "truncate to 2, but the log ends at 1"),
        (lambda log: log.truncate(-1), "truncate to -1, but the log ends at 1"),
        (lambda log: (log.truncate(0), log.last), "the last entry of an empty log"),
        (lambda log: [log.append(log[0]) for _ in range(3)], r"append to a full log \(3 entries\)"),
    ],
)
def test_logs_are_checked_when_they_are_used(use: Any, message: str) -> None:
    log = State().logs[Identifier("n", 1)]
    log.append(Inner(number=0, node=None))
    with pytest.raises(EvaluationError, match=message):
        use(log)


# -- values -------------------------------------------------------------------------------------------------------
@given(st.data())
def test_sets_iterate_in_canonical_order(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([n for n in DOMAINS if n.startswith("set of")]))
    found = data.draw(values(DOMAINS[name]))
    domain = DOMAINS[name]
    assert isinstance(domain, SetDomain)
    element = domain.element
    positions = [element.index(value) for value in found]
    assert positions == sorted(positions)
    other = data.draw(values(DOMAINS[name]))
    for made in (found | other, found & other, found - other, found ^ other, found.union(other), set(found) - other):
        assert isinstance(made, Set | set)
    for made in (found.intersection(other), found.difference(other), found | set(other), set(found) & other | found):
        assert [element.index(v) for v in Set(made)] == sorted(element.index(v) for v in made)


def test_identifiers_have_no_order() -> None:
    a, b = Identifier("n", 0), Identifier("n", 1)
    assert a != b and a == Identifier("n", 0, first=0) and a != Identifier("m", 0) and a != 0 and a is not None
    assert repr(a) == "n1" and repr(Identifier("n", 0, first=0)) == "n0"
    for compare in (lambda: a < b, lambda: a <= b, lambda: a > b, lambda: sorted([b, a])):
        with pytest.raises(LanguageError, match="has no order: identifiers can only be compared with == and !="):
            compare()


def test_records_compare_by_their_fields() -> None:
    one, other = Inner(number=1, node=None), Inner(1, None)
    assert one == other and hash(one) == hash(other) and one != Inner(number=2, node=None) and one != (1, None)
    assert repr(one) == "Inner(number=1, node=None)"
    assert DOMAINS["set of records"].show(Set([one])) == "{<1>}"
    with pytest.raises(LanguageError, match="Inner takes the fields number, node"):
        Inner(number=1)  # type: ignore[call-arg]  # too few, on purpose
    with pytest.raises(LanguageError, match="Inner takes the fields number, node"):
        Inner(1, None, 2)  # type: ignore[call-arg]  # too many, on purpose


# What is too large is refused before it is made, with the number and the line of what causes it.

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
    for written in ("bound('a', help='x')", "bound(2, least='a', help='x')", "bound(2, help=5)"):
        with pytest.raises(LanguageError, match="a bound is given in whole numbers, and shown as text") as caught:
            load(f"class B(Bounds):\n    n: int = {written}\n")
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
