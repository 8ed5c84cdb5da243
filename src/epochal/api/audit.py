"""`epochal.audit`: what a cluster guarantees to each of its topics, from files that say how it is configured."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from epochal.checker.base.files import write_atomically, writing
from epochal.checker.base.installed import TOOL, tool_version
from epochal.checker.base.numbers import counted
from epochal.checker.command_lines import bounds_as_options
from epochal.checker.documents import document
from epochal.checker.gate.reports import INFORMATION, SCHEMA
from epochal.checker.search.result import Progress
from epochal.checker.trace.output_folder import OutputFolder, report_beside, slug, trace_name
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.audit.assembled import no_topic
from epochal.kafka.audit.audited import (
    LOCK,
    Audit,
    accept,
    audit_cluster,
    missed,
    read_acceptances,
    read_cluster,
    read_policy,
    sorted_out,
)
from epochal.kafka.audit.before import about_them_alone, added, cluster_before
from epochal.kafka.audit.cluster import Cluster
from epochal.kafka.audit.collected import ClusterAnswers, client_settings, collect, keep
from epochal.kafka.audit.decided import SHOWN, Decider, known_release
from epochal.kafka.audit.finding import Audited, Finding, Severity, changed
from epochal.kafka.audit.today import WORST_FIRST as DAY_VERDICTS
from epochal.kafka.audit.today import DayAnswer, Effect, day_answers
from epochal.kafka.audit.topic_class import Classified, Kind, Supposition
from epochal.kafka.audit_rules import RULES
from epochal.kafka.evidence.place import EvidenceError, Place, escaped
from epochal.kafka.guarantees.decided import GuaranteeOptions
from epochal.report import kafka_documents as documents
from epochal.report.page import Page, Style
from epochal.sentences import LONGEST
from epochal.spec.kraft.generations import VERSIONS, known_as
from epochal.spec.kraft.guarantees import BOUNDS
from epochal.spec.language.errors import advice

from .audit_answers import DAY_CODES, WORDS, answers_of, render_answers
from .audit_cells import ABSENT, HEADER, guarantees_of, row, rows, run_key, worst_of
from .audit_metrics import metrics
from .audit_summary import summary
from .result import Result, question

if TYPE_CHECKING:
    from jinja2 import Template


@dataclass(frozen=True, repr=False)
class ClusterAudit(Result):
    """What an audit found. `findings_left` are those that nobody has accepted, most serious first.

    `before` is the cluster as it is, or as it was, where another is asked about: `what_if`, `diff` or `against`. With
    `against`, only what the change adds is left; `as_before` are findings that were there, and `unreadable` says why
    nothing is known of before, if the files were damaged then. `asked_for` is what brokers were asked for, and
    `not_told` what they did not tell. With `answers` to questions of the day these decide the exit code.
    """

    audit: Audit
    findings_left: tuple[Finding, ...]
    accepted: tuple[Finding, ...]
    before: Audit | None
    asked_otherwise: tuple[str, ...]
    lock: str
    seconds: float
    stopped: bool = False
    against: str = ""
    as_before: tuple[Finding, ...] = ()
    unreadable: str = ""
    asked_for: tuple[str, ...] = ()
    not_told: tuple[str, ...] = ()
    answers: tuple[DayAnswer, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What loses acknowledged records by its settings; with a policy, what that asks for and is not so."""
        return tuple(one for one in self.findings_left if one.severity == "error")

    @property
    def exit_code(self) -> ExitCode:
        """12 for errors, 20 where a policy is missed, 30 if something is not decided.

        Of questions of the day: 12 for a no, 20 if writes stop, 30 if it is not known.
        """
        if self.answers:
            return ExitCode.most_severe([DAY_CODES[one.verdict] for one in self.answers])
        codes = [ExitCode.INCONCLUSIVE] if self.not_told else []
        codes += [ExitCode.DRIFTED if one.rule == "policy" else ExitCode.VIOLATED for one in self.errors]
        if any(one.rule in ("not-decided", "release-unknown") and one.severity != "note" for one in self.findings_left):
            codes.append(ExitCode.INCONCLUSIVE)
        return ExitCode.most_severe(codes)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the searches."""
        return self.stopped

    @property
    def outcome(self) -> str:
        if self.answers:
            return min((one.verdict for one in self.answers), key=DAY_VERDICTS.index)
        said = {
            ExitCode.HOLDS: "no errors",
            ExitCode.VIOLATED: "errors",
            ExitCode.DRIFTED: "the policy is missed",
            ExitCode.INCONCLUSIVE: "not everything is decided",
        }
        return said[self.exit_code]

    @property
    def findings(self) -> list[str]:
        """The answers to questions of the day; else the errors, and the topics that they are about."""
        if self.answers:
            return [f"{one.question} {WORDS[one.verdict]}" for one in self.answers]
        return [f"{one.rule}: {', '.join(one.subjects[:3])}" for one in self.errors]

    @property
    def headline(self) -> str:
        count = [sum(one.severity == severity for one in self.findings_left) for severity in ("error", "warning")]
        topics = counted(len(self.audit.audited.topics) + len(self.audit.audited.unknown), "topic")
        if self.against:
            return (
                f"{self.audit.audited.cluster.name}: this change adds {counted(count[0], 'error')}, "
                f"{counted(count[1], 'warning')} in {topics}"
            )
        return (
            f"{self.audit.audited.cluster.name}: {counted(count[0], 'error')}, {counted(count[1], 'warning')} "
            f"in {topics}"
        )

    def to_dict(self) -> documents.Audit:
        audited = self.audit.audited
        return document(
            documents.Audit,
            audited,
            self,
            classes=[
                _class(audited, case, kind, topics)
                for cases, topics in audited.rows.items()
                for case in cases
                for kind in case.kinds
            ],
            changed=_changed(self),
            answers=answers_of(self.answers),
            bounds={name: value for name, value in BOUNDS.items() if name != "replication_factor"},
        )

    def to_sarif(self, folder: str | Path = ".") -> dict[str, object]:
        """The findings as SARIF 2.1.0, each at the line of a setting. Paths are taken from `folder`."""
        ids = list(RULES)
        paths = self.audit.audited.cluster.paths
        return {
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {
                        "driver": {
                            "name": TOOL,
                            "version": tool_version(),
                            "informationUri": INFORMATION,
                            "rules": [
                                {"id": rule, "shortDescription": {"text": title}, "help": {"text": f"{title}."}}
                                for rule, title in RULES.items()
                            ],
                        }
                    },
                    "automationDetails": {"id": f"epochal/audit/{quote(self.audit.audited.cluster.name)}/"},
                    "columnKind": "unicodeCodePoints",
                    "results": [
                        _result(one, ids, paths, Path(folder)) for one in (*self.findings_left, *self.accepted)
                    ],
                }
            ],
        }

    def to_prometheus(self) -> str:
        """The promises of each topic as metrics of Prometheus, as node_exporter's textfile collector reads them."""
        return metrics(self)

    def to_html(self, runs: Mapping[str, str] | None = None) -> str:
        """The report as one page for the browser. `runs` are pages of runs, by the keys of `run_key`."""
        from markupsafe import Markup

        pages = runs or {}
        audited = self.audit.audited
        style = _file("audit.css")
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        shared = {name: value for name, value in BOUNDS.items() if name != "replication_factor"}
        sections = [
            (heading, [one for one in self.findings_left if one.severity == severity])
            for severity, (heading, _) in TITLES.items()
        ]

        def runs_of(one: Finding | Effect) -> dict[str, str]:
            """The pages of the runs of a finding or an answer, each once, by what they show."""
            found: dict[str, str] = {}
            for kind, answered in one.runs:
                file = pages.get(run_key(kind, answered), "")
                if file and file not in found.values():
                    states = counted(answered.worst.length or 0, "state")
                    found[f"{_first(audited, kind)}, {answered.fault.title}, {states}"] = file
            return found

        return _template().render(
            policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
            style=Markup(style),  # our own file
            headline=self.headline,
            title=title(audited),
            asked=self.asked_otherwise,
            header=HEADER,
            rows=list(_linked(audited, pages)),
            signs=SIGNS,
            legend=(
                *LEGEND,
                DESIGNED.format(audited.release_shown),
                *(ACKS_UNKNOWN, UNCLEAN_UNKNOWN, SUPPOSED, NO_GUARANTEE),
                *([EMPTIED] if any(kind.ephemeral for kind in audited.classes) else []),
            ),
            sections=[*sections, ("Accepted", list(self.accepted))],
            runs=runs_of,
            answers=self.answers,
            bounds=(
                *not_read(audited),
                f"Decided within {bounds_as_options(shared)}. Larger bounds were not checked.",
                NOT_COVERED,
            ),
            version=tool_version(),
        )

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        audited = self.audit.audited
        page.line(title(audited), "title")
        if self.asked_otherwise:
            page.line(f"Query: {'; '.join(self.asked_otherwise)}", indent=2)
        page.line()
        if audited.classes:
            page.table(list(rows(audited)), header=HEADER, right=(1,))
            _legend(page, audited)
        if self.answers:
            render_answers(page, self.answers)
        if self.before is not None:
            _changes(page, self.before, self)
        for severity, (heading, style) in TITLES.items():
            found = [one for one in self.findings_left if one.severity == severity]
            if found:
                page.title(heading)
            for one in found:
                _finding(page, one, style)
        if self.accepted:
            page.title("Accepted")
            for one in self.accepted:
                page.line(f"{one.rule}  {_named(one.subjects)}: {one.reason}  ({self.lock})", "faint", indent=2)
        _end(page, self)
        page.written(files)
        page.commands(_next(self, bool(files)))

    def write(self, folder: str | Path) -> list[str]:
        """Write the page, JSON, SARIF, a summary in Markdown, and one run for each way in which topics lose something;
        the paths.

        Each run is searched, and replayed in both semantics. Runs are named after the first topic that they are about,
        and the fault: `runs/orders-clean.html`.
        """
        path = Path(folder)
        output = OutputFolder(path)
        document = output.write_document("audit.json", self.to_dict())
        sarif = output.write_document("audit.sarif", self.to_sarif())
        pages = _write_runs(self, path / RUNS)
        output.write_text("summary.md", summary(self.headline, self, pages))
        page = output.path / "index.html"
        with writing(page):
            write_atomically(page, self.to_html(pages))
        return [
            str(page),
            str(document),
            str(sarif),
            str(output.path / "summary.md"),
            *([str(path / RUNS)] if pages else []),
        ]


