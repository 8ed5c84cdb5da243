"""Whether there is one run for each partition that explains all that is told of it; and where there is none, why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from epochal.checker.search.budget import BudgetExceeded, Deadline
from epochal.spec.kraft.configuration import ConfigurableKraft

from ...evidence.broker_log import (
    BrokerEvent,
    FetcherAdded,
    HighWatermarkMoved,
    IsrShrinks,
    IsrUpdated,
    OfPartition,
    RoleKept,
    RoleTaken,
    Truncated,
)
from ...evidence.disks import DiskLog
from ...evidence.metadata_log import MetadataLog
from ...evidence.place import Named, Place
from ..brokers import told
from ..collected import Collected
from ..controller import MOST_BROKERS, RuleSet
from ..image import LOST_DIRECTORY, SHUTTING_DOWN, leader_of
from ..meter import SILENT, Meter
from .evidence import ChangedTo, DecidedPartition, Life, LifeStart, OfBroker, PartitionEvidence, decided, evidence_of
from .model import WIDEST, Juncture, Leeway, Step, from_the_mildest
from .moves import pairs
from .search import FoundRun, RunSearch

# -- blocked ----------------------------------------------------------------------------------------------------------
# Where no run goes on: what stands next in each part of the evidence, and what the nearest run has instead.


@dataclass(frozen=True)
class Blocked:
    """A place in the evidence that the nearest run does not reach: what stands there, and what that run has.

    `of` is a broker, None for the controller. `said` is the line; None for a decision, or the log that a process began
    with, or that lies on its disk. Without a difference it waits for another place. `missing` is a line that should
    stand before this place, and in which life of the broker; `is_behind` says of a disk that it has less than its
    broker had by then.
    """

    place: Place
    of: int | None
    found: str
    expected: str
    said: BrokerEvent | None = None
    missing: tuple[int, BrokerEvent] | None = None
    is_behind: bool = False

    @property
    def lacks(self) -> str:
        """Why nothing follows from this place, if it is a disk that may be older than what is told; else empty."""
        if not self.is_behind:
            return ""
        return f"{self.place}: it may be copied earlier than the logs, or cut off: {self.found}, not {self.expected}"

    @property
    def differs(self) -> bool:
        """Whether the run has something else there, and does not only wait."""
        return not self.expected.startswith(WAITS)


WAITS = "waits"

OF_A_REPLICA = {SHUTTING_DOWN: "is allowed to shut down", LOST_DIRECTORY: "loses the log directory of its replica"}
"""What happens to a broker, as it is told of one replica."""


def blocked(search: RunSearch, furthest: Juncture) -> list[Blocked]:
    """What stands next in each part, those first that differ from the nearest run."""
    found = [*_missing(search, furthest), *_of_brokers(search, furthest), *_of_controller(search, furthest)]
    return sorted(found, key=lambda one: (one.missing is None, not one.differs))


def _of_controller(search: RunSearch, moment: Juncture) -> Iterator[Blocked]:
    decisions = search.decisions.all
    if moment.decisions == len(decisions):
        return
    here = decisions[moment.decisions]
    if isinstance(here, OfBroker):
        found = f"broker {here.broker} {OF_A_REPLICA.get(here.says, here.says)}"
        why = "its process has not ended in the nearest run, because of what its broker says next"
        yield Blocked(here.record.place, None, found, f"{WAITS}: {why}")
    elif isinstance(here, ChangedTo):
        said = told(here.found.leader, here.found.leader_epoch, {"isr": here.found.isr}, here.found.partition_epoch)
        yield Blocked(here.record.place, None, said, f"{WAITS}: no step of the nearest run leads there")


def _missing(search: RunSearch, moment: Juncture) -> Iterator[Blocked]:
    """Followers whose logs diverge from their leader's, and who say nothing of a truncation next."""
    model = search.model_at(moment)
    state = model.read(moment.codes)
    for leader, follower in pairs(model, state):
        mine, his = model.ids[follower], model.ids[leader]
        lives, reached = search.lives[follower], moment.brokers[follower]
        if not lives or not state.diverges(mine, his):
            continue
        lanes = lives[reached.life].lanes
        heads = [lane[at] for at, lane in zip(reached.places, lanes, strict=True) if at < len(lane)]
        if not any(isinstance(head.event, Truncated) for head in heads):
            place = heads[0].place if heads else lives[reached.life].place or Place("its log")
            offset = search.offset(moment, state.truncation_offset(mine, his))
            end = search.offset(moment, state.end(mine))
            event = Truncated(
                *search.evidence.decided.named, search.brokers[leader], offset, True, None, leader_end=offset
            )
            yield Blocked(
                place,
                search.brokers[follower],
                "no truncation is told",
                f"a truncation to {offset}: the log ends at {end} and diverges from that of broker "
                f"{search.brokers[leader]}",
                missing=(reached.life, BrokerEvent(place, search.brokers[follower], event)),
            )


