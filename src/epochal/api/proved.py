"""The answers of `epochal.prove`: a proof within bounds, and one for every choice of them, each with its report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from epochal.checker.base.installed import TOOL, found_solver, tool_version
from epochal.checker.base.numbers import counted, timed
from epochal.checker.command_lines import other_bounds
from epochal.checker.documents import document
from epochal.checker.parametric.domains import Untranslatable
from epochal.checker.parametric.rules import other_steps
from epochal.checker.search.confirm import Replayed, replay_all
from epochal.checker.solver.answer import SPENT
from epochal.checker.solver.dispatch import Progress
from epochal.checker.solver.induction import (
    EVALUATION,
    IMPLICATION,
    INITIALLY,
    REACHED,
    TYPES,
    ObligationResult,
    Reduced,
    first_state,
    matrix,
    ranked,
    told,
)
from epochal.checker.solver.induction import Cell as BoundedCell
from epochal.checker.solver.induction import ProofResult as Proof
from epochal.checker.solver.prove import ProofOptions, refuse_unprovable
from epochal.checker.trace.trace import Trace
from epochal.checker.unbounded.certificate import file_name, text
from epochal.checker.unbounded.oracle import installed
from epochal.checker.unbounded.proof import GROUND_RLIMIT, Cell, UnboundedProof, unbounded_proof
from epochal.errors import installing
from epochal.exit_codes import ExitCode
from epochal.report import documents
from epochal.report.page import Page, Style
from epochal.spec.language import Member, Protocol
from epochal.spec.language.configurable import as_options, configuration_of, quoted

from .check import repeated_in_words, scope_lines
from .result import Result

SIGNS = {"proved": "+", "untouched": ".", "counterexample": "X", "unknown": "?"}
"""How the verdict of a cell is drawn."""

MOST_COLUMNS = 24
"""A matrix of more lemmas is told in parts."""

MOST_RLIMIT = 2**32 - 1
"""What Z3 can count to."""

STYLES: dict[str, Style] = {"proved": "good", "not proved": "bad"}


def verdict_of(proved: bool, names: Sequence[str], how: str) -> str:
    """What is said in one line of a proof that has succeeded, or of one that is of little worth (not `proved`)."""
    named = ", ".join(names)
    if proved:
        return f"{named} proved, for any number of steps {how}"
    said = f"{named} proved, but that means" if named else "nothing is proved, and the lemmas mean"
    return f"{said} less than it seems (see the warnings)"


def render_members(
    page: Page, properties: Sequence[Member], lemmas: Sequence[Member], verdicts: Mapping[str, str]
) -> None:
    """The properties with their verdicts, and the lemmas with their numbers."""
    page.title("Properties")
    page.table([((verdicts[m.name], STYLES[verdicts[m.name]]), m.name, m.sentence) for m in properties])
    if not properties:
        page.line("none", "faint", indent=2)
    page.title("Lemmas")
    page.table([(str(i), m.name, m.sentence) for i, m in enumerate(lemmas, start=1)], right=(0,))


class CellTable:
    """The table of actions and lemmas, from the row, the column, the verdict and the solver's seconds of each cell.

    Its first column is whether an action can be evaluated; of what holds initially, that the state is typed.
    """

    def __init__(self, lemmas: Sequence[Member], cells: Iterable[tuple[str, str, str, float]]) -> None:
        self.columns = [EVALUATION, *(member.name for member in lemmas)]
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._verdicts: dict[tuple[str, str], str] = {}
        for row, column, verdict, seconds in cells:
            self._verdicts[row, column] = verdict
            if row != IMPLICATION:
                self.seconds[row] += seconds

    def signs(self, row: str) -> list[str]:
        """How the cells of a row are drawn."""
        places = [(row, TYPES if (row, column) == (INITIALLY, EVALUATION) else column) for column in self.columns]
        return [SIGNS.get(self._verdicts.get(place, ""), "") for place in places]

    def verdicts(self, properties: Sequence[Member]) -> dict[str, str]:
        """The verdict of each property: proved only if all lemmas are inductive and imply it."""
        steps = [verdict for (row, _), verdict in self._verdicts.items() if row != IMPLICATION]
        inductive = all(verdict in ("proved", "untouched") for verdict in steps)
        implied = {m.name: self._verdicts[IMPLICATION, m.name] == "proved" for m in properties}
        return {name: "proved" if inductive and holds else "not proved" for name, holds in implied.items()}

    def render(self, page: Page, legend: str, untimed: Collection[str] = ()) -> None:
        """Write the table, in parts if there are many lemmas. Of rows that are `untimed` the solver was not asked."""
        many = len(self.columns) - 1
        parts = -(-many // MOST_COLUMNS) or 1
        each = -(-many // parts)
        page.title("Each action against each lemma")
        for part in range(parts):
            places = [*([0] if part == 0 else []), *range(part * each + 1, min((part + 1) * each + 1, many + 1))]
            header = ["ACTION", *("can run" if place == 0 else str(place) for place in places)]
            table = [[row, *(self.signs(row)[place] for place in places)] for row in self.seconds]
            if part == parts - 1:
                header.append("SOLVER")
                for line, (row, seconds) in zip(table, self.seconds.items(), strict=True):
                    line.append("" if row in untimed else timed(seconds))
            page.table(table, header=header, right=range(1, len(places) + 2))
        page.line(legend, "faint", indent=2)


def property_entries(members: Sequence[Member], table: CellTable) -> list[documents.ProvedProperty]:
    """The properties, for a document."""
    verdicts = table.verdicts(members)
    return [document(documents.ProvedProperty, member, verdict=verdicts[member.name]) for member in members]


def lemma_entries(members: Sequence[Member], trivial: Sequence[str] = ()) -> list[documents.Lemma]:
    """The lemmas, for a document."""
    return [document(documents.Lemma, member, trivial=member.name in trivial) for member in members]


# -- within bounds ----------------------------------------------------------------------------------------------------

LEGEND = "+ proved   . the action writes nothing that the lemma reads   X counterexample to induction   ? unknown"
MOST_NAMED = 30
"""So many cells that are open are named."""


@dataclass(frozen=True, repr=False)
class ProofResult(Result):
    """A proof by induction, or why there is none. `reduced` has the proof and the lemmas that were dropped from it.

    `traces` are the counterexamples to induction, by action and lemma: steps from states that satisfy every lemma,
    which need not be reachable. `about` says whose steps they are, if the proof was found for another protocol.
    """

    truth: ClassVar[str] = "proved"

    reduced: Reduced
    reference: str
    replayed: Replayed
    traces: dict[str, Trace]
    about: str = ""

    @property
    def proof(self) -> Proof:
        """Every obligation with its answer."""
        return self.reduced.proof

    @property
    def proved(self) -> bool:
        """Whether every invariant that was asked for holds after any number of steps, at these bounds."""
        return self.exit_code == ExitCode.HOLDS

    @property
    def exit_code(self) -> ExitCode:
        """32 for a counterexample to induction, 31 where the solver gave up, 12 for a lemma that is false at first."""
        return self.proof.exit_code

    @property
    def findings(self) -> list[str]:
        """The obligations that fail or are open."""
        return [answer.obligation.label for answer in (*self.proof.failed, *self.proof.unknown)]

    @property
    def headline(self) -> str:
        """What is proved, or what is not, in one line."""
        return f"{self.proof.protocol.name}: {_verdict(self.proof)}"

    @property
    def counterexample(self) -> Trace | None:
        """The counterexample to induction that is told first; None if there is none."""
        first = told(matrix(self.proof))
        return first.shown.trace if first is not None and first.shown is not None else None

    def to_dict(self) -> documents.Prove:
        """The result as plain data, with its traces as ITF."""
        return document(
            documents.Prove,
            self.proof,
            self.reduced,
            self,
            properties=property_entries(self.proof.properties, matrix_of(self.proof)),
            lemmas=lemma_entries(self.proof.lemmas, self.proof.trivial),
            matrix=matrix(self.proof),
        )

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report, with the matrix of actions and lemmas."""
        result, run = self.proof, self.counterexample
        table, cells = matrix_of(result), matrix(result)
        tone: Style = "good" if result.exit_code == ExitCode.HOLDS else "bad" if result.failed else "warn"
        page.line(self.headline, tone)
        if self.about:
            page.line(self.about, indent=2)
        page.lines(scope_lines(result.protocol), indent=2)
        render_members(page, result.properties, result.lemmas, table.verdicts(result.properties))
        _reduction(page, self.reduced)
        table.render(page, LEGEND, untimed=(INITIALLY,))
        _effort(page, result, self.replayed.sentence)
        if result.exit_code in (ExitCode.HOLDS, ExitCode.VACUOUS):
            _rests_on(page, result)
        page.title("Not proved by this")
        page.line("- larger bounds, properties of steps, reachability, deadlock and liveness", indent=2)
        if result.trivial:
            page.line(f"- anything by {', '.join(result.trivial)}: true of every state at these bounds", indent=2)
        page.warnings((*result.vacuous, *result.warnings))
        if result.failed or result.unknown:
            _open(page, result, cells)
        if run is not None:
            violated = result.exit_code in (ExitCode.VIOLATED, ExitCode.EVALUATION_FAILED)
            page.title("Counterexample" if violated else "Counterexample to induction")
            page.lines(str(run).splitlines(), indent=2)
            if not violated:
                page.line()
                page.line(_what_next(cells), "warn", indent=2)
        page.written(files)
        others = len(self.traces) - 1
        if others > 0 and not files:
            more = "is one more counterexample" if others == 1 else f"are {others} more counterexamples"
            page.line()
            page.line(f"There {more}; --out writes them all.", "faint", indent=2)
            asked = f"{quoted(self.reference)} {other_bounds(result.protocol)}".rstrip()
            page.commands([f"epochal prove {asked} --out found"])


