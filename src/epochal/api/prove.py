"""`epochal.prove`: show by induction that invariants hold after any number of steps, within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, overload

from epochal.checker.base.installed import require_solver
from epochal.checker.base.numbers import counted
from epochal.checker.crosscheck.cross_check import Amount, difference
from epochal.checker.search.budget import BudgetExceeded, Deadline
from epochal.checker.search.confirm import replay_all
from epochal.checker.search.findings import initial_states
from epochal.checker.solver.prove import ProofOptions, proof, with_candidates
from epochal.checker.trace.trace import Trace
from epochal.checker.workers.chosen_engine import Where
from epochal.errors import EpochalError, Inconclusive, UsageError
from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol
from epochal.spec.registry import proof_of

from .options import reference_of, required
from .result import question

if TYPE_CHECKING:
    from epochal.checker.solver.dispatch import Progress

    from .proved import ProofResult, UnboundedResult

COMPARED = 60
"""In how many states the steps of a protocol with history are compared with those without, before a proof."""


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
    certified: bool = False,
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
    certified: bool = False,
) -> ProofResult | UnboundedResult:
    """Prove the invariants of a protocol from its lemmas: at these bounds, for any number of steps.

    `properties` are the ids of invariants (None: all). `lemmas` is a Python file or module with lemmas, which stand
    beside those of the protocol. `candidates` is one with guesses: of all lemmas, the largest set that is inductive is
    kept. `minimize` says which lemmas are not needed. `rlimit` is in Z3's
    resource units, for each question; `max_states` bounds the search for the first states of counterexamples.

    `unbounded` proves for every choice of the bounds instead, if the rules have a first-order semantics; those of the
    protocol are where it is compared with Python. `rlimit` is then that of the hardest attempt at a question. If
    `certified`, the result has a certificate, from which the same is proved again in little time.

    A registered protocol whose proof needs history, such as kip-320, is proved in the one that remembers it, unless
    lemmas are brought. `budget` is in seconds from `begun` on (None: from now), for all of it: half a proof says
    nothing, and what Z3 has answered until then is kept for the next time.

    Raises UsageError for a protocol without lemmas and for what is no invariant, EngineError without Z3, LanguageError
    for a rule that `unbounded` cannot read, Inconclusive if the budget is spent.
    """
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
                certified=certified,
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
    if options.houdini and options.minimize:
        raise UsageError("candidates and minimize exclude each other: minimize what is kept of the candidates.")
    if options.houdini and lemmas is not None:
        raise UsageError("candidates and lemmas exclude each other: candidates may fall, lemmas may not.")
    if options.certified and not unbounded:
        raise UsageError("certified is of proofs for every choice of the bounds: add unbounded.")
    if unbounded:
        within = {
            "candidates": options.houdini,
            "minimize": options.minimize,
            "max_states": options.max_states is not None,
        }
        for name in (name for name, given in within.items() if given):
            raise UsageError(f"unbounded and {name} exclude each other: {name} is of proofs within bounds.")
    require_solver()
    from epochal.checker.solver.induction import matrix

    from .proved import ProofResult, proved_unbounded, takes_the_same_steps, with_facts

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
    found = proof(protocol, options, progress)
    more = {"lemmas": lemmas} if lemmas else {}
    answers = tuple(
        answer if answer.trace is None else replace(answer, trace=with_facts(answer.trace, name, **more))
        for answer in found.proof.answers
    )
    found = replace(found, proof=replace(found.proof, answers=answers))
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
    kind = None if protocol.members("lemma") else proof_of(type(protocol))
    return None if kind is None else kind(protocol.bounds)


def _whose_steps(plain: Protocol, remembering: Protocol, same: bool) -> str:
    """What is said of a proof with history. Raises EpochalError if the steps are not those of the protocol itself.

    They are compared in states, unless they are known to be the same in all.
    """
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
