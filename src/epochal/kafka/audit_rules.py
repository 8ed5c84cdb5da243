"""The rules of audits: what each is called, and how serious it is."""

from __future__ import annotations

from collections.abc import Mapping

RULES: Mapping[str, str] = {
    "policy": "What the policy asks for is not so",
    "acked-lost": "Settings lose acknowledged records that others would keep",
    "one-copy": "A topic has one copy",
    "release-hole": "A hole of this release breaks what its design keeps",
    "design-hole": "The design of this release loses what a newer one keeps",
    "no-writes": "No write succeeds while one broker is down",
    "min-isr-differs": "Nodes have different values of a setting, and who leads decides which counts",
    "not-heeded": "A setting does nothing in this release",
    "min-isr-unknown": "No file says which min.insync.replicas is in force",
    "unclean-unknown": "No file says whether unclean election is on",
    "tiered-retention": "A new leader may delete from every tier what retention.bytes keeps",
    "tiered-lineage": "After an election that loses uploaded records, tiered storage may delete others",
    "tiered-metadata": "The metadata of tiered storage is acknowledged by one replica",
    "producer-ids": "A transactional producer may be refused for good when its producer id runs out",
    "min-isr-above-copies": "min.insync.replicas is more than there are replicas",
    "min-isr-of-brokers": "A value of a broker does not count while eligible leader replicas are on",
    "rack": "Losing a rack is several faults at once",
    "copies-differ": "Partitions of a topic have different numbers of replicas",
    "reassigning": "Replicas are being added that do not have everything yet",
    "contradiction": "Two files say different things of one setting",
    "internal-topics": "A topic that Kafka creates for itself has one copy, or will have",
    "auto-created": "Topics that nobody creates get one copy",
    "ephemeral": "A broker or controller comes back from a restart without what it had stored",
    "quorum": "The quorum of controllers stops with one of them",
    "quorum-behind": "A controller is behind",
    "now-offline": "A partition has no leader now",
    "now-below-min-isr": "No write with acks=all succeeds now",
    "now-under-replicated": "A replica is not in sync now",
    "elr-empty": "Fewer replicas are in sync, or eligible, than min.insync.replicas asks for",
    "elr-left-over": "Somebody is left in an ELR although eligible leader replicas are off",
    "last-known-leader": "The last known leader of a partition has no replica of it",
    "two-faults": "What one fault leaves is lost by two together",
    "known-bugs": "Known bugs of this release that no search of an audit reaches",
    "not-decided": "Something is not decided",
    "acks-unknown": "No file of a producer says what its writes wait for",
    "idempotence": "A producer that retries may write a record twice",
    "nodes-unknown": "No file says how a broker is configured, beside others of which one does",
    "not-read": "Something in a file decides nothing here",
    "elr-unknown": "No file says whether eligible leader replicas are on",
    "release-unknown": "No file says which release runs",
}
"""Every rule, with its title: of SARIF, and of the documentation."""

ERRORS = frozenset({"policy", "acked-lost", "one-copy", "ephemeral"})
NOTES = frozenset(
    {
        *("two-faults", "known-bugs", "acks-unknown", "unclean-unknown", "min-isr-unknown", "elr-unknown"),
        *("nodes-unknown", "not-read", "idempotence", "reassigning", "producer-ids", "min-isr-above-copies"),
    }
)
"""An error loses acknowledged records because of settings, a warning gives up something else or comes with the release,
and a note says what was assumed."""