def matrix_of(result: Proof) -> CellTable:
    """The table of a proof within bounds."""
    return CellTable(result.lemmas, ((cell.row, cell.column, cell.verdict, cell.seconds) for cell in matrix(result)))


def _verdict(result: Proof) -> str:
    """The verdict in one sentence."""
    if result.exit_code in (ExitCode.HOLDS, ExitCode.VACUOUS):
        names = [member.name for member in result.properties]
        return verdict_of(result.exit_code == ExitCode.HOLDS, names, "at these bounds")
    if result.exit_code == ExitCode.VIOLATED:
        return "a lemma is false in an initial state"
    if result.exit_code == ExitCode.EVALUATION_FAILED:
        return "a lemma cannot be evaluated in an initial state"
    if result.exit_code == ExitCode.SOLVER_UNKNOWN:
        return f"inconclusive: the solver gave up on {counted(len(result.unknown), 'obligation')}"
    return f"not proved: {counted(len(result.failed), 'obligation')} with a counterexample to induction"


def _what_next(cells: tuple[BoundedCell, ...]) -> str:
    """What to do about the counterexample that was told."""
    cell = told(cells)
    if cell is not None and cell.shown is not None and first_state(cell.shown).startswith(REACHED):
        return "Its first state is reached, so this can happen: epochal check --lemmas shows the complete run."
    return "If its first state cannot be reached, a lemma is missing that says so."


