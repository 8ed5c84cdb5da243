"""The report of a proof for every choice of the bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from epochal.checker.base.installed import TOOL, found_solver, tool_version
from epochal.checker.base.numbers import counted, timed
from epochal.checker.documents import document
from epochal.checker.solver.induction import EVALUATION, IMPLICATION, TYPES
from epochal.checker.unbounded.proof import Cell, UnboundedProof
from epochal.exit_codes import ExitCode
from epochal.spec.language import Member
from epochal.spec.language.configurable import as_options, configuration_of, quoted

from .check import scope_lines
from .documents import solver
from .page import Page, Style
from .proof import MOST_RLIMIT, SIGNS, lemma_entries, property_entries, render_matrix, render_members, verdict_of

LEGEND = "+ proved   . the action writes nothing that the lemma reads   X counterexample within bounds   ? unknown"


def headline(result: UnboundedProof) -> str:
    """The verdict in one sentence."""
    if result.exit_code in (ExitCode.HOLDS, ExitCode.VACUOUS):
        names = [member.name for member in result.properties]
        return verdict_of(result.exit_code == ExitCode.HOLDS, names, "and every choice of the bounds")
    wrong, left = len(result.of("counterexample")), len(result.of("unknown"))
    if result.exit_code == ExitCode.SOLVER_UNKNOWN:
        return f"inconclusive: the solver gave up on {counted(left, 'obligation')}"
    more = f", {left:,} more unknown" if left else ""
    return f"not proved: {counted(wrong, 'obligation')} with a counterexample to induction within bounds{more}"


def property_verdicts(result: UnboundedProof) -> dict[str, str]:
    """The verdict of each property: proved only if every other obligation is, and it follows from the lemmas."""
    steps = [cell for cell in result.cells if cell.obligation.kind != "implication"]
    inductive = all(cell.verdict in ("proved", "untouched") for cell in steps)
    implied = {
        cell.obligation.column: cell.verdict == "proved"
        for cell in result.cells
        if cell.obligation.kind == "implication"
    }
    return {m.name: "proved" if inductive and implied[m.name] else "not proved" for m in result.properties}


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
        f"Z3 {found_solver().version}",
    ]


def render_unbounded(page: Page, result: UnboundedProof, story: list[str], about: str, files: list[str]) -> None:
    """Verdicts, lemmas, the matrix, what it took, what it rests on, and a counterexample if there is one."""
    verdicts = property_verdicts(result)
    good, wrong = result.exit_code == ExitCode.HOLDS, result.of("counterexample")
    tone: Style = "good" if good else "bad" if wrong else "warn"
    page.line(f"{result.protocol.name}: {headline(result)}", tone)
    if about:
        page.line(about, indent=2)
    page.lines((line.replace("bounds:", "compared at", 1) for line in scope_lines(result.protocol)), indent=2)
    render_members(page, result.properties, result.lemmas, verdicts)
    _matrix(page, result)
    _effort(page, result)
    _rests_on(page, result)
    page.title("Not proved by this")
    page.line("- properties of steps, reachability, deadlock and liveness; other settings", indent=2)
    for warning in (*result.vacuous, *result.warnings):
        page.line()
        page.line(f"Warning: {warning}.", "warn")
    _open(page, result)
    if story:
        page.title("Counterexample to induction, within bounds")
        page.lines(story, indent=2)
        page.line()
        page.line("If its first state cannot be reached, a lemma is missing that says so.", "warn", indent=2)
    page.written(files)


def _matrix(page: Page, result: UnboundedProof) -> None:
    seconds = {row: timed(sum(c.seconds for c in result.cells if c.obligation.row == row)) for row in rows(result)}
    render_matrix(page, rows(result), columns(result), signs(result), seconds, LEGEND)


def rows(result: UnboundedProof) -> list[str]:
    """The rows of the matrix: what holds initially, what can be evaluated, and each action."""
    return [row for row in dict.fromkeys(cell.obligation.row for cell in result.cells) if row != IMPLICATION]


def columns(result: UnboundedProof) -> list[str]:
    """The columns of the matrix: whether an action can be evaluated, and each lemma."""
    return [EVALUATION, *(member.name for member in result.lemmas)]


def signs(result: UnboundedProof) -> Callable[[str, str], str]:
    """The sign of a row and a column. In the first one of what holds initially stands that the state is typed."""
    found = {cell.obligation.place: SIGNS[cell.verdict] for cell in result.cells}

    def sign(row: str, column: str) -> str:
        return found.get((row, column)) or (found.get((row, TYPES), "") if column == EVALUATION else "")

    return sign


def _effort(page: Page, result: UnboundedProof) -> None:
    cells = result.cells
    parts, resources = sum(cell.parts for cell in cells), sum(cell.resources for cell in cells)
    asked = sum(cell.verdict != "untouched" for cell in cells)
    solved = f"{counted(len(cells), 'obligation')}, of which {asked:,} needed a look, in {parts:,} parts"
    known = f"{counted(result.from_cache, 'question')} known from before (--no-cache)"
    page.title("Proof")
    page.table(
        [
            ("engine", "Z3, induction over one step, first-order"),
            ("obligations", solved),
            *((("cache", known),) if result.from_cache else ()),
            ("effort", f"{resources:,} resource units"),
            ("limit", f"{result.rlimit:,} resource units for each question (--rlimit)"),
            (
                "time",
                f"{timed(result.wall_seconds)}, of which solver {timed(result.solver_seconds)} of processor time",
            ),
        ]
    )


def _rests_on(page: Page, result: UnboundedProof) -> None:
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


def _open(page: Page, result: UnboundedProof) -> None:
    wrong, left = result.of("counterexample"), result.of("unknown")
    if not (wrong or left):
        return
    page.title("Open, by action and lemma")
    for cell in (*wrong, *left):
        page.line(f"- {cell.obligation.label}: {why(cell)}", indent=2)
    if left:
        page.line(f"Next: --rlimit {min(10 * result.rlimit, MOST_RLIMIT)} gives the solver more.", indent=2)


def why(cell: Cell) -> str:
    """What is known of a cell that is open."""
    example = cell.counterexample
    if example is None:
        return f"unknown, {counted(cell.open, 'part')} of {cell.parts:,}; no counterexample within bounds"
    instance = f" of {example.instance.label}" if example.instance is not None else ""
    return f"counterexample{instance} at {', '.join(f'{name} {value}' for name, value in example.bounds.items())}"


# -- unbounded json ---------------------------------------------------------------------------------------------------
# The result of a proof for every choice of the bounds as one JSON object.


def unbounded_document(result: UnboundedProof, asked: object) -> solver.ProveUnbounded:
    """The document. `matrix` has one entry for each action and lemma."""
    return document(
        solver.ProveUnbounded,
        result,
        asked,
        properties=property_entries(result.properties, property_verdicts(result)),
        lemmas=lemma_entries(result.lemmas),
        assumed=assumed(result),
        trusted=trusted(result),
    )


# -- certificate ------------------------------------------------------------------------------------------------------
# A proof for every choice of the bounds as a page of Markdown, to be kept beside a design or in a pull request.
#
# It says what was proved, from which lemmas, what it assumes and trusts, and what each cell took of the solver, so that
# a reader can check it and another run can be held against it. There is no time in it: the same proof is the same page.


def certificate(result: UnboundedProof, reference: str, about: str) -> str:
    """The page. `about` says whose steps these are, where another protocol was asked about."""
    title = "Certificate" if result.exit_code == ExitCode.HOLDS else "No proof"
    lines = [f"# {title}: {result.protocol.name}", "", f"**{headline(result)}**", ""]
    lines += [f"{about}.", ""] if about else []
    lines += [*_table(("", ""), _facts(result, reference)), ""]
    verdicts = property_verdicts(result)
    lines += ["## Invariants", "", *(f"* {verdicts[m.name]}: {_said(m)}" for m in result.properties), ""]
    lines += ["## Assumed", "", *(f"* {one}" for one in assumed(result)), ""]
    lines += ["## Trusted", "", *(f"* {one}" for one in trusted(result)), ""]
    lines += ["## Not idle", "", *_idle(result), ""]
    lines += ["## Lemmas", "", *(f"{i}. {_said(m)}" for i, m in enumerate(result.lemmas, start=1)), ""]
    lines += ["## Each action against each lemma", "", *_matrix_table(result), "", f"`{LEGEND}`", ""]
    lines += _open_section(result)
    lines += ["## What each cell took", "", *_table(EFFORT, (_effort_row(c) for c in result.cells if c.parts)), ""]
    lines += ["## To check it again", "", "```console", f"$ {_command(result, reference)}", "```", ""]
    return "\n".join(lines)


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
    sign = signs(result)
    head = ("", "can run", *map(str, range(1, len(result.lemmas) + 1)))
    return _table(head, ((row, *(sign(row, column) for column in columns(result))) for row in rows(result)))


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
