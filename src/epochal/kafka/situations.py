"""What people who run Kafka type, and what is said to them: faults, states of a cluster, errors of clients."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

FAILING: Final = {
    **dict.fromkeys(("loses", "lose", "losing", "loss", "lossy"), "lost"),
    **dict.fromkeys(("dies", "die", "died", "dead", "down", "fails", "fail", "failed", "failure", "failures"), "crash"),
    **dict.fromkeys(("restart", "restarts", "comes", "back", "returns", "return", "reboot"), "start"),
}
"""How a fault is said, in one word for each."""


def stem(word: str) -> str:
    """A word without its ending, where it is long enough: `crashes`, `crashed` and `crash` are one."""
    for ending in ("ing", "es", "ed", "s", "e", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


# -- symptoms ---------------------------------------------------------------------------------------------------------
# What is told of Kafka is from its sources and its documentation, unless it says that the model shows it.


@dataclass(frozen=True)
class Situation:
    """A situation: its title, how people call it, sentences about it, and commands that decide or show it.

    A phrase of `called` is found in a description that has all of its words, in any order.
    """

    title: str
    called: tuple[str, ...]
    said: tuple[str, ...]
    commands: tuple[str, ...]


SYMPTOMS: Final[tuple[Situation, ...]] = (
    Situation(
        "A machine loses power",
        (
            *("power loss", "power failure", "power outage", "machine crash", "host crash", "unflushed", "fsync"),
            *("flush", "page cache", "log flush interval", "kernel panic", "unclean shutdown", "hard reset"),
        ),
        (
            "Kafka answers a producer before the record is on a disk (log.flush.interval.messages is not set by "
            "default): with the page cache the end of the log is gone. Here that is a crash that loses data, and the "
            "column POWER LOSS of an audit.",
            "As designed, eligible leader replicas (KIP-966) with three replicas and min.insync.replicas=2 keep what "
            "was acknowledged under one such crash. Without them the last member of the ISR may be the one that loses "
            "(S20).",
        ),
        ("epochal guarantees --fault lossy --fault lossy-and-clean", "epochal catalogue S20"),
    ),
    Situation(
        "A process is killed",
        ("kill 9", "sigkill", "killed", "oom", "oomkilled", "out of memory", "jvm crash", "process dies"),
        (
            "The machine goes on and so does its page cache: the log is whole when the broker starts again. Here that "
            "is a crash that loses nothing. Without the marker of a clean shutdown the broker leaves the ELR all the "
            "same, since the controller cannot tell it from a loss of power.",
        ),
        ("epochal guarantees --fault clean --fault two-clean",),
    ),
    Situation(
        "Brokers are restarted",
        (
            *("rolling restart", "rolling upgrade", "rolling bounce", "restart two", "restart broker"),
            *("restart all", "controlled shutdown", "clean shutdown", "restart safe", "patch broker"),
            *("stop broker", "stop node", "two brokers restarted", "brokers restarted", "node reboot", "reboot"),
            *("spot instances", "upgrade brokers", "upgrade kafka"),
        ),
        (
            "A broker that shuts down cleanly hands over its leaderships and leaves the ISRs first: the fault "
            "`fencing`. Before the next one, wait until it is back in every ISR, that is until `kafka-topics "
            "--describe --under-replicated-partitions` prints nothing.",
            "Two at once are two faults. With min.insync.replicas=2 of three replicas no write with acks=all succeeds "
            "meanwhile; whether records stay depends on the release, and the commands say so.",
        ),
        (
            "epochal audit DUMP --may stop:3 --may stop:any=2 --may roll    # of your own cluster",
            "epochal guarantees --fault fencing --recovery",
        ),
    ),
    Situation(
        "Fewer replicas are in sync than min.insync.replicas",
        (
            *("under min isr", "under min insync replicas", "at min isr", "below min isr"),
            *("below min insync replicas", "not enough replicas", "not enough replicas after append"),
            "not enough in sync replicas",
        ),
        (
            "The leader refuses writes with acks=all; those with acks=1 and acks=0 it takes. NOT_ENOUGH_REPLICAS: "
            "nothing was appended, and the producer tries again. NOT_ENOUGH_REPLICAS_AFTER_APPEND: the record is in "
            "the leader's log and may be committed later; tried again without idempotence it may be there twice.",
            "Nothing is lost by that. One fault more may be too much: look at who is missing from the ISR, start it, "
            "and keep those up that are in sync.",
        ),
        ("epochal explain min.insync.replicas", "epochal audit DUMP    # the rule now-below-min-isr"),
    ),
    Situation(
        "A replica is not in sync",
        (
            *("under replicated", "urp", "out of sync", "isr shrink", "isr flapping", "isr flap", "slow follower"),
            *("follower lag", "replica lag", "replica fetcher"),
        ),
        (
            "The leader takes a follower out of the ISR that has not been at its log end for replica.lag.time.max.ms, "
            "and takes it back when it has caught up. Nothing is lost by that: what is committed is on every member "
            "that is left. One fault has happened already, and the next is the second.",
        ),
        ("epochal show kraft    # ProposeShrink, ProposeExpand", "epochal guarantees --fault clean"),
    ),
    Situation(
        "A partition has no leader",
        (
            *("offline partition", "leader none", "leader 1", "no leader", "without leader"),
            *("leader not available", "leaderless", "replicas offline", "eligible leaders not available"),
            "partition unavailable",
        ),
        (
            "kafka-topics prints `Leader: none`, and metadata has -1. Clients get LEADER_NOT_AVAILABLE and wait. Who "
            "may lead: a member of the ISR; else, with eligible leader replicas, a member of the ELR, with everything "
            "that was acknowledged; else, if both are empty, the last known leader, whose log decides what is left "
            "(N2).",
            "Start one of these brokers. An unclean election (`kafka-leader-election --election-type unclean`) takes "
            "anybody, and gives up what the others had.",
        ),
        ("epochal guarantees --recovery", "epochal explain ELR", "epochal audit DUMP    # the rule now-offline"),
    ),
    Situation(
        "No leader epoch: -1",
        ("leader epoch 1", "epoch 1", "undefined epoch", "no partition leader epoch"),
        (
            "In a request, currentLeaderEpoch -1 says that the sender does not know the epoch: the broker does not "
            "fence it, as before KIP-320. In the answer to OffsetForLeaderEpoch, -1 says that the leader knows no "
            "such epoch. In a batch, it says that no leader has appended it yet, or that its format has none.",
            "A leader of -1 is something else: the partition has no leader.",
        ),
        ("epochal explain KIP-320", 'epochal explain "no leader"'),
    ),
    Situation(
        "A fetch beyond the log",
        (
            *("offset out of range", "out of range", "offset reset", "auto offset reset", "consumer offset reset"),
            *("log truncation", "log truncated", "consumer skips"),
        ),
        (
            "The log has no such offset: records were deleted (retention, DeleteRecords), or the leader never had "
            "them, after an unclean election or a loss. A consumer then does what auto.offset.reset says. One that "
            "sends epochs is told of truncation instead (KIP-320, LogTruncationException); a follower truncates, or "
            "begins anew at the leader's log start.",
        ),
        ("epochal catalogue H8 S10", "epochal guarantees --unclean-leader-election --fault two-clean"),
    ),
    Situation(
        "A broker that does not lead was asked",
        ("not leader", "not leader or follower", "not leader for partition", "replica not available"),
        (
            "NOT_LEADER_OR_FOLLOWER: the client's metadata is older than an election, or the broker has not replayed "
            "it yet. The client asks for metadata and tries again. A record that was refused so is not in the log; "
            "one whose answer is lost may be.",
        ),
        ("epochal explain N1", "epochal explain zombie_leader"),
    ),
    Situation(
        "A request of another leader epoch",
        ("fenced leader epoch", "unknown leader epoch", "fenced epoch"),
        (
            "KIP-320: a fetch carries the leader epoch that its sender knows. FENCED_LEADER_EPOCH: the leader is in a "
            "later one, so the sender is to learn of it. UNKNOWN_LEADER_EPOCH: the leader is in an earlier one, and "
            "has yet to learn. Both are ordinary while an election spreads. Without them acknowledgements of one "
            "epoch count for another (S6).",
        ),
        ("epochal catalogue KIP-320", "epochal show kip-320"),
    ),
    Situation(
        "A leader asks for an ISR and is refused",
        (
            *("ineligible replica", "invalid update version", "alter partition", "alter isr", "stale broker epoch"),
            *("new leader elected", "fenced broker isr"),
        ),
        (
            "AlterPartition (KIP-497). INELIGIBLE_REPLICA: a fenced broker, one that shuts down, or another "
            "incarnation is not taken in (KIP-841, KIP-903). INVALID_UPDATE_VERSION: the partition has changed since. "
            "STALE_BROKER_EPOCH: the leader itself was registered anew. The leader goes on counting everybody it "
            "asked for until it knows.",
        ),
        ("epochal explain KIP-841", "epochal explain KIP-903", "epochal show kraft    # HandleAlterPartition"),
    ),
    Situation(
        "An answer that does not come",
        ("timed out", "timeout", "delivery timeout"),
        (
            "A producer that waits in vain does not know whether its record is there: it may be lost, in the log of "
            "one leader, or committed. A retry may write it twice, unless the producer is idempotent. With acks=all "
            "the leader answers when the whole ISR has the record, so a slow member holds answers back.",
        ),
        ("epochal catalogue S31", 'epochal explain "idempotent producer"'),
    ),
    Situation(
        "A broker is fenced",
        ("fenced broker", "stuck fenced", "heartbeat", "broker session timeout"),
        (
            "It is registered, and the controller does not count on it: its heartbeats stopped for "
            "broker.session.timeout.ms, or it has just started and has yet to replay the metadata log. It leads "
            "nothing, and since 3.3 it is in no ISR (KIP-841); it may be in the ELR. A live broker that is fenced "
            "goes on for a while as if it led.",
        ),
        ("epochal guarantees --fault fencing", "epochal explain KIP-841"),
    ),
    Situation(
        "Sequence numbers of producers",
        (
            *("out of order sequence", "unknown producer id", "duplicate sequence", "duplicate messages"),
            *("duplicate records", "idempotent producer", "enable idempotence", "duplicated", "message ordering"),
            *("record order", "out of order", "max in flight"),
        ),
        (
            "An idempotent producer numbers its batches, and a leader takes the next number only: a retry that it has "
            "already is answered, not appended. OUT_OF_ORDER_SEQUENCE_NUMBER: a number is missing, or the leader has "
            "forgotten a batch. UNKNOWN_PRODUCER_ID: it has forgotten the producer, up to 2.4 (KIP-360).",
            "Without idempotence every retry may be a duplicate (S31).",
        ),
        ("epochal catalogue S31 P1 KAFKA-15591", "epochal explain KIP-360"),
    ),
    Situation(
        "Transactions, and who waits for them",
        (
            *("hanging transaction", "transaction stuck", "open transaction", "last stable offset", "lso stuck"),
            *("read committed", "exactly once", "eos", "producer fenced", "invalid producer epoch"),
            *("transactional", "reads uncommitted"),
        ),
        (
            "With isolation.level=read_committed a consumer reads up to the last stable offset: a transaction that "
            "nobody ends holds it there for ever. Up to 3.5 a late batch could begin such a one (KAFKA-14402); since "
            "4.0 each transaction has its own producer epoch (KIP-890), with transaction.version=2.",
            "`kafka-transactions find-hanging` and `abort` end it.",
        ),
        ("epochal catalogue KAFKA-14402 KIP-890", "epochal show kraft-kafka-14402"),
    ),
    Situation(
        "The disk is empty, or a directory has failed",
        (
            *("ephemeral storage", "emptydir", "empty dir", "pod eviction", "pod evicted", "empty disk"),
            *("disk replaced", "disk failure", "disk full", "log directory failure", "jbod", "log dir failure"),
            *("log dir offline", "kafka storage error", "volume lost", "no space left"),
        ),
        (
            "A broker whose disk is full stops its log directory, and keeps what is there: KAFKA_STORAGE_ERROR, and "
            "the replicas leave the ISR. A broker that comes back with an empty disk is a crash that loses data, at "
            "every restart if its storage is ephemeral (an emptyDir): never restart two such brokers before the first "
            "is back in every ISR.",
            "An empty disk of a controller is worse: it votes anew, and may forget what was committed "
            "(quorum-lost-disk). Kafka 4.0 to 4.4 has holes of its own where a directory is replaced or assigned (H3, "
            "H4).",
        ),
        (
            *("epochal guarantees --fault lossy --fault two-lossy", "epochal catalogue H3 H4"),
            "epochal show quorum-lost-disk",
        ),
    ),
    Situation(
        "The majority of controllers is gone",
        (
            *("quorum lost", "majority controllers", "no quorum", "controllers down", "controllers lost"),
            *("two controllers", "no controller", "no active controller", "all controllers", "quorum down"),
            *("quorum unavailable", "quorum majority"),
        ),
        (
            "Leaders go on: writes with acks=all succeed where the whole ISR is up, and reads everywhere. Nothing "
            "that the controller decides happens: no leader is elected, no ISR shrinks or grows, no topic is made, no "
            "broker registers. So one broker that fails stops writes with acks=all to every partition that has it in "
            "the ISR, whatever min.insync.replicas is, and its own leaderships stay empty.",
            "Bring the controllers back with their disks. Do not format one, and do not shorten "
            "controller.quorum.voters: what was committed may be on the others only (quorum-lost-disk). "
            "docs/kafka/majority-lost.md has more.",
        ),
        ("epochal show quorum", "epochal check quorum-lost-disk"),
    ),
    Situation(
        "Another controller takes over",
        ("controller failover", "controller change", "active controller", "controller election", "not controller"),
        (
            "The next controller has replayed every committed record of the metadata log, and what the one before had "
            "not committed never happened. Brokers go on with the leaders they know. A deposed controller cannot "
            "commit anything: it has no majority.",
        ),
        ("epochal check quorum", "epochal show quorum-change-log"),
    ),
    Situation(
        "Brokers that cannot reach each other",
        (
            *("network partition", "split brain", "network split", "two leaders", "zombie", "isolated broker"),
            "network down",
        ),
        (
            "A broker that does not reach the controllers is fenced, and others are elected. It may take itself for a "
            "leader until it hears of that: it can append, and commit nothing that the next leader lacks, since it "
            "counts members that do not follow it any more. With acks=1 what it has answered is lost.",
        ),
        ("epochal guarantees --fault fencing", "epochal explain zombie_leader", "epochal catalogue S25"),
    ),
    Situation(
        "A rack or a zone fails",
        (
            "rack",
            "rack failure",
            "site",
            "az outage",
            "availability zone",
            "zone down",
            "stretch cluster",
            "datacenter",
        ),
        (
            "That is as many faults at once as the partition has replicas there, and of controllers likewise. With "
            "three racks and three replicas it is one; with two racks one of them has two of three. An audit says so "
            "of your topics (the rule rack).",
        ),
        (
            "epochal guarantees --fault clean --fault two-clean --fault two-lossy",
            "epochal audit DUMP --may stop:rack=a --may power:rack=a",
        ),
    ),
)
"""In the order in which they are told. None is about one entry of the catalogue: those are found by their titles."""


# -- matters ----------------------------------------------------------------------------------------------------------
# What people who run Kafka ask about when nothing is broken: what is safe, what a word means, what is in no model.

MATTERS: Final[tuple[Situation, ...]] = (
    Situation(
        "How many faults are survived",
        (
            *("how many brokers", "lose two"),
            *("lose data", "lose records", "lose messages", "acks all safe", "data safe", "how many fail"),
            *("how many can fail", "fault tolerance", "durability", "durable"),
        ),
        (
            "It depends on the release, the settings and the fault; each answer is a search of every state, and the "
            "usual ones are decided already. As designed, three replicas with min.insync.replicas=2, acks=all and "
            "eligible leader replicas keep what was acknowledged under two crashes that lose nothing, or one that "
            "loses data; as shipped, holes that are not closed yet can lose it earlier (S15, N1).",
        ),
        ("epochal guarantees", "epochal audit DUMP"),
    ),
    Situation(
        "One copy is enough for an answer",
        ("min insync replicas 1", "min isr 1", "replication factor 1", "rf 1", "single copy", "one copy"),
        (
            "With min.insync.replicas=1 the leader may be alone in the ISR, and acks=all then waits for nobody else. "
            "What it has answered is on one disk, and a loss of power or of the disk takes it (S24).",
        ),
        ("epochal guarantees --min-insync-replicas 1", "epochal catalogue S24"),
    ),
    Situation(
        "All of the ISR has died",
        ("elr", "eligible leader replicas", "isr died", "isr gone", "isr empty"),
        (
            "A member that leaves while the ISR is smaller than min.insync.replicas goes into the ELR, since nothing "
            "is committed from then on that it lacks. Where all of the ISR died, a member of the ELR leads when it is "
            "back, and nothing is lost by that; a member that comes back without a clean shutdown leaves the ELR "
            "first.",
            "If both are empty, the last known leader is elected, and its log decides what is left (N2).",
        ),
        ("epochal explain last_known_leader", "epochal guarantees --recovery", "epochal prove kraft"),
    ),
    Situation(
        "A replica moves, or a broker is taken away",
        ("decommission", "reassign", "reassignment", "remove broker", "drain", "replication factor change"),
        (
            "A reassignment (KIP-455) adds the new replicas, waits until they are in the ISR, and takes the old ones "
            "away. Raising the replication factor partition by partition, partition 0 last, takes eligible leader "
            "replicas away meanwhile (H2).",
        ),
        ("epochal show kraft-reassignment", "epochal catalogue H2 H7"),
    ),
    Situation(
        "The ends of a log",
        ("leo", "log end offset", "hw", "log start offset", "logs diverge", "log divergence", "diverging epoch"),
        (
            "LEO, the log end offset: where the next record goes. High watermark: below it every member of the ISR "
            "has the record, and consumers read. Log start offset: where the log begins after deletions.",
            "Logs diverge when a follower has records that its leader has not. It asks where its last epoch ends in "
            "the leader's log, and truncates to there (KIP-101, KIP-279; within a fetch since 2.7).",
        ),
        ("epochal explain high_watermark", "epochal explain KIP-279", "epochal catalogue KIP-101"),
    ),
    Situation(
        "The controller on ZooKeeper",
        ("zookeeper session", "zookeeper", "session expired", "zookeeper migration"),
        (
            "Up to 3.9 a broker's session with ZooKeeper was its sign of life, and one of the brokers was the "
            "controller. What could go wrong between a session that ends and a broker that is back (KAFKA-7235), and "
            "between two controllers (KAFKA-6082), is in the family zookeeper. How a cluster moves to KRaft is in no "
            "model.",
        ),
        ("epochal show zookeeper", "epochal catalogue KAFKA-7235"),
    ),
    Situation(
        "A consumer is behind",
        (
            *("consumer lag", "consumer lag high", "consumer group lag", "consumer behind"),
            *("slow consumer", "records lag max"),
        ),
        (
            "The lag is how far the group's committed offset is behind the end of what may be read "
            "(`kafka-consumer-groups --describe`). It is about the consumer and not about replicas, and nothing is "
            "lost by it, unless retention deletes what was not read yet.",
            "A consumer that does not get on although it asks is held back: by the high watermark where a member of "
            "the ISR is slow, or with isolation.level=read_committed by a transaction that nobody ends.",
        ),
        (
            *("epochal explain high_watermark", 'epochal explain "hanging transaction"'),
            'epochal explain "offset out of range"',
        ),
    ),
    Situation(
        "What an unclean election costs",
        ("unclean leader election", "unclean election", "unclean leader"),
        (
            "Where nobody is left who has everything that was acknowledged, unclean.leader.election.enable=true lets "
            "any live replica lead. The partition takes writes again, and every record that this replica lacks is "
            "gone, acknowledged with acks=all or not; consumers may have read it. The others truncate to the new "
            "leader's log.",
            "With false, the default since 0.11 (KIP-106), the partition waits for a broker that has the records.",
        ),
        ("epochal guarantees --unclean-leader-election", "epochal catalogue S27"),
    ),
    Situation(
        "When a record is committed",
        (
            "when committed",
            "when record committed",
            "when message committed",
            "what committed mean",
            "what is committed",
        ),
        (
            "When every member of the ISR has it, which a leader learns from the fetches of its followers: it is then "
            "below the high watermark, consumers read it, and a write with acks=all is answered. With acks=1 the "
            "answer comes as soon as the leader has appended it.",
            "The ISR may be smaller than the replicas. min.insync.replicas refuses writes with acks=all where it is "
            "too small, and with eligible leader replicas (KIP-966) the high watermark waits, too. In the log of the "
            "controllers a record is committed when a majority of the voters has it.",
        ),
        (
            *("epochal explain high_watermark", "epochal explain min.insync.replicas"),
            "epochal show kraft    # record_committed, enough_copies",
        ),
    ),
    Situation(
        "The preferred leader",
        (
            *("preferred leader", "preferred replica", "preferred leader election", "leader imbalance"),
            *("auto leader rebalance", "leader rebalance", "balance leaders"),
        ),
        (
            "The first in the list of a partition's replicas. Leadership comes back to it by `kafka-leader-election "
            "--election-type preferred`, or by itself with auto.leader.rebalance.enable. Only a live member of the ISR "
            "is elected so (KIP-460): nothing that was acknowledged is lost by that.",
        ),
        ("epochal show balancing-kraft", "epochal show kraft    # elect_preferred_leader", "epochal explain KIP-460"),
    ),
    Situation(
        "Tiered storage, and share groups",
        ("tiered storage", "remote storage", "remote log", "share group", "share consumer"),
        (
            "Tiered storage loses by bugs of releases, most of them after an election that loses uploaded records: an "
            "audit names those that your release and settings reach (tiered-retention, -lineage, -metadata). A share "
            "group (KIP-932) may get records twice, and by known bugs skip some, which no audit looks at.",
        ),
        ("epochal catalogue T1", "epochal catalogue SG2", "epochal show share-groups"),
    ),
    Situation(
        "What no model here has",
        (
            *("clock skew", "consumer group", "rebalance"),
            *("quota", "compaction", "compacted", "mirrormaker", "mirror maker", "schema registry"),
            *("authorization", "acl", "delete topic", "topic deletion", "create topic"),
        ),
        (
            "The specifications are of the replication of one partition, its controllers, and what producers and "
            "consumers are told of it. They have no clock: what a time-out may bring about may happen at any time. "
            "Consumer groups, compaction, quotas, topics that come and go, and other clusters are in "
            "none of them, and so is no bug of theirs.",
        ),
        ("epochal list", "epochal catalogue --list    # the second table has what is known and in no model"),
    ),
)
"""In the order in which they are told, after the symptoms."""

SITUATIONS = (*SYMPTOMS, *MATTERS)

MOST_SITUATIONS = 3
"""How many situations are told: of those that are meant by as many of the words, the first."""


def situations(description: str) -> list[Situation]:
    """What a description asks for: the situations of which a longest phrase is in it."""
    words = words_of(description)
    found = [(max(_found(words, one)), one) for one in SITUATIONS]
    most = max(length for length, _ in found)
    return [one for length, one in found if most and length == most][:MOST_SITUATIONS]


def _found(words: frozenset[str], one: Situation) -> list[int]:
    """How many words each phrase has that is in the description; 0 for one that is not."""
    return [len(said) if (said := words_of(phrase)) <= words else 0 for phrase in one.called]


def words_of(text: str) -> frozenset[str]:
    """The words of a text. `NotEnoughReplicasException` and `NOT_ENOUGH_REPLICAS` have the same."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()
    return frozenset(stem(FAILING.get(word, word)) for word in re.findall(r"[a-z0-9]+", apart) if word != "exception")