def _reduction(page: Page, reduced: Reduced) -> None:
    """The lemmas that were dropped, and at which action each fell; those that are not needed."""
    if reduced.fallen:
        page.title("Fallen")
        rows = [(one.member.name, _how_fallen(one.action, one.answer.verdict)) for one in reduced.fallen]
        page.table([(str(f.round), *row) for f, row in zip(reduced.fallen, rows, strict=True)], right=(0,))
        page.line("The number is the round in which a lemma fell; those of one round fell together.", "faint", indent=2)
    if reduced.needless:
        page.title("Not needed")
        page.table([(member.name, member.sentence) for member in reduced.needless])


def _how_fallen(action: str, verdict: str) -> str:
    if action == INITIALLY:
        return "false in an initial state"
    return f"broken by {action}" if verdict == "counterexample" else f"the solver gave up on {action}"


def _effort(page: Page, result: Proof, replayed: str) -> None:
    asked = sum(answer.asked for answer in result.answers)
    solved = f"{counted(len(result.answers), 'obligation')}, of which {asked:,} needed a look"
    times = f"{timed(result.wall_seconds)}, of which solver {timed(result.solver_seconds)} of processor time"
    known = f"{counted(result.from_cache, 'obligation')} known from before (--no-cache)"
    page.facts(
        "Proof",
        ("engine", "Z3, induction over one step"),
        ("obligations", solved),
        ("cache", known if result.from_cache else ""),
        ("limit", f"{result.rlimit:,} resource units for each (--rlimit)"),
        ("time", times),
        ("traces", replayed),
        ("cross-check", repeated_in_words(result.cross_check)),
    )


