"""A proof for every choice of the bounds: obligations, answers, and what its success would rest on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.language import Member, Protocol

from ..parametric.compared import Comparison, Disagreement
from ..solver.dispatch import Progress
from ..solver.induction import Stopwatch, prepared
from ..tasks.chosen_engine import Where, chosen_engine
from .asking import Asking
from .cells import Cell, Verdict
from .followed import FEW, MANY, Counterexample, followed
from .implied import with_implied
from .ladder import STEEPEST, Answer, Climber
from .likely import used_within_bounds
from .not_empty import Witnesses, witnesses
from .obligations import Obligation, Place, Plan
from .odd import refuse_history_in_rules, worth_less

RLIMIT = 16_000_000
"""Z3's resource units for the steepest way of the ladder; the others have a part of it."""

HERE = Where(workers=1)
"""In this process alone."""

COMPARED = 30
"""In how many reached states, and in twice as many others, the two readings of every rule are compared in each run."""


@dataclass(frozen=True)
class UnboundedProof:
    """All cells of a proof. `vacuous` says why one that has succeeded means less than it seems: there was nothing to
    prove, or no step. `warnings` are what else is odd about the specification.

    `admitted` says of the bounds what is so wherever the protocol's domains have values.

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
    warnings: tuple[str, ...] = ()
    admitted: tuple[str, ...] = ()
    looked: tuple[dict[str, int], ...] = field(default=())

    def of(self, verdict: Verdict) -> tuple[Cell, ...]:
        """The cells with a verdict."""
        return tuple(cell for cell in self.cells if cell.verdict == verdict)

    @property
    def digest(self) -> str:
        """A digest of all that the solver was asked, in order: the same for the same rules and lemmas."""
        asked = (question.digest for cell in self.cells for question in cell.obligation.questions)
        return hashlib.blake2b("".join(asked).encode(), digest_size=16).hexdigest()

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
        """32 for a counterexample to induction, 31 where the solver gave up, 22 where it says less than it seems."""
        if self.of("counterexample"):
            return ExitCode.NOT_PROVED
        if self.of("unknown"):
            return ExitCode.SOLVER_UNKNOWN
        return ExitCode.VACUOUS if self.vacuous else ExitCode.HOLDS


class ReadingsDiffer(EpochalError):
    """The parametric reading of a rule is not what Python does: nothing may be proved with it."""

    exit_code = ExitCode.READINGS_DISAGREE

    def __init__(self, found: Disagreement) -> None:
        super().__init__(str(found), "This is a bug of Epochal: please report it. Nothing is proved.")


def unbounded_proof(
    protocol: Protocol,
    properties: Sequence[str],
    *,
    where: Where = HERE,
    cached: bool = True,
    rlimit: int = RLIMIT,
    progress: Callable[[Progress], None] | None = None,
) -> UnboundedProof:
    """Prove invariants for every choice of the bounds; those of `protocol` serve for comparisons and counterexamples.

    Raises LanguageError for what a proof within bounds refuses, too, NoReading for a rule that has no first-order
    reading, ReadingsDiffer if one is not what Python does.
    """
    watch = Stopwatch()
    with chosen_engine(where, Climber) as engine:
        asking = Asking(engine, cached, max(1, rlimit // STEEPEST), progress)
        found = _proof(protocol, properties, asking, rlimit)
    return replace(found, wall_seconds=watch.wall_seconds, cpu_seconds=watch.cpu_seconds)


def _proof(protocol: Protocol, properties: Sequence[str], asking: Asking, rlimit: int) -> UnboundedProof:
    asking.tell(compiling=True)
    within = prepared(protocol, tuple(properties))
    plan = Plan(type(protocol), properties, used_within_bounds(protocol, properties, asking.cached, asking.tell))
    refuse_history_in_rules(plan)
    members = [one.member for one in (*plan.lemmas, *plan.properties)]
    compared = _compare(protocol, plan, members)
    seen = witnesses(protocol, [one.member for one in plan.lemmas])
    obligations = list(plan.obligations())
    cells = with_implied(_asked(obligations, asking), plan, asking, steep=False)
    cells = _steep(cells, {cell.obligation.place for cell in cells if cell.open and _remembered(cell, asking)}, asking)
    found: dict[Place, Counterexample] = {}
    looked: list[dict[str, int]] = []
    for sizes, steep in ((FEW, True), (MANY, False)):
        left = [cell.obligation for cell in cells if cell.open and cell.obligation.place not in found]
        if left:
            examples, bounds = followed(protocol, left, properties, plan.counting, sizes, asking.cached, asking.tell)
            found |= examples
            looked += bounds
        if steep:
            cells = _steep(cells, {one.place for one in left} - found.keys(), asking)
            cells = with_implied(cells, plan, asking, steep=True, refuted=found.keys())
    return UnboundedProof(
        protocol=protocol,
        lemmas=tuple(one.member for one in plan.lemmas),
        properties=tuple(one.member for one in plan.properties),
        cells=tuple(_with_example(cell, found) for cell in cells),
        rlimit=rlimit,
        from_cache=asking.from_cache,
        wall_seconds=0.0,
        cpu_seconds=0.0,
        witnesses=seen,
        compared=compared,
        vacuous=worth_less(plan, within, asking),
        warnings=tuple(str(one) for one in within.odd if not one.vacuous),
        admitted=tuple(str(fact).strip("()").replace("#", "") for fact in plan.reading.admitted),
        looked=tuple(looked),
    )


def _asked(obligations: Sequence[Obligation], asking: Asking) -> list[Cell]:
    """The cells of obligations; those with a question that has no answer are unknown so far."""
    blank = [
        Cell(one, "untouched" if one.untouched else "unknown", tuple(range(len(one.questions)))) for one in obligations
    ]
    return _tried(blank, asking, steep=False)


def _steep(cells: Sequence[Cell], wanted: Container[Place], asking: Asking) -> list[Cell]:
    """The same, after the steep part of the ladder was tried for what is open of the wanted cells."""
    again = [cell for cell in cells if cell.obligation.place in wanted]
    tried = {cell.obligation.place: cell for cell in _tried(again, asking, steep=True)}
    return [tried.get(cell.obligation.place, cell) for cell in cells]


def _tried(cells: Sequence[Cell], asking: Asking, steep: bool) -> list[Cell]:
    """The cells after what is open of them was asked."""
    questions = [cell.obligation.questions[number] for cell in cells for number in cell.left]
    answers = iter(asking(questions, steep))
    return [_after(cell, [next(answers) for _ in cell.left]) for cell in cells]


def _after(cell: Cell, answers: Sequence[Answer]) -> Cell:
    """A cell after the questions that were open have been asked."""
    left = tuple(number for number, answer in zip(cell.left, answers, strict=True) if not answer.proved)
    return replace(
        cell,
        verdict=cell.verdict if left or cell.obligation.untouched else "proved",
        left=left,
        resources=cell.resources + sum(answer.resources for answer in answers),
        seconds=cell.seconds + sum(answer.seconds for answer in answers),
        ways=tuple(dict.fromkeys((*cell.ways, *(answer.rung for answer in answers if answer.proved)))),
    )


def _remembered(cell: Cell, asking: Asking) -> bool:
    """Whether all that is open of a cell was proved before, by the steep part of the ladder."""
    return asking.remembers([cell.obligation.questions[number] for number in cell.left], steep=True)


def _with_example(cell: Cell, found: dict[Place, Counterexample]) -> Cell:
    """A cell that is open, with the counterexample that there is within bounds."""
    example = found.get(cell.obligation.place) if cell.open else None
    return cell if example is None else replace(cell, verdict="counterexample", counterexample=example)


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
