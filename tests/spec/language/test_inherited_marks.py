"""What a method takes over from the one that it takes the place of: all of the mark that its own does not say.

The product of marks below, of methods and of the marks that they are overridden with, is held against an oracle that
knows nothing of marks: plain dictionaries, and steps sorted by the values of some parameters.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Annotated, Any

import pytest

import epochal
from epochal.checker.semantics.properties import promised, units_of
from epochal.spec.language import (
    Integers,
    LanguageError,
    Map,
    Protocol,
    action,
    invariant,
    leads_to,
    reachable,
    require,
)
from epochal.spec.language.marks import mark_of

Node = Annotated[int, Integers(1, 2)]
Small = Annotated[int, Integers(0, 3)]
VALUES = {"n": (1, 2), "v": (0, 1, 2, 3), "w": (False, True)}


def step_nv(self: Any, n: Node, v: Small) -> None:
    """A step."""


def step_n(self: Any, n: Node) -> None:
    """Without a choice."""


def step_v(self: Any, v: Small) -> None:
    """Without the node."""


def step_nvw(self: Any, n: Node, v: Small, w: bool) -> None:
    """With one more choice."""


STEPS: dict[tuple[str, ...], Callable[..., None]] = {
    ("n", "v"): step_nv,
    ("n",): step_n,
    ("v",): step_v,
    ("n", "v", "w"): step_nvw,
}
Said = Mapping[str, Any]
BASES: list[Said] = [
    {name: value for name, value in (("fair", fair), ("by", by), ("each", each)) if value != "unsaid"}
    for fair in ("unsaid", "weak", "strong")
    for by in ("unsaid", "n", "controller")
    for each in ("unsaid", (), ("v",))
    if each == "unsaid" or fair != "unsaid"
]
UNMARKED = None
OVERRIDES: list[Said | None] = [
    UNMARKED,
    {},
    {"fair": None},
    {"fair": ""},
    {"fair": "weak"},
    {"fair": "strong"},
    {"by": "v"},
    {"by": None},
    {"to": "v"},
    {"each": ("v",)},
    {"each": None},
    {"fair": "weak", "by": "n"},
    {"fair": "weak", "each": ()},
    {"says": "anew"},
]
NOTHING = {"fair": "", "by": "", "to": "", "sends": "", "receives": "", "says": "", "each": None}


def method(parameters: tuple[str, ...], said: Said | None) -> FunctionType:
    """A method named `put` with these parameters, marked so."""
    like = STEPS[parameters]
    assert isinstance(like, FunctionType)
    made = FunctionType(like.__code__, like.__globals__, "put", like.__defaults__)
    made.__annotations__, made.__module__ = dict(like.__annotations__), __name__
    return made if said is None else action(**said)(made)


class Flag(Protocol):
    """Something that can be set."""

    flag: bool


def protocol(*bases: type, **names: Any) -> type[Protocol]:
    """A class of protocols."""
    made: type[Protocol] = type("Made", bases, {"__module__": __name__, **names})
    return made


def expected(base: Said, override: Said | None, own: tuple[str, ...]) -> tuple[dict[str, Any], tuple[str, ...]] | None:
    """The fields of the mark, and for each of whose values it is fair; None if that is refused."""
    said = {name: value or ("" if name != "each" else value) for name, value in (override or {}).items()}
    before, found = {**NOTHING, **base}, {**NOTHING, **base, **said}
    if not found["fair"]:
        return None if found["each"] is not None else (found, ())

    def named(mark: Said, parameters: tuple[str, ...]) -> tuple[str, ...] | None:
        if mark["each"] is not None:
            return tuple(mark["each"])
        return tuple(one for one in parameters if one in (mark["by"], mark["to"])) or None

    mine = named(found, own)
    if {"by", "to", "each"} & said.keys():
        if mine is not None and not set(mine) <= set(own):
            return None
        return found, own if mine is None else mine
    inherited = named(before, ("n", "v"))
    if inherited is None and before["fair"] and "fair" not in said:
        inherited = ("n", "v")
    if inherited is None:
        return found, own if mine is None else mine
    return (found, inherited) if set(inherited) <= set(own) else None


def sorted_by(parameters: tuple[str, ...], names: tuple[str, ...]) -> set[frozenset[tuple[Any, ...]]]:
    """All choices of the parameters, those together that are alike in these."""
    choices = list(itertools.product(*(VALUES[name] for name in parameters)))
    alike: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}
    for choice in choices:
        key = tuple(value for name, value in zip(parameters, choice, strict=True) if name in names)
        alike.setdefault(key, set()).add(choice)
    return {frozenset(found) for found in alike.values()}


def directly(base: FunctionType, own: FunctionType) -> type[Protocol]:
    """The one class derived from the other."""
    return protocol(protocol(Flag, put=base), put=own)


def through_another(base: FunctionType, own: FunctionType) -> type[Protocol]:
    """With an override between them that says nothing."""
    first = protocol(Flag, put=base)
    return protocol(protocol(first, put=method(("n", "v"), {})), put=own)


def mixed_in(base: FunctionType, own: FunctionType) -> type[Protocol]:
    """A mixin before the protocol, which does not know it."""
    mixin = type("Mixin", (), {"put": own})
    return protocol(mixin, protocol(Flag, put=base))


@pytest.mark.parametrize("way", [directly, through_another, mixed_in], ids=lambda way: way.__name__)
@pytest.mark.parametrize("own", STEPS, ids="".join)
def test_marks_are_what_the_oracle_says(
    way: Callable[[FunctionType, FunctionType], type[Protocol]], own: tuple[str, ...]
) -> None:
    refused = 0
    for base, override in itertools.product(BASES, OVERRIDES):
        wanted = expected(base, override, own)
        try:
            made = way(method(("n", "v"), base), method(own, override))()
        except LanguageError as error:
            assert wanted is None, (base, override, str(error))
            assert error.advice
            refused += 1
            continue
        assert wanted is not None, (base, override)
        fields, names = wanted
        mark = made.members("action")[0].mark
        assert (mark.fair, mark.says) == (fields["fair"], fields["says"]), (base, override)
        if mark.fair:
            units = units_of(made, ["put"])
            found = {frozenset(made.instances[number].arguments for number in unit.instances) for unit in units}
            assert found == sorted_by(own, names), (base, override)
            assert {unit.strong for unit in units} == {fields["fair"] == "strong"}
    assert refused < len(BASES) * len(OVERRIDES)


def marked(mark: Callable[[Any], Any], name: str = "seen") -> FunctionType:
    """A property of that name."""

    def seen(self: Any) -> bool:
        """It is."""
        return True

    seen.__name__ = name
    found = mark(seen)
    assert isinstance(found, FunctionType)
    return found


def always(_: Any) -> bool:
    """A condition."""
    return True


def test_every_field_of_every_mark_is_kept_or_said_anew() -> None:
    """Also those that nothing is decided by; `None` says that there is none."""
    told = {"by": "n", "to": "controller", "sends": "Vote", "receives": "Vote response", "says": "{n} votes"}
    base = protocol(Flag, put=method(("n", "v"), told))

    def fields(said: Said | None, parameters: tuple[str, ...] = ("n", "v")) -> dict[str, Any]:
        mark = protocol(base, put=method(parameters, said)).members("action")[0].mark
        return {name: getattr(mark, name) for name in told}

    assert fields(None) == fields({}) == told
    for name in told:
        assert fields({name: "n"}) == {**told, name: "n"}
    for name in ("sends", "receives", "says"):
        assert fields({name: None}) == {**told, name: ""}
    with pytest.raises(LanguageError, match="the message Vote goes from nobody or to nobody"):
        fields({"to": None})
    nobody = {"by": "", "to": "controller", "sends": "", "receives": "", "says": ""}
    assert fields({}, ("v",)) == nobody  # of who acts no more nothing can be told
    optional = protocol(Flag, seen=marked(leads_to(fair=(), parts=("a",), optional=True)))
    derived = protocol(optional, seen=marked(leads_to(fair=())))
    assert [(one.mark.parts, one.mark.optional) for one in derived.members("leads_to")] == [(("a",), True)]
    assert not promised(derived())
    promise = protocol(optional, seen=marked(leads_to(fair=(), parts=(), optional=False)))
    assert [(one.mark.parts, one.mark.optional) for one in promise.members("leads_to")] == [((), False)]
    may = protocol(Flag, seen=marked(reachable(only_if=always)))
    assert protocol(may, seen=marked(reachable)).members("reachable")[0].mark.only_if is always
    assert protocol(may, seen=marked(reachable(only_if=None))).members("reachable")[0].mark.only_if is None


def test_another_role_takes_nothing_over() -> None:
    may = protocol(Flag, seen=marked(reachable(only_if=always)))
    must = protocol(may, seen=marked(invariant))
    (member,) = must.members("invariant")
    assert member.mark.only_if is None and not must.members("reachable")
    again = protocol(must, seen=marked(reachable))
    assert again.members("reachable")[0].mark.only_if is None


def test_what_was_taken_away_hands_nothing_on() -> None:
    base = protocol(Flag, put=method(("n", "v"), {"fair": "strong", "by": "n"}))
    without = protocol(base, put=None)
    assert not without.members("action") and not protocol(without, put=method(("n",), None)).members("action")
    anew = protocol(without, put=method(("v",), {}))
    assert anew.members("action")[0].mark.fair == ""


def test_a_method_that_is_put_back_is_as_it_was() -> None:
    base = protocol(Flag, put=method(("n", "v"), {"says": "before"}))
    other = protocol(base, put=method(("n", "v"), {"by": "n", "fair": "weak"}))
    back = protocol(other, put=vars(base)["put"])
    assert back.members("action")[0].mark == base.members("action")[0].mark
    assert mark_of(vars(base)["put"]) == base.members("action")[0].mark


def test_a_missing_parameter_is_told_with_what_to_write() -> None:
    base = protocol(Flag, put=method(("n", "v"), {"fair": "weak", "by": "n"}))
    with pytest.raises(LanguageError) as caught:
        protocol(base, put=method(("v",), {}))
    assert caught.value.message == "put takes the place of an action that is fair to each n, and has no such parameter"
    assert "say to whom it is fair: @action(fair=\"weak\", each=('v',))" in caught.value.advice
    assert protocol(base, put=method(("v",), {"each": ("v",)})).members("action")[0].mark.each == ("v",)


class Numbers(Protocol):
    """Each node's number is set to anything, until it is 3."""

    numbers: Map[Node, Small]

    @action(fair="strong", by="n")
    def put(self, n: Node, v: Small) -> None:
        """It is set."""
        require(self.numbers[n] < 3)
        self.numbers[n] = v

    @leads_to(fair=("put",))
    def arrives(self, n: Node) -> tuple[bool, bool]:
        """Every number is 3 in the end."""
        return True, self.numbers[n] == 3


class MarkedAnew(Numbers):
    """Not to zero; the mark says nothing, so each node goes on as it likes: 1, 2, 1, 2."""

    @action
    def put(self, n: Node, v: Small) -> None:
        """It is set to something else than zero."""
        require(v > 0)
        super().put(n, v)


class ToEachValue(Numbers):
    """What the other would be if it were fair to each value."""

    @action(each=("n", "v"))
    def put(self, n: Node, v: Small) -> None:
        """It is set to something else than zero."""
        require(v > 0)
        super().put(n, v)


class Unfair(Numbers):
    """Nobody has to."""

    @action(fair=None)
    def put(self, n: Node, v: Small) -> None:
        """It is set."""
        super().put(n, v)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_no_promise_is_kept_by_fairness_that_nobody_has_said(engine: Any) -> None:
    assert [one.verdict for one in epochal.check(MarkedAnew(), engine=engine).search.liveness.promises] == ["violated"]
    assert [one.verdict for one in epochal.check(ToEachValue(), engine=engine).search.liveness.promises] == ["holds"]
    with pytest.raises(LanguageError, match="arrives assumes that put is taken fairly"):
        epochal.check(Unfair(), engine=engine)
