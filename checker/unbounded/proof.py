"""A proof for every choice of the bounds: obligations, answers, and what its success would rest on."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import time
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import z3

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.language import ActionInstance, EvaluationError, Member, Protocol
from epochal.spec.language.domains import IdentifierDomain
from epochal.spec.language.protocol import evaluated

from ..base.cache import Cache, Key
from ..compile.static import HERE, Diagnostic, means_less, refuse_history
from ..identity.engine import key
from ..parametric.compared import Comparison, Disagreement
from ..parametric.domains import places
from ..parametric.terms import Term, applied, sure
from ..solver import induction as within_bounds
from ..solver.dispatch import Progress, QueryRunner, in_this_process
from ..solver.induction import (
    EVALUATION,
    IMPLICATION,
    INITIALLY,
    LEMMAS,
    RLIMIT,
    Claim,
    Induction,
    Plan,
    Questions,
    Stopwatch,
    prepared,
    result_of,
    row_of,
    with_reach,
)
from ..trace.trace import Trace
from ..workers.chosen_engine import Where, chosen_engine
from ..workers.pool import Engine
from .certificate import Certificate, Hints, decoded, encoded
from .certificate import known as known_certificate
from .ladder import STEEPEST, Answer, Climber, Effort, Part
from .obligations import Obligation, Place, UnboundedPlan, Used, place
from .oracle import installed, oracle_version
from .premises import Premises, ProofOutline
from .question import Question

# -- asking -----------------------------------------------------------------------------------------------------------
# Asking many questions: from the cache where the same was asked before, else of an engine.

ANSWERS = Cache("unbounded", "json", most=50_000)


class Asking:
    """Asks questions of an engine and keeps count for the progress. `unit` is in resource units.

    If `certified`, what is answered with yes comes with a hint.
    """

    def __init__(
        self,
        engine: Engine[Effort, Question, Answer],
        cached: bool,
        unit: int,
        progress: Callable[[Progress], None] | None = None,
        certified: bool = False,
    ) -> None:
        self._engine, self.cached, self.unit, self.progress, self.certified = engine, cached, unit, progress, certified
        self.from_cache = 0
        self._started = time.monotonic()
        self._done = self._asked = 0

    def __call__(self, questions: Sequence[Question], part: Part) -> list[Answer]:
        """The answers of a part of the ladder, in the order of the questions."""
        self._asked += len(questions)
        keys = [self._key(question, part) for question in questions]
        found = self._remembered(keys)
        for _ in found:
            self.from_cache += 1
            self._told()
        left = [number for number in range(len(questions)) if number not in found]
        asked = [(number, questions[number]) for number in left]
        for number, answer in self._engine(Effort(self.unit, part, self.certified), asked) if asked else ():
            found[number] = answer
            self._told()
            if self.cached and not answer.lost:
                ANSWERS.write(keys[number], json.dumps(_as_kept(answer)).encode())
        if self.cached and left:
            ANSWERS.forget_oldest()
        return [found[number] for number in range(len(questions))]

    def remembers(self, questions: Sequence[Question], part: Part) -> bool:
        """Whether all of these were answered with yes before."""
        known = self._remembered([self._key(question, part) for question in questions])
        return len(known) == len(questions) and all(answer.proved for answer in known.values())

    def _remembered(self, keys: Sequence[Key | None]) -> dict[int, Answer]:
        """The answers that the cache has, by number."""
        known = ((number, ANSWERS.read(at)) for number, at in enumerate(keys if self.cached else ()))
        return {number: _from_kept(json.loads(found)) for number, found in known if found is not None}

    def tell(self, compiling: bool = False) -> None:
        """Report the progress."""
        if self.progress is not None:
            seconds = time.monotonic() - self._started
            self.progress(Progress(self._done, self._asked, self.from_cache, 0, seconds, compiling=compiling))

    def _told(self) -> None:
        self._done += 1
        self.tell()

    def _key(self, question: Question, part: Part) -> Key | None:
        oracle = oracle_version() if part == "oracle" else ""
        return key("unbounded proofs", question.digest, question.ways, self.unit, part, self.certified, oracle)


def _as_kept(answer: Answer) -> dict[str, Any]:
    return {**asdict(replace(answer, hint=None)), "hint": encoded({"": answer.hint}) if answer.hint else None}


def _from_kept(kept: dict[str, Any]) -> Answer:
    return Answer(**{**kept, "seconds": 0.0, "hint": decoded(kept["hint"])[""] if kept["hint"] else None})


# -- followed ---------------------------------------------------------------------------------------------------------
# An open cell of a proof for all bounds, followed by the prover within bounds: it may have a counterexample there.

FEW, MANY = (2, 3), (4,)
"""How many identifiers there are in turn, as far as the protocol's bounds allow: before the solver tries hard, when the
least number follows, and after."""

FIRST_STATES = 20_000
"""How many states are searched for the first state of a counterexample."""


@dataclass(frozen=True)
class Counterexample:
    """A step from a state that satisfies every lemma to one that breaks one: of which instance, and at which bounds."""

    instance: ActionInstance | None
    trace: Trace
    bounds: dict[str, int]


def followed(
    protocol: Protocol,
    cells: Sequence[Obligation],
    properties: Sequence[str],
    counting: Sequence[str],
    sizes: Sequence[int],
    cached: bool,
    tell: Callable[[], None],
) -> tuple[dict[Place, Counterexample], list[dict[str, int]]]:
    """Counterexamples of open cells, and at which bounds they were looked for.

    `counting` are the bounds that say how many identifiers there are. After a few, the least number that they allow is
    asked about, too: what is so of two may be wrong of one alone, or where there is none.
    """
    left = {cell.place for cell in cells}
    found: dict[Place, Counterexample] = {}
    looked: list[dict[str, int]] = []
    for one in (*sizes_of(protocol, counting, sizes), *(_least(protocol, counting) if sizes == FEW else ())):
        if not left:
            break
        looked.append(one.bounds.as_dict())
        for cell, example in _counterexamples_within(one, left, properties, cached, tell).items():
            found[cell] = example
            left.discard(cell)
    return found, looked


def sizes_of(protocol: Protocol, counting: Sequence[str], sizes: Sequence[int]) -> Iterator[Protocol]:
    """The protocol with so many of what is numbered by identifiers; as it is if no bound says how many."""
    kind = type(protocol)
    if not counting and sizes == FEW:
        yield protocol
    for size in sizes if counting else ():
        allowed = {name: kind.bounds_type().declared()[name] for name in counting}
        if all(field.least <= size <= field.most for field in allowed.values()):
            yield kind(protocol.bounds.with_values(dict.fromkeys(counting, size)))


def _least(protocol: Protocol, counting: Sequence[str]) -> Iterator[Protocol]:
    """The protocol with as few identifiers as each bound allows, unless that is one of the few numbers for all."""
    kind = type(protocol)
    least = {name: kind.bounds_type().declared()[name].least for name in counting}
    if least and least not in [dict.fromkeys(counting, size) for size in FEW]:
        yield kind(protocol.bounds.with_values(least))


def declared_counting(protocol: Protocol) -> tuple[str, ...]:
    """The bounds that say how many identifiers there are in variables and actions: with one more, there are more.

    Of those that only rules name a semantics of the rules knows, which takes longer.
    """
    kind, found = type(protocol), []
    before = _identifiers(protocol)
    for name, value in protocol.bounds.items():
        field = kind.bounds_type().declared()[name]
        other = value + 1 if value < field.most else value - 1
        if other >= field.least and _identifiers(kind(protocol.bounds.with_values({name: other}))) != before:
            found.append(name)
    return tuple(found)


def _identifiers(protocol: Protocol) -> dict[str, int]:
    functions = [action.function for action in protocol.members("action")]
    chosen = [parameter.domain for function in functions for parameter in protocol.parameters(function)]
    domains = (*(leaf.domain for leaf in protocol.leaves), *chosen)
    return {domain.prefix: domain.size for domain in domains if isinstance(domain, IdentifierDomain)}


def _counterexamples_within(
    protocol: Protocol, left: set[Place], properties: Sequence[str], cached: bool, tell: Callable[[], None]
) -> dict[Place, Counterexample]:
    """Counterexamples of these cells within bounds."""
    watch = Stopwatch()
    induction = Induction(prepared(protocol, tuple(properties)), RLIMIT, QueryRunner(in_this_process, cached))
    claims = {claim.member.name: claim for claim in induction.claims}
    wanted: dict[int, list[Claim]] = {}
    for compiled in induction.model.instances:
        row = compiled.instance.action.name
        columns = [column for at, column in left if at == row]
        if columns:
            affected = {claim.member.name for claim in induction.plan.affected(compiled)}
            wanted[compiled.instance.number] = [
                claims[column] for column in columns if column in claims and column in affected
            ]
    answers = list(induction.steps(wanted))
    tell()
    if any(row == INITIALLY for row, _ in left):
        answers += induction.initiations()
    if any(column in properties for _, column in left):
        answers += induction.implications()
    induction.cross_check = "off"
    result = with_reach(result_of(induction, answers, watch), FIRST_STATES)
    found: dict[Place, Counterexample] = {}
    for answer in result.answers:
        cell = (row_of(answer), answer.obligation.column)
        if cell in left and cell not in found and answer.trace is not None:
            found[cell] = Counterexample(answer.obligation.instance, answer.trace, protocol.bounds.as_dict())
    return found


# -- cells ------------------------------------------------------------------------------------------------------------
# The cells of a proof: obligations, and what came of them.

Verdict = Literal["proved", "untouched", "counterexample", "unknown"]


@dataclass(frozen=True)
class Cell:
    """An obligation and what came of it. `left` are those of its questions that have no answer, by their places.

    `counterexample` is one of the bounded prover. `ways` say how the solver found its answers, `hints` how it finds
    them again, as far as that was asked for. With `outlines` it is proved from a few lemmas.
    """

    obligation: Obligation
    verdict: Verdict
    left: tuple[int, ...] = ()
    resources: int = 0
    seconds: float = 0.0
    ways: tuple[str, ...] = ()
    counterexample: Counterexample | None = None
    hints: Hints = field(default_factory=dict)
    outlines: tuple[ProofOutline, ...] = ()
    implied: ProofOutline | None = None

    @property
    def parts(self) -> int:
        """How many questions it was split into."""
        return len(self.obligation.questions)

    @property
    def open(self) -> int:
        """How many of them have no answer."""
        return len(self.left)


# -- implied ----------------------------------------------------------------------------------------------------------
# Lemmas that follow from other lemmas: they hold after every step that preserves the others.
#
# Such a lemma is a remark on what the others mean together. That a step preserves it is often hard to show, and that it
# follows is often easy. Where a step is proved to lead to a typed state in which the others hold, both come to the
# same.


def with_implied(
    cells: Sequence[Cell], plan: UnboundedPlan, asking: Asking, parts: Sequence[Part], refuted: Collection[Place] = ()
) -> list[Cell]:
    """The cells, of which those are proved whose lemma follows from lemmas that the same action is proved to preserve.

    What is proved so may serve to prove more: no lemma leans on itself, for each leans on what was proved before.
    `refuted` are the rows and columns that have a counterexample.
    """
    found, tried = list(cells), set[Implied]()
    while True:
        before, found = found, _implied_once(found, plan, asking, parts, refuted, tried)
        if found == before:
            return found


def with_steeply_implied(
    cells: Sequence[Cell], plan: UnboundedPlan, asking: Asking, refuted: Collection[Place]
) -> list[Cell]:
    """The same, with the steep part of the ladder, where a lemma that does not follow takes minutes.

    So it is asked of each lemma once, and of those of which more is known in the end once more. What it has proved
    serves to prove others, with the lower part first.
    """
    found, tried = list(cells), set[Implied]()
    for _ in range(2):
        before, found = found, _implied_once(found, plan, asking, STEEP, refuted, tried)
        if [cell.open for cell in found] == [cell.open for cell in before]:
            break
        found = with_implied(found, plan, asking, ["lower"], refuted)
    return found


Implied = tuple[str, frozenset[str]]
"""A lemma, and those from which it may follow."""


def _implied_once(
    cells: Sequence[Cell],
    plan: UnboundedPlan,
    asking: Asking,
    parts: Sequence[Part],
    refuted: Collection[Place],
    tried: set[Implied],
) -> list[Cell]:
    """The cells after each lemma was asked that some action is not proved to preserve; `tried` are not asked again."""
    found = list(cells)
    for lemma in (one.member.name for one in plan.lemmas):
        rows = _open_rows(found, lemma) - {row for row, column in refuted if column == lemma}
        kept = frozenset.intersection(*(_kept(found, row) for row in rows)) if rows else frozenset[str]()
        if rows and (lemma, kept) not in tried:
            tried.add((lemma, kept))
            found = _asked_lemmas(found, lemma, rows, plan.implied(lemma, kept), asking, parts)
    return found


def _asked_lemmas(
    cells: list[Cell],
    lemma: str,
    rows: Collection[str],
    obligation: Obligation,
    asking: Asking,
    parts: Sequence[Part],
    outline: ProofOutline | None = None,
) -> list[Cell]:
    """The cells after the question whether a lemma follows, in which case it is preserved in these rows."""
    whole = tuple(range(len(obligation.questions)))
    (asked,) = _tried([Cell(obligation, "unknown", whole)], asking, parts)
    follows, resources, seconds, hints = not asked.open, asked.resources, asked.seconds, asked.hints
    found = []
    for cell in cells:
        if cell.obligation.column == lemma and cell.obligation.row in rows:
            cell = replace(cell, resources=cell.resources + resources, seconds=cell.seconds + seconds)
            resources, seconds = 0, 0.0  # the question is asked once, for all of them
            if follows:
                kept, ways = {**cell.hints, **hints}, (*cell.ways, "implied")
                cell = replace(cell, verdict="proved", left=(), ways=ways, hints=kept, implied=outline)
        found.append(cell)
    return found


def _open_rows(cells: Sequence[Cell], lemma: str) -> set[str]:
    """The actions that are proved to lead to typed states, and not yet to preserve a lemma."""
    sound = {cell.obligation.row for cell in cells if cell.obligation.column == EVALUATION and not cell.open}
    mine = [cell for cell in cells if cell.obligation.kind == "preservation" and cell.obligation.column == lemma]
    return {cell.obligation.row for cell in mine if cell.open} & sound


def _kept(cells: Sequence[Cell], row: str) -> frozenset[str]:
    """The lemmas that an action is proved to preserve, or does not touch."""
    mine = [cell for cell in cells if cell.obligation.row == row and cell.obligation.kind == "preservation"]
    return frozenset(cell.obligation.column for cell in mine if not cell.open)


# -- outlined ---------------------------------------------------------------------------------------------------------
# Cells that are proved from a few lemmas, before the step and after it.
#
# After a step those lemmas may be used that it is proved to preserve, whatever for: each was proved before, so that
# none leans on itself.

Outlining = Callable[[Place, Collection[str]], Iterable[ProofOutline]]
"""The outlines to try for a cell, where its action is known to preserve some lemmas."""


def with_outlined(
    cells: Sequence[Cell], plan: UnboundedPlan, asking: Asking, parts: Sequence[Part], outlining: Outlining
) -> list[Cell]:
    """The cells, of which those are proved that follow from outlines; what is proved so may serve to prove more.

    The parts of a cell are the same whatever they are proved from, so one outline may answer some, and another others.
    An outline of what a lemma implies is of all actions that preserve what it names.
    """
    found = list(cells)
    lemmas = {one.member.name for one in plan.lemmas}
    tried: set[tuple[Place, ProofOutline]] = set()
    while True:
        before = list(found)
        for lemma in sorted(lemmas):
            for outline in outlining((IMPLICATION, lemma), lemmas):
                rows = {row for row in _open_rows(found, lemma) if _kept(found, row).issuperset(outline.before)}
                place = (IMPLICATION, lemma)
                if rows and lemma not in outline.before and (place, outline) not in tried:
                    for reading in plan.readings:
                        if _open_rows(found, lemma) & rows:
                            obligation = reading.implied(lemma, outline.before, few=True)
                            found = _asked_lemmas(found, lemma, rows, obligation, asking, parts, outline)
                    if _open_rows(found, lemma) & rows:
                        tried.add((place, outline))
        asked: dict[int, tuple[ProofOutline, Cell]] = {}
        for number, cell in enumerate(found):
            place, kept = cell.obligation.place, _kept(found, cell.obligation.row)
            if not cell.open or cell.obligation.kind == "initiation" or cell.obligation.row == LEMMAS:
                continue
            fit = (one for one in outlining(place, kept) if kept.issuperset(one.after))
            known = (one for one in fit if lemmas.issuperset(one.before) and (place, one) not in tried)
            for outline in itertools.islice(known, 1):
                tried.add((place, outline))
                obligation = plan.outlined(*place, outline)
                sure(len(obligation.questions) == cell.parts, "an outline changes the parts of a cell")
                asked[number] = outline, replace(cell, obligation=obligation)
        answered = _tried([cell for _, cell in asked.values()], asking, parts)
        for (number, (outline, was)), cell in zip(asked.items(), answered, strict=True):
            outlines = was.outlines if cell.open == was.open else (*was.outlines, outline)
            found[number] = replace(cell, obligation=found[number].obligation, outlines=outlines)
        if found == before and not asked:
            return found


def known_outlines(certificate: Certificate) -> Outlining:
    """Those of a certificate."""
    return lambda place, kept: certificate.outlines.get(place, ())


def _found_outlines(
    protocol: Protocol, properties: Sequence[str], places: Collection[Place], asking: Asking
) -> Outlining:
    """What suffices within bounds for some cells, at few of the protocol's identifiers, and at the least number."""
    counting = declared_counting(protocol)
    first, *others = sizes_of(protocol, counting, FEW)
    few = [_larger(one, counting) for one in (*_least(protocol, counting), first)]
    premises = Premises([*few, *others], tuple(properties), asking.tell)
    return lambda place, kept: premises.of(*place, kept) if place in places and place[0] != IMPLICATION else ()