@question
def audit(
    *paths: str | Path,
    kafka: str | None = None,
    producers: Mapping[str, str] | None = None,
    policy: str | Path | None = None,
    what_if: str | Sequence[str] = (),
    diff: str | Path | None = None,
    against: str | Path | None = None,
    may: str | Sequence[str] = (),
    bootstrap: str | None = None,
    command_config: str | Path | None = None,
    timeout: float = 60.0,
    dump: str | Path | None = None,
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
    for which topics. Nothing is connected to unless `bootstrap` is an address: then brokers are asked for all that
    files could say, as `command_config` says, and must answer within `timeout` seconds; `dump` is a folder in which the
    answers are kept. `may` are questions of the day, such as "stop:3": may broker 3 be stopped now?

    Every answer is decided by a search, of the release as it was shipped and as it was designed. The usual ones come
    with the package; without `searches` others stay open. `policy` is a file with what must be kept. `what_if` are
    changes to try, such as "topic:orders:min.insync.replicas=2"; `diff` are files of the cluster before. `against` is
    a folder or a commit with the same files as they were: only what is worse since then is told, and decides the exit
    code. `accepting` accepts findings for a `reason`, in the file `lock`.

    Raises EvidenceError for a file that is damaged or of no known form, or a value that Kafka would refuse;
    PolicyError and AuditLockError for those files; UsageError without a path, or for a change of nothing that is there.
    """
    if not paths and bootstrap is None:
        told = "Give the output of 'kafka-topics --describe', at least, or --bootstrap HOST:PORT."
        raise UsageError("an audit needs files of a cluster", told)
    if command_config is not None and bootstrap is None:
        raise UsageError("--command-config is for --bootstrap: files are read without", "Add --bootstrap HOST:PORT.")
    if sum((bool(what_if), diff is not None, against is not None)) > 1:
        raise UsageError("what would be, and what has changed, are two questions: ask one")
    _known(kafka)
    begun = time.monotonic()
    options = GuaranteeOptions(budget, workers, begun=begun, searches=searches)
    decider = Decider((), options, tell, progress)
    pairs: Sequence[tuple[str, str]] = tuple(producers) if producers else ()  # type: ignore[arg-type]  # as file_pairs gives
    requirements = () if policy is None else read_policy(Path(policy))
    given = [Path(one) for one in paths]
    collected = ClusterAnswers()
    if bootstrap is None:
        cluster = read_cluster(given, pairs, may_be_empty=against is not None)
    else:
        settings = {} if command_config is None else client_settings(Path(command_config))
        collected = collect(bootstrap, settings, timeout, tell)
        with ExitStack() as until_read:
            folder = Path(dump or until_read.enter_context(TemporaryDirectory(prefix="epochal-dump-")))
            keep(collected, folder)
            cluster = replace(read_cluster([folder, *given], pairs), name=bootstrap)
    before: Audit | None = None
    unreadable = ""
    if what_if:
        before = audit_cluster(cluster, Decider((), options, tell, progress), kafka or "")
        cluster, said = changed(cluster, tuple(what_if))
        _known(said)
        kafka = said or kafka
    elif diff is not None:
        before = _of_before(read_cluster([Path(diff)]), Decider((), options, tell, progress), kafka)
    elif against is not None:
        try:
            earlier = cluster_before(given, str(against), cluster.plans, pairs)
            before = _of_before(earlier, Decider((), options, tell, progress), kafka)
        except EvidenceError as wrong:  # a change may mend what was damaged
            unreadable = str(wrong)
        if not cluster.topics and (before is None or not before.audited.cluster.topics):
            raise no_topic(cluster)
    found = audit_cluster(cluster, decider, kafka or "")
    every = [*(missed(found.audited, requirements, str(policy)) if requirements else ()), *found.findings]
    as_before: list[Finding] = []
    if against is not None:
        missed_before = [] if before is None else missed(before.audited, requirements, str(policy))
        every, as_before = added(every, before, list(missed_before))
        every = about_them_alone(every, found, lambda few: audit_cluster(few, decider, kafka or ""))
    given_lock = Path(lock)
    acceptances = accept(given_lock, every, accepting, reason or "") if accepting else read_acceptances(given_lock)
    left, accepted = sorted_out(every, acceptances)
    return ClusterAudit(
        found,
        tuple(left),
        tuple(accepted),
        before,
        tuple(what_if) if what_if else (f"after {diff}",) if diff is not None else _asked(against),
        str(lock),
        time.monotonic() - begun,
        decider.stopped,
        str(against or ""),
        tuple(as_before),
        unreadable,
        tuple(collected.asked),
        tuple(collected.refused),
        day_answers(found.audited, tuple(may)),
    )


def _asked(against: str | Path | None) -> tuple[str, ...]:
    return () if against is None else (f"what is worse than in {escaped(str(against))}",)


def _known(kafka: str | None) -> None:
    """Refuse a release that somebody names and nobody knows. One that the files tell of is a finding."""
    if kafka and not known_release(known_as(kafka)):
        raise UsageError(
            f"no release of Kafka is known as {kafka[:LONGEST]!r}", advice(kafka, list(VERSIONS), "releases")
        )


def _of_before(cluster: Cluster, decider: Decider, kafka: str | None) -> Audit:
    """The cluster as it was: its own files say its release, or what is given for both."""
    return audit_cluster(cluster, decider, "" if cluster.releases else kafka or "")


TITLES: dict[Severity, tuple[str, Style]] = {
    "error": ("Errors", "bad"),
    "warning": ("Warnings", "warn"),
    "note": ("Notes", ""),
}
MOST_NAMED = 8
MOST_PLACES = 4

LEGEND = (
    "kept: whoever leads has every acknowledged record, and every one that was read, in every run within the bounds",
    "LOST n: an acknowledged record is lost; a shortest run has n states",
)
DESIGNED = "*: as designed; a hole of {} breaks it"
EMPTIED = "RESTARTS, CRASHES: as crashes that lose data, since storage is ephemeral (below)"
UNCLEAN_LATER = "YES ?: it is known only after the plan was applied; both values are checked, and the worse is told"
ACKS_UNKNOWN = "?: no file of a producer says; acks=all is assumed (acks-unknown, below)"
UNCLEAN_UNKNOWN = "no ?: no file says; unclean.leader.election.enable=false is assumed (unclean-unknown, below)"
SUPPOSED = "? if n: no file says min.insync.replicas; what is guaranteed if it is n (min-isr-unknown, below)"
NO_GUARANTEE = "no guarantee: no producer gets a success response: acks=0, or every write is refused"
NOT_COVERED = (
    "Not covered: transactions, tiered storage, log directories, elections by hand, settings of consumers, "
    "more than two faults."
)


def title(audited: Audited) -> str:
    """`prod-eu: Kafka 4.1, KRaft, 3 brokers in 2 racks, eligible leader replicas on, 6 topics in 6 classes`."""
    cluster = audited.cluster
    racks = {rack for several in audited.cluster.racks.values() for rack in several}
    assumed = "" if cluster.kraft is not None else " (assumed)"
    parts = [audited.release_shown, "ZooKeeper" if cluster.zookeeper is not None else f"KRaft{assumed}"]
    brokers = len(cluster.brokers) or sum(one.count for one in cluster.pools if "broker" in one.roles)
    if brokers:
        where = f" in {counted(len(racks), 'rack')}" if racks else ""
        parts.append(counted(brokers, "broker") + where)
    elr = f" ({cluster.elr.place})" if cluster.elr is not None else " (assumed)"
    parts.append(f"eligible leader replicas {'on' if audited.elr else 'off'}{elr}")
    parts.append(
        f"{counted(len(audited.topics) + len(audited.unknown), 'topic')} "
        f"in {counted(len(audited.rows), 'class', 'classes')}"
    )
    return f"{cluster.name}: {', '.join(parts)}"


def _legend(page: Page, audited: Audited) -> None:
    page.line()
    page.lines(LEGEND, indent=2)
    cells = [text for row in rows(audited) for text, _ in row]
    if "kept*" in cells:
        page.line(f"{DESIGNED.format(audited.release_shown)} (release-hole, below)", indent=2)
    if any(kind.ephemeral for kind in audited.classes):
        page.line(EMPTIED, indent=2)
    if "no ?" in cells:
        page.line(UNCLEAN_UNKNOWN, indent=2)
    if "YES ?" in cells:
        page.line(UNCLEAN_LATER, indent=2)
    if any(text.endswith(" ?") and text not in ("no ?", "YES ?") for text in cells):
        page.line(ACKS_UNKNOWN, indent=2)
    if any(text.startswith("? if") for text in cells):
        page.line(SUPPOSED, indent=2)
    if "no guarantee" in cells:
        page.line(NO_GUARANTEE, indent=2)


def _finding(page: Page, one: Finding, style: Style) -> None:
    page.line(f"{one.rule}  {_named(one.subjects)}: {one.title}", style, indent=2)
    page.lines(one.why, indent=6)
    if one.fix is not None:
        first, *rest = one.fix.commands
        page.verbatim(f"Fix: {first}", indent=6)
        for line in rest:
            page.verbatim(f"and: {line}", indent=6)
        if one.fix.decided:
            page.line(f"With it, as designed: {one.fix.decided}.", indent=6)
    if one.places:
        listed = list(dict.fromkeys(str(place) for place in one.places if place.file))
        more = f" and {len(listed) - MOST_PLACES} more" if len(listed) > MOST_PLACES else ""
        if listed:
            page.line(f"{', '.join(listed[:MOST_PLACES])}{more}", "faint", indent=6)


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def keys_of(findings: Sequence[Finding]) -> dict[str, Finding]:
    """Findings by what somebody would accept them by; notes are left out."""
    return {key: one for one in findings if one.severity != "note" for key in one.keys}


def _changes(page: Page, before: Audit, result: ClusterAudit) -> None:
    """The topics whose row is another one, and the findings that are new or gone."""
    page.title("What changes")
    old, new = guarantees_of(before), guarantees_of(result.audit)
    found = []
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            for said, several in (("before", old.get(name, ABSENT)), ("after", new.get(name, ABSENT))):
                for number, cells in enumerate(several):
                    first = number == 0
                    found.append((name if said == "before" and first else "", said if first else "", *cells))
    if found:
        page.table(found, header=("TOPIC", "", *HEADER[1:]))
    old_keys, new_keys = keys_of(before.findings), keys_of(result.audit.findings)
    for word, keys, style in (
        ("gone", [key for key in old_keys if key not in new_keys], "good"),
        ("new", [key for key in new_keys if key not in old_keys], "bad"),
    ):
        if keys:
            page.line(f"{word}: {_named(keys)}", style, indent=2)  # type: ignore[arg-type]  # both are styles
    if not found and list(old_keys) == list(new_keys):
        page.line("Nothing.", indent=2)


def not_read(audited: Audited) -> Iterator[str]:
    """The files that were left out: what each is, and what to give instead."""
    for one in audited.cluster.unread:
        yield f"Not read, {one.what}: {one.file}{f'. {one.instead}' if one.instead else ''}"


def _end(page: Page, result: ClusterAudit) -> None:
    audited = result.audit.audited
    page.line()
    if result.unreadable:
        told = f"The files of {escaped(result.against)} cannot be read, so that everything is told: {result.unreadable}"
        page.line(told, "warn", indent=2)
    if result.asked_for:
        page.line(
            f"Asked {escaped(audited.cluster.name)} for {', '.join(result.asked_for)}; nothing was changed.", indent=2
        )
    for line in result.not_told[:MOST_NAMED]:
        page.line(f"Not told: {line}", "warn", indent=2)
    if len(result.not_told) > MOST_NAMED:
        page.line(f"Not told: {len(result.not_told) - MOST_NAMED} more", "warn", indent=2)
    if result.as_before:
        subjects = sum(max(1, len(one.subjects)) for one in result.as_before)
        page.line(f"{counted(subjects, 'finding')} as before, not told here: without --against all are.", indent=2)
    for line in not_read(audited):
        page.line(line, "warn", indent=2)
    if audited.classes:
        shared = {name: value for name, value in BOUNDS.items() if name != "replication_factor"}
        page.line(
            f"Decided within {bounds_as_options(shared)}, replication factors as they are, up to the names of brokers. "
            "Larger bounds were not checked.",
            indent=2,
        )
        page.line(NOT_COVERED, indent=2)
    tone: Style = "good" if not result.errors else "bad"
    page.line(f"{result.headline}: exit code {result.exit_code} ({result.outcome}).", tone)


def _next(result: ClusterAudit, written: bool) -> list[str]:
    """The run behind the first loss, and the folder with all of them."""
    found = []
    behind = [one.runs[:1] for one in result.findings_left]
    if result.answers:
        behind = [effect.runs[:1] for one in result.answers for effect in one.effects]
    for runs in behind:
        for _, answered in runs:
            outcome = answered.worst
            if outcome.reference:
                copies = outcome.bounds["replication_factor"]
                words = outcome.reference.removeprefix("kraft").strip()
                found.append(
                    f"epochal guarantees {words} --replication-factor {copies} --fault {answered.fault.id} --story"
                )
    shown = list(dict.fromkeys(found))[:2]
    return shown if written else [*shown, "the same with --out audit-report: a page, SARIF, and the run of each loss"]


def _class(audited: Audited, case: Supposition, kind: Kind, topics: Sequence[Classified]) -> documents.AuditClass:
    return document(
        documents.AuditClass,
        kind,
        topics=[one.topic.name for one in topics],
        partitions={
            one.topic.name: [part.number for part in one.topic.partitions.values() if part.copies == kind.copies]
            for one in topics
            if len(one.topic.numbers) > 1
        },
        min_insync_replicas_supposed=case.supposed is not None,
        min_insync_replicas=topics[0].min_isr,
        unclean_leader_election_enable=topics[0].unclean,
        faults=audited.decider.all_of(kind),
    )


def _changed(result: ClusterAudit) -> documents.AuditChanged | None:
    if result.before is None:
        return None
    old, new = guarantees_of(result.before), guarantees_of(result.audit)
    old_keys, new_keys = keys_of(result.before.findings), keys_of(result.audit.findings)
    return {
        "asked": list(result.asked_otherwise),
        "topics": [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)],
        "gone": [key for key in old_keys if key not in new_keys],
        "new": [key for key in new_keys if key not in old_keys],
    }


SIGNS = {"good": "✓ ", "bad": "✗ ", "warn": "! ", "": "", "title": "", "faint": ""}


def _first(audited: Audited, kind: Kind) -> str:
    return audited.classes[kind][0].topic.name


def _linked(audited: Audited, runs: Mapping[str, str]) -> Iterator[list[tuple[str, str, str]]]:
    """The table: what stands in each cell, how it is meant, and the page of the run behind it, if there is one."""
    for cases, topics in audited.rows.items():
        for number, case in enumerate(cases):
            cells = row(audited, case, topics, first=number == 0)
            pages = [""] * (len(cells) - len(SHOWN) - 1)
            pages += [runs.get(run_key(*worst_of(audited, case.kinds, fault)), "") for fault in SHOWN]
            yield [(text, tone, page) for (text, tone), page in zip(cells, (*pages, ""), strict=True)]


def _file(name: str) -> str:
    return resources.files("epochal.report").joinpath("pages", name).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    made = Environment(autoescape=True, undefined=StrictUndefined, finalize=_printable)
    return made.from_string(_file("audit.html.j2"))


def _printable(said: object) -> object:
    """A text of a file without what would not be seen, or turn the line around; what is ours stays."""
    return escaped(said) if isinstance(said, str) and not hasattr(said, "__html__") else said


LEVELS = {"error": "error", "warning": "warning", "note": "note"}
MOST_LOCATIONS = 50
"""How many places of one finding are told: GitHub takes no more than a thousand of all."""


def _result(one: Finding, ids: list[str], paths: dict[str, str], folder: Path) -> dict[str, Any]:
    fix = "" if one.fix is None else f" Fix: {'; and: '.join(one.fix.commands)}."
    said = f"{', '.join(one.subjects)}: {one.title}. {' '.join(one.why)}{fix}".rstrip()
    places = [place for place in dict.fromkeys(one.places) if place.file in paths][:MOST_LOCATIONS]
    made: dict[str, Any] = {
        "ruleId": one.rule,
        "ruleIndex": ids.index(one.rule),
        "level": LEVELS[one.severity],
        "message": {"text": said},
        "partialFingerprints": {"primaryLocationLineHash": _fingerprint(one)},
    }
    if places:
        first, *rest = places
        made["locations"] = [_location(first, paths, folder)]
        if rest:
            made["relatedLocations"] = [
                {"id": number, **_location(place, paths, folder)} for number, place in enumerate(rest, start=1)
            ]
    if one.reason:
        made["suppressions"] = [{"kind": "external", "justification": one.reason}]
    return made


def _location(place: Place, paths: dict[str, str], folder: Path) -> dict[str, Any]:
    whole = Path(paths[place.file])
    root = folder.absolute()
    uri = quote(whole.relative_to(root).as_posix()) if whole.is_relative_to(root) else whole.as_uri()
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if place.line is not None:
        physical["region"] = {"startLine": place.line}
    return {"physicalLocation": physical}


def _fingerprint(one: Finding) -> str:
    """The same for the same finding of the same topics, wherever its lines have moved."""
    return hashlib.blake2b("\n".join([one.rule, *one.subjects]).encode(), digest_size=8).hexdigest() + ":1"


RUNS = "runs"
LONGEST_NAME = 60


def _write_runs(result: ClusterAudit, path: Path) -> dict[str, str]:
    """Write one run for each thing that is lost; the pages, as the page of the audit links to them, by their keys."""
    pages: dict[str, str] = {}
    made: dict[tuple[str, str], str] = {}
    names: set[str] = set()
    shown = [(one.subjects, run) for one in result.findings_left for run in one.runs]
    shown += [(effect.partitions, run) for one in result.answers for effect in one.effects for run in effect.runs]
    for subjects, (kind, answered) in shown:
        if answered.worst.is_lost:
            outcome = answered.worst
            known = (outcome.reference, str(sorted(outcome.bounds.items())))
            if known not in made:
                trace = result.audit.audited.decider.run_of(outcome, answered.fault)
                if trace is None:
                    continue
                topic = _new_name(_first_topic(result, subjects, kind), answered.fault.id, names)
                file = OutputFolder(path).write_trace(topic, answered.fault.id, trace)
                made[known] = f"{RUNS}/{report_beside(file).name}"
            pages[run_key(kind, answered)] = made[known]
    return pages


def _first_topic(result: ClusterAudit, subjects: Sequence[str], kind: Kind) -> str:
    """The first topic of a class, of those that a finding is about if it is about topics."""
    names = [one.topic.name for one in result.audit.audited.topics if kind in one.kinds]
    return next((name for name in names if name in subjects), names[0])


def _new_name(topic: str, fault: str, names: set[str]) -> str:
    """The name of a topic as part of a file name that no other run has: `a.b` and `a_b` would have the same."""
    short = base = slug(topic)[:LONGEST_NAME]
    number = 2
    while trace_name(short, fault) in names:
        short = f"{base}-{number}"
        number += 1
    names.add(trace_name(short, fault))
    return short
