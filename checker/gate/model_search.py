"""One model for the gate: its digests, its rules and its record, from the cache as far as it has them.

One of Epochal's own is not even compiled again while its sources are the same: its digests are in the cache. Anybody
else's is compiled, since nobody knows what its module reads while it is imported: a file, the environment, a clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from epochal.spec.language import Protocol

from ..identity.specification import written
from ..semantics.properties import judged_if_asked, no_properties
from . import cache
from .proof import proof_digest
from .record import Digests, Record, record_of, with_present_words

if TYPE_CHECKING:
    from ..difference.rules import Rules
    from ..ir.model import Model
    from ..search.result import CheckResult, Progress


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
                cache.keep_answer(_encode(self.facts), "facts", told, part="answers by text")
        else:
            self.facts = _decode(kept)

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
        from ..difference.rules import rules_of

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
            from ..difference.rules import encode_rules

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


def _encode(facts: Facts) -> dict[str, Any]:
    digests = facts.digests
    return {
        "specification": digests.specification,
        "text": digests.text,
        "properties": dict(digests.properties),
        "parts": dict(digests.parts),
        "warnings": list(facts.warnings),
        "vacuous": list(facts.vacuous),
        "dead_actions": list(facts.dead_actions),
        "proof": facts.proof,
    }


def _decode(data: dict[str, Any]) -> Facts:
    digests = Digests(data["specification"], data["text"], data["properties"], data["parts"])
    return Facts(digests, tuple(data["warnings"]), tuple(data["vacuous"]), tuple(data["dead_actions"]), data["proof"])