MORE = 1
"""By how much bounds are larger than the protocol's where there are fewest identifiers: smaller ones need less."""


def _larger(protocol: Protocol, counting: Collection[str]) -> Protocol:
    """The protocol where each bound that counts no identifiers is somewhat larger."""
    kind = type(protocol)
    fields = kind.bounds_type().declared()
    more = {n: min(v + MORE, fields[n].most) for n, v in protocol.bounds.items() if n not in counting}
    return kind(protocol.bounds.with_values(more))


# -- likely -----------------------------------------------------------------------------------------------------------
# Which lemmas an obligation is likely to need: those that the prover within bounds has used for the same one.
#
# Of many lemmas most have nothing to do with a step, and a solver that instantiates them all finds no end. Within
# bounds Z3 says which it needed. These are tried first, with what many obligations need and what is small. Nothing
# rests on this: a lemma that was left out is only missing, and then all are tried.

KNOWN = Cache("unbounded-likely", "json", most=200)


def used_within_bounds(protocol: Protocol, properties: Sequence[str], cached: bool, tell: Callable[[], None]) -> Used:
    """The lemmas that proofs within bounds have used, at a few of the protocol's identifiers."""
    found: dict[str, set[str]] = {}
    for one in sizes_of(protocol, declared_counting(protocol), FEW):
        for cell, lemmas in _used_within(one, properties, cached).items():
            found.setdefault(cell, set()).update(lemmas)
        tell()
    return {cell: frozenset(lemmas) for cell, lemmas in found.items()}


