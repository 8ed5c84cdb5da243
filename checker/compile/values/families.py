"""The families of values: what decides how two values are compared and joined."""

from __future__ import annotations

import enum


class Family(enum.Enum):
    """A family has values of Python, known ones, and values that depend on the state; NAME has only the latter."""

    __hash__ = object.__hash__  # members are single objects, and are hashed for every comparison

    TRUTH = "a truth value"
    NUMBER = "an integer"
    NAME = "an identifier or a member of an enumeration"
    OPTIONAL = "a scalar or none"
    RECORD = "a record"
    MAYBE_RECORD = "a record or none"
    SET = "a set"
    TUPLE = "a tuple"
    LIST = "a list"
    LOG = "a log"
    MAP = "a map"
    NONE = "none"
    UNUSABLE = "a variable that branches leave without one value"
    OTHER = "anything else"
