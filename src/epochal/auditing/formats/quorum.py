"""`kafka-metadata-quorum describe`, with `--replication` or `--status`: who votes, and how far behind they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..said import Place, Said, is_number, refuse

BEGINS = re.compile(r"^[\t ]*(?:NodeId[\t ].{0,200}LogEndOffset[\t ].{0,200}Lag\s|CurrentVoters:\s)", re.MULTILINE)
"""A line that only this output has."""

NODE, END, LAG, STATUS = "NodeId", "LogEndOffset", "Lag", "Status"
BEGUN = re.compile(r"[0-9]{1,10}(?=[\t ]|$)")
"""How the row of a node begins: a time, which other programs put before their lines, does not."""

OFFSET = re.compile(r"-?[0-9]{1,19}")
FAR_BEHIND = 1000
"""A voter that is so many records of metadata behind does not keep up."""

CLUSTER = "ClusterId:"
STATES = ("Leader", "Follower", "Observer")
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

    @property
    def is_behind(self) -> bool:
        """Whether the quorum cannot count on it."""
        return not self.heard or (self.lag is not None and self.lag > FAR_BEHIND)

    @property
    def state(self) -> Said:
        """How far behind it is, as it is said."""
        told = "unknown" if self.lag is None else f"{self.lag:,} records behind"
        return Said(told if self.heard else "not heard of by the leader", self.place)


def read_quorum(lines: Iterable[str], file: str) -> list[Voter]:
    """The voters of an output. Raises EvidenceError for a row that is cut off."""
    found: list[Voter] = []
    header: list[str] = []
    for number, raw in enumerate(lines, start=1):
        line, place = raw.strip(), Place(file, number)
        if line.startswith("CurrentVoters:"):
            if line.count("[") > line.count("]"):
                raise refuse(place, "a list of voters without its end", STATUS_AGAIN)
            found += [Voter(int(node), place) for node in _voters(line.partition(":")[2])]
        elif line.startswith(NODE) and LAG in line:
            header = line.split()
        elif header and BEGUN.match(line):
            node, end, lag, status = (_cell(header, line, name) for name in (NODE, END, LAG, STATUS))
            if status not in STATES or not is_number(node) or not (OFFSET.fullmatch(end) and OFFSET.fullmatch(lag)):
                advice = "The file is cut off: ask again with 'kafka-metadata-quorum describe --replication'."
                raise refuse(place, "a replica of the quorum without its offset, lag and status", advice)
            if status != "Observer":
                found.append(Voter(int(node), place, int(lag), int(end) >= 0))
    return found


STATUS_AGAIN = "Its line is broken or cut off: ask again with 'kafka-metadata-quorum describe --status'."


def read_clusters(lines: Iterable[str], file: str) -> list[Said]:
    """The clusters that outputs with `--status` are of."""
    return [
        Said(line.partition(":")[2].strip(), Place(file, number))
        for number, line in enumerate((raw.strip() for raw in lines), start=1)
        if line.startswith(CLUSTER)
    ]


def _cell(header: Sequence[str], row: str, name: str) -> str:
    """A value of a row; "" if it is not there. Where blanks stand for tabs a time may be several words ("5 ms ago").

    So those before the times are counted from the left then, and the status behind them from the right.
    """
    if name not in header:
        return ""
    at = header.index(name)
    if "\t" in row:
        cells = [one.strip() for one in row.split("\t")]
        return cells[at] if at < len(cells) else ""
    cells = row.split()
    if len(cells) < len(header):
        return ""
    return cells[at - len(header)] if name == STATUS else cells[at]


def _voters(text: str) -> list[str]:
    """`[1,2,3]` before 3.9, `[{"id": 1, ...}, ...]` since."""
    return VOTER.findall(text) or re.findall(r"(?<![0-9])[0-9]{1,10}(?![0-9])", text)
