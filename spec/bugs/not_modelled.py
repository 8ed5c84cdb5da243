"""What is known and in no model, with the reason. Nothing is left out in silence."""

from __future__ import annotations

from dataclasses import dataclass

from .known_bug import besides, called


@dataclass(frozen=True)
class NotModelled:
    """A bug that is known and that no protocol here can show, with the reason."""

    id: str
    title: str
    source: str
    versions: str
    reason: str

    @property
    def name(self) -> str:
        """What people call it: its ticket or KIP, if it has one, then its number."""
        return called(self.id, self._tickets)

    @property
    def also(self) -> str:
        """Where else it was reported, in one line."""
        return besides(self._tickets)

    @property
    def _tickets(self) -> list[str]:
        return [] if self.source == "-" else self.source.split(", ")


NOT_MODELLED: tuple[NotModelled, ...] = (
    NotModelled(
        "S26b",
        "A consumer has read what a clean or unclean election then loses",
        "KAFKA-1211, others",
        "as S1, S9, S20, S21, S27",
        "no bug of its own: what is committed here is what consumers may have read, so that each of those shows it",
    ),
    NotModelled(
        "S26c",
        "A consumer has read what acks=1 then loses",
        "-",
        "none",
        "no bug: consumers read what is committed, and S25 loses what is not; leader_completeness holds there",
    ),
    NotModelled(
        "S33b",
        "The high watermark waits for a replica that is shutting down, until the lag time has passed",
        "KAFKA-15021",
        "up to 3.5",
        "a delay: here a leader may take any follower for slow at any time, so that nothing waits for a lag time",
    ),
    NotModelled(
        "S33d",
        "A follower that fetches all the time is never quite at the log end, and is taken for slow",
        "KAFKA-4485",
        "up to 0.10.1",
        "no promise of these models: a leader may always drop a follower, and whoever catches up is admitted again",
    ),
    NotModelled(
        "S33e",
        "Below min.insync.replicas a follower that is far behind joins the ISR and leaves it, again and again",
        "KAFKA-19996",
        "since 4.0",
        "no promise of these models: that a leader drops a follower again is not said to end, and no record is lost",
    ),
    NotModelled(
        "S35",
        "Fewer brokers are alive than min.insync.replicas, so that no write succeeds",
        "KIP-966",
        "all",
        "availability, and as documented; `refused_for_lack_of_replicas` of kraft shows that it happens",
    ),
    NotModelled(
        "KAFKA-9087",
        "A move to another log directory begins to copy at the wrong offset, and never ends",
        "KAFKA-9087",
        "1.1 to 3.4",
        "no record is at stake: the future log refuses what does not follow, and the current log stays as it is",
    ),
    NotModelled(
        "KAFKA-15375",
        "A broker that fails while it starts marks its log directories as cleanly shut down",
        "KAFKA-15375",
        "2.8 to 3.5.1",
        "no record is at stake: logs are not recovered that need it; the controller knows of the marker since 4.0 only",
    ),
    NotModelled(
        "KAFKA-15608",
        "A move to another log directory drops leader epochs without records, and followers ask in vain for ever",
        "KAFKA-15608, KAFKA-20961",
        "2.1 to 4.4",
        "liveness, and about epochs in which nothing was written: the epoch cache of these models follows from the log",
    ),
    NotModelled(
        "KAFKA-16234",
        "A log directory is offline when its broker starts, and the partition is created anew in another",
        "KAFKA-16234",
        "3.7.0",
        "no bug of its own here: a broker that comes back without its log is S20 without ELR, and H4 with it",
    ),
    NotModelled(
        "KAFKA-16424",
        "Segments that were cut off during a move to another log directory stay on disk",
        "KAFKA-16424",
        "1.1 to 3.7",
        "disk space: nobody reads these files again",
    ),
    NotModelled(
        "KAFKA-16297",
        "A disk fails before a replica has moved off it, and the controller has the replica on the other one",
        "KAFKA-16297, KAFKA-15649",
        "3.7",
        "availability: the leader cannot serve the partition, until the controller is told; nothing is lost by that",
    ),
    NotModelled(
        "KAFKA-19571",
        "A segment is deleted while it is forced to disk, and its log directory goes offline",
        "KAFKA-19571",
        "up to 4.0.1 and 4.1 to 4.1.1",
        "files and threads of one broker; a directory that fails, for whatever reason, is `failed-directory`",
    ),
    NotModelled(
        "KAFKA-20832",
        "New replicas are put on log directories that are cordoned off",
        "KAFKA-20832, KAFKA-20441",
        "4.3.0 to 4.3.1",
        "where new replicas are put (KIP-1066) is in no model; they are as safe there as elsewhere",
    ),
    NotModelled(
        "KAFKA-9892",
        "A snapshot of producers is not forced to disk, and is empty after the machine has crashed",
        "KAFKA-9892",
        "0.11 to 2.7",
        "a snapshot that fails its checksum is left out, and the log before it read instead: with less in snapshots "
        "more is remembered (P1), and where that part of the log is deleted KIP-360 shows what follows",
    ),
    NotModelled(
        "KAFKA-12520",
        "A broker that was stopped while it compacted makes its producer state anew from the whole log",
        "KAFKA-12520",
        "up to 2.8",
        "it costs hours at the start and changes no answer; compaction is in no model",
    ),
    NotModelled(
        "KAFKA-19821",
        "A leader does not log that it has found a duplicate",
        "KAFKA-19821",
        "up to 4.1",
        "a line in the broker's log; nothing that a client or a replica sees",
    ),
    NotModelled(
        "KAFKA-9144",
        "A producer of whom only a marker is left in the log is forgotten at once, and a zombie of it is not fenced",
        "KAFKA-9144",
        "0.11 to 2.4",
        "no leader forgets a transactional producer here; in `transactions`, where producers are replaced, each asks "
        "the coordinator before it writes to a partition",
    ),
    NotModelled(
        "KAFKA-12153",
        "After truncation the first unstable offset is not in the log any more when the high watermark is updated",
        "KAFKA-12153",
        "0.11 to 2.7",
        "an order of statements within one step under one lock; here the last stable offset is computed from the log",
    ),
    NotModelled(
        "KAFKA-19690",
        "A leader looks at the verification of a batch before its producer epoch, and the producer gives up",
        "KAFKA-19690",
        "3.6 to 4.1",
        "which error a refused batch is answered with; it is refused either way",
    ),
    NotModelled(
        "KAFKA-5416",
        "An append to the coordinator's log is retried, and what it was to change is not pending any more",
        "KAFKA-5416",
        "none; found before 0.11 was released",
        "what is pending in memory and the record that is retried are one step of `transactions`",
    ),
    NotModelled(
        "KAFKA-9777",
        "All markers of a transaction are written, a thread finds a lock taken, and nobody completes the transaction",
        "KAFKA-9777",
        "0.11 to 2.5",
        "threads and locks within one coordinator are in no model; a transaction that hangs for another reason until "
        "the next election is KAFKA-16352",
    ),
    NotModelled(
        "KAFKA-10080",
        "Two threads complete one transaction, and the second record may end the next transaction",
        "KAFKA-10080",
        "none; found before 2.6 was released",
        "threads within one coordinator are in no model: `transactions` completes a transaction in one step",
    ),
    NotModelled(
        "KAFKA-9307",
        "A coordinator cannot load what it did not unload when it was replaced",
        "KAFKA-9307",
        "0.11 to 2.4.0",
        "whoever takes office here has what the log says, whatever it had in memory; loads that are wrong are X2",
    ),
    NotModelled(
        "KAFKA-9065",
        "A coordinator loads for ever: its log has a gap at the end, or a record that is larger than the buffer",
        "KAFKA-9065, KAFKA-7286",
        "0.11 to 2.4.0; the buffer up to 2.0.0",
        "no log is compacted here, and records have no size; a coordinator that is not there decides nothing",
    ),
    NotModelled(
        "KAFKA-14884",
        "A transaction is aborted after a leader has verified it, and before the leader appends",
        "KAFKA-14884",
        "none; found before 3.6 was released",
        "a leader verifies and appends in one step here (KAFKA-14402); where these are two it is DK15",
    ),
    NotModelled(
        "KAFKA-18575",
        "A leader takes a transaction that is being completed for the next one, and does not add its partition",
        "KAFKA-18575",
        "none; found before 4.0 was released",
        "in `transactions` a partition is added and written to in one step",
    ),
    NotModelled(
        "KAFKA-17507",
        "A marker is answered before the group coordinator has acted on it, and takes offsets of the next transaction",
        "KAFKA-17507",
        "2.0 to 3.9.0, without the group coordinator of KIP-848",
        "in `transactions` a marker decides in one step what is pending; what the log has is right, and read at the "
        "next load",
    ),
    NotModelled(
        "KAFKA-6975",
        "A log start offset in the middle of a batch: followers that begin there get a batch that begins before",
        "KAFKA-6975",
        "0.11.0 to 1.0.1 and 1.1.0",
        "records are not batched here, so that every log start offset is the first offset of one",
    ),
    NotModelled(
        "KAFKA-9133",
        "The log cleaner fails on a log start offset beyond the first offset of the active segment",
        "KAFKA-9133",
        "2.3.1",
        "no log is compacted here",
    ),
    NotModelled(
        "KAFKA-19492",
        "DeleteRecords does not say why an offset is out of range",
        "KAFKA-19492",
        "0.11 to 4.2",
        "no bug of replication: what was added is a line in a log",
    ),
    NotModelled(
        "KAFKA-16541",
        "The file of the leader-epoch cache is broken when the machine fails: truncation did not force it to disk",
        "KAFKA-15046, KAFKA-16541",
        "3.7",
        "Kafka does not load a log whose file is broken; `leader-epoch-cache` has it lost, and the log says the rest",
    ),
    NotModelled(
        "KAFKA-7897",
        "A leader-epoch cache that is kept where records have no leader epoch truncates whole logs",
        "KAFKA-7897, KAFKA-7959, KAFKA-7601",
        "1.1.1 to 2.1.0",
        "every record has a leader epoch here, as in the message format since 0.11",
    ),
    NotModelled(
        "KAFKA-15695",
        "A follower that begins anew from tiered storage keeps a local log start offset of before",
        "KAFKA-15695",
        "3.6.0",
        "where a disk begins and where its broker takes it to begin are one number here",
    ),
    NotModelled(
        "KAFKA-16452",
        "The checkpoint of the high watermark is lost, and a leader with tiered storage answers OFFSET_OUT_OF_RANGE",
        "KAFKA-16452",
        "3.6 to 3.7",
        "an exception about the segment of an offset: here an offset is a number, and a high watermark below where the "
        "disk begins catches up with the next fetches, as in Kafka since",
    ),
    NotModelled(
        "KAFKA-16890",
        "Of remote segments that overlap the log start follows the last one in the list, not the furthest",
        "KAFKA-16890",
        "3.6 to 3.7",
        "a record is a segment here, and none overlap; T6 and T7 have what else a list of segments says wrongly",
    ),
    NotModelled(
        "KAFKA-16511",
        "Remote segments that overlap, have several epochs, or were not copied to the end are not deleted",
        "KAFKA-16511, KAFKA-15479, KAFKA-17428",
        "3.6 to 3.9",
        "what stays is too much, and no record is at stake; here a record is a segment, of one epoch, and none overlap",
    ),
    NotModelled(
        "KAFKA-15168",
        "Of remote segments that overlap the index of metadata finds one that ends before the offset asked for",
        "KAFKA-15168",
        "none; found before 3.6 was released",
        "a record is a segment here, and none overlap",
    ),
    NotModelled(
        "KAFKA-16711",
        "A log that moved to another directory has noted nothing of the remote tier, and its disk is never cleaned up",
        "KAFKA-16711",
        "3.6 to 3.7",
        "disk space; that such a log has noted nothing is in the model (`FutureLogsOfTiers`), and any broker may look "
        "up what is there",
    ),
    NotModelled(
        "KAFKA-17801",
        "A fetch from the remote tier leaves out aborted transactions, and consumers get their records",
        "KAFKA-17801",
        "3.6 to 3.9.0",
        "which part of a segment is read, and so how far its index is looked through; a record is a segment here, and "
        "`stable_is_decided` is about logs",
    ),
    NotModelled(
        "KAFKA-19523",
        "A follower begins after the remote tier before its broker knows what is there, and logs an error",
        "KAFKA-19523",
        "3.6 to 4.1",
        "lines in a log: the follower tries again; what a failure leaves is T3",
    ),
    NotModelled(
        "KAFKA-20091",
        "Retention deletes in the remote tier what is exactly as old as retention.ms, and not on disks",
        "KAFKA-20091",
        "3.6 to 4.2",
        "a millisecond; `delete_records`, which stands for retention by time, may happen at any time",
    ),
    NotModelled(
        "KAFKA-14808",
        "A reassignment is overridden while a replica that it adds leads, and the partition has no leader",
        "KAFKA-14808",
        "2.4 to 3.9, with ZooKeeper",
        "with ZooKeeper no partition is reassigned here; in KRaft the replica stays until the reassignment ends",
    ),
    NotModelled(
        "KAFKA-12958",
        "The active controller is asked to load a snapshot",
        "KAFKA-12958",
        "none; a test looks for it",
        "what a state machine is told, and in which order, is in no model of the quorum",
    ),
    NotModelled(
        "KAFKA-14619",
        "A snapshot ends within a batch, and a follower cannot append what it fetches from there",
        "KAFKA-14619",
        "2.8 to 3.9",
        "every record is a batch of its own here",
    ),
    NotModelled(
        "KAFKA-15345",
        "A leader is told of its office before it has read all records of former leaders",
        "KAFKA-15345",
        "2.8 to 3.5",
        "what a state machine is told, and in which order, is in no model of the quorum",
    ),
    NotModelled(
        "KAFKA-16538",
        "The upgrade of kraft.version from 0 to 1 must name every voter with its directory id",
        "KAFKA-16538",
        "before 4.1 there was none",
        "voters without directory ids and those with them are the same voters here; no majority changes",
    ),
    NotModelled(
        "KAFKA-17973",
        "A replica that reads two changes of the voters at once throws",
        "KAFKA-17973",
        "3.9.0",
        "it is what a reader thinks of records that a leader could not have written; since 3.9.1 it only logs",
    ),
    NotModelled(
        "KAFKA-19078",
        "A controller joins the voters by itself, and removes the entry of its lost disk first",
        "KAFKA-19078",
        "since 4.2",
        "a client of AddVoter and RemoveVoter, which quorum-reconfiguration allows at any time",
    ),
    NotModelled(
        "KAFKA-19850",
        "A controller that was removed from the voters joins them again at once, by itself",
        "KAFKA-19850, KAFKA-19933",
        "since 4.2",
        "who asks for AddVoter is not told apart: quorum-reconfiguration allows it at any time, and loses nothing",
    ),
    NotModelled(
        "KAFKA-17608",
        "The active controller is removed from the voters, and crashes for want of a snapshot to go back to",
        "KAFKA-17608",
        "3.9.0; found before it was released",
        "what a state machine keeps for the day it leads no longer is in no model of the quorum",
    ),
    NotModelled(
        "KAFKA-17604",
        "DescribeQuorum leaves out the endpoints of voters that were added",
        "KAFKA-17604",
        "none; found before 3.9 was released",
        "an answer about the quorum, by which nothing is decided",
    ),
    NotModelled(
        "KAFKA-20514",
        "An observer goes on asking the wrong node, although it has heard of the leader, or of another way to it",
        "KAFKA-20514, KAFKA-19354",
        "3.9 to 4.4; partly corrected in 4.2",
        "whom an observer asks is chosen by time-outs and endpoints; here it fetches from whoever leads",
    ),
    NotModelled(
        "KAFKA-20865",
        "A controller that is a voter is unregistered",
        "KAFKA-20865",
        "not released",
        "registrations of controllers decide which features may be upgraded, and no model has those",
    ),
    NotModelled(
        "KAFKA-20661",
        "A voter gives itself an endpoint that nobody reaches, and no leader can be elected after it led",
        "KAFKA-20661",
        "3.9 to 4.4",
        "endpoints decide whom a voter reaches, and are in no model: quorum-reconfiguration has no UpdateVoter",
    ),
    NotModelled(
        "KAFKA-20635",
        "A group coordinator logs errors for writes that were under way when its partition got another leader",
        "KAFKA-20635",
        "4.0 to 4.2.1 and 4.3.0",
        "lines in a log: the writes fail as they must (NOT_COORDINATOR); KAFKA-20634 is what went wrong there",
    ),
    NotModelled(
        "KAFKA-19862",
        "A group coordinator cannot load its partition, of which records were compacted while it was read",
        "KAFKA-19862",
        "4.0 to 4.0.1 and 4.1 to 4.1.1",
        "no log is compacted here; what offset commits lose, and what not, is told by KAFKA-20634",
    ),
    NotModelled(
        "KAFKA-19953",
        "A member leaves, and what it has after a record of another member in one batch is not released",
        "KAFKA-19953",
        "4.0 to 4.1",
        "a delay: the locks time out, and the records are delivered again; each record is a batch of its own here",
    ),
    NotModelled(
        "KAFKA-19954",
        "After a change of the leader batches overlap, and records before the start offset are delivered again",
        "KAFKA-19954, KAFKA-19632",
        "4.0 to 4.1",
        "how ranges of records are cut into batches; each record is a batch of its own here, and none overlap",
    ),
    NotModelled(
        "KAFKA-19463",
        "A record whose release is being written is taken for the next one to fetch, and is fetched in vain",
        "KAFKA-19463",
        "4.0 to 4.1",
        "a delay: it can be acquired as soon as the write is answered; no promise counts fetches",
    ),
    NotModelled(
        "KAFKA-19337",
        "A write with a new state epoch is appended as an update, which cannot say it",
        "KAFKA-19337",
        "4.0",
        "no leader has a state epoch that the share coordinator did not give it: it gives them when it initialises",
    ),
    NotModelled(
        "KAFKA-19456",
        "A write raises the leader epoch and the state epoch that the share coordinator knows",
        "KAFKA-19456",
        "4.0 to 4.1",
        "every leader reads the state before it writes, so that the epochs of its writes are known already",
    ),
    NotModelled(
        "KAFKA-20710",
        "Periodic jobs of a share coordinator run twice after share groups were disabled and enabled",
        "KAFKA-20710",
        "4.0 to 4.3",
        "snapshots and pruning at the wrong time; how often is open here",
    ),
    NotModelled(
        "KAFKA-20743",
        "A share coordinator takes requests with an epoch of -1, without comparing it",
        "KAFKA-20743",
        "4.0 to 4.3",
        "hardening: no broker sends such a request",
    ),
    NotModelled(
        "apache/kafka#23112",
        "A write that comes late takes back the number of records that are over beyond the start offset",
        "-",
        "4.2 to 4.3",
        "the lag that is reported of a share group; by that number nothing is decided",
    ),
)
