"""Whether there is one run for each partition that explains all that is told of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from epochal.checker.search.budget import BudgetExceeded, Deadline
from epochal.spec.kraft.configuration import ConfigurableKraft

from ...evidence.broker_events import BrokerEvent, OfPartition
from ...evidence.metadata_log import MetadataLog
from ...evidence.place import Named
from ..collected import Collected
from ..controller_model import MOST_BROKERS
from ..meter import SILENT, Meter
from ..rules import Rules
from .blocked import Blocked, blamed
from .decided import Decided, decided
from .evidence import PartitionEvidence, evidence_of
from .model import WIDEST, Leeway, Step, from_the_mildest
from .search import Found, RunSearch

MOST_MOMENTS, MOMENTS_A_LINE = 6_000, 30
"""How long a run is looked for, at least, and for each line and each decision: runs that were found took some two."""

MOST_OF_A_PART, A_LINE_OF_A_PART = 1_500, 6
"""The same where lines are missing: then there may be none, and nothing follows from not finding one."""

MILD_MOMENTS, MILD_A_LINE = 300, 3
"""The same of a run in which nothing happens but what has to: where none is found soon, any other will do."""

MOMENTS_OF_ALL, MOMENTS_OF_PARTS = 30_000, 6_000
"""The same of all partitions together, besides those that every line and decision may take; and where lines of the next
one are missing."""


@dataclass(frozen=True)
class PartitionRun:
    """What was found of a partition: how many decisions and lines there are, and how many the run explains.

    `steps` is the run, or the nearest, and `decided` how many decisions were taken before each step; `stopped` is what
    stands where it does not go on. `given_up` says why not finding a run says nothing.
    """

    partition: str
    evidence: PartitionEvidence
    explained: int
    steps: tuple[Step, ...]
    moments: int
    given_up: str = ""
    stopped: tuple[Blocked, ...] = ()
    decided: tuple[int, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the run explains everything."""
        return not self.stopped and not self.given_up

    @property
    def is_refused(self) -> bool:
        """Whether no run explains everything."""
        return bool(self.stopped) and not self.given_up


@dataclass
class RunsVerdict:
    """The runs that were looked for, and the partitions that were left out, by reason; `cut` is a budget that was spent
    on the way.
    """

    runs: list[PartitionRun] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    cut: str = ""

    @property
    def detours(self) -> int:
        """How many moments were looked at besides those that every line and decision may take."""
        return sum(max(0, run.moments - _a_line(run.evidence) * run.evidence.events) for run in self.runs)

    @property
    def refused(self) -> list[PartitionRun]:
        """Those that no run explains."""
        return [one for one in self.runs if one.is_refused]

    @property
    def whole(self) -> list[PartitionRun]:
        """Those that a run explains."""
        return [one for one in self.runs if one.is_whole]

    @property
    def undecided(self) -> list[PartitionRun]:
        """Those where the search gave up."""
        return [one for one in self.runs if one.given_up]


def judge_runs(
    kind: type[ConfigurableKraft],
    evidence: Collected,
    log: MetadataLog,
    rules: Rules,
    without: Iterable[str] = (),
    meter: Meter = SILENT,
    patience: Deadline | None = None,
) -> RunsVerdict:
    """Look for a run of each partition of which brokers tell, in the order of their use. Those in `without` are refused
    already.

    Once a budget of `patience` is spent, the others are left out.
    """
    verdict = RunsVerdict()
    wanted = _told_of(evidence)
    found = sorted(decided(log, rules, wanted.keys()), key=lambda one: _use_of(one, evidence, wanted))
    made = Counter(one.name for one in found)
    refused = frozenset(without)
    verdict.left_out["its beginning is not in the metadata log here"] = len(wanted) - len(made)
    for one in found:
        if one.name in refused:
            verdict.left_out["something of it is refused already"] += 1
        elif verdict.cut:
            verdict.left_out[verdict.cut] += 1
        elif made[one.name] > 1:
            verdict.left_out["its topic was made anew under the same name"] += 1
        elif one.unknown:
            verdict.left_out[f"not here is what was set before the metadata log begins: {', '.join(one.unknown)}"] += 1
        elif len(one.brokers) > MOST_BROKERS:
            verdict.left_out[f"it has to do with more than {MOST_BROKERS} brokers"] += 1
        else:
            partition = evidence_of(one, evidence.logs, evidence.replicas, evidence.histories)
            most = MOMENTS_OF_PARTS if partition.missing else MOMENTS_OF_ALL
            if verdict.detours >= most:
                lines = "lines of it are missing, and " if partition.missing else ""
                verdict.left_out[f"{lines}{most:,} moments were looked at for others"] += 1
                continue
            try:
                with (patience or Deadline()).watching("looking for a run of each partition"):
                    verdict.runs.append(run_of(kind, partition, meter))
            except BudgetExceeded as spent:
                verdict.cut = str(spent)
                verdict.left_out[verdict.cut] += 1
    verdict.left_out = +verdict.left_out
    return verdict


