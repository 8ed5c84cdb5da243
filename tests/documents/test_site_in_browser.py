"""The site in a browser, read from files: it is searched, shows runs, and nothing is cut, unnamed or asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser import Visit, findings
from tests.documents.test_site import site  # noqa: F401  # the fixture

pytestmark = pytest.mark.browser

PEOPLE = tuple(f"people/{name}" for name in ("cluster", "kip", "incident", "teach", "another"))
WITH_A_RUN = ("index", *PEOPLE, "kafka/findings")
NEW = ("index", *PEOPLE, "kip", "start", "kafka/gallery", "kafka/findings")
WIDTHS = (1280, 768, 390)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("majority", "When the majority of controllers is gone"),
        ("restart two brokers", "You run a cluster"),
        ("check a KIP", "You have a KIP"),
        ("unclean election incident", "You had an incident"),
    ],
)
def test_it_is_searched_without_a_server(words: str, title: str, site: Path, visit: Visit) -> None:  # noqa: F811
    page = visit.open(site / "kafka" / "guarantees.html")
    page.click(".md-search__input")
    page.keyboard.type(words, delay=50)
    page.wait_for_selector(".md-search-result__link")
    assert title in page.locator(".md-search-result__link h1").all_inner_texts()
    visit.screenshot("search")
    assert visit.wrong == []


@pytest.mark.parametrize("name", WITH_A_RUN)
def test_a_run_is_stepped_through(name: str, site: Path, visit: Visit) -> None:  # noqa: F811
    """By its buttons, by its list of steps, and by the arrows of the keyboard; it begins where something is wrong."""
    page = visit.open(site / f"{name}.html")
    film = page.locator(".film")
    last = film.locator(".film-frame").count() - 1
    frame, count = film.locator(".film-frame:visible"), film.locator("output")
    assert last >= 3 and film.locator(".film-steps button").count() == last + 1
    assert frame.count() == 1 and "Violated: " in frame.inner_text()
    assert frame.locator(".accused").count() or name == "people/another", "that one is about all, and accuses nobody"
    film.get_by_role("button", name="Previous step").click()
    assert count.inner_text() == f"{last - 1} of {last}" and "Violated: " not in frame.inner_text()
    film.locator(".film-steps button").first.click()
    page.keyboard.press("ArrowRight")
    assert frame.locator(".film-step b").inner_text() == "1" and frame.locator(".changed").count()
    assert film.locator("[aria-current=step]").inner_text() in frame.inner_text()
    film.get_by_role("link", name="Guards and source of each step").click()
    page.wait_for_url("**/assets/runs/*.html")
    assert page.locator(".moment").count() == last + 1
    assert visit.wrong == []


def test_a_run_is_played(site: Path, visit: Visit) -> None:  # noqa: F811
    visit.page.clock.install()
    film = visit.open(site / "people" / "teach.html").locator(".film")
    film.get_by_role("button", name="Play").click()
    assert film.locator("output").inner_text() == "0 of 8"
    visit.page.clock.run_for(3 * 1400)
    assert film.locator("output").inner_text() == "3 of 8"
    film.get_by_role("button", name="Pause").click()
    visit.page.clock.run_for(10 * 1400)
    assert film.locator("output").inner_text() == "3 of 8"


def test_a_run_is_there_without_a_script(site: Path, chromium: Any) -> None:  # noqa: F811
    plain = Visit(chromium, java_script_enabled=False)
    film = plain.open(site / "index.html").locator(".film")
    assert film.locator(".film-steps li").all_inner_texts()[1] == "The controller elects b2 in place of a live leader"
    assert "Violated: " in film.locator(".film-frame:visible").inner_text()
    plain.context.close()


@pytest.mark.parametrize("name", PEOPLE)
def test_a_page_for_somebody_begins_with_a_run_and_a_command(name: str, site: Path, visit: Visit) -> None:  # noqa: F811
    """Both on the first screen."""
    page = visit.open(site / f"{name}.html")
    heading, film, command = (page.locator(one).first.bounding_box() for one in ("h1", ".film", ".highlight pre"))
    assert heading["y"] < film["y"] < command["y"] < 850 and "epochal " in page.locator(".highlight pre").inner_text()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*NEW, "kafka/guarantees", "kafka/majority-lost", "audit"])
def test_no_page_is_wider_than_its_window(name: str, width: int, site: Path, visit: Visit) -> None:  # noqa: F811
    page = visit.open(site / f"{name}.html")
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("link[rel=icon]").get_attribute("href").endswith("assets/favicon.svg")
    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px \"Plex Sans\"'))")
    cut = "getComputedStyle(document.querySelector('.highlight pre > code')).backgroundAttachment"
    assert page.locator(".highlight").count() == 0 or "local" in page.evaluate(cut), "a shadow where there is more"
    visit.screenshot(f"{Path(name).stem}-{width}")
    assert visit.wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NEW)
def test_nothing_keeps_people_out(name: str, scheme: str, site: Path, chromium: Any) -> None:  # noqa: F811
    """No finding of axe-core, in both schemes, on a wide window and on a narrow one."""
    visit = Visit(chromium, color_scheme=scheme, reduced_motion="reduce")
    page = visit.open(site / f"{name}.html")
    for width in (WIDTHS[0], WIDTHS[-1]):
        page.set_viewport_size({"width": width, "height": 900})
        assert findings(page) == []
    visit.screenshot(f"{Path(name).stem}-{scheme}")
    visit.context.close()
    assert visit.wrong == []
