"""`epochal.compare`: which steps one protocol takes and another does not, and the other way round."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from epochal.checker.base.installed import require_solver
from epochal.checker.search.confirm import replay_all
from epochal.checker.trace.output_folder import OutputFolder, opened
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.spec.language.configurable import beside, reference_to, split_reference

from .check import CheckResult, check
from .options import SearchKeywords, reference_of, required
from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.difference.compare import Comparison as Compared
    from epochal.checker.search.result import CheckResult as Search
    from epochal.checker.search.result import Progress
    from epochal.checker.trace.trace import Trace
    from epochal.report.compare import Example
    from epochal.report.documents import solver as documents
    from epochal.report.page import Page
    from epochal.spec.language import Protocol


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """How two protocols with the same states differ, action by action. `compared` has every answer.

    With `strict` a difference is a finding: exit code 20. `checked` are the two checked whole, if that was asked.
    """

    truth: ClassVar[str] = "same"

    compared: Compared
    references: tuple[str, str]
    examples: tuple[Example, ...]
    readings: tuple[str, ...]
    strict: bool = False
    checked: tuple[CheckResult, CheckResult] | None = None

    @property
    def judged(self) -> tuple[CheckResult, CheckResult] | None:
        """The former name of `checked`, which works for one release more."""
        warnings.warn("judged is called checked now; the next release drops it", DeprecationWarning, stacklevel=2)
        return self.checked

    @property
    def same(self) -> bool:
        """Whether both take the same steps from their initial states on."""
        return self.compared.verdict == "same"

    @property
    def exit_code(self) -> ExitCode:
        """0: compared; 20: they differ, if that is a finding; 30 and 31: a budget or the solver left it open."""
        if self.compared.verdict == "unknown":
            return ExitCode.SOLVER_UNKNOWN if self.compared.solver_gave_up else ExitCode.INCONCLUSIVE
        return ExitCode.DRIFTED if self.compared.verdict == "differs" and self.strict else ExitCode.HOLDS

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the comparison."""
        return self.compared.interrupted or any(one.interrupted for one in self.checked or ())

    @property
    def findings(self) -> list[str]:
        """The reachable steps that only one of them takes."""
        return [example.name for example in self.examples if example.scope == "reachable"]

    @property
    def headline(self) -> str:
        """The answer in one line."""
        from epochal.report.compare import headline

        return f"{' and '.join(self.references)}: {headline(self.compared)}"

    @property
    def counterexample(self) -> Trace | None:
        """The run to the first step that only one of them takes; None without any."""
        return self.examples[0].trace if self.examples else None

    def to_dict(self) -> documents.Compare:
        """The result as plain data, with its examples as ITF."""
        from epochal.report.compare import compare_document

        return compare_document(
            self.compared, self.references, self.examples, self.readings, self.exit_code, self._searches
        )

    def write(self, folder: OutputFolder | str | Path) -> list[str]:
        """Write every example and run (ITF) and result.json to a folder; the paths. Raises EngineError."""
        folder = opened(folder)
        runs = [*((one.name, one.trace) for one in self.examples), *self.runs]
        paths = [folder.write_trace(trace.protocol.name, name, trace) for name, trace in runs]
        return [str(path) for path in (*paths, folder.write_document("result.json", self.to_dict()))]

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.compare import render_comparison

        render_comparison(
            page, self.compared, self.references, list(self.examples), self.readings, list(files), self._searches
        )

    @property
    def runs(self) -> list[tuple[str, Trace]]:
        """The runs that break what the other protocol keeps, if both were checked, each with a name for its file."""
        from epochal.report.compare import runs_of_differences

        return [] if self._searches is None else runs_of_differences(self._searches)

    @property
    def _searches(self) -> tuple[Search, Search] | None:
        return None if self.checked is None else (self.checked[0].search, self.checked[1].search)


@question
def compare(
    first: Protocol,
    second: Protocol,
    *,
    renamed: Mapping[str, str] | None = None,
    rlimit: int | None = None,
    max_states: int | None = None,
    budget: float | None = None,
    begun: float | None = None,
    strict: bool = False,
    check_properties: bool = False,
    progress: Callable[[Progress], None] | None = None,
    references: tuple[str, str] | None = None,
) -> Comparison:
    """Say which steps `first` takes and `second` does not, and the other way round, action by action.

    Both need the same states at the same bounds. Where answers to fetches may be lost in one, they may in both.
    `renamed` maps actions of the first to those of the second. Each action is asked in any typed state and in any that
    satisfies the lemmas of both, by Z3, and in every state that the protocol with the step reaches, by search. An
    example shows the step and the guard that refuses it. `budget` is in seconds since `begun` (None: now), for all of
    it. With `check_properties` both are searched completely, and their invariants and liveness properties (`leads_to`)
    checked: `checked` has what holds in each.

    Raises LanguageError for protocols with other states, UsageError for an action that does not exist, EngineError
    without Z3, Inconclusive if the budget is spent before anything was asked.
    """
    first, second = required(first, "compare"), required(second, "compare")
    kinds = type(first), type(second)
    first, second = _beside(first, kinds[1]), _beside(second, kinds[0])
    _refuse_unknown(renamed or {}, first, second)
    require_solver()
    from epochal.checker.difference.compare import MAX_STATES, RLIMIT
    from epochal.checker.difference.compare import compare as compared
    from epochal.report.compare import examples

    begun = time.monotonic() if begun is None else begun
    names = _names(first, second, references)
    found = compared(
        first,
        second,
        dict(renamed or {}),
        rlimit=RLIMIT if rlimit is None else rlimit,
        max_states=MAX_STATES if max_states is None else max_states,
        budget=budget,
        begun=begun,
        progress=progress,
    )
    told = tuple(examples(found, names))
    readings: tuple[str, ...] = ()
    for one in (first, second):
        readings = replay_all(one, [e.trace for e in told if e.trace.protocol is one]).readings or readings
    both = None
    if check_properties and not found.interrupted:
        limits: SearchKeywords = {
            "all_violations": True,
            "max_states": found.max_states,
            "budget": budget,
            "begun": begun,
            "progress": progress,
        }
        both = (check(first, reference=names[0], **limits), check(second, reference=names[1], **limits))
    return Comparison(found, names, told, readings, strict, both)


def _beside(protocol: Protocol, other: type[Protocol]) -> Protocol:
    """The protocol with the settings that it needs to be compared with another."""
    kind = beside(type(protocol), other)
    return protocol if kind is type(protocol) else kind(protocol.bounds)


def _names(first: Protocol, second: Protocol, said: tuple[str, str] | None) -> tuple[str, str]:
    """What the two are called: as somebody has said, with all settings that they have."""
    if said is None:
        return reference_of(first), reference_of(second)
    called = [
        reference_to(split_reference(name)[0], type(one)) for name, one in zip(said, (first, second), strict=True)
    ]
    return called[0], called[1]


def _refuse_unknown(renamed: Mapping[str, str], first: Protocol, second: Protocol) -> None:
    """Raise UsageError for actions that do not exist, and for two that become one."""
    for old, new in renamed.items():
        for name, protocol in ((old, first), (new, second)):
            actions = [action.name for action in protocol.members("action")]
            if name not in actions:
                raise UsageError(f"{protocol.name} has no action {name!r}.", f"Its actions: {', '.join(actions)}.")
        if list(renamed.values()).count(new) > 1:
            raise UsageError(f"two actions are renamed to {new!r}", "Each has one partner.")