def run_of(kind: type[ConfigurableKraft], evidence: PartitionEvidence, meter: Meter = SILENT) -> PartitionRun:
    """Look for the run of a partition: the mildest of those that explain it, if that is soon found.

    Where lines are missing, or one may be, finding none is no refusal.
    """
    if evidence.without_roles:
        return _undecided(evidence, f"not here: {evidence.without_roles}")
    moments = 0
    for leeway in from_the_mildest(evidence.lives.values(), evidence.any_acks):
        found = RunSearch(kind, evidence, leeway=leeway).found(_most(evidence, leeway), meter)
        moments += found.moments
        if found.whole:
            break
    stopped: tuple[Blocked, ...] = ()
    given_up = found.given_up
    if not found.whole and evidence.missing:
        given_up = f"{given_up or 'no run explains all that is here'}; not here: {evidence.missing}"
    elif not found.whole and not given_up:
        stopped, given_up = _stopped(kind, evidence, found, meter)
    return PartitionRun(
        evidence.decided.name,
        evidence,
        found.furthest.explained,
        found.steps,
        moments,
        given_up,
        stopped,
        found.decided,
    )


def _stopped(
    kind: type[ConfigurableKraft], evidence: PartitionEvidence, found: Found, meter: Meter
) -> tuple[tuple[Blocked, ...], str]:
    """Where no run goes on; and why that says nothing, if lines may be missing with which there may be a run.

    Each such line is put in, in its turn: if the rest contradicts it, that is no excuse. A disk that has less than its
    broker had may be older than the logs.
    """
    first = stopped = blamed(kind, evidence, found, meter)
    put_in: set[tuple[int, BrokerEvent]] = set()
    while (line := stopped[0].missing) is not None and line not in put_in:
        put_in.add(line)
        evidence = evidence.with_line(*line)
        found = RunSearch(kind, evidence).found(_most(evidence, WIDEST), meter)
        if found.whole or found.given_up:
            return first, f"{first[0].place}: a line may be missing before it: {first[0].expected}"
        stopped = blamed(kind, evidence, found, meter)
    return stopped, stopped[0].lacks


def _a_line(evidence: PartitionEvidence) -> int:
    """How many moments each line and decision may take."""
    return A_LINE_OF_A_PART if evidence.missing else MOMENTS_A_LINE


def _most(evidence: PartitionEvidence, leeway: Leeway) -> int:
    """How many moments a run with this leeway is looked for."""
    if leeway != WIDEST:
        return max(MILD_MOMENTS, MILD_A_LINE * evidence.events)
    return max(MOST_OF_A_PART if evidence.missing else MOST_MOMENTS, _a_line(evidence) * evidence.events)


def _undecided(evidence: PartitionEvidence, why: str) -> PartitionRun:
    """A partition for which no run is looked for."""
    return PartitionRun(evidence.decided.name, evidence, 0, (), 0, why)


def _use_of(one: Decided, evidence: Collected, lines: Counter[Named]) -> tuple[bool, bool, int]:
    """What is looked at first: partitions of which clients tell, Kafka's own topics last, and of each where most is
    told."""
    clients = any(line.event.named == one.named for history in evidence.histories for line in history.lines)
    return one.name.startswith("__"), not clients, -lines[one.named] - len(one.decisions)


def _told_of(evidence: Collected) -> Counter[Named]:
    """The partitions of which brokers tell, each with the number of lines."""
    return Counter(
        event.named
        for log in evidence.logs
        for event in (one.event for one in log.events)
        if isinstance(event, OfPartition)
    )
