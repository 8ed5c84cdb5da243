"""`epochal.compare`: which steps one protocol takes and another does not, and the other way round."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from epochal.checker.base.installed import require_solver
from epochal.checker.base.numbers import counted, timed
from epochal.checker.command_lines import bounds_as_options
from epochal.checker.difference.difference import SCOPES, ActionDifference, Answer, Explored, Refused, Scope
from epochal.checker.documents import document
from epochal.checker.search.confirm import replay_all
from epochal.checker.search.result import CheckResult as Search
from epochal.checker.search.result import Progress
from epochal.checker.trace.explain import Change, differences, explain, told_as
from epochal.checker.trace.output_folder import OutputFolder, opened
from epochal.checker.trace.trace import Trace
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.report import documents
from epochal.report.page import Page, Row, Style
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import beside, reference_to, remarks_on, split_reference
from epochal.spec.language.views import told_lines

from .check import CheckResult, check
from .options import SearchKeywords, reference_of, required
from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.difference.compare import Comparison as Compared


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
        return f"{' and '.join(self.references)}: {headline(self.compared)}"

    @property
    def counterexample(self) -> Trace | None:
        """The run to the first step that only one of them takes; None without any."""
        return self.examples[0].trace if self.examples else None

    def to_dict(self) -> documents.Compare:
        """The result as plain data, with its examples as ITF.

        `lost` are steps of the first protocol that the second does not take, `gained` the reverse.
        """
        by_difference = {id(example.difference): example for example in self.examples}
        lost, gained = (
            [document(documents.Difference, one, example=by_difference.get(id(one))) for one in own]
            for own in (self.compared.lost, self.compared.gained)
        )
        return document(
            documents.Compare,
            self.compared,
            first=self.references[0],
            second=self.references[1],
            explored=dict(zip(("first", "second"), self.compared.explored, strict=True)),
            lost=lost,
            gained=gained,
            checked=None if self._searches is None else verdicts(self._searches),
            replayed=self.readings,
            exit_code=self.exit_code,
        )

    def write(self, folder: OutputFolder | str | Path) -> list[str]:
        """Write every example and run (ITF) and result.json to a folder; the paths. Raises EngineError."""
        folder = opened(folder)
        runs = [*((one.name, one.trace) for one in self.examples), *self.runs]
        paths = [folder.write_trace(trace.protocol.name, name, trace) for name, trace in runs]
        return [str(path) for path in (*paths, folder.write_document("result.json", self.to_dict()))]

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        result, checked = self.compared, self._searches
        tone: dict[Answer, Style] = {"same": "good", "differs": "bad"}
        page.line(self.headline, tone.get(result.verdict, "warn"))
        page.line(f"bounds: {bounds_as_options(result.first.bounds.as_dict()) or 'none'}", indent=2)
        for reference, protocol in zip(self.references, (result.first, result.second), strict=True):
            for remark in remarks_on(protocol):
                page.line(f"{reference}: {remark}", "warn", indent=2)
        _directions(page, result, self.references)
        for example in self.examples:
            _example(page, example, self.references)
        if checked is not None:
            render_verdicts(page, checked, self.references)
        page.title("Comparison")
        where = f"by Z3; {counted(len(result.lemmas), 'common lemma')}"
        times = f"{timed(result.wall_seconds)}, of which solver {timed(result.solver_seconds)} of processor time"
        page.table(
            [
                ("typed states", where),
                *(
                    (f"reachable in {name}", _explored(e))
                    for name, e in zip(self.references, result.explored, strict=True)
                ),
                ("initial states", _initial(result)),
                ("constraint", result.constraint),
                ("time", times),
                *((("examples", f"replayed in: {', '.join(self.readings)}"),) if self.readings else ()),
            ]
        )
        page.title("Not compared")
        left = (
            "- the lemmas of the two"
            if checked is not None
            else "- the properties and lemmas of the two (--check-properties)"
        )
        page.lines(("- larger bounds", left), indent=2)
        page.written(files)

    @property
    def runs(self) -> list[tuple[str, Trace]]:
        """The runs that break what the other protocol keeps, if both were checked, each with a name for its file."""
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


# -- compare verdicts -------------------------------------------------------------------------------------------------
# The properties of two protocols, checked in each, and where the verdicts differ.

Checked = tuple[Search, Search]
"""The searches of the first protocol and of the second."""

HERE_ONLY = "not there"


def shown(verdict: str) -> str:
    """Return the words of a report for a verdict of a document."""
    return "not checked" if verdict == "not judged" else verdict


@dataclass(frozen=True)
class Said:
    """The verdict on one property in one protocol; `trace` is the run that shows it, if there is one.

    `round` is how many steps of that run repeat for ever, where a liveness property is violated.
    """

    verdict: str
    trace: Trace | None = None
    round: int | None = None

    @property
    def violated(self) -> bool:
        """Whether the property is violated."""
        return self.verdict == "violated"

    @property
    def word(self) -> tuple[str, Style]:
        """The verdict as a table shows it."""
        length = f" in {counted(self.trace.length, 'state')}" if self.violated and self.trace is not None else ""
        for_ever = ", then for ever" if self.round is not None and self.violated else ""
        tones: Mapping[str, Style] = {"violated": "bad", "holds": "good"}
        said = "VIOLATED" if self.violated else shown(self.verdict)
        return (f"{said}{length}{for_ever}", tones.get(self.verdict, "warn"))


@dataclass(frozen=True)
class Verdicts:
    """What both protocols say of one property; one that a protocol does not have is `not there`."""

    name: str
    kind: str
    first: Said
    second: Said

    @property
    def differ(self) -> bool:
        """Whether it holds in one of them alone, or is known of one alone."""
        return self.first.verdict != self.second.verdict


def verdicts(checked: Checked) -> list[Verdicts]:
    """The properties of both, in the order of the first, then those of the second alone."""
    said = [_said(one) for one in checked]
    names = list(dict.fromkeys([*said[0], *said[1]]))
    nothing = ("", Said(HERE_ONLY))
    return [
        Verdicts(name, (said[0].get(name) or said[1][name])[0], *(one.get(name, nothing)[1] for one in said))
        for name in names
    ]


def _said(result: Search) -> dict[str, tuple[str, Said]]:
    found: dict[str, tuple[str, Said]] = {}
    for one in result.properties:
        missed = one.member.mark.kind == "reachable" and one.verdict == "violated" and one.trace is None
        said = Said("not reached" if missed else one.verdict, one.trace)
        found[one.member.name] = (one.member.mark.kind, said)
    for promise in result.liveness.promises:
        found[promise.member.name] = ("leads_to", Said(promise.verdict, promise.trace, promise.round))
    return found


def runs_of_differences(checked: Checked) -> list[tuple[str, Trace]]:
    """The runs that break what the other protocol keeps, each with a name for its file."""
    found = []
    for one in verdicts(checked):
        for which, said in (("first", one.first), ("second", one.second)):
            if one.differ and said.violated and said.trace is not None:
                found.append((f"{which} breaks {one.name}", said.trace))
    return found


def render_verdicts(page: Page, checked: Checked, references: Sequence[str]) -> None:
    """Where the verdicts differ, as a table; how many are the same; and why something is not known."""
    every = verdicts(checked)
    page.title("What holds")
    differing = [one for one in every if one.differ]
    rows: list[Row] = [(one.name, one.first.word, one.second.word) for one in differing]
    if rows:
        page.table(rows, header=("PROPERTY", *references))
    same = [one for one in every if not one.differ]
    for verdict in dict.fromkeys(one.first.verdict for one in same):
        names = ", ".join(one.name for one in same if one.first.verdict == verdict)
        page.line(f"{shown(verdict)} in both: {names}", indent=2)
    for reference, result in zip(references, checked, strict=True):
        for why in _why_unknown(result):
            page.line(f"{reference}: {why}", "warn", indent=2)


def _why_unknown(result: Search) -> list[str]:
    """Why not everything is known of a protocol."""
    if result.error is not None:
        return [f"a rule cannot be evaluated: {result.error.message}"]
    if result.cut:
        return [f"not every state was explored: {result.cut}"]
    return [f"liveness is not checked: {result.liveness.reason}"] if result.liveness.reason else []


# -- compare json -----------------------------------------------------------------------------------------------------
# The result of a comparison as one JSON object, and the examples that every report of it shows.


@dataclass(frozen=True)
class Example:
    """An example of a difference: a trace whose last step only one protocol takes, and why the other does not.

    In a reachable state the trace is a whole run, else the one step. `reason` is told without the guard and the
    `changes`, which are the leaves that would be different. `name` is for its file.
    """

    difference: ActionDifference
    scope: Scope
    trace: Trace
    refused: Refused
    reason: str
    changes: tuple[Change, ...]
    name: str


def examples(result: Compared, references: tuple[str, str]) -> list[Example]:
    """One example for each action with steps of its own: in a reachable state, where the lemmas hold, or in any."""
    found = []
    for direction, own, reference, other in (
        ("lost", result.lost, references[0], result.second),
        ("gained", result.gained, references[1], result.first),
    ):
        for one in own:
            scope = next((scope for scope in reversed(SCOPES) if one.answers[scope].example is not None), None)
            example = None if scope is None else one.answers[scope].example
            if scope is None or example is None:
                continue
            trace, why = example.trace, example.refused
            reason = why.sentence(other.name)
            note = reason + (f": {why.guard.text} [{why.guard.where}]" if why.guard else "")
            told = replace(trace, note=note, facts={"protocol": reference, "engine": "z3"})
            if scope == "reachable":
                told = replace(told, facts={"protocol": reference, "engine": "native", "shortest": True})
            changes = () if why.after is None else differences(other, trace.states[-1], why.after)
            found.append(Example(one, scope, told, why, reason, changes, f"{direction} {one.action}"))
    return found


SAID: dict[Answer, tuple[str, Style]] = {
    "same": ("-", ""),
    "differs": ("own", "bad"),
    "unknown": ("?", "warn"),
    "not asked": ("", ""),
}
LEGEND = "own: steps that the other does not take   - none   ? not known"


def headline(result: Compared) -> str:
    """The verdict in one sentence."""
    if result.verdict == "unknown":
        return "it is open whether they behave the same"
    if result.verdict == "differs":
        return "their behaviour differs"
    if result.answers("typed") == {"same"}:
        return "the same steps in every typed state at these bounds"
    return (
        "the same steps in every reachable state at these bounds; they differ in states that no run reaches here, and "
        "larger bounds may reach them"
    )


def _directions(page: Page, result: Compared, references: tuple[str, str]) -> None:
    scopes = [s for s in SCOPES if s != "lemmas" or result.lemmas]
    heads = {"typed": "TYPED STATES", "lemmas": "WHERE LEMMAS HOLD", "reachable": "REACHABLE"}
    for own, left, right in ((result.lost, *references), (result.gained, references[1], references[0])):
        page.title(f"Steps of {left} that {right} does not take")
        rows: list[Row] = [(_name(one), *(SAID[one.answers[scope].answer] for scope in scopes)) for one in own]
        page.table(rows, header=("ACTION", *(heads[scope] for scope in scopes)))
    page.line(LEGEND, "faint", indent=2)


def _name(one: ActionDifference) -> str:
    if one.counterpart is None:
        return f"{one.action} (only here)"
    return one.action if one.counterpart == one.action else f"{one.action} (there {one.counterpart})"


def _example(page: Page, example: Example, references: tuple[str, str]) -> None:
    """One step: the state before it, what it changes, and why the other protocol does not take it."""
    trace, protocol = example.trace, example.trace.protocol
    reference = references[example.name.startswith("gained")]
    label = trace.steps[-1].instance.label
    page.title(f"{label}, a step of {reference} only")
    last = Trace(protocol, trace.states[-2], trace.steps[-1:])
    step = explain(replace(last, facts=trace.facts))[0]
    reached = f"Reached by {reference} in a run of {counted(len(trace.steps), 'state')}"
    page.line(f"0. {reached if example.scope == 'reachable' else trace.start}", indent=2)
    page.lines((f"{head}: {text}" for head, text in told_lines(protocol, trace.states[-2]).items()), indent=7)
    page.line(f"1. {told_as(step.label, step.sentence)}  [{step.where}]", indent=2)
    page.lines([str(told) for told in step.told] or ["(nothing changes)"], indent=7)
    page.line(example.reason, "bad", indent=2)
    guard = example.refused.guard
    if guard is not None:
        page.line(f"{guard.text}  [{guard.where}]", indent=4)
    page.lines((f"{c.path}: {c.before} here, {c.after} there" for c in example.changes), indent=4)


def _explored(one: Explored) -> str:
    if one.cut is None:
        return "nothing to search for: no typed state has such a step"
    return f"{counted(one.states, 'distinct state')}, {one.cut or 'all there are'}"


def _initial(result: Compared) -> str:
    first, second = result.initial_only
    return f"{first} only in the first, {second} only in the second" if first or second else "the same"
