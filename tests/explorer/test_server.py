"""The explorer's pages, who may ask for them, and what hostile texts become on them."""

from __future__ import annotations

import html
import json
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from epochal.cli.explorer.jobs import PATIENCE
from epochal.cli.explorer.server import Explorer
from epochal.cli.explorer.walk import Address, Shelf, read_address
from tests.explorer.conftest import HOST, TOKEN, served
from tests.report.hostile import Hostile


def test_nobody_without_the_token(kip_279: Address) -> None:
    client = TestClient(Explorer(Shelf(), TOKEN, HOST, True).application(), base_url=f"http://{HOST}")
    for path in ("/", f"/run?{kip_279.query()}", "/static/explorer.js", "/job/1", "/nowhere", "/?token=guess"):
        refused = client.get(path, follow_redirects=False)
        assert refused.status_code == 403 and "token" in refused.text


def test_the_token_becomes_a_cookie_and_leads_to_the_first_page() -> None:
    explorer = Explorer(Shelf(), TOKEN, HOST, True, first="/run?p=kip-279")
    client = TestClient(explorer.application(), base_url=f"http://{HOST}", follow_redirects=False)
    found = client.get(f"/?token={TOKEN}")
    assert (found.status_code, found.headers["location"]) == (303, "/run?p=kip-279")
    cookie = found.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and cookie.startswith("epochal-8737=")


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}, {"origin": "null"}])
def test_no_other_site_is_answered(client: TestClient, headers: dict[str, str]) -> None:
    assert client.get("/", headers=headers).status_code == 403


def test_a_page_asks_nobody_else(client: TestClient, kip_279: Address) -> None:
    page = client.get(f"/run?{kip_279.query()}")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "http://" not in page.text.replace("http://www.w3.org/2000/svg", "")


def test_the_page_of_a_run(client: TestClient, kip_279: Address) -> None:
    page = client.get(f"/run?{kip_279.query()}")
    assert page.status_code == 200
    for said in ("State 10 of 10", "strong_isr</code> is false here", "end(b2) is 0", "What can be done next", "undo"):
        assert said in page.text


def test_every_link_of_a_page_leads_somewhere(client: TestClient, kip_279: Address) -> None:
    short = replace(kip_279, steps=kip_279.steps[:3], at=2, beside="kip-320")
    page = client.get(f"/run?{short.taking('ElectLeader(b2)').query()}")

    links = {html.unescape(found) for found in re.findall(r'(?:href|src)="(/[^"]*)"', page.text)}
    assert len(links) > 15
    for link in sorted(links):
        assert client.get(link).status_code == 200, link


def test_two_protocols_on_one_page(client: TestClient, kip_279: Address) -> None:
    page = client.get(f"/run?{replace(kip_279, beside='kip-320').query()}")
    assert "kip-320 cannot go along beyond state 1" in page.text and "replicas[b1].leader is none" in page.text


def test_asking_is_an_address(client: TestClient, kip_279: Address) -> None:
    found = client.post("/asking", data={"from": kip_279.query(), "ask": "len(self.quorum.isr)"})
    address = read_address(found.headers["location"].partition("?")[2].partition("#")[0])
    assert address.asked == ("len(self.quorum.isr)",)
    assert "len(self.quorum.isr)" in client.get(found.headers["location"]).text


def test_an_address_that_was_sent_evaluates_nothing(client: TestClient, kip_279: Address, tmp_path: Path) -> None:
    """Whoever sent it may have put anything there: it runs after a word of who sits here."""
    trap = tmp_path / "sprung"
    expression = f"open({str(trap)!r}, 'w')"
    page = client.get(f"/run?{kip_279.asking(expression).query()}")
    assert page.status_code == 200 and "Evaluate it" in page.text and not trap.exists()
    allowed = client.post("/asking", data={"from": kip_279.query(), "ask": expression})
    client.get(allowed.headers["location"])
    assert trap.exists()


