"""The verdict object: everything a search found, from which text, JSON, exit code and reports are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from epochal.exit_codes import ExitCode
from epochal.spec.language import Member, Protocol, SourceLine

from ..compile.static import Diagnostic
from ..crosscheck.cross_check import Amount, CrossCheck
from ..ir.layout import Digest
from ..ir.model import CompiledInstance, Model
from ..liveness.result import NO_LIVENESS, Liveness
from ..trace.trace import Trace

Limit = Literal["time", "states", "memory"]
"""What a search ran out of: its budget, or what the machine has."""


@dataclass(frozen=True)
class StopReason:
    """Why a search stopped before every state was explored: the reason in words, and the limit that was reached, if
    that is why. `engine_failed` says that the machine was the reason otherwise: a full disk, say."""

    text: str
    limit: Limit | None = None
    engine_failed: bool = False

    def __str__(self) -> str:
        return self.text


RULE_FAILED = StopReason("a rule could not be evaluated")
FIRST_VIOLATION = StopReason("stopped at the first violation")
INTERRUPTED = StopReason("interrupted")
EVERYTHING_FOUND = StopReason("stopped when everything was found")

Verdict = Literal["holds", "violated", "unknown", "not applicable"]


@dataclass(frozen=True)
class PropertyResult:
    """What is known of one property.

    For invariants and action properties `trace` is the shortest counterexample. For `reachable` properties "holds"
    means that a witness was found, which `trace` shows; "violated" that the whole state space has none. One that does
    not apply under these bounds and settings is "not applicable"; "violated" if it happens all the same, with a trace.
    """

    member: Member
    verdict: Verdict
    trace: Trace | None = None

    @property
    def length(self) -> int | None:
        """The number of states of the trace."""
        return self.trace.length if self.trace else None

    @property
    def out_of_place(self) -> bool:
        """Whether it happens although it does not apply under these bounds and settings."""
        return self.member.mark.kind == "reachable" and self.verdict == "violated" and self.trace is not None


@dataclass(frozen=True)
class ActionResult:
    """How often an action was taken in the states explored, and how many states it was the first to reach."""

    name: str
    steps: int
    new_states: int


def action_results(
    protocol: Protocol, instances: Sequence[CompiledInstance], steps: Sequence[int], discovered: Sequence[int]
) -> tuple[ActionResult, ...]:
    """How often each action was taken, and how many states it discovered, from the counters of its instances."""
    totals = {action.name: [0, 0] for action in protocol.members("action")}
    for compiled, taken, new in zip(instances, steps, discovered, strict=False):
        totals[compiled.instance.action.name][0] += taken
        totals[compiled.instance.action.name][1] += new
    return tuple(ActionResult(name, taken, new) for name, (taken, new) in totals.items())


NOTHING = Digest()
"""The digest of no state, and of no step."""


@dataclass(frozen=True)
class Counts:
    """What a search has counted: states, transitions, the levels of the frontier, and what each action did.

    `terminal_states` have no step; `left_constraint` are steps into states outside the state constraint, and
    `dominated` are states that were not explored further because others dominate them.
    """

    states: int = 0
    transitions: int = 0
    depth: int = 0
    state_digest: Digest = NOTHING
    step_digest: Digest = NOTHING
    actions: tuple[ActionResult, ...] = ()
    terminal_states: int = 0
    left_constraint: int = 0
    dominated: int = 0


@dataclass(frozen=True)
class EvaluationFinding:
    """A rule that could not be evaluated, with the run that leads to it. The failing rule is not a step of the run."""

    message: str
    where: SourceLine | None
    rule: str
    trace: Trace


@dataclass(frozen=True)
class OnCluster:
    """Where a search on Spark took place: of `levels` so many by the driver itself, the others in `partitions`."""

    master: str
    levels: int
    by_driver: int
    partitions: int


@dataclass(frozen=True)
class Dominance:
    """By which budgets (the paths of leaves) states dominated others in a search, and how many of the states that it
    found were not explored further for that. At most `vectors` states differ by budgets only."""

    budgets: tuple[str, ...] = ()
    left_out: int = 0
    vectors: int = 1


@dataclass(frozen=True)
class CheckResult:
    """The result of a search.

    `cut` says why the search is not exhaustive ("" if it is). `left_constraint` counts steps into states outside the
    protocol's state constraint, which were checked but neither counted nor explored. `vacuous` says what makes the
    verdicts worth less than they seem: actions that cannot happen, properties that cannot fail; `dead_actions` names
    the actions among them. `model` is the compiled protocol, for replays. Times are in seconds;
    `state_memory_bytes` is what the states and the visited table take (0 if the engine does not know), and
    `search_cpu_seconds` and `search_wall_seconds` are the search alone, without loading, compiling and rebuilding
    traces. `state_file_bytes` is what the states take in files, `checkpoint` the folder of the last checkpoint written,
    `resumed_from` the number of states in the one that the search went on from. `limit` says what the search ran out
    of, if that is why it was cut; `engine_failed` that it was cut by the machine otherwise: a full disk, say.

    `interchangeable` names the identifiers up to whose renaming states were explored (none without symmetry reduction):
    states are then representatives, and steps those from representatives. `cross_check` says what was repeated in the
    Python semantics; None if the search was made by it. `liveness` is what is known of the liveness properties, of
    which some were asked for by name if `promises_asked_for` says so; `deadlock_asked_for` that its ends were.
    `cluster` says where a search on Spark took place. With `dominance`, states were left out that can show nothing that
    others do not show: counts and digests are then those of what was explored, and nothing is said of liveness or ends.
    """

    protocol: Protocol
    engine: str
    cut: str
    distinct_states: int
    transitions: int
    depth: int
    state_digest: str
    step_digest: str
    properties: tuple[PropertyResult, ...]
    actions: tuple[ActionResult, ...]
    terminal_states: int
    left_constraint: int
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    search_cpu_seconds: float = 0.0
    peak_memory_bytes: int = 0
    state_memory_bytes: int = 0
    warnings: tuple[str, ...] = ()
    vacuous: tuple[str, ...] = ()
    dead_actions: tuple[str, ...] = ()
    model: Model | None = None
    error: EvaluationFinding | None = None
    workers: int = 1
    state_file_bytes: int = 0
    compact: bool = False
    checkpoint: Path | None = None
    resumed_from: int = 0
    limit: Limit | None = None
    engine_failed: bool = False
    interchangeable: tuple[str, ...] = ()
    search_wall_seconds: float = 0.0
    cluster: OnCluster | None = None
    cross_check: CrossCheck | None = None
    liveness: Liveness = NO_LIVENESS
    promises_asked_for: bool = False
    deadlock_asked_for: bool = False
    dominance: Dominance | None = None

    @classmethod
    def of(
        cls,
        protocol: Protocol,
        engine: str,
        stopped: StopReason | None,
        counts: Counts,
        properties: tuple[PropertyResult, ...],
        *,
        model: Model | None = None,
        diagnostics: Sequence[Diagnostic] = (),
        error: EvaluationFinding | None = None,
    ) -> Self:
        """What every search tells of itself; the seconds and bytes that it took are zero."""
        return cls(
            protocol=protocol,
            engine=engine,
            cut=stopped.text if stopped else "",
            limit=stopped.limit if stopped else None,
            engine_failed=stopped is not None and stopped.engine_failed,
            distinct_states=counts.states,
            transitions=counts.transitions,
            depth=counts.depth,
            state_digest=str(counts.state_digest),
            step_digest=str(counts.step_digest),
            properties=properties,
            actions=counts.actions,
            terminal_states=counts.terminal_states,
            left_constraint=counts.left_constraint,
            warnings=tuple(str(d) for d in diagnostics if not d.vacuous),
            vacuous=tuple(str(d) for d in diagnostics if d.vacuous),
            dead_actions=tuple(d.dead_action for d in diagnostics if d.dead_action),
            model=model,
            error=error,
        )

    @property
    def interrupted(self) -> bool:
        """Whether the user has ended it: the search, or the cross-check after it."""
        repeated = self.cross_check
        heard = repeated is not None and repeated.cut == INTERRUPTED.text
        return heard or INTERRUPTED.text in (self.cut, self.liveness.reason)

    @property
    def cut_by_machine(self) -> bool:
        """Whether it would have said more with more memory, or on a machine that does not fail: not the question's."""
        return self.limit == "memory" or self.engine_failed or self.liveness.by_machine

    @property
    def collision_probability(self) -> float:
        """At most how likely it is that two states had the same fingerprint, so that one was not explored.

        Of n random 64-bit fingerprints two are equal with a probability of at most n (n - 1) / 2**65; 0 for an exact
        search, which keeps whole states. With dominance each state is also looked up with smaller budgets, in up to
        `vectors` - 1 ways, and each of these is wrongly known with a probability of at most n / 2**64.
        """
        n = self.distinct_states
        lookups = 1 if self.dominance is None else 2 * self.dominance.vectors - 1
        return lookups * n * (n - 1) / 2.0**65 if self.compact else 0.0

    @property
    def exhaustive(self) -> bool:
        """Whether every reachable state within the bounds was explored."""
        return not self.cut

    @property
    def never_taken(self) -> tuple[str, ...]:
        """The actions that were enabled in no explored state, though some typed state enables them."""
        return tuple(a.name for a in self.actions if a.steps == 0 and a.name not in self.dead_actions)

    @property
    def exit_code(self) -> ExitCode:
        """The documented exit code of the most severe finding."""
        safety = [p for p in self.properties if p.member.mark.kind != "reachable"]
        if any(p.verdict == "violated" for p in safety):
            return ExitCode.VIOLATED
        if self.error is not None:
            return ExitCode.EVALUATION_FAILED
        if self.engine_failed:
            return ExitCode.ENGINE_FAILURE
        if self.liveness.broken:
            return ExitCode.LIVENESS_VIOLATED
        if self.liveness.ends is not None and self.liveness.ends.others:
            return ExitCode.DEADLOCK
        if any(p.verdict == "violated" for p in self.properties):
            return ExitCode.EXPECTATION_MISSED
        not_judged = (self.promises_asked_for or self.deadlock_asked_for) and self.liveness.reason
        if not self.exhaustive or not_judged:
            return ExitCode.INCONCLUSIVE
        return ExitCode.VACUOUS if self.vacuous or self.never_taken else ExitCode.HOLDS


