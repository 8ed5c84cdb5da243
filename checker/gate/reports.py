"""The reports of the gate: JSON, a summary in Markdown, SARIF, JUnit, and the folder of all of them."""

from __future__ import annotations

import hashlib
import inspect
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import quote
from xml.etree import ElementTree

from epochal.spec.language import Protocol, SourceLine
from epochal.spec.language.display import shown_leaves
from epochal.spec.language.errors import shown_path
from epochal.spec.language.members import title

from ..base.installed import TOOL
from ..base.numbers import counted
from ..difference.difference import Difference, Example
from ..trace.diagrams import mermaid
from ..trace.explain import explain, protocol_name, protocol_option, shown_bounds
from ..trace.itf import dumps, encode
from ..trace.output_folder import OutputFolder, slug
from ..trace.text import markdown, story
from ..trace.trace import Trace
from .record import encode_record
from .verdict import (
    BASELINE,
    CHANGE,
    KINDS,
    ActionChange,
    Baseline,
    GateFinding,
    GateResult,
    Kind,
    ModelOutcome,
    changes,
    reason,
)

# -- document ---------------------------------------------------------------------------------------------------------
# The result of the gate as one JSON object, `result.json`. Its JSON schema is in `schema`.


FORMAT = "epochal-gate"
VERSION = 1


def gate_document(result: GateResult, files: Mapping[int, str]) -> dict[str, Any]:
    """The document. `files` are the trace files that were written, by the `id` of the trace."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "tool": TOOL,
        "tool_version": result.tool,
        "base": result.base,
        "profile": result.profile,
        "budget_seconds": result.budget,
        "wall_seconds": round(result.seconds, 3),
        "stopped": result.stopped,
        "exit_code": result.exit_code,
        "models": [_model(model, files) for model in result.models],
        "skipped": list(result.skipped),
        "code_links": list(result.link_warnings),
    }


def _model(model: ModelOutcome, files: Mapping[int, str]) -> dict[str, Any]:
    judgement, record, base = model.judgement, model.record, model.baseline
    return {
        "name": model.name,
        "protocol": model.reference,
        "bounds": model.bounds,
        "verdict": model.verdict,
        "relation": judgement.relation if judgement else None,
        "exit_code": model.code,
        "source": model.source,
        "wall_seconds": round(model.seconds, 3),
        "findings": [_finding(finding, files) for finding in model.findings],
        "turned": [
            {"property": name, "before": before, "after": after}
            for name, before, after in (judgement.turned if judgement else ())
        ],
        "notes": list(judgement.notes) if judgement else [],
        "approved": judgement.approved if judgement else None,
        "warnings": list(record.warnings) if record else [],
        "record": None if record is None else encode_record(record, runs=False),
        "baseline": None if base is None else {"name": base.name, "record": encode_record(base.record, runs=False)},
        "difference": None if model.difference is None else _document_difference(model.difference, files),
    }


def _finding(finding: GateFinding, files: Mapping[int, str]) -> dict[str, Any]:
    return {
        "verdict": finding.kind,
        "exit_code": finding.code,
        "message": finding.message,
        "about": finding.about,
        "source": _source(finding.where),
        "trace": None if finding.trace is None else encode(finding.trace),
        "trace_file": files.get(id(finding.trace)),
    }


def _document_difference(difference: Difference, files: Mapping[int, str]) -> dict[str, Any]:
    return {
        "incomparable": difference.incomparable,
        "cut": difference.cut,
        "compared_states": {"new": difference.explored[1].states, "base": difference.explored[0].states},
        "initial_states": {"gained": difference.initial_only[1], "lost": difference.initial_only[0]},
        "actions": [_action(one, files) for one in changes(difference)],
    }


def _action(one: ActionChange, files: Mapping[int, str]) -> dict[str, Any]:
    return {
        "action": one.action,
        "kind": one.kind,
        "gained": one.gained.steps,
        "lost": one.lost.steps,
        "gained_example": _example(one.gained.example, BASELINE, files),
        "lost_example": _example(one.lost.example, CHANGE, files),
    }


def _example(example: Example | None, whose: str, files: Mapping[int, str]) -> dict[str, Any] | None:
    if example is None:
        return None
    return {
        "steps": example.trace.length - 1,
        "step": example.trace.steps[-1].instance.label,
        "reason": reason(example, whose),
        "refused_by": _source(example.refused.guard.where if example.refused.guard else None),
        "trace": encode(example.trace),
        "trace_file": files.get(id(example.trace)),
    }


def _source(where: SourceLine | None) -> dict[str, Any] | None:
    return None if where is None else {"file": where.file, "line": where.line}


# -- schema -----------------------------------------------------------------------------------------------------------
# The JSON schema of `result.json`, as `epochal gate --schema` prints it (JSON Schema, draft 2020-12).

_TEXT: dict[str, Any] = {"type": "string"}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
_CODE: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": 255}
_SECONDS: dict[str, Any] = {"type": "number", "minimum": 0}


def _object(optional: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    """An object with exactly these entries, of which the `optional` ones may be missing."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _by_name(values: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


