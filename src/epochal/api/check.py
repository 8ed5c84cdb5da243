"""`epochal.check`: explore every reachable state within bounds, and check every property."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from epochal.checker.base.numbers import counted, rated, sized, timed
from epochal.checker.command_lines import bounds_as_options, other_bounds
from epochal.checker.crosscheck.cross_check import CrossCheck
from epochal.checker.documents import document
from epochal.checker.liveness.result import Ends, Liveness, LivenessResult, LivenessVerdict, Need
from epochal.checker.search.confirm import Replayed, found_traces, replay_all, with_facts
from epochal.checker.search.engines import search_of
from epochal.checker.search.liveness import assumed_in, with_reason
from epochal.checker.search.result import (
    FIRST_VIOLATION,
    EvaluationFinding,
    OnCluster,
    Options,
    PropertyResult,
    Verdict,
)
from epochal.checker.search.result import CheckResult as SearchResult
from epochal.checker.semantics.properties import all_properties, promised
from epochal.checker.semantics.properties import liveness as guarantees_of
from epochal.checker.trace.itf import choice
from epochal.checker.trace.output_folder import OutputFolder, about, opened, report_beside, trace_name
from epochal.checker.trace.run import DEADLOCK
from epochal.checker.trace.trace import Trace
from epochal.checker.trace.why import forgotten, how_to_assume
from epochal.errors import EpochalError, UsageError
from epochal.exit_codes import ExitCode
from epochal.report import documents
from epochal.report.page import KINDS, Page, Row, Style
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import as_options, configuration_of, option, quoted, unheeded_by
from epochal.spec.language.errors import advice
from epochal.spec.loading import load

from .options import SearchKeywords, reference_of, required
from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.search.engines import ClusterChoice
    from epochal.checker.solver.static_checks import StaticReport


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
        codes = [self.search.exit_code] if self.unwritten is None else [self.search.exit_code, self.unwritten.exit_code]
        return ExitCode.most_severe(codes)

    @property
    def headline(self) -> str:
        """What holds, or what is violated, in one line."""
        return f"{self.protocol.name}: {headline(self.search)}"

    @property
    def counterexample(self) -> Trace | None:
        """The shortest run to the first violation, or to a rule that failed; None without any."""
        result = self.search
        violated = [p.trace for p in result.properties if p.verdict == "violated" and p.trace is not None]
        if violated:
            return min(violated, key=lambda trace: trace.length)
        if result.error is not None:
            return result.error.trace
        broken = [one.trace for one in result.liveness.broken if one.trace is not None]
        if broken:
            return min(broken, key=lambda trace: trace.length)
        return None if result.liveness.ends is None else result.liveness.ends.trace

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
        """The result as plain data, with its traces as ITF.

        `length` is the number of states of the trace. For a property of kind `reachable` "holds" means that a witness
        was found, and the trace is the witness. With `symmetry` states are canonical representatives up to renaming of
        the identifiers in `symmetric`, and steps, actions and digests those from representatives; traces are always of
        the protocol itself. `cross_check` counts the states and steps that were repeated in the Python semantics; by
        default time decides how many.
        """
        result = self.search
        judged = {one.member.name: one for one in result.liveness.promises}
        promises = [judged.get(member.name, LivenessResult(member)) for member in guarantees_of(result.protocol)]
        actions = {action.name for action in result.protocol.members("action")}
        return document(
            documents.Check,
            result,
            self,
            cut=why_cut(result),
            liveness=[_liveness_document(result.protocol, one, result.liveness, actions) for one in promises],
            warnings=warnings_of(result),
            exit_code=self.exit_code,
        )

    @property
    def findings(self) -> list[str]:
        """What is violated, with the length of its run; which rule failed; else why the verdict means little."""
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
        result, told = self.search, self.counterexample
        asked = {one.member.name for one in result.properties}
        others = tuple(m.name for m in all_properties(self.protocol, self.lemmas) if m.name not in asked)
        tones: dict[int, Style] = {ExitCode.HOLDS: "good", ExitCode.INCONCLUSIVE: "warn", ExitCode.VACUOUS: "warn"}
        page.line(self.headline, tones.get(result.exit_code, "bad"))
        page.lines(scope_lines(result.protocol), indent=2)
        page.title("Properties")
        page.table([property_row(p) for p in result.properties])
        render_liveness(page, result.liveness)
        if result.error is not None:
            page.title("A rule could not be evaluated")
            page.line(error_line(result.error), "bad", indent=2)
            page.line("Guard it with require, or widen the domain.", indent=2)
        _searched(page, result, self.replayed.sentence)
        page.title("Not checked")
        page.lines((f"- {line}" for line in not_checked(result, others)), indent=2)
        page.title("Actions")
        page.table(
            [(a.name, f"{a.steps:,}", f"{a.new_states:,}") for a in result.actions],
            header=("ACTION", "STEPS", "NEW STATES"),
            right=(1, 2),
        )
        if self.static is not None:
            from epochal.checker.solver.static_checks import static_lines  # needs Z3

            page.title("Checked by Z3")
            page.lines(static_lines(self.static), indent=2)
        page.warnings(warnings_of(result))
        if told is not None:
            shows = result.exit_code in (ExitCode.VIOLATED, ExitCode.LIVENESS_VIOLATED, ExitCode.DEADLOCK)
            page.title("Counterexample" if shows else "The run that leads to it")
            page.lines(str(told).splitlines(), indent=2)
        if missed := unreached(result):
            page.line()
            page.line(missed, "warn")
        page.written(self.files.values())
        page.commands(self._next_steps(only_some=bool(others)))

    def _next_steps(self, *, only_some: bool) -> list[str]:
        """Commands worth typing next, as they work. `only_some` says that not every property was asked for."""
        result, told = self.search, self.counterexample
        asked = [*(p.member for p in result.properties), *(p.member for p in result.liveness.promises)]
        asked_of = f"{quoted(self.reference)} {other_bounds(result.protocol)}".rstrip()
        symmetry = " --symmetry" if result.interchangeable else ""
        symmetry += " --dominance on" if result.dominance is not None else ""
        optional = " --optional" if any(p.member.mark.optional for p in result.liveness.promises) else ""
        if told is None:
            if unreached(result):
                return [f"epochal explain {ExitCode.EXPECTATION_MISSED}"]
            if result.checkpoint is None or result.exhaustive:
                return []
            lemmas = " --lemmas" if any(member.mark.kind == "lemma" for member in asked) else ""
            wanted = "".join(f" --property {member.asked_as}" for member in asked) if only_some else ""
            options = f"{lemmas}{wanted}{_assumed_options(result)}{optional}{symmetry}"
            return [f"epochal check {asked_of}{options} --resume last"]
        commands = []
        engine = "" if result.engine == "native" else f" --engine {result.engine}"
        violated = next((member for member in asked if member.name == told.property_id), None)
        if told.property_id not in self.files:
            page = report_beside(Path("found") / trace_name(result.protocol.name, about(told)))
            lemma = violated is not None and violated.mark.kind == "lemma"
            wanted = f"{' --lemmas' * lemma} --property {violated.asked_as}" if violated is not None else ""
            wanted += " --deadlock" * (told.verdict == DEADLOCK)
            wanted += optional if violated is None else ""
            assumed = _assumed_options(result) if told.loop is not None else ""
            again = f"epochal check {asked_of}{wanted}{assumed}{engine}{symmetry} --out found"
            commands.append(f"{again}  # the run as a page: {page}")
        if result.cut == FIRST_VIOLATION.text and any(one.verdict == "unknown" for one in result.properties):
            commands.append(f"epochal check {asked_of}{engine}{optional}{symmetry} --all-violations --brief")
        return commands


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
    checked too, unless `liveness` is false, after a search that was exhaustive, exact, and without symmetry and
    dominance: `fair` and `unfair` name actions of which every liveness property, or none, assumes fairness, whatever it
    names itself. With `deadlock` states where nothing more happens are checked too: `search.liveness.ends`. `engine` is
    "auto" (machine code), "native", "spark" (with `cluster`), or "python", the slow reference. With `static` Z3 is
    asked what it can say without a search. Every trace is replayed in each semantics before anybody sees it;
    `witnesses` says whether those of what must be reachable are among them. `reference` is how the protocol is called
    in reports, `tell` hears what is done.

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


# -- liveness ---------------------------------------------------------------------------------------------------------
# Liveness, as a section of a report: which properties hold, and under which fairness.

LIVENESS_WORDS: dict[str, tuple[str, Style]] = {
    "holds": ("holds", "good"),
    "violated": ("VIOLATED", "bad"),
    "not judged": ("not checked", "warn"),
}

NEVER_DUE: tuple[str, Style] = ("never due", "warn")


def render_liveness(page: Page, liveness: Liveness) -> None:
    """Write a summary, then a row for each liveness property. Nothing, where none was checked."""
    if not liveness.judged:
        return
    if liveness.ends is not None:
        _ends(page, liveness.ends)
    if not liveness.promises:
        return
    page.title("Liveness")
    page.line(f"{summary(liveness)}.", "bad" if liveness.broken else "good", indent=2)
    if liveness.stopped:
        names = ", ".join(one.member.name for one in liveness.stopped)
        states = counted(sum(one.stopped for one in liveness.stopped), "state")
        page.line(f"In {states} a bound alone stops every fair step ({names}); larger bounds say more.", indent=2)
    if liveness.assumed:
        page.line(f"Assumed besides what they name: {liveness.assumed.sentence}.", indent=2)
    page.table([_row(one) for one in liveness.promises])
    if liveness.needs:
        _needs(page, liveness)


def _ends(page: Page, ends: Ends) -> None:
    """Write how many terminal states there are, and how many of them are deadlocks."""
    page.title("Terminal states")
    page.line(f"{ends_summary(ends)}.", "bad" if ends.others else "good", indent=2)


def ends_summary(ends: Ends) -> str:
    """Return how many terminal states there are of each kind."""
    names = ", ".join(member.name for member in ends.declared)
    right = f"where a run may end ({names})" if names else "where every liveness property holds"
    kept = f"{ends.kept:,} {right}, " if names or ends.promised else ""
    others = counted(ends.others, "deadlock")
    return f"{counted(ends.total, 'terminal state')}: {kept}{ends.bounded:,} by a bound alone, {others}"


def _needs(page: Page, liveness: Liveness) -> None:
    """Write which of its assumptions each liveness property needs."""
    page.title("Fairness that each property needs")
    page.line("Each property was checked again without each action that it assumes fair, one at a time.", indent=2)
    rows = [_need_row(one, [need for need in liveness.needs if need.member == one.member]) for one in liveness.promises]
    page.table(rows, header=("PROPERTY", "NEEDS", "HOLDS WITHOUT", "IF NOTHING IS FAIR"))


def _need_row(one: LivenessResult, needs: Sequence[Need]) -> Row:
    if one.verdict == "violated":
        return (one.member.name, "is violated as it stands", "", "")
    alone = [need for need in needs if need.without]
    taken, spared = (", ".join(n.without for n in alone if bool(n.doomed) is broken) or "-" for broken in (True, False))
    nothing: tuple[str, Style] = ("", "")
    for need in needs:
        if not need.without:
            nothing = ("violated", "bad") if need.doomed else ("holds", "good")
    return (one.member.name, taken, spared, nothing)


def summary(liveness: Liveness) -> str:
    """Return how many liveness properties hold, in how many cases."""
    optional = sum(one.member.mark.optional for one in liveness.promises)
    every, broken = len(liveness.promises), len(liveness.broken)
    promises = (
        [counted(every - optional, "liveness property", "liveness properties")]
        if every > optional or not optional
        else []
    )
    said = " and ".join([*promises, *([counted(optional, "optional one")] if optional else [])])
    cases = counted(liveness.cases, "case")
    if broken:
        return f"{broken} of {said} violated ({cases}) by a fair run within the bounds"
    return f"{said} {'holds' if every == 1 else 'hold'} ({cases}) in every fair run within the bounds"


def judged_in(liveness: Liveness) -> str:
    """Return what the liveness check cost."""
    if liveness.parts:
        most = f"{sized(liveness.memory_bytes)} besides its states"
        return (
            f"checked by executors in {timed(liveness.wall_seconds)}, {counted(liveness.parts, 'part')}, at most {most}"
        )
    memory = f", {sized(liveness.memory_bytes)} besides the states" if liveness.memory_bytes else ""
    memory += f", {sized(liveness.file_bytes)} in files" if liveness.file_bytes else ""
    return f"checked in {timed(liveness.cpu_seconds)} of processor time{memory}"


def _row(one: LivenessResult) -> Row:
    """Verdict, id, in how many cases it was looked at or the length of the run that breaks it, and its sentence."""
    word = NEVER_DUE if one.verdict == "holds" and not one.waiting else LIVENESS_WORDS[one.verdict]
    looked_at = counted(len(one.cases), "case") if one.trace is None else counted(one.trace.length, "state")
    return (word, one.member.name, looked_at, one.member.sentence)


ENGINES = {
    "native": "native (compiled)",
    "spark": "spark (compiled, distributed)",
    "python": "python (the reference, slow)",
}

MANY = 1_000_000
"""From so many states on it says something how much memory each takes."""

LESS = "but the verdict means less than it seems (see the warnings)"

FEW = 8
"""How many properties that were not asked for a report names."""

VERDICT_WORDS: dict[tuple[bool, Verdict], tuple[str, Style]] = {
    (False, "holds"): ("holds", "good"),
    (False, "violated"): ("VIOLATED", "bad"),
    (False, "unknown"): ("open", "warn"),
    (True, "holds"): ("reached", "good"),
    (True, "violated"): ("UNREACHED", "bad"),
    (True, "unknown"): ("open", "warn"),
    (True, "not applicable"): ("not applicable", "faint"),
}
"""How a verdict reads, by whether the property is one that must be reachable."""


def scope_lines(protocol: Protocol) -> list[str]:
    """What was asked about: the settings of the configuration, if there are any, and the bounds."""
    said = " ".join(as_options(configuration_of(protocol)))
    bounds = f"bounds: {bounds_as_options(protocol.bounds.as_dict()) or 'none'}"
    return [f"configuration: {said}", *unheeded_by(protocol), bounds] if said else [bounds]


def warnings_of(result: SearchResult) -> list[str]:
    """What the reader should know although it is no violation."""
    found = [*result.vacuous, *result.warnings]
    if result.never_taken and result.distinct_states:
        reach = "within these bounds" if result.exhaustive else "in the states that were explored"
        found.append(f"never possible {reach}: {', '.join(result.never_taken)}")
    if never := [one.member.name for one in result.liveness.never_due]:
        found.append(f"never due: {', '.join(never)}; no state has the premise without the goal")
    found += _forgotten(result)
    if result.left_constraint:
        found.append(
            f"{counted(result.left_constraint, 'step')} left the state constraint; the states they lead to were "
            "checked, but neither counted nor explored"
        )
    return found


def _forgotten(result: SearchResult) -> list[str]:
    """Return the fair actions that violated liveness properties do not assume, and what to write."""
    by_actions: dict[tuple[str, ...], list[str]] = {}
    for one in result.liveness.broken:
        if one.trace is not None and (names := tuple(forgotten(one.trace))):
            by_actions.setdefault(names, []).append(one.member.name)
    return [how_to_assume(names, properties) for names, properties in by_actions.items()]


def why_cut(result: SearchResult) -> str:
    """Why a search ended early, and which option makes it go on; "" if it did not."""
    return f"{result.cut}; --all-violations explores the rest" if result.cut == FIRST_VIOLATION.text else result.cut


def not_checked(result: SearchResult, others: tuple[str, ...]) -> list[str]:
    """What this check says nothing about. `others` are the properties that were not asked for."""
    found = []
    if result.cut:
        found.append(f"the states beyond the end of the search: {why_cut(result)}")
    if result.compact:
        found.append(f"states with the fingerprint of another: {_chance(result)} that there is one")
    found.append("larger bounds")
    if others:
        found.append(not_asked_for(others))
    asked = {one.member.name for one in result.liveness.promises}
    optional = [one.name for one in guarantees_of(result.protocol) if one.mark.optional and one.name not in asked]
    last = [f"optional liveness properties: add --optional ({', '.join(optional)})"] if optional else []
    if not result.liveness.judged:
        members = ", ".join(one.name for one in guarantees_of(result.protocol) if one.name not in optional)
        reason = f": {result.liveness.reason}" if result.liveness.reason else ""
        return [*found, f"deadlock and liveness{f' ({members}{reason})' if members else ''}", *last]
    left = ", ".join(one.name for one in promised(result.protocol) if one.name not in asked)
    parts = ["deadlock"] if result.liveness.ends is None else []
    parts += [f"other liveness properties ({left})"] if left else []
    return [*found, *([", and ".join(parts)] if parts else []), *last]


def unreached(result: SearchResult) -> str:
    """What may be done about something that must be reachable and is not; "" if that is not what was found."""
    missed = [p for p in result.properties if p.member.mark.kind == "reachable" and p.verdict == "violated"]
    if result.exit_code != ExitCode.EXPECTATION_MISSED or any(p.out_of_place for p in missed):
        return ""
    bounds = result.protocol.bounds
    larger = [option(one.name) for one in bounds.declared().values() if getattr(bounds, one.name) < one.most]
    widen = f"Larger bounds may reach it ({', '.join(larger)}); else a" if larger else "A"
    return f"{widen} guard is too strong."


def not_asked_for(others: Sequence[str]) -> str:
    """Return the properties that were not selected: by name if they are few, else how many, and who lists them."""
    if len(others) <= FEW:
        return f"the properties that were not selected: {', '.join(others)}"
    return f"{len(others)} properties that were not selected ('epochal show PROTOCOL' lists them)"


def _chance(result: SearchResult) -> str:
    return f"a probability of at most {result.collision_probability:.1e}"


def _assumed_options(result: SearchResult) -> str:
    """How the fairness is asked for that was assumed besides."""
    assumed = result.liveness.assumed
    words = [*(f" --fair {one}" for one in assumed.words), *(f" --unfair {one}" for one in assumed.unfair)]
    return "".join(words)


def headline(result: SearchResult) -> str:
    """The verdict in one sentence."""
    failed = [p.member for p in result.properties if p.verdict == "violated"]
    violated = [member.name for member in failed if member.mark.kind != "reachable"]
    if violated:
        return f"{', '.join(violated)} violated"
    if result.error is not None:
        return "a rule of the specification could not be evaluated"
    broken = [one.member.name for one in result.liveness.broken]
    if broken:
        return f"{', '.join(broken)} violated by a fair run that goes on for ever"
    if result.liveness.ends is not None and result.liveness.ends.others:
        return "deadlock: no step changes anything in a state where a run should go on"
    misplaced = [p.member.name for p in result.properties if p.out_of_place]
    if misplaced:
        return f"{', '.join(misplaced)} happens, although it does not apply here (only_if)"
    if failed:
        return f"{', '.join(member.name for member in failed)} cannot be reached within these bounds"
    if not result.exhaustive:
        seen = "nothing is violated in what was seen" if result.distinct_states else "nothing was explored"
        return f"inconclusive: {result.cut}; {seen}"
    if result.exit_code == ExitCode.INCONCLUSIVE:
        named = [one.member.name for one in result.liveness.promises] if result.promises_asked_for else []
        asked = ", ".join([*named, *(["deadlock"] if result.deadlock_asked_for else [])])
        return f"inconclusive: {asked} not checked: {result.liveness.reason}"
    if result.exit_code == ExitCode.VACUOUS:
        return f"nothing is violated within these bounds, {LESS}"
    return "all checked properties hold within these bounds"


def property_row(one: PropertyResult) -> Row:
    """Verdict, id, kind, length of the trace and sentence of a property."""
    states = counted(one.length, "state") if one.length is not None else ""
    kind = one.member.mark.kind
    word: tuple[str, Style] = (
        ("HAPPENS", "bad") if one.out_of_place else VERDICT_WORDS[kind == "reachable", one.verdict]
    )
    return (word, one.member.name, KINDS[kind], states, one.member.sentence)


def error_line(error: EvaluationFinding) -> str:
    """What went wrong in which rule, and its line."""
    where = f" ({error.where})" if error.where else ""
    return f"{error.message}{f' in {error.rule}' if error.rule else ''}{where}"


def _searched(page: Page, result: SearchResult, replayed: str) -> None:
    complete = "every reachable state" if result.exhaustive else "not every reachable state"
    engine = ENGINES.get(result.engine, result.engine)
    symmetry, states, steps = "no symmetry reduction", "distinct", "transitions"
    if result.interchangeable:
        symmetry = f"symmetry reduction over {', '.join(result.interchangeable)}"
        states, steps = (
            "canonical representatives (one of all states that differ in names only)",
            "transitions from them",
        )
    page.facts(
        "Search",
        ("engine", f"{engine}; breadth-first, {complete}, {symmetry}"),
        ("states", f"{result.distinct_states:,} {states}, {result.transitions:,} {steps}, depth {result.depth}"),
        (
            "terminal states",
            f"{counted(result.terminal_states, 'state')} without a next step (end of the bounds, or stuck)",
        ),
        ("time", f"{timed(result.wall_seconds)} on the clock; {_search_time(result)}"),
        ("memory", _memory(result)),
        ("spark", "" if result.cluster is None else _cluster(result.cluster)),
        ("dominance", _dominance(result)),
        ("compact", f"64-bit fingerprints; {_chance(result)} that a state was missed" if result.compact else ""),
        ("resumed", f"from a checkpoint with {result.resumed_from:,} states" if result.resumed_from else ""),
        ("checkpoint", str(result.checkpoint or "")),
        ("digests", f"states {result.state_digest}, steps {result.step_digest}"),
        ("liveness", judged_in(result.liveness) if result.liveness.judged else ""),
        ("traces", replayed),
        ("cross-check", "" if result.cross_check is None else repeated_in_words(result.cross_check)),
    )


def _dominance(result: SearchResult) -> str:
    """By which budgets states dominated others, what was left out, and what is not judged for that."""
    found = result.dominance
    if found is None:
        return ""
    if not found.budgets:
        return "no budgets were found: every state was explored"
    left = f"{counted(found.left_out, 'state')} found and not explored further, as others do more with less"
    unsaid = "counts, digests and terminal states are of what was explored; liveness and deadlock are not judged"
    return f"by {', '.join(found.budgets)}: {left}; {unsaid}"


def repeated_in_words(found: CrossCheck) -> str:
    """Return what was repeated in the Python semantics."""
    if not found.states and not found.cut:
        return "off: no state was repeated in the Python semantics"
    states, steps = counted(found.states, "state"), counted(found.steps, "step")
    ended = f"; ended early: {found.cut}" if found.cut else ""
    return f"{states} with {steps} repeated in the Python semantics, without a difference{ended}"


def _cluster(found: OnCluster) -> str:
    """Who has searched how many levels."""
    if found.by_driver == found.levels:
        levels = counted(found.levels, "level")
        return f"all of {levels} by the driver itself, no task of Spark: they were small, or done before it started"
    first = f", the first {found.by_driver:,} by the driver itself" if found.by_driver else ""
    return f"{counted(found.levels, 'level')} in {counted(found.partitions, 'partition')} at {found.master}{first}"


def _search_time(result: SearchResult) -> str:
    """How long the search itself took; of a search on Spark only the clock of the driver is known."""
    if result.engine == "spark":
        return f"search {timed(result.search_wall_seconds)} on the clock"
    seconds = result.search_cpu_seconds
    rate = f", {rated(result.distinct_states / seconds)} states a second of it" if seconds > 0 else ""
    return f"search {timed(seconds)} of processor time on {counted(result.workers, 'processor')}{rate}"


def _memory(result: SearchResult) -> str:
    known = ""
    if result.distinct_states >= MANY and result.state_memory_bytes:
        known = f"; {result.state_memory_bytes / result.distinct_states:.1f} bytes a state"
    files = f", and {sized(result.state_file_bytes)} in files" if result.state_file_bytes else ""
    return f"{sized(result.peak_memory_bytes)} at most{known}{files}"


NOT_ASKED = "it was not selected"


def _liveness_document(
    protocol: Protocol, one: LivenessResult, found: Liveness, actions: set[str]
) -> documents.Liveness:
    """Return a liveness property with each choice of its parameters, and what it needs, if that was checked."""

    def arguments(values: Sequence[Any]) -> dict[str, Any]:
        return {given["name"]: given["exact"] for given in choice(protocol, one.member, values)}

    return document(
        documents.Liveness,
        one,
        fair=[name for name in found.assumed(one.member) if name in one.member.mark.needs or name in actions],
        not_assumed=[] if one.trace is None else forgotten(one.trace),
        never_due=one.verdict == "holds" and not one.waiting,
        reason=(found.reason or NOT_ASKED) if one.verdict == "not judged" else "",
        needs=[need for need in found.needs if need.member == one.member],
        cases=[document(documents.LivenessCase, case, arguments=arguments(case.arguments)) for case in one.cases],
    )
