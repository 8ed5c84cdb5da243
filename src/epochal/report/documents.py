"""What `--format json` prints and `to_dict()` gives, as types: one for each command. `epochal schema` publishes them.

A trace is an object in ITF, Apalache's format of traces. Seconds are of wall time unless a name says otherwise, and a
`source` is a file and a line, `spec/classic/controller.py:14`. A key that was renamed stands under both
names for one release (`epochal.former`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict

from epochal.checker.base.installed import TOOL, tool_version
from epochal.checker.documents import document
from epochal.checker.trace.explain import claim, protocol_name
from epochal.spec.language.display import shown_leaves

if TYPE_CHECKING:
    from epochal.checker.solver.bounded import BoundedResult
    from epochal.checker.state_graph.explored import StateGraph


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
    """A property of infinite runs with one choice of its parameters, whose values are as a state in ITF has them.

    `waiting` counts the states in which its goal is still to come, `stopped` those of them in which a bound alone stops
    every fair step, and `losing_states` those from which a fair run may go on for ever without it.
    """

    arguments: dict[str, Any]
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


class Dominance(TypedDict):
    """By which `budgets` states dominated others, and how many of the states that were found were not explored
    further for that (`left_out`)."""

    budgets: list[str]
    left_out: int


class Check(Subject):
    """`epochal check`. With `symmetry` states are representatives up to renaming of `symmetric` identifiers; with
    `dominance` states were left out that can show nothing that others do not."""

    engine: str
    workers: int
    symmetry: Annotated[bool, lambda result: bool(result.interchangeable)]
    symmetric: Annotated[list[str], "interchangeable"]
    interchangeable: list[str]
    dominance: Dominance | None
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


class Length(TypedDict):
    """Runs of so many steps: what they show."""

    steps: int
    verdict: str
    shown: list[str]
    seconds: float


class BoundedProperty(OfMember):
    """One property: after how many steps a run shows it first, or up to how many none does."""

    verdict: Literal["none", "violated", "reached", "unknown"]
    steps: int
    trace: Trace | None


class FirstTaken(TypedDict):
    """After how many steps an action can first be taken; null if no run takes it."""

    name: str
    first_taken: int | None


def _first_taken(result: BoundedResult) -> list[FirstTaken] | None:
    if not result.asked_actions:
        return None
    actions = result.protocol.members("action")
    return [{"name": action.name, "first_taken": result.first_taken.get(action.name)} for action in actions]


class Bounded(Subject):
    """`epochal bmc`. `actions` is null unless they were asked for; seconds of a length are of the processor."""

    engine: Annotated[Literal["z3"], lambda _: "z3"]
    rlimit: int
    start: Annotated[str, "start.text"]
    start_is_reachable: Annotated[bool, "start.reachable"]
    length: int
    complete_to: int
    lengths: list[Length]
    properties: list[BoundedProperty]
    actions: Annotated[list[FirstTaken] | None, _first_taken]
    reason: str
    cross_check: CrossCheck | None
    warnings: Annotated[list[str], lambda result: [*result.vacuous, *result.warnings]]
    replayed: Annotated[list[str], "replayed.readings"]
    error: RuleFailed | None
    solver_seconds: float
    cpu_seconds: float
    wall_seconds: float
    exit_code: int


class ProvedProperty(TypedDict):
    """One invariant, and whether it is proved."""

    id: Annotated[str, "name"]
    sentence: str
    source: Annotated[str, "where"]
    verdict: str


class Lemma(TypedDict):
    """One lemma; a trivial one holds in every typed state."""

    id: Annotated[str, "name"]
    sentence: str
    source: Annotated[str, "where"]
    trivial: bool


class Dropped(TypedDict):
    """A candidate lemma that was dropped, in which round and at which action."""

    id: Annotated[str, "member.name"]
    sentence: Annotated[str, "member.sentence"]
    round: int
    action: str
    obligation: Annotated[str, "answer.obligation.label"]
    verdict: Annotated[str, "answer.verdict"]


class Cell(TypedDict):
    """One action and one lemma: over all choices of the action's parameters.

    `nearest` says where the nearest state that was reached differs from the first state of the counterexample.
    """

    action: Annotated[str, "row"]
    column: str
    verdict: str
    obligations: Annotated[int, "answers"]
    seconds: float
    counterexample: Annotated[str | None, "shown.obligation.label"]
    first_state: Annotated[str | int | bool | None, "shown.trace.facts.first_state"]
    nearest: Annotated[str | int | bool | None, "shown.trace.facts.nearest_reached_state"]
    trace: Annotated[Trace | None, "shown.trace"]


class Unknown(TypedDict):
    """An obligation on which the solver gave up."""

    obligation: Annotated[str, "obligation.label"]
    reason: str


class Prove(Subject):
    """`epochal prove`. `fallen` are candidates that were dropped, `needless` lemmas that the proof does not need."""

    engine: Annotated[Literal["z3"], lambda _: "z3"]
    rlimit: int
    properties: list[ProvedProperty]
    lemmas: list[Lemma]
    fallen: list[Dropped]
    needless: list[str]
    matrix: list[Cell]
    obligations: Annotated[int, "answers"]
    asked: Annotated[int, lambda proof: sum(answer.asked for answer in proof.answers)]
    from_cache: int
    counterexamples: Annotated[list[str], lambda proof: [answer.obligation.label for answer in proof.failed]]
    vacuous: list[str]
    warnings: list[str]
    unknown: list[Unknown]
    cross_check: CrossCheck | None
    replayed: Annotated[list[str], "replayed.readings"]
    solver_seconds: float
    cpu_seconds: float
    wall_seconds: float
    exit_code: int


class UnboundedCell(TypedDict):
    """One action and one lemma of a proof for every choice of the bounds.

    `parts` are the questions that the obligation was split into, of which `open` have no answer; `ways` say how the
    solver was asked. `trace` is a counterexample of the bounded prover, at `at`.
    """

    action: Annotated[str, "obligation.row"]
    column: Annotated[str, "obligation.column"]
    verdict: Literal["proved", "untouched", "counterexample", "unknown"]
    parts: int
    open: int
    resources: int
    seconds: float
    ways: list[str]
    counterexample: Annotated[str | None, "counterexample.instance.label"]
    at: Annotated[Bounds | None, "counterexample.bounds"]
    trace: Annotated[Trace | None, "counterexample.trace"]


class ProveUnbounded(Subject):
    """`epochal prove --unbounded`. `bounds` are those of comparisons; nothing that is proved depends on them.

    `compared` counts evaluations of rules by both semantics, `seen` names the actions that were seen to happen where
    all lemmas hold, and `looked` has the bounds at which counterexamples were looked for.
    """

    engine: Annotated[Literal["z3"], lambda _: "z3"]
    unbounded: Annotated[Literal[True], lambda _: True]
    rlimit: int
    properties: list[ProvedProperty]
    lemmas: list[Lemma]
    matrix: Annotated[list[UnboundedCell], "cells"]
    obligations: Annotated[int, "cells"]
    asked: Annotated[int, lambda proof: sum(cell.verdict != "untouched" for cell in proof.cells)]
    from_cache: int
    counterexamples: Annotated[list[str], lambda proof: [cell.obligation.label for cell in proof.of("counterexample")]]
    unknown: Annotated[list[str], lambda proof: [cell.obligation.label for cell in proof.of("unknown")]]
    vacuous: list[str]
    warnings: list[str]
    seen: Annotated[list[str], "witnesses.seen"]
    compared: int
    looked: list[Bounds]
    assumed: list[str]
    trusted: list[str]
    replayed: Annotated[list[str], "replayed.readings"]
    solver_seconds: float
    cpu_seconds: float
    wall_seconds: float
    exit_code: int


class Explored(TypedDict):
    """How far the states of one protocol were searched."""

    distinct_states: Annotated[int, "states"]
    searched: Annotated[bool, lambda explored: explored.cut is not None]
    cut: Annotated[str, lambda explored: explored.cut or ""]


class OnlyOneTakes(TypedDict):
    """A step that only one protocol takes: why the other does not."""

    scope: str
    step: Annotated[str, lambda example: example.trace.steps[-1].instance.label]
    reason: str
    guard: Annotated[str | None, "refused.guard.text"]
    source: Annotated[str | None, "refused.guard.where"]
    changes: list[str]
    trace: Trace


class Difference(TypedDict):
    """One action: whether it differs in typed states, where the lemmas hold, and in reachable ones."""

    action: str
    counterpart: str | None
    typed: Annotated[str, "answers.typed.answer"]
    lemmas: Annotated[str, "answers.lemmas.answer"]
    reachable: Annotated[str, "reachable.answer"]
    example: OnlyOneTakes | None


class SaidOfProperty(TypedDict):
    """The verdict on a property in one protocol; `not there` if it has none of that name.

    `length` counts the states of the run that shows it, `round` the steps of it that go on for ever.
    """

    verdict: str
    length: Annotated[int | None, "trace.length"]
    round: int | None


class PropertyInBoth(TypedDict):
    """What both protocols say of one property or liveness property."""

    property: Annotated[str, "name"]
    kind: str
    first: SaidOfProperty
    second: SaidOfProperty


class Compare(Head):
    """`epochal compare`. `lost` are steps of the first protocol that the second does not take, `gained` the reverse.

    `checked` has the properties and liveness properties of both, if they were asked for.
    """

    first: str
    second: str
    bounds: Annotated[Bounds, "first.bounds"]
    verdict: Literal["same", "differs", "unknown", "not asked"]
    lemmas: list[str]
    constraint: str
    initial_states_only_in_first: Annotated[int, lambda result: result.initial_only[0]]
    initial_states_only_in_second: Annotated[int, lambda result: result.initial_only[1]]
    explored: dict[str, Explored]
    lost: list[Difference]
    gained: list[Difference]
    checked: list[PropertyInBoth] | None
    judged: list[PropertyInBoth] | None
    replayed: list[str]
    rlimit: int
    max_states: int
    solver_seconds: float
    cpu_seconds: float
    wall_seconds: float
    exit_code: int


class TableOf(TypedDict):
    """One table: how many rows it has, its files relative to `out`, and their bytes."""

    name: str
    rows: int
    bytes: Annotated[int, "size"]
    files: list[str]


class Export(Ended):
    """`epochal export`: of which search which tables were written. Not `exhaustive` says that states are missing."""

    protocol: str
    bounds: Bounds
    run: str
    out: Annotated[str, "folder"]
    states: int
    levels: int
    exhaustive: bool
    tables: list[TableOf]


class FailedTask(TypedDict):
    """A task without an answer: it was `refused`, with the exit code of that, or `lost` with its process."""

    task: str
    ended: str
    message: str
    exit_code: int


class Sweep(Ended):
    """`epochal sweep`: how many tasks are answered, and how many rows of the tables in `files` say what."""

    file: str
    tasks: int
    done_before: Annotated[int, "before"]
    done: int
    left: int
    verdicts: Counts
    failed: list[FailedTask]
    files: list[str]