def test_what_is_no_expression_is_said_at_once(client: TestClient, kip_279: Address) -> None:
    refused = client.post("/asking", data={"from": kip_279.query(), "ask": "import os"})
    assert refused.status_code == 400 and "it is no expression of Python" in refused.text


def test_no_page_of_another_site_leads_here(client: TestClient) -> None:
    for site in ("cross-site", "same-site"):
        assert client.get("/", headers={"sec-fetch-site": site}).status_code == 403
    assert client.get("/", headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_read_only_evaluates_and_searches_nothing(reading: TestClient, kip_279: Address) -> None:
    page = reading.get(f"/run?{kip_279.asking('exit(7)').query()}")
    assert page.status_code == 200 and "SystemExit" not in page.text and "Search from here" not in page.text
    for path, data in (("/asking", {"ask": "1"}), ("/jobs", {"kind": "check"})):
        refused = reading.post(path, data={"from": kip_279.query(), **data})
        assert refused.status_code == 400 and "read-only" in refused.text
    for path in ("/ask?p=kip-279", "/guarantees", "/catalogue"):
        assert "read-only" in reading.get(path).text


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/run", "no protocol is named"),
        ("/run?p=kip-32", "Did you mean kip-320?"),
        ("/run?p=evil.py:P", "no file runs because an address names it"),
        ("/run?p=kip-279&bound=replicas:99", "replicas"),
        ("/run?p=kip-279&bound=nothing:1", "nothing"),
        ("/run?p=kip-279&first=5000", "there is no initial state 5000"),
        ("/run?p=kraft --kafka 77", "77"),
        ("/run?p=kip-279&beside=nothing", "no protocol is named"),
        ("/job/77", "there is no search 77"),
        ("/run?p=" + "x" * 3000, "no protocol is named"),
    ],
)
def test_what_cannot_be_shown_is_said(client: TestClient, path: str, said: str) -> None:
    page = client.get(path)
    assert page.status_code == 400 and said in page.text and len(page.text) < 4000


def test_no_such_page(client: TestClient) -> None:
    assert client.get("/nowhere").status_code == 404 and client.get("/static/..%2fserver.py").status_code == 404


def test_hostile_texts_are_texts() -> None:
    with served(Explorer(Shelf({"hostile.py:Hostile": Hostile}), TOKEN, HOST, True)) as client:
        page = client.get("/run?p=hostile.py:Hostile&s=<script>alert(1)</script>&beside=").text
        assert "<script>alert" not in page and "&lt;script&gt;" in page
        assert "\x1b" not in page + client.get("/").text
        wrong = client.get("/run?p=<img src=x onerror=alert(1)>").text
        assert "<img" not in wrong


def test_a_form_that_is_too_large(client: TestClient) -> None:
    refused = client.post("/asking", content=b"from=" + b"a" * (1 << 21))
    assert refused.status_code == 400 and "too large" in refused.text


def test_a_run_leaves_as_files(client: TestClient, kip_279: Address) -> None:
    trace = client.get(f"/run.itf.json?{kip_279.query()}")
    assert trace.json()["#meta"]["format"] == "ITF" and len(trace.json()["states"]) == 11
    page = client.get(f"/run.html?{kip_279.query()}")
    assert page.text.startswith("<!DOCTYPE html>") and "attachment" in page.headers["content-disposition"]


def test_bounds_and_settings_lead_to_another_protocol(client: TestClient) -> None:
    form = {"from": "p=kraft", "bound-records": "2", "bound-replication_factor": "2", "setting-kafka": "4.1"}
    found = client.post("/bounds", data=form)
    address = read_address(found.headers["location"].partition("?")[2])
    assert address.protocol == "kraft --kafka 4.1" and dict(address.bounds) == {"records": 2, "replication_factor": 2}


# -- searches -----------------------------------------------------------------------------------------------------


