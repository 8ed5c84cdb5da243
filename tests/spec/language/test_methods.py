"""A method that cannot be what it stands for is refused where it stands, when its class is made."""

from __future__ import annotations

import pytest

from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.language import Bounds, LanguageError, Protocol, action, require

HERE = "tests/spec/language/test_methods.py"


@pytest.mark.parametrize("says", ["{who} sets the flag", "{", "{value.index}", "{0}", "{value:d}", "{value!r}"])
def test_a_sentence_that_names_no_parameter(says: str) -> None:
    """Although no story has to be told yet."""
    with pytest.raises(LanguageError) as caught:

        class Misspelt(Protocol):
            bounds: Bounds
            flag: bool

            @action(by="who", says=says)
            def set_flag(self, value: bool) -> None:
                self.flag = value

    assert f"the sentence {says!r} of set_flag cannot be filled in: " in caught.value.message
    assert caught.value.advice == "In braces may stand only the parameters of the action: value."
    assert caught.value.where is not None and caught.value.where.file == HERE


class Base(Protocol):
    """A step that asks a rule."""

    bounds: Bounds
    flag: bool

    @action(says="{value} is set")
    def set_flag(self, value: bool) -> None:
        """Set it."""
        require(self.may(value, other=self.flag))
        self.flag = value

    def may(self, value: bool, by: bool = False, *, other: bool) -> bool:
        """Whether it may be set."""
        return value or by or other


def test_a_sentence_of_a_step_that_was_replaced() -> None:
    """The override keeps the mark, and has lost the parameter."""
    with pytest.raises(LanguageError, match=r"the sentence '\{value\} is set' of set_flag cannot"):

        class Renamed(Base):
            def set_flag(self, flag: bool) -> None:
                self.flag = flag


def test_a_rule_with_another_signature() -> None:
    """The method of the user is named, with its line, and what it should take."""
    with pytest.raises(LanguageError) as caught:

        class Wrong(Kip320):
            def end(self) -> int:  # type: ignore[override]
                return 0

    assert caught.value.message == "Wrong.end takes (self), and the rule that it replaces takes (self, r)"
    assert caught.value.where is not None and caught.value.where.file == HERE
    assert caught.value.advice.startswith("Write def end(self, r: ")
    assert ": as spec/classic/" in caught.value.advice
    with pytest.raises(LanguageError, match=r"takes \(self, value, by\), and the rule that it replaces takes"):

        class Fewer(Base):
            def may(self, value: bool, by: bool = False) -> bool:  # type: ignore[override]
                return value or by


def test_a_rule_may_take_more_and_call_it_otherwise() -> None:
    class More(Base):
        def may(self, wanted: bool, by: bool = True, also: bool = True, **rest: bool) -> bool:  # type: ignore[override]
            return wanted and by and also

    class Another(Base):
        def set_flag(self) -> None:  # type: ignore[override]
            """A step chooses its parameters itself."""
            self.flag = True

        set_flag = action(set_flag)

    assert [one.label for one in Another().instances] == ["SetFlag()"]
    assert [one.label for one in More().instances] == [one.label for one in Base().instances]
