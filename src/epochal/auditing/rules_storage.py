"""Storage that a restart empties: what it costs topics, and the quorum."""

from __future__ import annotations

from collections.abc import Iterator

from epochal.checker.host.numbers import counted

from .asked import Audited
from .finding import Finding, Fix
from .fixes import PERSISTENT
from .said import Said
from .storage import forgetful_controllers, loses_logs

ONE, TWO = "clean", "two-clean"
"""The faults that disks would survive."""


def ephemeral(audited: Audited) -> Iterator[Finding]:
    """Errors: brokers that come back without their logs, and controllers without their vote."""
    groups: dict[Said, list[str]] = {}
    for one in audited.topics:
        said = loses_logs(audited.cluster, one.topic)
        if said is not None:
            groups.setdefault(said, []).append(one.topic.name)
    for said, names in groups.items():
        yield Finding(
            "ephemeral",
            "error",
            tuple(names),
            f"the storage of brokers is ephemeral ({said.place}): who restarts or crashes comes back without its log",
            (
                "RESTARTS and CRASHES are therefore decided as crashes that lose data.",
                *_runs(audited, names),
                "If all brokers restart at once, nothing is left.",
            ),
            (said.place,),
            Fix((PERSISTENT,)),
            broken=(ONE, TWO),
        )
    for name, said in forgetful_controllers(audited.cluster):
        yield Finding(
            "ephemeral",
            "error",
            (name,),
            f"the storage of controllers is ephemeral ({said.place}): who restarts has lost its vote and its log",
            (
                "It may vote twice in an epoch, so that two lead, and lacks metadata that a majority has committed: "
                "epochal check quorum-lost-disk shows it.",
            ),
            (said.place,),
            Fix((PERSISTENT,)),
            broken=("quorum",),
        )


def _runs(audited: Audited, names: list[str]) -> Iterator[str]:
    """The shortest run that loses something after one restart or crash, and after two."""
    kinds = {kind for one in audited.topics if one.topic.name in names for kind in one.kinds}
    for fault, called in ((ONE, "one restart or crash"), (TWO, "two of them")):
        lost = [one.worst for one in (audited.decider.under(kind, fault) for kind in kinds) if one.worst.is_lost]
        if lost:
            states = min(one.length or 0 for one in lost)
            yield f"Lost by {called}: {counted(states, 'state')}."
