"""One model for the gate: its digests, its rules and its record, from the cache as far as it has them.

One of Epochal's own is not even compiled again while its sources are the same: its digests are in the cache. Anybody
else's is compiled, since nobody knows what its module reads while it is imported: a file, the environment, a clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from epochal.errors import EngineError, UsageError
from epochal.spec.language import Protocol

from ..base.numbers import counted
from ..identity.specification import written
from ..semantics.properties import judged_if_asked, no_properties
from ..solver.prove import ProofOptions, proof
from . import cache
from .record import Digests, Record, record_of, with_present_words
from .verdict import GateFinding

if TYPE_CHECKING:
    from ..difference.difference import Rules
    from ..ir.model import Model
    from ..search.result import CheckResult, Progress


# -- proof ------------------------------------------------------------------------------------------------------------
# The proof of a model's invariants from its lemmas, as a part of the gate; made again only if its inputs changed.


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


@dataclass(frozen=True)
class Facts:
    """What is known of a specification without a search.

    `dead_actions` are those that no typed state enables; `proof` is the digest of what a proof depends on.
    """

    digests: Digests
    warnings: tuple[str, ...]
    vacuous: tuple[str, ...]
    dead_actions: tuple[str, ...]
    proof: str


class ModelSearch:
    """A protocol within bounds: what the gate asks about. Making it raises what compiling raises.

    `reference` is how it is called on the command line. `interrupted` says that the user has ended the search, or the
    cross-check after it.
    """

    def __init__(self, protocol: Protocol, reference: str) -> None:
        self.protocol, self.reference = protocol, reference
        self.interrupted = False
        told = written(protocol)
        kept = None if told is None else cache.find_answer("facts", told, part="answers by text")
        if kept is None:
            self.facts = _facts(protocol, self.model)
            if told is not None:
                cache.keep_answer(msgspec.to_builtins(self.facts), "facts", told, part="answers by text")
        else:
            self.facts = msgspec.convert(kept, Facts)

    @cached_property
    def model(self) -> Model:
        """The compiled protocol."""
        from ..base.machine import without_collection
        from ..compile.compiler import compile_protocol

        with without_collection():
            return compile_protocol(self.protocol)

    @cached_property
    def rules(self) -> Rules:
        """The rules, in the graph of the model."""
        from ..difference.difference import rules_of

        return rules_of(self.model)

    @property
    def digests(self) -> Digests:
        """The digests of the specification."""
        return self.facts.digests

    def kept(self) -> Record | None:
        """The record in the cache, in the words of this protocol; None if there is none."""
        found = cache.find_record(self.digests.specification)
        return None if found is None else self._in_present_words(found)

    def searched(
        self,
        engine: str,
        budget: float | None,
        progress: Callable[[Progress], None] | None,
        begun: float | None = None,
        max_memory: int | None = None,
        max_states: int | None = None,
    ) -> Record:
        """The record of a search within `budget` seconds since `begun`, kept in the cache if it is exhaustive."""
        from ..search.engines import search_of
        from ..search.result import Options

        options = Options(
            all_violations=True,
            liveness=True,
            budget=budget,
            progress=progress,
            begun=begun,
            max_memory=max_memory,
            max_states=max_states,
        )
        result = search_of(engine)(self.protocol, options)
        self._confirm(result)
        record = self._in_present_words(record_of(result, self.digests))
        self.interrupted = result.interrupted
        if not (self.interrupted or record.not_judged()):  # nor a search later whose cross-check was not made
            cache.keep_record(record)
        return record

    def keep_rules(self) -> None:
        """Keep the rules, so that a later change can be compared with them when their text is gone."""
        if not cache.has_rules(self.digests.specification):
            from ..difference.difference import encode_rules

            cache.keep_rules(self.digests.specification, encode_rules(self.rules))

    def _in_present_words(self, record: Record) -> Record:
        facts = self.facts
        return with_present_words(record, self.protocol, self.reference, self.digests, facts.warnings, facts.vacuous)

    def _confirm(self, result: CheckResult) -> None:
        """Replay every trace before anybody sees it. Raises EpochalError if one does not replay."""
        from ..search.confirm import found_traces, replay_all

        replay_all(self.protocol, found_traces(result), result.model or self.model)


def _facts(protocol: Protocol, model: Model) -> Facts:
    from ..compile.static import diagnose
    from ..identity.specification import part_digests, property_digests, specification_digest, text_digest

    odd = diagnose(model)
    vacuous = tuple(str(d) for d in odd if d.vacuous and not d.dead_action)
    if not (model.properties or model.promised) and judged_if_asked(protocol):
        vacuous = (*vacuous, no_properties(protocol))
    return Facts(
        Digests(
            specification_digest(model, promises=True),
            text_digest(protocol),
            property_digests(model),
            part_digests(model),
        ),
        tuple(str(d) for d in odd if not d.vacuous),
        vacuous,
        tuple(d.dead_action for d in odd if d.dead_action),
        proof_digest(protocol),
    )
