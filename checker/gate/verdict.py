"""The verdict on a model: what its own search says, what the baseline says, and what was expected.

One object drives the text, the JSON, the exit code and every report.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, get_args

from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol, SourceLine
from epochal.spec.language.configurable import as_options
from epochal.spec.language.members import title

from ..base.installed import tool_version
from ..base.numbers import counted
from ..difference.difference import ActionDifference, Difference, Example, ScopeAnswer, Unreached
from ..trace.trace import Trace
from .configuration import CodeLink
from .record import Record, members_by_name, trace_of

# -- changes ----------------------------------------------------------------------------------------------------------
# What the gate tells of a difference: the new rules are on its right, those of the baseline on its left.

BASELINE, CHANGE = "the baseline", "the change"
NOTHING = ScopeAnswer("same")


@dataclass(frozen=True)
class ActionChange:
    """An action whose rules differ: the steps that only the new rules have, and those that only the baseline has."""

    action: str
    gained: ScopeAnswer = NOTHING
    lost: ScopeAnswer = NOTHING

    @property
    def kind(self) -> str:
        """`narrowed`, `widened` or `changed`."""
        if self.gained.steps and self.lost.steps:
            return "changed"
        return "widened" if self.gained.steps else "narrowed"


def changes(difference: Difference | None) -> tuple[ActionChange, ...]:
    """The actions whose steps came or went, those of the new rules first; none where nothing was compared."""
    if difference is None:
        return ()
    gained, lost = ({one.action: one.reachable for one in own} for own in (difference.gained, difference.lost))
    found = (ActionChange(name, gained.get(name, NOTHING), lost.get(name, NOTHING)) for name in {**gained, **lost})
    return tuple(one for one in found if one.gained.steps or one.lost.steps)


def change_in_words(difference: Difference, reference: str) -> Difference:
    """The difference with examples that say why they are some. `reference` is how the protocol is called."""
    facts: dict[str, str | int | bool] = {"protocol": reference, "shortest": True}

    def one(found: ActionDifference, whose: str) -> ActionDifference:
        example = found.reachable.example
        if example is None:
            return found
        trace = replace(example.trace, note=f"{reason(example, whose)}.", facts=facts)
        return replace(found, answers={"reachable": replace(found.reachable, example=replace(example, trace=trace))})

    lost = tuple(one(found, CHANGE) for found in difference.lost)
    return replace(difference, lost=lost, gained=tuple(one(found, BASELINE) for found in difference.gained))


def reason(example: Example, whose: str) -> str:
    """Why the other specification does not take the last step of an example, in words; `whose` is what it is called."""
    why, trace = example.refused, example.trace
    if not why.choices:
        return f"{whose} cannot take such a step in any state"
    if why.guard is not None:
        return f"{whose} refuses it: {why.guard.text or 'a guard is false'} ({why.guard.where}){why.others}"
    if why.after is None:
        return f"{whose} cannot evaluate it there{why.others}"
    moved = [
        f"{leaf.path} = {leaf.domain.show(leaf.domain.value(code))}"
        for leaf, before, code in zip(trace.protocol.leaves, trace.states[-2], why.after, strict=True)
        if code != before
    ]
    return f"{whose} takes it to another state: {', '.join(moved) or 'nothing changes'}{why.others}"


# -- same question ----------------------------------------------------------------------------------------------------
# The same question, answered twice: two exhaustive searches of rules that mean the same must agree in every figure.
#
# Where they do not, one of the two engines is wrong: this one, or that of the version that wrote the baseline. It is
# the one place where whoever uses an engine can notice that it miscounts, so it is never told as a change of the rules.

Figure = tuple[str, object, object]
"""What it is of, in words; in the one record, and in the other."""


def differing_figures(record: Record, other: Record) -> list[Figure]:
    """The figures in which two exhaustive records of the same rules differ; none where the question is not the same.

    A violation that only `record` has is none of them: its run was replayed, and it fails by itself.

    How many new states an action found, and how long a run goes round for ever, are no such figures: the order in which
    actions stand in a file may decide them.
    """
    if record.specification != other.specification or not (record.exhaustive and other.exhaustive):
        return []
    return [(name, one, another) for name, one, another in _figures(record, other) if one != another]


def _figures(record: Record, other: Record) -> Iterator[Figure]:
    yield "distinct states", record.distinct_states, other.distinct_states
    yield "transitions", record.transitions, other.transitions
    yield "depth", record.depth, other.depth
    yield "the digest of the states", record.state_digest, other.state_digest
    yield "the digest of the steps", record.step_digest, other.step_digest
    for name in sorted(record.actions.keys() & other.actions.keys()):
        yield f"steps of {name}", record.actions[name][0], other.actions[name][0]
    for name in sorted(record.properties.keys() & other.properties.keys()):
        one, another = record.properties[name], other.properties[name]
        replayed = name in record.violated() and another.verdict != one.verdict
        if one.digest == another.digest and not replayed and "not judged" not in (one.verdict, another.verdict):
            yield f"the verdict on {name}", one.verdict, another.verdict
            yield f"the shortest run of {name}", one.length, another.length


def figures_in_words(figures: list[Figure], record: Record, name: str, other: Record) -> str:
    """The sentence about figures that differ. `name` is that of the baseline."""
    listed = "; ".join(
        f"{what}: {_shown_figure(here)} here, {_shown_figure(there)} there" for what, here, there in figures[:3]
    )
    more = f"; and {len(figures) - 3} more" if len(figures) > 3 else ""
    return (
        f"the rules mean the same as in {name}, and the figures differ. {listed}{more}. "
        f"One of the two is wrong: this version ({record.tool}), or the one that wrote {name} ({other.tool}), unless "
        "somebody has edited that file. This is a bug in Epochal: report it with both files. "
        "'epochal gate approve' writes the present figures"
    )


def _shown_figure(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "none" if value is None else str(value)


# -- unseen -----------------------------------------------------------------------------------------------------------
# What the gate says of rules that mean something else where no search of a model has come.

NOT_AT_HAND = "what those of the baseline say elsewhere is not known here (--base REF compares with those of a commit)"
ADVICE = (
    "Take larger bounds into the model, at which a search sees what it does; or approve the rules as they are: "
    "epochal gate approve --reason '...'"
)


def told_unseen(record: Record, found: Unreached) -> Iterator[tuple[str, str]]:
    """What there is to say, and of which action: each rule that differs, or that may; or the model as a whole."""
    where = f"no state within these bounds shows it, {record.distinct_states:,} states compared{_shown(record, found)}"
    differ = "allow steps that the baseline's do not" if found.gained else "differ from the baseline's"
    for name in found.actions:
        yield f"the rules of {title(name)} {differ}; {where}", name
    for name in found.open:
        yield f"the rules of {title(name)} may {differ}, which Z3 could not tell; {where}", name
    for name in found.failing:
        fail = "fail where the baseline's do not" if found.gained else "fail in other states than the baseline's"
        yield f"the rules of {title(name)} {fail}; {where}", name
    if found.other:
        yield (
            f"{found.other} may differ from the baseline's; {where}"
            if found.other != NOT_AT_HAND
            else (f"the rules are written otherwise, and {found.other}; {where}"),
            "",
        )


def _shown(record: Record, found: Unreached) -> str:
    """At which larger bounds it shows, as far as that was asked."""
    if found.shown_at is not None:
        raised = {name: value for name, value in found.shown_at.items() if value != record.bounds.get(name)}
        return f"; it shows with {' '.join(as_options(raised))}"
    return f", nor do short searches within {counted(found.tried, 'larger set')} of bounds" if found.tried else ""


Kind = Literal[
    "semantics disagree",
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
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""The verdicts, the most severe first."""


