"""A moment of a run: the state of the specification, and how far each part of the evidence has been explained."""

from __future__ import annotations

from typing import NamedTuple

from .model import Argument, Codes


class Reached(NamedTuple):
    """How far a broker's evidence is explained: which of its lives, and the place in each lane of that."""

    life: int
    places: tuple[int, ...]


class Moment(NamedTuple):
    """A state, how many decisions were taken, how far each broker is, and the partition epochs of the changes.

    `epochs[n]` is the partition epoch of `metadata[n]`: a broker that is n changes behind acts on that one. Some
    changes are none to the specification; `last_epoch` counts these as well. The logs of the state begin at the place
    `base` of the offsets at which something happened. `losses` counts the crashes that have lost the end of a log,
    where that is limited.
    """

    codes: Codes
    decisions: int
    brokers: tuple[Reached, ...]
    epochs: tuple[int, ...]
    last_epoch: int
    explained: int
    base: int = 0
    losses: int = 0

    def with_broker(self, place: int, reached: Reached, codes: Codes | None = None, lines: int = 0) -> Moment:
        """The same with a broker further on, in another state if one is given."""
        brokers = (*self.brokers[:place], reached, *self.brokers[place + 1 :])
        return self._replace(
            brokers=brokers, codes=self.codes if codes is None else codes, explained=self.explained + lines
        )


class Step(NamedTuple):
    """A step of the specification: its action, and the arguments by which the model knows it."""

    action: str
    arguments: tuple[Argument, ...]


class Move(NamedTuple):
    """What may come next: steps of the specification, and the moment after them."""

    steps: tuple[Step, ...]
    after: Moment