def _used_within(protocol: Protocol, properties: Sequence[str], cached: bool) -> dict[str, list[str]]:
    plan = prepared(protocol, tuple(properties))
    at = _key(plan)
    if cached and (content := KNOWN.read(at)) is not None:
        known: dict[str, list[str]] = json.loads(content)
        return known
    induction = Induction(plan, RLIMIT, QueryRunner(in_this_process, cached=False), least=False)
    found: dict[str, set[str]] = {}
    with _least_cores():
        for answer in induction.answers():
            instance = answer.obligation.instance
            row = answer.obligation.kind if instance is None else instance.action.name
            found.setdefault(place(row, answer.obligation.column), set()).update(answer.core)
    result = {at: sorted(lemmas) for at, lemmas in sorted(found.items())}
    if cached:
        KNOWN.write(at, json.dumps(result).encode())
    return result


def _key(plan: Plan) -> Key | None:
    """A digest of everything that the proof within bounds depends on."""
    questions = Questions(plan, RLIMIT)
    asked = [questions.of_instance(one, plan.lemmas, plan.affected(one)) for one in plan.model.instances]
    asked += [questions.of_property(claim.holds, plan.lemmas) for claim in plan.properties]
    return key("proofs", "likely", [one.key(questions.premises) for one in asked])


