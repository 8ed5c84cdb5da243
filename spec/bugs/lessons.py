"""What each known bug teaches: the rule that was missing, in a sentence or two that hold beyond this one bug.

They are by the number of a bug, which editions of it for other families share (`S9`, `S9 classic`), or, where it has no
number, by the protocol that has it. Nothing is said here that an entry, its rule or its tickets do not say.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_REPLICATION = {
    "S1": (
        "A high watermark that a follower has heard of is a lower bound, and late. Truncate to where the logs part, "
        "not to what was known to be committed."
    ),
    "S2": (
        "Two logs of the same length may hold different records. Only the epoch of each record tells that they do, so "
        "a follower must compare epochs before it goes on."
    ),
    "S3": (
        "An offset means nothing without its epoch: between two failovers the same offset may stand for another "
        "record. Answer with both, and go back until both agree."
    ),
    "S3b": (
        "Having no epoch as old as the one that the leader names is no agreement. Who shares nothing with the leader "
        "must not take its offset for a common point."
    ),
    "S4": (
        "A leader must know its epoch from the moment that it leads, not from its first record. What nobody can ask "
        "about yet is answered by a fallback, and fallbacks truncate."
    ),
    "S5": (
        "Every request must say in which epoch its sender believes itself to be, and be refused in another. Otherwise "
        "a follower crosses from epoch to epoch without having truncated."
    ),
    "S6": (
        "An acknowledgement is worth something only in the epoch in which it was given. A leader must not count a "
        "follower that may yet obey an older leader and truncate."
    ),
    "S7": (
        "Prove who you are by the epoch that you are in, not by the last record that you have: an empty log has no "
        "last record that could disagree."
    ),
    "S8": (
        "Questions need a fence as writes do. Where to truncate may be answered by the leader of the asker's own "
        "epoch alone."
    ),
    "S9": (
        "A new leader's high watermark is stale at first. Nobody may join the ISR by it, before having all that the "
        "leader had when its epoch began."
    ),
    "S10": (
        "An answer belongs to the epoch of its question. Look at that epoch again when the answer is used: the world "
        "may have moved while it was on its way."
    ),
    "S11": (
        "While a wider set is asked for, wait for all of it: the controller may have agreed before its answer comes."
    ),
    "S12": (
        "While a smaller set is asked for, wait for the old one: the controller may not have agreed, and may elect "
        "whom you no longer wait for."
    ),
    "S13": (
        "A request that was made of an older state must be refused (compare and set). Otherwise it undoes what was "
        "decided since."
    ),
    "S14": (
        "Who has been deposed must confirm nothing from memory. A decision is what is written where all controllers "
        "write, under a version that is compared."
    ),
    "S14b": (
        "A confirmation of what was never done stops the one who asks: it believes that nothing is left to ask for. "
        "Safety is not all that a stale answer breaks."
    ),
    "S15": (
        "News that is already known must change nothing. Only metadata that is strictly newer may take the place of "
        "what was proposed since."
    ),
    "S16": (
        "Who may not lead must not be in the set from which leaders are chosen. Check it where members are proposed, "
        "and again where they are accepted."
    ),
    "S17": (
        "A broker that restarted is another one, even under the same name. What was known of its log belongs to its "
        "incarnation, so a request must name that."
    ),
    "S17b": (
        "Take a decision and its evidence from the same moment. The fetch that shows a follower caught up must be the "
        "one whose broker epoch is sent."
    ),
    "S18": (
        "A new incarnation must first take the old one out of leadership and ISR. A leader may lose its log without "
        "any election."
    ),
    "S19": (
        "An absence that nobody noticed is an absence all the same. Membership needs a number that grows with each "
        "incarnation, not only a name that is there or not."
    ),
    "S20": (
        "The last member of the ISR is one copy. Keep beside the ISR who else has all that is committed, so that "
        "somebody may lead when that copy is lost."
    ),
    "S21": (
        "Who leaves a set that is too small may be trusted later only if nothing is committed meanwhile. Eligible "
        "replicas and the strict high watermark are one rule in two places."
    ),
    "S21b": (
        "Two parties that rely on one number must have the same number. Leader and controller may not disagree about "
        "min.insync.replicas."
    ),
    "S22": (
        "The last resort needs the checks of the ordinary way. A last known leader that is not alive is no leader."
    ),
    "S23": (
        "What is remembered of a replica ends with its term. Propose a member for what it has just shown, not for "
        "what was once true of it."
    ),
    "S24": (
        "acks=all waits for all that are in sync, however few they are. How many copies there are is said by "
        "min.insync.replicas."
    ),
    "S25": "acks=1 promises one copy, and a failover may choose another one. Nothing has to break for that.",
    "S26a": (
        "The order of two assignments can be visible. Truncate first and take over the high watermark afterwards, or "
        "a reader sees what was never committed between the two."
    ),
    "S27": "An unclean election trades committed records for availability. No rule after it can bring them back.",
    "S28": "After an unclean election logs agree again only if somebody compares them record by record: with epochs.",
    "S29": (
        "The longest log need not hold what was committed: a deposed leader may have appended much that nobody "
        "acknowledged. Compare the last epoch before the length."
    ),
    "S30": (
        "A new leader does not know yet how far its predecessor had told clients. Until its high watermark has "
        "reached its own epoch it must not name a latest offset."
    ),
    "S31": (
        "An answer that is lost looks like a request that is lost. Who sends again must number what it sends, and the "
        "receiver must remember the numbers."
    ),
    "S34": (
        "A fence that is looked at once, when a session opens, does not fence the session. Each request must pass it."
    ),
}

_ASYNCHRONY = {
    "S33a": (
        "A leader must doubt itself when nobody listens. Who hears of no majority for long must resign, because no "
        "message may ever reach it."
    ),
    "S33c": (
        "When a condition is made easier, look at it again at once. If only the next event looks, what is due waits "
        "for an event that may not come."
    ),
    "S33f": (
        "Asking again must be harmless. A request whose effect is there already is answered with success, whatever "
        "version it names."
    ),
    "S32": (
        "Copies on a majority do not commit a record of an earlier epoch (Figure 8 of the Raft paper). Only a record "
        "of the leader's own epoch does, and all before it with it."
    ),
    "KAFKA-18345": (
        "Competitors that wait equally long collide for ever. Who has lost must wait for a time of its own, by chance."
    ),
}

_FINDINGS = {
    "N1": (
        "A leader that cannot tell that it was deposed must assume it: each new epoch is a new term, and what was "
        "known of followers is from the term before."
    ),
    "N2": (
        "Eligible leader replicas survive fewer crashes than there are copies: whoever returns without a marker of a "
        "clean shutdown is not eligible, whether or not it lost anything."
    ),
    "N3": (
        "A refusal does not take back the copies of a request that are still on their way. Wait for what was asked "
        "until nothing can accept it any more."
    ),
    "H1": (
        "A setting that two parties rely on is part of the state, and must reach both with it. Clearing what depends "
        "on it does not help whoever acts on the old value afterwards."
    ),
    "H2": (
        "What is computed for one partition does not hold for all partitions of a topic. Two sides must compute a "
        "limit from the same replicas."
    ),
    "H3": (
        "A change of one field must leave all others as they are. A builder that is not told of a feature drops what "
        "belongs to it."
    ),
    "H4": (
        "A marker of a clean end proves something of the directory in which it lies. Of a directory that is not "
        "looked at it proves nothing."
    ),
    "H5": (
        "What is written later must not be able to come back as what was before. If a file may be older than memory, "
        "recovery must compare it with the log."
    ),
    "H6": (
        "A check and what it allows belong under one lock. What was true when the lock was given up must be looked at "
        "again."
    ),
    "H7": (
        'Who overrides a plan must make it anew, also where the new one is empty. "Set it if there is something" '
        "keeps half of the old plan."
    ),
    "H7b": (
        "An empty answer is an answer. Where the new request takes nobody away, what the old one took away must be "
        "cleared, or success is told of something else."
    ),
    "H8": (
        "Two values that must fit together have to be read in the order in which they cannot contradict each other: "
        "first the one that the other never falls below."
    ),
    "H8b": (
        "Wait for all who may lead next, not only for those who are alive now. A deletion is confirmed when nobody "
        "can bring the records back by leading."
    ),
    "H8c": (
        "Where there is nothing left to compare with, nothing has been compared. A replica may not join the ISR "
        "before its log begins where the leader's does."
    ),
    "H13": (
        "Of two copies take the one that is complete, not the one that lies in the expected place. A copy that was "
        "being made is behind the copy it was made of."
    ),
    "W4": (
        "Whoever stops being a replica must leave every list of those who may lead. Being taken out of one list must "
        "not be what puts it into another."
    ),
    "P1": "A snapshot must keep all that the answers depend on. With less of it a retry looks new.",
}

_QUORUM = {
    "Q1": (
        "A new leader must commit something of its own epoch before it changes the voters. Otherwise two leaders "
        "change the same set in two ways, and their majorities need not meet."
    ),
    "Q2": (
        "One change of the voters at a time: majorities of sets that differ by one meet, of sets that differ by two "
        "they need not."
    ),
    "Q3": (
        "A leader counts only if it is a voter. One that has removed itself may lead to the end of its term and is no "
        "member of the majority."
    ),
    "Q4": (
        "A change of the voters is in force as soon as it is in a log. Whether it is committed is known later, and "
        "forgotten by a restart."
    ),
    "Q5": (
        "Epochs order what was committed, not what merely stands in a log. A snapshot holds what is committed, so it "
        "wins over a later record that is not."
    ),
    "Q6": "A snapshot may hold only what is committed. Nobody can truncate it.",
    "Q7": (
        "Who cannot check a follower's last epoch any more must not take it at its word. Then it needs the snapshot."
    ),
    "Q8": "What is deleted must be in a snapshot first. Committed alone is not enough for who comes later.",
    "Q9": "Who truncates must also forget how far it had read. What stands there afterwards is new.",
    "Q10": "A snapshot takes the place of the log, so it has to say all that the log said: also who votes.",
    "quorum-vote-any-log": (
        "Vote only for somebody whose log is at least as good as your own: later in epoch, or equal and no shorter. "
        "So every leader holds what is committed."
    ),
    "quorum-vote-not-persisted": "A promise must outlive a restart. A vote is written to disk before it is sent.",
    "quorum-no-pre-vote": (
        "Ask whether you could win before you disturb who leads. A voter that was cut off must not raise the epoch by "
        "itself."
    ),
    "quorum-resigned-stays": (
        "Who has resigned is done with its epoch. It must go on to the next, or it finds in its own epoch a leader "
        "that it was itself."
    ),
    "quorum-lost-disk": (
        "A voter without its disk is another voter. Under the old name it votes and acknowledges twice, and no "
        "majority means anything."
    ),
    "quorum-uncommitted-replay": (
        "Act on what is committed, not on what has arrived. What a new leader cuts off must never have been seen."
    ),
}

_DELETION_AND_PRODUCERS = {
    "KAFKA-5634": (
        "Delete only what is committed. A log that begins beyond its high watermark is one that no follower can take "
        "over."
    ),
    "KAFKA-7104": (
        "An answer must be of one moment. Offsets that are read later than the records do not describe them."
    ),
    "KAFKA-7414": (
        "No message of a peer may stop a broker for good. One partition that cannot go on must not take the others "
        "along."
    ),
    "KAFKA-9491": (
        "When a log begins anew, everything that points into it begins anew as well: the high watermark, too."
    ),
    "KAFKA-12996": (
        "Which error comes first is part of the protocol: whether an offset is in the log is looked at before epochs "
        "are compared."
    ),
    "KAFKA-10432": 'Epoch 0 is an epoch. A number that means "none" must be none of those that mean something.',
    "KAFKA-10706": (
        "Truncation has to treat the end itself like all before it. An epoch that begins at the log end has no "
        "record, and its entry must go."
    ),
    "KAFKA-17142": (
        "What is written in the background is the state of when it is written, not of when it was decided. Otherwise "
        "the older copy may come last."
    ),
    "KAFKA-15665": "A plan is complete when all that shall stay are in sync, not only those that are new.",
    "KAFKA-15591": (
        "Who knows nothing of a sender cannot tell whether its number is the next one. A log that never held a record "
        "begins at zero."
    ),
    "KAFKA-6003": "A replica copies and does not judge. Who has accepted a record once has decided for all.",
    "KAFKA-7190": (
        "Forgetting somebody together with its records makes a stranger of a sender that has done nothing wrong."
    ),
    "KIP-98": (
        "Memory that was made from a log is cut back with the log. What is remembered of a record that is gone "
        "acknowledges what is nowhere."
    ),
    "KIP-98b": (
        "A decision is made when it is replicated. Before that a failover takes it back, and nobody decides again."
    ),
    "KIP-98c": (
        "Show what is decided only when the decision cannot be lost. What readers have seen must not become open again."
    ),
    "KIP-360": (
        "Keep what proves that something was done for as long as somebody may ask again. Records that are deleted "
        "sooner take the proof along."
    ),
    "KIP-854": (
        "Remember a sender longer than it tries. Two timeouts that have to be in an order should not be set by two "
        "people."
    ),
    "KAFKA-14402": (
        "Late work of a task that is over must be refused. Ask whether the task is still open before something is "
        "begun in its name."
    ),
    "KIP-890": (
        "Give each task an epoch of its own. Two transactions under one epoch cannot be told apart by what comes late."
    ),
    "KAFKA-19446": (
        "A decision must name what it decides. A second copy of it, that comes late, otherwise decides the next one."
    ),
    "KAFKA-13207": (
        "An effect must be checked where it takes place. Under a lock that was given up between, what was asked for "
        "may belong to nobody any more."
    ),
    "KAFKA-17375": (
        "What a leader has accepted its followers must take. A limit is checked once, where a record enters the log."
    ),
    "KAFKA-20634": (
        "An offset does not name a record. Who waits for a write must wait as the leader that wrote it, and stop "
        "waiting when it leads no longer."
    ),
    "KAFKA-20716": (
        "An unclean election loses decisions, too. What waits for a decision then waits for ever, unless somebody "
        "decides again."
    ),
}

_ZOOKEEPER = {
    "kip-320-m3": (
        "Followers count in the leader's epoch alone. One of another epoch may still truncate what it was counted for."
    ),
    "KAFKA-12686": (
        "An answer must remove the request that it belongs to, and no other. A place that is emptied early is taken by "
        "somebody else."
    ),
    "KAFKA-12751": (
        "Success without a change is success. Who waits until something is newer waits for ever where nothing had to "
        "change."
    ),
    "zookeeper-unfenced-controller": (
        "A controller that was replaced does not know it. Each of its writes must carry its epoch, and be refused "
        "where a newer one has written."
    ),
    "zookeeper-stale-confirmation": (
        "Who has been deposed must confirm nothing from memory. A decision is what is written where all controllers "
        "write, under a version that is compared."
    ),
    "zookeeper-lost-disk": (
        "Incarnations must be compared with what is written, not with what one controller remembers: the next "
        "controller never knew the one before."
    ),
}

LESSONS: Mapping[str, str] = MappingProxyType(
    {**_REPLICATION, **_ASYNCHRONY, **_FINDINGS, **_QUORUM, **_DELETION_AND_PRODUCERS, **_ZOOKEEPER}
)
"""By the number of a bug without its edition, or by the protocol that has it."""