def ended(client: TestClient, location: str) -> str:
    """The page of a search when it has ended."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        page = client.get(location).text
        if 'id="live"' not in page:
            return page
        time.sleep(0.1)
    raise AssertionError(f"{location} does not end")


def test_a_search_and_its_run(client: TestClient) -> None:
    started = client.post("/jobs", data={"from": "p=async-isr&bound=replicas:2", "kind": "check", "budget": "5"})
    assert started.status_code == 303
    page = ended(client, started.headers["location"])
    assert "epochal check async-isr --replicas 2 --budget 5m" in page and "holds (exit code 0" in page
    assert "Written" not in page and "Runs to what should be reachable" in page
    run = next(part.split('"')[0] for part in page.split('href="')[1:] if "/run/" in part)
    assert client.get(client.get(run).headers["location"]).status_code == 200
    told = client.get(f"{started.headers['location']}/events").text
    assert json.loads(told.removeprefix("data: ").strip()) == {"ended": True}


def test_a_search_from_here(client: TestClient, kip_279: Address) -> None:
    form = {"from": kip_279.looking_at(9).query(), "kind": "from-here", "length": "1", "property": "strong_isr"}
    page = ended(client, client.post("/jobs", data=form).headers["location"])
    assert "violated (exit code 12" in page
    run = next(part.split('"')[0] for part in page.split('href="')[1:] if "/run/" in part)
    address = read_address(client.get(run).headers["location"].partition("?")[2])
    assert address.steps == kip_279.steps


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "rm -rf"},
        {"kind": "check", "from": "p=kip-279", "property": "--out=/tmp/x"},
        {"kind": "check", "from": "p=kip-279", "budget": "1 --out /tmp/x"},
        {"kind": "bmc", "from": "p=kip-279", "length": "1000"},
        {"kind": "compare", "from": "p=kip-279", "other": "evil.py:P"},
        {"kind": "guarantees", "acks": "maybe"},
        {"kind": "guarantees", "replication_factor": "--out"},
        {"kind": "guarantees", "fault": "--out=/tmp/x"},
        {"kind": "catalogue", "key": "--help"},
        {"kind": "prove", "from": "p=evil.py:P"},
    ],
)
def test_a_form_that_means_nothing_starts_nothing(client: TestClient, form: dict[str, str]) -> None:
    assert client.post("/jobs", data=form).status_code == 400


def test_bounds_for_the_questions_below(client: TestClient) -> None:
    found = client.post("/bounds", data={"from": "p=kip-279", "bound-records": "1", "then": "ask"})
    assert found.headers["location"] == "/ask?p=kip-279&bound=records:1"


def test_no_search_outlives_the_explorer() -> None:
    """The one that runs is ended, the one that waits never begins, and their files are gone."""
    explorer = Explorer(Shelf(), TOKEN, HOST)
    assert explorer.jobs is not None
    with served(explorer) as client:
        for _ in range(2):
            client.post("/jobs", data={"from": "p=kraft&bound=records:2", "kind": "check"})
        first, second = explorer.jobs.known.values()
        deadline = time.monotonic() + 20
        while first.process is None and time.monotonic() < deadline:
            time.sleep(0.05)
    assert first.process is not None and first.process.poll() is not None
    assert second.process is None and not explorer.jobs.folder.exists()


@pytest.fixture(params=[signal.SIG_IGN, signal.default_int_handler], ids=["ignoring", "heeding"])
def interrupts(request: pytest.FixtureRequest) -> Iterator[None]:
    """What an explorer makes of SIGINT, which a shell's jobs in the background ignore."""
    before = signal.signal(signal.SIGINT, request.param)
    yield
    signal.signal(signal.SIGINT, signal.SIG_IGN if before is None else before)


@pytest.mark.parametrize("seconds", [0, 2])
def test_a_search_can_be_stopped(interrupts: None, client: TestClient, seconds: float) -> None:
    """At once, before its process is there, or later."""
    started = client.post("/jobs", data={"from": "p=kraft&bound=records:2", "kind": "check"}).headers["location"]
    time.sleep(seconds)
    client.post(f"{started}/stop")
    asked = time.monotonic()
    page = ended(client, started)
    assert time.monotonic() - asked < PATIENCE
    assert "exit code" in page or not seconds
