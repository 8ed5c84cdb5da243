"""A browser that looks at pages: Debian's chromium, without network, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

SCREENSHOTS = Path(__file__).parents[1] / "build" / "screenshots"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless browser; tests are skipped where there is none, unless it is required."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    missing = "" if found else "there is no chromium"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing = "playwright is not installed: pip install 'epochal[browser]'"
    if missing:
        if os.environ.get("EPOCHAL_BROWSER_REQUIRED"):
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


class Visit:
    """A page in the browser, and what went wrong on it: errors, and requests that leave it."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.page.on("console", lambda said: self.wrong.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self._asked)
        self.own = ""

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(self.own or "file://"):
            self.wrong.append(f"asks for {request.url}")

    def open(self, file: Path) -> Any:
        """Open a file."""
        self.page.goto(file.as_uri())
        return self.page

    def screenshot(self, name: str) -> None:
        """Keep what it looks like."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(SCREENSHOTS / f"{name}.png"), full_page=True)


Finding = tuple[str, list[tuple[str, str]]]


def findings(page: Any, *impacts: str) -> list[Finding]:
    """The findings of axe-core on a page, or those of these impacts alone: the rule, and the first places."""
    page.evaluate((resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
    answer = page.evaluate("axe.run()")
    assert len(answer["passes"]) > 10
    return [
        (one["id"], [(node["html"][:80], node["failureSummary"][:200]) for node in one["nodes"][:3]])
        for one in answer["violations"]
        if not impacts or one["impact"] in impacts
    ]


def serious(page: Any) -> list[Finding]:
    """The serious findings of axe-core on a page."""
    return findings(page, "serious", "critical")


@pytest.fixture
def visit(chromium: Any) -> Iterator[Visit]:
    """A page as people see it."""
    made = Visit(chromium)
    yield made
    made.context.close()
    assert made.wrong == []