def _or_null(one: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [one, {"type": "null"}]}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def gate_schema() -> dict[str, Any]:
    """The schema."""
    verdict = {"enum": list(KINDS)}
    trace = {"type": "object", "required": ["#meta", "vars", "states"], "description": "a run in ITF"}
    document = _object(
        format={"const": FORMAT},
        version={"const": VERSION},
        tool=_TEXT,
        tool_version=_TEXT,
        base={**_TEXT, "description": "the commit or the lock file that the models were compared with"},
        profile={"enum": ["pr", "nightly", "release"]},
        budget_seconds=_or_null(_SECONDS),
        wall_seconds=_SECONDS,
        stopped={**_TEXT, "description": "why the run ended early; empty if it did not"},
        exit_code=_CODE,
        models=_list(_ref("model")),
        skipped={**_list(_TEXT), "description": "unchanged models that were left out on request"},
        code_links=_list(_TEXT),
    )
    document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    document["title"] = "result.json of epochal gate"
    document["$defs"] = {
        "source": _object(file=_TEXT, line={"type": "integer", "minimum": 0}),
        "trace": trace,
        "model": _object(
            name=_TEXT,
            protocol=_TEXT,
            bounds=_by_name({"type": "integer"}),
            verdict={**verdict, "description": "the most severe finding"},
            relation=_or_null({**verdict, "description": "how the behaviour compares with the base"}),
            exit_code=_CODE,
            source={"enum": ["", "search", "cache"]},
            wall_seconds=_SECONDS,
            findings=_list(_ref("finding")),
            turned=_list(_object(property=_TEXT, before=_TEXT, after=_TEXT)),
            notes=_list(_TEXT),
            approved={**_or_null(_TEXT), "description": "the reason in the lock file, if that approves the change"},
            warnings=_list(_TEXT),
            record=_or_null(_ref("record")),
            baseline=_or_null(_object(name=_TEXT, record=_ref("record"))),
            difference=_or_null(_ref("difference")),
        ),
        "finding": _object(
            verdict=verdict,
            exit_code=_CODE,
            message=_TEXT,
            about=_TEXT,
            source=_or_null(_ref("source")),
            trace=_or_null(_ref("trace")),
            trace_file=_or_null(_TEXT),
        ),
        "record": _object(
            optional=("part_digests",),
            protocol=_TEXT,
            bounds=_by_name({"type": "integer"}),
            **dict.fromkeys(("tool", "specification_digest", "text_digest", "engine"), _TEXT),
            exhaustive={"type": "boolean"},
            cut=_TEXT,
            **dict.fromkeys(("distinct_states", "generated_states", "depth"), _COUNT),
            **dict.fromkeys(("state_digest", "step_digest"), _TEXT),
            part_digests={**_by_name(_TEXT), "description": "of the rules alone, and of what of them is a bound"},
            properties=_by_name(
                _object(
                    optional=("round", "stopped"),
                    kind={"enum": ["invariant", "action_property", "reachable", "leads_to"]},
                    verdict={"enum": ["holds", "violated", "unknown", "not applicable", "not judged"]},
                    length=_or_null(_COUNT),
                    digest=_TEXT,
                    round={**_or_null(_COUNT), "description": "steps of the cycle that violates a liveness property"},
                    stopped={**_or_null(_COUNT), "description": "states in which only a bound stops a fair step"},
                )
            ),
            actions=_by_name(_object(steps=_COUNT, new_states=_COUNT)),
        ),
        "difference": _object(
            incomparable=_TEXT,
            cut=_TEXT,
            compared_states=_object(new=_COUNT, base=_COUNT),
            initial_states=_object(gained=_COUNT, lost=_COUNT),
            actions=_list(
                _object(
                    action=_TEXT,
                    kind={"enum": ["narrowed", "widened", "changed"]},
                    gained=_COUNT,
                    lost=_COUNT,
                    gained_example=_or_null(_ref("example")),
                    lost_example=_or_null(_ref("example")),
                )
            ),
        ),
        "example": _object(
            steps=_COUNT,
            step=_TEXT,
            reason=_TEXT,
            refused_by=_or_null(_ref("source")),
            trace=_ref("trace"),
            trace_file=_or_null(_TEXT),
        ),
    }
    return document


