"""The known bugs of transactional ids: who is fenced, who may go on, and what a failover of the coordinator leaves.

What transactions need of replication is in the modern protocol: `spec/kraft/options`.
"""

from __future__ import annotations

from .known_bug import KnownBug

TRANSACTIONS: tuple[KnownBug, ...] = (
    KnownBug(
        id="X2",
        title="A coordinator that is replaced while it loads carries out decisions of long ago",
        tickets=("TransactionStateManager.loadTransactionMetadata; no ticket known", "KIP-98"),
        versions="0.11 to 4.4",
        without_rule="transactions-partial-loads-are-served",
        with_rule="transactions-whole-loads",
        properties=("atomic", "only_its_producer_commits", "told_is_kept"),
        bounds={"failovers": 2},
        story=(
            "A transaction is committed and complete, and the next one of the same producer goes on: it has written "
            "to a partition. A broker is elected coordinator and begins to load the log; before it is through, the "
            "former one is elected again. The read ends there, because the broker has no log end offset any more, "
            "and what was read is served until the coordinator resigns, which comes after the changes of all "
            "partitions. It has read as far as PrepareCommit of the first transaction, and sends its markers again. "
            "An election ends the load only between two reads of transaction.state.log.load.buffer.size (5 MB) or at "
            "the end of a segment: PrepareCommit and CompleteCommit must be on two sides of such a boundary, while the "
            "model cuts anywhere. "
            "The producer epoch is still the right one, and the partition has no marker of a newer coordinator: what "
            "is open there is committed. The producer writes more, there or elsewhere, and aborts: the rest gets "
            "ABORT. With an epoch for each transaction, and markers that need a newer one (Kafka 4.2), the second "
            "marker is refused. A read that fails half way is served as well, and logged as an error. The "
            "coordinators of groups and of share groups fail the load in both cases (CoordinatorLoaderImpl). Before "
            "4.0 the part is served after the resignation as well (KAFKA-18137). Kafka's own classes of 3.9 to 4.4 "
            "have shown it, step by step; no report is known, and no running Kafka has shown it yet."
        ),
        lesson=(
            "A part of a log is another log: what it says last may have been decided, done and forgotten since. Load "
            "all of it, or nothing."
        ),
    ),
    KnownBug(
        id="KIP-890b",
        title="A delayed EndTxn ends the next transaction",
        tickets=("KIP-890",),
        versions="0.11 to 3.9, since then with transaction.version below 2",
        without_rule="transactions-v1-small",
        with_rule="transactions-small",
        properties=("told_is_kept", "atomic", "aborted_is_never_visible", "only_its_producer_commits"),
        bounds={"delays": 1},
        story=(
            "The producer aborts a transaction. EndTxn is delayed, so it sends another one, which is answered; the "
            "transaction is over, and the next one begins. The first copy arrives, and names a producer epoch, but no "
            "transaction: the coordinator aborts what goes on now. The producer knows nothing of that. It writes to "
            "another partition, commits, and is told of success, and the record at the first partition is lost. A "
            "delayed commit makes visible what the producer aborts. Jepsen reproduced it on Kafka in an analysis of "
            "another server of its protocol (Bufstream 0.1.0, November 2024). With transactions of version 2 each one "
            "has an epoch of its own, and the copy is fenced."
        ),
        lesson=(
            "A request that is sent again must say which work it is about. Who it comes from is not enough, if one "
            "sender has one piece of work after another."
        ),
    ),
    KnownBug(
        id="KAFKA-6119",
        title="A producer whose transaction has timed out goes on, and half of its transaction is committed",
        tickets=("KAFKA-6119",),
        versions="0.11.0.0 to 0.11.0.1",
        without_rule="transactions-timeout-fences-nobody",
        with_rule="transactions-v1-small",
        properties=("fenced_adds_nothing", "told_is_kept", "atomic"),
        bounds={"timeouts": 1},
        story=(
            "The producer has written to one partition when its time is over, and the coordinator aborts the "
            "transaction with the producer epoch as it is. The producer was paused and goes on. For the coordinator "
            "its next record begins a transaction, which it commits: what it had written before is lost, and it is "
            "told of success. With a greater epoch the producer is fenced."
        ),
        lesson="Who takes work away from somebody must see to it that he cannot go on with it.",
    ),
    KnownBug(
        id="KAFKA-9666",
        title="Fences that fail use up the producer epochs, and no producer can begin any more",
        tickets=("KAFKA-9666",),
        versions="0.11 to 2.5",
        without_rule="transactions-failed-fences-use-up-epochs",
        with_rule="transactions-fences-may-fail",
        properties=("producer_can_begin",),
        bounds={"instances": 2, "last_epoch": 1},
        story=(
            "A producer is replaced while its transaction goes on. The coordinator has to abort that first, with a "
            "greater epoch, and its log takes nothing, because too few replicas are in sync. The epoch stays raised in "
            "memory. Each time that the new producer tries again the epoch is raised once more, until there is no "
            "greater one: by then the transaction can be aborted by nobody, until another coordinator is elected."
        ),
        lesson="What could not be written has not happened. A retry begins where the first attempt began.",
    ),
    KnownBug(
        id="KAFKA-16352",
        title="A late answer of an earlier coordinator epoch ends the markers of this one, and the transaction hangs",
        tickets=("KAFKA-16352",),
        versions="0.11 to 3.7",
        without_rule="transactions-late-responses-end-markers",
        with_rule="transactions-late-responses",
        properties=("transaction_ends", "producer_can_begin"),
        bounds={"failovers": 2},
        story=(
            "The coordinator sends markers. Before it has the answer another broker is elected, and then it again, in "
            "another epoch. It loads the decision and sends the markers once more. Then the answer to the first ones "
            "comes. They are of an earlier epoch, so the coordinator gives them up, and removes the "
            "entry of the transactional id, which is that of the second ones by now. All markers are written, and "
            "nobody is left to write CompleteCommit: the id stays in PrepareCommit, and its producer is told "
            "CONCURRENT_TRANSACTIONS until the next election."
        ),
        lesson=(
            "Whoever cleans up after himself must look whether it is still his own. A place in a table is taken by "
            "others in time."
        ),
    ),
    KnownBug(
        id="KAFKA-18464",
        title="A transaction that is aborted before anything was written fences its own producer",
        tickets=("KAFKA-18464",),
        versions="none; found before 4.0 was released",
        without_rule="transactions-empty-abort-is-fenced",
        with_rule="transactions-small",
        properties=("producer_can_begin",),
        story=(
            "With an epoch for each transaction EndTxn is answered as soon as the decision is in the log, with the "
            "epoch of the next transaction. The producer begins that and aborts it at once, while the markers of the "
            "one before are on their way. The coordinator, in PrepareCommit or PrepareAbort, expects nothing but "
            "retries with the epoch before, and answers PRODUCER_FENCED. By the rule it says first that a transition "
            "is under way, and the producer tries again."
        ),
        lesson="Not yet and never are two answers. Look at whether you can judge a request before you judge it.",
    ),
    KnownBug(
        id="KAFKA-18401",
        title="A transaction that is committed without a record is a fatal error for its producer",
        tickets=("KAFKA-18401",),
        versions="none; found before 4.0 was released",
        without_rule="transactions-empty-commit-is-sent",
        with_rule="transactions-small",
        properties=("producer_can_begin",),
        story=(
            "With version 2 the leader of a partition adds it to the transaction, and the producer does not know "
            "whether any was. It sends EndTxn for a transaction in which it has sent nothing. The coordinator has "
            "heard of none, and answers INVALID_TXN_STATE, because nothing but an abort makes sense there. By the rule "
            "a producer that has sent nothing does not ask."
        ),
        lesson="Doing nothing is a case. If somebody else keeps the books now, remember what only you know.",
    ),
    KnownBug(
        id="KAFKA-18660",
        title="At the last epoch a producer is told to go on with the id that is used up",
        tickets=("KAFKA-18660",),
        versions="none; found before 4.0 was released",
        without_rule="transactions-overflow-is-told-late",
        with_rule="transactions-small",
        properties=("producer_can_begin",),
        bounds={"last_epoch": 0},
        story=(
            "The decision uses up the last epoch of the producer id, and takes another id for what comes after it. The "
            "answer names the old one. With it the producer begins its next transaction, whose first record is refused "
            "(INVALID_PRODUCER_ID_MAPPING), because the coordinator has gone on to the new id. In Kafka the last epoch "
            "is 32,766, which an application reaches after that many transactions."
        ),
        lesson="An answer must name what holds from now on, and not what held while it was computed.",
    ),
    KnownBug(
        id="KAFKA-19367",
        title="A fence raises the epoch twice, and at the last epoch the transaction can be aborted by nobody",
        tickets=("KAFKA-19367",),
        versions="4.0.0",
        without_rule="transactions-fences-bump-twice",
        with_rule="transactions-small",
        properties=("producer_can_begin",),
        bounds={"instances": 2, "last_epoch": 0},
        story=(
            "A producer has a transaction open at the last epoch, and is replaced. The coordinator raises the epoch to "
            "fence it, and its abort raises it again, as every decision does with version 2. No epoch is that great: "
            "the request fails, each time that the new producer asks. With another epoch it only costs one, and is not "
            "noticed."
        ),
        lesson=(
            "If two layers each do what must be done once, it is done twice. When a rule moves into one place, take it "
            "away from the other."
        ),
    ),
    KnownBug(
        id="KAFKA-19999",
        title="A marker that is written again is refused for ever, because its epoch is not newer",
        tickets=("KAFKA-19999",),
        versions="none; found before 4.2 was released",
        without_rule="transactions-repeated-markers-are-refused",
        with_rule="transactions-small",
        properties=("transaction_ends", "producer_can_begin"),
        story=(
            "A marker is written, and the answer is lost; or the coordinator fails over, and its successor sends all "
            "markers again. With version 2 a marker must have a newer epoch than the partition knows (KAFKA-19446), "
            "and the partition knows this epoch from the first copy. INVALID_PRODUCER_EPOCH is final, so the "
            "transaction is never complete, and a failover does not help. By the rule a marker with the same epoch is "
            "taken if nothing is open."
        ),
        lesson=(
            "What is sent until it is acknowledged will come twice. A rule against late copies must know them from "
            "copies of what has just been done."
        ),
    ),
    KnownBug(
        id="KAFKA-19163",
        title="A group is deleted while a transaction is about to commit its first offsets",
        tickets=("KAFKA-19163",),
        versions="3.7 to 4.0.0, with the group coordinator of KIP-848, which is the default since 4.0",
        without_rule="transactions-pending-offsets-keep-no-group",
        with_rule="transactions-group-expiry",
        properties=("atomic", "told_is_kept"),
        story=(
            "An application that consumes, transforms and produces sends its first offsets with a transaction; until "
            "the marker comes they are pending. The group has no members, as with consumers that assign partitions "
            "themselves, and no committed offsets, so its coordinator deletes it. The marker comes, and offsets are "
            "committed of a group that is not there: whoever fetches them is told that there are none, and begins "
            "where auto.offset.reset says, although the output is committed. What the fetch says is derived from the "
            "sources; the ticket says that the group is deleted."
        ),
        lesson="What is not decided yet is something. Who looks for reasons to keep a thing must look at both.",
    ),
    KnownBug(
        id="KAFKA-20090",
        title="A transaction that times out at the last epoch leaves its producer an epoch with which nothing ends",
        tickets=("KAFKA-20090",),
        versions="4.0 to 4.2",
        without_rule="transactions-fences-keep-the-producer-id",
        with_rule="transactions-small",
        properties=("producer_can_begin",),
        bounds={"last_epoch": 0, "timeouts": 1},
        story=(
            "A transaction times out at the last epoch. Its abort takes the one epoch beyond, which is there for "
            "fencing, and no other producer id, because it is a fence. Then the producer asks to abort. The "
            "coordinator takes that for a retry and answers with the epoch beyond. With it the producer begins another "
            "transaction and aborts it before anything is written. That is a decision, which needs a greater epoch, "
            "and there is none. If the producer writes before it asks, the transaction stays Ongoing, and neither a "
            "time-out nor, with two producers, a new one can abort it."
        ),
        lesson=(
            "A reserve is used up by its first use. Whoever takes the last number must bring the new sequence along."
        ),
    ),
    KnownBug(
        id="KAFKA-20310",
        title="A failover forgets that a producer id was replaced, and refuses its producer",
        tickets=("KAFKA-20310",),
        versions="4.0 to 4.2",
        without_rule="transactions-rotation-is-not-logged",
        with_rule="transactions-small",
        properties=("producer_can_begin",),
        bounds={"last_epoch": 0, "failovers": 1},
        story=(
            "At the last epoch a decision takes another producer id. The answer to EndTxn is lost, and the coordinator "
            "fails over. Its successor has a record that should name the id before, but that field is read and never "
            "written. So the retry is no retry, and is answered with INVALID_PRODUCER_ID_MAPPING, which is fatal; "
            "InitProducerId with the id that the producer has gets PRODUCER_FENCED. If the failover comes before the "
            "transaction is complete, it is the next id that is lost: the producer has been told of it, and the new "
            "coordinator goes on with the old one."
        ),
        lesson=(
            "What an answer depends on must be in the log. A field that is read and never written is found by a test "
            "that writes, reads, and compares."
        ),
    ),
)
