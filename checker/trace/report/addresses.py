"""Where tickets and proposals of Kafka are on the web.

A proposal's page has its title in its address, and is renamed now and then. Here are those to which Kafka's own
documentation links, and those for which several other projects give the same address; for all others a link leads to
the wiki's search.
"""

from __future__ import annotations

from typing import Final

REFERENCE: Final = r"\b(?:KAFKA|KIP)-\d+\b"

_TICKET: Final = "https://issues.apache.org/jira/browse/{}"
_WIKI: Final = "https://cwiki.apache.org/confluence/display/KAFKA/{}{}"
_SEARCH: Final = "https://cwiki.apache.org/confluence/dosearchsite.action?queryString={}"

_TITLES: Final = {
    # of Kafka's documentation and its site
    "KIP-98": "+-+Exactly+Once+Delivery+and+Transactional+Messaging",
    "KIP-101": "+-+Alter+Replication+Protocol+to+use+Leader+Epoch+rather+than+High+Watermark+for+Truncation",
    "KIP-107": "%3A+Add+purgeDataBefore()+API+in+AdminClient",
    "KIP-207": "%3A+Offsets+returned+by+ListOffsetsResponse+should+be+monotonically+increasing+even+during+a+partition"
    "+leader+change",
    "KIP-227": "%3A+Introduce+Incremental+FetchRequests+to+Increase+Partition+Scalability",
    "KIP-279": "%3A+Fix+log+divergence+between+leader+and+follower+after+fast+leader+fail+over",
    "KIP-455": "%3A+Create+an+Administrative+API+for+Replica+Reassignment",
    "KIP-595": "%3A+A+Raft+Protocol+for+the+Metadata+Quorum",
    "KIP-848": "%3A+The+Next+Generation+of+the+Consumer+Rebalance+Protocol",
    "KIP-858": "%3A+Handle+JBOD+broker+disk+failure+in+KRaft",
    "KIP-890": "%3A+Transactions+Server-Side+Defense",
    "KIP-903": "%3A+Replicas+with+stale+broker+epoch+should+not+be+allowed+to+join+the+ISR",
    # of several other projects, among them clients, operators and TLA+ specifications
    "KIP-320": "%3A+Allow+fetchers+to+detect+and+handle+log+truncation",
    "KIP-380": "%3A+Detect+outdated+control+requests+and+bounced+brokers+using+broker+generation",
    "KIP-497": "%3A+Add+inter-broker+API+to+alter+ISR",
    "KIP-630": "%3A+Kafka+Raft+Snapshot",
    "KIP-853": "%3A+KRaft+Controller+Membership+Changes",
    "KIP-966": "%3A+Eligible+Leader+Replicas",
    "KIP-996": "%3A+Pre-Vote",
}


def address(name: str) -> str:
    """Where a ticket or a proposal is, such as KAFKA-18991 or KIP-320."""
    if name.startswith("KAFKA"):
        return _TICKET.format(name)
    return _WIKI.format(name, _TITLES[name]) if name in _TITLES else _SEARCH.format(name)