def _of_brokers(search: RunSearch, moment: Juncture) -> Iterator[Blocked]:
    model = search.model_at(moment)
    state = model.read(moment.codes)
    for place, lives in enumerate(search.lives):
        if not lives:
            continue
        reached, broker = moment.brokers[place], search.brokers[place]
        for at, lane in zip(reached.places, lives[reached.life].lanes, strict=True):
            if at < len(lane):
                expected = _expected(search, moment, state, place, lane[at].event)
                yield Blocked(lane[at].place, broker, _found(lane[at].event), expected, lane[at])
        following = reached.following(lives)
        if following is not None and search.ahead.has_said_all(place, reached):
            yield _at_start(search, moment, following, state.brokers[model.ids[place]], broker)


def contradicts(search: RunSearch, last: Juncture, life: Life, broker: int) -> Blocked:
    """What lies on a disk, and the log in the last moment of a run that explains all else."""
    model = search.model_at(last)
    return _at_start(
        search, last, life, model.read(last.codes).brokers[model.ids[search.brokers.index(broker)]], broker
    )


def is_behind(search: RunSearch, last: Juncture, disk: DiskLog, broker: int) -> bool:
    """Whether a disk has less than its broker had at the end of a run: by the last leader epoch, then by the end.

    So elections compare logs, and the log of a replica never goes back in this order but by what loses records.
    """
    model = search.model_at(last)
    log = model.read(last.codes).brokers[model.ids[search.brokers.index(broker)]].log
    end = search.offset(last, len(log))
    assert disk.end is not None  # it would be no life of the broker
    mine = disk.stretches[-1].leader_epoch if disk.stretches else -1
    theirs = log[len(log) - 1].epoch if len(log) else mine
    return (mine, disk.end) < (theirs, end)


def _at_start(search: RunSearch, moment: Juncture, life: Life, known: Any, broker: int) -> Blocked:
    """A log that a process begins with, or that lies on the disk, and the log of the nearest run."""
    end, hw = search.offset(moment, len(known.log)), search.offset(moment, known.hw)
    theirs = ", ".join(f"{search.offset(moment, at)} from epoch {one.epoch}" for at, one in enumerate(known.log))
    if life.disk is not None:
        mine = ", ".join(f"{one.first} from epoch {one.leader_epoch}" for one in life.disk.stretches)
        place = Place(life.disk.name)
        return Blocked(place, broker, f"log end {life.disk.end} ({mine})", f"log end {end} ({theirs})")
    start = life.start or LifeStart()
    clean = {True: "after a clean shutdown", False: "after a crash", None: "at a start"}
    how = clean[None if start.process is None else start.process.clean]
    found = f"{how}: log end {_or_unknown(start.kept)}, high watermark {_or_unknown(start.stored)}"
    return Blocked(life.place or Place("its log"), broker, found, f"log end {end}, high watermark {hw}")


def _or_unknown(said: int | None) -> str:
    return "unknown" if said is None else str(said)


def _found(event: object) -> str:
    """What a line says, in the words of the report."""
    if isinstance(event, RoleTaken | RoleKept):
        said = told(leader_of(event.leader), event.leader_epoch, {}, event.partition_epoch)
        said += f", log end {event.offset}" if isinstance(event, RoleTaken) else ""
        return said + ("" if event.high_watermark is None else f", high watermark {event.high_watermark}")
    if isinstance(event, IsrUpdated):
        return f"an answer to AlterPartition: {told(None, None, {'isr': event.isr}, event.partition_epoch)[11:]}"
    if isinstance(event, IsrShrinks):
        return f"a shrink with high watermark {event.high_watermark} and log end {event.end}"
    if isinstance(event, Truncated):
        return f"a truncation to {event.offset}"
    if isinstance(event, HighWatermarkMoved):
        return f"high watermark {event.high_watermark}"
    if isinstance(event, FetcherAdded):
        return f"fetches from {event.leader} in leader epoch {event.leader_epoch}"
    return type(event).__name__


def _expected(search: RunSearch, moment: Juncture, state: Any, place: int, event: object) -> str:
    """What the nearest run has where a line stands; or for what the line waits."""
    model = search.model_at(moment)
    mine = model.ids[place]
    if not state.is_running(mine):
        return f"{WAITS}: the broker does not run"
    broker = state.brokers[mine]
    end, hw = search.offset(moment, len(broker.log)), search.offset(moment, broker.hw)
    if isinstance(event, RoleTaken | RoleKept | IsrUpdated) and event.partition_epoch > moment.last_epoch:
        return f"{WAITS}: the controller has not decided that yet"
    if isinstance(event, RoleTaken) or (isinstance(event, RoleKept) and event.high_watermark is not None):
        if event.high_watermark == hw and (isinstance(event, RoleKept) or event.offset == end):
            return f"{WAITS}: what another broker says next does not go with it"
        return f"log end {end}, high watermark {hw}"
    if isinstance(event, IsrShrinks):
        return f"high watermark {hw} and log end {end}"
    if isinstance(event, Truncated):
        return f"log end {end}, and nothing there that the leader has not"
    if isinstance(event, HighWatermarkMoved):
        return f"high watermark {hw}"
    if isinstance(event, FetcherAdded):
        view = state.view(mine)
        leader = "nobody" if view.leader is None else str(search.brokers[model.place(view.leader)])
        return f"leader {leader} in leader epoch {view.leader_epoch}"
    return f"{WAITS}: no step of the nearest run leads there"


