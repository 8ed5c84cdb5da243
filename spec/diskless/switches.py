"""Diskless topics with one rule taken away: what each of them is for.

Some rules are sentences of KIP-1163 and KIP-1164. Of the others the text says nothing, or leaves a choice: the variants
that are called "open" are a choice that it does not exclude.
"""

from __future__ import annotations

from typing import ClassVar

from ..language import action, require, view
from .diskless import Diskless
from .state import Batch, EntryKind, ObjectPhase, Prefix, Producer, StoredId
from .transactions import DisklessTransactions


class DisklessValidatesApplied(Diskless):
    """Diskless topics without a rule of KIP-1164: a request is validated against what is applied alone."""

    name: ClassVar[str] = "diskless-validates-applied"
    validates_pending: ClassVar[bool] = False


class DisklessAnswersEarly(Diskless):
    """Diskless topics without a rule of KIP-1164: a request is answered before its record is replicated."""

    name: ClassVar[str] = "diskless-answers-early"
    waits_for_replication: ClassVar[bool] = False


class DisklessNoDuplicates(Diskless):
    """Diskless topics without a rule of KIP-1164: the coordinator does not know which batches it has."""

    name: ClassVar[str] = "diskless-no-duplicates"
    knows_duplicates: ClassVar[bool] = False


class DisklessAnyOrder(Diskless):
    """Diskless topics without a rule of KIP-1164: sequence numbers are not compared with those before."""

    name: ClassVar[str] = "diskless-any-order"
    keeps_order: ClassVar[bool] = False


class DisklessDeletesPart(Diskless):
    """Diskless topics without a rule of KIP-1163: an object goes as soon as one of its batches is deleted."""

    name: ClassVar[str] = "diskless-deletes-part"

    def is_over(self, object: int) -> bool:
        """The first batch of the object is deleted."""
        upto = self.known_to_cleaner()
        return any(
            i < upto and e.kind == EntryKind.BATCHES and e.object == object and e.offset < self.start(upto)
            for i, e in enumerate(self.log)
        )


# -- what the text leaves open ----------------------------------------------------------------------------------------


class DisklessDuplicatesAnswered(Diskless):
    """Diskless topics, open: a duplicate of a batch that is not replicated yet is answered at once."""

    name: ClassVar[str] = "diskless-duplicates-answered"

    @action(
        by="Diskless coordinator",
        to="producer",
        receives="Produce response",
        says="Object {object} repeats batch {batch}, which is a duplicate: the producer is told of success",
    )
    def answer_duplicate(self, object: StoredId, batch: Batch) -> None:
        """DUPLICATE_SEQUENCE_NUMBER is success to a producer. The batch is in the log, by another object."""
        require(batch not in self.acknowledged and self.is_committed(batch, self.validated()))
        require(self.is_uploaded(object) and not self.is_named(object, self.validated()))
        require(self.objects[object].first <= batch <= self.objects[object].last)
        self.acknowledged |= {batch}
        self.note_told(batch, self.validated())


class DisklessLoadsToLogEnd(Diskless):
    """Diskless topics, open: a new coordinator takes all of its log for replicated (X1 of transactions).

    `loaded`: what it had when it took office.
    """

    name: ClassVar[str] = "diskless-loads-to-log-end"

    loaded: Prefix

    def fail_over(self, kept: Prefix) -> None:
        """As always."""
        super().fail_over(kept)
        self.loaded = kept

    def applied(self) -> int:
        """All that it has loaded."""
        return max(self.replicated, self.loaded)

    @view(of="Diskless coordinator")
    def loaded_in_words(self) -> str:
        """What it takes for replicated."""
        return f"took office with {self.loaded} records" if self.loaded else ""


class DisklessDeletesEarly(Diskless):
    """Diskless topics, open: objects go when the deletion of their batches is appended, and not yet replicated."""

    name: ClassVar[str] = "diskless-deletes-early"
    deletes_when_replicated: ClassVar[bool] = False


class DisklessLateCommits(Diskless):
    """Diskless topics, open: the cleaner waits for an object to be old, and the coordinator commits it at any age."""

    name: ClassVar[str] = "diskless-late-commits"
    refuses_late_commits: ClassVar[bool] = False


