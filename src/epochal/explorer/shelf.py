"""The protocols that the explorer may open: registered ones, and those of files that the command line names.

An address names a protocol, and addresses come from mails and chats. So what one says is compared with what is known,
and no file is ever loaded because an address names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from epochal.errors import UsageError
from epochal.sentences import LONGEST
from epochal.spec.language import ActionInstance, Protocol
from epochal.spec.language.configurable import with_configuration
from epochal.spec.language.reference import split_reference
from epochal.spec.language.suggestions import advice
from epochal.spec.loading import instantiate
from epochal.spec.registry import REGISTRY, is_registered, registered

from .address import unique_labels

MOST_KEPT = 16
"""So many protocols within bounds stay in memory."""


@dataclass(frozen=True)
class Opened:
    """A protocol within bounds, and how it is called in addresses and on the command line, settings included."""

    reference: str
    protocol: Protocol

    @cached_property
    def by_label(self) -> Mapping[str, ActionInstance]:
        """The steps of the protocol by their labels, as addresses name them."""
        return dict(zip(self.labels, self.protocol.instances, strict=True))

    @cached_property
    def labels(self) -> Sequence[str]:
        """The labels of all steps, by their numbers."""
        return unique_labels([one.label for one in self.protocol.instances])

    @cached_property
    def initial_states(self) -> Sequence[tuple[int, ...]]:
        """The states in which runs begin."""
        return self.protocol.initial_states()

    @property
    def own_bounds(self) -> tuple[tuple[str, int], ...]:
        """The bounds that are not the protocol's defaults."""
        declared = type(self.protocol).bounds_type().declared()
        said = self.protocol.bounds.as_dict()
        return tuple((name, said[name]) for name, one in declared.items() if said[name] != one.default)


@dataclass
class Shelf:
    """Opens protocols. `named` are the classes of files that the user named, by their references without settings."""

    named: Mapping[str, type[Protocol]] = field(default_factory=dict)
    kept: dict[tuple[str, tuple[tuple[str, int], ...]], Opened] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """What can be opened: what the user named first."""
        return list(dict.fromkeys((*self.named, *REGISTRY)))

    def open(self, reference: str, bounds: Sequence[tuple[str, int]] = ()) -> Opened:
        """A protocol within bounds. Raises UsageError for one that may not be opened, BoundsError for its bounds."""
        key = reference, tuple(bounds)
        if key not in self.kept:
            if len(self.kept) >= MOST_KEPT:
                del self.kept[next(iter(self.kept))]
            self.kept[key] = Opened(reference, instantiate(self.kind(reference), dict(bounds)))
        return self.kept[key]

    def open_beside(self, reference: str, other: Protocol) -> Opened:
        """Another protocol, within the bounds of the first as far as it has them."""
        kind = self.kind(reference)
        declared, said = kind.bounds_type().declared(), other.bounds.as_dict()
        return self.open(reference, [(name, said[name]) for name in declared if name in said])

    def kind(self, reference: str) -> type[Protocol]:
        """The class of a protocol with its settings. Raises UsageError for one that may not be opened."""
        name, settings = split_reference(reference)
        if name in self.named:
            return with_configuration(self.named[name], settings)
        if is_registered(name):
            return with_configuration(registered(name), settings)
        if ".py" in name:
            raise UsageError(
                f"{name[:LONGEST]} was not named when the explorer began; no file runs because an address names it",
                "If you trust it, end the explorer and start it with that file.",
            )
        raise UsageError(f"no protocol is named {name[:LONGEST]!r}", advice(name[:LONGEST], self.names, "protocols"))
