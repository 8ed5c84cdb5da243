"""The result of a run of the gate: one outcome for each model, from which every report is made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol

from ..base.installed import tool_version
from ..difference.difference import Difference
from .configuration import CodeLink
from .record import Record
from .verdict import KINDS, Baseline, GateFinding, Judgement, Kind, changes


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
        actions = sorted({a for m in models for a in _changed_actions(m) if not link.actions or a in link.actions})
        named = ", ".join(link.actions) or "the model"
        if touched and not actions:
            found.append(f"{', '.join(touched[:3])} changed, but what models it did not: {named}")
        elif actions and not touched:
            found.append(f"{', '.join(actions)} changed, but the code it models did not: {', '.join(link.files)}")
    return tuple(found)


def _changed_actions(model: ModelOutcome) -> list[str]:
    return [one.action for one in changes(model.difference)]


def _matches(file: str, pattern: str) -> bool:
    """Whether a path matches a pattern, in which `*` and `?` stay within a folder and `**` crosses folders."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.fullmatch("".join(words.get(part, re.escape(part)) for part in parts), file) is not None
