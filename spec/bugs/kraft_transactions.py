"""What happens to transactions of one partition when their markers are lost, or records and markers come late."""

from __future__ import annotations

from dataclasses import replace

from ..kraft.options.last_stable_offset import LastStableOffset
from ..kraft.settings import Settings
from .known_bug import KnownBug

NEWEST = Settings()
BEFORE_ELR = Settings(elr=False, strict_hw=False, min_insync_replicas=1)
VERSION_1 = Settings(epoch_per_transaction=False, late_markers_refused=False)
"""`transaction.version` below 2: all transactions of a producer have one producer epoch."""

TRANSACTIONS: tuple[KnownBug, ...] = (
    KnownBug(
        id="KIP-98b",
        title="A transaction is complete before its marker is replicated, and a new leader never gets the marker",
        tickets=("KIP-98", "TransactionMarkerChannelManager"),
        versions="none; the mistake that KIP-98 avoids",
        faulty=Settings(markers_acknowledged=False),
        sound=NEWEST,
        properties=("no_hanging_transaction",),
        bounds={"records": 2, "max_epoch": 1, "elections": 1},
        story=(
            "b2 is elected and has the record. The coordinator writes the marker at b1, which does not know yet that "
            "it leads no longer, and takes the transaction for complete. Nobody writes the marker at b2, and "
            "consumers that read what is committed stop there for ever. So markers are written with acks=all, and "
            "again until they are acknowledged."
        ),
    ),
    KnownBug(
        id="KIP-98c",
        title="Consumers see a transaction as committed before its marker is replicated",
        tickets=("KIP-98", "ProducerStateManager.unreplicatedTxns"),
        versions="none; the mistake that KIP-98 avoids",
        faulty=Settings(lso_waits_for_replicated_marker=False),
        sound=NEWEST,
        properties=("visible_stays",),
        bounds={"records": 2, "max_epoch": 1, "elections": 1},
        story=(
            "The record is below the high watermark, the marker is in the log of b1 only. If the last stable offset "
            "passed the record then, consumers would read it; b2 leads without the marker, and for its consumers the "
            "transaction is open again. The coordinator will write the same marker at b2, but until then the last "
            "stable offset has gone back. So a transaction is unstable until the high watermark has passed its marker "
            "(unreplicatedTxns)."
        ),
    ),
    KnownBug(
        id="KAFKA-14402",
        title="A batch arrives after the marker of its transaction, and nobody will end what it begins",
        tickets=("KAFKA-14402", "KIP-890"),
        versions="0.11 to 3.5, since then with transaction.partition.verification.enable=false",
        faulty=replace(VERSION_1, transactions_verified=False),
        sound=VERSION_1,
        properties=("no_hanging_transaction",),
        bounds={"replication_factor": 1, "records": 2},
        story=(
            "A batch is delayed on its way, so its producer gives the transaction up. The coordinator writes the "
            "marker; the transaction is over. Then the batch arrives: its producer epoch is still the right one, and "
            "for b1 it begins a transaction. The coordinator knows of none, so that nobody ends it: the last stable "
            "offset stands still, and consumers that read what is committed wait (a hanging transaction). Since 3.6 a "
            "leader in whose log no transaction is open asks the coordinator first (AddPartitionsToTxn with "
            "verifyOnly)."
        ),
    ),
    KnownBug(
        id="KIP-890",
        title="A batch of an aborted transaction arrives late, and is committed with the next one",
        tickets=("KIP-890",),
        versions="0.11 to 3.9, since then with transaction.version below 2",
        faulty=Settings(epoch_per_transaction=False),
        sound=NEWEST,
        properties=("aborted_is_never_visible",),
        bounds={"replication_factor": 1, "records": 3, "transactions": 2},
        story=(
            "As KAFKA-14402, but the next transaction has begun when the batch arrives. The coordinator says that a "
            "transaction is going on with this partition, which is true and not the one that is meant: both have the "
            "same producer epoch. The batch of the aborted transaction is committed with the other one, and consumers "
            "see it. With transactions of version 2 each has an epoch of its own, and b1 fences what is older."
        ),
    ),
    KnownBug(
        id="KAFKA-19446",
        title="A second copy of a marker arrives late, and decides the next transaction",
        tickets=("KAFKA-19446", "KIP-1228"),
        versions="0.11 to 4.1, since then with transaction.version below 2",
        faulty=Settings(late_markers_refused=False),
        sound=NEWEST,
        properties=("stable_is_decided", "aborted_is_never_visible"),
        bounds={"replication_factor": 1, "records": 3, "transactions": 2},
        story=(
            "The coordinator sends a marker again because the connection ended. The first copy was written and "
            "acknowledged, so the next transaction begins, and its record is in the log when the second copy arrives. "
            "Its epoch is that of the next transaction, so b1 takes it: the record counts as committed, or aborted, "
            "while its producer has decided nothing; if it aborts, consumers have seen what was aborted. Since 4.2, "
            "with transactions of version 2, a marker must have a newer epoch than what is open. Like N3 this needs a "
            "copy that outlives its connection; in the model, and no report of it is known."
        ),
    ),
    KnownBug(
        id="KAFKA-20716",
        title="An unclean election loses a marker, and its transaction stays open for ever",
        tickets=("KAFKA-20716",),
        versions="0.11 to 4.4, with unclean.leader.election.enable=true, which KRaft heeds since 3.9",
        faulty=replace(BEFORE_ELR, unclean_leader_election=True),
        sound=BEFORE_ELR,
        steps=(LastStableOffset,),
        properties=("no_hanging_transaction", "visible_stays"),
        bounds={"records": 2, "max_epoch": 2, "crashes": 1, "fencings": 1},
        story=(
            "b1 appends r0, crashes before anybody has copied it, and loses nothing. b2 leads alone: it gets the "
            "marker, which is acknowledged by all that are in sync, and the coordinator is done. b1 comes back with "
            "r0; before it has followed b2, this shuts down, and b1 is elected uncleanly. For b1 the transaction is "
            "open, and the coordinator will not write the marker again: the last stable offset stands still, and "
            "consumers that read what is committed wait until an operator writes a marker by hand "
            "(kafka-transactions.sh abort). In the ticket both have the record, and the follower lacks the marker "
            "only. The maintainers' answer is that unclean election and exactly-once do not go together; in the model "
            "no transaction hangs without it."
        ),
    ),
)
