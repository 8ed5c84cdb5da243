"""Which properties a search is asked to check."""

from __future__ import annotations

from collections.abc import Callable

from epochal.spec.language import Member, Protocol

from ..compile.compiler import compile_protocol
from ..ir.model import Model
from ..properties import all_properties, chosen
from .result import Options


def chosen_properties(protocol: Protocol, options: Options) -> list[Member]:
    """The properties that the options ask for. Raises UsageError for an id that the protocol does not have."""
    if options.properties is None:
        return all_properties(protocol, options.lemmas)
    return chosen(protocol, options.properties, options.lemmas, options.liveness)


def compiled_properties(protocol: Protocol, options: Options) -> list[Member]:
    """The properties that a search compiles: all of them, or with lemmas only those that the options ask for.

    There may be more lemmas than can be checked together.
    """
    if options.lemmas and options.properties is not None:
        return chosen_properties(protocol, options)
    return all_properties(protocol, options.lemmas)


def compiled_for(protocol: Protocol, options: Options, report: Callable[[str], None]) -> Model:
    """The protocol with the properties and promises that a search needs."""
    wanted = {member.name for member in compiled_properties(protocol, options)}
    return compile_protocol(protocol, options.lemmas, report, only=wanted, promises=True)