# -- blame ------------------------------------------------------------------------------------------------------------
# Which line it is that no run explains: the one without which the most of the rest is explained.

LEAST = 1_500
"""How many moments a run is looked for, at least, where disks are left out: with them it may end at once."""


def blamed(
    kind: type[ConfigurableKraft], evidence: PartitionEvidence, found: FoundRun, meter: Meter = SILENT
) -> tuple[Blocked, ...]:
    """Where no run goes on, the line first that is to blame.

    What lies on disks comes after all else: if there is a run without it, the first disk that it contradicts is to
    blame, unless it goes without those that may be copied earlier than the logs. Else each line at which the nearest
    run ends is left out in its turn.
    """
    bare, most = evidence.without_disks(), max(found.moments, LEAST)
    if bare == evidence:
        return _left_out_in_turn(kind, evidence, found, meter)
    without = RunSearch(kind, bare).found(most, meter)
    if not without.whole:
        return _left_out_in_turn(kind, bare, without, meter)
    disks = {broker: life for broker, lives in evidence.lives.items() for life in lives if life.disk is not None}
    behind = _behind(RunSearch(kind, bare), without, disks)
    if behind:
        rest = RunSearch(kind, evidence.without_disks(but_of=disks.keys() - behind.keys())).found(most, meter)
        if rest.whole:
            return tuple(behind.values())
    taken: list[int] = []
    for broker in disks:
        taken.append(broker)
        search = RunSearch(kind, evidence.without_disks(but_of=taken))
        one_more = search.found(found.moments, meter)
        if not one_more.whole:
            before = RunSearch(kind, evidence.without_disks(but_of=taken[:-1]))
            return contradicts(before, before.found(found.moments, meter).furthest, disks[broker], broker), *blocked(
                search, one_more.furthest
            )
    return tuple(blocked(RunSearch(kind, evidence), found.furthest))


def _behind(search: RunSearch, run: FoundRun, disks: Mapping[int, Life]) -> dict[int, Blocked]:
    """The disks that have less than their brokers had in a run without any: they may be copied earlier."""
    return {
        broker: replace(contradicts(search, run.furthest, life, broker), is_behind=True)
        for broker, life in disks.items()
        if life.disk is not None and is_behind(search, run.furthest, life.disk, broker)
    }


def _left_out_in_turn(
    kind: type[ConfigurableKraft], evidence: PartitionEvidence, found: FoundRun, meter: Meter
) -> tuple[Blocked, ...]:
    """The lines at which the nearest run ends, that first without which another run goes furthest.

    If none of them alone is to blame, it may be one that is missing.
    """
    heads = blocked(RunSearch(kind, evidence), found.furthest)
    best, most = 0, -1
    for number, head in enumerate(heads):
        if head.of is None or head.missing is not None:
            continue
        without = _without(kind, evidence, head).found(found.moments, meter)
        if without.furthest.explained > most:
            best, most = number, without.furthest.explained
        if without.whole:
            return heads[number], *heads[:number], *heads[number + 1 :]
    if heads[0].missing is not None:
        best = 0
    return heads[best], *heads[:best], *heads[best + 1 :]


def _without(kind: type[ConfigurableKraft], evidence: PartitionEvidence, head: Blocked) -> RunSearch:
    """The search for a run that leaves a line out; of a role it leaves out what it says of the log."""
    if head.said is None:
        return RunSearch(kind, evidence.without_start(head.place))
    if isinstance(head.said.event, RoleTaken | RoleKept):
        return RunSearch(kind, evidence, head.said)
    return RunSearch(kind, evidence.without(head.said))


# -- runs -------------------------------------------------------------------------------------------------------------
# Whether there is one run for each partition that explains all that is told of it.

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
    rules: RuleSet,
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
        return PartitionRun(evidence.decided.name, evidence, 0, (), 0, f"not here: {evidence.without_roles}")
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
    kind: type[ConfigurableKraft], evidence: PartitionEvidence, found: FoundRun, meter: Meter
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


def _use_of(one: DecidedPartition, evidence: Collected, lines: Counter[Named]) -> tuple[bool, bool, int]:
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
