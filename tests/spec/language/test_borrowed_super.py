"""A method that a class has by assignment alone, from one that is no base of it, has no `super()`."""

from __future__ import annotations

from typing import Annotated

import pytest

import epochal
from epochal.spec.language import Integers, LanguageError, Protocol, action, invariant, require, view

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
