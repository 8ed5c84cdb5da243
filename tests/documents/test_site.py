"""The site under docs/: it builds without a warning, and neither its making nor its reading asks a network."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from epochal.spec.bugs.catalogue import KNOWN_BUGS
from tests.documents.harness import ROOT
from tests.documents.links import dead_links

LOADED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=[\"']?([^\"' >]+)")
FETCHING = re.compile(r"@import\s+(?:url\()?[\"']?(https?:)?//|url\([\"']?(https?:)?//")
REPORTED = ("truncate-to-hw-strong-isr", "zookeeper-version-first-follower-joins-isr")
SHOWN = {
    "index": "kraft-n1-leader-candidate-completeness",
    "people/kip": "eligible-py-kip9999-acknowledged-durable",
    "people/another": "step3-py-agreeing-all-agree",
}
"""Pages with a run, and the name of its trace: one that is kept, and two that are found by the commands of a page."""

NO_NETWORK = "import socket, sys\nsocket.socket.connect = None\nfrom mkdocs.__main__ import cli\ncli()"

pytestmark = pytest.mark.xdist_group("site")
"""It is built once."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly by a process that cannot connect to anything."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-c", NO_NETWORK, "build", "--strict", "--site-dir", str(folder)]
    some = {**os.environ, "EPOCHAL_REPORTS": " ".join(REPORTED), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=some, capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).splitlines()
    assert any("Documentation built" in line for line in said), said  # it speaks: warnings would be heard
    assert [line for line in said if not line.startswith("INFO")] == [] and done.returncode == 0
    return folder


def test_every_link_leads_somewhere(site: Path) -> None:
    """Pages, anchors, images, scripts and styles of the site; what is elsewhere is not asked."""
    dead = dead_links(site)
    assert dead == [], "\n".join(dead)


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "other.html").write_text("<p id='here'><a href='/'>top</a><a href='/nowhere/'></a>", encoding="utf-8")
    (tmp_path / "index.html").write_text(
        "<a name=top href='other.html#here'>a</a><a href='#top'>b</a><a href='https://epochal.example/x'>c</a>"
        "<a href='other.html#there'>d</a><a href='gone.html'>e</a><img src='gone.svg'><a href='#'>f</a>"
        "<link rel=canonical href='mailto:a@b'><a href='../outside.html'>g</a>",
        encoding="utf-8",
    )
    assert dead_links(tmp_path) == [
        "index.html: ../outside.html",
        "index.html: gone.html",
        "index.html: gone.svg",
        "index.html: other.html#there",
        "other.html: /nowhere/",
    ]


def test_every_page_is_in_it(site: Path) -> None:
    """In its navigation, too: a page that is left out there is a warning, and the site is built strictly."""
    for page in (ROOT / "docs").rglob("*.md"):
        made = site / page.relative_to(ROOT / "docs").with_suffix(".html")
        assert made.exists(), made


def test_the_stories_are_in_it(site: Path) -> None:
    """Those of counterexamples/, and the traces that their index links to."""
    for path in (ROOT / "counterexamples").iterdir():
        name = "index.html" if path.name == "README.md" else path.name.replace(".md", ".html")
        assert (site / "counterexamples" / name).exists(), name


def test_reports_are_in_it(site: Path) -> None:
    """Those that were asked for; the index and their stories lead to them."""
    index = (site / "counterexamples" / "index.html").read_text(encoding="utf-8")
    for name in REPORTED:
        report = (site / "counterexamples" / "report" / f"{name}.html").read_text(encoding="utf-8")
        assert report.startswith("<!DOCTYPE html>")
        assert "default-src &#39;none&#39;" in report
        assert f'href="report/{name}.html"' in index
        assert f'href="report/{name}.html"' in (site / "counterexamples" / f"{name}.html").read_text(encoding="utf-8")
    tutorial = (site / "tutorial" / "01-truncation-to-the-high-watermark.html").read_text(encoding="utf-8")
    assert f'href="../counterexamples/report/{REPORTED[0]}.html"' in tutorial
    assert len(list((site / "counterexamples" / "report").iterdir())) == len(REPORTED)


def test_the_gallery_has_every_bug_with_its_lesson_and_its_runs(site: Path) -> None:
    """Readable without its script, which finds entries by version and by words."""
    gallery = (site / "kafka" / "gallery.html").read_text(encoding="utf-8")
    text = html.unescape(re.sub(r"<[^>]*>", "", gallery))
    ids = set(re.findall(r'<h3 id="([^"]+)"', gallery))
    assert len(ids) == len(KNOWN_BUGS) == len(re.findall('<div class="bug(?: on-brokers)?" data-kafka="', gallery))
    assert gallery.count('class="bug on-brokers"') == sum(bool(bug.shown_on) for bug in KNOWN_BUGS) > 0
    for bug in KNOWN_BUGS:
        assert f"{bug.title}. {bug.seen_in()}." in text and f"Lesson. {bug.lesson}" in text, bug.name
    assert set(re.findall(r'href="#(kafka-[\w-]+|kip-[\w-]+)"', gallery)) <= ids
    assert f'href="../counterexamples/report/{REPORTED[0]}.html">as a page</a>' in gallery
    assert '<script src="gallery.js">' in gallery
    taught = (site / "counterexamples" / "report" / f"{REPORTED[0]}.html").read_text(encoding="utf-8")
    story = (site / "counterexamples" / f"{REPORTED[0]}.html").read_text(encoding="utf-8")
    lesson = next(bug.lesson for bug in KNOWN_BUGS if bug.without_rule == "truncate-to-hw")
    assert f"What it teaches: {lesson}" in taught and lesson in story


def test_runs_are_those_of_their_sources(site: Path) -> None:
    """Of a trace that is kept, and of what the commands of a page find: each state, and the report beside it."""
    for name, run in SHOWN.items():
        page = (site / f"{name}.html").read_text(encoding="utf-8")
        report = (site / "assets" / "runs" / f"{run}.html").read_text(encoding="utf-8")
        assert f'assets/runs/{run}.html">' in page and "default-src &#39;none&#39;" in report
        steps = html.unescape(page[page.index('class="film-steps"') : page.index('class="film-frames"')])
        assert re.findall("<li>(.*?)</li>", steps) == [
            html.unescape(one) for one in re.findall(r'<a class="number"[^>]*>\d+</a>\n<strong>(.*?)</strong>', report)
        ]
        assert page.count('class="film-frame"') == steps.count("<li>") > 3


def test_reading_it_asks_no_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        content = page.read_text(encoding="utf-8")
        outside = [where for where in LOADED.findall(content) if re.match(r"(https?:)?//", where)]
        assert outside == [], page
        assert not FETCHING.search(content), page
    for style in site.rglob("*.css"):
        assert not FETCHING.search(style.read_text(encoding="utf-8")), style


def test_files_have_their_names(site: Path) -> None:
    """Above the text of a file: the comment that has it in the source is shown to nobody."""
    text = (site / "kip.html").read_text(encoding="utf-8")
    assert '<span class="filename">eligible.py</span>' in text and "<!-- file: eligible.py -->" not in text


def test_no_source_of_the_generator_is_published(site: Path) -> None:
    assert [*site.rglob("*.py"), *site.rglob("*.j2")] == []
