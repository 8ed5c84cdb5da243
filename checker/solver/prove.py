"""From the options of `epochal prove` to a proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from epochal.errors import UsageError
from epochal.sentences import Given

from ..host.z3_solver import require_solver

if TYPE_CHECKING:
    from epochal.spec.language import Protocol

    from ..cross_check import Amount
    from .dispatch import Progress
    from .houdini import Reduced

FIRST_STATES = 200_000
"""How many states are searched for the first states of counterexamples: a few seconds."""


@dataclass(frozen=True)
class ProofOptions:
    """What a proof is asked for. None of `rlimit`, `workers` and `max_states` means the usual."""

    properties: tuple[str, ...] = ()
    rlimit: int | None = None
    workers: int | None = None
    cached: bool = True
    engine: str = "local"
    master: str | None = None
    houdini: bool = False
    minimize: bool = False
    max_states: int | None = None
    cross_check: Amount = "some"


def proof(protocol: Protocol, options: ProofOptions, progress: Callable[[Progress], None] | None = None) -> Reduced:
    """Prove. Raises EpochalError for a protocol without lemmas, what is no invariant, and a solver that is missing."""
    refuse_unprovable(protocol, options.properties)
    require_solver()
    from ..tasks.chosen_engine import Where, chosen_engine
    from .answer import Solver
    from .cti_reachability import with_reach
    from .dispatch import QueryRunner, largest_first
    from .houdini import Reduced, houdini
    from .induction import RLIMIT, Induction, Stopwatch, prepared, result_of
    from .minimize import minimize

    watch = Stopwatch()
    plain = not (options.houdini or options.minimize)
    where = Where(options.engine, options.workers, options.master)
    with chosen_engine(where, Solver, largest_first) as engine:
        ask = QueryRunner(engine, options.cached, progress)
        with ask.compiling():
            plan = prepared(protocol, options.properties or None)
        induction = Induction(plan, options.rlimit or RLIMIT, ask, least=plain)
        induction.cross_check = options.cross_check
        if plain:
            found = Reduced(result_of(induction, list(induction.answers()), watch))
        else:
            found = (houdini if options.houdini else minimize)(induction, watch)
    found = found.with_proof(replace(found.proof, cpu_seconds=watch.cpu_seconds))  # with those of ended processes
    if options.houdini:
        return found
    states = FIRST_STATES if options.max_states is None else options.max_states
    return found.with_proof(with_reach(found.proof, states, ask.tell))


def refuse_unprovable(protocol: Protocol, properties: Sequence[str]) -> None:
    """Raise UsageError for a protocol without lemmas, and for what is no invariant of it."""
    if not protocol.members("lemma"):
        from epochal.spec.registry import REGISTRY, registered

        others = ", ".join(name for name in REGISTRY if registered(name).members("lemma"))
        raise UsageError(
            f"{protocol.name} has no lemmas, so there is nothing to prove it from.",
            (
                "Mark lemmas with @lemma, or bring some with ",
                Given("lemmas"),
                f". Registered protocols with lemmas: {others}.",
            ),
        )
    invariants = {member.name for member in protocol.members("invariant")}
    for name in properties:
        if name not in invariants:
            raise UsageError(
                f"{name} is no invariant, and only invariants are proved.\n"
                f"  Invariants of {protocol.name}: {', '.join(sorted(invariants))}.",
            )