@contextmanager
def _least_cores() -> Iterator[None]:
    """Z3 takes the time to say which lemmas it can do without."""
    z3.set_param("smt.core.minimize", True)
    try:
        yield
    finally:
        z3.set_param("smt.core.minimize", False)


# -- not empty --------------------------------------------------------------------------------------------------------
# Why a proof is about something: its hypotheses can be met, and every action can happen where they are.
#
# A run within bounds is the witness: a state that is reached, in which all lemmas hold and an action is taken,
# satisfies every hypothesis of a proof of that action. Z3 is asked as well whether the hypotheses of an action
# contradict each other: a semantics of the rules that was wrong could make them.

STEPS = 4_000
"""How many steps of a run are looked at for actions that happen."""

AGAIN = 0.03
"""How often a run begins again, of one step."""


@dataclass(frozen=True)
class Witnesses:
    """The actions that were seen to happen where all lemmas hold, and in how many steps of a run."""

    seen: tuple[str, ...]
    steps: int


def witnesses(protocol: Protocol, lemmas: Sequence[Member]) -> Witnesses:
    """Walk through states by chance, always the same way, until every action has been seen."""
    wanted = {member.name for member in protocol.members("action")}
    chance, seen = random.Random(0), dict[str, None]()
    first = protocol.initial_states()
    codes, steps = first[0], 0
    while steps < STEPS and seen.keys() != wanted:
        steps += 1
        taken = [(i, after) for i, after in protocol.outcomes(codes) if not isinstance(after, EvaluationError)]
        new = [instance.action.name for instance, _ in taken if instance.action.name not in seen]
        if new and all(_holds(lemma, protocol, codes) for lemma in lemmas):
            seen |= dict.fromkeys(new)
        codes = chance.choice(taken)[1] if taken and chance.random() > AGAIN else chance.choice(first)
    return Witnesses(tuple(sorted(seen)), steps)


