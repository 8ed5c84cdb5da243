"""What the README shows is what the tool does. The same harness runs the pages under docs/ (tests/documents)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documents.harness import ROOT, blocks, run, written

README = ROOT / "README.md"


def test_examples_work_as_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands, the story, Python and the variant, from a folder outside the repository."""
    monkeypatch.chdir(tmp_path)
    assert sum(block.is_run for block in blocks(README)) >= 3
    written(README, tmp_path)
    assert "\n\n".join(map(str, run(README, long=False))) == ""


def test_it_is_a_front_page() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert "make check" in text and "make test" in text


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_links_lead_somewhere(name: str) -> None:
    """Those of the files that no builder of a site looks at."""
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / name).read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target