@dataclass(frozen=True)
class Progress:
    """A snapshot of a running search; before it begins `doing` says what is being done instead.

    `beside` is what else there is to tell: the tasks of a level on Spark.
    """

    states: int
    generated: int
    depth: int
    queue: int
    seconds: float
    memory_bytes: int
    doing: str = ""
    beside: str = ""

    @property
    def rate(self) -> float:
        """Distinct states a second so far."""
        return self.states / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True)
class Options:
    """What a search is asked for: its fields are the keywords of `epochal.check` and `epochal.assert_holds`.

    `properties` are the ids to check (None: all). `budget` is in seconds of wall time since `begun`, a moment of
    time.monotonic (None: since the search was asked for, compiling included), `max_memory` in bytes for the whole
    process. `progress` is called a few times a second with a snapshot. With `lemmas` the lemmas of the protocol are
    among its properties, and are checked like invariants. `workers` is how many processors the native engine may use
    (None: all of them). With `symmetry` one state of each orbit under renaming of interchangeable identifiers is
    explored.

    `spill` is a folder for the states in files; with `compact`, older levels are known by 64-bit fingerprints only, and
    the states go to files in `spill`, which must be given. A checkpoint is written to `checkpoint` now and then and at
    the end; to `checkpoint_on_stop` only if a budget ends the search. `resume` is the folder of a checkpoint to go on
    from.

    `cross_check` says how many states are repeated in the Python semantics after the search. With `liveness` liveness
    properties (`leads_to`) are checked after a search that was exhaustive, exact, without symmetry and dominance;
    `epochal.check` asks for it unless it is told otherwise. With `dominance` states are not explored that can show no
    more than others, found no later, which differ by smaller budgets only (`checker.dominance.budgets`): verdicts and
    lengths are the same, counts and digests are not, and liveness properties and ends are not judged. `fair` are
    actions of which every liveness property assumes fairness besides those that it names ("restart", or
    "restart=strong"), `unfair` those of which none does. With `needs` it is told of each liveness property which of its
    assumptions it takes; with `deadlock`, in which states nothing more happens, and whether that is all right. With
    `optional`, optional liveness properties are checked, too.
    """

    properties: tuple[str, ...] | None = None
    all_violations: bool = False
    budget: float | None = None
    max_states: int | None = None
    max_memory: int | None = None
    progress: Callable[[Progress], None] | None = None
    lemmas: bool = False
    workers: int | None = None
    spill: Path | None = None
    compact: bool = False
    checkpoint: Path | None = None
    checkpoint_on_stop: Path | None = None
    resume: Path | None = None
    symmetry: bool = False
    dominance: bool = False
    cross_check: Amount = "some"
    liveness: bool = False
    fair: tuple[str, ...] = ()
    unfair: tuple[str, ...] = ()
    needs: bool = False
    optional: bool = False
    deadlock: bool = False
    begun: float | None = None
