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
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from epochal.checker.trace.trace import Trace
from epochal.cli.explorer.jobs import PATIENCE
from epochal.cli.explorer.pages import ask, beside, refuse_no_expression
from epochal.cli.explorer.server import Explorer
from epochal.cli.explorer.walk import (
    MOST_STEPS,
    Address,
    Branch,
    Opened,
    Shelf,
    address_of,
    read_address,
    unique_labels,
    walk,
)
from epochal.errors import UsageError
from epochal.spec.language import BoundsError, Protocol
from tests.explorer.conftest import HOST, TOKEN, served, stored
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


# The run of an address, taken in the Python reading; what is asked along it; another protocol on its schedule.


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf()


def test_a_stored_run_is_walked_to_its_end(shelf: Shelf, kip_279: Address) -> None:
    found = walk(shelf.open(kip_279.protocol, kip_279.bounds), kip_279)
    assert found.refused is None and found.address.at == 10
    assert [one.member.name for one in found.false_here()] == ["weak_isr", "strong_isr"]
    assert found.false_here()[1].because == "leader is b1 (of replicas), member is b2, o is 0: end(b2) is 0"


def test_a_step_before_nothing_is_false(shelf: Shelf, kip_279: Address) -> None:
    found = walk(shelf.open(kip_279.protocol, kip_279.bounds), kip_279.looking_at(9))
    assert found.false_here() == []
    assert "BecomeFollower(b2, b3, 1)" in dict(found.choices().possible)


def test_a_run_that_is_not_possible_ends_before_that_step(shelf: Shelf, kip_279: Address) -> None:
    wrong = replace(kip_279, steps=(*kip_279.steps[:5], "Fetch(b3, b2)", "LeaderWrite(b1)"), at=7)
    found = walk(shelf.open(wrong.protocol, wrong.bounds), wrong)
    assert found.refused is not None and found.refused.number == 6
    assert [guard.holds for guard in found.refused.guards] == [False]
    assert found.address.steps == kip_279.steps[:5] and found.address.at == 5


def test_a_step_that_is_none(shelf: Shelf, kip_279: Address) -> None:
    found = walk(shelf.open("kip-279"), replace(kip_279, steps=("Explode(b1)",), at=1))
    assert found.refused is not None and found.refused.why == "the protocol has no such step within these bounds"


def test_every_choice_leads_where_python_says(shelf: Shelf) -> None:
    opened = shelf.open("kraft")
    found = walk(opened, Address("kraft"))
    expected = {instance.label for instance, _ in opened.protocol.successors(found.here)}
    choices = found.choices()
    assert {label for label, _ in choices.possible} == expected
    refused = [label for group in choices.refused for _, labels in group.actions for label in labels]
    assert len(refused) + len(expected) == len(opened.protocol.instances)
    for label in expected:
        after = walk(opened, found.address.taking(label))
        assert after.refused is None and after.address.at == 1


def test_a_counterexample_to_induction_begins_where_no_run_leads(shelf: Shelf) -> None:
    address = stored("kip-279-proof-leader-expands-isr-quorum-isr-holds-what-is-committed")
    assert address.codes
    found = walk(shelf.open(address.protocol, address.bounds), address)
    assert found.refused is None
    assert "quorum_isr_holds_what_is_committed" in [one.member.name for one in found.false_here()]


def test_a_first_state_that_is_none(shelf: Shelf) -> None:
    for address in (Address("kip-279", codes=(1, 2)), Address("kip-279", first=99)):
        with pytest.raises(UsageError, match="state"):
            walk(shelf.open("kip-279"), address)


def test_the_address_of_a_trace_leads_back(shelf: Shelf, kip_279: Address) -> None:
    opened = shelf.open(kip_279.protocol, kip_279.bounds)
    trace: Trace = walk(opened, kip_279).trace
    assert replace(address_of(trace, opened), about=kip_279.about) == kip_279


def test_a_run_that_goes_on_for_ever_comes_back(shelf: Shelf) -> None:
    address = stored("quorum-same-cadence-leader-is-elected-log-size-1-max-epoch-1")
    found = walk(shelf.open(address.protocol, address.bounds), address)
    assert found.refused is None
    assert found.again.get(len(found.address.steps)) is not None


