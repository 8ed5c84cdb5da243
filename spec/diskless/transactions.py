"""Transactions on a diskless partition: markers in the coordinator's log, fenced producers, and what consumers see.

KIP-1150 promises them, KIP-1163 leaves them out of its first version, and KIP-1164 names transaction state as the
coordinator's, without rules. What is here is what of classic topics the coordinator must do in their leader's place.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated, ClassVar

from ..language import Ghost, Integers, Map, Set, action, bound, bounded, invariant, reachable, require, view
from .diskless import Diskless
from .state import Batch, DisklessBounds, Entry, EntryKind, Prefix, Producer


@dataclass(frozen=True)
class DisklessTransactionBounds(DisklessBounds):
    """Transactions in the place of producers."""

    producers: int = bound(2, least=1, most=3, help="the number of transactions, each with a producer epoch of its own")
    batches: int = bound(1, least=1, most=3, help="the number of batches of each transaction")
    entries: int = bound(
        5,
        least=1,
        most=6,
        help="the number of records in the coordinator's log",
        why="it may fail over between any two",
    )
    deletions: int = bound(1, least=0, most=2, help="how often the log start offset moves")


class TransactionDecision(enum.Enum):
    """What the transaction coordinator has of a transaction."""

    NOT_BEGUN = "not begun"
    ONGOING = "ongoing"
    COMMIT = "to be committed"
    ABORT = "to be aborted"


class DisklessTransactions(Diskless):
    """One transactional id with transactions of version 2 (KIP-890), one after another, each with its epoch.

    The transaction coordinator is one machine that never fails: `decisions` are its, and the first `completed`
    transactions have the marker, as the Diskless coordinator has answered. A transaction ends because its producer
    asks for it, its time is over, or a new instance fences it: but for the first, its producer does not know. That a
    broker has asked the transaction coordinator, before it takes a batch into its buffer, says nothing of the moment
    when the batch is committed, and so it is no rule here.

    `consumed` are the batches that a consumer with isolation.level=read_committed got.
    """

    name: ClassVar[str] = "diskless-transactions"

    bounds: DisklessTransactionBounds

    decisions: Map[Producer, TransactionDecision]
    completed: Annotated[int, Integers(0, DisklessTransactionBounds.producers)]
    consumed: Ghost[Set[Batch]]

    fences_at_commit: ClassVar[bool] = True
    """Whether a batch is refused that is committed after the marker of its transaction: by its producer epoch."""

    keeps_aborted: ClassVar[bool] = True
    """Whether the coordinator knows of aborted transactions as long as their batches are there."""

    # -- words ----------------------------------------------------------------------------------------------------

    def is_marker(self, entry: Entry) -> bool:
        """Whether a record ends a transaction."""
        return entry.kind == EntryKind.COMMIT or entry.kind == EntryKind.ABORT

    def is_marked(self, transaction: int, upto: int) -> bool:
        """Whether the marker of a transaction is in the log."""
        return any(i < upto and self.is_marker(e) and e.producer == transaction for i, e in enumerate(self.log))

    def ends_as(self, position: int, kind: EntryKind, upto: int) -> bool:
        """Whether the batches of a record are ended by such a marker: by the first one after them."""
        return any(
            position < i < upto
            and entry.kind == kind
            and not any(position < j < i and self.is_marker(other) for j, other in enumerate(self.log))
            for i, entry in enumerate(self.log)
        )

    def is_open(self, position: int, upto: int) -> bool:
        """Whether no marker has ended the batches of a record."""
        return not any(position < i < upto and self.is_marker(entry) for i, entry in enumerate(self.log))

    def last_stable(self, upto: int) -> int:
        """The last stable offset: where the first open transaction begins."""
        return min(
            (
                e.offset
                for i, e in enumerate(self.log)
                if i < upto and e.kind == EntryKind.BATCHES and self.is_open(i, upto)
            ),
            default=self.end(upto),
        )

    def may_be_sent(self, batch: int) -> bool:
        """From the beginning of its transaction on, also by a producer that was fenced."""
        return self.decisions[self.producer_of(batch)] != TransactionDecision.NOT_BEGUN

    def may_commit(self, object: int) -> bool:
        """As always; a marker raises the epoch."""
        fenced = any(
            self.is_marked(t, self.validated())
            for t in self.decisions
            if t >= self.producer_of(self.objects[object].first)
        )
        return super().may_commit(object) and not (fenced and self.fences_at_commit)

    # -- steps ----------------------------------------------------------------------------------------------------

    @action(by="producer", says="Transaction {transaction} begins")
    def begin(self, transaction: Producer) -> None:
        """The former one is complete."""
        require(self.completed == transaction and self.decisions[transaction] == TransactionDecision.NOT_BEGUN)
        self.decisions[transaction] = TransactionDecision.ONGOING

    @action(by="producer", to="transaction coordinator", sends="EndTxn", says="Transaction {transaction} is committed")
    def commit_transaction(self, transaction: Producer) -> None:
        """The producer was told of success for all of its batches."""
        require(self.decisions[transaction] == TransactionDecision.ONGOING)
        require(all(b in self.acknowledged for b in self.batch_ids() if self.producer_of(b) == transaction))
        self.decisions[transaction] = TransactionDecision.COMMIT

    @action(by="transaction coordinator", says="Transaction {transaction} is aborted")
    def abort_transaction(self, transaction: Producer) -> None:
        """Its producer asks for it, its time is over, or a new instance fences it."""
        require(self.decisions[transaction] == TransactionDecision.ONGOING)
        self.decisions[transaction] = TransactionDecision.ABORT

    @action(
        by="transaction coordinator",
        to="Diskless coordinator",
        sends="WriteTxnMarkers",
        says="The coordinator appends the marker of transaction {transaction}",
    )
    def write_marker(self, transaction: Producer) -> None:
        """A marker that is there already is not appended again."""
        require(self.completed == transaction and not self.is_marked(transaction, self.validated()))
        decision = self.decisions[transaction]
        require(decision == TransactionDecision.COMMIT or decision == TransactionDecision.ABORT)
        bounded(len(self.log) < self.bounds.entries)
        kind = EntryKind.COMMIT if decision == TransactionDecision.COMMIT else EntryKind.ABORT
        self.log.append(Entry(kind=kind, producer=transaction, object=0, first=0, offset=0))

    @action(
        by="Diskless coordinator",
        to="transaction coordinator",
        receives="WriteTxnMarkers response",
        says="The transaction coordinator is told of the marker of transaction {transaction}",
    )
    def complete(self, transaction: Producer) -> None:
        """CompleteCommit or CompleteAbort. The next transaction may begin."""
        require(self.completed == transaction and self.is_marked(transaction, self.answered()))
        self.completed += 1

    def fetch(self, view: Prefix) -> None:
        """Up to the last stable offset; what is aborted is passed over."""
        require(view <= self.applied())
        require(self.start(view) <= self.position < self.last_stable(view))
        self.consume(view, view)

    def consume(self, view: int, aborted: int) -> None:
        """A record, with the aborted transactions that are known after `aborted` records of the log."""
        for i, entry in enumerate(self.log):
            if i < view:
                for batch in self.batch_ids():
                    if self.holds(entry, batch) and entry.offset + batch - entry.first == self.position:
                        known = self.keeps_aborted or self.producer_of(batch) >= self.completed
                        if not (known and self.ends_as(i, EntryKind.ABORT, aborted)):
                            self.consumed |= {batch}
        self.read(view)
        self.position += 1

    # -- promises -------------------------------------------------------------------------------------------------

    @invariant
    def fenced_adds_nothing(self) -> bool:
        """No batch comes after the marker of its transaction: none of a zombie, none that was in a buffer."""
        return not any(
            j < i < self.replicated and other.producer >= entry.producer
            for i, entry in enumerate(self.log)
            for j, other in enumerate(self.log)
            if entry.kind == EntryKind.BATCHES and self.is_marker(other)
        )

    @invariant
    def aborted_is_never_visible(self) -> bool:
        """No batch of an aborted transaction is committed, nor got by a consumer with read_committed."""
        return all(
            self.decisions[self.producer_of(b)] == TransactionDecision.COMMIT for b in self.consumed
        ) and not any(
            self.ends_as(i, EntryKind.COMMIT, self.replicated)
            and self.decisions[entry.producer] != TransactionDecision.COMMIT
            for i, entry in enumerate(self.log)
            if i < self.replicated and entry.kind == EntryKind.BATCHES
        )

    @invariant
    def committed_is_whole(self) -> bool:
        """All batches of a transaction that is complete are committed, if one is."""
        return all(
            self.decisions[t] != TransactionDecision.COMMIT
            or t >= self.completed
            or all(
                any(
                    i < self.replicated and self.holds(entry, b) and self.ends_as(i, EntryKind.COMMIT, self.replicated)
                    for i, entry in enumerate(self.log)
                )
                for b in self.batch_ids()
                if self.producer_of(b) == t
            )
            for t in self.decisions
        )

    @invariant
    def complete_is_marked(self) -> bool:
        """A transaction that is complete has its marker: nothing of it is open for ever."""
        return all(self.is_marked(t, len(self.log)) for t in self.decisions if t < self.completed)

    @reachable
    def committed_is_consumed(self) -> bool:
        """A consumer gets what is committed, and passes over what is aborted."""
        return len(self.consumed) == 1 and self.position > self.bounds.batches

    @reachable
    def zombie_is_refused(self, new: Diskless) -> bool:
        """A batch is on its way when the marker of its transaction is appended."""
        return any(
            self.is_uploaded(o)
            and self.decisions[self.producer_of(self.objects[o].first)] == TransactionDecision.ABORT
            and not self.is_named(o, len(self.log))
            and len(new.log) > len(self.log)
            for o in self.objects
        )

    @view(of="transaction")
    def transaction_in_words(self, transaction: Producer) -> str:
        """What the transaction coordinator has of it."""
        decision = self.decisions[transaction]
        if decision == TransactionDecision.NOT_BEGUN:
            return ""
        return f"{decision.value}{', complete' if transaction < self.completed else ''}"

    @view(of="consumer")
    def consumed_in_words(self) -> str:
        """What it got."""
        return f"got {' '.join(self.batch_in_words(b) for b in self.consumed)}" if self.consumed else ""
