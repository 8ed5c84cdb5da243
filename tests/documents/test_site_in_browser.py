"""The site in a browser, read from files: it is searched, shows a run, and nothing is cut or asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import Visit
from tests.documents.test_site import site  # noqa: F401  # the fixture

pytestmark = pytest.mark.browser


def test_it_is_searched_without_a_server(site: Path, visit: Visit) -> None:  # noqa: F811
    page = visit.open(site / "kafka" / "guarantees.html")
    page.click(".md-search__input")
    page.keyboard.type("majority", delay=50)
    page.wait_for_selector(".md-search-result__link")
    assert "When the majority of controllers is gone" in page.locator(".md-search-result__link h1").all_inner_texts()
    visit.screenshot("search")
    assert visit.wrong == []


@pytest.mark.parametrize("name", ["index.html", "kafka/findings.html"])
def test_a_run_is_shown(name: str, site: Path, visit: Visit) -> None:  # noqa: F811
    page = visit.open(site / name)
    frame = page.locator("iframe.run")
    frame.scroll_into_view_if_needed()
    shown = frame.content_frame
    shown.locator("#s1").wait_for()
    assert "leader_candidate_completeness is violated" in shown.locator("h1").inner_text()
    assert shown.locator(".bounds li").count() == 9
    visit.screenshot(f"run-on-{Path(name).stem}")
    assert visit.wrong == []


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("name", ["index.html", "kafka/guarantees.html", "kafka/majority-lost.html", "audit.html"])
def test_no_page_is_wider_than_its_window(name: str, width: int, site: Path, visit: Visit) -> None:  # noqa: F811
    page = visit.open(site / name)
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("link[rel=icon]").get_attribute("href").endswith("assets/favicon.svg")
    cut = "getComputedStyle(document.querySelector('.highlight pre > code')).backgroundAttachment"
    assert page.locator(".highlight").count() == 0 or "local" in page.evaluate(cut), "a shadow where there is more"
    visit.screenshot(f"{Path(name).stem}-{width}")
    assert visit.wrong == []
