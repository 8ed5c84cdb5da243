"""What the documents of several commands have in common: who answers, about what, and properties with their traces."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from epochal.checker.base.installed import TOOL, tool_version

Trace = dict[str, Any]
"""A run as an object in ITF, Apalache's format of traces."""
Bounds = dict[str, int]
"""Bounds by name."""
Counts = Annotated[dict[str, int], sorted]
"""How many of each name, by name."""
Configuration = dict[str, Any]
"""Settings by name."""
Kept = Annotated[Literal["holds", "violated"], lambda one: "violated" if one.doomed else "holds"]
"""The verdict where a fair run may lose."""


class Head(TypedDict):
    """Which tool answers."""

    tool: Annotated[str, lambda *_: TOOL]
    version: Annotated[str, lambda *_: tool_version()]


class Ended(Head):
    """Which tool answers, with which exit code (`epochal explain CODE`)."""

    exit_code: int


class OfProtocol(TypedDict):
    """Which protocol was asked about: its name, how the command line calls it, its settings and bounds."""

    protocol: Annotated[str, "protocol.name"]
    reference: str
    configuration: Annotated[Configuration, "protocol"]
    bounds: Annotated[Bounds, "protocol.bounds"]


class Subject(Head, OfProtocol):
    """Which tool answers about which protocol."""


class CrossCheck(TypedDict):
    """How many states, and steps from them, were repeated in the Python semantics; `cut` says why not more."""

    states: int
    steps: int
    cut: NotRequired[str]


class OfMember(TypedDict):
    """What a property says of itself."""

    id: Annotated[str, "member.name"]
    kind: Annotated[str, "member.mark.kind"]
    sentence: Annotated[str, "member.sentence"]
    source: Annotated[str, "member.where"]


class Property(OfMember):
    """One property. `length` is the number of states of its trace; for `reachable` the trace is the witness."""

    verdict: Literal["holds", "violated", "unknown", "not applicable"]
    length: int | None
    trace: Trace | None


class LivenessCase(TypedDict):
    """A property of infinite runs with one choice of its parameters.

    `waiting` counts the states in which its goal is still to come, `stopped` those of them in which a bound alone stops
    every fair step, and `losing_states` those from which a fair run may go on for ever without it.
    """

    arguments: dict[str, str]
    verdict: Kept
    waiting: int
    stopped: int
    losing_states: Annotated[int, "doomed"]
    doomed: int
    length: Annotated[int | None, "trace.length"]
    trace: Trace | None


class Need(TypedDict):
    """A property of infinite runs as if the action `without` were not fair, or none were (null).

    `losing_states` counts the states from which a run may then go on for ever without the goal.
    """

    without: Annotated[str | None, lambda need: need.without or None]
    verdict: Kept
    losing_states: Annotated[int, "doomed"]
    doomed: int


class Liveness(OfMember):
    """A property of infinite runs: `fair` are the actions whose fairness it assumes, `reason` why it was not checked.

    An `optional` property is checked only on request. What holds `once` is asked of the state a run begins with.
    `not_assumed` are actions that are marked fair and that a broken liveness property does not assume, because it was
    made before them; with them its run would not be fair.

    `never_due` says that it is kept because its premise never holds without its goal. `needs` are its verdicts without
    each of its assumptions, if that was asked.
    """

    optional: Annotated[bool, "member.mark.optional"]
    wish: bool
    once: Annotated[bool, "member.mark.once"]
    fair: list[str]
    not_assumed: list[str]
    verdict: Literal["holds", "violated", "not judged"]
    never_due: bool
    reason: str
    needs: list[Need]
    cases: list[LivenessCase]


class Assumed(TypedDict):
    """Actions of which every liveness property assumed fairness, as `restart=strong`, and those of which none did."""

    fair: Annotated[list[str], "words"]
    unfair: list[str]


class Ends(TypedDict):
    """States where nothing more happens: `kept` are all right, `bounded` are made by a bound alone.

    All right is what the predicates `declared` say, else where no liveness property waits. `trace` is a shortest run to
    one of the `others`.
    """

    total: int
    kept: int
    bounded: int
    others: int
    declared: list[str]
    length: Annotated[int | None, "trace.length"]
    trace: Trace | None


class Action(TypedDict):
    """One action: how many steps it took, and how many of them led to a new state."""

    name: str
    steps: int
    new_states: int


class RuleFailed(TypedDict):
    """A rule that could not be evaluated, with the run that leads to it."""

    message: str
    rule: str
    source: Annotated[str | None, "where"]
    length: Annotated[int, "trace.length"]
    trace: Trace
