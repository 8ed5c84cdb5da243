"""A fair action that a variant adds, and that a promise from before it does not assume, is told where that breaks."""

from __future__ import annotations

from typing import Any

import pytest

import epochal
from epochal.spec.language import Protocol, action, ends, leads_to, require


class Letter(Protocol):
    """A letter that is written and read."""

    written: bool
    read: bool

    @action(fair="weak")
    def write(self) -> None:
        """Somebody writes it."""
        require(not self.written)
        self.written = True

    @action(fair="weak")
    def read_it(self) -> None:
        """Somebody reads it."""
        require(self.may_read() and not self.read)
        self.read = True

    @action(fair="weak")
    def burn(self) -> None:
        """Somebody could burn it, which the promise leaves out on purpose."""
        require(self.written and not self.read)
        self.read = True

    def may_read(self) -> bool:
        """Whether it is there to be read."""
        return self.written

    @leads_to(fair=("write", "read_it"))
    def is_read(self) -> tuple[bool, bool]:
        """It is read in the end."""
        return True, self.read


class Posted(Letter):
    """It has to be brought, too."""

    brought: bool

    def may_read(self) -> bool:
        """Who has it."""
        return self.brought

    @action(fair="weak")
    def bring(self) -> None:
        """The postman brings it."""
        require(self.written and not self.brought)
        self.brought = True

    @action
    def forge(self) -> None:
        """Somebody brings another, which nobody has to."""
        require(self.written and not self.brought)
        self.brought = True


class Known(Posted):
    """A promise that knows the postman."""

    @leads_to(fair=("write", "bring", "read_it"))
    def is_read(self) -> tuple[bool, bool]:
        """It is read in the end."""
        return True, self.read


class LeftOut(Posted):
    """A promise that knows the postman, and does not count on him."""

    @leads_to(fair=("write", "read_it"))
    def is_read(self) -> tuple[bool, bool]:
        """It is read in the end."""
        return True, self.read


ADVICE = (
    'bring is marked fair, and is_read does not assume it; to assume it: --fair bring (in Python: fair=["bring"]), '
    'or override the property with @leads_to(fair=(..., "bring"))'
)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_was_added_is_told_with_what_to_write(engine: Any) -> None:
    found = epochal.check(Posted(), engine=engine)
    assert found.exit_code == 13
    assert str(found).count(ADVICE) == 2  # a warning, and in the story
    document: Any = found.to_dict()
    assert document["liveness"][0]["not_assumed"] == ["bring"]
    assert epochal.check(Posted(), engine=engine, fair=["bring"]).holds
    assert epochal.check(Known(), engine=engine).holds


def test_what_is_left_out_on_purpose_is_not_told() -> None:
    """And what could not be taken where the run stays, as here where nobody writes."""
    asked: list[tuple[Protocol, tuple[str, ...]]] = [
        (LeftOut(), ()),
        (Posted(), ("write", "read_it")),
        (Known(), ("bring",)),
    ]
    for protocol, unfair in asked:
        found = epochal.check(protocol, unfair=unfair)
        assert found.exit_code == 13
        document: Any = found.to_dict()
        assert document["liveness"][0]["not_assumed"] == [], (protocol, unfair)


class Still(Protocol):
    """A step that changes nothing, and where a run may end if somebody says so."""

    on: bool

    @action
    def stay(self) -> None:
        """Nothing happens."""
        self.on = False


class MayEnd(Still):
    """It may."""

    @ends
    def anywhere(self) -> bool:
        """A run may end anywhere."""
        return not self.on


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_state_that_only_comes_to_itself_is_one_dead_end(engine: Any) -> None:
    for protocol, code in ((Still(), 11), (MayEnd(), 0)):
        found = epochal.check(protocol, engine=engine, deadlock=True)
        document: Any = found.to_dict()
        assert (document["dead_ends"], document["ends"]["total"]) == (1, 1)
        assert found.exit_code == code
