"""A proof for every choice of the bounds: obligations, answers, and what its success would rest on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.language import Member, Protocol

from ..parametric.compared import Comparison, Disagreement
from ..solver.dispatch import Progress
from ..solver.induction import Stopwatch
from ..solver.obligations import refuse_unfit_lemmas
from .asking import Asking
from .followed import FEW, MANY, Counterexample, followed
from .ladder import STEEPEST, Answer
from .likely import used_within_bounds
from .not_empty import Witnesses, witnesses
from .obligations import Obligation, Plan

Verdict = Literal["proved", "untouched", "counterexample", "unknown"]

RLIMIT = 16_000_000
"""Z3's resource units for the steepest way of the ladder; the others have a part of it."""

COMPARED = 30
"""In how many reached states, and in twice as many others, the two readings of every rule are compared in each run."""


@dataclass(frozen=True)
class Cell:
    """An obligation and what came of it. `parts` are the questions that it was split into, of which `open` are left.

    `counterexample` is one of the bounded prover. `ways` say how the solver found its answers.
    """

    obligation: Obligation
    verdict: Verdict
    parts: int = 0
    open: int = 0
    resources: int = 0
    seconds: float = 0.0
    ways: tuple[str, ...] = ()
    counterexample: Counterexample | None = None


@dataclass(frozen=True)
class UnboundedProof:
    """All cells of a proof. `vacuous` are actions that can never happen where the lemmas hold.

    `unseen` are those that were not seen to happen; `looked` the bounds at which counterexamples were looked for.
    """

    protocol: Protocol
    lemmas: tuple[Member, ...]
    properties: tuple[Member, ...]
    cells: tuple[Cell, ...]
    rlimit: int
    from_cache: int
    wall_seconds: float
    cpu_seconds: float
    witnesses: Witnesses
    compared: int
    vacuous: tuple[str, ...] = ()
    looked: tuple[dict[str, int], ...] = field(default=())

    def of(self, verdict: Verdict) -> tuple[Cell, ...]:
        """The cells with a verdict."""
        return tuple(cell for cell in self.cells if cell.verdict == verdict)

    @property
    def unseen(self) -> tuple[str, ...]:
        """The actions that were not seen to happen in a run within bounds."""
        return tuple(a.name for a in self.protocol.members("action") if a.name not in self.witnesses.seen)

    @property
    def solver_seconds(self) -> float:
        """Processor time of the questions that were not answered by the cache."""
        return sum(cell.seconds for cell in self.cells)

    @property
    def exit_code(self) -> ExitCode:
        """32 for a counterexample to induction, 31 where the solver gave up, 33 where it says less than it seems."""
        if self.of("counterexample"):
            return ExitCode.NOT_PROVED
        if self.of("unknown"):
            return ExitCode.SOLVER_UNKNOWN
        return ExitCode.VACUOUS if self.vacuous or not self.properties else ExitCode.HOLDS


class ReadingsDiffer(EpochalError):
    """The parametric reading of a rule is not what Python does: nothing may be proved with it."""

    exit_code = ExitCode.READINGS_DISAGREE

    def __init__(self, found: Disagreement) -> None:
        super().__init__(str(found), "This is a bug of Epochal: please report it. Nothing is proved.")


