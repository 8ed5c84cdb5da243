"""How Kafka's own classes and the specification compare, for people."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from epochal.checker.base.numbers import counted
from epochal.kafka.lockstep.controller_lines import KnownState, ThrownStep, places
from epochal.kafka.validation.controller import Outline
from epochal.kafka.validation.image import NOBODY

from .page import Page, Style

if TYPE_CHECKING:
    from epochal.kafka.lockstep.closure import ClosureFound, ControllerDifference
    from epochal.kafka.lockstep.judged import LockstepJudged

MOST_OUTCOMES = 4


def render_controller(page: Page, judged: LockstepJudged, headline: str, files: Sequence[str] = ()) -> None:
    """The verdict, what was asked, each kind of difference by its shortest, and what was not asked."""
    found = judged.found
    tone: Style = "bad" if found.differences else "warn" if judged.cut else "good"
    page.line(headline, tone)
    page.line(_settings(judged), indent=2)
    if judged.is_of_another_release:
        page.line(
            f"The specification follows the rules of Kafka {judged.model}, not those of {judged.kafka.version}.",
            "warn",
            indent=2,
        )
    page.title("Requests")
    differ = {name: sum(n for (one, _), n in found.differing.items() if one == name) for name in found.requests}
    page.table(
        [
            (name, f"{made:,}", f"{found.without_step[name]:,}", f"{differ[name]:,}")
            for name, made in sorted(found.requests.items())
        ],
        header=("REQUEST", "MADE", "NO CHANGE", "DIFFER"),
        right=(1, 2, 3),
    )
    page.line(f"{counted(found.executions, 'step')} of Kafka's classes, in every order of the replicas", indent=2)
    for key, one in sorted(found.shortest.items()):
        _difference(page, one, found.differing[key])
    page.title("Not asked")
    page.lines(judged.not_asked, indent=2)
    if found.differences:
        page.commands([again(judged)])
    page.written(files)


def again(judged: LockstepJudged) -> str:
    """The command that asks once more."""
    bounds, in_force = judged.bounds, judged.in_force
    words = ["epochal", "lockstep", "controller", *judged.kafka.told]
    if judged.is_of_another_release:
        words += ["--model", judged.model]
    words += ["--brokers", str(bounds.brokers), "--replication-factor", str(bounds.replicas)]
    words += ["--elr" if in_force.elr else "--no-elr"]
    words += ["--min-insync-replicas", str(max(in_force.min_insync_replicas, bounds.minimum))]
    words += ["--unclean-leader-election"] if in_force.unclean_leader_election else []
    words += ["--reassignments", str(bounds.reassignments)] if bounds.reassignments else []
    words += ["--directories"] if bounds.directories else []
    words += ["--shutdowns"] if bounds.shutdowns else []
    words += ["--setting-changes"] if bounds.settings else []
    words += ["--default-minimum"] if bounds.minimum_is_default else []
    words += ["--second-partition", str(bounds.second)] if bounds.second else []
    words += ["--quorum-controller"] if judged.quorum_controller else []
    return shlex.join(words)


def _settings(judged: LockstepJudged) -> str:
    bounds, in_force = judged.bounds, judged.in_force
    said = [
        counted(bounds.brokers, "broker"),
        counted(bounds.replicas, "replica"),
        f"min.insync.replicas {max(in_force.min_insync_replicas, bounds.minimum)}",
        "ELR on" if in_force.elr else "ELR off",
    ]
    said += ["unclean leader election"] if in_force.unclean_leader_election else []
    said += [f"at most {counted(bounds.reassignments, 'reassignment')} in a run"] if bounds.reassignments else []
    said += ["log directories fail"] if bounds.directories else []
    said += ["brokers wait until they may shut down"] if bounds.shutdowns else []
    minimum = "the default of min.insync.replicas" if bounds.minimum_is_default else "min.insync.replicas"
    said += [f"{minimum}{' and the ELR feature' if bounds.elr_changes else ''} may change"] if bounds.settings else []
    said += ["QuorumController with its event queue"] if judged.quorum_controller else []
    said += [f"another partition with {counted(bounds.second, 'replica')}"] if bounds.second else []
    return ", ".join(said)


def _difference(page: Page, one: ControllerDifference, requests: int) -> None:
    """The shortest run to a difference of its kind, with what each side does alone."""
    page.line()
    page.line(f"{one.request}: {one.kind} ({counted(requests, 'request')})", "bad")
    page.line(f"before  {told(one.before)}", indent=2)
    for line, state in one.kafka[:MOST_OUTCOMES]:
        page.line(f"Kafka   {told(state)}", indent=2)
        page.verbatim(f"by {line}", "faint", indent=10)
    if not one.kafka:
        page.line("Kafka   nothing that the specification has not", indent=2)
    for state in one.model[:MOST_OUTCOMES]:
        page.line(f"model   {told(state)}", indent=2)
    if not one.model:
        page.line("model   nothing that Kafka has not", indent=2)
    if one.run:
        page.line(f"The state before is reached in {counted(len(one.run), 'step')}:", "faint", indent=2)
        page.lines((f"{step.request}: {told(step.after)}" for step in one.run), indent=4)


def told(state: KnownState | ThrownStep) -> str:
    """`leader 0, ISR 0,1; active 0,1,2`, and how much the leader epoch has grown."""
    if isinstance(state, ThrownStep):
        return f"throws {state.said}"
    said = [_partition(state.partition)]
    said += [f"partition 1: {_partition(state.second)}"] if state.second is not None else []
    active = f"active {_brokers(places(state.active))}"
    active += f", directory offline of {_brokers(places(state.offline))}" if state.offline else ""
    active += f", waiting to shut down {_brokers(places(state.leaving))}" if state.leaving else ""
    active += f", waiting under another controller {_brokers(places(state.forgotten))}" if state.forgotten else ""
    said.append(active)
    if state.in_force is not None:
        said.append(f"min.insync.replicas {state.in_force.min_isr}, ELR {'on' if state.in_force.elr else 'off'}")
    return "; ".join(said)


def _partition(now: Outline) -> str:
    said = ["no leader" if now.leader == NOBODY else f"leader {now.leader}"]
    said[0] += f" e+{now.epoch}" if now.epoch else ""
    said.append(f"ISR {_brokers(places(now.isr))}")
    for name, some in (("ELR", now.elr), ("adding", now.adding), ("removing", now.removing)):
        said += [f"{name} {_brokers(places(some))}"] if some else []
    said += [f"last known leader {now.last_known_leader}"] if now.last_known_leader != NOBODY else []
    said += ["recovering"] if now.recovering else []
    said.append(f"replicas {_brokers(places(now.replicas))}")
    return ", ".join(said)


def _brokers(some: Iterable[int]) -> str:
    return ",".join(map(str, some)) or "nobody"


class LockstepTelling:
    """The progress of `epochal lockstep controller`."""

    def in_words(self, now: ClosureFound) -> str:
        """The progress on one line."""
        return (
            f"{now.states:,} states, {now.asked:,} requests, {now.waiting:,} states waiting, {now.differences:,} differ"
        )

    def document(self, now: ClosureFound) -> dict[str, Any]:
        """The progress as an object."""
        return {"states": now.states, "requests": now.asked, "waiting": now.waiting, "differ": now.differences}

    def far(self, now: ClosureFound) -> None:
        """Not said: nobody knows how many states there are."""
