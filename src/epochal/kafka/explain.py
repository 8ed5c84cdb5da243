"""What a word means: an exit code, a property, action, rule, bound or setting, a protocol, a known bug, a ticket."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from epochal.checker.base.numbers import counted
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.spec.bugs.catalogue import CATALOGUE, KNOWN_BUGS
from epochal.spec.bugs.known_bug import is_reference, references_in
from epochal.spec.bugs.not_modelled import NOT_MODELLED
from epochal.spec.kraft import settings as kraft_settings
from epochal.spec.kraft.configuration import ACKS_SYNONYMS, SETTINGS
from epochal.spec.kraft.generations import (
    CLASSIC,
    FIRST_WITH_ELR,
    GENERATIONS,
    RELEASES,
    VERSIONS,
    Version,
    generation_of,
    known_as,
    numbered,
    older,
)
from epochal.spec.kraft.guarantees import FAULTS
from epochal.spec.kraft.settings import Acks, Settings
from epochal.spec.language import Member, Protocol
from epochal.spec.language.configurable import Setting, SettingValue, as_options, option, settings_of
from epochal.spec.language.errors import BoundsError, nearest, of_the_same_number
from epochal.spec.language.marks import Kind
from epochal.spec.language.rules import Rule, rules_of
from epochal.spec.registry import REGISTRY, is_registered, registered

from .audit.finding import RULES as AUDIT_RULES

# -- phrases ----------------------------------------------------------------------------------------------------------
# Where a description leads: faults, known bugs, steps and properties that are told in the words that somebody uses.
#
# `one broker loses its disk` is the name of nothing here; `a crash that loses data` is, and means the same.

AT_MOST = 6
"""How many of a kind are told; a longer description leads to fewer."""

UNSAID: Final = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "been", "before", "by", "but", "can", "does", "for", "from"),
        *("has", "have", "his", "how", "if", "in", "into", "is", "it", "its", "kafka", "my", "no", "not", "of", "off"),
        *("on", "one", "only", "or", "other", "our", "out", "own", "than", "that", "the", "their", "them", "then"),
        *("there", "they", "this", "to", "was", "what", "when", "which", "while", "who", "whose", "why", "will"),
        *("with", "without", "broker", "brokers", "node", "nodes", "replica", "replicas", "server", "machine"),
    )
)
"""Words that say nothing about what is meant: nearly everything here is about brokers."""

FAILING: Final = {
    **dict.fromkeys(("loses", "lose", "losing", "loss", "lossy"), "lost"),
    **dict.fromkeys(("dies", "die", "died", "dead", "down", "fails", "fail", "failed", "failure", "failures"), "crash"),
    **dict.fromkeys(("restart", "restarts", "comes", "back", "returns", "return", "reboot"), "start"),
}
"""How a fault is said, in one word for each."""

SAME: Final = {
    **FAILING,
    **dict.fromkeys(("disk", "disks", "volume", "storage", "log", "logs"), "data"),
    **dict.fromkeys(("elects", "elected", "election", "elections"), "elect"),
    **dict.fromkeys(("write", "writes", "written", "wrote"), "append"),
    **dict.fromkeys(("twice", "duplicate", "duplicates", "duplicated"), "again"),
}
"""Words that mean the same here, or nearly so."""

KINDS_LED_TO: Final[dict[Kind, str]] = {"action": "steps", "invariant": "properties", "action_property": "properties"}


@dataclass(frozen=True)
class Led:
    """What a description leads to: which kind of things it is one of, how it is told, and the command that shows it."""

    kind: str
    text: str
    command: str


def led_to(description: str) -> list[Led]:
    """What is told with all the words of a description, or with words that mean the same; faults and bugs first."""
    asked = _meant(description)
    return (
        [] if not asked else [led for told in (_faults, _led_to_bugs, _led_to_members) for led in _first(told(), asked)]
    )


def _first(told: Iterable[tuple[str, Led]], asked: frozenset[str]) -> list[Led]:
    """Of those that are told with every word, the shortest."""
    found = sorted((len(text), number, led) for number, (text, led) in enumerate(told) if asked <= _meant(text))
    return [led for _, _, led in found[:AT_MOST]]


def _meant(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return frozenset(stem(SAME.get(word, word)) for word in words if word not in UNSAID)


def stem(word: str) -> str:
    """A word without its ending, where it is long enough: `crashes`, `crashed` and `crash` are one."""
    for ending in ("ing", "es", "ed", "s", "e", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def _faults() -> Iterator[tuple[str, Led]]:
    for fault in FAULTS:
        yield fault.title, Led("faults", f"{fault.id}: {fault.title}", f"epochal guarantees --fault {fault.id}")


def _led_to_bugs() -> Iterator[tuple[str, Led]]:
    for bug in KNOWN_BUGS:
        key = bug.id or next(iter(bug.references()), "")
        shown = f"catalogue {shlex.quote(key)}" if key and bug in CATALOGUE else f"show {bug.without_rule}"
        yield bug.title, Led("known bugs", f"{bug.name}: {bug.title}", f"epochal {shown}")


def _led_to_members() -> Iterator[tuple[str, Led]]:
    """The steps and properties, each by the first protocol that tells it so."""
    seen: set[str] = set()
    for name in REGISTRY:
        kind = registered(name)
        for mark, what in KINDS_LED_TO.items():
            for member in kind.members(mark):
                text = f"{member.name}: {member.sentence}"
                if text not in seen:
                    seen.add(text)
                    yield text, Led(what, text, f"epochal show {name}")


# -- symptoms ---------------------------------------------------------------------------------------------------------
# What people who run Kafka type, and what is said to them: faults, states of a cluster, errors of clients.
#
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


# -- questions --------------------------------------------------------------------------------------------------------
# Settings in a question: `is acks=all with min.insync.replicas=1 safe` is one for `epochal guarantees`.

CALLED: Mapping[str, tuple[str, ...]] = {
    "min_insync_replicas": ("min.insync.replicas", "min isr", "min.in.sync.replicas"),
    "acks": ("acks",),
    "unclean_leader_election": ("unclean.leader.election.enable", "unclean.leader.election"),
    "elr": ("eligible.leader.replicas.version", "elr"),
}
"""The settings that an operator or a producer has, as they are called in a question."""

REPLICAS = Setting("replication_factor", "number", "how many replicas there are", "3")
REPLICAS_CALLED = ("replication.factor", "rf")

ACKS = frozenset((*(one.value for one in Acks), *ACKS_SYNONYMS))

SWITCHED: Mapping[str, bool] = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}

BETWEEN = r"[\s._-]*"
"""What may stand between the words of a name: `min.insync.replicas`, `min-insync-replicas`."""


def asked_settings(question: str) -> list[str]:
    """The options of `epochal guarantees` that a question means; none if no setting has a value in it.

    Two releases alone are an upgrade: `from 3.9 to 4.1`. One besides other settings is the one that is asked about.
    """
    releases = [name for name in re.findall(r"\b[0-9]+(?:\.[0-9]+)+\b", question) if known_as(name) in VERSIONS]
    said = dict(_said(question.lower()))
    if len(releases) == 2:
        return ["--from", releases[0], "--to", releases[1], *as_options(said)]
    if said and len(releases) == 1:
        said = {"kafka": releases[0], **said}
    return as_options(said)


def _said(question: str) -> Iterator[tuple[str, SettingValue]]:
    """The settings with a value in the question, in the order of their declaration."""
    called = [(REPLICAS, REPLICAS_CALLED), *((one, CALLED[one.name]) for one in SETTINGS if one.name in CALLED)]
    for setting, names in called:
        value = next((text for name in names for text in _values(question, name)), None)
        if value is None or (setting.name == "acks" and value not in ACKS):
            continue
        try:
            yield setting.name, setting.value(SWITCHED.get(value, value) if setting.kind == "switch" else value)
        except BoundsError:  # a word of the sentence, and no value
            continue


def _values(question: str, name: str) -> list[str]:
    """What stands after a name: `acks=all`, `acks: all`, `acks of all`, `acks all`."""
    words = BETWEEN.join(map(re.escape, re.split(r"[\s._-]", name)))
    return re.findall(rf"\b{words}\s*(?:=|:|\bof\b|\bis\b|\s)\s*(-?[a-z0-9]+)\b", question)


# -- releases ---------------------------------------------------------------------------------------------------------
# Which releases of Kafka have a rule: yes or no, from the first with KRaft to the newest that is known.

NO, ASKED_FOR, YES = "no", "off unless set", "yes"

SINCE: Final[dict[str, Version]] = {
    "decides_on_one_fetch": (3, 5),
    "elr_has_only_replicas": FIRST_WITH_ELR,
    "known_leader_must_be_active": FIRST_WITH_ELR,
    "override_starts_anew": (3, 0),
    "reassignment_ends": (3, 0),
}
"""The first version in which there is something to rule: broker epochs in proposals, ELR, reassignments with KRaft."""


def in_releases(rule: str) -> str:
    """`2.8 to 3.6: no; 3.7 to 4.4: yes`; "" for a rule of which no release is known to lack it.

    Then nothing is said: a hole may be known to the catalogue alone, or lie in what somebody sets.
    """
    asked = [version for version in VERSIONS if numbered(version) >= SINCE.get(rule, ())]
    groups = [(has, list(found)) for has, found in itertools.groupby(asked, lambda one: _has(rule, one))]
    if [has for has, _ in groups] == [YES]:
        return ""
    return "; ".join(f"{_from_to(found)}: {has}" for has, found in groups)


def _has(rule: str, version: str) -> str:
    if getattr(VERSIONS[version], rule) == getattr(Settings(), rule):
        return YES
    return ASKED_FOR if rule == "elr" and numbered(version) >= FIRST_WITH_ELR else NO


def _from_to(found: list[str]) -> str:
    """`3.7 to 4.4` of versions with all their releases, `3.9.1 to 3.9.2` of some of them."""
    first, last = found[0], found[-1]
    if _minor(first) == _minor(last) and numbered(last)[2] < RELEASES[_minor(last)]:
        first = ".".join(map(str, numbered(first)))
    if numbered(last)[2] < RELEASES[_minor(last)]:
        last = ".".join(map(str, numbered(last)))
    elif _minor(first) != _minor(last) or first == _minor(last):
        last = _minor(last)
    return first if first == last else f"{first} to {last}"


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


KINDS: Final[dict[Kind, str]] = {
    "action": "an action",
    "invariant": "an invariant: true in every reachable state",
    "action_property": "a property of every step",
    "reachable": "something that must be reachable",
    "lemma": "a lemma of a proof",
    "leads_to": "a liveness property: wherever the premise holds, the goal holds then or later",
    "constraint": "a state constraint",
}

KIPS: Final = {
    "KIP-98": "Exactly once delivery and transactional messaging",
    "KIP-101": "Alter the replication protocol to use leader epochs rather than high watermarks for truncation",
    "KIP-106": "Unclean leader election is off by default",
    "KIP-107": "Records before an offset can be deleted by an administrator",
    "KIP-113": "Replicas move between the log directories of a broker",
    "KIP-207": "Offsets of ListOffsets grow monotonically, even while the leader changes",
    "KIP-227": "Incremental fetch requests",
    "KIP-279": "Fix log divergence between leader and follower after fast leader fail-over",
    "KIP-320": "Allow fetchers to detect and handle log truncation",
    "KIP-360": "A more reliable idempotent and transactional producer",
    "KIP-380": "Detect outdated control requests and bounced brokers by broker generations",
    "KIP-392": "Consumers may fetch from the closest replica",
    "KIP-405": "Tiered storage: segments are copied to a remote store",
    "KIP-455": "An administrative API for the reassignment of replicas",
    "KIP-460": "An administrative API for the election of leaders",
    "KIP-461": "A fetcher goes on with its other partitions when one fails",
    "KIP-497": "An inter-broker API to alter the ISR",
    "KIP-500": "Replace ZooKeeper with a self-managed metadata quorum",
    "KIP-595": "A Raft protocol for the metadata quorum",
    "KIP-630": "Snapshots of the metadata log",
    "KIP-631": "The quorum-based Kafka controller",
    "KIP-704": "Send a hint to the partition leader to recover the partition",
    "KIP-841": "Fenced replicas are not allowed to join the ISR in KRaft",
    "KIP-848": "The next generation of the consumer rebalance protocol",
    "KIP-853": "Changes of the members of the KRaft controller",
    "KIP-854": "A configuration of its own for the expiry of producer ids",
    "KIP-858": "Failures of log directories in KRaft (JBOD)",
    "KIP-890": "The servers' defence against hanging transactions",
    "KIP-903": "Replicas with a stale broker epoch are not allowed to join the ISR",
    "KIP-932": "Queues for Kafka: share groups",
    "KIP-950": "Tiered storage is disabled for a topic",
    "KIP-966": "Eligible leader replicas",
    "KIP-996": "Pre-vote",
    "KIP-1150": "Diskless topics",
    "KIP-1163": "Diskless topics: how they are written, read and deleted",
    "KIP-1164": "Diskless topics: their coordinator",
    "KIP-1228": "The transaction version in requests that write markers",
    "KIP-1235": "Two in-sync replicas by default for __remote_log_metadata",
}
"""What the KIPs that the specifications name are about."""


@dataclass(frozen=True)
class Explanation:
    """A meaning of a word: its heading, what there is to say, a paragraph a line, and commands that show more."""

    heading: str
    said: tuple[str, ...]
    commands: tuple[str, ...] = ()


def explanations(word: str) -> list[Explanation]:
    """Every meaning of a word, or what a description leads to.

    Raises UsageError, with the nearest known word, if it has no meaning and leads nowhere.
    """
    kinds = (
        *(_exit_codes, _bugs, _releases_called, _generations, _references, _protocols, _members, _rules_called),
        _settings,
    )
    named = [one for kind in kinds for one in kind(word)]
    asked = [] if named else list(_asked(word))
    situated = [Explanation(one.title, one.said, one.commands) for one in situations(word)]
    found = [*asked, *situated, *named] or list(_rules_of_audits(word))
    if found:
        return found if named or situated else [*found, *_described(word)]
    if described := list(_described(word)):
        return described
    if is_reference(word.upper()):
        raise UsageError(
            f"{word.upper()} is not known here: no entry of the catalogue, no protocol and no rule names it. "
            "'epochal catalogue --list' has the tickets and KIPs that are."
        )
    if word.strip().isdecimal():
        known = ", ".join(str(code.value) for code in sorted(ExitCode))
        raise UsageError(f"{word!r} is not an exit code of epochal. The codes are {known}.")
    near = nearest(word, of_the_same_number(word, _known()))
    told = f"Did you mean {near}?" if near else "'epochal list' and 'epochal show PROTOCOL' have the words there are."
    raise UsageError(
        f"{word!r} is no exit code, property, action, lemma, setting, bound, protocol, release, known bug, KIP or "
        f"ticket that is known here. {told}"
    )


def _folded(name: str) -> str:
    """A name as it is compared: `--min-isr`, `min.isr`, `MinIsr` and `min_isr` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _exit_codes(word: str) -> Iterator[Explanation]:
    for one in ExitCode:
        if word.strip() == str(one.value):
            yield Explanation(f"{one.value}: {one.title}", (one.meaning, one.advice))


