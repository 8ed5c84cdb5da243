"""A run of a share group, played on Kafka's own classes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from epochal.checker.semantics.semantics import Codes
from epochal.checker.trace.trace import Step, Trace
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.share_groups.leader import ShareLeader
from epochal.spec.share_groups.state import ShareGroupState
from epochal.spec.share_groups.switches import ShareAddedPartition

from ..compared import LeafDifference, differences
from ..directed import Played, holds_at_the_end, step_left
from ..driven import DrivenRun, Harness, Threw
from ..family import Leaves
from .compared import SeenShareGroup, decode, kafka_leaves, model_leaves
from .models import FIRST_WITH_GROUP_COORDINATOR, released_model, version_of
from .steps import DONE, MAPPED, OF_GROUP_COORDINATOR, told_of_success, wanted_answers


def not_mapped(trace: Trace, version: str) -> str:
    """Why a run cannot be put to Kafka's share groups; "" if it can."""
    protocol = trace.protocol
    if not isinstance(protocol, ShareGroupState):
        return f"{protocol.name} is about no share group"
    if version_of(version) < (4, 0):
        return f"share groups: Kafka {version} has none"
    taken = {one.instance.action.name for one in trace.steps}
    if missing := sorted(taken - MAPPED.keys()):
        return f"{', '.join(missing)}: no step of the harness"
    if version_of(version) < FIRST_WITH_GROUP_COORDINATOR and (missing := sorted(taken & OF_GROUP_COORDINATOR)):
        return f"{', '.join(missing)}: Kafka {version} alters no offsets of share groups, and deletes none"
    if trace.loop is not None:
        return "a run that goes on for ever"
    return ""


class DrivenShareGroup(DrivenRun[ShareGroupState]):
    """A share group of Kafka, and the model beside it, from an initial state on.

    `readers` is the greatest epoch whose leader has heard a state of Kafka, and `served` whether Kafka has served one
    of an earlier epoch since.
    """

    def __init__(self, kafka: Harness, protocol: ShareGroupState, initial: Codes) -> None:
        super().__init__(kafka, protocol, initial)
        assert isinstance(protocol, ShareLeader)  # every protocol of share groups that is checked
        self.said = ""
        self.readers, self.served = 0, False
        reset = "latest" if protocol.begins_at_log_end else "earliest"
        grows = int(isinstance(protocol, ShareAddedPartition))
        self._ask(f"share|{protocol.bounds.deliveries}|{reset}|{grows}")

    def _ask(self, line: str) -> None:
        answer = json.loads(self.answer(line))
        self.seen = SeenShareGroup(answer["state"])
        self.said = answer["answers"][-1] if answer["answers"] else ""

    def take(self, step: Step) -> tuple[LeafDifference, ...]:
        """Take a step on both sides; where they differ after it."""
        before, action = self.state, step.instance.action.name
        arguments = dict(zip((one.name for one in step.instance.parameters), step.instance.arguments, strict=True))
        self.steps.append(step)
        self.codes = step.codes
        try:
            self._ask(MAPPED[action](before, arguments))
        except Threw as thrown:
            return (LeafDifference("exception", str(thrown), "none"),)
        self._note_reader(action, before, arguments)
        wanted = wanted_answers(action, before, arguments)
        told = told_of_success(action, before, arguments)
        answered = () if self.said in wanted else (LeafDifference("answer", self.said, " or ".join(sorted(wanted))),)
        heard = (
            ()
            if self.seen.told == told
            else (LeafDifference("members told of success", _records(self.seen.told), _records(told)),)
        )
        return (*answered, *heard, *self.differs())

    def _note_reader(self, action: str, before: Any, arguments: dict[str, Any]) -> None:
        if action == "make_anew":
            self.readers = 0
        elif self.said != DONE:
            return
        elif action == "hear_state":
            self.readers = max(self.readers, arguments["epoch"])
        elif action == "read_state":
            self.served = self.served or arguments["epoch"] < self.readers
        elif action == "take_write":
            self.served = self.served or before.writes[arguments["slot"]].leader_epoch < self.readers

    def differs(self) -> tuple[LeafDifference, ...]:
        """Where the states differ now."""
        return differences(self._leaves(), model_leaves(self.state))

    def _leaves(self) -> Leaves:
        state: Any = self.state
        return kafka_leaves(self.seen, list(state.partitions), list(state.writes))

    def decoded(self) -> ShareGroupState:
        """The model's state with what Kafka has.

        What was to be delivered, and what is over, is history, which the model keeps of the steps that both have taken.
        """
        state: Any = self.state
        decode(state, self.seen)
        state.readers, state.fenced_was_served = self.readers, self.served
        found: ShareGroupState = state
        return found


def _records(offsets: frozenset[int]) -> str:
    return " ".join(f"r{one}" for one in sorted(offsets)) or "none"


def play(kafka: Harness, trace: Trace, tell: Callable[[int, int], None] = lambda order, orders: None) -> Played:
    """Play a run. Nothing depends on an order of the replicas, so there is one order, which is not said."""
    protocol = trace.protocol
    assert isinstance(protocol, ShareGroupState)  # `not_mapped` refuses others
    tell(1, 1)
    driven = DrivenShareGroup(kafka, protocol, trace.initial)
    differs = driven.differs()
    before = None if differs else driven.decoded()
    for step in trace.steps:
        if differs:
            break
        before = driven.decoded()
        differs = driven.take(step)
    holds = None if differs or before is None else holds_at_the_end(trace, before, driven.decoded())
    lines, answers = tuple(driven.lines), tuple(driven.answers)
    return Played(trace, (), len(driven.steps), differs, "", holds, lines, answers, (driven.said,))


def left_by_model(trace: Trace, version: str, bug: KnownBug) -> int | None:
    """The step at which the model of a release leaves a run, or None if it takes all of it, to the same violation."""
    protocol = trace.protocol
    assert isinstance(protocol, ShareGroupState)  # a run that is played
    return step_left(trace, released_model(protocol, version, bug), model_leaves)
