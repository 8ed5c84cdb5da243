"""Which lemmas an obligation is likely to need: those that the prover within bounds has used for the same one.

Of many lemmas most have nothing to do with a step, and a solver that instantiates them all finds no end. Within bounds
Z3 says which it needed. These are tried first, with what many obligations need and what is small. Nothing rests on
this: a lemma that was left out is only missing, and then all are tried.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import z3

from epochal.spec.language import Protocol

from ..host.cache import Cache, Key
from ..identity.engine import key
from ..solver.dispatch import QueryRunner, in_this_process
from ..solver.encoding import Questions
from ..solver.induction import RLIMIT, Induction, prepared
from ..solver.obligations import Plan
from .followed import FEW, declared_counting, sizes_of
from .relevant import Used, place

KNOWN = Cache("unbounded-likely", "json", most=200)
MANY_LEMMAS = 30
"""With fewer lemmas than these all are tried at once, and nothing that is here for many is done."""


def used_within_bounds(protocol: Protocol, properties: Sequence[str], cached: bool, tell: Callable[[], None]) -> Used:
    """The lemmas that proofs within bounds have used, at a few of the protocol's identifiers."""
    if len(protocol.members("lemma")) < MANY_LEMMAS:
        return {}
    found: dict[str, set[str]] = {}
    for one in sizes_of(protocol, declared_counting(protocol), FEW):
        for cell, lemmas in _within(one, properties, cached).items():
            found.setdefault(cell, set()).update(lemmas)
        tell()
    return {cell: frozenset(lemmas) for cell, lemmas in found.items()}


def _within(protocol: Protocol, properties: Sequence[str], cached: bool) -> dict[str, list[str]]:
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