# -- summary ----------------------------------------------------------------------------------------------------------
# The summary of a run in Markdown, for a pull request: what changed, and the runs that show it.


HAPPENS = {"violated": "is violated", "canary dead": "happens"}
SHOWN_RUNS = 6
"""How many runs are told in full in one summary."""


def summary(result: GateResult, files: Mapping[int, str]) -> str:
    """The summary. `files` are the trace files that were written, by the `id` of the trace."""
    lines = [f"# Epochal: {headline(result)}", ""]
    if result.stopped:
        lines += [f"The run was stopped ({_text(result.stopped)}): what is known so far.", ""]
    lines += ["| model | verdict | states | depth | compared with |", "|---|---|---:|---:|---|"]
    lines += [_row(model) for model in result.models]
    lines.append("")
    if result.skipped:
        lines += [f"Unchanged and left out: {', '.join(f'`{name}`' for name in result.skipped)}.", ""]
    lines += [f"* {_text(text)}" for text in result.link_warnings]
    lines += [""] if result.link_warnings else []
    told = 0
    for model in result.models:
        section, told = _section(model, files, told)
        lines += section
    lines.append(_footer(result))
    return "\n".join(lines) + "\n"


def headline(result: GateResult) -> str:
    """The result in one line: `1 of 4 models fails: kip-320 widened`."""
    failing = [model for model in result.models if model.code]
    if not failing and result.stopped:
        return f"stopped before everything was compared (exit code {result.exit_code})"
    if not failing:
        changed = [m for m in result.models if m.verdict not in ("unchanged",)]
        if not changed:
            return "nothing changed" if len(result.models) != 1 else f"{result.models[0].name} is unchanged"
        return f"passes: {', '.join(f'{m.name} {m.verdict}' for m in changed)}"
    count = f"{len(failing)} of {len(result.models)} model{'s' if len(result.models) > 1 else ''}"
    verb = "fails" if len(failing) == 1 else "fail"
    return f"{count} {verb}: {', '.join(f'{m.name} {m.verdict}' for m in failing)} (exit code {result.exit_code})"


def _row(model: ModelOutcome) -> str:
    mark = f"**{model.verdict}** ({model.code})" if model.code else model.verdict
    record = model.record
    states = f"{record.distinct_states:,}{'' if record.exhaustive else ' so far'}" if record else "-"
    base = model.baseline
    compared = "nothing" if base is None else f"`{base.name}`: {base.record.distinct_states:,} states"
    return f"| `{model.name}` | {mark} | {states} | {record.depth if record else '-'} | {compared} |"