# -- protocols ----------------------------------------------------------------------------------------------------
def test_no_file_is_opened_because_an_address_names_it(shelf: Shelf) -> None:
    with pytest.raises(UsageError, match="no file runs because an address names it"):
        shelf.open("evil.py:P")


def test_a_name_that_is_none(shelf: Shelf) -> None:
    with pytest.raises(UsageError, match=r"(?s)kip-32.*kip-320"):
        shelf.open("kip-32")


def test_bounds_that_are_not_allowed(shelf: Shelf) -> None:
    with pytest.raises(BoundsError, match="replicas"):
        shelf.open("kip-279", [("replicas", 99)])


def test_what_the_command_line_names_can_be_opened() -> None:
    from epochal.spec.classic.kip_320 import Kip320

    class Mine(Kip320):
        """A variant."""

    assert Shelf({"mine.py:Mine": Mine}).open("mine.py:Mine").protocol.__class__ is Mine


def test_few_protocols_are_kept() -> None:
    shelf = Shelf()
    for records in range(1, 5):
        for epoch in range(1, 6):
            shelf.open("kip-279", [("records", min(records, 3)), ("max_epoch", min(epoch, 3))])
    assert len(shelf.kept) <= 16


# -- expressions --------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def run(shelf: Shelf, kip_279: Address) -> tuple[Protocol, list[tuple[int, ...]]]:
    found = walk(shelf.open(kip_279.protocol, kip_279.bounds), kip_279)
    return found.protocol, list(found.trace.states)


