"""The documents of the commands that search: check, simulate, mutate, replay, and of readings that disagree."""

from __future__ import annotations

from typing import TypedDict

from .common import Action, Assumed, Bounds, CrossCheck, Ends, Head, Liveness, Property, RuleFailed, Subject, Trace


class StaticAnswer(TypedDict):
    """What Z3 says of any typed state."""

    kind: str
    subject: str
    source: str | None
    verdict: str


class Static(TypedDict):
    """What Z3 was asked beside the search."""

    asked: str
    answers: list[StaticAnswer]
    seconds: float


class Cluster(TypedDict):
    """Where a search on Spark took place: of `levels` so many by the driver itself, the others in `partitions`."""

    master: str
    levels: int
    by_driver: int
    partitions: int


class Check(Subject):
    """`epochal check`. With `symmetry` states are representatives up to renaming of `symmetric` identifiers."""

    engine: str
    workers: int
    symmetry: bool
    symmetric: list[str]
    interchangeable: list[str]
    exhaustive: bool
    cut: str
    distinct_states: int
    transitions: int
    generated_states: int
    depth: int
    terminal_states: int
    dead_ends: int
    left_constraint: int
    state_digest: str
    step_digest: str
    wall_seconds: float
    cpu_seconds: float
    search_cpu_seconds: float
    search_wall_seconds: float
    peak_memory_bytes: int
    state_memory_bytes: int
    state_file_bytes: int
    compact: bool
    collision_probability: float
    checkpoint: str | None
    resumed_from: int
    cluster: Cluster | None
    cross_check: CrossCheck | None
    properties: list[Property]
    liveness: list[Liveness]
    assumed: Assumed
    termination: Ends | None
    ends: Ends | None
    actions: list[Action]
    replayed: list[str]
    warnings: list[str]
    static: Static | None
    vacuous: list[str]
    never_taken: list[str]
    error: RuleFailed | None


class Taken(TypedDict):
    """One action of a simulation: how many steps it took."""

    name: str
    steps: int


class Simulate(Subject):
    """`epochal simulate`. `all_seen`: no state is left. `cut` says what has ended the runs too early.

    `ended_after_violation`: without `--runs` a violation ends them, too, fifty thousand states after it.
    `not_judged` are liveness properties, which no finite run violates.
    """

    engine: str
    seed: int
    runs: int
    depth: int
    steps: int
    distinct_states: int
    terminal_states: int
    dead_ends: int
    left_constraint: int
    longest: int
    all_seen: bool
    ended_after_violation: bool
    cut: str
    cross_check: CrossCheck | None
    properties: list[Property]
    not_judged: list[str]
    actions: list[Taken]
    replayed: list[str]
    warnings: list[str]
    error: RuleFailed | None
    wall_seconds: float


class GraphState(TypedDict):
    """A state of a graph: the one from which it was reached first, what differs from that, and every field."""

    number: int
    parent: int | None
    told: list[str]
    fields: dict[str, str]
    violated: list[str]


GraphStep = TypedDict("GraphStep", {"from": int, "to": int, "action": str, "violated": list[str]})


class Graph(Subject):
    """`epochal graph`: every state within the bounds, in the order of a breadth-first search, and every step."""

    states: list[GraphState]
    steps: list[GraphStep]


class Mutant(TypedDict):
    """One guard that was taken away, and what became of it.

    `round` is how many steps go on for ever, where a promise is broken; 0: nothing changes any more. `remarks` of one
    that breaks nothing are what its search cannot tell: a step that is joined in one rests on the rule that is changed.
    """

    id: str
    source: str
    removed: str
    verdict: str
    property: str | None
    also: list[str]
    length: int | None
    round: int | None
    message: str | None
    message_source: str | None
    additional_states: int | None
    same_program: bool | None
    accepted: str | None
    remarks: list[str]


class NotTried(TypedDict):
    """A mutant that was left out, because another one that takes away more survives."""

    id: str
    because: str | None


class Stale(TypedDict):
    """An accepted survivor that is none any more."""

    id: str
    removed: str
    why: str


class Mutate(Subject):
    """`epochal mutate`. `accepted` of a survivor is the reason that the list of survivors gives."""

    engine: str
    distinct_states: int
    state_digest: str
    step_digest: str
    judged: list[str]
    not_judged: list[str]
    mutants: list[Mutant]
    not_tried: list[NotTried]
    interrupted: int
    stale: list[Stale]
    wall_seconds: float
    cpu_seconds: float


class SemanticsSays(TypedDict):
    """What one reading says of a trace."""

    semantics: str
    reading: str
    replays: bool
    says: list[str]


class Replay(Head):
    """A replay. `missing` says why some reading was not asked; empty if all were.

    `against` is the protocol on which the trace was replayed; empty if it is `protocol`, the one of the trace.
    """

    trace: str
    protocol: str
    against: str
    bounds: Bounds
    claim: str
    replays: bool
    compared: list[SemanticsSays]
    readings: list[SemanticsSays]
    missing: str


class SemanticsAnswer(TypedDict):
    """What one reading says."""

    semantics: str
    reading: str
    says: str


class Disagreement(TypedDict):
    """What the semantics disagree on, in which state, and what each says."""

    about: str
    source: str | None
    answers: list[SemanticsAnswer]
    text: list[str]
    trace: Trace | None
    file: str | None


class Disagree(Subject):
    """Any command that finds two readings of a specification apart (exit code 40): there is no verdict."""

    disagreement: Disagreement