def _section(model: ModelOutcome, files: Mapping[int, str], told: int) -> tuple[list[str], int]:
    """What there is to say about a model; nothing if it is unchanged. `told` runs were told before."""
    plain_facts = [f for f in model.findings if f.code or f.kind != "refactored"]
    judgement = model.judgement
    refactored = [f for f in model.findings if f.kind == "refactored"]
    if not (plain_facts or refactored or (judgement and (judgement.turned or judgement.notes))):
        return [], told
    within = ", ".join(f"{name} {value}" for name, value in model.bounds.items()) or "no bounds"
    lines = [f"## {model.name}: {model.verdict}", "", f"`{model.reference}` within {within}.", ""]
    lines += [_bullet(finding) for finding in model.findings]
    if judgement is not None:
        lines += [f"* `{name}`: {before} before, {after} now" for name, before, after in judgement.turned]
        lines += [f"* {_text(note)}" for note in judgement.notes]
        if judgement.approved is not None:
            lines.append(f"* approved in the lock file: {_text(judgement.approved) or '(no reason)'}")
    lines.append("")
    if model.difference is not None:
        lines += _summary_difference(model.difference, model.baseline)
    for heading, trace in _runs(model):
        if told >= SHOWN_RUNS:
            file = files.get(id(trace))
            lines += [f"{heading}: see `{file}`." if file else f"{heading}: in `result.json`.", ""]
            continue
        told += 1
        lines += _summary_run(heading, trace, files.get(id(trace)))
    return lines, told


def _bullet(finding: GateFinding) -> str:
    where = f" ({finding.where})" if finding.where is not None and str(finding.where) not in finding.message else ""
    text = f"{_text(finding.message)}{where}"
    if finding.advice:
        text = f"{text}. {_text(finding.advice)}."
    return f"* **{finding.kind}**: {text}" if finding.code else f"* {finding.kind}: {text}"


def _summary_difference(difference: Difference, base: Baseline | None) -> list[str]:
    if difference.incomparable:
        return [f"Steps were not compared: {_text(difference.incomparable)}.", ""]
    name = f"`{base.name}`" if base is not None else "the baseline"
    found = changes(difference)
    if not found:
        return []
    lines = ["| action | | steps gone | steps new |", "|---|---|---:|---:|"]
    lines += [f"| `{title(a.action)}` | {a.kind} | {a.lost.steps:,} | {a.gained.steps:,} |" for a in found]
    old, new = difference.explored
    counts = [f"{one.states:,} states of {what}" for one, what in ((new, "this version"), (old, name)) if one.states]
    bounded = f", and not in all of them: {difference.cut}" if difference.cut else ""
    return [*lines, "", f"Rule against rule, in {' and '.join(counts) or 'no state'}{bounded}.", ""]


def _runs(model: ModelOutcome) -> list[tuple[str, Trace]]:
    """The runs worth telling: of findings, then the shallowest steps that came and went."""
    runs = [
        (f"How {f.about or 'it'} {HAPPENS.get(f.kind, 'fails')}", f.trace)
        for f in model.findings
        if f.trace is not None and f.kind in ("violated", "rule failed", "canary dead")
    ]
    for action, gained, trace in _example_runs(model.difference):
        name = title(action)
        runs.append((f"A new step of {name}" if gained else f"A step of {name} that is gone", trace))
    return runs


def _example_runs(difference: Difference | None) -> Iterator[tuple[str, bool, Trace]]:
    """The shallowest steps that came and went: of which action, whether it came, and the run to it."""
    for one in changes(difference):
        for gained, answer in ((True, one.gained), (False, one.lost)):
            if answer.example is not None:
                yield one.action, gained, answer.example.trace


def _summary_run(heading: str, trace: Trace, file: str | None) -> list[str]:
    lines = [f"<details><summary>{_text(heading)}: {counted(trace.length, 'state')}</summary>", ""]
    lines += ["```text", *(line.replace("```", "'''") for line in story(trace)), "```", ""]
    lines += ["```mermaid", mermaid(trace).rstrip("\n"), "```", ""]
    option = protocol_option(protocol_name(trace))
    lines += [f"`epochal replay {shlex.quote(file)}{option}`", ""] if file else []
    return [*lines, "</details>", ""]


