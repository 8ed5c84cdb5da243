"""The digests of a specification: what counts in them and what does not, one difference at a time."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.identity.meaning import property_digests, specification_digest, text_digest, used_functions
from epochal.spec.language import (
    Ghost,
    Integers,
    Protocol,
    action,
    action_property,
    constraint,
    invariant,
    reachable,
    require,
)

Small = Annotated[int, Integers(0, 3)]


def tripled(n: int) -> int:
    """A function that only a lambda names."""
    return 3 * n


def doubled(n: int) -> int:
    """A function of the module."""
    return 2 * n


class Base(Protocol):
    """What the others differ from."""

    bright: ClassVar[bool] = True
    x: Small
    y: Small
    maybe: Small | None

    @property
    def sum(self) -> int:
        """A property that rules use."""
        return self.x + self.y

    def low(self, most: int) -> bool:
        """A helper."""
        return all(n < most for n in (self.x, self.y))

    @action
    def up(self, by: Small) -> None:
        """Goes up."""
        require(self.x + by < 3)
        more = self.x + by
        self.x = more

    @action
    def swap(self) -> None:
        """Changes places."""
        require(self.low(3))
        self.x, self.y = self.y, self.x

    @invariant
    def small(self) -> bool:
        """Both are small."""
        return self.sum < doubled(3)

    @reachable
    def high(self) -> bool:
        """One is high."""
        return self.x - self.y > 1

    @action_property
    def slow(self, new: Self) -> bool:
        """Is slow."""
        return new.y - self.y < 3


class Rewritten(Base):
    """Means the same."""

    @property
    def sum(self) -> int:
        """A property that rules use."""
        return self.y + self.x

    @action
    def up(self, by: Small) -> None:
        """Goes up, in other words."""
        after = by + self.x
        require(not after >= 3)
        self.x = after


class SaidOtherwise(Base):
    """Means the same, and is written the same."""

    @action
    def up(self, by: Small) -> None:
        """Other words
        on two lines."""
        # and a comment
        require(
            self.x + by < 3,
        )
        more = self.x + by
        self.x = more


class OtherGuard(Base):
    def up(self, by: Small) -> None:
        require(self.x + by < 2)
        more = self.x + by
        self.x = more


class OtherUpdate(Base):
    def up(self, by: Small) -> None:
        require(self.x + by < 3)
        self.y = self.x + by


class OtherHelper(Base):
    def low(self, most: int) -> bool:
        return all(n < most - 1 for n in (self.x, self.y))


class OtherOrder(Base):
    """Subtraction has a first and a second operand."""

    def high(self) -> bool:
        return self.y - self.x > 1


class OtherInvariant(Base):
    def small(self) -> bool:
        return self.sum < doubled(2)


class OtherStep(Base):
    def slow(self, new: Self) -> bool:
        return new.y - self.y < 2


class OtherKind(Base):
    @invariant
    def high(self) -> bool:
        return self.x - self.y > 1


class OtherInitial(Base):
    def initial(self) -> None:
        self.x = 1


class MayFail(Base):
    """The same steps, but one cannot always be evaluated."""

    def swap(self) -> None:
        require(self.low(3))
        self.x, self.y = self.y, self.x
        unused = self.maybe + 1  # type: ignore[operator]  # noqa: F841  # of none it fails


class PropertyMayFail(Base):
    def small(self) -> bool:
        unused = self.maybe + 1  # type: ignore[operator]  # noqa: F841  # of none it fails
        return self.sum < doubled(3)


class StepMayFail(Base):
    def slow(self, new: Self) -> bool:
        unused = new.maybe + 1  # type: ignore[operator]  # noqa: F841  # of none it fails
        return new.y - self.y < 3


class Constrained(Base):
    @constraint
    def near(self) -> bool:
        return self.x < 3


class ConstraintMayFail(Constrained):
    def near(self) -> bool:
        unused = self.maybe + 1  # type: ignore[operator]  # noqa: F841  # of none it fails
        return self.x < 3


class Hidden(Base):
    y: Ghost[Small]


class Wider(Base):
    y: Annotated[int, Integers(0, 4)]


class Renamed(Base):
    up = None  # type: ignore[assignment]  # none takes the action away

    @action
    def rise(self, by: Small) -> None:
        """Goes up."""
        require(self.x + by < 3)
        more = self.x + by
        self.x = more


class Never(Base):
    """Its witness applies under a condition that is false."""

    @reachable(only_if=lambda self: not self.bright)
    def high(self) -> bool:
        return self.x - self.y > 1


def digests(kind: type[Protocol]) -> tuple[str, str, dict[str, str]]:
    """All digests: of the rules, of their text, and of the properties."""
    model = compile_protocol(kind())
    return specification_digest(model), text_digest(model.protocol), property_digests(model)


BASE = digests(Base)


def test_digests_have_32_digits_and_stay() -> None:
    assert digests(Base) == BASE
    assert {len(BASE[0]), len(BASE[1]), *map(len, BASE[2].values())} == {32}
    assert list(BASE[2]) == ["small", "slow", "high"]
    assert len(set(BASE[2].values())) == 3


def test_other_words_mean_the_same() -> None:
    rules, text, properties = digests(Rewritten)
    assert (rules, properties) == (BASE[0], BASE[2])
    assert text != BASE[1]
    assert digests(SaidOtherwise) == BASE


CHANGED: dict[type[Protocol], list[str]] = {
    OtherGuard: [],
    OtherUpdate: [],
    OtherHelper: [],
    OtherOrder: ["high"],
    OtherInvariant: ["small"],
    OtherStep: ["slow"],
    OtherKind: ["high"],
    OtherInitial: [],
    Constrained: [],
    Renamed: [],
    MayFail: [],
    PropertyMayFail: ["small"],
    StepMayFail: ["slow"],
    Never: ["high"],
}


@pytest.mark.parametrize("kind", CHANGED, ids=lambda kind: kind.__name__)
def test_another_rule_is_another_digest(kind: type[Protocol]) -> None:
    rules, text, properties = digests(kind)
    assert rules != BASE[0]
    assert [name for name in properties if properties[name] != BASE[2][name]] == CHANGED[kind]
    if kind not in (OtherKind, Never):
        assert text != BASE[1], "decorators are not part of the text"


@pytest.mark.parametrize("kind", [Hidden, Wider], ids=lambda kind: kind.__name__)
def test_another_state_is_another_digest_of_the_same_text(kind: type[Protocol]) -> None:
    rules, text, _ = digests(kind)
    assert (rules != BASE[0], text) == (True, BASE[1])


def test_a_constraint_that_may_fail_is_another_one() -> None:
    assert digests(ConstraintMayFail)[0] != digests(Constrained)[0]


def test_the_functions_that_rules_consist_of() -> None:
    """Also those that only others of them name, and what an override takes the place of."""
    names = sorted(function.__qualname__ for function in used_functions(OtherGuard()))
    own = ["Base.high", "Base.low", "Base.slow", "Base.small", "Base.sum", "Base.swap", "OtherGuard.up", "doubled"]
    assert names == own
    assert "OtherInitial.initial" in [function.__qualname__ for function in used_functions(OtherInitial())]


class Above(Base):
    def up(self, by: Small) -> None:
        super().up(by)


def test_what_super_calls_is_one_of_them() -> None:
    names = [function.__qualname__ for function in used_functions(Above())]
    assert {"Above.up", "Base.up"} <= set(names)


class Within(Base):
    @invariant
    def all_small(self) -> bool:
        return all(doubled(x) < 20 for x in [self.x]) and (lambda most: tripled(self.x) < most)(30)


def test_what_is_named_inside_a_comprehension_is_one_of_them() -> None:
    names = [function.__qualname__ for function in used_functions(Within())]
    assert {"doubled", "tripled"} <= set(names)


def without_source(text: str) -> Protocol:
    """A protocol whose text stands nowhere."""
    names = dict(globals())
    exec(f"class Made(Base):\n    def low(self, most):\n        {text}", names)
    made: type[Protocol] = names["Made"]
    return made()


def test_rules_without_a_text_are_known_by_their_code() -> None:
    one, same, other = (
        text_digest(without_source(text))
        for text in ("return self.x < most", "return self.x < most", "return self.x > most")
    )
    assert one == same != other
    assert one != BASE[1]
