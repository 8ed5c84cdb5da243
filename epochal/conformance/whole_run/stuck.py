"""Brokers that can never be where their next line says they are: found early, so that nobody looks on from there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .ahead import Bounds
from .model import Codes, RunModel


def is_stuck(model: RunModel, state: Any, place: int, said: Bounds, least: Bounds) -> bool:
    """Whether a broker can no longer come to the log end and the high watermark that it says next, or has to have.

    It does not truncate before. A leader only goes up. A follower fetches from the leader that it follows now, and from
    nobody else: of another one it would say that first. Where that one has gone on to a later epoch it fetches nothing
    more. It takes over the high watermark of that one, up to its own end, also one that is lower than its own; so where
    that is higher than what it says, and its log is as long, the next answer takes it past that. So does one where its
    log has all that it says and that one's has more. And where the two logs diverge it would truncate first.
    """
    mine = model.ids[place]
    broker = state.brokers[mine]
    (end, hw), log_end, known = said, len(broker.log), broker.hw
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


def asks_in_vain(model: RunModel, codes: Codes, state: Any, place: int, limits: Sequence[Bounds]) -> bool:
    """Whether a follower has all of its log, and by asking for its high watermark takes it, or its leader's, past what
    these say: the leader learns by that fetch how far the follower is."""
    mine, (end, hw) = model.ids[place], limits[place]
    if end is None or hw is None or not state.is_running(mine):
        return False
    broker, leader = state.brokers[mine], state.view(mine).leader
    if leader is None or leader == mine or len(broker.log) != end or broker.hw >= hw:
        return False
    if not (state.presumes_leadership(leader) and state.follows(mine, leader)):
        return False
    of = model.place(leader)
    after = model.step(codes, "fetch", place, of)
    if after is None:
        return False
    most = limits[of].hw
    return model.hw(after, place) > hw or (most is not None and model.hw(after, of) > most)
