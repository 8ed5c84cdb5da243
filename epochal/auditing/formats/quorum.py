"""`kafka-metadata-quorum describe`, with `--replication` or `--status`: who votes, and how far behind they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..said import Place, refuse

BEGINS = re.compile(r"^NodeId\s+(?:DirectoryId\s+)?LogEndOffset\s+Lag\s|^CurrentVoters:\s", re.MULTILINE)
"""A line that only this output has."""

ROW = re.compile(r"^([0-9]{1,10})\s+(?:\S+\s+)?(-?[0-9]{1,19})\s+(-?[0-9]{1,19})\s+.*\s(Leader|Follower|Observer)\s*$")
VOTER = re.compile(r'"id":\s*([0-9]{1,10})(?![0-9])')


@dataclass(frozen=True)
class Voter:
    """A controller that votes. `lag` is how many records it is behind the leader; None if nobody tells.

    `heard` says whether the leader has heard of it since it was elected: of one that is down it tells offset -1.
    """

    node: int
    place: Place
    lag: int | None = None
    heard: bool = True


def read_quorum(lines: Iterable[str], file: str) -> list[Voter]:
    """The voters of an output. Raises EvidenceError for a row that is cut off."""
    found: list[Voter] = []
    in_table = False
    for number, line in enumerate(lines, start=1):
        place = Place(file, number)
        if line.startswith("CurrentVoters:"):
            found += [Voter(int(node), place) for node in _voters(line.partition(":")[2])]
        elif line.startswith("NodeId"):
            in_table = True
        elif in_table and line[:1].isdigit():
            row = ROW.match(line)
            if row is None:
                advice = "The file is cut off: ask again with 'kafka-metadata-quorum describe --replication'."
                raise refuse(place, "a replica of the quorum without its status", advice)
            if row[4] != "Observer":
                found.append(Voter(int(row[1]), place, int(row[3]), int(row[2]) >= 0))
    return found


def _voters(text: str) -> list[str]:
    """`[1,2,3]` before 3.9, `[{"id": 1, ...}, ...]` since."""
    return VOTER.findall(text) or re.findall(r"(?<![0-9])[0-9]{1,10}(?![0-9])", text)
