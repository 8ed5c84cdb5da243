"""The documents of the commands that ask Z3: bmc, prove and compare."""

from __future__ import annotations

from typing import Literal, TypedDict

from .common import Bounds, CrossCheck, Head, RuleFailed, Subject, Trace


class Length(TypedDict):
    """Runs of so many steps: what they show."""

    steps: int
    verdict: str
    shown: list[str]
    seconds: float


class BoundedProperty(TypedDict):
    """One property: after how many steps a run shows it first, or up to how many none does."""

    id: str
    kind: str
    sentence: str
    source: str
    verdict: Literal["none", "violated", "reached", "unknown"]
    steps: int
    trace: Trace | None


class FirstTaken(TypedDict):
    """After how many steps an action can first be taken; null if no run takes it."""

    name: str
    first_taken: int | None


class Bounded(Subject):
    """`epochal bmc`. `actions` is null unless they were asked for; seconds of a length are of the processor."""

    engine: Literal["z3"]
    rlimit: int
    start: str
    start_is_reachable: bool
    length: int
    complete_to: int
    lengths: list[Length]
    properties: list[BoundedProperty]
    actions: list[FirstTaken] | None
    reason: str
    cross_check: CrossCheck | None
    warnings: list[str]
    replayed: list[str]
    error: RuleFailed | None
    solver_seconds: float
    cpu_seconds: float
    wall_seconds: float


class ProvedProperty(TypedDict):
    """One invariant, and whether it is proved."""

    id: str
    sentence: str
    source: str
    verdict: str


class Lemma(TypedDict):
    """One lemma; a trivial one holds in every typed state."""

    id: str
    sentence: str
    source: str
    trivial: bool


class Dropped(TypedDict):
    """A candidate lemma that was dropped, in which round and at which action."""

    id: str
    sentence: str
    round: int
    action: str
    obligation: str
    verdict: str


class Cell(TypedDict):
    """One action and one lemma: over all choices of the action's parameters.

    `nearest` says where the nearest state that was reached differs from the first state of the counterexample.
    """

    action: str
    column: str
    verdict: str
    obligations: int
    seconds: float
    counterexample: str | None
    first_state: str | int | bool | None
    nearest: str | int | bool | None
    trace: Trace | None


class Unknown(TypedDict):
    """An obligation on which the solver gave up."""

    obligation: str
    reason: str


class Prove(Subject):
    """`epochal prove`. `fallen` are candidates that were dropped, `needless` lemmas that the proof does not need."""

    engine: Literal["z3"]
    rlimit: int
    properties: list[ProvedProperty]
    lemmas: list[Lemma]
    fallen: list[Dropped]
    needless: list[str]
    matrix: list[Cell]
    obligations: int
    asked: int
    from_cache: int
    counterexamples: list[str]
    vacuous: list[str]
    warnings: list[str]
    unknown: list[Unknown]
    cross_check: CrossCheck | None
    replayed: list[str]
    solver_seconds: float
    cpu_seconds: float
    wall_seconds: float


class UnboundedCell(TypedDict):
    """One action and one lemma of a proof for every choice of the bounds.

    `parts` are the questions that the obligation was split into, of which `open` have no answer; `ways` say how the
    solver was asked. `trace` is a counterexample of the bounded prover, at `at`.
    """

    action: str
    column: str
    verdict: Literal["proved", "untouched", "counterexample", "unknown"]
    parts: int
    open: int
    resources: int
    seconds: float
    ways: list[str]
    counterexample: str | None
    at: Bounds | None
    trace: Trace | None


class ProveUnbounded(Subject):
    """`epochal prove --unbounded`. `bounds` are those of comparisons; nothing that is proved depends on them.

    `compared` counts evaluations of rules by both readings, `seen` names the actions that were seen to happen where all
    lemmas hold, and `looked` has the bounds at which counterexamples were looked for.
    """

    engine: Literal["z3"]
    unbounded: Literal[True]
    rlimit: int
    properties: list[ProvedProperty]
    lemmas: list[Lemma]
    matrix: list[UnboundedCell]
    obligations: int
    asked: int
    from_cache: int
    counterexamples: list[str]
    unknown: list[str]
    vacuous: list[str]
    warnings: list[str]
    seen: list[str]
    compared: int
    looked: list[Bounds]
    assumed: list[str]
    trusted: list[str]
    replayed: list[str]
    solver_seconds: float
    cpu_seconds: float
    wall_seconds: float


class Explored(TypedDict):
    """How far the states of one protocol were searched."""

    distinct_states: int
    searched: bool
    cut: str


class OnlyOneTakes(TypedDict):
    """A step that only one protocol takes: why the other does not."""

    scope: str
    step: str
    reason: str
    guard: str | None
    source: str | None
    changes: list[str]
    trace: Trace


class Difference(TypedDict):
    """One action: whether it differs in typed states, where the lemmas hold, and in reachable ones."""

    action: str
    counterpart: str | None
    typed: str
    lemmas: str
    reachable: str
    example: OnlyOneTakes | None


class SaidOfProperty(TypedDict):
    """The verdict on a property in one protocol; `not there` if it has none of that name.

    `length` counts the states of the run that shows it, `round` the steps of it that go on for ever.
    """

    verdict: str
    length: int | None
    round: int | None


class PropertyInBoth(TypedDict):
    """What both protocols say of one property or promise."""

    property: str
    kind: str
    first: SaidOfProperty
    second: SaidOfProperty


class Compare(Head):
    """`epochal compare`. `lost` are steps of the first protocol that the second does not take, `gained` the reverse.

    `judged` has the properties and promises of both, if they were asked for.
    """

    first: str
    second: str
    bounds: Bounds
    verdict: Literal["same", "differs", "unknown", "not asked"]
    lemmas: list[str]
    constraint: str
    initial_states_only_in_first: int
    initial_states_only_in_second: int
    explored: dict[str, Explored]
    lost: list[Difference]
    gained: list[Difference]
    judged: list[PropertyInBoth] | None
    replayed: list[str]
    rlimit: int
    max_states: int
    solver_seconds: float
    cpu_seconds: float
    wall_seconds: float