def _bugs(word: str) -> Iterator[Explanation]:
    """A known bug by its number, as reports call it: `N1`, or `S9` in every family that shows it."""
    for bug in CATALOGUE:
        if word.lower() in (bug.id.lower(), bug.id.lower().split()[0]) and references_in(bug.id) != (bug.id,):
            told = [bug.story] if bug.story else []
            said = (f"{bug.title}. {bug.seen_in()}.", *told, f"What it teaches: {bug.lesson}")
            yield Explanation(f"{bug.name}: a known bug", said, (f"epochal catalogue {shlex.quote(bug.id)}",))
    for other in NOT_MODELLED:
        if word.lower() == other.id.lower() and references_in(other.id) != (other.id,):
            yield Explanation(f"{other.name}: a known bug", (f"{other.title}. In no model: {other.reason}.",))


def _releases_called(word: str) -> Iterator[Explanation]:
    """A version of Kafka: its protocol, and the commands that say what it has open."""
    shipped = known_as(word) in VERSIONS
    protocol = f"kraft --kafka {known_as(word)}" if shipped else older(word)
    if protocol is not None:
        asked = (f"epochal guarantees --kafka {known_as(word)}",) if shipped else ()
        known = [bug.name for bug in CATALOGUE if bug.was_in(word)]
        entries = counted(len(known), "entry", "entries")
        said = f"Its protocol is {protocol}. {entries} of the catalogue: {', '.join(known)}."
        commands = (f"epochal catalogue --list {word}", *asked, f"epochal show {protocol}")
        yield Explanation(f"Kafka {word}: a release", (said,), commands)