class DisklessSweepsAtOnce(Diskless):
    """Diskless topics, open: an object that the coordinator does not know is deleted, however young it is."""

    name: ClassVar[str] = "diskless-sweeps-at-once"
    sweep_waits: ClassVar[bool] = False


class DisklessSweepMissesPending(Diskless):
    """Diskless topics, open: whether an object is named the coordinator answers from its local state."""

    name: ClassVar[str] = "diskless-sweep-misses-pending"
    sweep_sees_pending: ClassVar[bool] = False


class DisklessSweepAsksFollower(Diskless):
    """Diskless topics, open: whether an object is named is answered from stale state, as DisklessFindBatches is."""

    name: ClassVar[str] = "diskless-sweep-asks-follower"

    @action(by="cleaner", to="object store", says="A follower with {view} records knows no {object}")
    def sweep_stale(self, object: StoredId, view: Prefix) -> None:
        """The object is old enough."""
        require(self.objects[object].phase == ObjectPhase.STORED and self.objects[object].expired)
        require(view <= self.applied() and not self.is_named(object, view))
        self.objects[object].phase = ObjectPhase.DELETED


class DisklessNoSweep(Diskless):
    """Diskless topics, open: nobody looks for objects that the coordinator does not know."""

    name: ClassVar[str] = "diskless-no-sweep"

    def sweep(self, object: StoredId) -> None:
        """Never."""
        require(False)


class DisklessOutOfRange(Diskless):
    """Diskless topics, open: beyond the end that a follower knows an offset is out of range."""

    name: ClassVar[str] = "diskless-out-of-range"

    @action(
        by="consumer",
        to="broker",
        sends="Fetch",
        receives="Fetch response",
        says="A broker that knows {view} records answers OFFSET_OUT_OF_RANGE, and the consumer goes to the end",
    )
    def be_reset(self, view: Prefix) -> None:
        """auto.offset.reset=latest: DisklessListOffsets answers from the newest state."""
        require(view <= self.applied())
        require(self.position > self.end(view))
        self.position = self.end(self.applied())


# -- of transactions --------------------------------------------------------------------------------------------------


class DisklessVerifiesEarly(DisklessTransactions):
    """Diskless transactions, open: a transaction is verified before a batch is buffered, and not when it is committed.

    Whether the broker asks each time or remembers the answer by producer id and epoch makes no difference. With
    transactions of version 1, whose epoch is the same from one to the next, the coordinator has nothing to compare.
    """

    name: ClassVar[str] = "diskless-verifies-early"
    fences_at_commit: ClassVar[bool] = False


class DisklessForgetsAborted(DisklessTransactions):
    """Diskless transactions, open: of a transaction that is complete the coordinator forgets everything."""

    name: ClassVar[str] = "diskless-forgets-aborted"
    keeps_aborted: ClassVar[bool] = False


class DisklessMarkersAnswered(DisklessTransactions):
    """Diskless transactions, open: a marker that is repeated is answered at once, also if it is not replicated yet."""

    name: ClassVar[str] = "diskless-markers-answered"

    @action(
        by="Diskless coordinator",
        to="transaction coordinator",
        receives="WriteTxnMarkers response",
        says="The marker of transaction {transaction} is there already, and the transaction coordinator is told so",
    )
    def answer_repeated_marker(self, transaction: Producer) -> None:
        """As KAFKA-19999 has it of classic topics: nothing is open, and the epoch is the same."""
        require(self.completed == transaction and self.is_marked(transaction, self.validated()))
        self.completed += 1


class DisklessTwoViews(DisklessTransactions):
    """Diskless transactions, open: batches are found in one state, and aborted transactions in an older one."""

    name: ClassVar[str] = "diskless-two-views"

    @action(
        by="consumer",
        to="broker",
        sends="Fetch",
        receives="Fetch response",
        says="The consumer gets what {view} records tell, without the transactions that {aborted} records know aborted",
    )
    def fetch_from_two(self, view: Prefix, aborted: Prefix) -> None:
        """The last stable offset is that of the batches."""
        require(aborted < view <= self.applied())
        require(self.start(view) <= self.position < self.last_stable(view))
        self.consume(view, aborted)
