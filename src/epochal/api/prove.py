"""`epochal.prove`: show by induction that invariants hold after any number of steps, within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, overload

from epochal.checker.base.installed import require_solver
from epochal.checker.base.numbers import counted
from epochal.checker.search.confirm import Replayed, replay_all
from epochal.errors import EpochalError, Inconclusive, UsageError
from epochal.exit_codes import ExitCode

from .options import reference_of, required
from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.crosscheck.cross_check import Amount
    from epochal.checker.solver.dispatch import Progress
    from epochal.checker.solver.induction import ProofResult as Proof
    from epochal.checker.solver.induction import Reduced
    from epochal.checker.solver.prove import ProofOptions
    from epochal.checker.trace.trace import Trace
    from epochal.checker.unbounded.proof import UnboundedProof
    from epochal.report.documents import solver as documents
    from epochal.report.page import Page
    from epochal.spec.language import Protocol


# -- prove unbounded --------------------------------------------------------------------------------------------------
# `epochal.prove(..., unbounded=True)`: show by induction that invariants hold for every choice of the bounds.


@dataclass(frozen=True, repr=False)
class UnboundedResult(Result):
    """A proof for any number of steps and every choice of the bounds, or what is left open of it.

    `traces` are counterexamples to induction that the bounded prover has found for open cells, by action and lemma.
    """

    truth: ClassVar[str] = "proved"

    proof: UnboundedProof
    reference: str
    replayed: Replayed
    traces: dict[str, Trace]
    about: str = ""

    @property
    def proved(self) -> bool:
        """Whether every invariant that was asked for holds after any number of steps, whatever the bounds."""
        return self.exit_code == ExitCode.HOLDS

    @property
    def exit_code(self) -> ExitCode:
        """32 for a counterexample to induction within bounds, 31 where the solver gave up."""
        return self.proof.exit_code

    @property
    def findings(self) -> list[str]:
        """The obligations that are open, those with a counterexample first."""
        return [cell.obligation.label for cell in (*self.proof.of("counterexample"), *self.proof.of("unknown"))]

    @property
    def headline(self) -> str:
        """What is proved, or what is not, in one line."""
        from epochal.report.unbounded import headline

        return f"{self.proof.protocol.name}: {headline(self.proof)}"

    @property
    def counterexample(self) -> Trace | None:
        """The first counterexample to induction; None if there is none."""
        return next(iter(self.traces.values()), None)

    def to_dict(self) -> documents.ProveUnbounded:
        """The result as plain data, with its traces as ITF."""
        from epochal.report.unbounded import unbounded_document

        return unbounded_document(self.proof, self)

    def certificate(self) -> str:
        """The proof as a page of Markdown: what it says, assumes and trusts, and what each cell took; no times."""
        from epochal.report.unbounded import certificate

        return certificate(self.proof, self.reference, self.about)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report, with the matrix of actions and lemmas."""
        from epochal.report.unbounded import render_unbounded

        run = self.counterexample
        story = [] if run is None else str(run).splitlines()
        render_unbounded(page, self.proof, story, self.about, list(files))


def proved_unbounded(
    protocol: Protocol,
    options: ProofOptions,
    reference: str,
    about: str,
    progress: Callable[[Progress], None] | None,
) -> UnboundedResult:
    """Prove for every choice of the bounds. Those of the protocol are where its two semantics are compared."""
    from epochal.checker.solver.prove import refuse_unprovable
    from epochal.checker.unbounded.proof import GROUND_RLIMIT, unbounded_proof

    known = tuple(member.name for member in protocol.members("invariant"))
    wanted = known if options.properties is None else options.properties
    refuse_unprovable(protocol, wanted)
    rlimit = options.rlimit or GROUND_RLIMIT
    proof = unbounded_proof(
        protocol, wanted, where=options.where, cached=options.cached, rlimit=rlimit, progress=progress
    )
    cells = []
    traces: dict[str, Trace] = {}
    for cell in proof.cells:
        if (example := cell.counterexample) is not None:
            trace = with_facts(example.trace, reference)
            cell = replace(cell, counterexample=replace(example, trace=trace))
            traces[f"{cell.obligation.row}-{cell.obligation.column}"] = trace
        cells.append(cell)
    replayed = Replayed((), "")
    for one in {id(trace.protocol): trace.protocol for trace in traces.values()}.values():
        replayed = replay_all(one, [trace for trace in traces.values() if trace.protocol is one])
    return UnboundedResult(replace(proof, cells=tuple(cells)), reference, replayed, traces, about)


def with_facts(trace: Trace, reference: str, **more: str) -> Trace:
    """The same trace, which says how its protocol is called and who found it."""
    return replace(trace, facts={**trace.facts, "protocol": reference, "engine": "z3", **more})


