"""The proof of a model's invariants from its lemmas, as a part of the gate; made again only if its inputs changed."""

from __future__ import annotations

from epochal.errors import EngineError, UsageError
from epochal.spec.language import Protocol

from ..base.numbers import counted
from ..solver.prove import ProofOptions, proof
from . import cache
from .verdict import GateFinding


def proof_digest(protocol: Protocol) -> str:
    """The digest of everything that a proof depends on: the rules, the properties and the lemmas; "" without lemmas."""
    if not protocol.members("lemma"):
        return ""
    from ..base.machine import without_collection
    from ..compile.compiler import compile_protocol
    from ..identity.specification import specification_digest

    with without_collection():
        return specification_digest(compile_protocol(protocol, lemmas=True))


def proof_finding(protocol: Protocol, reference: str, digest: str) -> GateFinding | None:
    """What is wrong with the proof of a protocol's invariants; None if they are proved for any number of steps."""
    kept = cache.find_answer("proof", digest)
    if kept is None:
        try:
            result = proof(protocol, ProofOptions(max_states=0)).proof
        except (EngineError, UsageError) as error:
            return GateFinding("not proved", error.exit_code, " ".join(str(error).split()))
        kept = {"code": result.exit_code, "message": "; ".join(result.vacuous)}
        open_ones = (*result.failed, *result.unknown)
        if open_ones:
            names = ", ".join(dict.fromkeys(answer.obligation.label for answer in open_ones[:3]))
            count = counted(len(open_ones), "obligation fails", "obligations fail")
            kept["message"] = f"{count}, among them {names}; epochal prove {reference} shows the steps"
        cache.keep_answer(kept, "proof", digest)
    return GateFinding("not proved", kept["code"], kept["message"]) if kept["code"] else None