OTHER_BOUNDED = (
    "other steps are stopped by a bound alone than in the baseline (bounded, require): the steps are the same, and "
    "liveness properties may get another result"
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
    """The result on a model.

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
        message = figures_in_words(figures, record, baseline.name, baseline.record)
        findings.append(GateFinding("semantics disagree", ExitCode.READINGS_DISAGREE, message))
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
                message = members[name].said(f"{name} is violated by a fair run that goes on for ever")
                code, where = ExitCode.LIVENESS_VIOLATED, members[name].where
                found.append(GateFinding("violated", code, message, name, where, trace))
                continue
            where = trace.steps[-1].instance.action.where if trace is not None and trace.steps else members[name].where
            message = members[name].said(f"{name} is violated")
            found.append(GateFinding("violated", ExitCode.VIOLATED, message, name, where, trace))
    if record.exhaustive and record.failed is None:
        for name in record.not_judged():
            message = f"{name} was not checked, though every state was seen"
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


# -- outcome ----------------------------------------------------------------------------------------------------------
# The result of a run of the gate: one outcome for each model, from which every report is made.


@dataclass(frozen=True)
class ModelOutcome:
    """What the gate found out about one model.

    `record` and `judgement` are None for a model that could not be loaded or was not reached; `problem` says why then.
    `source` says where the record comes from: "search", "cache" or "lock file".
    """

    name: str
    reference: str
    bounds: dict[str, int]
    protocol: Protocol | None = None
    record: Record | None = None
    baseline: Baseline | None = None
    difference: Difference | None = None
    judgement: Judgement | None = None
    problem: GateFinding | None = None
    source: str = ""
    seconds: float = 0.0

    @property
    def findings(self) -> tuple[GateFinding, ...]:
        """Everything to say about the model."""
        own = self.judgement.findings if self.judgement is not None else ()
        return (*own, self.problem) if self.problem is not None else own

    @property
    def verdict(self) -> Kind:
        """The most severe verdict."""
        if self.judgement is None:
            return self.problem.kind if self.problem is not None else "inconclusive"
        kinds = {finding.kind for finding in self.findings if finding.code} or {self.judgement.relation}
        return next(kind for kind in KINDS if kind in kinds)

    @property
    def code(self) -> ExitCode:
        """The exit code of the most severe finding."""
        return ExitCode.most_severe(finding.code for finding in self.findings)


@dataclass(frozen=True)
class GateResult:
    """A whole run. `base` is what the models were compared with; `stopped` why it ended early ("" if it did not).

    `skipped` are the unchanged models that were left out on request. `link_warnings` are about code that changed
    without its model, or the other way round. `fail_on` are the verdicts that were asked to fail as well.
    """

    models: tuple[ModelOutcome, ...]
    base: str
    profile: str
    budget: float | None = None
    seconds: float = 0.0
    stopped: str = ""
    skipped: tuple[str, ...] = ()
    link_warnings: tuple[str, ...] = ()
    fail_on: tuple[str, ...] = ()
    tool: str = field(default_factory=tool_version)

    @property
    def exit_code(self) -> ExitCode:
        """The code of the most severe finding of all models; at least 30 for a run that was stopped."""
        stopped = (ExitCode.INCONCLUSIVE,) if self.stopped else ()
        return ExitCode.most_severe((*(model.code for model in self.models), *stopped))

    def failures(self) -> list[tuple[ModelOutcome, GateFinding]]:
        """What fails, the most severe first, then in the order of the models."""
        found = [(m, f) for m in self.models for f in m.findings if f.code]
        return sorted(found, key=lambda pair: KINDS.index(pair[1].kind))

    def warnings(self) -> list[tuple[ModelOutcome, GateFinding]]:
        """What is worth saying but does not fail."""
        found = [(m, f) for m in self.models for f in m.findings if not f.code]
        return sorted(found, key=lambda pair: KINDS.index(pair[1].kind))


# -- code links -------------------------------------------------------------------------------------------------------
# Code and the actions that model it: a warning when one changed without the other.
#
# A link names files of an implementation, as patterns relative to the top of the repository, and actions of models.
# What changed is known only relative to a commit, so links are looked at where the gate is given `--base`.


def link_warnings(links: Sequence[CodeLink], result: GateResult, changed: Iterable[str]) -> tuple[str, ...]:
    """What to say about code that changed without its model, or the other way round."""
    files = list(changed)
    found = []
    for link in links:
        touched = [file for file in files if any(_matches(file, pattern) for pattern in link.files)]
        models = [m for m in result.models if not link.models or m.name in link.models]
        changed_actions = {one.action for model in models for one in changes(model.difference)}
        actions = sorted(changed_actions.intersection(link.actions) if link.actions else changed_actions)
        named = ", ".join(link.actions) or "the model"
        if touched and not actions:
            found.append(f"{', '.join(touched[:3])} changed, but what models it did not: {named}")
        elif actions and not touched:
            found.append(f"{', '.join(actions)} changed, but the code it models did not: {', '.join(link.files)}")
    return tuple(found)


def _matches(file: str, pattern: str) -> bool:
    """Whether a path matches a pattern, in which `*` and `?` stay within a folder and `**` crosses folders."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.fullmatch("".join(words.get(part, re.escape(part)) for part in parts), file) is not None
