"""What the table does not say: faults that come together, and known bugs that its searches do not reach."""

from __future__ import annotations

from collections.abc import Iterator

from epochal.checker.host.numbers import counted
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.bugs.open_holes import rule_of

from .asked import Audited
from .decided import DEEPER, SHOWN
from .finding import Finding
from .topic_class import Classified, Kind

ONLY_WITH_ELR = "with ELR"
MOST_TOLD = 6
BY_SETTINGS = frozenset({"acks", "min_insync_replicas", "unclean_leader_election"})
"""What a topic is configured with: the table answers that."""


def two_faults(audited: Audited) -> Iterator[Finding]:
    """Notes: what is kept under each fault alone, and lost when two come together."""
    groups: dict[tuple[tuple[str, str], ...], dict[Kind, list[Classified]]] = {}
    for kind, topics in audited.classes.items():
        answers = {one.fault.id: one for one in audited.decider.all_of(kind)}
        alone = all(audited.decider.under(kind, fault).designed.word == "kept" for fault in SHOWN)
        lost = [answers[fault] for fault in DEEPER if fault in answers and answers[fault].designed.is_lost]
        if audited.decides and kind.copies > 1 and alone and lost:
            runs = ((one.fault.id, f"{one.fault.title}: {counted(one.designed.length or 0, 'state')}") for one in lost)
            groups.setdefault(tuple(runs), {})[kind] = topics
    for told, kinds in groups.items():
        among = {one.topic.name: one for topics in kinds.values() for one in topics}
        yield Finding(
            "two-faults",
            "note",
            tuple(among),
            "kept under each fault of the table, and lost when two come together",
            (f"Shortest runs: {'; '.join(run for _, run in told)}.", *audited.limits(kinds, list(among.values()))),
            broken=tuple(fault for fault, _ in told),
        )


def known_bugs(audited: Audited) -> Iterator[Finding]:
    """Notes: bugs of the release that no run here needs. They take more than is searched, or something else."""
    if not audited.decides:
        return
    answers = [one for kind in audited.classes for one in audited.decider.all_of(kind)]
    reached = {id for one in answers for id in (*one.shipped.behind, *one.designed.behind)}
    left = [bug for bug in BUGS if bug.id not in reached and _is_in(audited, bug)]
    left.sort(key=lambda bug: not bug.shown)
    if left:
        more = [f"And {len(left) - MOST_TOLD} more."] if len(left) > MOST_TOLD else []
        yield Finding(
            "known-bugs",
            "note",
            ("cluster",),
            f"{counted(len(left), 'known bug')} of {audited.release_shown} not reached by these searches: "
            "a promise above says nothing of them",
            (
                *(f"{bug.name}: {bug.title}{f'; {bug.shown}' if bug.shown else ''}." for bug in left[:MOST_TOLD]),
                *more,
                f"epochal catalogue {audited.releases[-1]} --list tells what each is.",
            ),
        )


def _is_in(audited: Audited, bug: KnownBug) -> bool:
    """Whether a release that runs has a bug, as the cluster is configured."""
    rule = rule_of(bug)
    if not BY_SETTINGS.isdisjoint(rule) or (audited.elr and rule.get("elr") is False):
        return False
    if not audited.elr and ONLY_WITH_ELR in bug.versions:
        return False
    return any(bug.was_in(release) for release in audited.releases)
