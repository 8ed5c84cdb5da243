"""The documents of the commands that search: check, simulate, mutate, replay, and of semantics that disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from epochal.checker.documents import document
from epochal.checker.trace.explain import claim, protocol_name
from epochal.spec.language.display import shown_leaves

from .common import (
    Action,
    Assumed,
    Bounds,
    CrossCheck,
    Ended,
    Ends,
    Head,
    Liveness,
    OfProtocol,
    Property,
    RuleFailed,
    Subject,
    Trace,
)

if TYPE_CHECKING:
    from epochal.checker.state_graph.explored import StateGraph


class StaticAnswer(TypedDict):
    """What Z3 says of any typed state."""

    kind: str
    subject: str
    source: Annotated[str | None, "where"]
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
    symmetry: Annotated[bool, lambda result: bool(result.interchangeable)]
    symmetric: Annotated[list[str], "interchangeable"]
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
    assumed: Annotated[Assumed, "liveness.assumed"]
    termination: Annotated[Ends | None, "liveness.ends"]
    ends: Ends | None
    actions: list[Action]
    replayed: Annotated[list[str], "replayed.readings"]
    warnings: list[str]
    static: Static | None
    vacuous: list[str]
    never_taken: Annotated[list[str], lambda result: [*result.dead_actions, *result.never_taken]]
    error: RuleFailed | None
    exit_code: int


class Taken(TypedDict):
    """One action of a simulation: how many steps it took."""

    name: str
    steps: int


class Simulate(Subject):
    """`epochal simulate`. `all_seen`: no state is left. `cut` says what has ended the runs too early.

    `ended_after_violation`: without `--runs` a violation ends them, too, fifty thousand states after it.
    `not_checked` are liveness properties, which no finite run violates.
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
    not_checked: Annotated[list[str], "not_judged"]
    not_judged: list[str]
    actions: Annotated[list[Taken], lambda result: [{"name": name, "steps": steps} for name, steps in result.actions]]
    replayed: Annotated[list[str], "replayed.readings"]
    warnings: list[str]
    error: RuleFailed | None
    exit_code: int
    wall_seconds: float


class GraphState(TypedDict):
    """A state of a graph: the one from which it was reached first, what differs from that, and every field."""

    number: int
    parent: int | None
    told: list[str]
    fields: dict[str, str]
    violated: list[str]


GraphStep = TypedDict(
    "GraphStep",
    {
        "from": Annotated[int, "before"],
        "to": Annotated[int, "after"],
        "action": Annotated[str, "label"],
        "violated": list[str],
    },
)


def _states(graph: StateGraph) -> list[GraphState]:
    return [document(GraphState, state, fields=shown_leaves(graph.protocol, state.codes)) for state in graph.states]


class Graph(Ended, OfProtocol):
    """`epochal graph`: every state within the bounds, in the order of a breadth-first search, and every step."""

    states: Annotated[list[GraphState], _states]
    steps: list[GraphStep]


class Mutant(TypedDict):
    """One guard that was taken away, and what became of it.

    `round` is how many steps go on for ever, where a liveness property is broken; 0: nothing changes any more.
    `remarks` of one that breaks nothing are what its search cannot tell: a step that is joined in one rests on the rule
    that is changed.
    """

    id: Annotated[str, "mutant.id"]
    source: Annotated[str, "mutant.where"]
    removed: Annotated[str, "mutant.removed"]
    verdict: str
    property: Annotated[str | None, lambda one: one.property or None]
    also: list[str]
    length: int | None
    round: int | None
    message: Annotated[str | None, lambda one: one.message or None]
    message_source: Annotated[str | None, "where"]
    additional_states: Annotated[int | None, lambda one: one.states if one.verdict == "changed" else None]
    same_program: Annotated[bool | None, lambda one: one.same_program if one.verdict == "survived" else None]
    accepted: str | None
    remarks: Annotated[list[str], lambda one: one.mutant.remarks if one.verdict in ("survived", "changed") else ()]


class NotTried(TypedDict):
    """A mutant that was left out, because another one that takes away more survives."""

    id: str
    because: Annotated[str | None, "shared"]


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
    checked: Annotated[list[str], "judged"]
    judged: list[str]
    not_checked: Annotated[list[str], "not_judged"]
    not_judged: list[str]
    mutants: list[Mutant]
    not_tried: Annotated[list[NotTried], "covered"]
    interrupted: Annotated[int, "untried"]
    stale: list[Stale]
    wall_seconds: float
    cpu_seconds: float
    exit_code: int


class SemanticsSays(TypedDict):
    """What one semantics says of a trace."""

    semantics: Annotated[str, "reading"]
    reading: str
    replays: Annotated[bool, "ok"]
    says: Annotated[list[str], lambda outcome: outcome.lines()]


class Replay(Head):
    """A replay. `missing` says why a semantics was not used; empty if all were.

    `against` is the protocol on which the trace was replayed; empty if it is `protocol`, the one of the trace.
    """

    trace: Annotated[str, "name"]
    protocol: Annotated[str, lambda found: protocol_name(found.trace)]
    against: str
    bounds: Annotated[Bounds, "trace.protocol.bounds"]
    claim: Annotated[str, lambda found: claim(found.trace)]
    replays: Annotated[bool, "ok"]
    compared: Annotated[list[SemanticsSays], "outcomes"]
    readings: list[SemanticsSays]
    missing: str
    exit_code: int


class SemanticsAnswer(TypedDict):
    """What one semantics says."""

    semantics: str
    reading: str
    says: str


class Disagreement(TypedDict):
    """What the semantics disagree on, in which state, and what each says."""

    about: str
    source: Annotated[str | None, "where"]
    answers: Annotated[
        list[SemanticsAnswer], lambda found: [{"semantics": one, "says": says} for one, says in found.answers]
    ]
    text: Annotated[list[str], lambda found: found.lines()]
    trace: Trace | None
    file: str | None


class Disagree(Subject):
    """Any command that finds two semantics of a specification apart (exit code 40): there is no verdict."""

    disagreement: Disagreement
    exit_code: int