def _rests_on(page: Page, result: Proof) -> None:
    """What a proof that has succeeded assumes, what it trusts, and that it is about something."""
    page.title("It rests on")
    protocol, checked = result.protocol, result.cross_check
    within = ", and states within its constraint" if protocol.members("constraint") else ""
    page.line(f"- assumed: the bounds above{within}; nothing else happens than these actions", indent=2)
    compared = f"compared in {counted(checked.states, 'state')}" if checked.states else "not compared (--cross-check)"
    page.line(f"- trusted: Z3 {found_solver().version}; that its terms say what Python does, {compared}", indent=2)
    first = counted(len(protocol.initial_states()), "initial state")
    page.line(f"- not empty: the lemmas hold in {first}, so they do not contradict each other", indent=2)
    if not result.vacuous:
        actions = counted(len(protocol.members("action")), "action")
        page.line(f"- not idle: each of {actions} can happen in some state where the lemmas hold", indent=2)


def _open(page: Page, result: Proof, cells: tuple[BoundedCell, ...]) -> None:
    """One obligation for each action and lemma: instances of an action that are alike fail alike."""
    said = [_open_cell(cell) for cell in ranked(cells)]
    for cell in cells:
        left = [answer for answer in cell.answers if answer.verdict == "unknown"]
        if left:
            said.append(f"{left[0].obligation.label}{_others(left)}: unknown ({left[0].reason})")
    page.title("Open, by action and lemma")
    page.lines((f"- {text}" for text in said[:MOST_NAMED]), indent=2)
    if len(said) > MOST_NAMED:
        page.line(f"- and {len(said) - MOST_NAMED} more (--format json names all)", indent=2)
    if any(answer.reason == SPENT for answer in result.unknown):
        page.line(f"Next: --rlimit {min(10 * result.rlimit, MOST_RLIMIT)} gives the solver more.", indent=2)


def _open_cell(cell: BoundedCell) -> str:
    """`Fetch(b2, b1) preserves log_matching, as of 5 more instances; state 0 is not reachable within these bounds`."""
    shown = cell.shown
    assert shown is not None
    state = first_state(shown).partition(" (")[0].partition(":")[0]
    return f"{shown.obligation.label}{_others(cell.failed)}{f'; state 0 is {state}' if state else ''}"


def _others(answers: Sequence[ObligationResult]) -> str:
    """How many more instances of an action are like the one that is named."""
    return f", and {counted(len(answers) - 1, 'instance')} more" if len(answers) > 1 else ""


# -- for every choice of the bounds -----------------------------------------------------------------------------------

UNBOUNDED_LEGEND = (
    "+ proved   . the action writes nothing that the lemma reads   X counterexample within bounds   ? unknown"
)