def _generations(word: str) -> Iterator[Explanation]:
    """`G8`: the rules that Kafka had since some KIP, as reports and commands call them."""
    name = word.strip().upper()
    if name in CLASSIC:
        said = f"Kafka before KRaft: the protocol {CLASSIC[name]}."
        yield Explanation(f"{name}: a generation of the protocol", (said,), (f"epochal show {CLASSIC[name]}",))
    elif name in GENERATIONS:
        releases = [version for version in RELEASES if generation_of(version) == name]
        which = f"Kafka {', '.join(releases)} as designed" if releases else "Kafka before KRaft, under its controller"
        said = f"The rules of {which}: without the holes that were found in them later."
        commands = (f"epochal show kraft --kafka {name}", f"epochal guarantees --kafka {name}")
        yield Explanation(f"{name}: a generation of the protocol", (said,), commands)


def _rules_of_audits(word: str) -> Iterator[Explanation]:
    """What `epochal audit` calls a finding: `acked-lost`."""
    if (name := word.strip().lower()) in AUDIT_RULES:
        said = (f"{AUDIT_RULES[name]}.", "The report says of what it is true, why, and what mends it.")
        yield Explanation(f"{name}: a rule of audits", said, ("epochal audit --help",))


def _protocols(word: str) -> Iterator[Explanation]:
    if is_registered(word.lower()):
        kind = registered(word.lower())
        paragraphs = [" ".join(part.split()) for part in (inspect.getdoc(kind) or "").split("\n\n")]
        yield Explanation(f"{kind.name}: a protocol", tuple(paragraphs), (f"epochal show {kind.name}",))


