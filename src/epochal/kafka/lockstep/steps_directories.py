"""Log directories: a replica moves to another one, is assigned to one, or loses the one that it is in.

The future log of each broker, and whether the controller takes it for the replica, are compared in every run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from epochal.spec.kraft.options.future_log import FutureLogs
from epochal.spec.kraft.state import KraftState

from .family import Asking, Family, Said, shown_log, yes

NO_FUTURE_LOG = "none"


MAPPED: Mapping[str, Asking] = {
    "assign_directory": "controller:directory:{broker}:2",
    "replace_directory": "replace:{broker}",
    "alter_log_directory": "move:{broker}",
    "copy_to_future_log": "copy:{broker}",
    "assign_future_log": "assign:{broker}",
    "promote_future_log": "promote:{broker}",
}
"""A round of the thread that copies also puts the future log in its place, once the controller has accepted it."""

COMPARED = frozenset({"assigned", "future", "moved"})
"""Variables of these steps that are compared, or say that a step was taken."""


def model_leaves(state: KraftState) -> dict[str, str]:
    """What is compared of the model."""
    leaves = dict[str, str]()
    for one in state.brokers:
        if not state.is_running(one):
            continue
        moving = state.future if isinstance(state, FutureLogs) and state.future.replica == one else None
        log = None if moving is None else [(record.id, record.epoch) for record in moving.log]
        leaves |= _leaves(str(one), log, moving is not None and moving.assigned)
    return leaves


def kafka_leaves(said: Said, names: Sequence[str]) -> dict[str, str]:
    """The same of what the harness says."""
    leaves = dict[str, str]()
    for name, broker in zip(names, said["brokers"], strict=True):
        if broker is not None:
            leaves |= _leaves(name, broker["future"], broker["assigned"])
    return leaves


def _leaves(name: str, log: Sequence[Sequence[int]] | None, assigned: bool) -> dict[str, str]:
    records = NO_FUTURE_LOG if log is None else shown_log((id, epoch) for id, epoch in log)
    return {f"{name} future log": records, f"{name} future log is the replica's": yes(assigned)}


FAMILIES = (Family(KraftState, MAPPED, COMPARED, shared_in_model=model_leaves, shared_in_kafka=kafka_leaves),)
"""What is mapped here, for every model."""