def _holds(lemma: Member, protocol: Protocol, codes: tuple[int, ...]) -> bool:
    try:
        return bool(evaluated(lemma.function, protocol.at(codes)))
    except EvaluationError:
        return False


# -- odd --------------------------------------------------------------------------------------------------------------
# What is odd about a specification that is proved for every choice of the bounds: refused, or told beside the proof.
#
# `compile.static` says it of the protocol within its bounds, for a proof as for a search. Two things are then still
# open, for a rule may be another one at other bounds: that no step reads history there either, and whether what is odd
# is so for every choice. What is odd at the protocol's own bounds alone takes nothing from a proof that does not rest
# on them.


def refuse_history_in_rules(plan: UnboundedPlan) -> None:
    """Raise LanguageError for a guard or a new value that depends on history, at whatever bounds.

    How a step can fail may depend on it: that it never does is a part of every proof.
    """
    reading = plan.reading
    ghosts, written = reading.history(), {one.name: one.where for one in reading.protocol.members("action")}
    for action in plan.actions:
        for guard in action.guards:
            refuse_history(_read(guard.condition, ghosts), "a guard", guard.where)
        for path in sorted(action.changed - ghosts.keys()):
            here = [bound.variable for bound in places(reading.leaves[path], reading.state())]
            value = action.after.leaves[path](here)
            refuse_history(_read(value, ghosts), f"the new value of {path}", written[action.name])