def _footer(result: GateResult) -> str:
    budget = f", budget {result.budget:g} s" if result.budget is not None else ""
    return (
        f"Compared with `{result.base}`, profile {result.profile}{budget}; epochal {result.tool}. "
        "A verdict holds within the bounds it names."
    )


def _text(text: str) -> str:
    """Text on one line in which nothing is read as a tag."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\n", " ")


# -- places -----------------------------------------------------------------------------------------------------------
# Where in a repository a line of a specification is, for the programs that show findings beside the code.


def repository_path(where: SourceLine, prefix: str) -> str:
    """The path of a line's file relative to the top of the repository.

    `prefix` is the working folder relative to that top, "" if it is the top. An absolute path stays as it is.
    """
    path = PurePosixPath(where.file)
    return str(path if path.is_absolute() or not prefix else PurePosixPath(prefix) / path)


def uri(where: SourceLine, prefix: str) -> str:
    """The same as a URI reference."""
    path = repository_path(where, prefix)
    return Path(path).as_uri() if path.startswith("/") else quote(path)


def plain(text: str) -> str:
    """The text on one line, without control characters, which XML cannot hold and terminals obey."""
    return "".join(c if c.isprintable() else " " for c in text)


# -- sarif ------------------------------------------------------------------------------------------------------------
# SARIF 2.1.0, for GitHub code scanning: one run a model, one rule a property, the whole run of a finding as code flow.
#
# https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html

SCHEMA: Final = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json"
INFORMATION: Final = "https://pypi.org/project/epochal/"
MEANINGS: Final = {
    "rule failed": "A rule of the specification cannot be evaluated in a reachable state.",
    "semantics disagree": "An engine gives another result for a state than the Python semantics.",
    "not loaded": "The specification cannot be loaded or compiled.",
    "changed": "The specification allows steps that the baseline does not, and no longer allows others.",
    "widened": "The specification allows steps that the baseline does not.",
    "unseen": "The rules differ from those of the baseline where no state within the bounds shows it.",
    "new": "There is no baseline for the model.",
    "not proved": "The invariants do not follow from the lemmas.",
    "canary dead": "A known violation, or something that must be possible, is no longer found.",
    "vacuous": "An action can never happen, or a property cannot fail.",
    "inconclusive": "Not every state was seen.",
    "narrowed": "The specification no longer allows steps that the baseline does.",
}


def sarif_document(result: GateResult, prefix: str, fallback: str) -> dict[str, Any]:
    """The log. `prefix` is the working folder below the top of the repository; `fallback` the file of findings that
    have no line of their own."""
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [_sarif_run(m, result.tool, prefix, fallback) for m in result.models],
    }


def _sarif_run(model: ModelOutcome, version: str, prefix: str, fallback: str) -> dict[str, Any]:
    rules = _rules(model)
    index = {rule["id"]: at for at, rule in enumerate(rules)}
    shown = [f for f in model.findings if f.code or f.kind == "narrowed"]
    return {
        "tool": {"driver": {"name": "epochal", "version": version, "informationUri": INFORMATION, "rules": rules}},
        "automationDetails": {"id": f"epochal/{plain(model.name)}/"},
        "columnKind": "unicodeCodePoints",
        "results": [_result(model, finding, index, prefix, fallback) for finding in shown],
    }


def _rules(model: ModelOutcome) -> list[dict[str, Any]]:
    """A rule for each property of the protocol, and for each other kind of finding."""
    rules = []
    if model.protocol is not None:
        for kind in ("invariant", "action_property", "reachable"):
            for member in model.protocol.members(kind):
                rules.append(_rule(member.name, member.sentence, member.description))
    return [*rules, *(_rule(_kind_id(kind), text, text) for kind, text in MEANINGS.items())]


def _rule(name: str, short: str, full: str) -> dict[str, Any]:
    return {
        "id": name,
        "shortDescription": {"text": plain(short) or name},
        "fullDescription": {"text": plain(full) or name},
        "help": {
            "text": f"{plain(full) or name} Read the code flow: it is a shortest run. epochal explain CODE says more."
        },
    }


def _kind_id(kind: str) -> str:
    return f"gate-{kind.replace(' ', '-')}"


def _result(
    model: ModelOutcome, finding: GateFinding, index: dict[str, int], prefix: str, fallback: str
) -> dict[str, Any]:
    rule = finding.about if finding.about in index else _kind_id(finding.kind)
    where = finding.where or SourceLine(fallback, 1)
    within = ", ".join(f"{name} {value}" for name, value in model.bounds.items()) or "no bounds"
    made: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": index[rule],
        "level": "error" if finding.code else "note",
        "message": {"text": plain(f"{model.name} ({within}): {finding.message}")},
        "locations": [{"physicalLocation": _place(where, prefix)}],
        "partialFingerprints": {"primaryLocationLineHash": _fingerprint(model, finding)},
    }
    if finding.trace is not None and finding.trace.steps:
        made["codeFlows"] = [_code_flow(finding.trace, prefix)]
    return made


def _place(where: SourceLine, prefix: str) -> dict[str, Any]:
    return {"artifactLocation": {"uri": uri(where, prefix)}, "region": {"startLine": max(where.line, 1)}}


def _fingerprint(model: ModelOutcome, finding: GateFinding) -> str:
    """Equal for the same problem in two runs: from the property, the last action and what the last state shows.

    Which replica plays which part does not count, so values are taken without their places.
    """
    parts = [model.name, finding.kind, finding.about]
    if finding.trace is not None and finding.trace.steps:
        parts.append(finding.trace.steps[-1].instance.action.name)
        parts += _abstract(finding.trace.protocol, finding.trace)
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest() + ":1"


def _abstract(protocol: Protocol, trace: Trace) -> list[str]:
    values = shown_leaves(protocol, trace.states[-1])
    return sorted(f"{path.rsplit('.', 1)[-1]} {value}" for path, value in values.items())


def _code_flow(trace: Trace, prefix: str) -> dict[str, Any]:
    locations = []
    for step in explain(trace):
        changes = "; ".join(str(told) for told in step.told) or "nothing changes"
        locations.append(
            {
                "location": {
                    "physicalLocation": _place(step.where, prefix),
                    "message": {"text": plain(f"{step.number}. {step.label}: {changes}")},
                },
                "executionOrder": step.number,
            }
        )
    return {
        "message": {"text": plain(f"a shortest run, within {shown_bounds(trace.protocol)}")},
        "threadFlows": [{"locations": locations}],
    }


# -- github -----------------------------------------------------------------------------------------------------------
# Annotations of GitHub Actions: workflow commands that put a finding beside the line it is about.
#
# https://docs.github.com/actions/reference/workflow-commands-for-github-actions

WARNED: Final[tuple[Kind, ...]] = ("narrowed", "inconclusive", "widened", "changed", "unseen")
"""The verdicts that are told where they do not fail."""

MOST = 10
"""GitHub shows no more of a kind for one step."""


def workflow_commands(result: GateResult, prefix: str) -> list[str]:
    """The commands, worst first: at most ten errors and how many more there are, then as many warnings."""
    failures = result.failures()
    told = [(m, f) for m, f in result.warnings() if f.kind in WARNED]
    lines = [_command("error", model, finding, prefix) for model, finding in failures[:MOST]]
    if len(failures) > MOST:
        lines.append(f"::error::+{len(failures) - MOST} more; see the summary")
    lines += [_command("warning", model, finding, prefix) for model, finding in told[:MOST]]
    return lines + [f"::warning::{_data(text)}" for text in result.link_warnings[:MOST]]


def _command(level: str, model: ModelOutcome, finding: GateFinding, prefix: str) -> str:
    title = f"epochal: {model.name}: {finding.kind}"
    place = ""
    if finding.where is not None:
        path = repository_path(finding.where, prefix)
        place = f"file={_property(path)},line={finding.where.line},"
    return f"::{level} {place}title={_property(title)}::{_data(finding.message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# -- junit ------------------------------------------------------------------------------------------------------------
# JUnit XML: one file a model, one test case a property, and one each for the behaviour and for the actions.
#
# Written to `DIR/MODULE/SUITE/TEST-*.xml`, the layout that Kafka's own CI script reads. No case name occurs twice.


MODULE = "epochal"


def junit_files(result: GateResult, timestamp: str) -> dict[str, str]:
    """The XML of each model by its path below the folder. `timestamp` is the beginning of the run, ISO 8601."""
    found: dict[str, str] = {}
    for model in result.models:
        name = "".join(c if c.isalnum() or c in "-_." else "-" for c in model.name)
        while f"{MODULE}/{name}/TEST-{name}.xml" in found:
            name += "-"
        found[f"{MODULE}/{name}/TEST-{name}.xml"] = _document(model, timestamp, "inconclusive" in result.fail_on)
    return found


def _document(model: ModelOutcome, timestamp: str, strict: bool) -> str:
    cases = _cases(model, strict)
    suites = ElementTree.Element("testsuites")
    counts = {
        "tests": len(cases),
        "failures": sum(case.find("failure") is not None for case in cases),
        "errors": sum(case.find("error") is not None for case in cases),
        "skipped": sum(case.find("skipped") is not None for case in cases),
    }
    attributes = {name: str(count) for name, count in counts.items()}
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        {"name": f"epochal gate: {model.name}", **attributes, "time": f"{model.seconds:.3f}", "timestamp": timestamp},
    )
    suite.extend(cases)
    ElementTree.indent(suites, " ")
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _cases(model: ModelOutcome, strict: bool) -> list[ElementTree.Element]:
    """The cases of a model. The time of the search stands at the first, because it checks all properties at once.

    With `strict` what is inconclusive is a failure; else it is skipped.
    """
    within = ", ".join(f"{name} {value}" for name, value in model.bounds.items()) or "no bounds"
    cases: list[ElementTree.Element] = []

    def case(what: str) -> ElementTree.Element:
        attributes = {
            "classname": f"epochal.{plain(model.name)}",
            "name": plain(f"{model.name}: {what} ({within})"),
            "time": f"{0.0 if cases else model.seconds:.3f}",
        }
        cases.append(ElementTree.Element("testcase", attributes))
        return cases[-1]

    left = list(model.findings)
    for name, one in model.record.properties.items() if model.record is not None else ():
        made = case(name)
        own = [f for f in left if f.about == name and f.code]
        left = [f for f in left if f not in own]
        if own:
            _add(made, own, strict)
        elif one.verdict in ("unknown", "not judged"):
            assert model.record is not None
            ElementTree.SubElement(made, "skipped", {"message": plain(f"not known: {model.record.cut}")})
        elif one.verdict == "not applicable":
            ElementTree.SubElement(made, "skipped", {"message": "does not apply under these bounds and settings"})
    actions = model.record.actions if model.record is not None else {}
    vacuous = [f for f in left if f.kind == "vacuous"]
    if actions:
        _add(case("every action can happen"), vacuous, strict)
        left = [f for f in left if f not in vacuous]
    _add(case("behaviour is the approved one"), left, strict)
    return cases


def _add(case: ElementTree.Element, findings: list[GateFinding], strict: bool) -> None:
    """Put what was found into a case: at most one element, because readers take no more."""
    failing = [finding for finding in findings if finding.code]
    if not failing:
        return
    message = plain("; ".join(finding.message for finding in failing))
    kinds = {finding.kind for finding in failing}
    if kinds == {"inconclusive"} and not strict:
        ElementTree.SubElement(case, "skipped", {"message": message})
        return
    name = "error" if kinds & {"not loaded", "rule failed", "semantics disagree"} else "failure"
    element = ElementTree.SubElement(case, name, {"type": failing[0].kind, "message": message})
    runs = [line for f in failing if f.trace is not None for line in (*story(f.trace), "")]
    element.text = "\n".join(plain(line).rstrip() for line in runs)


# -- finding places ---------------------------------------------------------------------------------------------------
# Findings of the gate at lines that the repository has, for programs that show them beside its code.
#
# The action that breaks a property is often inherited, from a file of the installed package. No reviewer sees an
# annotation there: it is put on the class of the model, or on the configuration, and names the line in its text.


def within(result: GateResult, folder: Path, configuration: str) -> GateResult:
    """The result with every finding at a file below `folder`, the working folder; `configuration` is its file there."""
    return replace(result, models=tuple(_moved(model, folder, configuration) for model in result.models))


def _moved(model: ModelOutcome, folder: Path, configuration: str) -> ModelOutcome:
    home = _home(model.protocol, folder) or SourceLine(configuration, 1)

    def moved(finding: GateFinding) -> GateFinding:
        where = finding.where
        if where is None or (folder / where.file).is_file():
            return finding
        return replace(finding, where=home, message=f"{finding.message} ({where})")

    judgement = model.judgement
    if judgement is not None:
        judgement = replace(judgement, findings=tuple(map(moved, judgement.findings)))
    problem = moved(model.problem) if model.problem is not None else None
    return replace(model, judgement=judgement, problem=problem)


def _home(protocol: Protocol | None, folder: Path) -> SourceLine | None:
    """Where the class of a protocol begins; None if its file is not below the folder, or is gone."""
    if protocol is None:
        return None
    try:
        file, (_, line) = inspect.getfile(type(protocol)), inspect.getsourcelines(type(protocol))
    except (OSError, TypeError):
        return None
    shown = shown_path(file)
    return SourceLine(shown, line) if (folder / shown).is_file() else None


TRACES, JUNIT = "traces", "junit"


class GateFolder(OutputFolder):
    """Where a run of the gate puts its reports. Making it fails with exit code 153 if nothing can be written there."""

    def write(self, result: GateResult, prefix: str, fallback: str, timestamp: str) -> list[str]:
        """Write every report; the paths of those that people start from.

        `prefix` is the working folder below the top of the repository, `fallback` the file of findings without a line.
        """
        files = {id(trace): f"{TRACES}/{name}.itf.json" for name, trace in _named_traces(result)}
        for name, trace in _named_traces(result):
            self.write_text(f"{TRACES}/{name}.itf.json", dumps(trace))
            self.write_text(f"{TRACES}/{name}.md", markdown(trace, f"{name}.itf.json"))
            self.write_text(f"{TRACES}/{name}.html", trace.to_html(f"{name}.itf.json"))
        shown = {key: (self.path / file).as_posix() for key, file in files.items()}
        for name, text in junit_files(result, timestamp).items():
            self.write_text(f"{JUNIT}/{name}", text)
        sarif = sarif_document(within(result, Path.cwd(), fallback), prefix, fallback)
        self.write_document("sarif.json", sarif)
        self.write_text("summary.md", summary(result, shown))
        self.write_document("result.json", gate_document(result, files))
        return [str(self.path / name) for name in ("summary.md", "result.json", "sarif.json", JUNIT)]


def _named_traces(result: GateResult) -> Iterator[tuple[str, Trace]]:
    """Every trace of a result, with a file name of its own."""
    used: set[str] = set()
    seen: set[int] = set()
    for model in result.models:
        for about, trace in _traces(model):
            if id(trace) in seen:
                continue
            seen.add(id(trace))
            name = f"{slug(model.name)}-{slug(about)}"
            while name in used:
                name += "-2"
            used.add(name)
            yield name, trace


def _traces(model: ModelOutcome) -> Iterator[tuple[str, Trace]]:
    for action, gained, trace in _example_runs(model.difference):
        yield f"{action}-new-step" if gained else f"{action}-step-gone", trace
    for finding in model.findings:
        if finding.trace is not None:
            yield finding.about or finding.kind, finding.trace
