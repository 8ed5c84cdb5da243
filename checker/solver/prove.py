"""From the options of `epochal prove` to a proof."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

from epochal.errors import UsageError
from epochal.sentences import Given
from epochal.spec.former_names import former_names
from epochal.spec.language import LoadError, Protocol
from epochal.spec.language.added import Brought, with_methods
from epochal.spec.language.marks import mark_of
from epochal.spec.loading import import_error, imported_file

from ..base.installed import require_solver
from ..workers.chosen_engine import HERE, Where, chosen_engine

if TYPE_CHECKING:
    from ..crosscheck.cross_check import Amount
    from .dispatch import Progress
    from .induction import Reduced


FIRST_STATES = 200_000
"""How many states are searched for the first states of counterexamples: a few seconds."""


@dataclass(frozen=True)
class ProofOptions:
    """What a proof is asked for: None of `properties` means all, of `rlimit` and `max_states` the usual."""

    properties: tuple[str, ...] | None = None
    rlimit: int | None = None
    where: Where = HERE
    cached: bool = True
    houdini: bool = False
    minimize: bool = False
    max_states: int | None = None
    cross_check: Amount = "some"
    certified: bool = False


def proof(protocol: Protocol, options: ProofOptions, progress: Callable[[Progress], None] | None = None) -> Reduced:
    """Prove. Raises EpochalError for a protocol without lemmas, what is no invariant, and a solver that is missing."""
    refuse_unprovable(protocol, options.properties or ())
    require_solver()
    from .answer import Solver
    from .dispatch import QueryRunner, largest_first
    from .induction import RLIMIT, Induction, Reduced, Stopwatch, houdini, minimize, prepared, result_of, with_reach

    watch = Stopwatch()
    plain = not (options.houdini or options.minimize)
    with chosen_engine(options.where, Solver, largest_first) as engine:
        ask = QueryRunner(engine, options.cached, progress)
        with ask.compiling():
            plan = prepared(protocol, options.properties or None)
        induction = Induction(plan, options.rlimit or RLIMIT, ask, least=plain)
        induction.cross_check = options.cross_check
        if plain:
            found = Reduced(result_of(induction, list(induction.answers()), watch))
        else:
            found = (houdini if options.houdini else minimize)(induction, watch)
    told = replace(found.proof, cpu_seconds=watch.cpu_seconds)  # with those of ended processes
    if not options.houdini:
        told = with_reach(told, FIRST_STATES if options.max_states is None else options.max_states, ask.tell)
    return replace(found, proof=told)


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
                f"  Invariants of {protocol.name}: {', '.join(sorted(invariants))}."
            )


# -- candidates -------------------------------------------------------------------------------------------------------
# Candidate lemmas from a file or a module of the user, added to a protocol as if they stood in its class.

FORM = "Write functions marked with @lemma: @lemma / def name(self) -> bool."


def with_candidates(protocol: Protocol, reference: str) -> Protocol:
    """The same protocol at the same bounds, with the lemmas that `reference` names besides its own.

    `reference` is a Python file or a module, whose functions marked with @lemma are meant, or either with `:Class`,
    whose methods are. Raises LoadError, also for a name that stands for something else in the protocol.
    """
    where, separator, name = reference.rpartition(":")
    module = _module(where if separator else reference)
    found = _lemmas(_class(module, name, reference) if separator else vars(module), module if not separator else None)
    if not found:
        raise LoadError(f"{reference} has no candidate lemmas", advice=FORM)
    brought = (Brought(name, function, reference) for name, function in found.items())
    return with_methods(type(protocol), brought)(protocol.bounds)


def _module(reference: str) -> ModuleType:
    if reference.endswith(".py") or "/" in reference:
        return imported_file(reference)
    try:
        with former_names():
            return importlib.import_module(reference)
    except ImportError as error:
        raise LoadError(
            f"there is no module {reference}: {error}", advice="Name a Python file, such as candidates.py, or a module."
        ) from error
    except Exception as error:  # the module is the user's: it may raise anything while it is imported
        raise import_error(error, getattr(error, "filename", None) or reference) from error


def _class(module: ModuleType, name: str, reference: str) -> Mapping[str, object]:
    found = getattr(module, name, None)
    if not isinstance(found, type):
        raise LoadError(f"{reference}: there is no class {name}", advice=FORM)
    members: dict[str, object] = {}
    for owner in reversed(found.__mro__):
        members |= vars(owner)
    return members


def _lemmas(names: Mapping[str, object], module: ModuleType | None) -> dict[str, FunctionType]:
    """The functions among these that are marked as lemmas; of a module, those that it defines itself."""
    return {
        name: value
        for name, value in names.items()
        if isinstance(value, FunctionType)
        and (mark := mark_of(value)) is not None
        and mark.kind == "lemma"
        and (module is None or value.__module__ == module.__name__)
    }
