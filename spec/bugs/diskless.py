"""Diskless topics (KIP-1150), which no release has: each rule of the proposals taken away, and each open choice.

DK1 to DK5 are what sentences of KIP-1163 and KIP-1164 are for. DK6 to DK18 are choices that the text, as far as it was
read for docs/kafka/diskless.md, does not exclude. All of them are in the model.
"""

from __future__ import annotations

from .known_bug import KnownBug

SOUND = "diskless"
SOUND_TRANSACTIONS = "diskless-transactions"
AVOIDED = "none; the mistake that KIP-1164 avoids"
OPEN = "none; a choice that KIP-1164 leaves open"
NAMED = ("named_objects_are_there", "acknowledged_is_readable")
ONE_OBJECT = {"producers": 1, "batches": 1, "objects": 1, "entries": 1, "failovers": 0, "deletions": 0}

BUGS: tuple[KnownBug, ...] = (
    KnownBug(
        id="DK1",
        title="Two objects are committed while neither is replicated, and their batches get one offset",
        tickets=("KIP-1164",),
        versions=AVOIDED,
        without_rule="diskless-validates-applied",
        with_rule=SOUND,
        properties=("offset_is_given_once", "no_batch_twice"),
        bounds={"batches": 1, "entries": 2, "failovers": 0, "deletions": 0},
        lesson="Who appends ahead of replication must validate against what is appended, as KRaft's controller does.",
    ),
    KnownBug(
        id="DK2",
        title="A producer is told of success before the coordinator's record is replicated",
        tickets=("KIP-1164",),
        versions=AVOIDED,
        without_rule="diskless-answers-early",
        with_rule=SOUND,
        properties=("acknowledged_is_readable",),
        bounds={**ONE_OBJECT, "failovers": 1},
        lesson=(
            "The object is durable, and that does not help: without its coordinates a batch is nowhere. A diskless "
            "topic is as durable as the log of its coordinator."
        ),
    ),
    KnownBug(
        id="DK3",
        title="A retry goes to another broker, and its batch is in the partition twice",
        tickets=("KIP-1164",),
        versions=AVOIDED,
        without_rule="diskless-no-duplicates",
        with_rule=SOUND,
        properties=("no_batch_twice",),
        bounds={"producers": 1, "batches": 2, "entries": 2, "failovers": 0, "deletions": 0},
        lesson="Where any broker takes any batch, only the one place that gives offsets can tell a duplicate.",
    ),
    KnownBug(
        id="DK4",
        title="A later batch of a producer is committed before an earlier one, which another broker has",
        tickets=("KIP-1164",),
        versions=AVOIDED,
        without_rule="diskless-any-order",
        with_rule=SOUND,
        properties=("order_is_kept",),
        bounds={"producers": 1, "objects": 1, "entries": 1, "failovers": 0, "deletions": 0},
        lesson=(
            "Two brokers that a producer sends to race with their uploads. The sequence number decides, so that a "
            "producer with several requests in flight has refused batches as soon as its broker changes."
        ),
    ),
    KnownBug(
        id="DK5",
        title="An object is deleted when a part of its batches is",
        tickets=("KIP-1163",),
        versions="none; the mistake that KIP-1163 avoids",
        without_rule="diskless-deletes-part",
        with_rule=SOUND,
        properties=NAMED,
        bounds={"producers": 1, "objects": 1, "entries": 2, "failovers": 0},
        lesson="An object of many partitions lives as long as the longest of their retentions.",
    ),
    KnownBug(
        id="DK6",
        title="A retry is answered as a duplicate of a batch that the failover loses",
        tickets=("KIP-1164",),
        versions=OPEN,
        without_rule="diskless-duplicates-answered",
        with_rule=SOUND,
        properties=("acknowledged_is_readable",),
        bounds={**ONE_OBJECT, "objects": 2, "failovers": 1},
        story=(
            "A broker commits an object, and its answer waits for replication. The producer sends the batch again, by "
            "another broker. The coordinator validates it against what is pending, finds the duplicate, appends "
            "nothing, and so has nothing to wait for: it answers with the offset of the first. Then it fails over "
            "without that record. In a classic topic the leader answers a duplicate as well when the high watermark "
            "has passed the first one."
        ),
        lesson="An answer that was found in pending state waits for what it was found in.",
    ),
    KnownBug(
        id="DK7",
        title="A new coordinator takes all of its log for replicated, and the next one has less",
        tickets=("KIP-1164",),
        versions=OPEN,
        without_rule="diskless-loads-to-log-end",
        with_rule=SOUND,
        properties=("offset_is_given_once", *reversed(NAMED)),
        bounds={"batches": 1, "entries": 2, "failovers": 2},
        story=(
            "This is X1 of the transaction coordinator. The replica that is elected has a record beyond the high "
            "watermark. It loads its log to the end, and its local state shows that: a consumer reads the batch, a "
            "retry is answered as a duplicate, the cleaner deletes for a deletion. The next election, clean as well, "
            "chooses a replica without that record. The offset is given to another batch."
        ),
        lesson="Local state is filled up to the high watermark, not to the end of the log, by leaders and followers.",
    ),
    KnownBug(
        id="DK8",
        title="An object is deleted for a deletion of records that the failover loses",
        tickets=("KIP-1164",),
        versions=OPEN,
        without_rule="diskless-deletes-early",
        with_rule=SOUND,
        properties=NAMED,
        bounds={**ONE_OBJECT, "entries": 2, "failovers": 1, "deletions": 1},
        lesson="What cannot be taken back, such as a DELETE at the object store, follows replicated state alone.",
    ),
    KnownBug(
        id="DK9",
        title="An object is swept away as an orphan, and then its commit arrives",
        tickets=("KIP-1163",),
        versions="none; a choice that KIP-1163 leaves open",
        without_rule="diskless-late-commits",
        with_rule=SOUND,
        properties=NAMED,
        bounds=ONE_OBJECT,
        story=(
            "The uploader's request is late: its broker stood still, or the network did. The cleaner waits as long as "
            "it was told to, asks the newest state, and deletes the object. The request comes after that, and the "
            "coordinator gives offsets to batches that are nowhere. The producer is told of success."
        ),
        lesson=(
            "A grace time protects only if the other side keeps it as well: the coordinator must refuse a commit that "
            "comes after it, or be told of the deletion first."
        ),
    ),
    KnownBug(
        id="DK10",
        title="An uploader that got an error deletes its object, and its first request is still on its way",
        tickets=("KIP-1163",),
        versions="none; a choice that KIP-1163 leaves open",
        without_rule="diskless-sweeps-at-once",
        with_rule=SOUND,
        properties=NAMED,
        bounds=ONE_OBJECT,
        lesson=(
            "That nobody knows an object now does not say that nobody will. To ask first and delete then is a race, "
            "unless asking closes the door behind it."
        ),
    ),
    KnownBug(
        id="DK11",
        title="An object is an orphan in the coordinator's local state, and its commit is being replicated",
        tickets=("KIP-1164",),
        versions=OPEN,
        without_rule="diskless-sweep-misses-pending",
        with_rule=SOUND,
        properties=NAMED,
        bounds=ONE_OBJECT,
        lesson="What is pending may become true. Who asks whether something is not there must count it.",
    ),
    KnownBug(
        id="DK12",
        title="A follower with stale state calls an object an orphan that was committed long ago",
        tickets=("KIP-1164",),
        versions=OPEN,
        without_rule="diskless-sweep-asks-follower",
        with_rule=SOUND,
        properties=NAMED,
        bounds=ONE_OBJECT,
        lesson="Stale state may say what is there. It must not say what is not.",
    ),
    KnownBug(
        id="DK13",
        title="An object whose commit was lost, refused, or never sent stays for ever",
        tickets=("KIP-1163",),
        versions="none; a choice that KIP-1163 leaves open",
        without_rule="diskless-no-sweep",
        with_rule=SOUND,
        properties=("garbage_goes",),
        bounds=ONE_OBJECT,
        lesson="To upload first and commit then leaves orphans by design, so that their end is a part of the design.",
    ),
    KnownBug(
        id="DK14",
        title="A consumer goes from one broker to another, is out of range there, and misses records",
        tickets=("KIP-1164",),
        versions=OPEN,
        without_rule="diskless-out-of-range",
        with_rule=SOUND,
        properties=("consumer_misses_nothing",),
        bounds={**ONE_OBJECT, "batches": 3},
        story=(
            "A consumer has read a record from one broker. The next one knows an older state, in which the partition "
            "ends before that, and takes the offset for one that is out of range. With auto.offset.reset=latest the "
            "consumer asks for the end, which is answered from the newest state, and goes on behind records that it "
            "never got."
        ),
        lesson=(
            "Stale state cannot tell an offset that is not there from one that is not there yet. KIP-392 has "
            "OFFSET_NOT_AVAILABLE for that."
        ),
    ),
    KnownBug(
        id="DK15",
        title="A batch waits in a broker's buffer while its transaction is aborted, and the next one commits it",
        tickets=("KIP-1150", "KIP-890"),
        versions="none; a choice that KIP-1150 leaves open",
        without_rule="diskless-verifies-early",
        with_rule=SOUND_TRANSACTIONS,
        properties=("aborted_is_never_visible", "fenced_adds_nothing"),
        bounds={"entries": 4, "failovers": 0, "deletions": 0},
        story=(
            "The broker verifies the transaction and puts the batch into its buffer. The upload takes a second. "
            "Meanwhile the transaction is aborted: by its producer, by a time-out, or because a new instance fences "
            "the old one. The coordinator appends the marker, and the batch comes after it. It is in no transaction "
            "then, or in the next one of the same producer id, and is committed with that."
        ),
        lesson=(
            "A check and the append that it is for belong under one lock. Where offsets are given, there the producer "
            "epoch is compared, and markers raise it."
        ),
    ),
    KnownBug(
        id="DK16",
        title="The coordinator forgets a transaction that is complete, and consumers get what was aborted",
        tickets=("KIP-1150",),
        versions="none; a choice that KIP-1150 leaves open",
        without_rule="diskless-forgets-aborted",
        with_rule=SOUND_TRANSACTIONS,
        properties=("aborted_is_never_visible",),
        bounds={**ONE_OBJECT, "entries": 2},
        lesson="That a transaction was aborted must be known as long as its records are there to be read.",
    ),
    KnownBug(
        id="DK17",
        title="A marker is sent again, is answered as one that is there, and the failover loses it",
        tickets=("KIP-1164",),
        versions=OPEN,
        without_rule="diskless-markers-answered",
        with_rule=SOUND_TRANSACTIONS,
        properties=("complete_is_marked",),
        bounds={**ONE_OBJECT, "failovers": 1},
        lesson="DK6 for markers: whoever is told that a marker is there never sends it again.",
    ),
    KnownBug(
        id="DK18",
        title="Batches are found in a newer state than aborted transactions",
        tickets=("KIP-1164",),
        versions=OPEN,
        without_rule="diskless-two-views",
        with_rule=SOUND_TRANSACTIONS,
        properties=("aborted_is_never_visible",),
        bounds={**ONE_OBJECT, "entries": 2},
        lesson=(
            "Coordinates, the last stable offset and aborted transactions of one answer are of one state. A cache of "
            "one of them is a cache of all."
        ),
    ),
)
