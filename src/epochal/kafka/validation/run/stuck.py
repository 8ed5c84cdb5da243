"""Brokers that can never be where their next line says they are: found early, so that nobody looks on from there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .ahead import Saying, Shrink
from .model import Codes, RunModel


def is_stuck(model: RunModel, state: Any, place: int, said: Saying) -> bool:
    """Whether a broker can no longer come to the log end and the high watermark that it says next, or has to have.

    It does not truncate before. A leader only goes up. A follower fetches from the leader that it follows now, and from
    nobody else: of another one it would say that first. Where that one has gone on to a later epoch it fetches nothing
    more. It takes over the high watermark of that one, up to its own end, also one that is lower than its own; so where
    that is higher than what it says, and its log is as long, the next answer takes it past that. So does one where its
    log has all that it says and that one's has more. And where the two logs diverge it would truncate first.
    """
    mine = model.ids[place]
    broker = state.brokers[mine]
    (end, hw), least, log_end, known = said.most, said.least, len(broker.log), broker.hw
    if end is not None and log_end > end:
        return True
    is_there = (end is None or log_end == end) and (hw is None or known == hw)
    has_least = (least.end is None or log_end >= least.end) and (least.hw is None or known >= least.hw)
    if (is_there and has_least) or not state.is_running(mine):
        return False
    view = state.view(mine)
    leader = view.leader
    if leader is None or leader == mine:
        return hw is not None and bool(known > hw)
    if state.is_running(leader) and state.view(leader).leader_epoch > view.leader_epoch:
        return True
    if not (state.presumes_leadership(leader) and state.follows(mine, leader)):
        return False
    if state.diverges(mine, leader):
        return True
    ahead = state.brokers[leader]
    if end is not None and log_end == end and len(ahead.log) > end:
        return True
    return hw is not None and bool(ahead.hw > hw and log_end >= hw)


def asks_for_another(model: RunModel, codes: Codes, state: Any, isr: frozenset[int] | None) -> bool:
    """Whether the controller takes next another ISR than the one, by places, that it decides on next; None if it may
    decide on something that nobody asks for.

    Only another decision before that would make it refuse the request that is on its way.
    """
    if isr is None or state.request.leader is None or model.places(state.request.isr) == isr:
        return False
    steps = (model.step(codes, "handle_alter_partition", *one) for one in model.of("handle_alter_partition"))
    return any(after is not None and model.has_appended(codes, after) for after in steps)


def is_past(model: RunModel, state: Any, leader: int, asked: Shrink, least: Sequence[int | None]) -> bool:
    """Whether a follower's log goes on past where its leader says next that it last fetched from.

    `least` is for each broker how far its log is at least from here on, None if that is not known. Of a follower that
    did not fetch since the leader became one, the line may name any end; but then the leader commits nothing more.
    """
    him = model.ids[leader]
    if not state.presumes_leadership(him):
        return False
    for place, told in asked.slow:
        one, known = model.ids[place], state.known_end(him, model.ids[place])
        from_here, log_end = least[place], state.end(one)
        if known == told or log_end <= told or from_here is None or from_here <= told:
            continue
        if known >= 0 or (asked.hw > state.brokers[him].hw and one in state.maximal_isr(him)):
            return True
    return False


def tells_too_much(model: RunModel, state: Any, said: Sequence[Saying], stays_large: Callable[[int], bool]) -> bool:
    """Whether followers have to fetch once more, and a high watermark goes by that past what its broker says.

    The next fetch of a follower is from where its log ends, and the last from before the end that it needs. By each its
    leader learns how far it is, and has then committed what all who are counted have. `said` is for each broker what it
    says next; `stays_large` whether the ISR of a leader epoch never has fewer members than `min.insync.replicas`.
    """
    return any(
        state.presumes_leadership(him) and _leader_hears_too_much(model, state, leader, said, stays_large)
        for leader, him in enumerate(model.ids)
    )


def _leader_hears_too_much(
    model: RunModel, state: Any, leader: int, said: Sequence[Saying], stays_large: Callable[[int], bool]
) -> bool:
    """The same for one leader."""
    him = model.ids[leader]
    if state.settings.strict_hw and not stays_large(int(state.view(him).leader_epoch)):
        return False
    counted = [place for place, one in enumerate(model.ids) if one in state.maximal_isr(him)]
    followers = [place for place, one in enumerate(model.ids) if one != him and state.follows(one, him)]
    end, now, last = int(state.end(him)), int(state.brokers[him].hw), said[leader].last
    known = {place: int(state.known_end(him, one)) for place, one in enumerate(model.ids)}
    everybody = len(counted) == len(state.replicas[0])  # else who joins may be behind, and nothing more be committed

    def committed(heard: dict[int, int]) -> int:
        least = min((heard[place] for place in counted), default=end)
        return max(now, least if everybody else min(least, now))

    def comes_with_the_last(place: int, needed: int, hw: int) -> bool:
        """Whether the answer that brings the last record brings this high watermark: it has the one from before."""
        before = _before_the_last(known[place], state.end(model.ids[place]), needed)
        return place not in counted or end < needed or max(before, now) >= hw

    def tells(place: int) -> int:
        """Up to where a follower has all, as its leader learns before the follower acts on another one."""
        log_end, hw = int(state.end(model.ids[place])), int(state.brokers[model.ids[place]].hw)
        most, least, *_ = said[place]
        needed = max((one for one in (most.end, least.end) if one is not None), default=log_end)
        lacks = [one for one in (most.hw,) if one not in (None, hw)]
        lacks += [one for one in (least.hw,) if one is not None and hw < one]
        if log_end >= needed:
            return log_end if lacks else known[place]
        return needed - all(comes_with_the_last(place, needed, one) for one in lacks if one is not None)

    if (
        last is not None
        and committed({**known, **{place: max(known[place], tells(place)) for place in followers}}) > last
    ):
        return True
    for place in followers:
        log_end, (needed, hw) = state.end(model.ids[place]), said[place].together
        if needed is None or hw is None or log_end >= needed or hw >= needed:
            continue
        before = _before_the_last(known[place], log_end, needed)
        with_the_last = comes_with_the_last(place, needed, hw) and committed({**known, place: before}) <= hw
        # By one fetch more, which copies nothing.
        one_less, all_of_it = committed({**known, place: needed - 1}), committed({**known, place: needed})
        by_one_more = end <= needed and one_less <= hw and (last is None or all_of_it <= last)
        if not (with_the_last or by_one_more):
            return True
    return False


def _before_the_last(known: int, log_end: int, needed: int) -> int:
    """What a leader knows of a follower before that one's fetch of the last record that it needs."""
    return known if log_end + 1 == needed else needed - 2
