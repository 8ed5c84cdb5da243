"""`epochal.audit`: what a cluster guarantees to each of its topics, from files that say how it is configured."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from epochal.errors import UsageError
from epochal.kafka.audit.audited import Audit, AuditReport, audit_cluster, read_cluster
from epochal.kafka.audit.decided import Decider, known_release
from epochal.kafka.audit.finding import changed
from epochal.kafka.audit.policy import LOCK, accept, missed, read_acceptances, read_policy, sorted_out
from epochal.kafka.guarantees.decided import GuaranteeOptions
from epochal.sentences import LONGEST
from epochal.spec.kraft.generations import VERSIONS, known_as
from epochal.spec.language.errors import advice

from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.search.result import Progress
    from epochal.kafka.audit.cluster import Cluster
    from epochal.report.documents import audit as documents
    from epochal.report.page import Page


@dataclass(frozen=True, repr=False)
class ClusterAudit(AuditReport, Result):
    """What an audit found, as `epochal audit` shows it."""

    def to_dict(self) -> documents.Audit:
        """The answer as plain data."""
        from epochal.report.audit import audit_document

        return audit_document(self)

    def to_sarif(self, folder: str | Path = ".") -> dict[str, object]:
        """The findings as SARIF 2.1.0, each at the line of a setting. Paths are taken from `folder`."""
        from epochal.report.audit_page import sarif_document

        return sarif_document(self, Path(folder))

    def to_html(self, runs: Mapping[str, str] | None = None) -> str:
        """The report as one page for the browser. `runs` are pages of runs, by the keys of `run_key`."""
        from epochal.report.audit_page import audit_page

        return audit_page(self, runs or {})

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.audit import render_audit

        render_audit(page, self, files)

    def write(self, folder: str | Path) -> list[str]:
        """Write the page, JSON, SARIF, and one run for each way in which a class of topics loses something."""
        from epochal.report.audit_page import write_audit

        return write_audit(self, Path(folder))


@question
def audit(
    *paths: str | Path,
    kafka: str | None = None,
    producers: Mapping[str, str] | None = None,
    policy: str | Path | None = None,
    what_if: str | Sequence[str] = (),
    diff: str | Path | None = None,
    accepting: str | Sequence[str] = (),
    reason: str | None = None,
    lock: str | Path = LOCK,
    searches: bool = True,
    budget: float | None = None,
    workers: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> ClusterAudit:
    """Say what a cluster guarantees to each of its topics: `audit("dump/", kafka="4.1.1")`.

    `paths` are files and folders with what Kafka's tools print and what its nodes are configured with; each file is
    recognised by its content. `kafka` is the release (None: as the files say), `producers` which files of producers are
    for which topics. Nothing is connected to.

    Every answer is decided by a search, of the release as it was shipped and as it was designed. The usual ones come
    with the package; without `searches` others stay open. `policy` is a file with what must be kept. `what_if` are
    changes to try, such as "topic:orders:min.insync.replicas=2"; `diff` are files of the cluster before. `accepting`
    accepts findings for a `reason`, in the file `lock`.

    Raises EvidenceError for a file that is damaged or of no known form, or a value that Kafka would refuse;
    PolicyError and AuditLockError for those files; UsageError without a path, or for a change of nothing that is there.
    """
    if not paths:
        raise UsageError("an audit needs files of a cluster", "Give the output of 'kafka-topics --describe', at least.")
    if what_if and diff is not None:
        raise UsageError("what would be, and what has changed, are two questions: ask one")
    _known(kafka)
    begun = time.monotonic()
    options = GuaranteeOptions(budget, workers, begun=begun, searches=searches)
    decider = Decider((), options, tell, progress)
    pairs: Sequence[tuple[str, str]] = tuple(producers) if producers else ()  # type: ignore[arg-type]  # as file_pairs gives
    requirements = () if policy is None else read_policy(Path(policy))
    given = [Path(one) for one in paths]
    cluster = read_cluster(given, pairs)
    before: Audit | None = None
    if what_if:
        before = audit_cluster(cluster, Decider((), options, tell, progress), kafka or "")
        cluster, said = changed(cluster, tuple(what_if))
        _known(said)
        kafka = said or kafka
    elif diff is not None:
        before = _of_before(read_cluster([Path(diff)]), Decider((), options, tell, progress), kafka)
    found = audit_cluster(cluster, decider, kafka or "")
    every = [*(missed(found.audited, requirements, str(policy)) if requirements else ()), *found.findings]
    given_lock = Path(lock)
    acceptances = accept(given_lock, every, accepting, reason or "") if accepting else read_acceptances(given_lock)
    left, accepted = sorted_out(every, acceptances)
    return ClusterAudit(
        found,
        tuple(left),
        tuple(accepted),
        before,
        tuple(what_if) if what_if else (f"after {diff}",) if diff is not None else (),
        str(lock),
        time.monotonic() - begun,
        decider.stopped,
    )


def _known(kafka: str | None) -> None:
    """Refuse a release that somebody names and nobody knows. One that the files tell of is a finding."""
    if kafka and not known_release(known_as(kafka)):
        raise UsageError(
            f"no release of Kafka is known as {kafka[:LONGEST]!r}", advice(kafka, list(VERSIONS), "releases")
        )


def _of_before(cluster: Cluster, decider: Decider, kafka: str | None) -> Audit:
    """The cluster as it was: its own files say its release, or what is given for both."""
    return audit_cluster(cluster, decider, "" if cluster.releases else kafka or "")
