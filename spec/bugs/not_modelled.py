"""What is known and in no model, with the reason. Nothing is left out in silence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NotModelled:
    """A bug that is known and that no protocol here can show, with the reason."""

    id: str
    title: str
    source: str
    versions: str
    reason: str


NOT_MODELLED: tuple[NotModelled, ...] = (
    NotModelled(
        "S26b",
        "A consumer has read what a clean or unclean election then loses",
        "KAFKA-1211 and others",
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
        "S31",
        "A retry after NOT_ENOUGH_REPLICAS_AFTER_APPEND or a timeout appends the record twice",
        "KIP-98",
        "all, without idempotence",
        "no value is sent twice in these models; a duplicate breaks no property of replication",
    ),
    NotModelled(
        "S33",
        "A leader that never resigns, a high watermark that waits, a follower that never counts as caught up",
        "KAFKA-15489, KAFKA-15021, KAFKA-13091, KAFKA-4485, KAFKA-19996, KAFKA-14144",
        "various, up to 4.1",
        "liveness: nothing wrong is ever reached, only something good is not; searches here judge states and steps",
    ),
    NotModelled(
        "S35",
        "Fewer brokers are alive than min.insync.replicas, so that no write succeeds",
        "KIP-966",
        "all",
        "availability, and as documented; `refused_for_lack_of_replicas` of kraft shows that it happens",
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
        "KAFKA-18345",
        "Candidates that back off alike stand for election at the same time, again and again",
        "KAFKA-18345",
        "2.8 to 4.0",
        "liveness: timers are choices here, and a run in which nobody is ever elected is always possible",
    ),
    NotModelled(
        "KAFKA-19078",
        "A controller joins the voters by itself, and removes the entry of its lost disk first",
        "KAFKA-19078",
        "since 4.2",
        "a client of AddVoter and RemoveVoter, which quorum-reconfiguration allows at any time",
    ),
    NotModelled(
        "KAFKA-20865",
        "A controller that is a voter is unregistered",
        "KAFKA-20865",
        "not released",
        "registrations of controllers decide which features may be upgraded, and no model has those",
    ),
)