def _read(term: Term, ghosts: dict[str, str]) -> set[str]:
    return {ghosts[name] for name in applied([term]) & ghosts.keys()}


def worth_less(plan: UnboundedPlan, within: within_bounds.Plan, asking: Asking) -> tuple[str, ...]:
    """Why it would mean little that all is proved: nothing to prove, or no step that could break it."""
    judged = [one.member for one in plan.properties]
    never = set(_never_taken(plan, asking))
    found = within_bounds.nothing_to_prove(plan.reading.protocol, judged)
    odd = [one for one in means_less(within.odd, judged) if _everywhere(one, plan, asking)]
    found += [str(one).replace(HERE, "for every choice of the bounds") for one in odd]
    actions = plan.reading.protocol.members("action")
    return (*found, *(within_bounds.never_taken(action) for action in actions if action.name in never))


def _everywhere(odd: Diagnostic, plan: UnboundedPlan, asking: Asking) -> bool:
    """Whether what is odd within the protocol's bounds is so for every choice of them.

    That an action never happens is asked of all of them, with the lemmas.
    """
    if odd.dead_action:
        return False
    if odd.about is None:
        return True
    trivial = plan.trivial(odd.about.name)
    return all(answer.proved for answer in asking(trivial.questions, "lower"))


def _never_taken(plan: UnboundedPlan, asking: Asking) -> Iterator[str]:
    """The actions whose hypotheses contradict each other."""
    obligations = list(plan.vacuity())
    answers = asking([one.questions[0] for one in obligations], "lower")
    yield from (one.row for one, answer in zip(obligations, answers, strict=True) if answer.proved)


GROUND_RLIMIT = 16_000_000
"""Z3's resource units for the steepest way of the ladder; the others have a part of it."""

THIS_MACHINE = Where(workers=1)
"""In this process alone."""

COMPARED = 30
"""In how many reached states, and in twice as many others, the two semantics of every rule are compared in each run."""


