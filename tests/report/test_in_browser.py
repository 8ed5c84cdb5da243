"""Reports in a browser: they can be read, walked through, printed, and ask for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import epochal
from tests.browser import Visit, serious
from tests.report.hostile import Hostile
from tests.report.test_report import SAMPLES, read

pytestmark = pytest.mark.browser


@pytest.fixture
def file(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The report of a trace of the gallery, as a file."""
    name = getattr(request, "param", SAMPLES[0])
    made = tmp_path / f"{name}.html"
    made.write_text(read(name).to_html(f"{name}.itf.json"), encoding="utf-8")
    return made


@pytest.mark.parametrize("file", SAMPLES, indirect=True)
def test_it_is_wide_enough_and_nothing_is_wrong(file: Path, visit: Visit) -> None:
    page = visit.open(file)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    heads, cards = page.locator(".heads .grid > div").count(), page.locator(".moment .card").count()
    assert heads >= 3
    assert cards >= 3
    visit.screenshot(file.stem)


def test_arrows_end_at_their_lanes(file: Path, visit: Visit) -> None:
    """Step 4: the producer's request ends in the middle of the leader's column."""
    page = visit.open(file)
    middle = {
        head.inner_text(): box["x"] + box["width"] / 2
        for head in page.locator(".heads .grid > div").all()
        if (box := head.bounding_box())
    }
    ends = page.evaluate(
        """() => { const arrow = document.querySelector("#s4 .arrow"), box = arrow.getBoundingClientRect();
        const line = getComputedStyle(arrow, "::before");
        return [box.left + parseFloat(line.left), box.right - parseFloat(line.right)]; }"""
    )
    assert ends == pytest.approx([middle["b1"], middle["producer"]], abs=3)


def test_keys_walk_through_it(file: Path, visit: Visit) -> None:
    page = visit.open(file)
    for _ in range(3):
        page.keyboard.press("j")
    assert page.evaluate("location.hash") == "#s2"
    page.keyboard.press("k")
    assert page.locator(".moment.now").get_attribute("id") == "s1"
    assert not page.locator("#s1 > details").evaluate("one => one.open")
    page.keyboard.press("Enter")
    assert page.locator("#s1 > details").evaluate("one => one.open")
    assert page.locator("#s1 .source .yes").first.is_visible()
    page.keyboard.press("a")
    assert page.locator("details[open]").count() == page.locator("details").count()
    page.reload()
    assert page.locator(".moment.now").get_attribute("id") == "s1", "an address leads to a step"


def test_properties_that_never_change_are_folded(file: Path, visit: Visit) -> None:
    page = visit.open(file)
    row = page.locator("tr.same").first
    assert not row.is_visible()
    page.locator("#properties button").click()
    assert row.is_visible()
    assert page.locator("tr", has_text="leader_candidate_completeness").locator("td.false").inner_text() == "✗"


def test_it_prints_the_run_alone(file: Path, visit: Visit) -> None:
    page = visit.open(file)
    page.emulate_media(media="print")
    assert page.locator(".outcome").is_visible()
    assert not page.locator("nav").is_visible()
    assert not page.locator("details").first.is_visible()


def test_it_is_printed_on_one_page(tmp_path: Path, visit: Visit) -> None:
    """Made smaller for that, as far as it can still be read; and on the screen it is as large as before."""
    made = tmp_path / "printed.html"
    made.write_text(read("kip-279-strong-isr").to_html(), encoding="utf-8")
    page = visit.open(made)
    assert page.pdf(format="A4").count(b"/Type /Page\n") == 1
    assert page.evaluate("document.body.className + document.body.style.zoom + document.body.style.width") == ""


def test_a_hostile_text_does_nothing(tmp_path: Path, visit: Visit) -> None:
    (trace,) = (one.trace for one in epochal.check(Hostile(), engine="python").search.properties if one.trace)
    file = tmp_path / "hostile.html"
    file.write_text(trace.to_html(), encoding="utf-8")
    page = visit.open(file)
    page.keyboard.press("a")
    assert page.title().endswith("Hostile: small is violated")
    assert page.locator("img").count() == 0
    assert "<script>document.title='pwned'</script>" in page.locator("body").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("file", SAMPLES[:4], indirect=True)
def test_nothing_keeps_people_out(file: Path, scheme: str, chromium: Any) -> None:
    """No serious finding of axe-core, with everything open, in both schemes."""
    visit = Visit(chromium, color_scheme=scheme)
    try:
        page = visit.open(file)
        page.keyboard.press("a")
        assert serious(page) == []
    finally:
        visit.context.close()
