"""The explorer in chromium: a run is opened, another action taken, the property holds, the fix stands beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from epochal.cli.explorer.walk import Address, read_address
from tests.browser import Visit, findings
from tests.explorer.conftest import stored

pytestmark = pytest.mark.browser

Explored = Callable[[str], Visit]


def address(page: Any) -> Address:
    """The address of a page."""
    return read_address(page.url.partition("?")[2])


def test_a_click_path(explored: Explored, kip_279: Address) -> None:
    """Open a counterexample, step back, take another action, see the property hold, compare with the fix."""
    visit = explored(f"/run?{kip_279.query()}")
    page = visit.page
    assert "strong_isr is false here" in page.inner_text("header")
    page.keyboard.press("k")
    page.wait_for_selector("h1:has-text('State 9 of 10')")
    assert "every invariant holds" in page.inner_text("header")
    visit.screenshot("explorer-one-step-back")
    page.fill("#filter", "appends")
    shown = page.locator(".next li:visible a.take")
    shown.first.click()
    page.wait_for_selector(".branch")
    taken = address(page)
    assert taken.steps[9] == "LeaderWrite(b1)" and taken.branches[0].steps == (kip_279.steps[9],)
    assert "every invariant holds" in page.inner_text("header")
    page.select_option("select[name=beside]", "kip-320")
    page.click("button:has-text('Show both')")
    page.wait_for_selector(".other")
    assert "kip-320 cannot go along beyond state 1" in page.inner_text(".other")
    visit.screenshot("explorer-two-at-once")
    page.click(".branch a >> nth=0")
    page.wait_for_selector("header:has-text('strong_isr is false here')")
    page.go_back()
    page.wait_for_selector(".branch:has-text('BecomeFollower')")
    assert address(page).steps == taken.steps


def test_kip_320_from_the_start(explored: Explored) -> None:
    visit = explored("/")
    page = visit.page
    page.fill("#filter", "kip-320")
    page.click("code:text-is('kip-320')")
    page.wait_for_selector("main.workbench")
    for _ in range(5):
        number = address(page).at
        page.keyboard.press("1")
        page.wait_for_selector(f"h1:has-text('State {number + 1} of')")
    run = address(page)
    assert len(run.steps) == 5
    page.keyboard.press("u")
    page.wait_for_selector("h1:has-text('State 4 of 5')")
    page.click("summary:has-text('What cannot be done')")
    assert "✗ false" in page.inner_text(".why-not")
    page.fill("input[name=ask]", "len(self.quorum.isr)")
    page.click("button:has-text('Ask')")
    page.wait_for_selector("tr.asked")
    assert page.locator("tr.asked td.value").count() == 6
    page.reload()
    assert page.locator("tr.asked td.value").count() == 6
    visit.screenshot("explorer-kip-320")


def test_a_search_is_watched(explored: Explored) -> None:
    visit = explored("/ask?p=kip-279")
    page = visit.page
    page.click("form:has(input[value=check]) button")
    page.wait_for_selector("h2:has-text('The report')", timeout=120_000)
    page.click("a:has-text('kip-279-strong-isr')")
    page.wait_for_selector("h1:has-text('State 10 of 10')")
    assert "strong_isr is false here" in page.inner_text("header")


def test_a_proof_leads_to_its_counterexamples(explored: Explored) -> None:
    visit = explored("/ask?p=kip-279-proof&bound=replicas:2&bound=log_size:1&bound=records:1&bound=max_epoch:1")
    page = visit.page
    page.click("button:has-text('Prove')")
    page.wait_for_selector("table.matrix", timeout=240_000)
    visit.screenshot("explorer-proof")
    page.click("td.bad a >> nth=0")
    page.wait_for_selector("main.workbench")
    assert "A state that was given" in page.inner_text("#s0") and address(page).codes
    assert "is false here" in page.inner_text("header")


def test_guarantees_as_a_table(explored: Explored) -> None:
    page = explored("/guarantees").page
    page.click("button:has-text('Decide')")
    page.wait_for_selector("table.matrix", timeout=120_000)
    assert page.locator("td.bad").count() and page.locator("button:has-text('Its run')").count()


@pytest.mark.parametrize("path", ["/", "/ask?p=kraft", "/guarantees", "/catalogue", "kip-279", "kraft"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_it(explored: Explored, path: str, scheme: Any, kip_279: Address) -> None:
    runs = {"kip-279": replace(kip_279, beside="kip-320"), "kraft": stored("kraft-h13-leader-completeness")}
    visit = explored(f"/run?{runs[path].query()}" if path in runs else path)
    visit.page.emulate_media(color_scheme=scheme)
    assert findings(visit.page) == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_five_brokers_fit(explored: Explored) -> None:
    page = explored("/run?p=kip-320&bound=replicas:5&bound=max_epoch:1").page
    page.keyboard.press("1")
    page.wait_for_selector("h1:has-text('State 1 of')")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
