"""What keeps a whole protocol from having a parametric reading: all of it at once, not one line after the other."""

from __future__ import annotations

from epochal.spec.language import Protocol
from epochal.spec.language.class_lines import annotation_line
from epochal.spec.language.errors import source_line

from .domains import AnyBounds, Domains
from .refused import NoReading
from .rules import ParametricReading


def obstacles(protocol: type[Protocol]) -> list[NoReading]:
    """What no rule of the protocol can be read for; nothing if `ParametricReading` reads it."""
    found = [
        NoReading("a constraint", "Say it as a guard of the actions.", source_line(member.function))
        for member in protocol.members("constraint")
    ]
    domains = Domains(AnyBounds(protocol.bounds_type()))
    for name, annotation in protocol._annotations().items():
        if name != "bounds" and "ClassVar" not in str(annotation):
            try:
                domains(annotation)
            except NoReading as refused:
                refused.where = refused.where or annotation_line(protocol, name)
                found.append(refused)
    try:
        ParametricReading(protocol)
    except NoReading as refused:
        return found or [refused]
    return []
