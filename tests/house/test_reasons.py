"""Where types are not checked, the line says why; tests of what is wrong may leave it out."""

from __future__ import annotations

import re

import pytest

from tests.house.test_architecture import ROOT

FOLDERS = ("checker", "cli", "docs", "src", "examples", "spec")
UNREASONED = re.compile(r"#\s*type: ignore(\[[a-z, -]+\])?\s*$")


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_is_not_checked_has_its_reason_beside_it(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    bare = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if UNREASONED.search(line)
    ]
    assert bare == []


@pytest.mark.parametrize(
    ("line", "bare"),
    [
        ("a = b  # type: ignore", True),
        ("a = b  # type: ignore[attr-defined]", True),
        ("a = b  # type: ignore[attr-defined]  # it was compared", False),
    ],
)
def test_a_reason_stands_behind(line: str, bare: bool) -> None:
    assert bool(UNREASONED.search(line)) == bare
