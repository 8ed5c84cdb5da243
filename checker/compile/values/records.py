"""Records as values: a snapshot whose fields depend on the state, and one that may be none."""

from __future__ import annotations

from typing import Any

from epochal.spec.language import Struct
from epochal.spec.language.domains import Domain

from ...ir.expression import Expression
from ..execution import Execution, Place
from .known import is_hashable, record_domain
from .symbolic import Family, Symbolic

Origin = tuple[Place, int]
"""A place of the state that a record was taken from, and the time of its view's clock then."""


class SymStruct(Symbolic):
    """A record whose fields depend on the state: a snapshot, not a place that can be assigned.

    In Python a record that was chosen by a condition is still a part of the state, if it was one before. `origins` are
    the places it may be: once a part of them changes, the snapshot is not what Python sees, and its use is refused.
    """

    family = Family.RECORD
    has_fields = True

    def __init__(
        self, execution: Execution, type: type[Struct], fields: dict[str, Any], origins: tuple[Origin, ...] = ()
    ) -> None:
        self.__dict__.update(_execution=execution, _type=type, _values=fields, _origins=origins)

    @property
    def origins(self) -> tuple[Origin, ...]:
        """The places of the state that this record may be in Python."""
        found: tuple[Origin, ...] = self.__dict__["_origins"]
        return found

    @property
    def record_type(self) -> type[Struct]:
        """The class of the record."""
        found: type[Struct] = self.__dict__["_type"]
        return found

    def hashable(self) -> bool:
        return all(is_hashable(value) for value in self.__dict__["_values"].values())

    @property
    def described(self) -> str:
        return f"a {self.record_type.__name__}"

    def truth(self) -> Expression:
        return self._execution.graph.true

    def smallest_domain(self) -> Domain | None:
        return record_domain(self._execution, self.record_type, self.field)

    def field(self, name: str) -> Any:
        """A field of the record."""
        values = self.__dict__["_values"]
        if name not in values:
            raise self._execution.error(
                f"{self.record_type.__name__} has no field {name!r}; it has {', '.join(values)}",
                "Use one of its fields.",
            )
        if any(place.was_changed(since) for place, since in self.__dict__["_origins"]):
            raise self._execution.error(
                f"this {self.record_type.__name__} is a record of the state, chosen before a part of it was changed",
                "Read the fields you need into variables before the change, or choose the record again after it.",
            )
        return values[name]

    def __setattr__(self, name: str, value: object) -> None:
        raise self._execution.error(
            f"this {self.record_type.__name__} is a value, not a place in the state, and cannot be changed in place",
            "Write the whole record to its place.",
        )


class SymMaybeStruct(Symbolic):
    """A record or none: a snapshot with the condition under which there is a record."""

    family = Family.MAYBE_RECORD
    has_fields = True

    def __init__(self, execution: Execution, present: Expression, record: SymStruct) -> None:
        self.__dict__.update(_execution=execution, _present=present, _record=record)

    @property
    def present(self) -> Expression:
        """Whether there is a record."""
        found: Expression = self.__dict__["_present"]
        return found

    @property
    def record(self) -> SymStruct:
        """The record, without a check that there is one."""
        found: SymStruct = self.__dict__["_record"]
        return found

    def hashable(self) -> bool:
        return self.record.hashable()

    @property
    def described(self) -> str:
        return f"{self.record.described} or none"

    def truth(self) -> Expression:
        return self.present

    def required(self) -> SymStruct:
        """The record, which must be there: evaluation fails otherwise."""
        self._execution.fail_if(self._execution.graph.not_(self.present), "none is used as a record")
        return self.record

    def field(self, name: str) -> Any:
        """A field of the record, which must be there."""
        return self.required().field(name)

    def __setattr__(self, name: str, value: object) -> None:
        raise self._execution.error(
            "an optional record read into a variable cannot be changed in place", "Write the whole record to its place."
        )


def origins_of(record: Any) -> tuple[Origin, ...]:
    """The places of the state that a record is, or may be, in Python."""
    found: tuple[Origin, ...] = getattr(record, "origins", ()) if isinstance(record, Symbolic) else ()
    return found