def unbounded_proof(
    protocol: Protocol,
    properties: Sequence[str],
    *,
    workers: int = 1,
    cached: bool = True,
    rlimit: int = RLIMIT,
    progress: Callable[[Progress], None] | None = None,
) -> UnboundedProof:
    """Prove invariants for every choice of the bounds; those of `protocol` serve for comparisons and counterexamples.

    Raises NoReading for a rule that has no first-order reading, ReadingsDiffer if one is not what Python does.
    """
    watch = Stopwatch()
    refuse_unfit_lemmas(protocol)
    asking = Asking(workers, cached, max(1, rlimit // STEEPEST), progress)
    asking.tell(compiling=True)
    plan = Plan(type(protocol), properties, used_within_bounds(protocol, properties, cached, asking.tell))
    members = [one.member for one in (*plan.lemmas, *plan.properties)]
    compared = _compare(protocol, plan, members)
    seen = witnesses(protocol, [one.member for one in plan.lemmas])
    obligations = list(plan.obligations())
    cells = _asked(obligations, asking, steep=False)
    found: dict[tuple[str, str], Counterexample] = {}
    looked: list[dict[str, int]] = []
    for sizes, steep in ((FEW, True), (MANY, False)):
        left = [cell.obligation for cell in cells if cell.open and _place(cell.obligation) not in found]
        if left:
            examples, bounds = followed(protocol, left, properties, sizes, cached, asking.tell)
            found |= examples
            looked += bounds
            left = [one for one in left if _place(one) not in examples]
        if steep:
            again = {_place(cell.obligation): cell for cell in _asked(left, asking, steep=True)}
            cells = [_joined(cell, again.get(_place(cell.obligation))) for cell in cells]
    return UnboundedProof(
        protocol=protocol,
        lemmas=tuple(one.member for one in plan.lemmas),
        properties=tuple(one.member for one in plan.properties),
        cells=tuple(_with_example(cell, found) for cell in cells),
        rlimit=rlimit,
        from_cache=asking.from_cache,
        wall_seconds=watch.wall_seconds,
        cpu_seconds=watch.cpu_seconds,
        witnesses=seen,
        compared=compared,
        vacuous=_vacuous(plan, asking),
        looked=tuple(looked),
    )


def _place(obligation: Obligation) -> tuple[str, str]:
    return obligation.row, obligation.column


def _asked(obligations: Sequence[Obligation], asking: Asking, steep: bool) -> list[Cell]:
    """The cells of obligations; those with a question that has no answer are unknown so far."""
    questions = [
        (f"{asking.unit} {one.label} {number}", question)
        for one in obligations
        for number, question in enumerate(one.questions)
    ]
    answers, cells, at = asking(questions, steep), [], 0
    for one in obligations:
        mine = answers[at : at + len(one.questions)]
        at += len(one.questions)
        cells.append(_cell(one, mine))
    return cells


def _cell(obligation: Obligation, answers: Sequence[Answer]) -> Cell:
    still = sum(not answer.proved for answer in answers)
    return Cell(
        obligation,
        "untouched" if obligation.untouched else "unknown" if still else "proved",
        len(answers),
        still,
        sum(answer.resources for answer in answers),
        sum(answer.seconds for answer in answers),
        tuple(dict.fromkeys(answer.rung for answer in answers if answer.proved)),
    )


def _joined(cell: Cell, second: Cell | None) -> Cell:
    """A cell after a second attempt, if there was one."""
    if second is None:
        return cell
    return replace(
        second,
        resources=cell.resources + second.resources,
        seconds=cell.seconds + second.seconds,
        ways=tuple(dict.fromkeys((*cell.ways, *second.ways))),
    )


def _with_example(cell: Cell, found: dict[tuple[str, str], Counterexample]) -> Cell:
    """A cell that is open, with the counterexample that there is within bounds."""
    example = found.get(_place(cell.obligation)) if cell.open else None
    return cell if example is None else replace(cell, verdict="counterexample", counterexample=example)


def _vacuous(plan: Plan, asking: Asking) -> tuple[str, ...]:
    """The actions whose hypotheses contradict each other."""
    obligations = list(plan.vacuity())
    answers = asking([(f"{asking.unit} {one.label}", one.questions[0]) for one in obligations], steep=False)
    return tuple(one.row for one, answer in zip(obligations, answers, strict=True) if answer.proved)


def _compare(protocol: Protocol, plan: Plan, members: Sequence[Member]) -> int:
    """Compare the two readings of every rule in some states. Raises ReadingsDiffer."""
    comparison = Comparison(protocol, 0, plan.reading)
    for codes in comparison.states(COMPARED):
        for member in protocol.members("action"):
            for found in comparison.action(member, codes):
                raise ReadingsDiffer(found)
        for member in members:
            for found in comparison.predicate(member, codes):
                raise ReadingsDiffer(found)
    for found in comparison.initial():
        raise ReadingsDiffer(found)
    return comparison.done.evaluations
