"""The summary of a run in Markdown, for a pull request: what changed, and the runs that show it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from epochal.spec.language.members import title

from ...base.numbers import counted
from ...difference.difference import Difference
from ...trace.explain import protocol_name, protocol_option
from ...trace.mermaid import mermaid
from ...trace.text import story
from ...trace.trace import Trace
from ..outcome import GateResult, ModelOutcome
from ..verdict import ActionChange, Baseline, GateFinding, changes

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
        lines += _difference(model.difference, model.baseline)
    for heading, trace in _runs(model):
        if told >= SHOWN_RUNS:
            file = files.get(id(trace))
            lines += [f"{heading}: see `{file}`." if file else f"{heading}: in `result.json`.", ""]
            continue
        told += 1
        lines += _run(heading, trace, files.get(id(trace)))
    return lines, told


def _bullet(finding: GateFinding) -> str:
    where = f" ({finding.where})" if finding.where is not None and str(finding.where) not in finding.message else ""
    text = f"{_text(finding.message)}{where}"
    if finding.advice:
        text = f"{text}. {_text(finding.advice)}."
    return f"* **{finding.kind}**: {text}" if finding.code else f"* {finding.kind}: {text}"


def _difference(difference: Difference, base: Baseline | None) -> list[str]:
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
    for one in changes(model.difference):
        runs += _examples(one)
    return runs


def _examples(one: ActionChange) -> list[tuple[str, Trace]]:
    found = []
    if one.gained.example is not None:
        found.append((f"A new step of {title(one.action)}", one.gained.example.trace))
    if one.lost.example is not None:
        found.append((f"A step of {title(one.action)} that is gone", one.lost.example.trace))
    return found


def _run(heading: str, trace: Trace, file: str | None) -> list[str]:
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
