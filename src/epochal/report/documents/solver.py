"""The documents of the commands that ask Z3: bmc, prove and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from .common import Bounds, CrossCheck, Head, OfMember, RuleFailed, Subject, Trace

if TYPE_CHECKING:
    from epochal.checker.solver.bounded import BoundedResult


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
