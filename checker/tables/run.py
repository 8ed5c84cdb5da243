"""A search that was kept, as every table needs it: its protocol, its levels, and the rows of each level.

A search leaves its states in a checkpoint (native) or in a log (Spark); `opened` finds out which. Both keep the same
shortest run to each state, so the tables of one are those of the other.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from epochal.errors import UsageError
from epochal.sentences import Given, Sentence
from epochal.spec.language import ActionInstance, Protocol

from ..ir.digest import Digest
from ..ir.model import Model
from ..properties import all_properties
from ..reading import Codes
from ..search.findings import Findings, property_results
from ..search.properties import chosen_properties
from ..search.result import Options, PropertyResult
from .packed import Words, hashes

RUN_PROTOCOL: Final = Given("protocol")
ROWS = 1 << 17
"""How many states are read at a time."""


class RunRefused(UsageError):
    """What was named is no search that was kept, or one of another protocol. The message says what to do."""


@dataclass(frozen=True)
class Rows:
    """Some states of one level: their words, the hashes of the states before them, and the instances that led there.

    An initial state has the number after the last instance.
    """

    words: Words
    parents: Words
    instances: NDArray[np.int64]

    @cached_property
    def hashes(self) -> Words:
        """The hash of each state."""
        return hashes(self.words)

    def __len__(self) -> int:
        return len(self.words)

    def taken(self, places: NDArray[Any]) -> Rows:
        """The rows at these places, in their order."""
        return Rows(self.words[places], self.parents[places], self.instances[places])


@dataclass(frozen=True)
class Asked:
    """What a search was asked, as it says itself: the name of its protocol, bounds, properties."""

    protocol: str
    bounds: dict[str, int]
    properties: tuple[str, ...]
    all_violations: bool

    def options(self, protocol: Protocol) -> Options:
        """The options by which a protocol is compiled as it was then."""
        lemmas = {member.name for member in all_properties(protocol, True)}
        lemmas -= {member.name for member in all_properties(protocol, False)}
        return Options(self.properties, self.all_violations, lemmas=not lemmas.isdisjoint(self.properties))


class Piece(ABC):
    """Some states of one level, on a storage. It can be sent to another process, which then reads them."""

    count: int

    @abstractmethod
    def rows(self) -> Iterator[Rows]:
        """These states, some at a time. Raises EpochalError, OSError."""


class KeptRun(ABC):
    """A search that was kept, with the protocol that it was of."""

    def __init__(self, where: str, asked: Asked, model: Model) -> None:
        self.where, self.asked, self.model = where, asked, model

    @property
    def protocol(self) -> Protocol:
        """The protocol within the bounds of the search."""
        return self.model.protocol

    @cached_property
    def instances(self) -> Sequence[ActionInstance]:
        """What led to the states, by number."""
        return [one.instance for one in self.model.instances]

    @property
    @abstractmethod
    def levels(self) -> Sequence[int]:
        """How many states each level has."""

    @property
    @abstractmethod
    def exhaustive(self) -> bool:
        """Whether every state within the bounds is there."""

    @property
    @abstractmethod
    def steps(self) -> int:
        """How many steps lead from the states that were expanded."""

    @property
    @abstractmethod
    def digests(self) -> tuple[Digest, Digest]:
        """The digests of the states and of the steps."""

    @property
    def interchangeable(self) -> tuple[str, ...]:
        """The identifiers up to whose renaming states were explored; none in a search without symmetry."""
        return ()

    def representative(self, codes: Codes) -> Codes:
        """The state that stands in the search for one of the protocol: itself, in a search without symmetry."""
        return codes

    @abstractmethod
    def pieces(self, level: int) -> Sequence[Piece]:
        """The states of a level, in no order that means anything. Raises EpochalError, OSError for damaged files."""

    def rows(self, level: int) -> Iterator[Rows]:
        """The same, some at a time."""
        for piece in self.pieces(level):
            yield from piece.rows()

    @abstractmethod
    def found(self) -> Findings:
        """What was found of the properties."""

    def properties(self) -> tuple[PropertyResult, ...]:
        """What is known of each property, with the run that shows it. Raises ReadingsDisagree."""
        members = chosen_properties(self.protocol, self.asked.options(self.protocol))
        return property_results(self.protocol, members, self.found(), self.exhaustive, self.engine)

    engine: str


def rows_of(words: Words, parents: Words, instances: Any) -> Iterator[Rows]:
    """The same rows, some at a time."""
    for first in range(0, len(words), ROWS):
        last = first + ROWS
        yield Rows(words[first:last], parents[first:last], instances[first:last].astype(np.int64))


def other_rules(where: str, protocol: str) -> RunRefused:
    """The refusal of a search whose rules are not those of the protocol."""
    advice: Sentence = (
        "Its states mean something else now. Search again; or name the protocol that it was of, settings included: ",
        RUN_PROTOCOL,
        ".",
    )
    return RunRefused(f"{where} holds a search of other rules than those of {protocol} here", advice)


def document_of(where: str, text: bytes) -> dict[str, Any]:
    """The manifest of a search, as it stands there. Raises RunRefused if it is none."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RunRefused(f"{where} is damaged: {error}", "Search again, into an empty folder.") from error
    if not isinstance(document, dict):
        raise RunRefused(f"{where} is no manifest of a search", "Name the folder of --checkpoint or --storage.")
    return document
