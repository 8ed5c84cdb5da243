"""The verdict on a model: what its own search says, what the baseline says, and what was expected.

One object drives the text, the JSON, the exit code and every report.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol, SourceLine
from epochal.spec.language.members import title

from ..difference.difference import Difference, Unreached
from ..trace.trace import Trace
from .changes import BASELINE, changes, reason
from .record import Record, members_by_name, trace_of
from .same_question import differing_figures, told
from .unseen import ADVICE, told_unseen

Kind = Literal[
    "readings disagree",
    "not loaded",
    "violated",
    "rule failed",
    "changed",
    "widened",
    "unseen",
    "canary dead",
    "vacuous",
    "inconclusive",
    "not proved",
    "new",
    "narrowed",
    "refactored",
    "unchanged",
]
KINDS: Final[tuple[Kind, ...]] = (
    "readings disagree",
    "violated",
    "rule failed",
    "not loaded",
    "changed",
    "widened",
    "unseen",
    "new",
    "not proved",
    "canary dead",
    "vacuous",
    "inconclusive",
    "narrowed",
    "refactored",
    "unchanged",
)
"""The verdicts, the most severe first."""


OTHER_BOUNDED = (
    "other steps are stopped by a bound alone than in the baseline (bounded, require): the steps are the same, and "
    "what must happen in the end is judged otherwise"
)


@dataclass(frozen=True)
class GateFinding:
    """One thing to say about a model. `code` is its exit code; 0 for what passes, as a warning or a plain fact.

    `where` is the line that an annotation stands at, `about` the property or action, `trace` the run that shows it.
    `advice` says what to do about it, where that is another thing than for every finding of this code.
    """

    kind: Kind
    code: int
    message: str
    about: str = ""
    where: SourceLine | None = None
    trace: Trace | None = None
    advice: str = ""


@dataclass(frozen=True)
class Baseline:
    """What a model is compared with: the record, and what it is called in reports."""

    name: str
    record: Record


@dataclass(frozen=True)
class Expectations:
    """What the configuration says of a model, and which verdicts fail although they only warn by default."""

    violated: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    refinement: bool = False
    fail_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """Everything the gate says of one model. `relation` is how its behaviour compares with the baseline.

    `turned` are the properties whose verdict is another than in the baseline: name, before, after. `approved` is the
    reason in the lock file of the same change, if that approves the difference.
    """

    relation: Kind
    findings: tuple[GateFinding, ...]
    turned: tuple[tuple[str, str, str], ...] = ()
    notes: tuple[str, ...] = field(default=())
    approved: str | None = None

    @property
    def verdict(self) -> Kind:
        """The most severe of what was found."""
        kinds = {finding.kind for finding in self.findings if finding.code} or {self.relation}
        return next(kind for kind in KINDS if kind in kinds)

    @property
    def code(self) -> int:
        """The exit code of the most severe finding."""
        return ExitCode.most_severe(finding.code for finding in self.findings)


def relation_of(
    record: Record, baseline: Baseline | None, difference: Difference | None, unreached: Unreached | None = None
) -> Kind:
    """How the behaviour of a model compares with that of the baseline.

    `unreached` is how the rules differ where nothing was reached: with it the same steps are no refactoring. Steps that
    are gone are gone all the same.
    """
    same: Kind = "refactored" if unreached is None else "unseen"
    if baseline is None:
        return "new"
    base = baseline.record
    if record.specification == base.specification:
        return "unchanged" if record.text == base.text else "refactored"
    if record.same_behaviour(base):
        return same
    if difference is not None and not difference.incomparable:
        if difference.constraint == "differs":
            return "changed"
        if difference.widens:
            return "changed" if difference.narrows else "widened"
        if not difference.cut:
            return "narrowed" if difference.narrows else same
        return "inconclusive"
    return "changed" if difference is not None or (record.exhaustive and base.exhaustive) else "inconclusive"


def judge(
    record: Record,
    protocol: Protocol,
    dead: tuple[str, ...],
    baseline: Baseline | None,
    difference: Difference | None,
    expected: Expectations,
    approval: tuple[Record, str] | None,
    unreached: Unreached | None = None,
) -> Judgement:
    """The judgement on a model.

    `dead` are the actions that no typed state enables. `approval` is the record in the lock file of the same change and
    its reason, if the baseline is not that lock file. `unreached` is how the rules differ from those of the baseline in
    states that are not reached; None if they do not.
    """
    relation = relation_of(record, baseline, difference, unreached)
    members = members_by_name(protocol)
    findings: list[GateFinding] = []
    if record.failed is not None:
        where = SourceLine(record.failed.file, record.failed.line) if record.failed.file else None
        trace = trace_of(record, protocol, "")
        findings.append(GateFinding("rule failed", ExitCode.EVALUATION_FAILED, record.failed.message, "", where, trace))
    figures = [] if baseline is None else differing_figures(record, baseline.record)
    if baseline is not None and figures:
        message = told(figures, record, baseline.name, baseline.record)
        findings.append(GateFinding("readings disagree", ExitCode.READINGS_DISAGREE, message))
    findings += _violations(record, protocol, expected)
    approved = _approved(record, approval, unreached)
    findings += _drift(record, protocol, relation, baseline, difference, expected, approved, unreached)
    findings += _canaries(record, protocol, expected, None if baseline is None else baseline.record)
    never = [name for name in dict.fromkeys((*dead, *record.never_taken())) if name not in expected.never]
    for name in never:
        message = f"{title(name)} can never happen within these bounds"
        findings.append(GateFinding("vacuous", ExitCode.VACUOUS, message, name, members[name].where))
    findings += [GateFinding("vacuous", ExitCode.VACUOUS, message) for message in record.vacuous]
    if record.cut and record.failed is None:
        fails = baseline is None or baseline.record.exhaustive or "inconclusive" in expected.fail_on
        message = f"not every state was seen: {record.cut}"
        findings.append(GateFinding("inconclusive", ExitCode.INCONCLUSIVE if fails else 0, message))
    return Judgement(relation, tuple(findings), _turned(record, baseline), _notes(record, baseline), approved)


def _violations(record: Record, protocol: Protocol, expected: Expectations) -> list[GateFinding]:
    members = members_by_name(protocol)
    found = []
    for name in record.violated():
        if name not in expected.violated:
            trace = trace_of(record, protocol, name)
            if record.properties[name].kind == "leads_to":
                message = members[name].said(f"{name} is broken by a fair run that goes on for ever")
                code, where = ExitCode.LIVENESS_VIOLATED, members[name].where
                found.append(GateFinding("violated", code, message, name, where, trace))
                continue
            where = trace.steps[-1].instance.action.where if trace is not None and trace.steps else members[name].where
            message = members[name].said(f"{name} is violated")
            found.append(GateFinding("violated", ExitCode.VIOLATED, message, name, where, trace))
    if record.exhaustive and record.failed is None:
        for name in record.not_judged():
            message = f"{name} was not judged, though every state was seen"
            finding = GateFinding("inconclusive", ExitCode.INCONCLUSIVE, message, name, members[name].where)
            found.append(finding)
    return found


def _canaries(record: Record, protocol: Protocol, expected: Expectations, before: Record | None) -> list[GateFinding]:
    """Expected violations and witnesses that are not found, and what should never happen. `before` is the baseline."""
    members = members_by_name(protocol)
    found = []

    def add(name: str, message: str, advice: str, trace: Trace | None = None) -> None:
        where, code = members[name].where, ExitCode.EXPECTATION_MISSED
        found.append(GateFinding("canary dead", code, message, name, where, trace, advice))

    for name in expected.violated:
        if record.exhaustive and record.properties[name].verdict == "holds":
            was = before is not None and name in before.violated()
            message = f"{name} is expected to be violated, and holds{' now' if was else ''}: "
            add(
                name,
                message + f"a known bug is {'no longer' if was else 'not'} found",
                f"If the bug is corrected, take {name} out of expect-violated; if not, these bounds are too small to "
                "show it, or a guard forbids it",
            )
    for name in record.unreached():
        was = before is not None and name in before.properties and name not in before.unreached()
        add(
            name,
            members[name].said(f"{name} cannot be reached{' any more' if was else ''}"),
            "Enlarge the bounds, or find the guard that forbids it; what cannot be reached here says so: only_if",
        )
    for name in record.out_of_place():
        add(
            name,
            members[name].said(f"{name} does not apply under these bounds and settings (only_if), but happens"),
            f"Find what lets it happen; if it may, correct the condition of {name}: only_if",
            trace_of(record, protocol, name),
        )
    for name in expected.never:
        steps, _ = record.actions[name]
        if steps:
            add(
                name,
                f"{title(name)} is expected never to happen, and does: {steps:,} steps",
                f"If it may happen, take {name} out of expect-never; if not, a guard is missing",
            )
    return found


def _approved(record: Record, approval: tuple[Record, str] | None, unreached: Unreached | None) -> str | None:
    """The reason for which exactly this behaviour is approved; None if it is not.

    Of rules that no reached step shows it must be these very rules.
    """
    if approval is None:
        return None
    locked, reason = approval
    same = locked.same_part(record, "rules") if unreached is not None else locked.same_behaviour(record)
    same = same or locked.specification == record.specification
    return reason if same and locked.properties.keys() == record.properties.keys() else None


def _drift(
    record: Record,
    protocol: Protocol,
    relation: Kind,
    baseline: Baseline | None,
    difference: Difference | None,
    expected: Expectations,
    approved: str | None,
    unreached: Unreached | None,
) -> list[GateFinding]:
    """What is different from the baseline, as findings; what is approved does not fail."""
    members, found = members_by_name(protocol), []
    if relation in ("changed", "widened"):
        code = 0 if approved is not None else ExitCode.REFINEMENT_FAILS if expected.refinement else ExitCode.DRIFTED
        found += _steps_gained(protocol, relation, difference, code)
    elif relation in ("narrowed", "refactored"):
        code = ExitCode.DRIFTED if relation in expected.fail_on and approved is None else 0
        found.append(GateFinding(relation, code, _preserved(record, relation, baseline, difference)))
    elif relation == "new":
        code = ExitCode.DRIFTED if "new" in expected.fail_on and approved is None else 0
        found.append(GateFinding("new", code, "there is no baseline for this model"))
    elif relation == "inconclusive" and not record.cut:
        code = ExitCode.INCONCLUSIVE if baseline is not None and baseline.record.exhaustive else 0
        why = difference.cut if difference is not None and difference.cut else "the baseline is not exhaustive"
        found.append(GateFinding("inconclusive", code, f"the difference to the baseline is not known: {why}"))
    if unreached is not None:
        code = ExitCode.HOLDS if approved is not None else ExitCode.DRIFTED
        for message, about in told_unseen(record, unreached):
            where = members[about].where if about in members else None
            found.append(GateFinding("unseen", code, message, about, where, advice=ADVICE))
    if baseline is not None:
        for name in baseline.record.properties:
            code = 0 if approved is not None else ExitCode.DRIFTED
            if name not in record.properties:
                found.append(GateFinding("changed", code, f"the property {name} is gone", name))
            elif record.properties[name].verdict == "not applicable" != baseline.record.properties[name].verdict:
                message = f"the property {name} no longer applies under these bounds and settings"
                found.append(GateFinding("changed", code, message, name, members[name].where))
            elif record.properties[name].digest != baseline.record.properties[name].digest:
                fair = ", or takes other steps to be fair" if record.properties[name].kind == "leads_to" else ""
                message = f"the property {name} says something else than in the baseline{fair}"
                found.append(GateFinding("changed", 0, message, name, members[name].where))
        if record.same_part(baseline.record, "bounds") is False:
            found.append(GateFinding("changed", 0, OTHER_BOUNDED))
    return found


def _steps_gained(protocol: Protocol, relation: Kind, difference: Difference | None, code: int) -> list[GateFinding]:
    """One finding for each action with new steps, at the line of the action; or one for the whole model."""
    members = members_by_name(protocol)
    found = []
    for one in changes(difference):
        if one.gained.steps:
            example = one.gained.example
            message = f"{title(one.action)} has {one.gained.steps:,} steps that the baseline does not allow"
            message += f" ({one.lost.steps:,} are gone)" if one.lost.steps else ""
            if example:
                why = reason(example, BASELINE)
                message += f"; the shallowest ends a run of {example.trace.length} states, and {why}"
            trace = example.trace if example else None
            found.append(GateFinding(relation, code, message, one.action, members[one.action].where, trace))
    if found:
        return found
    if difference is None:
        message = "the behaviour is another than the approved one; --base REF shows which steps came and went"
    elif difference.incomparable:
        message = difference.incomparable
    elif difference.constraint == "differs":
        message = "the state constraint is another: other states are looked at than in the baseline"
    else:
        message = f"{difference.initial_only[1]} initial states are new"
    return [GateFinding(relation, code, message)]


def _preserved(record: Record, relation: Kind, baseline: Baseline | None, difference: Difference | None) -> str:
    if relation == "refactored":
        asked = baseline is not None and any(
            name in record.properties and record.properties[name].digest != one.digest
            for name, one in baseline.record.properties.items()
        )
        other = "; what is asked of it is not the same" if asked else ""
        return f"behaviour preserved, {record.distinct_states:,} states compared{other}"
    assert difference is not None
    parts = [f"{title(a.action)} loses {a.lost.steps:,}" for a in changes(difference) if a.lost.steps]
    if difference.initial_only[0]:
        parts.append(f"{difference.initial_only[0]} initial states are gone")
    message = f"steps are gone, none are new: {', '.join(parts)}"
    if baseline is None or not (record.exhaustive and baseline.record.exhaustive):
        return message
    lost = baseline.record.distinct_states - record.distinct_states  # what is reached without new steps was before
    return f"{message}; {lost:,} of {baseline.record.distinct_states:,} states are no longer reached"


def _turned(record: Record, baseline: Baseline | None) -> tuple[tuple[str, str, str], ...]:
    if baseline is None:
        return ()
    before = baseline.record.properties
    return tuple(
        (name, before[name].verdict, one.verdict)
        for name, one in record.properties.items()
        if name in before and before[name].verdict != one.verdict
    )


def _notes(record: Record, baseline: Baseline | None) -> tuple[str, ...]:
    """Facts about properties and actions that came or went."""
    if baseline is None:
        return ()
    base = baseline.record
    notes = [f"the property {name} is new" for name in record.properties if name not in base.properties]
    notes += [f"the action {name} is new" for name in record.actions if name not in base.actions]
    notes += [f"the action {name} is gone" for name in base.actions if name not in record.actions]
    return tuple(notes)
