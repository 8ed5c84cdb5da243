"""Steps of which nobody tells: records that are appended and copied, refusals, and processes that end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from epochal.evidence.broker_events import FetcherAdded, RoleKept, RoleTaken, Truncated

from .ahead import Ahead, Bounds, Term
from .leeway import WIDEST, Leeway
from .lives import Life, Start
from .model import RunModel
from .moment import Moment, Reached, Step
from .window import Window


class HiddenSteps:
    """The hidden steps from a state, those first that the next lines need.

    Whether a step can happen is for the model to say.
    """

    def __init__(
        self,
        brokers: tuple[int, ...],
        ahead: Ahead,
        lives: tuple[tuple[Life, ...], ...],
        window: Window,
        leeway: Leeway = WIDEST,
    ) -> None:
        self.brokers, self.ahead, self.lives, self.window, self.leeway = brokers, ahead, lives, window, leeway
        self.records = window.stretches - ahead.base

    def needed(self, model: RunModel, moment: Moment, state: Any) -> Iterator[Step]:
        """Records that have to be copied, or appended, before the next lines can be told."""
        for leader, follower in pairs(model, state):
            wanted = self._at_most(model, moment, state, follower).hw
            known, now = state.brokers[model.ids[follower]].hw, state.brokers[model.ids[leader]].hw
            if wanted is not None and known < wanted == now:  # a later answer would have a later one
                yield Step("fetch", (follower, leader))
        needs = self._needs(model, moment, state)
        for leader, follower in pairs(model, state):
            if state.end(model.ids[follower]) < needs[follower]:
                yield from self._copy(model, moment, state, leader, follower)
        for leader, him in enumerate(model.ids):
            if state.presumes_leadership(him) and state.end(him) < needs[leader]:
                yield from self._append(model, moment, state, leader)

    def tells(self, model: RunModel, state: Any) -> Iterator[Step]:
        """Fetches that copy nothing: the leader learns how far the follower is, and the follower the high watermark."""
        for leader, follower in pairs(model, state):
            mine, his = model.ids[follower], model.ids[leader]
            if state.end(mine) == state.end(his) and not state.diverges(mine, his):
                yield Step("fetch", (follower, leader))

    def copies(self, model: RunModel, moment: Moment, state: Any, kept: bool = True) -> Iterator[Step]:
        """Records that followers copy although nothing needs them yet: those that a log keeps, or those that it loses
        when its process ends."""
        if not kept and not self.leeway.may_lose(moment.losses):
            return
        for leader, follower in pairs(model, state):
            if self.ahead.is_kept(follower, moment.brokers[follower], state.end(model.ids[follower])) == kept:
                yield from self._copy(model, moment, state, leader, follower)

    def appends(self, model: RunModel, moment: Moment, state: Any, kept: bool = True) -> Iterator[Step]:
        """The same of records that leaders append."""
        if not kept and not self.leeway.may_lose(moment.losses):
            return
        for leader, him in enumerate(model.ids):
            here = moment.brokers[leader]
            if state.presumes_leadership(him) and self.ahead.is_kept(leader, here, state.end(him)) == kept:
                yield from self._append(model, moment, state, leader)

    def refusals(self, model: RunModel, moment: Moment, state: Any) -> Iterator[Step]:
        """The controller refuses a request."""
        if state.request.leader is not None:
            for arguments in model.of("handle_alter_partition"):
                after = model.step(moment.codes, "handle_alter_partition", *arguments)
                if after is not None and not model.has_appended(moment.codes, after):
                    yield Step("handle_alter_partition", arguments)

    def silent(self, model: RunModel, moment: Moment, state: Any) -> Iterator[Step]:
        """What a broker does without a word: it replays that it has no replica; without a log of its own, anything."""
        for place, one in enumerate(model.ids):
            if not state.is_running(one):
                continue
            says_nothing = self.says_nothing(place, moment.brokers[place])
            behind = state.brokers[one].behind
            for records in range(1, behind + 1):
                if says_nothing or one not in state.replicas[behind - records]:
                    yield Step("replay_metadata", (place, records))
            if says_nothing:
                yield Step("receive_answer", (place,))
                yield from (Step("propose_shrink", arguments) for arguments in model.of("propose_shrink", place))
                yield from (Step("fetch", (place, other)) for other in range(len(model.ids)) if other != place)

    def endings(self, model: RunModel, moment: Moment, state: Any) -> Iterator[tuple[tuple[Step, ...], int, Reached]]:
        """How processes end that have said all that they say, and whose brokers come back: the steps, which broker, and
        how far its evidence is then."""
        for place, one in enumerate(model.ids):
            reached, lives = moment.brokers[place], self.lives[place]
            if not state.is_running(one) or moment.decisions >= self.window.comes_back_until[place]:
                continue
            if not lives or self.ahead.has_said_all(place, reached):
                yield from self._says_no_more(model, moment, state, place)
            if lives and self._may_be_the_next(lives[reached.life], reached):
                # a process that died before it told anything, and lost nothing of a log: what is told is of the next
                untold = Reached(reached.life, (0,) * len(reached.places))
                yield (Step("crash", (place, state.end(one))),), place, untold

    def _says_no_more(
        self, model: RunModel, moment: Moment, state: Any, place: int
    ) -> Iterator[tuple[tuple[Step, ...], int, Reached]]:
        """How a process ends that has said all that it says."""
        lives, reached = self.lives[place], moment.brokers[place]
        following = lives[reached.life + 1] if lives and reached.life + 1 < len(lives) else None
        if following is None or following.disk is not None:
            for steps in self._ends(model, moment, state, place, Start()):
                yield steps, place, reached
        elif following.start is not None and following.start.process is not None:
            after = Reached(reached.life + 1, (0,) * len(following.lanes))
            for steps in self._ends(model, moment, state, place, following.start):
                yield steps, place, after

    def says_nothing(self, place: int, reached: Reached) -> bool:
        """Whether a broker does things here of which the evidence does not tell."""
        lives = self.lives[place]
        return not lives or (lives[reached.life].start is None and not any(reached.places))

    def _may_be_the_next(self, life: Life, reached: Reached) -> bool:
        """Whether the lines that are told of a life may be of another process than the one that runs: they are true of
        what a process finds when it begins."""
        told = [one.event for at, lane in zip(reached.places, life.lanes, strict=True) for one in lane[:at]]
        roles = sum(isinstance(event, RoleTaken | RoleKept) for event in told)
        return any(life.lanes) and roles <= 1 and all(_needs_no_step(event) for event in told)

    def _at_most(self, model: RunModel, moment: Moment, state: Any, place: int) -> Bounds:
        return self.ahead.at_most(place, moment.brokers[place], term_of(self.brokers, model, state, place))

    # -- details --------------------------------------------------------------------------------------------------

    def _needs(self, model: RunModel, moment: Moment, state: Any) -> list[int]:
        """How far each log has to be for the next lines: a high watermark needs the logs of the whole ISR."""
        own = [self.ahead.needs(place, reached) for place, reached in enumerate(moment.brokers)]
        needs = [end for end, _ in own]
        for leader, him in enumerate(model.ids):
            if state.presumes_leadership(him):
                followers = [place for place, one in enumerate(model.ids) if one != him and state.follows(one, him)]
                high = max(own[place][1] for place in (leader, *followers))
                for place in followers:
                    if model.ids[place] in state.view(him).isr:
                        needs[place] = max(needs[place], high)
                needs[leader] = max(needs[leader], high, *(needs[place] for place in followers))
        return needs

    def _copy(self, model: RunModel, moment: Moment, state: Any, leader: int, follower: int) -> Iterator[Step]:
        mine, his = model.ids[follower], model.ids[leader]
        end, limit = state.end(mine), self._at_most(model, moment, state, follower).end
        if end < state.end(his) and (limit is None or end < limit) and not state.diverges(mine, his):
            yield Step("fetch", (follower, leader))

    def _append(self, model: RunModel, moment: Moment, state: Any, leader: int) -> Iterator[Step]:
        limit = self._at_most(model, moment, state, leader).end
        end = state.end(model.ids[leader])
        if end >= (self.records if limit is None else limit):
            return
        if end < self.window.room:
            yield Step("produce", (leader,))
        else:
            self.window.is_full = True

    def _ends(
        self, model: RunModel, moment: Moment, state: Any, place: int, start: Start
    ) -> Iterator[tuple[Step, ...]]:
        """A shutdown, or a crash with what is left of the log and of the high watermark at the next start."""
        broker = state.brokers[model.ids[place]]
        end, clean = len(broker.log), None if start.process is None else start.process.clean
        on_disk = None if start.kept is None else self.ahead.place(start.kept)
        hw_there = None if start.stored is None else self.ahead.place(start.stored)
        if clean is not False and on_disk in (None, end) and hw_there in (None, broker.hw):
            yield from ((Step("shut_down", arguments),) for arguments in model.of("shut_down", place))
        if clean is True:
            return
        for left in range(end, -1, -1) if on_disk is None else (on_disk,):
            if left < end and not self.leeway.may_lose(moment.losses):
                break
            crash, hw = Step("crash", (place, left)), min(broker.hw, left)
            if hw_there in (None, hw):
                yield (crash,)
            if self.leeway.forgets:
                older = range(hw - 1, -1, -1) if hw_there is None else (hw_there,) if hw_there < hw else ()
                yield from ((crash, Step("find_older_high_watermark", (place, one))) for one in older)


def _needs_no_step(event: object) -> bool:
    """Whether a line may be true without anything that its process did."""
    if isinstance(event, Truncated):
        return event.leader_end is None
    return isinstance(event, RoleTaken | RoleKept | FetcherAdded)


def losses_of(model: RunModel, state: Any, steps: tuple[Step, ...]) -> int:
    """How many of these steps lose the end of a log."""
    crashes = (cast("tuple[int, int]", step.arguments) for step in steps if step.action == "crash")
    return sum(left < state.end(model.ids[place]) for place, left in crashes)


def pairs(model: RunModel, state: Any) -> Iterator[tuple[int, int]]:
    """Who leads, for all he knows, and who fetches from him."""
    for leader, him in enumerate(model.ids):
        if state.presumes_leadership(him):
            for follower, one in enumerate(model.ids):
                if one != him and state.follows(one, him):
                    yield leader, follower


def term_of(brokers: tuple[int, ...], model: RunModel, state: Any, place: int) -> Term | None:
    """The leader that a broker acts on; None if it does not run, or knows of none."""
    one = model.ids[place]
    if not state.is_running(one):
        return None
    view = state.view(one)
    return None if view.leader is None else Term(brokers[model.place(view.leader)], view.leader_epoch)
