"""What no longer comes in each Kafka version: the table of docs/liveness.md, judged again."""

from __future__ import annotations

import pytest

from epochal.spec.kraft.generations import TOLD as RELEASED
from tests.spec.kraft.promised import COLUMNS, ROOT, broken, groups, is_known, table, told

TOLD = told()
QUICK = (
    ("2.8", "two brokers, nothing crashes"),
    ("4.1", "two crashes, one of them lossy"),
    ("4.3", "three reassignments"),
)
"""What the default suite judges again; `make test-long` judges all of it."""


def test_the_page_tells_of_every_version() -> None:
    assert list(TOLD) == groups()
    assert [version for versions in TOLD for version in versions] == list(RELEASED)
    assert "\n".join(table(TOLD)) in (ROOT / "docs/liveness.md").read_text(encoding="utf-8")


def asked() -> list[object]:
    """Each group of versions within each bounds."""
    return [
        pytest.param(versions, name, marks=[] if (versions[0], name) in QUICK else [pytest.mark.long])
        for versions in TOLD
        for name in COLUMNS
        if is_known(name, versions[0])
    ]


@pytest.mark.parametrize(("versions", "name"), asked())
def test_a_version_is_as_told(versions: tuple[str, ...], name: str) -> None:
    """Exactly these promises and wishes are broken, by runs of these lengths."""
    assert broken(versions[0], name) == TOLD[versions][name]
