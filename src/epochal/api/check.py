"""`epochal.check`: explore every reachable state within bounds, and check every property."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from epochal.checker.base.numbers import counted
from epochal.checker.search.confirm import Replayed, found_traces, replay_all, with_facts
from epochal.checker.search.engines import search_of
from epochal.checker.search.liveness import assumed_in, with_reason
from epochal.checker.search.result import Options
from epochal.checker.semantics.properties import liveness as guarantees_of
from epochal.checker.trace.output_folder import OutputFolder, opened
from epochal.errors import EpochalError, UsageError
from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol
from epochal.spec.language.errors import advice

from .options import SearchKeywords, reference_of, required
from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.liveness.result import LivenessVerdict
    from epochal.checker.search.engines import ClusterChoice
    from epochal.checker.search.result import CheckResult as SearchResult
    from epochal.checker.search.result import Verdict
    from epochal.checker.solver.static_checks import StaticReport
    from epochal.checker.trace.trace import Trace
    from epochal.report.documents import search as documents
    from epochal.report.page import Page


@dataclass(frozen=True, repr=False)
class CheckResult(Result):
    """What a search found. `search` has every figure, `replayed` the semantics in which its traces were replayed."""

    truth: ClassVar[str] = "holds"

    search: SearchResult
    reference: str
    replayed: Replayed
    static: StaticReport | None = None
    lemmas: bool = False
    files: Mapping[str, str] = field(default_factory=dict)
    unwritten: EpochalError | None = None

    def naming(self, files: Mapping[str, str]) -> CheckResult:
        """The same, whose report names the files that were written, by property."""
        return replace(self, files=files)

    def without_files(self, error: EpochalError) -> CheckResult:
        """The same, whose files could not be written: that is a finding too, though a violation is a graver one."""
        return replace(self, unwritten=error)

    @property
    def protocol(self) -> Protocol:
        """The protocol within its bounds."""
        return self.search.protocol

    @property
    def verdicts(self) -> dict[str, Verdict | LivenessVerdict]:
        """The verdict on each property, by its id; what must happen in the end holds, is violated or not checked."""
        promises = {one.member.name: one.verdict for one in self.search.liveness.promises}
        return {one.member.name: one.verdict for one in self.search.properties} | promises

    @property
    def violated(self) -> AbstractSet[str]:
        """The ids of the properties that are violated; also of what must be reachable and is not."""
        return frozenset(name for name, verdict in self.verdicts.items() if verdict == "violated")

    @property
    def holds(self) -> bool:
        """Whether all that was asked for holds, in every state within the bounds."""
        return self.exit_code == ExitCode.HOLDS

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the search, or the cross-check after it."""
        return self.search.interrupted

    @property
    def states(self) -> int:
        """How many distinct states were reached; with symmetry, representatives."""
        return self.search.distinct_states

    @property
    def steps(self) -> int:
        """How many steps lead from these states to others, or back."""
        return self.search.transitions

    @property
    def depth(self) -> int:
        """The length of the longest shortest run, in states."""
        return self.search.depth

    @property
    def exhaustive(self) -> bool:
        """Whether every reachable state within the bounds was explored."""
        return self.search.exhaustive

    @property
    def exit_code(self) -> ExitCode:
        """The documented code of the most severe finding."""
        codes = [self.search.exit_code] if self.unwritten is None else [self.search.exit_code, self.unwritten.exit_code]
        return ExitCode.most_severe(codes)

    @property
    def headline(self) -> str:
        """What holds, or what is violated, in one line."""
        from epochal.report.check import headline

        return f"{self.protocol.name}: {headline(self.search)}"

    @property
    def counterexample(self) -> Trace | None:
        """The shortest run to the first violation, or to a rule that failed; None without any."""
        from epochal.report.check import first_counterexample

        return first_counterexample(self.search)

    @property
    def traces(self) -> dict[str, Trace]:
        """The run for each property that has one, witnesses too, by its id; "" for a rule that failed."""
        return {trace.property_id: trace for trace in found_traces(self.search)}

    def write(self, folder: OutputFolder | str | Path) -> dict[str, str]:
        """Write every trace (ITF) and result.json to a folder; the paths, by property. Raises EngineError."""
        folder = opened(folder)
        written = folder.write_traces(self.protocol.name, found_traces(self.search))
        written["result"] = str(folder.write_document("result.json", self.to_dict()))
        return written

    def to_dict(self) -> documents.Check:
        """The result as plain data, with its traces as ITF."""
        from epochal.report.check import check_document

        return {**check_document(self.search, self), "exit_code": self.exit_code}

    @property
    def findings(self) -> list[str]:
        """What is violated, with the length of its run; which rule failed; else why the verdict means little."""
        from epochal.report.check import error_line, warnings_of

        found = [
            p.member.name if p.length is None else f"{p.member.name} ({counted(p.length, 'state')})"
            for p in self.search.properties
            if p.verdict == "violated" or p.out_of_place
        ]
        if self.search.error is not None:
            found.append(error_line(self.search.error))
        return [*found, *warnings_of(self.search)] if self.exit_code == ExitCode.VACUOUS else found

    def render_briefly(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write three lines. Of the files that were written those of violations are named, and the result."""
        told = {*self.violated, "", "result"}
        super().render_briefly(page, [*files, *(path for name, path in self.files.items() if name in told)])

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.checker.semantics.properties import all_properties
        from epochal.checker.solver.static_checks import static_lines
        from epochal.report.check import render_check

        told = self.counterexample
        asked = {one.member.name for one in self.search.properties}
        render_check(
            page,
            self.search,
            [] if told is None else str(told).splitlines(),
            reference=self.reference,
            replayed=self.replayed.sentence,
            others=tuple(m.name for m in all_properties(self.protocol, self.lemmas) if m.name not in asked),
            files=dict(self.files),
            static=() if self.static is None else static_lines(self.static),
        )


@question
def check(
    protocol: Protocol,
    *,
    engine: str = "auto",
    cluster: ClusterChoice | None = None,
    static: bool = False,
    reference: str | None = None,
    witnesses: bool = True,
    tell: Callable[[str], None] = lambda _: None,
    **options: Unpack[SearchKeywords],
) -> CheckResult:
    """Explore every reachable state of a protocol within its bounds, and check its properties.

    `options` are those of `epochal.Options`: `properties`, `all_violations`, `symmetry`, `workers`, and budgets, of
    which a spent one cuts the search: then the result is not `exhaustive`. What must happen in the end (`leads_to`) is
    checked too, unless `liveness` is false, after a search that was exhaustive, exact and without symmetry: `fair` and
    `unfair` name actions of which every liveness property, or none, assumes fairness, whatever it names itself. With
    `deadlock` states where nothing more happens are checked too: `search.liveness.ends`. `engine` is "auto" (machine
    code), "native", "spark" (with `cluster`), or "python", the slow reference. With `static` Z3 is asked what it can
    say without a search. Every trace is replayed in each semantics before anybody sees it; `witnesses` says whether
    those of what must be reachable are among them. `reference` is how the protocol is called in reports, `tell` hears
    what is done.

    Raises LanguageError for a specification outside the language, SemanticsDisagree if two semantics of it differ,
    EngineError if an engine cannot be used, UsageError for options that mean nothing.
    """
    protocol = required(protocol, "check")
    keywords: dict[str, Any] = {"liveness": True, **options}  # as `question` has checked them
    wanted = Options(**keywords)
    if assumed_in(protocol, wanted) and not wanted.liveness:
        raise UsageError("fairness is assumed by liveness properties, which are left out", "Have them checked.")
    if wanted.deadlock and not wanted.liveness:
        raise UsageError("deadlock is a matter of liveness, which is left out", "Have it checked.")
    search = search_of(engine, cluster, tell)
    name = reference or reference_of(protocol)
    found = with_reason(search(protocol, wanted), wanted)
    named = wanted.properties is not None and bool(found.liveness.promises)
    result = with_facts(replace(found, promises_asked_for=named, deadlock_asked_for=wanted.deadlock), name)
    answers = None
    if static or (result.exhaustive and result.never_taken):
        from epochal.checker.solver.static_checks import with_static_answers

        result, answers = with_static_answers(result, static)
    replayed = replay_all(protocol, found_traces(result, witnesses), result.model)
    return CheckResult(result, name, replayed, answers, wanted.lemmas)


# -- liveness ---------------------------------------------------------------------------------------------------------
# `epochal.liveness`: check liveness properties, and show which fairness they need.


def liveness(
    protocol: Protocol, *, engine: str = "auto", reference: str | None = None, **options: Unpack[SearchKeywords]
) -> CheckResult:
    """Explore every reachable state of a protocol within its bounds, and check liveness properties (`leads_to`) only.

    `properties` are the ids of some of them, or of optional ones; with `optional` all of these are checked, too. With
    `needs` each is checked again without each action that it assumes to be fair, and with nothing fair, over the states
    that were found once: `result.search.liveness.needs`.
    `engine` is "auto", "native" or "python", the other options are those of `check`.

    Raises UsageError for a protocol without liveness properties and an unknown id, and whatever `check` raises.
    """
    protocol = required(protocol, "liveness")
    called, every = protocol.name or type(protocol).__name__, guarantees_of(protocol)
    known, promised = [one.name for one in every], [one.name for one in every if not one.mark.optional]
    if not known:
        raise UsageError(f"{called} has no liveness property", "Mark one @leads_to.")
    properties = options.get("properties")
    if properties is None:
        asked = known if options.get("optional") or not promised else promised
    else:
        asked = [properties] if isinstance(properties, str) else list(properties)
    options["properties"] = asked
    for name in asked:
        if name not in known:
            raise UsageError(f"{called} has no liveness property {name!r}", advice(name, known, "liveness properties"))
    return check(protocol, engine=engine, reference=reference, **options)


# -- asserts ----------------------------------------------------------------------------------------------------------
# `epochal.assert_holds`: a test of a protocol in one line, which fails with the story of what went wrong.


@question
def assert_holds(
    protocol: Protocol | type[Protocol] | str,
    /,
    *,
    bounds: dict[str, int] | None = None,
    violated: str | Iterable[str] = (),
    **options: Unpack[SearchKeywords],
) -> CheckResult:
    """Assert that the properties of a protocol hold in every state within the bounds; return the result.

    `protocol` is one within bounds, a class, or a reference as on the command line: "kip-320", "mine.py:Variant".
    `bounds` are for the latter two. `violated` names the properties that must be violated, of a protocol that is known
    to be wrong: then exactly these are. `options` are those of `epochal.check`.

    Raises AssertionError whose text is the shortest run as a story, also if a rule failed; UsageError where bounds are
    given twice, and for what is no protocol.
    """
    __tracebackhide__ = True
    if isinstance(protocol, Protocol):
        if bounds:
            raise UsageError("the protocol has its bounds already: give a class, or leave bounds out")
        asked = protocol
    elif isinstance(protocol, str):
        from epochal.spec.loading import load

        asked = load(protocol, **(bounds or {}))
    elif not (isinstance(protocol, type) and issubclass(protocol, Protocol)):
        raise UsageError(f"assert_holds takes a protocol, its class or a reference such as 'kip-320', not {protocol!r}")
    else:
        keywords: dict[str, Any] = dict(bounds or {})
        asked = protocol(**keywords)
    wanted = set(violated)
    if wanted:
        options = {**options, "all_violations": True}
    result = check(asked, **options)
    if wanted:
        found, named = ", ".join(sorted(result.violated)) or "nothing", ", ".join(sorted(wanted))
        if result.exit_code not in (ExitCode.VIOLATED, ExitCode.EXPECTATION_MISSED) or result.violated != wanted:
            raise AssertionError(f"expected to be violated: {named}; was: {found}\n{result}")
        if result.search.error is not None:
            raise AssertionError(f"violated: {named}; the rest is not known, as a rule failed\n{result}")
        unknown = [name for name, verdict in result.verdicts.items() if verdict == "unknown"]
        if unknown:
            raise AssertionError(f"violated: {named}; not known, as the search was cut: {', '.join(unknown)}\n{result}")
        return result
    result.raise_for_violation()
    return result
