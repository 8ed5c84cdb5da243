"""What a variable holds where branches leave it without one value: it may not be used, and says so if it is."""

from __future__ import annotations

from .families import Family
from .symbolic import Symbolic


class Unassigned(Symbolic):
    """What a variable holds on a path that did not assign it."""

    described = "a variable that is not assigned on every path"
    family = Family.UNUSABLE
    comparable = False
    instead = "Assign it before the if."


class Mixed(Symbolic):
    """What a variable holds after branches that gave it values of different kinds."""

    described = "a variable to which the branches give different kinds of values"
    family = Family.UNUSABLE
    comparable = False
    instead = "Use a variable of its own in each branch."
