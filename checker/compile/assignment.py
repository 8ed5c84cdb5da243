"""What a rewritten rule calls for assignments and for operators that Python would apply to anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from epochal.spec.language import Struct
from epochal.spec.language.errors import shown_value

from ..ir.expression import LIMIT
from .execution import Execution
from .iteration import Iteration, StateProxy
from .values.families import Family
from .values.known import family_of, is_unordered, kind_of
from .values.symbolic import Symbolic
from .values.unusable import Unassigned

Operator = Callable[[Any, Any], Any]
LONGEST = 100_000
"""How many elements a list or tuple may be made to have by `*`."""


class Assignment(Iteration):
    """The assignments of a compilation. `attribute` reads an attribute for a rule."""

    def __init__(self, execution: Execution) -> None:
        super().__init__(execution)
        self.attribute: Callable[[Any, str], Any] = getattr

    # -- targets --------------------------------------------------------------------------------------------------

    def with_fields(self, target: Any) -> Any:
        """What an assignment to a field changes, which must be a part of the state."""
        if isinstance(target, StateProxy) or (isinstance(target, Symbolic) and target.has_fields):
            return target
        raise self._not_a_place(target)

    def with_entries(self, target: Any) -> Any:
        """What an assignment to an entry changes, which must be a part of the state."""
        if isinstance(target, Symbolic) and target.has_entries:
            return target
        raise self._not_a_place(target)

    def _not_a_place(self, target: Any) -> Exception:
        shown = f"{shown_value(target)}" if kind_is_plain(target) else f"a {type(target).__name__}"
        return self.execution.error(
            f"{shown} is not a part of the state and cannot be changed in place",
            "Make a new value with all its parts and assign that.",
        )

    def update_field(self, owner: Any, name: str, operator: Operator, value: Callable[[], Any]) -> None:
        """`owner.name += value`, and the like."""
        old = self.augmented(self.attribute(self.with_fields(owner), name))
        setattr(owner, name, operator(old, value()))

    def update_entry(self, owner: Any, key: Any, operator: Operator, value: Callable[[], Any]) -> None:
        """`owner[key] += value`, and the like."""
        old = self.augmented(self.with_entries(owner)[key])
        owner[key] = operator(old, value())

    def augmented(self, value: Any) -> Any:
        """The old value in an augmented assignment. What Python would change in place is refused."""
        value = self.local(value)
        if isinstance(value, list | dict):
            raise self.execution.error("a list cannot be changed in place", "Assign a new one: x = x + [...].")
        if family_of(value) is Family.SET and kind_of(value) is set:
            raise self.execution.error(
                "a plain set is changed in place by this, and with it every other name for it",
                "Assign a new one: x = x | {...}.",
            )
        return value

    def local(self, value: Any) -> Any:
        """A local variable that is read where a path may not have assigned it."""
        if isinstance(value, Unassigned):
            raise self.execution.error("a variable is read that is not assigned on every path", value.instead)
        return value

    # -- values ---------------------------------------------------------------------------------------------------

    def parts(self, value: Any, count: int) -> Any:
        """The parts of a pair or tuple that a comprehension takes apart."""
        if not isinstance(value, tuple | list) or len(value) != count:
            raise self.execution.error(
                f"{shown_value(value)} cannot be taken apart into {count} names", "Name the whole, and use its parts."
            )
        return value

    def unpacked(self, value: Any) -> Any:
        """A value that an assignment takes apart. The parts of a plain set have no order."""
        for part in (value, *(value if isinstance(value, tuple | list) else ())):
            if is_unordered(part):
                raise self.execution.error("Python defines no order for the elements of a plain set", "Name a tuple.")
        return value

    def taken(self, value: Any) -> Any:
        """A value that is kept beside the state: a record as it is now, of whose changes is known."""
        return value.taken() if isinstance(value, Symbolic) else value

    # -- operators ------------------------------------------------------------------------------------------------

    def modulo(self, a: Any, b: Any) -> Any:
        """`%`, which is no formatting here."""
        if isinstance(a, str | bytes):
            raise self.execution.error(
                "the specification language does not have formatted texts", "Compute with numbers."
            )
        return a % b

    def product(self, a: Any, b: Any) -> Any:
        """`*`, of which the result must have a size that a rule can work with."""
        for some, times in ((a, b), (b, a)):
            if isinstance(some, str | bytes | list | tuple) and isinstance(times, int) and len(some) * times > LONGEST:
                raise self.execution.error(f"a result of more than {LONGEST:,} elements", "Use a smaller one.")
        return self._bounded(a * b)

    def power(self, a: Any, b: Any) -> Any:
        """`**`, for known numbers."""
        if (
            isinstance(a, int)
            and isinstance(b, int)
            and abs(a) > 1
            and b * abs(a).bit_length() > 2 * LIMIT.bit_length()
        ):
            raise self.execution.error("a value can exceed 62 bits", "Use smaller domains, or less arithmetic.")
        return self._bounded(a**b)

    def shifted(self, a: Any, b: Any) -> Any:
        """`<<`, for known numbers."""
        if isinstance(a, int) and isinstance(b, int) and b > LIMIT.bit_length() and a != 0:
            raise self.execution.error("a value can exceed 62 bits", "Use smaller domains, or less arithmetic.")
        return a << b

    def _bounded(self, value: Any) -> Any:
        """A result that is not too large a number to go on with."""
        if type(value) is int and abs(value) > 1 << 4 * LIMIT.bit_length():
            raise self.execution.error("a value can exceed 62 bits", "Use smaller domains, or less arithmetic.")
        return value


def kind_is_plain(value: Any) -> bool:
    """Whether the text of a value says what it is, and is the same in every run."""
    return isinstance(value, Symbolic | Struct | int | str | list | tuple | dict | frozenset | type(None))