@pytest.mark.parametrize(
    ("expression", "last"),
    [
        ("len(self.quorum.isr)", "2"),
        ("self.replicas[b1].hw", "1"),
        ("[r for r in self.replicas if self.replicas[r].hw]", "[b1]"),
        ("(r for r in self.replicas)", "[b1, b2, b3]"),
        ("self.quorum.leader", "b1"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("self.nothing", "AttributeError: 'Kip279' object has no attribute 'nothing'"),
        ("exit(3)", "SystemExit: 3"),
        ("'\\x1b[31m'", "?[31m"),
        ("'x' * 10_000", "x" * 120 + "…"),
    ],
)
def test_an_expression_along_a_run(run: tuple[Protocol, list[tuple[int, ...]]], expression: str, last: str) -> None:
    found = ask(expression, *run)
    assert found.wrong == "" and len(found.answers) == 11
    assert found.answers[-1].text == last


@pytest.mark.parametrize("expression", ["self.", "x = 1", "import os", "\0", "(" * 5000, "x" * 600])
def test_what_is_no_expression(run: tuple[Protocol, list[tuple[int, ...]]], expression: str) -> None:
    found = ask(expression, *run)
    assert found.wrong and found.answers == ()
    with pytest.raises(UsageError):
        refuse_no_expression(expression)


def test_an_expression_changes_nothing_for_the_next(run: tuple[Protocol, list[tuple[int, ...]]]) -> None:
    ask("self.__setattr__('next_record', 0)", *run)
    assert ask("self.next_record", *run).answers[-1].text != "0"


# -- two at once --------------------------------------------------------------------------------------------------
def opened_beside(shelf: Shelf, name: str, first: Opened) -> Opened:
    return shelf.open_beside(name, first.protocol)


def test_the_fix_refuses_and_says_why(shelf: Shelf, kip_279: Address) -> None:
    opened = shelf.open(kip_279.protocol, kip_279.bounds)
    found = beside(opened_beside(shelf, "kip-320", opened), walk(opened, kip_279))
    assert found.said == "kip-320 cannot go along beyond state 1: step 2 is not possible there."
    assert found.refused is not None and found.refused.guards[0].text == "self.presumes_leadership(leader)"
    assert len(list(found.report.moments)) == 2


def test_the_same_protocol_goes_along(shelf: Shelf, kip_279: Address) -> None:
    opened = shelf.open(kip_279.protocol, kip_279.bounds)
    found = beside(opened_beside(shelf, "kip-279", opened), walk(opened, kip_279))
    assert (found.refused, found.differs_at) == (None, None)


def test_another_family_has_no_such_step(shelf: Shelf, kip_279: Address) -> None:
    opened = shelf.open(kip_279.protocol, kip_279.bounds)
    found = beside(opened_beside(shelf, "quorum", opened), walk(opened, kip_279))
    assert found.refused is not None and found.refused.number == 1 and "no such step" in found.refused.why


# An address is a whole run: what is written is read again, and what is no address is refused by its name.
NAMES = st.from_regex(r"[a-z_]{1,9}", fullmatch=True)
LABELS = st.text(min_size=1, max_size=12)


@given(
    st.builds(
        Address,
        protocol=LABELS,
        bounds=st.lists(st.tuples(st.from_regex(r"[a-z_]{1,9}", fullmatch=True), st.integers(0, 99)), max_size=3).map(
            tuple
        ),
        first=st.integers(0, 9),
        codes=st.lists(st.integers(0, 99), max_size=3).map(tuple),
        steps=st.lists(LABELS, max_size=4).map(tuple),
        branches=st.lists(
            st.builds(Branch, after=st.just(0), steps=st.lists(LABELS, min_size=1, max_size=3).map(tuple)), max_size=2
        ).map(tuple),
        about=LABELS,
        asked=st.lists(LABELS.filter(str.strip), max_size=2, unique=True).map(tuple),
        beside=LABELS,
    )
)
def test_what_is_written_is_read(address: Address) -> None:
    address = replace(address, at=len(address.steps))
    assert read_address(address.query()) == address


RUN = Address("kip-279", steps=("a", "b", "c"), at=3)


def test_a_step_back_keeps_what_follows() -> None:
    back = RUN.looking_at(1)
    assert back.steps == RUN.steps and back.at == 1
    assert back.taking("b") == RUN.looking_at(2)


def test_another_step_makes_a_branch() -> None:
    other = RUN.looking_at(1).taking("x")
    assert (other.steps, other.at) == (("a", "x"), 2)
    assert other.branches == (Branch(1, ("b", "c")),)
    again = other.on(other.branches[0])
    assert (again.steps, again.at) == (("a", "b", "c"), 2)
    assert again.branches == (Branch(1, ("x",)),)


def test_taking_the_first_step_of_a_branch_is_that_branch() -> None:
    other = RUN.looking_at(1).taking("x").looking_at(1)
    assert other.taking("b") == other.on(Branch(1, ("b", "c")))


def test_a_branch_of_what_was_left_hangs_where_that_was_left() -> None:
    deep = RUN.looking_at(2).taking("y").looking_at(0).taking("z")
    assert deep.steps == ("z",)
    assert set(deep.branches) == {Branch(0, ("a", "b", "y")), Branch(0, ("a", "b", "c"))}
    assert deep.without(Branch(0, ("a", "b", "c"))).branches == (Branch(0, ("a", "b", "y")),)


def test_what_follows_can_be_forgotten() -> None:
    assert RUN.looking_at(1).cut() == Address("kip-279", steps=("a",), at=1)


def test_labels_that_read_alike_are_told_apart() -> None:
    assert unique_labels(["a", "b", "a", "a"]) == ["a", "b", "a #2", "a #3"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("p=kip-279&at=one", "at is 'one' in the address"),
        ("p=kip-279&at=\u0661", "at is"),
        ("p=kip-279&bound=replicas:many", "the bound replicas is 'many'"),
        ("p=kip-279&codes=1,x", "codes is 'x'"),
        ("p=kip-279&b=x;a", "b is 'x'"),
        ("p=kip-279" + "&s=a" * (MOST_STEPS + 1), f"more than {MOST_STEPS} steps"),
        ("p=kip-279" + "&s=a" * 5000, "the address is too long"),
        ("p=kip-279" + "".join(f"&ask=self.x{n}" for n in range(13)), "more than 12 expressions"),
    ],
)
def test_what_is_no_address(query: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_address(query)
