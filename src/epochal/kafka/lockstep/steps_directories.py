"""Log directories: a replica moves to another one, is assigned to one, or loses the one that it is in.

The future log of each broker, and whether the controller takes it for the replica, are compared in every run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from epochal.spec.kraft.options.future_log import FutureLogs
from epochal.spec.kraft.state import KraftState

if TYPE_CHECKING:
    from .steps import Asking, Places, Request

NO_FUTURE_LOG = "none"


def _of_broker(word: str) -> Asking:
    def asked(_: KraftState, request: Request, places: Places) -> Sequence[str]:
        return (f"{word}:{places[request['broker']]}",)

    return asked


def _assign_directory(_: KraftState, request: Request, places: Places) -> Sequence[str]:
    return (f"controller:directory:{places[request['broker']]}:2",)


MAPPED: Mapping[str, Asking] = {
    "assign_directory": _assign_directory,
    "replace_directory": _of_broker("replace"),
    "alter_log_directory": _of_broker("move"),
    "copy_to_future_log": _of_broker("copy"),
    "assign_future_log": _of_broker("assign"),
    "promote_future_log": _of_broker("copy"),
}
"""A round of the thread that copies also puts the future log in its place, once the controller has accepted it."""

COMPARED = frozenset({"assigned", "future", "moved"})
"""Variables of these steps that are compared, or say that a step was taken."""


def model_leaves(state: KraftState) -> dict[str, str]:
    """What is compared of the model."""
    leaves = {}
    for one in state.brokers:
        if not state.is_running(one):
            continue
        moves = isinstance(state, FutureLogs) and state.future.replica == one
        log = [(record.id, record.epoch) for record in state.future.log] if moves else None
        leaves |= _leaves(str(one), log, moves and state.future.assigned)
    return leaves


def kafka_leaves(said: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    """The same of what the harness says."""
    leaves = {}
    for name, broker in zip(names, said["brokers"], strict=True):
        if broker is not None:
            leaves |= _leaves(name, broker["future"], broker["assigned"])
    return leaves


def _leaves(name: str, log: Sequence[Sequence[int]] | None, assigned: bool) -> dict[str, str]:
    records = NO_FUTURE_LOG if log is None else " ".join(f"r{id}@e{epoch}" for id, epoch in log) or "empty"
    return {f"{name} future log": records, f"{name} future log is the replica's": "yes" if assigned else "no"}