def takes_the_same_steps(plain: Protocol, remembering: Protocol) -> bool:
    """Whether a protocol with history takes the steps of the one without for every choice of the bounds, by its text.

    It may do so and not be seen to: where the text of a step differs, or has no reading.
    """
    from epochal.checker.parametric.domains import Untranslatable
    from epochal.checker.parametric.rules import other_steps

    properties = [member.name for member in plain.members("invariant")]
    try:
        return not other_steps(type(plain), type(remembering), properties)
    except Untranslatable:
        return False


COMPARED = 60
"""In how many states the steps of a protocol with history are compared with those without, before a proof."""


@dataclass(frozen=True, repr=False)
class ProofResult(Result):
    """A proof by induction, or why there is none. `reduced` has the proof and the lemmas that were dropped from it.

    `traces` are the counterexamples to induction, by action and lemma: steps from states that satisfy every lemma,
    which need not be reachable. `about` says whose steps they are, if the proof was found for another protocol.
    """

    truth: ClassVar[str] = "proved"

    reduced: Reduced
    reference: str
    replayed: Replayed
    traces: dict[str, Trace]
    about: str = ""

    @property
    def proof(self) -> Proof:
        """Every obligation with its answer."""
        return self.reduced.proof

    @property
    def proved(self) -> bool:
        """Whether every invariant that was asked for holds after any number of steps, at these bounds."""
        return self.exit_code == ExitCode.HOLDS

    @property
    def exit_code(self) -> ExitCode:
        """32 for a counterexample to induction, 31 where the solver gave up, 12 for a lemma that is false at first."""
        return self.proof.exit_code

    @property
    def findings(self) -> list[str]:
        """The obligations that fail or are open."""
        return [answer.obligation.label for answer in (*self.proof.failed, *self.proof.unknown)]

    @property
    def headline(self) -> str:
        """What is proved, or what is not, in one line."""
        from epochal.report.proof import headline

        return f"{self.proof.protocol.name}: {headline(self.proof)}"

    @property
    def counterexample(self) -> Trace | None:
        """The counterexample to induction that is told first; None if there is none."""
        from epochal.checker.solver.induction import matrix, told

        first = told(matrix(self.proof))
        return first.shown.trace if first is not None and first.shown is not None else None

    def to_dict(self) -> documents.Prove:
        """The result as plain data, with its traces as ITF."""
        from epochal.report.proof import proof_document

        return proof_document(self.reduced, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report, with the matrix of actions and lemmas."""
        from epochal.report.proof import render_proof

        run = self.counterexample
        story = [] if run is None else str(run).splitlines()
        render_proof(
            page,
            self.reduced,
            story,
            self.replayed.sentence,
            list(files),
            about=self.about,
            reference=self.reference,
            others=max(0, len(self.traces) - 1),
        )


@overload
def prove(
    protocol: Protocol,
    *,
    properties: str | Iterable[str] | None = None,
    lemmas: str | None = None,
    candidates: str | None = None,
    minimize: bool = False,
    engine: str = "local",
    master: str | None = None,
    workers: int | None = None,
    cached: bool = True,
    rlimit: int | None = None,
    max_states: int | None = None,
    cross_check: Amount = "some",
    budget: float | None = None,
    begun: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    reference: str | None = None,
    unbounded: Literal[False] = False,
) -> ProofResult: ...
@overload
def prove(
    protocol: Protocol,
    *,
    properties: str | Iterable[str] | None = None,
    lemmas: str | None = None,
    engine: str = "local",
    master: str | None = None,
    workers: int | None = None,
    cached: bool = True,
    rlimit: int | None = None,
    budget: float | None = None,
    begun: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    reference: str | None = None,
    unbounded: Literal[True],
) -> UnboundedResult: ...
@question
def prove(
    protocol: Protocol,
    *,
    properties: str | Iterable[str] | None = None,
    lemmas: str | None = None,
    candidates: str | None = None,
    minimize: bool = False,
    engine: str = "local",
    master: str | None = None,
    workers: int | None = None,
    cached: bool = True,
    rlimit: int | None = None,
    max_states: int | None = None,
    cross_check: Amount = "some",
    budget: float | None = None,
    begun: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    reference: str | None = None,
    unbounded: bool = False,
) -> ProofResult | UnboundedResult:
    """Prove the invariants of a protocol from its lemmas: at these bounds, for any number of steps.

    `properties` are the ids of invariants (None: all). `lemmas` is a Python file or module with lemmas, which stand
    beside those of the protocol. `candidates` is one with guesses: of all lemmas, the largest set that is inductive is
    kept. `minimize` says which lemmas are not needed. `rlimit` is in Z3's
    resource units, for each question; `max_states` bounds the search for the first states of counterexamples.

    `unbounded` proves for every choice of the bounds instead, if the rules have a first-order semantics; those of the
    protocol are where it is compared with Python. `rlimit` is then that of the hardest attempt at a question.

    A registered protocol whose proof needs history, such as kip-320, is proved in the one that remembers it, unless
    lemmas are brought. `budget` is in seconds from `begun` on (None: from now), for all of it: half a proof says
    nothing, and what Z3 has answered until then is kept for the next time.

    Raises UsageError for a protocol without lemmas and for what is no invariant, EngineError without Z3, LanguageError
    for a rule that `unbounded` cannot read, Inconclusive if the budget is spent.
    """
    from epochal.checker.search.budget import BudgetExceeded, Deadline
    from epochal.checker.solver.prove import ProofOptions
    from epochal.checker.workers.chosen_engine import Where

    try:
        with Deadline(budget, begun=begun).watching("proving"):
            options = ProofOptions(
                None if properties is None else tuple(properties),
                rlimit=rlimit,
                where=Where(engine, workers, master),
                cached=cached,
                houdini=candidates is not None,
                minimize=minimize,
                max_states=max_states,
                cross_check=cross_check,
            )
            return _proved(
                required(protocol, "prove"), options, lemmas, candidates, progress, reference, unbounded=unbounded
            )
    except BudgetExceeded as spent:
        kept = " Z3 does not run again for what it has answered." if cached else ""
        raise Inconclusive(f"{spent}; nothing is proved.", f"Raise the limit.{kept}") from spent


def _proved(
    protocol: Protocol,
    options: ProofOptions,
    lemmas: str | None,
    candidates: str | None,
    progress: Callable[[Progress], None] | None,
    reference: str | None,
    *,
    unbounded: bool,
) -> ProofResult | UnboundedResult:
    from epochal.checker.search.findings import initial_states
    from epochal.checker.solver.induction import matrix
    from epochal.checker.solver.prove import proof, with_candidates

    if options.houdini and options.minimize:
        raise UsageError("candidates and minimize exclude each other: minimize what is kept of the candidates.")
    if options.houdini and lemmas is not None:
        raise UsageError("candidates and lemmas exclude each other: candidates may fall, lemmas may not.")
    if unbounded:
        within = {
            "candidates": options.houdini,
            "minimize": options.minimize,
            "max_states": options.max_states is not None,
        }
        for name in (name for name, given in within.items() if given):
            raise UsageError(f"unbounded and {name} exclude each other: {name} is of proofs within bounds.")
    require_solver()
    initial_states(protocol)  # of a protocol that cannot begin everything would be true
    name, about = reference or reference_of(protocol), ""
    brought = lemmas or candidates
    if brought is not None:
        protocol = with_candidates(protocol, brought)
    else:
        remembering = _with_history(protocol)
        if remembering is not None:
            same = unbounded and takes_the_same_steps(protocol, remembering)
            about = _whose_steps(protocol, remembering, same)
            name, protocol = reference_of(remembering), remembering
    if unbounded:
        return proved_unbounded(protocol, options, name, about, progress)
    found = _named(proof(protocol, options, progress), name, lemmas)
    shown: dict[str, Trace] = {}
    if candidates is None:  # a trace about a lemma that stands in no protocol could not be replayed
        shown = {
            f"{cell.row}-{cell.column}": cell.shown.trace
            for cell in matrix(found.proof)
            if cell.shown is not None and cell.shown.trace is not None
        }
    replayed = replay_all(protocol, shown.values(), found.proof.model.without_lemmas())
    return ProofResult(found, name, replayed, shown, about)


def _with_history(protocol: Protocol) -> Protocol | None:
    """The protocol in which the proof of this one stands, within the same bounds; None if this has it itself."""
    from epochal.spec.registry import proof_of

    kind = None if protocol.members("lemma") else proof_of(type(protocol))
    return None if kind is None else kind(protocol.bounds)


def _whose_steps(plain: Protocol, remembering: Protocol, same: bool) -> str:
    """What is said of a proof with history. Raises EpochalError if the steps are not those of the protocol itself.

    They are compared in states, unless they are known to be the same in all.
    """
    from epochal.checker.crosscheck.cross_check import difference

    added = counted(len(remembering.variables) - len(plain.variables), "history variable")
    lemmas = counted(len(remembering.members("lemma")), "lemma")
    said = f"{plain.name} with {added} and {lemmas} ({remembering.name}); its steps are {plain.name}'s"
    if same:
        return f"{said}, term by term"
    wrong, states = difference(plain, remembering, COMPARED)
    if wrong:
        raise EpochalError(
            f"{remembering.name} does not take the steps of {plain.name}: {wrong}",
            f"Its proof says nothing of {plain.name}. This is a bug of the specification.",
            exit_code=ExitCode.REFINEMENT_FAILS,
        )
    return f"{said}, compared in {counted(states, 'state')}"


def _named(found: Reduced, reference: str, lemmas: str | None) -> Reduced:
    """The same, whose traces say how their protocol is called, where its lemmas are, and who found them."""
    more = {"lemmas": lemmas} if lemmas else {}
    answers = tuple(
        answer if answer.trace is None else replace(answer, trace=with_facts(answer.trace, reference, **more))
        for answer in found.proof.answers
    )
    return replace(found, proof=replace(found.proof, answers=answers))