def _kinds() -> Iterator[tuple[str, type[Protocol]]]:
    for name in REGISTRY:
        yield name, registered(name)


@cache
def _every_member() -> tuple[tuple[str, Kind, Member], ...]:
    """The marked methods of all protocols."""
    return tuple((name, mark, member) for name, kind in _kinds() for mark in KINDS for member in kind.members(mark))


@cache
def _every_rule() -> tuple[tuple[str, Rule], ...]:
    """The rules of all protocols."""
    return tuple((name, rule) for name, kind in _kinds() for rule in rules_of(kind))


def _asked(question: str) -> Iterator[Explanation]:
    """The command that decides a question with settings in it: `is acks=all with min.insync.replicas=1 safe`."""
    if said := asked_settings(question):
        told = "The guarantees of these settings take a search of every state for each fault; usual ones are decided."
        yield Explanation("A question about settings", (told,), (shlex.join(["epochal", "guarantees", *said]),))


def _described(description: str) -> Iterator[Explanation]:
    """What is told in the words of a description, which is the name of nothing."""
    for kind, found in itertools.groupby(led_to(description), lambda led: led.kind):
        said = tuple(f"{led.text}  [{led.command}]" for led in found)
        yield Explanation(f"{kind} that are worded so", said)


def _members(word: str) -> Iterator[Explanation]:
    """The marked methods of this name; those that say the same are told once, with the protocols that have them."""
    found: dict[tuple[str, Kind, str], tuple[Member, list[str]]] = {}
    for name, mark, member in _every_member():
        if _folded(member.name) == _folded(word):
            found.setdefault((member.name, mark, member.description), (member, []))[1].append(name)
    for (name, mark, description), (member, protocols) in found.items():
        origin = f"In {', '.join(protocols)}  [{member.where}]"
        yield Explanation(f"{name}: {KINDS[mark]}", (description, origin), (f"epochal show {protocols[0]}",))


