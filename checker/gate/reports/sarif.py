"""SARIF 2.1.0, for GitHub code scanning: one run a model, one rule a property, the whole run of a finding as code flow.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html
"""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import quote

from epochal.spec.language import Protocol, SourceLine
from epochal.spec.language.display import shown_leaves

from ...trace.explain import explain, shown_bounds
from ...trace.trace import Trace
from ..outcome import GateResult, ModelOutcome
from ..verdict import GateFinding, Kind

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
        "runs": [_run(m, result.tool, prefix, fallback) for m in result.models],
    }


def _run(model: ModelOutcome, version: str, prefix: str, fallback: str) -> dict[str, Any]:
    rules = _rules(model)
    index = {rule["id"]: at for at, rule in enumerate(rules)}
    shown = [f for f in model.findings if f.code or f.kind == "narrowed"]
    return {
        "tool": {
            "driver": {"name": "epochal", "version": version, "informationUri": INFORMATION, "rules": rules},
        },
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
    return {
        "artifactLocation": {"uri": uri(where, prefix)},
        "region": {"startLine": max(where.line, 1)},
    }


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
