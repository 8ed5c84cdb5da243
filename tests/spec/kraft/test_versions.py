"""What each Kafka version had open when it was shipped, and what no longer comes in it: two tables, made again."""

from __future__ import annotations

import pytest

from epochal.spec.kraft.generations import TOLD as RELEASED
from tests.spec.kraft.versions import OPEN, PROMISED, ROOT, Table

TOLD = {table.page: table.told() for table in (OPEN, PROMISED)}
QUICK = (
    ("3.3", "two brokers"),
    ("2.8", "two brokers, nothing crashes"),
    ("4.1", "two crashes, one of them lossy"),
)
"""What the default suite searches and judges again; `make test-long` does all of it."""


@pytest.mark.parametrize("table", [OPEN, PROMISED], ids=lambda table: table.page)
def test_the_page_tells_of_every_version(table: Table) -> None:
    told = TOLD[table.page]
    assert list(told) == table.groups()
    assert [version for versions in told for version in versions] == list(RELEASED)
    assert "\n".join(table.text(told)) in (ROOT / table.page).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("table", "versions", "column"),
    [
        pytest.param(
            table,
            versions,
            column,
            id=f"{table.page}-{versions[0]}-{column}",
            marks=[] if (versions[0], column) in QUICK else [pytest.mark.long],
        )
        for table in (OPEN, PROMISED)
        for versions in TOLD[table.page]
        for column in table.columns
        if table.is_known(versions[0], column)
    ],
)
def test_a_version_is_as_told(table: Table, versions: tuple[str, ...], column: str) -> None:
    """Exactly these properties are broken, by runs of these lengths; the search is exhaustive."""
    assert table.found(versions[0], column) == TOLD[table.page][versions][column]