def _rules_called(word: str) -> Iterator[Explanation]:
    """The rules of this name that steps and properties call, with their parameters; those that say the same once."""
    found: dict[tuple[str, str], tuple[Rule, list[str]]] = {}
    for protocol, rule in _every_rule():
        if _folded(rule.name) == _folded(word):
            found.setdefault((rule.called, rule.description), (rule, []))[1].append(protocol)
    for (called, description), (rule, protocols) in found.items():
        origin = f"In {', '.join(protocols)}  [{rule.where}]. A method of this name takes its place in a variant."
        heading = f"{called}: a rule that steps and properties call"
        yield Explanation(heading, (description, origin), (f"epochal show {protocols[0]}",))


def _settings(word: str) -> Iterator[Explanation]:
    """Bounds and words of protocols by their option, or as Kafka calls them; then the rules of the modern protocol."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for name, kind in _kinds():
        for bound in kind.bounds_type().declared().values():
            if _folded(bound.name) == _folded(word):
                why = f" ({bound.why})" if bound.why else ""
                limits = f"{bound.help}; {bound.least} to {bound.most}{why}."
                found.setdefault((option(bound.name), "a bound", limits), []).append(name)
        for said in settings_of(kind).values():
            if _folded(word) in (_folded(said.name), _folded(said.help.split()[0])):
                text = " ".join((f"{said.help}; default {said.default}.", *_releases(said.name)))
                found.setdefault((option(said.name), "a setting", text), []).append(name)
    for (name, what, text), protocols in found.items():
        yield Explanation(
            f"{name}: {what} of {', '.join(protocols)}", (text,), (f"epochal check {protocols[0]} --help",)
        )
    if not found:
        for name, told in rules().items():
            if _folded(name) == _folded(word):
                yield Explanation(f"{name}: a rule of kraft", (told, *_releases(name)))


def _releases(rule: str) -> tuple[str, ...]:
    """Which releases have a rule, as a sentence."""
    told = in_releases(rule) if rule in Settings.__dataclass_fields__ else ""
    return (f"Kafka {told}.",) if told else ()


def rules() -> dict[str, str]:
    """What each rule of the modern protocol says, by the field of its settings: the text below the field."""
    (record,) = (
        node
        for node in ast.parse(inspect.getsource(kraft_settings)).body
        if isinstance(node, ast.ClassDef) and node.name == Settings.__name__
    )
    told: dict[str, str] = {}
    for field, text in zip(record.body, record.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            told[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split())
    return told


def _references(word: str) -> Iterator[Explanation]:
    """A KIP or a ticket: what it is about, the entries of the catalogue, the protocols and the rules that name it."""
    name = word.upper()
    if not is_reference(name):
        return
    entries = [one for one in CATALOGUE if name in one.references()]
    named = [rule for rule, text in rules().items() if name in references_in(text)]
    said = [" ".join((f"rule {rule} of kraft: {rules()[rule]}", *_releases(rule))) for rule in named]
    said += [f"{one.name}: {one.title}. {one.seen_in()}." for one in entries]
    said += [
        f"{one.name}: {one.title}. In no model: {one.reason}."
        for one in NOT_MODELLED
        if name in references_in(one.source)
    ]
    told: dict[str, None] = {}
    commands: dict[str, None] = {f"epochal catalogue {name}": None} if entries else {}
    for protocol, kind in _kinds():
        if name in references_in(inspect.getdoc(kind) or ""):
            commands[f"epochal show {protocol}"] = None
    for _, _, member in _every_member():
        if name in references_in(member.description):
            told[f"{member.name}: {member.sentence}  [{member.where}]"] = None
    if said or told or commands or name in KIPS:
        about = f": {KIPS[name]}" if name in KIPS else ": a ticket of Kafka" if name.startswith("KAFKA") else ""
        yield Explanation(f"{name}{about}", (*said, *told), tuple(commands))


def _known() -> list[str]:
    """Every word with a meaning, for the advice about one that has none."""
    names: dict[str, None] = dict.fromkeys([*REGISTRY, *KIPS])
    names.update(dict.fromkeys(name for one in CATALOGUE for name in one.references()))
    for _, kind in _kinds():
        names.update(dict.fromkeys(member.name for mark in KINDS for member in kind.members(mark)))
        names.update(dict.fromkeys(rule.name for rule in rules_of(kind)))
        names.update(dict.fromkeys(kind.bounds_type().declared()))
        names.update(dict.fromkeys(settings_of(kind)))
    names.update(dict.fromkeys((*rules(), *AUDIT_RULES)))
    return list(names)
