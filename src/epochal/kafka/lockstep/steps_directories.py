"""Log directories: a replica moves to another one, is assigned to one, or loses the one that it is in.

The future log of each broker, and whether the controller takes it for the replica, are compared in every run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from epochal.spec.kraft.options.future_log import FutureLogs, FutureLogStart
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

READING_AHEAD: Mapping[str, Asking] = {
    "copy_to_future_log": "copy:{broker} read_ahead:{broker}",
    "learn_log_start": "copy:{broker} read_ahead:{broker}",
    "assign_future_log": "assign_unheard:{broker}",
    "promote_future_log": "promote_with_what_was_read:{broker}",
}
"""The thread has read its next answer when a step ends, and goes on with that when the future log takes the place of
the current one. It hears no earlier that the controller has accepted it."""

COMPARED = frozenset({"assigned", "future", "moved"})
"""Variables of these steps that are compared, or say that a step was taken."""


def model_leaves(state: KraftState) -> dict[str, str]:
    """What is compared of the model."""
    leaves = dict[str, str]()
    for one in state.brokers:
        if not state.is_running(one):
            continue
        moving = state.future if isinstance(state, FutureLogs) and state.future.replica == one else None
        start = state.future_start if isinstance(state, FutureLogStart) and moving is not None else 0
        log = None if moving is None else [(record.id, record.epoch) for record in moving.log][start:]
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


def _starts_at(offset: int) -> dict[str, str]:
    return {"future log starts at": str(offset)}


FAMILIES = (
    Family(KraftState, MAPPED, COMPARED, shared_in_model=model_leaves, shared_in_kafka=kafka_leaves),
    Family(
        FutureLogStart,
        READING_AHEAD,
        frozenset({"future_start", "answer_start"}),
        told_by_model=lambda state, broker: _starts_at(state.future_start if state.future.replica == broker else 0),
        told_by_kafka=lambda said: _starts_at(said["futureStart"]),
    ),
)
"""What is mapped here, for every model. An answer is seen in what the future log is when it has taken the place."""
