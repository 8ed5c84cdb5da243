"""The report of a proof for people. Everything in it comes from the one `ProofResult`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from epochal.checker.base.installed import found_solver
from epochal.checker.base.numbers import counted, timed
from epochal.checker.command_lines import other_bounds
from epochal.checker.documents import document
from epochal.checker.solver.answer import SPENT
from epochal.checker.solver.induction import (
    EVALUATION,
    IMPLICATION,
    INITIALLY,
    REACHED,
    Cell,
    ObligationResult,
    ProofResult,
    Reduced,
    first_state,
    matrix,
    ranked,
    told,
)
from epochal.exit_codes import ExitCode
from epochal.spec.language import Member
from epochal.spec.language.configurable import quoted

from .check import repeated_in_words, scope_lines
from .documents import solver
from .page import Page, Style

# -- proof parts ------------------------------------------------------------------------------------------------------
# What reports of proofs have in common, whether within bounds or for every choice of them.

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


def render_matrix(
    page: Page,
    rows: Sequence[str],
    columns: Sequence[str],
    sign: Callable[[str, str], str],
    seconds: Mapping[str, str],
    legend: str,
) -> None:
    """The table of actions and lemmas. The first of `columns` is whether an action can be evaluated.

    `seconds` says what the solver took for a row.
    """
    many = len(columns) - 1
    parts = -(-many // MOST_COLUMNS) or 1
    each = -(-many // parts)
    page.title("Each action against each lemma")
    for part in range(parts):
        places = [*([0] if part == 0 else []), *range(part * each + 1, min((part + 1) * each + 1, len(columns)))]
        last = part == parts - 1
        header = (
            "ACTION",
            *("can run" if place == 0 else str(place) for place in places),
            *(("SOLVER",) if last else ()),
        )
        table = [
            (row, *(sign(row, columns[place]) for place in places), *((seconds[row],) if last else ())) for row in rows
        ]
        page.table(table, header=header, right=range(1, len(places) + 2))
    page.line(legend, "faint", indent=2)


def property_entries(members: Sequence[Member], verdicts: Mapping[str, str]) -> list[solver.ProvedProperty]:
    """The properties, for a document."""
    return [document(solver.ProvedProperty, member, verdict=verdicts[member.name]) for member in members]


def lemma_entries(members: Sequence[Member], trivial: Sequence[str] = ()) -> list[solver.Lemma]:
    """The lemmas, for a document."""
    return [document(solver.Lemma, member, trivial=member.name in trivial) for member in members]


LEGEND = "+ proved   . the action writes nothing that the lemma reads   X counterexample to induction   ? unknown"
MOST_NAMED = 30
"""So many cells that are open are named."""


def property_verdicts(result: ProofResult) -> dict[str, str]:
    """The verdict of each property: proved only if all lemmas are inductive and imply it."""
    steps = [a for a in result.answers if a.obligation.kind != "implication"]
    inductive = all(answer.verdict == "proved" for answer in steps)
    implied = {a.obligation.column: a.verdict == "proved" for a in result.answers if a.obligation.kind == "implication"}
    return {m.name: "proved" if inductive and implied[m.name] else "not proved" for m in result.properties}


def headline(result: ProofResult) -> str:
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


def render_proof(
    page: Page,
    reduced: Reduced,
    story: list[str],
    replayed: str,
    files: list[str],
    *,
    about: str,
    reference: str,
    others: int,
) -> None:
    """Verdicts, lemmas, the matrix, what it took and what it does not say, and a counterexample as a story.

    `about` says whose steps these are, where another protocol was asked about, `reference` how the protocol is called,
    and `others` how many counterexamples there are besides the one of the story.
    """
    result = reduced.proof
    verdicts, cells = property_verdicts(result), matrix(result)
    tone: Style = "good" if result.exit_code == ExitCode.HOLDS else "bad" if result.failed else "warn"
    page.line(f"{result.protocol.name}: {headline(result)}", tone)
    if about:
        page.line(about, indent=2)
    page.lines(scope_lines(result.protocol), indent=2)
    render_members(page, result.properties, result.lemmas, verdicts)
    _reduction(page, reduced)
    _matrix(page, result, cells)
    _effort(page, result, replayed)
    if result.exit_code in (ExitCode.HOLDS, ExitCode.VACUOUS):
        _rests_on(page, result)
    page.title("Not proved by this")
    page.line("- larger bounds, properties of steps, reachability, deadlock and liveness", indent=2)
    if result.trivial:
        page.line(f"- anything by {', '.join(result.trivial)}: true of every state at these bounds", indent=2)
    for warning in (*result.vacuous, *result.warnings):
        page.line()
        page.line(f"Warning: {warning}.", "warn")
    if result.failed or result.unknown:
        _open(page, result, cells)
    if story:
        violated = result.exit_code in (ExitCode.VIOLATED, ExitCode.EVALUATION_FAILED)
        page.title("Counterexample" if violated else "Counterexample to induction")
        page.lines(story, indent=2)
        if not violated:
            page.line()
            page.line(_what_next(cells), "warn", indent=2)
    page.written(files)
    if others and not files:
        more = "is one more counterexample" if others == 1 else f"are {others} more counterexamples"
        page.line()
        page.line(f"There {more}; --out writes them all.", "faint", indent=2)
        asked = f"{quoted(reference)} {other_bounds(result.protocol)}".rstrip()
        page.commands([f"epochal prove {asked} --out found"])


def _what_next(cells: tuple[Cell, ...]) -> str:
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


def _matrix(page: Page, result: ProofResult, cells: tuple[Cell, ...]) -> None:
    by_place = {(cell.row, cell.column): SIGNS[cell.verdict] for cell in cells}
    rows = [row for row in dict.fromkeys(cell.row for cell in cells) if row != IMPLICATION]
    seconds = {row: timed(sum(cell.seconds for cell in cells if cell.row == row)) for row in rows}
    columns = [EVALUATION, *(member.name for member in result.lemmas)]
    times = {**seconds, INITIALLY: ""}
    render_matrix(page, rows, columns, lambda row, column: by_place.get((row, column), ""), times, LEGEND)


def _effort(page: Page, result: ProofResult, replayed: str) -> None:
    asked = sum(answer.asked for answer in result.answers)
    solved = f"{counted(len(result.answers), 'obligation')}, of which {asked:,} needed a look"
    times = f"{timed(result.wall_seconds)}, of which solver {timed(result.solver_seconds)} of processor time"
    page.title("Proof")
    page.table(
        [
            ("engine", "Z3, induction over one step"),
            ("obligations", solved),
            *(
                (("cache", f"{counted(result.from_cache, 'obligation')} known from before (--no-cache)"),)
                if result.from_cache
                else ()
            ),
            ("limit", f"{result.rlimit:,} resource units for each (--rlimit)"),
            ("time", times),
            *((("traces", replayed),) if replayed else ()),
            ("cross-check", repeated_in_words(result.cross_check)),
        ]
    )


def _rests_on(page: Page, result: ProofResult) -> None:
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


def _open(page: Page, result: ProofResult, cells: tuple[Cell, ...]) -> None:
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


def _open_cell(cell: Cell) -> str:
    """`Fetch(b2, b1) preserves log_matching, as of 5 more instances; state 0 is not reachable within these bounds`."""
    shown = cell.shown
    assert shown is not None
    state = first_state(shown).partition(" (")[0].partition(":")[0]
    return f"{shown.obligation.label}{_others(cell.failed)}{f'; state 0 is {state}' if state else ''}"


def _others(answers: Sequence[ObligationResult]) -> str:
    """How many more instances of an action are like the one that is named."""
    return f", and {counted(len(answers) - 1, 'instance')} more" if len(answers) > 1 else ""


# -- proof json -------------------------------------------------------------------------------------------------------
# The result of a proof as one JSON object.


def proof_document(reduced: Reduced, asked: object) -> solver.Prove:
    """The document. `matrix` has one entry for each action and lemma; `trace` there is the first counterexample.

    `fallen` lists what --houdini dropped, `needless` what --minimize found unnecessary; `lemmas` are those that remain.
    """
    proof = reduced.proof
    return document(
        solver.Prove,
        proof,
        reduced,
        asked,
        properties=property_entries(proof.properties, property_verdicts(proof)),
        lemmas=lemma_entries(proof.lemmas, proof.trivial),
        matrix=matrix(proof),
    )
