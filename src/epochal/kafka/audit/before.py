"""What was before a change: the same files at a commit, or in another folder; and which findings the change adds."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from epochal.checker.gate.base import commit
from epochal.errors import UsageError
from epochal.sentences import Given

from .assembled import assembled
from .audited import Audit, name_of
from .cluster import Cluster
from .decided import ORDER
from .dump import read_dump
from .finding import SEVERITIES, Finding
from .rules_loss import places_of

OPTION = "against"
ELSEWHERE = "Name a folder with the files as they were."


def cluster_before(
    paths: Sequence[Path], against: str, plans: Sequence[Path], producers: Sequence[tuple[str, str]] = ()
) -> Cluster:
    """The cluster as it was: as the files of a folder say it, or the same files at a commit.

    At a commit, a plan of Terraform is no file: it tells itself what was there before (`plans`). There may be no topic.
    Raises EvidenceError for files that are damaged, and UsageError if there is neither such a folder nor such a commit.
    """
    if Path(against).exists():
        return assembled(read_dump([Path(against)]), name_of([Path(against)]), _known(producers, [Path(against)]), True)
    found = commit(Path.cwd(), against, OPTION, ELSEWHERE)
    inside = _inside(paths, found.root, against)
    with tempfile.TemporaryDirectory(prefix="epochal-audit-") as made:
        folder = Path(made)
        found.unpack(folder, inside)
        there = [folder / one for one in inside if (folder / one).exists()]
        dump = read_dump(there, plans) if there or plans else read_dump([folder])
        return assembled(dump, name_of(paths), (), True)


def _known(producers: Sequence[tuple[str, str]], paths: Sequence[Path]) -> Sequence[tuple[str, str]]:
    """Which of the files of producers are there as well: others were added since."""
    names = {file.name for path in paths for file in ([path] if path.is_file() else path.rglob("*"))}
    return [one for one in producers if Path(one[1]).name in names]


def _inside(paths: Sequence[Path], root: Path, against: str) -> list[str]:
    """The paths relative to the root of the repository. Raises UsageError for one that is outside."""
    found = []
    top = root.resolve()
    for path in paths:
        whole = path.resolve()
        if not whole.is_relative_to(top):
            raise UsageError((Given(OPTION, against), f": {path} is not in the repository {root}."), ELSEWHERE)
        found.append(whole.relative_to(top).as_posix())
    return found


ALWAYS_TOLD = "release-unknown"
"""While nobody says which release runs nothing is decided: no change is without such a loss."""


def added(
    findings: Sequence[Finding], before: Audit | None, policy: Sequence[Finding]
) -> tuple[list[Finding], list[Finding]]:
    """The findings that a change adds, and those that were there before.

    A finding about a topic was there before if the same rule had found something about it that broke under the same
    faults at least, and as badly. `policy` are findings of a policy that were there as well.
    """
    old = {key: one for one in (*(() if before is None else before.findings), *policy) for key in one.keys}
    new: list[Finding] = []
    known: list[Finding] = []
    for finding in findings:
        fresh = [
            subject
            for subject, key in zip(finding.subjects, finding.keys, strict=True)
            if key not in old or _adds(finding, old[key])
        ]
        rest = [subject for subject in finding.subjects if subject not in fresh]
        if fresh or not finding.subjects:
            new.append(finding.about(fresh) if rest else finding)
        if rest:
            known.append(finding.about(rest) if fresh else finding)
    return new, known


def about_them_alone(new: Sequence[Finding], found: Audit, decide: Callable[[Cluster], Audit]) -> list[Finding]:
    """The same findings, with the places and fixes of the topics that they are left about.

    `decide` audits a cluster with these topics alone; what it finds beside, since others are missing, is left out.
    """
    topics = {subject for one in new for subject in one.subjects} & found.audited.cluster.topics.keys()
    if len(topics) == len(found.audited.cluster.topics):
        return list(new)
    few = {name: topic for name, topic in found.audited.cluster.topics.items() if name in topics}
    alone = {
        tuple(one.keys): one for one in decide(replace(found.audited.cluster, topics=few)).findings if one.subjects
    }
    return [_placed(alone.get(tuple(one.keys), one), found) for one in new]


def _placed(finding: Finding, found: Audit) -> Finding:
    """A finding with those of its places that are about its own topics, if there are any."""
    own = set(places_of([one for one in found.audited.topics if one.topic.name in finding.subjects]))
    some = tuple(place for place in finding.places if place in own)
    return replace(finding, places=some) if some else finding


def _adds(finding: Finding, before: Finding) -> bool:
    if finding.rule == ALWAYS_TOLD or SEVERITIES.index(finding.severity) < SEVERITIES.index(before.severity):
        return True
    if not finding.broken:
        return finding.title != before.title and finding.severity != "note"
    return not set(finding.broken) <= set(before.broken) or _worst(finding) < _worst(before)


def _worst(finding: Finding) -> int:
    """How bad the worst is that a finding's runs show: the least is the worst."""
    return min((ORDER.index(answered.worst.word) for _, answered in finding.runs), default=len(ORDER))
