"""Lines for the harness of the metadata quorum: the runs of the findings Q12 and Q13, which no model has.

Tests put them to Kafka's classes. Two are kept with their answers, and pages have readers put those to Kafka again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

UNKNOWN_ADDRESS: Final = (
    *("begin:3:1:1", "elect:3:3,2", *("ask:2:3:FETCH",) * 3, "remove_voter:3:3", "ask:2:3:FETCH"),
    *("restart:2", "ask:2:3:FETCH", "state"),
)
"""v3 leads and removes itself. v2 has the record, which is not committed; it restarts, and fetches."""

OBSERVER: Final = (
    *("begin:4:1:1", "elect:3:3,1,2", "begin_quorum_epoch:3:4", *("ask:1:3:FETCH", "ask:2:3:FETCH") * 2),
    *("remove_voter:3:4", *("ask:1:3:FETCH", "ask:2:3:FETCH") * 2, *("ask:4:3:FETCH",) * 3, "remove_voter:3:3"),
    *("ask:4:3:FETCH", "restart:4", "ask:4:3:FETCH", "state"),
)
"""The same of v4, which is no voter: v3 has removed it before."""

LEADS_ON: Final = (
    *("begin:3:1:1", "elect:3:3,2", *("ask:2:3:FETCH",) * 3, "begin_quorum_epoch:3:1", *("ask:1:3:FETCH",) * 2),
    *("remove_voter:3:3", "learn:3:1"),  # the leader waits for longer than the request may take
    *(*("ask:2:3:FETCH", "ask:1:3:FETCH") * 3, "restart:2", "ask:2:3:FETCH", "state"),
)
"""v3 has removed itself, which is committed after the request has timed out; then v2 restarts, and fetches."""

ADDED_AND_GONE: Final = (
    *("begin:3:1:1", "elect:1:1,2", "begin_quorum_epoch:1:3", *("ask:2:1:FETCH", "ask:3:1:FETCH") * 2),
    *("remove_voter:1:3", *("ask:2:1:FETCH",) * 2, *("ask:3:1:FETCH",) * 2, "add_voter:1:3", "ask:2:1:FETCH"),
)
"""v1 leads and adds v3 again. v2 has the record, v3 has not, and v1 is gone: nothing is asked of it any more."""

NOBODY_LEADS: Final = ("timeout:3", "timeout:2")
"""The timers of v3 and v2 expire: v3 stays a follower, for it takes itself for an observer."""

FOURTH: Final = (
    *("begin:4:1:1", "elect:1:1,2,3", "begin_quorum_epoch:1:4"),
    *("ask:2:1:FETCH", "ask:3:1:FETCH", "ask:4:1:FETCH") * 2,
    *("remove_voter:1:4", *("ask:2:1:FETCH", "ask:3:1:FETCH") * 2, *("ask:4:1:FETCH",) * 2),
    *("add_voter:1:4", "ask:2:1:FETCH", "ask:3:1:FETCH", "timeout:4", "timeout:3", "timeout:2"),
)
"""The same with a fourth voter, v4, beside three; v2 and v3 know of it."""

KEPT: Final[Mapping[str, tuple[str, ...]]] = {
    "Q12": UNKNOWN_ADDRESS,
    "Q13": (*ADDED_AND_GONE, *NOBODY_LEADS, "ask:2:3:VOTE", "ask:2:3:VOTE", "state"),
}
"""By finding: what is kept with the answers of `KEPT_OF`."""

KEPT_OF: Final = "4.4.0"


def kept_file(finding: str) -> Path:
    """Where the lines of a finding are, with their answers."""
    return Path(__file__).resolve().parent / "kept" / f"{finding.lower()}-{KEPT_OF}.steps"
