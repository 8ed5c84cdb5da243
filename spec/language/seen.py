"""A record of the state seen as a state of another protocol, whose own steps are taken in it: what a refinement needs.

A protocol carries the state of a more abstract one along as history, and with each of its steps attempts the steps of
the abstract protocol that do the same. No rule is written twice::

    abstract = seen_as(Kip320, self.abstract, bounds)
    allowed = attempt(abstract.fetch, follower, leader)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import zip_longest
from typing import Any, TypeVar, cast

from .bounds import Bounds
from .domains import StructDomain
from .errors import Disabled, LanguageError
from .protocol import Protocol
from .values import Struct

P = TypeVar("P", bound=Protocol)
RECORD = "_seen_record"


def seen_as(protocol: type[P], record: Struct, bounds: Bounds) -> P:
    """A record of the state as a state of `protocol`, whose words can be asked and whose steps can be attempted.

    The record has a field for every variable of the protocol within those bounds: of the same name and domain, in the
    same order. It is changed by `attempt` alone. Raises LanguageError if the record is another one.
    """
    domain = record._domain
    if not isinstance(domain, StructDomain):
        raise LanguageError("only a record of the state can be seen as a protocol", advice="Store it in a variable.")
    seen = like(cast(Any, protocol), bounds, domain).at(domain.codes_of(record))
    seen.__dict__[RECORD] = record
    return cast(P, seen)


def attempt(step: Callable[..., None], *arguments: Any) -> bool:
    """Take a step of a protocol that `seen_as` gave, if it is enabled there. Says whether it was.

    If it was not, nothing changes. It has an effect, and so stands in a statement of its own.
    """
    seen = getattr(step, "__self__", None)
    record = seen.__dict__.get(RECORD) if isinstance(seen, Protocol) else None
    if seen is None or record is None:
        raise LanguageError(
            "attempt takes a step of a state that seen_as gave", advice="attempt(seen_as(P, record, bounds).step, ...)"
        )
    before = seen.codes()
    try:
        step(*arguments)
    except Disabled:
        seen.load(before)
        return False
    for name in seen.variables:
        setattr(record, name, getattr(seen, name))
    return True


@cache
def like(protocol: type[Protocol], bounds: Bounds, record: StructDomain) -> Protocol:
    """A state of the protocol within these bounds, which a record of this domain can stand for."""
    made = protocol(bounds)
    wanted = [(f".{leaf.path}", str(leaf.domain)) for leaf in made.leaves]
    found = [(leaf.path, str(leaf.domain)) for leaf in record.leaves]
    if found != wanted:
        path = next(w[0] for w, f in zip_longest(wanted, found, fillvalue=("", "")) if w != f)
        raise LanguageError(
            f"{record.type.__name__} cannot stand for a state of {protocol.__name__}, from {path or 'the end'} on",
            advice=f"Its fields must be the variables, in this order: {', '.join(made.variables)}.",
        )
    return made