@dataclass(frozen=True)
class UnboundedProof:
    """All cells of a proof. `vacuous` says why one that has succeeded means less than it seems: there was nothing to
    prove, or no step. `warnings` are what else is odd about the specification.

    `many` is whether it was asked as a proof of many lemmas. `admitted` says of the bounds what is so wherever the
    protocol's domains have values.

    `unseen` are those that were not seen to happen; `looked` the bounds at which counterexamples were looked for.
    """

    protocol: Protocol
    lemmas: tuple[Member, ...]
    properties: tuple[Member, ...]
    cells: tuple[Cell, ...]
    many: bool
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
    def found(self) -> Certificate:
        """From what each question was answered, or can be, as far as that is known."""
        proved = [cell for cell in self.cells if not cell.open]
        outlines = {cell.obligation.place: cell.outlines for cell in proved if cell.outlines}
        outlines |= {(IMPLICATION, cell.obligation.column): (cell.implied,) for cell in proved if cell.implied}
        hints = {digest: hint for cell in self.cells for digest, hint in cell.hints.items()}
        return Certificate(hints, outlines, self.many)

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


class SemanticsDiffer(EpochalError):
    """The parametric semantics of a rule is not what Python does: nothing may be proved with it."""

    exit_code = ExitCode.READINGS_DISAGREE

    def __init__(self, found: Disagreement) -> None:
        super().__init__(str(found), "This is a bug of Epochal: please report it. Nothing is proved.")


