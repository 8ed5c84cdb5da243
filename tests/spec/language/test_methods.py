"""A method that cannot be what it stands for is refused where it stands, when its class is made."""

from __future__ import annotations

from typing import Annotated

import pytest

import epochal
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.language import Bounds, Integers, LanguageError, Protocol, action, invariant, require, view

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
            def end(self) -> int:  # type: ignore[override]  # which is the mistake
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
        def may(self, wanted: bool, by: bool = True, also: bool = True, **rest: bool) -> bool:  # type: ignore[override]  # other names
            return wanted and by and also

    class Another(Base):
        def set_flag(self) -> None:  # type: ignore[override]
            """A step chooses its parameters itself."""
            self.flag = True

        set_flag = action(set_flag)

    assert [one.label for one in Another().instances] == ["SetFlag()"]
    assert More().may(True, other=True)


# A method that a class has by assignment alone, from one that is no base of it, has no `super()`.

Small = Annotated[int, Integers(0, 3)]


class Counts(Protocol):
    """A protocol whose methods another one borrows."""

    n: Small

    @action
    def count(self) -> None:
        """One more."""
        require(self.n < 3)
        self.n += 1

    def is_fine(self) -> bool:
        """A rule."""
        return True

    @property
    def shown(self) -> bool:
        """A property of Python."""
        return True

    @invariant
    def holds(self) -> bool:
        """Reads both."""
        return self.is_fine() and self.shown

    @view(of="controller")
    def in_words(self) -> str:
        """No engine runs it."""
        return "words"

    def initial(self) -> None:
        """Nothing yet."""
        self.n = 0


class CallsBase(Counts):
    """All of them by way of super()."""

    def count(self) -> None:
        super().count()

    def is_fine(self) -> bool:
        return super().is_fine()

    @property
    def shown(self) -> bool:
        return super().shown

    def holds(self) -> bool:
        return super().holds()

    def in_words(self) -> str:
        return super().in_words()

    def initial(self) -> None:
        super().initial()


BORROWED = [name for name in vars(CallsBase) if name in vars(Counts) and not name.startswith("_")]


@pytest.mark.parametrize("name", BORROWED)
def test_a_borrowed_method_has_no_super(name: str) -> None:
    """Python finds no base class there, and says so only when the method is called."""
    with pytest.raises(LanguageError, match="in a method of CallsBase, from which Borrows is not derived") as error:
        type("Borrows", (Counts,), {name: vars(CallsBase)[name]})
    assert error.value.where is not None and error.value.where.function == name
    derived = type("Derived", (CallsBase,), {name: vars(CallsBase)[name]})
    assert not epochal.check(derived()).violated


@pytest.mark.parametrize("name", ["count", "is_fine", "shown", "holds"])
@pytest.mark.parametrize("engine", ["native", "python"])
def test_nor_has_one_that_is_borrowed_later(name: str, engine: str) -> None:
    """The compiler finds it in a class that was changed after it was made."""
    late = type("Late", (Counts,), {})
    setattr(late, name, vars(CallsBase)[name])
    with pytest.raises(LanguageError, match="in a method of CallsBase, from which Late is not derived"):
        epochal.check(late(), engine=engine)
