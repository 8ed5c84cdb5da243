"""What each Kafka version had open when it was shipped: the table of the documentation, searched again."""

from __future__ import annotations

import pytest

from epochal.spec.kraft.generations import TOLD as RELEASED
from tests.spec.kraft.versions import BOUNDS, ROOT, same_versions, searched, table, told

TOLD = told()
QUICK = (("3.3", "two brokers"), ("4.1", "two brokers, one lossy crash"))
"""The searches that the default suite makes again; `make test-long` makes all of them."""


def test_the_page_tells_of_every_version() -> None:
    assert list(TOLD) == same_versions()
    assert [version for versions in TOLD for version in versions] == list(RELEASED)
    assert "\n".join(table(TOLD)) in (ROOT / "docs/kafka/versions.md").read_text(encoding="utf-8")


def asked() -> list[object]:
    """Each group of versions at each bounds."""
    return [
        pytest.param(versions, name, marks=[] if (versions[0], name) in QUICK else [pytest.mark.long])
        for versions in TOLD
        for name in BOUNDS
    ]


@pytest.mark.parametrize(("versions", "name"), asked())
def test_a_version_is_as_told(versions: tuple[str, ...], name: str) -> None:
    """Exactly these properties are violated, with these lengths; the search is exhaustive."""
    assert searched(versions[0], BOUNDS[name]) == TOLD[versions][name]