def unbounded_proof(
    protocol: Protocol,
    properties: Sequence[str],
    *,
    where: Where = THIS_MACHINE,
    cached: bool = True,
    rlimit: int = GROUND_RLIMIT,
    progress: Callable[[Progress], None] | None = None,
    certificate: Certificate | None = None,
    certified: bool = False,
) -> UnboundedProof:
    """Prove invariants for every choice of the bounds; those of `protocol` serve for comparisons and counterexamples.

    What a `certificate` says is tried first (None: that of the one beside the protocol). If `certified`, hints are
    found for all that is answered otherwise.

    Raises LanguageError for what a proof within bounds refuses, too, Untranslatable for a rule that has no first-order
    reading, SemanticsDiffer if one is not what Python does.
    """
    watch = Stopwatch()
    with chosen_engine(where, Climber) as engine:
        asking = Asking(engine, cached, max(1, rlimit // STEEPEST), progress, certified)
        known = known_certificate(type(protocol)) if certificate is None else certificate
        found = _proof(protocol, properties, asking, rlimit, known)
    return replace(found, wall_seconds=watch.wall_seconds, cpu_seconds=watch.cpu_seconds)


def _proof(
    protocol: Protocol, properties: Sequence[str], asking: Asking, rlimit: int, certificate: Certificate
) -> UnboundedProof:
    asking.tell(compiling=True)
    within = prepared(protocol, tuple(properties))
    plan = UnboundedPlan(type(protocol), properties, certificate.many, certificate.hints)
    refuse_history_in_rules(plan)
    members = [one.member for one in (*plan.lemmas, *plan.properties)]
    compared = _compare(protocol, plan, members)
    seen = witnesses(protocol, [one.member for one in plan.lemmas])
    blank = [
        Cell(one, "untouched" if one.untouched else "unknown", tuple(range(len(one.questions))))
        for one in plan.obligations()
    ]
    outlining = known_outlines(certificate)
    cells = with_implied(_tried(blank, asking, ["hint"]), plan, asking, ["hint"])
    cells = with_outlined(cells, plan, asking, ["hint"], outlining)
    if plan.many and any(cell.open for cell in cells):
        plan.learn(used_within_bounds(protocol, properties, asking.cached, asking.tell))
        known = {one.place: one for one in plan.obligations()}
        cells = [replace(cell, obligation=known[cell.obligation.place]) for cell in cells]
    outlined = {place for one in certificate.outlines for place in _of_outline(one, cells)}
    cells = _with(
        ["lower"], [cell.obligation.place for cell in cells if cell.obligation.place not in outlined], cells, asking
    )
    cells = with_outlined(cells, plan, asking, ["lower"], outlining)
    cells = with_implied(_tried(cells, asking, ["lower"]), plan, asking, ["hint", "lower"])
    cells = with_outlined(cells, plan, asking, OUTLINED, outlining)
    cells = _with(
        STEEP, {cell.obligation.place for cell in cells if cell.open and _remembered(cell, asking)}, cells, asking
    )
    found: dict[Place, Counterexample] = {}
    looked: list[dict[str, int]] = []
    for sizes, steep in ((FEW, True), (MANY, False)):
        left = [cell.obligation for cell in cells if cell.open and cell.obligation.place not in found]
        if left:
            examples, bounds = followed(protocol, left, properties, plan.counting, sizes, asking.cached, asking.tell)
            found |= examples
            looked += bounds
        if steep and plan.many:
            open_ones = {cell.obligation.place for cell in cells if cell.open} - found.keys()
            cells = with_outlined(
                cells, plan, asking, OUTLINED, _found_outlines(protocol, properties, open_ones, asking)
            )
        if steep:
            cells = _with(STEEP, {one.place for one in left} - found.keys(), cells, asking)
            cells = with_steeply_implied(cells, plan, asking, found.keys())
    return UnboundedProof(
        protocol=protocol,
        lemmas=tuple(one.member for one in plan.lemmas),
        properties=tuple(one.member for one in plan.properties),
        cells=tuple(
            replace(cell, verdict="counterexample", counterexample=found[cell.obligation.place])
            if cell.open and cell.obligation.place in found
            else cell
            for cell in cells
        ),
        many=plan.many,
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


OUTLINED: tuple[Part, ...] = ("hint", "lower", "oracle")
"""What is tried with the few lemmas of an outline."""

STEEP: tuple[Part, ...] = ("oracle", "steep")
"""What is tried where the lower part of the ladder has no answer and nothing within bounds speaks against it."""


def _with(parts: Sequence[Part], wanted: Container[Place], cells: Sequence[Cell], asking: Asking) -> list[Cell]:
    """The same, after parts of the ladder were tried for what is open of the wanted cells."""
    again = [cell for cell in cells if cell.obligation.place in wanted]
    tried = {cell.obligation.place: cell for cell in _tried(again, asking, parts)}
    return [tried.get(cell.obligation.place, cell) for cell in cells]


def _of_outline(place: Place, cells: Sequence[Cell]) -> set[Place]:
    """The cells that an outline at this place is of: of a lemma that others imply, its cells in all steps."""
    row, column = place
    every = {cell.obligation.place for cell in cells if cell.obligation.kind == "preservation"}
    return {one for one in every if one[1] == column} if row == IMPLICATION else {place}


def _tried(cells: Sequence[Cell], asking: Asking, parts: Sequence[Part]) -> list[Cell]:
    """The cells after what is open of them was asked, of one part of the ladder after the other."""
    found = list(cells)
    for part in parts:
        asked = [[number for number in cell.left if _fits(cell, number, part)] for cell in found]
        answers = iter(
            asking([cell.obligation.questions[n] for cell, ns in zip(found, asked, strict=True) for n in ns], part)
        )
        found = [
            _after(cell, {number: next(answers) for number in numbers})
            for cell, numbers in zip(found, asked, strict=True)
        ]
    return found


def _fits(cell: Cell, number: int, part: Part) -> bool:
    """Whether a question can be asked of a part of the ladder."""
    return cell.obligation.questions[number].hint is not None if part == "hint" else part != "oracle" or installed()


def _after(cell: Cell, answers: Mapping[int, Answer]) -> Cell:
    """A cell after some of the questions that were open have been asked."""
    good = {number: answer for number, answer in answers.items() if answer.proved}
    left = tuple(number for number in cell.left if number not in good)
    hints = {cell.obligation.questions[n].digest: answer.hint for n, answer in good.items() if answer.hint is not None}
    return replace(
        cell,
        verdict=cell.verdict if left or cell.obligation.untouched else "proved",
        left=left,
        resources=cell.resources + sum(answer.resources for answer in answers.values()),
        seconds=cell.seconds + sum(answer.seconds for answer in answers.values()),
        ways=tuple(dict.fromkeys((*cell.ways, *(answer.rung for answer in good.values())))),
        hints={**cell.hints, **hints},
    )


def _remembered(cell: Cell, asking: Asking) -> bool:
    """Whether all that is open of a cell was proved before, by the oracle or the steep part of the ladder."""
    questions = [cell.obligation.questions[number] for number in cell.left]
    return all(any(asking.remembers([one], part) for part in STEEP) for one in questions)


def _compare(protocol: Protocol, plan: UnboundedPlan, members: Sequence[Member]) -> int:
    """Compare the two semantics of every rule in some states. Raises SemanticsDiffer."""
    comparison = Comparison(protocol, 0, plan.reading)
    for codes in comparison.states(COMPARED):
        for member in protocol.members("action"):
            for found in comparison.action(member, codes):
                raise SemanticsDiffer(found)
        for member in members:
            for found in comparison.predicate(member, codes):
                raise SemanticsDiffer(found)
    for found in comparison.initial():
        raise SemanticsDiffer(found)
    return comparison.done.evaluations
