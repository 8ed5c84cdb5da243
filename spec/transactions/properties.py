"""What exactly-once needs: atomic transactions, kept promises, fenced producers, and nobody who waits for ever."""

from __future__ import annotations

from typing import Self

from ..language import action_property, invariant, leads_to, reachable
from .markers import Markers
from .state import NOTHING, PARTITIONS, Instance, ProducerPhase

MARKING = ("load_log", "write_marker", "complete")
"""What brokers do by themselves to end what is decided."""


class TransactionProperties(Markers):
    """The properties of a transactional id.

    Fair is what coordinators and waiting producers do by themselves. Nothing is assumed of elections, time-outs, lost
    answers, or producers that have not asked for anything.
    """

    @invariant
    def atomic(self) -> bool:
        """A transaction is committed at all of its partitions, or at none."""
        return all(len(self.committed_at[t]) == 0 or len(self.aborted_at[t]) == 0 for t in self.committed_at)

    @invariant
    def told_is_kept(self) -> bool:
        """A transaction whose producer was told that it is committed is aborted nowhere."""
        return all(len(self.aborted_at[t]) == 0 for t in self.told_committed)

    @invariant
    def aborted_is_never_visible(self) -> bool:
        """No record of a transaction whose producer aborts it is committed."""
        return all(len(self.committed_at[t]) == 0 for t in self.asked_abort)

    @invariant
    def only_its_producer_commits(self) -> bool:
        """No record is committed before the producer of its transaction has asked for that."""
        return all(len(self.committed_at[t]) == 0 or t in self.asked_commit for t in self.committed_at)

    @action_property
    def fenced_adds_nothing(self, new: Self) -> bool:
        """Nothing more is committed of a transaction that timed out, or whose producer was replaced."""
        return all(new.committed_at[t] == self.committed_at[t] for t in self.fenced)

    @leads_to(fair=MARKING)
    def transaction_ends(self) -> tuple[bool, bool]:
        """A transaction that is decided is complete some time."""
        pending = any(self.is_prepared(b) and self.coordinates(b) for b in self.offices)
        return pending, not pending and self.coordinates(self.leader)

    @leads_to(fair=(*MARKING, "init_producer_id", "init_fences", "end_is_answered"))
    def producer_can_begin(self, producer: Instance) -> tuple[bool, bool]:
        """A producer that waits for its epoch or for the end of a transaction may begin one, or has been replaced."""
        own = self.producers[producer]
        waits = own.phase in (ProducerPhase.STARTING, ProducerPhase.ENDING, ProducerPhase.FAILED)
        return waits and producer not in self.replaced, not waits or producer in self.replaced

    # -- what must be possible ------------------------------------------------------------------------------------

    @reachable
    def transaction_completes(self) -> bool:
        """A producer is told that its transaction is committed, and every partition has the marker."""
        return any(len(self.committed_at[t]) == PARTITIONS for t in self.told_committed)

    @reachable(only_if=lambda self: self.bounds.instances > 1)
    def zombie_is_fenced(self) -> bool:
        """A producer that was replaced is told so."""
        return any(self.producers[p].phase == ProducerPhase.FAILED for p in self.replaced)

    @reachable(only_if=lambda self: self.bounds.failovers > 0)
    def failover_completes_what_was_decided(self, new: Self) -> bool:
        """A new coordinator loads a decision."""
        return any(self.offices[b].elected != NOTHING and new.is_prepared(b) for b in self.offices)
