"""The gallery in a browser: entries are found by version and by words, and links lead to what was hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.generator.shown_bugs import FILTER
from tests.browser import Visit
from tests.documents.harness import ROOT

pytestmark = pytest.mark.browser

ENTRIES = (("a-1", "3.9 4.0", "KAFKA-1 a leader"), ("a-2", "4.0", "KIP-2 a follower"), ("a-3", "", "KAFKA-3"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A small gallery with the script of the site."""
    rows = "".join(f"<tr><td>{version}</td><td></td></tr>" for version in ("3.9", "4.0"))
    bugs = "".join(
        f'<div class="bug{" on-brokers" * (name == "a-2")}" data-kafka="{had}"><h3 id="{name}">{name}</h3>{text}</div>'
        for name, had, text in ENTRIES
    )
    script = (ROOT / "docs" / "kafka" / "gallery.js").read_text(encoding="utf-8")
    made = tmp_path / "gallery.html"
    made.write_text(
        f"<!DOCTYPE html><table>{rows}</table><a href='#a-3'>a-3</a>{FILTER}{bugs}<script>{script}</script>",
        encoding="utf-8",
    )
    return made


def test_entries_are_found(file: Path, visit: Visit) -> None:
    page = visit.open(file)
    shown = ".bug:visible h3"
    assert page.locator(shown).all_inner_texts() == ["a-1", "a-2", "a-3"]
    page.select_option("select", "3.9")
    assert page.locator(shown).all_inner_texts() == ["a-1"]
    page.select_option("select", "4.0")
    page.fill("input[type=search]", "kip-2 FOLLOWER")
    assert page.locator(shown).all_inner_texts() == ["a-2"]
    assert page.locator("output").inner_text() == "1 of 3"
    page.fill("input[type=search]", "")
    page.check("input[type=checkbox]")
    assert page.locator(shown).all_inner_texts() == ["a-2"]
    page.click("a")
    assert page.locator(shown).all_inner_texts() == ["a-1", "a-2", "a-3"]


def test_an_address_has_what_was_asked_for(file: Path, visit: Visit) -> None:
    visit.page.goto(f"{file.as_uri()}?kafka=4.0&words=leader")
    assert visit.page.locator(".bug:visible h3").all_inner_texts() == ["a-1"]


def test_without_a_script_all_is_there(chromium: object, file: Path) -> None:
    plain = Visit(chromium, java_script_enabled=False)
    page = plain.open(file)
    assert page.locator(".bug:visible").count() == 3 and not page.locator(".bugs-filter").is_visible()
    plain.context.close()
