"""Names and values that somebody has chosen to do harm are texts: on a terminal, in JSON, in SARIF, on the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import epochal
from epochal.api.audit import ClusterAudit
from epochal.report.schema import schema_of
from tests.audit.golden import audited
from tests.audit.test_bad_files import read
from tests.audit.test_requests import topic
from tests.browser import Visit
from tests.checker.gate.test_reports import validate_sarif

HTML = "<script>document.title='pwned'</script><img src=x onerror=alert(1)>&\"'"
TERMINAL = "\x1b[2J\x1b]0;pwned\x07"
RIGHT_TO_LEFT = "\u202egnp.exe"


@pytest.fixture
def hostile(tmp_path: Path) -> ClusterAudit:
    """An audit of a cluster in which everything that can be a text is a hostile one."""
    folder = tmp_path / f"dump {HTML.replace('/', '')}"
    folder.mkdir()
    name = f"topics {HTML.replace('/', '')}.txt"
    (folder / name).write_text(
        topic(HTML, 3, "min.insync.replicas=1") + topic(f"{TERMINAL}{RIGHT_TO_LEFT}orders", 1, ""), encoding="utf-8"
    )
    for number in (1, 2, 3):
        rack = f"{HTML}{TERMINAL.replace(chr(27), chr(92) + 'u001b')}"
        (folder / f"server-{number}.properties").write_text(
            f"process.roles=broker\nnode.id={number}\nbroker.rack={rack}\nmin.insync.replicas={number}\n",
            encoding="utf-8",
        )
    (folder / f"{HTML.replace('/', '')}.properties").write_text("acks=1\nclient.id=<b>\n", encoding="utf-8")
    lock = tmp_path / "lock.json"
    return epochal.audit(
        folder, kafka="4.3", searches=False, lock=lock, accepting="auto-created/*", reason=f"{HTML}{TERMINAL}"
    )


def texts(document: object) -> Iterator[str]:
    """Every text of a document."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for name, value in document.items():
            yield from (name, *texts(value))
    elif isinstance(document, list):
        for value in document:
            yield from texts(value)


def test_a_terminal_gets_no_commands(hostile: ClusterAudit) -> None:
    told = str(hostile)
    assert not any(character in told for character in ("\x1b", "\x07", "\u202e"))
    assert "orders" in told and HTML in told


def test_programs_get_the_texts_as_they_are(hostile: ClusterAudit) -> None:
    document, sarif = hostile.to_dict(), hostile.to_sarif()
    jsonschema.validate(document, schema_of("audit"))
    validate_sarif(sarif)
    assert any(HTML in text for text in texts(document))
    for text in (json.dumps(document), json.dumps(sarif)):
        assert "\x1b" not in text and "\u202e" not in text
    for one in sarif["runs"][0]["results"]:  # type: ignore[index]  # a list
        for place in one.get("locations", []):
            assert "<" not in place["physicalLocation"]["artifactLocation"]["uri"]


def test_the_page_has_no_element_of_theirs(hostile: ClusterAudit) -> None:
    page = hostile.to_html()
    assert "<script" not in page and "<img" not in page and "&lt;script&gt;" in page
    assert "default-src &#39;none&#39;" in page and "\x1b" not in page and "\u202e" not in page


def test_a_secret_is_not_told(tmp_path: Path) -> None:
    """A broker shows a password as null, and its file has it: that is no contradiction worth telling."""
    (tmp_path / "server.properties").write_text("node.id=1\nssl.key.password=hunter2\n", encoding="utf-8")
    (tmp_path / "broker.txt").write_text(
        "All configs for broker 1 are:\n  ssl.key.password=null sensitive=true "
        "synonyms={STATIC_BROKER_CONFIG:ssl.key.password=null}\n",
        encoding="utf-8",
    )
    (tmp_path / "topics.txt").write_text(topic("orders"), encoding="utf-8")
    found = epochal.audit(tmp_path, kafka="4.3", searches=False, lock=tmp_path / "no.json")
    for text in (str(found), json.dumps(found.to_dict()), json.dumps(found.to_sarif()), found.to_html()):
        assert "hunter2" not in text


LONG = "a" * 10_000_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("topics.txt", topic(LONG)),
        ("configs.txt", f"Dynamic configs for topic {LONG} are:\n"),
        ("server.properties", f"node.id=1\nbroker.rack={LONG}\n"),
        ("server.properties", f"node.id=1\nmin.insync.replicas={LONG}\n"),
        ("app.properties", f"acks={LONG}\n"),
        ("k.yaml", f"apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata:\n  name: {LONG}\n"),
        (
            "k.yaml",
            "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata:\n  name: a\n"
            f"spec:\n  kafka:\n    version: {LONG}\n",
        ),
        ("features.txt", f"Feature: {LONG}\tSupportedMinVersion: 1\n"),
    ],
)
def test_ten_megabytes_in_one_line_make_no_long_report(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "more.txt").write_text(topic("payments"), encoding="utf-8")
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert len(read(tmp_path)) < 2000
    if "rack" in text or "version" in text[:200]:
        found = epochal.audit(tmp_path, searches=False, lock=tmp_path / "no.json")
        assert len(str(found)) < 50_000 and len(found.to_html()) < 50_000 and len(json.dumps(found.to_dict())) < 50_000


def violations(page: Any) -> list[Any]:
    """What axe has to say of a page."""
    page.add_script_tag(content=(resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
    return list(page.evaluate("axe.run()")["violations"])


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["strimzi", "kafka-4.3.1/broker-down", ""])
def test_the_page_in_a_browser(
    name: str, scheme: str, tmp_path: Path, chromium: Any, request: pytest.FixtureRequest
) -> None:
    """It fits a window of 1280 pixels, asks for nothing, and what a hostile cluster has is text on it."""
    result = audited(name) if name else request.getfixturevalue("hostile")
    file = tmp_path / "index.html"
    file.write_text(result.to_html(), encoding="utf-8")
    visit = Visit(chromium, color_scheme=scheme, bypass_csp=True)
    try:
        page = visit.open(file)
        visit.screenshot(f"audit-{name.replace('/', '-') or 'hostile'}-{scheme}")
        assert page.locator("table").first.is_visible() and "acked-lost" in page.content()
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        assert page.locator("main script, main img, main b").count() == 0 and "pwned" not in page.title()[:5]
        assert violations(page) == []
    finally:
        visit.context.close()
    assert visit.wrong == []


@pytest.mark.browser
def test_a_loss_is_one_click_from_its_run(tmp_path: Path, visit: Visit) -> None:
    (tmp_path / "topics.txt").write_text(topic("only-one", 1, ""), encoding="utf-8")
    result = epochal.audit(tmp_path / "topics.txt", kafka="4.3.1", lock=tmp_path / "no.json")
    result.write(tmp_path / "report")
    page = visit.open(tmp_path / "report" / "index.html")
    page.get_by_role("link", name="LOST 7").click()
    assert page.url.endswith("runs/only-one-lossy.html")
    assert page.locator("h1").first.is_visible()