@dataclass(frozen=True, repr=False)
class UnboundedResult(Result):
    """A proof for any number of steps and every choice of the bounds, or what is left open of it.

    `traces` are counterexamples to induction that the bounded prover has found for open cells, by action and lemma.
    """

    truth: ClassVar[str] = "proved"

    proof: UnboundedProof
    reference: str
    replayed: Replayed
    traces: dict[str, Trace]
    about: str = ""
    certified: bool = False

    @property
    def proved(self) -> bool:
        """Whether every invariant that was asked for holds after any number of steps, whatever the bounds."""
        return self.exit_code == ExitCode.HOLDS

    @property
    def exit_code(self) -> ExitCode:
        """32 for a counterexample to induction within bounds, 31 where the solver gave up."""
        return self.proof.exit_code

    @property
    def findings(self) -> list[str]:
        """The obligations that are open, those with a counterexample first."""
        return [cell.obligation.label for cell in (*self.proof.of("counterexample"), *self.proof.of("unknown"))]

    @property
    def headline(self) -> str:
        """What is proved, or what is not, in one line."""
        return f"{self.proof.protocol.name}: {_unbounded_verdict(self.proof)}"

    @property
    def counterexample(self) -> Trace | None:
        """The first counterexample to induction; None if there is none."""
        return next(iter(self.traces.values()), None)

    def to_dict(self) -> documents.ProveUnbounded:
        """The result as plain data, with its traces as ITF."""
        return document(
            documents.ProveUnbounded,
            self.proof,
            self,
            properties=property_entries(self.proof.properties, unbounded_matrix(self.proof)),
            lemmas=lemma_entries(self.proof.lemmas),
            assumed=assumed(self.proof),
            trusted=trusted(self.proof),
        )

    def certificate(self) -> str:
        """The proof as a page of Markdown, to be kept beside a design or in a pull request.

        It says what was proved, from which lemmas, what it assumes and trusts, and what each cell took of the solver,
        so that a reader can check it. There is no time in it: the same proof is the same page.
        """
        result = self.proof
        title = "Certificate" if result.exit_code == ExitCode.HOLDS else "No proof"
        lines = [f"# {title}: {result.protocol.name}", "", f"**{_unbounded_verdict(result)}**", ""]
        lines += [f"{self.about}.", ""] if self.about else []
        lines += [*_table(("", ""), _facts(result, self.reference)), ""]
        verdicts = unbounded_matrix(result).verdicts(result.properties)
        lines += ["## Invariants", "", *(f"* {verdicts[m.name]}: {_said(m)}" for m in result.properties), ""]
        lines += ["## Assumed", "", *(f"* {one}" for one in assumed(result)), ""]
        lines += ["## Trusted", "", *(f"* {one}" for one in trusted(result)), ""]
        lines += ["## Not idle", "", *_idle(result), ""]
        lines += ["## Lemmas", "", *(f"{i}. {_said(m)}" for i, m in enumerate(result.lemmas, start=1)), ""]
        lines += ["## Each action against each lemma", "", *_matrix_table(result), "", f"`{UNBOUNDED_LEGEND}`", ""]
        lines += _open_section(result)
        lines += ["## What each cell took", "", *_table(EFFORT, (_effort_row(c) for c in result.cells if c.parts)), ""]
        lines += ["## To check it again", "", "```console", f"$ {_command(result, self.reference)}", "```", ""]
        return "\n".join(lines)

    @property
    def hints(self) -> tuple[str, str] | None:
        """The certificate for Z3, if it was asked for: the name and the text of a file beside the protocol's module."""
        if not self.certified:
            return None
        kind = type(self.proof.protocol)
        return file_name(kind), text(kind, self.proof.found)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report, with the matrix of actions and lemmas."""
        result, run = self.proof, self.counterexample
        table = unbounded_matrix(result)
        good, wrong = result.exit_code == ExitCode.HOLDS, result.of("counterexample")
        tone: Style = "good" if good else "bad" if wrong else "warn"
        page.line(self.headline, tone)
        if self.about:
            page.line(self.about, indent=2)
        page.lines((line.replace("bounds:", "compared at", 1) for line in scope_lines(result.protocol)), indent=2)
        render_members(page, result.properties, result.lemmas, table.verdicts(result.properties))
        table.render(page, UNBOUNDED_LEGEND)
        _unbounded_effort(page, result)
        _unbounded_rests_on(page, result)
        page.title("Not proved by this")
        page.line("- properties of steps, reachability, deadlock and liveness; other settings", indent=2)
        page.warnings((*result.vacuous, *result.warnings))
        _unbounded_open(page, result)
        if run is not None:
            page.title("Counterexample to induction, within bounds")
            page.lines(str(run).splitlines(), indent=2)
            page.line()
            page.line("If its first state cannot be reached, a lemma is missing that says so.", "warn", indent=2)
        page.written(files)


def proved_unbounded(
    protocol: Protocol, options: ProofOptions, reference: str, about: str, progress: Callable[[Progress], None] | None
) -> UnboundedResult:
    """Prove for every choice of the bounds. Those of the protocol are where its two semantics are compared."""
    known = tuple(member.name for member in protocol.members("invariant"))
    wanted = known if options.properties is None else options.properties
    refuse_unprovable(protocol, wanted)
    rlimit = options.rlimit or GROUND_RLIMIT
    proof = unbounded_proof(
        protocol,
        wanted,
        where=options.where,
        cached=options.cached,
        rlimit=rlimit,
        progress=progress,
        certified=options.certified,
    )
    cells = []
    traces: dict[str, Trace] = {}
    for cell in proof.cells:
        if (example := cell.counterexample) is not None:
            trace = with_facts(example.trace, reference)
            cell = replace(cell, counterexample=replace(example, trace=trace))
            traces[f"{cell.obligation.row}-{cell.obligation.column}"] = trace
        cells.append(cell)
    replayed = Replayed((), "")
    for one in {id(trace.protocol): trace.protocol for trace in traces.values()}.values():
        replayed = replay_all(one, [trace for trace in traces.values() if trace.protocol is one])
    return UnboundedResult(replace(proof, cells=tuple(cells)), reference, replayed, traces, about, options.certified)


def with_facts(trace: Trace, reference: str, **more: str) -> Trace:
    """The same trace, which says how its protocol is called and who found it."""
    return replace(trace, facts={**trace.facts, "protocol": reference, "engine": "z3", **more})


def takes_the_same_steps(plain: Protocol, remembering: Protocol) -> bool:
    """Whether a protocol with history takes the steps of the one without for every choice of the bounds, by its text.

    It may do so and not be seen to: where the text of a step differs, or has no reading.
    """
    properties = [member.name for member in plain.members("invariant")]
    try:
        return not other_steps(type(plain), type(remembering), properties)
    except Untranslatable:
        return False


def _unbounded_verdict(result: UnboundedProof) -> str:
    """The verdict in one sentence."""
    if result.exit_code in (ExitCode.HOLDS, ExitCode.VACUOUS):
        names = [member.name for member in result.properties]
        return verdict_of(result.exit_code == ExitCode.HOLDS, names, "and every choice of the bounds")
    wrong, left = len(result.of("counterexample")), len(result.of("unknown"))
    if result.exit_code == ExitCode.SOLVER_UNKNOWN:
        return f"inconclusive: the solver gave up on {counted(left, 'obligation')}"
    more = f", {left:,} more unknown" if left else ""
    return f"not proved: {counted(wrong, 'obligation')} with a counterexample to induction within bounds{more}"


def unbounded_matrix(result: UnboundedProof) -> CellTable:
    """The table of a proof for every choice of the bounds."""
    return CellTable(result.lemmas, ((*cell.obligation.place, cell.verdict, cell.seconds) for cell in result.cells))


def assumed(result: UnboundedProof) -> list[str]:
    """What a proof takes for granted."""
    declared = type(result.protocol).bounds_type().declared()
    least = ", ".join(f"{name} >= {field.least}" for name, field in declared.items()) or "no bounds"
    least = "; ".join((least, *result.admitted))
    return [
        f"bounds are whole numbers ({least}), and otherwise any",
        "identifiers are finitely many, one at least and as many as their bound says, so that minima exist",
        "nothing else happens than these actions",
    ]


def trusted(result: UnboundedProof) -> list[str]:
    """What a proof leans on."""
    return [
        "the first-order semantics of this text, compared with Python in "
        f"{result.compared:,} evaluations at these bounds",
        f"Z3 {found_solver().version}{_not_trusted(result)}",
    ]


def _not_trusted(result: UnboundedProof) -> str:
    """What has found hypotheses and terms for Z3, and was not believed."""
    hinted = sum("core" in cell.ways for cell in result.cells)
    if not hinted:
        return ""
    return f"; not cvc5 or a certificate, which hinted at what matters in {counted(hinted, 'cell')}: Z3 has checked it"


def _unbounded_effort(page: Page, result: UnboundedProof) -> None:
    cells = result.cells
    parts, resources = sum(cell.parts for cell in cells), sum(cell.resources for cell in cells)
    asked = sum(cell.verdict != "untouched" for cell in cells)
    solved = f"{counted(len(cells), 'obligation')}, of which {asked:,} needed a look, in {parts:,} parts"
    known = f"{counted(result.from_cache, 'question')} known from before (--no-cache)"
    page.facts(
        "Proof",
        ("engine", "Z3, induction over one step, first-order"),
        ("obligations", solved),
        ("cache", known if result.from_cache else ""),
        ("effort", f"{resources:,} resource units"),
        ("limit", f"{result.rlimit:,} resource units for each question (--rlimit)"),
        ("time", f"{timed(result.wall_seconds)}, of which solver {timed(result.solver_seconds)} of processor time"),
    )


def _unbounded_rests_on(page: Page, result: UnboundedProof) -> None:
    page.title("It rests on")
    page.lines((f"- assumed: {one}" for one in assumed(result)), indent=2)
    page.lines((f"- trusted: {one}" for one in trusted(result)), indent=2)
    seen, steps = len(result.witnesses.seen), result.witnesses.steps
    actions = counted(len(result.protocol.members("action")), "action")
    page.line(
        f"- not idle: {seen} of {actions} seen to happen where all lemmas hold, in {counted(steps, 'step')} of a run",
        indent=2,
    )
    if result.unseen:
        page.line(f"- not seen to happen: {', '.join(result.unseen)}", "warn", indent=2)


def _unbounded_open(page: Page, result: UnboundedProof) -> None:
    wrong, left = result.of("counterexample"), result.of("unknown")
    if not (wrong or left):
        return
    page.title("Open, by action and lemma")
    for cell in (*wrong, *left):
        page.line(f"- {cell.obligation.label}: {why(cell)}", indent=2)
    if left and not installed():
        page.line(f"Next: {installing('proofs')} adds cvc5, which finds hints for Z3.", indent=2)
    elif left:
        page.line(f"Next: --rlimit {min(10 * result.rlimit, MOST_RLIMIT)} gives the solver more.", indent=2)


def why(cell: Cell) -> str:
    """What is known of a cell that is open."""
    example = cell.counterexample
    if example is None:
        return f"unknown, {counted(cell.open, 'part')} of {cell.parts:,}; no counterexample within bounds"
    instance = f" of {example.instance.label}" if example.instance is not None else ""
    return f"counterexample{instance} at {', '.join(f'{name} {value}' for name, value in example.bounds.items())}"


# -- certificate -------------------------------------------------------------------------------------------------------

EFFORT = ("action", "column", "verdict", "parts", "resource units", "ways")


def _facts(result: UnboundedProof, reference: str) -> list[tuple[str, str]]:
    settings = " ".join(as_options(configuration_of(result.protocol)))
    asked = sum(cell.verdict != "untouched" for cell in result.cells)
    parts = sum(cell.parts for cell in result.cells)
    return [
        ("protocol", f"`{reference}`"),
        *((("settings", f"`{settings}`"),) if settings else ()),
        ("obligations", f"{len(result.cells):,}, of which {asked:,} needed a look, in {parts:,} parts"),
        ("asked", f"`{result.digest}`"),
        ("solver", f"Z3 {found_solver().version}, at most {result.rlimit:,} resource units a question"),
        ("tool", f"{TOOL} {tool_version()}"),
    ]


def _said(member: Member) -> str:
    return f"`{member.name}`: {member.sentence} ({member.where})"


def _idle(result: UnboundedProof) -> list[str]:
    seen, all_of_them = len(result.witnesses.seen), len(result.protocol.members("action"))
    lines = [f"* {seen} of {all_of_them} actions were seen to happen where all lemmas hold"]
    lines += [f"* not seen to happen: {', '.join(result.unseen)}"] if result.unseen else []
    return lines + [f"* {warning}" for warning in result.vacuous]


def _matrix_table(result: UnboundedProof) -> list[str]:
    table = unbounded_matrix(result)
    head = ("", "can run", *map(str, range(1, len(table.columns))))
    return _table(head, ((row, *table.signs(row)) for row in table.seconds))


def _open_section(result: UnboundedProof) -> list[str]:
    cells = (*result.of("counterexample"), *result.of("unknown"))
    return ["## Open", "", *(f"* {cell.obligation.label}: {why(cell)}" for cell in cells), ""] if cells else []


def _effort_row(cell: Cell) -> tuple[str, ...]:
    one = cell.obligation
    column = one.column or one.kind
    return one.row, column, cell.verdict, f"{cell.parts:,}", f"{cell.resources:,}", ", ".join(sorted(cell.ways))


def _command(result: UnboundedProof, reference: str) -> str:
    return f"epochal prove {quoted(reference)} --unbounded --no-cache --rlimit {result.rlimit}"


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> list[str]:
    return [_row(head), _row(["---"] * len(head)), *map(_row, body)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
