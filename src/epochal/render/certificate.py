"""A proof for every choice of the bounds as a page of Markdown, to be kept beside a design or in a pull request.

It says what was proved, from which lemmas, what it assumes and trusts, and what each cell took of the solver, so that a
reader can judge it and another run can be held against it. There is no time in it: the same proof is the same page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from epochal.checker.host.z3_solver import found_solver
from epochal.checker.unbounded.cells import Cell
from epochal.checker.unbounded.proof import UnboundedProof
from epochal.checker.version import TOOL, tool_version
from epochal.exit_codes import ExitCode
from epochal.render.unbounded_text import (
    LEGEND,
    assumed,
    columns,
    headline,
    property_verdicts,
    rows,
    signs,
    trusted,
    why,
)
from epochal.spec.language import Member
from epochal.spec.language.configurable import configuration_of
from epochal.spec.language.reference import as_options, quoted


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
    lines += ["## Each action against each lemma", "", *_matrix(result), "", f"`{LEGEND}`", ""]
    lines += _open(result)
    lines += ["## What each cell took", "", *_table(EFFORT, (_effort(c) for c in result.cells if c.parts)), ""]
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


def _matrix(result: UnboundedProof) -> list[str]:
    sign = signs(result)
    head = ("", "can run", *map(str, range(1, len(result.lemmas) + 1)))
    return _table(head, ((row, *(sign(row, column) for column in columns(result))) for row in rows(result)))


def _open(result: UnboundedProof) -> list[str]:
    cells = (*result.of("counterexample"), *result.of("unknown"))
    return ["## Open", "", *(f"* {cell.obligation.label}: {why(cell)}" for cell in cells), ""] if cells else []


def _effort(cell: Cell) -> tuple[str, ...]:
    one = cell.obligation
    column = one.column or one.kind
    return one.row, column, cell.verdict, f"{cell.parts:,}", f"{cell.resources:,}", ", ".join(sorted(cell.ways))


def _command(result: UnboundedProof, reference: str) -> str:
    return f"epochal prove {quoted(reference)} --unbounded --no-cache --rlimit {result.rlimit}"


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> list[str]:
    return [_row(head), _row(["---"] * len(head)), *map(_row, body)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
