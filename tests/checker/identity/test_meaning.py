"""The digests of a specification: what counts in them and what does not, one difference at a time."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.identity.meaning import property_digests, specification_digest, text_digest, used_functions
from epochal.spec.language import (
    Integers,
    Protocol,
)
from tests.zoo.rows import Row, made, rows

Small = Annotated[int, Integers(0, 3)]


def tripled(n: int) -> int:
    """A function that only a lambda names."""
    return 3 * n


def doubled(n: int) -> int:
    """A function of the module."""
    return 2 * n


Base: type[Any] = made(
    globals(),
    "Protocol",
    """
    Base: What the others differ from.
        bright: ClassVar[bool] = True
        x: Small
        y: Small
        maybe: Small | None
        @property
        def sum(self) -> int:
            # A property that rules use.
            return self.x + self.y
        def low(self, most: int) -> bool:
            # A helper.
            return all(n < most for n in (self.x, self.y))
        action up(by: Small): Goes up.
            require(self.x + by < 3)
            more = self.x + by
            self.x = more
        action swap: Changes places.
            require(self.low(3))
            self.x, self.y = self.y, self.x
        invariant small: Both are small.
            return self.sum < doubled(3)
        reachable high: One is high.
            return self.x - self.y > 1
        action_property slow: Is slow.
            return new.y - self.y < 3
    """,
)


CHANGED = rows(
    globals(),
    "Base",
    """
    Rewritten: text
        # Means the same.
        @property
        def sum(self) -> int:
            return self.y + self.x
        action up(by: Small)
            after = by + self.x
            require(not after >= 3)
            self.x = after
    SaidOtherwise:
        # Means the same, and is written the same.
        action up(by: Small)
            '''Other words
            on two lines.'''
            # and a comment
            require(
                self.x + by < 3,
            )
            more = self.x + by
            self.x = more
    OtherGuard: rules text
        def up(self, by: Small) -> None:
            require(self.x + by < 2)
            more = self.x + by
            self.x = more
    OtherUpdate: rules text
        def up(self, by: Small) -> None:
            require(self.x + by < 3)
            self.y = self.x + by
    OtherHelper: rules text
        def low(self, most: int) -> bool:
            return all(n < most - 1 for n in (self.x, self.y))
    OtherOrder: rules text high
        def high(self) -> bool:
            return self.y - self.x > 1
    OtherInvariant: rules text small
        def small(self) -> bool:
            return self.sum < doubled(2)
    OtherStep: rules text slow
        def slow(self, new: Self) -> bool:
            return new.y - self.y < 2
    OtherKind: rules high
        invariant high
            return self.x - self.y > 1
    OtherInitial: rules text
        def initial(self) -> None:
            self.x = 1
    MayFail: rules text
        def swap(self) -> None:
            require(self.low(3))
            self.x, self.y = self.y, self.x
            unused = self.maybe + 1  # of none it fails
    PropertyMayFail: rules text small
        def small(self) -> bool:
            unused = self.maybe + 1  # of none it fails
            return self.sum < doubled(3)
    StepMayFail: rules text slow
        def slow(self, new: Self) -> bool:
            unused = new.maybe + 1  # of none it fails
            return new.y - self.y < 3
    Constrained: rules text
        constraint near
            return self.x < 3
    Renamed: rules text
        up = None
        action rise(by: Small)
            require(self.x + by < 3)
            more = self.x + by
            self.x = more
    Never: rules high
        @reachable(only_if=lambda self: not self.bright)
        def high(self) -> bool:
            return self.x - self.y > 1
    Hidden: rules
        y: Ghost[Small]
    Wider: rules small slow
        y: Annotated[int, Integers(0, 4)]
    ConstraintMayFail < Constrained: rules text
        def near(self) -> bool:
            unused = self.maybe + 1  # of none it fails
            return self.x < 3
    Above: text
        def up(self, by: Small) -> None:
            super().up(by)
    """,
)
"""What is another digest: that of the rules, that of their text, or that of a property."""


NOT_COMPILED = rows(
    globals(),
    "Base",
    """
    Within:
        invariant all_small
            return all(doubled(x) < 20 for x in [self.x]) and (lambda most: tripled(self.x) < most)(30)
    """,
)


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


@pytest.mark.parametrize("row", CHANGED.values(), ids=CHANGED)
def test_what_another_rule_changes(row: Row) -> None:
    rules, text, properties = digests(row.kind)
    differs = {"rules": rules != BASE[0], "text": text != BASE[1]}
    differs |= {name: properties.get(name) != BASE[2].get(name) for name in BASE[2] | properties}
    assert [name for name, differ in differs.items() if differ] == row.expected.split()


def test_a_constraint_that_may_fail_is_another_one() -> None:
    failing, constrained = (digests(CHANGED[name].kind)[0] for name in ("ConstraintMayFail", "Constrained"))
    assert failing != constrained


def used(name: str) -> list[str]:
    """The functions that the rules of a variant consist of."""
    return sorted(function.__qualname__ for function in used_functions((CHANGED | NOT_COMPILED)[name].kind()))


def test_the_functions_that_rules_consist_of() -> None:
    """Also those that only others of them name, and what an override takes the place of."""
    own = ["Base.high", "Base.low", "Base.slow", "Base.small", "Base.sum", "Base.swap", "OtherGuard.up", "doubled"]
    assert used("OtherGuard") == own
    assert "OtherInitial.initial" in used("OtherInitial")
    assert {"Above.up", "Base.up"} <= {*used("Above")}, "what super calls is one of them"
    assert {"doubled", "tripled"} <= {*used("Within")}, "and what is named inside a comprehension"


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
