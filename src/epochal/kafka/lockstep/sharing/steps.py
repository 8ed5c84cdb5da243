"""How each step of `spec/share_groups` is put to Kafka, and what it must answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from epochal.spec.share_groups.state import Awaits, DeliveryState
from epochal.spec.share_groups.switches import ShareLeaderOutlivesGroup

Arguments = Mapping[str, Any]
Line = Callable[[Any, Arguments], str]

DONE = "NONE"
REFUSED = frozenset({"FENCED_LEADER_EPOCH", "FENCED_STATE_EPOCH"})


def _simply(word: str, *names: str) -> Line:
    return lambda state, arguments: ":".join((word, *(_shown(arguments[one]) for one in names)))


def _shown(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _alter_offsets(state: Any, arguments: Arguments) -> str:
    """A member joins again, unless whoever fetches is one that the group coordinator has expelled (SG8)."""
    joins = not isinstance(state, ShareLeaderOutlivesGroup)
    return f"alter:{state.log_start}:{int(joins)}"


MAPPED: Mapping[str, Line] = {
    "produce": _simply("produce"),
    "delete_records": _simply("delete_records", "start"),
    "elect": _simply("elect"),
    "elect_unclean": _simply("elect_unclean", "end"),
    "read_state": _simply("read", "epoch"),
    "hear_state": _simply("hear_state", "epoch"),
    "acquire": _simply("acquire", "member"),
    "acknowledge": _simply("acknowledge", "member", "epoch", "offset"),
    "release": _simply("release", "member", "epoch", "offset"),
    "time_out": _simply("time_out", "epoch", "offset"),
    "find_log_start": _simply("find_log_start"),
    "forget_partition": _simply("forget", "epoch"),
    "take_write": _simply("take_write", "slot"),
    "hear_success": _simply("hear_success", "slot"),
    "send_again": _simply("send_again", "slot"),
    "lose_write": _simply("lose_write", "slot"),
    "give_up": _simply("give_up", "slot", "expired"),
    "replicate": _simply("replicate"),
    "fail_over": _simply("fail_over", "pruned"),
    "alter_offsets": _alter_offsets,
    "make_anew": _simply("make_anew"),
}
"""The line of each step, from the state before it."""

OF_GROUP_COORDINATOR = frozenset({"alter_offsets", "make_anew"})
"""Steps that the group coordinator takes: since 4.1 it initializes the state of share partitions."""


def wanted_answers(action: str, before: Any, arguments: Arguments) -> frozenset[str]:
    """What Kafka may answer to a step."""
    if action == "take_write" and before.is_fenced(arguments["slot"]):
        return REFUSED
    return frozenset({DONE})


def told_of_success(action: str, before: Any, arguments: Arguments) -> frozenset[int]:
    """The records whose members hear in a step that their acknowledgement has succeeded."""
    if action != "hear_success":
        return frozenset()
    write = before.writes[arguments["slot"]]
    is_told = write.awaits == Awaits.TRANSITION and write.state == DeliveryState.ACKNOWLEDGED
    return frozenset({write.offset}) if is_told else frozenset()
