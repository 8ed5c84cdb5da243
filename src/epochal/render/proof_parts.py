"""What reports of proofs have in common, whether within bounds or for every choice of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from epochal.render.documents import solver as documents
from epochal.render.page import Page, Style
from epochal.spec.language import Member

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


def property_entries(members: Sequence[Member], verdicts: Mapping[str, str]) -> list[documents.ProvedProperty]:
    """The properties, for a document."""
    return [
        {"id": m.name, "sentence": m.sentence, "source": str(m.where), "verdict": verdicts[m.name]} for m in members
    ]


def lemma_entries(members: Sequence[Member], trivial: Sequence[str] = ()) -> list[documents.Lemma]:
    """The lemmas, for a document."""
    return [
        {"id": m.name, "sentence": m.sentence, "source": str(m.where), "trivial": m.name in trivial} for m in members
    ]
